// A launch of a lab's kernel on its way to the device: what lab.c and experiment.c put together,
// what a family calls the learner's launcher with, and what device.c runs and times.
#ifndef KERNEL_LAUNCH_H
#define KERNEL_LAUNCH_H

#include "kernel.h"

struct Family;
typedef struct Launch Launch;

struct Launch {
  void (*enqueue)(const Launch *launch); // calls the kernel's launcher
  const struct Family *family;           // NULL for an experiment
  const Kernel *kernel;
  const Grid *grid;
  dim3 block;
  int window;    // points along z that a thread computes, 0 without a window
  uint64_t seed; // of the input
  int check;     // which of the family's inputs
  void *f, *u;   // device memory: output and input, or in u both; element 0 of the allocation
  void *kept;    // a copy of the input, where launches write to it and are timed
};

#endif
