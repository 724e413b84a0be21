// A small experiment: one kernel before and one after a change to its source that must not change
// what it computes. Both run and are verified; registers, scratch, LDS, occupancy and time are
// printed side by side.
#ifndef EXPERIMENT_H
#define EXPERIMENT_H

#ifdef __cplusplus
extern "C" {
#endif

// Threads of a launch and of a block. 2048 waves: with 5 waves a SIMD all fit on the device at
// once, with 4 they do not.
#define EXPERIMENT_THREADS 131072
#define EXPERIMENT_BLOCK 256

// Value v of thread i is element v * EXPERIMENT_THREADS + i, of in and of out.
typedef void ExperimentLauncher(double *out, const double *in);

typedef struct {
  const char *technique;
  int inputs, outputs;                // values of one thread; inputs are random in [-1, 1)
  ExperimentLauncher *before, *after; // each launches the kernel of its name
  void (*expected)(int i, const double *in, double *out); // what thread i makes of its inputs
} Experiment;

// Prints the experiment's line of the table; with the argument --heading the table's heads before
// it. Returns the exit status: 0; 1 when a result is wrong, with a sentence; 3 when the device
// failed.
int experiment_main(int argc, char **argv, const Experiment *experiment);

#ifdef __cplusplus
}
#endif

#endif
