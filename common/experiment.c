// Runs both kernels of an experiment and prints its line. See experiment.h.
#include "experiment.h"

#include "device.h"
#include "random.h"
#include "resources.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEED 1
// Relative, for some hundred operations on values of order 1, whose order the compiler may change.
#define TOLERANCE 1e-12

// What one of the two kernels came to.
typedef struct {
  Resources compiled;
  Timing time;
} Side;

static void enqueue(const Launch *l) { l->kernel->launch.experiment(l->f, l->u); }

static double *host_values(int values) {
  double *array = malloc((size_t)values * EXPERIMENT_THREADS * sizeof *array);
  if (!array) {
    fprintf(stderr, "no host memory for %d values a thread\n", values);
    exit(DEVICE_TROUBLE);
  }
  return array;
}

// The first thread whose outputs are wrong, -1 if none.
static int first_wrong(const Experiment *e, const double *in, const double *out) {
  int first = EXPERIMENT_THREADS;
#pragma omp parallel for reduction(min : first)
  for (int i = 0; i < EXPERIMENT_THREADS; i++) {
    double own[e->inputs], expected[e->outputs];
    for (int v = 0; v < e->inputs; v++)
      own[v] = in[v * EXPERIMENT_THREADS + i];
    e->expected(i, own, expected);
    for (int v = 0; v < e->outputs; v++) {
      const double error = fabs(out[v * EXPERIMENT_THREADS + i] - expected[v]);
      if (!(error <= TOLERANCE * fmax(1, fabs(expected[v]))) && i < first)
        first = i;
    }
  }
  return first == EXPERIMENT_THREADS ? -1 : first;
}

// Of the launch before, where the emulated device modelled it; else of some more.
static Timing time_of(const Launch *launch) {
  double modelled_ms = device_modelled_ms(), ms[device_usual_runs()];
  if (device_is_emulated())
    return modelled_ms == 0 ? (Timing){.runs = 0} : timing_summary(&modelled_ms, 1);
  for (int run = 0; run < device_usual_runs(); run++)
    ms[run] = device_timed_run(launch);
  return timing_summary(ms, device_usual_runs());
}

// Launches, verifies, times. False, with a sentence, when the result is wrong or unreported.
static bool run_side(Side *side, const char *resources, const Experiment *e, const Launch *launch,
                     const double *in, double *out) {
  const char *name = launch->kernel->name;
  const size_t bytes = (size_t)e->outputs * EXPERIMENT_THREADS * sizeof *out;
  memset(out, POISON_BYTE, bytes);
  device_put(launch->f, out, bytes);
  device_run(launch);
  device_get(out, launch->f, bytes);
  side->time = time_of(launch);
  const int wrong = first_wrong(e, in, out);
  if (wrong >= 0)
    fprintf(stderr, "%s: kernel %s is wrong, first in thread %d\n", e->technique, name, wrong);
  const bool reported = resources_read(&side->compiled, resources, name);
  if (!reported)
    fprintf(stderr, "%s: %s has no report on kernel %s; build it with make\n", e->technique,
            resources, name);
  return wrong < 0 && reported;
}

static void print_heading(void) {
  printf("%-21s %-8s %-9s %-9s %-9s %-6s %s\n", "one change", "SGPRs", "VGPRs", "scratch B",
         "LDS B", "waves", "time, ms");
}

static void print_pair(int width, int before, int after) {
  char text[32];
  snprintf(text, sizeof text, "%d->%d", before, after);
  printf(" %-*s", width, text);
}

static void print_line(const Experiment *e, const Side *before, const Side *after) {
  const Resources *b = &before->compiled, *a = &after->compiled;
  printf("%-21s", e->technique);
  print_pair(8, b->sgprs, a->sgprs);
  print_pair(9, b->vgprs, a->vgprs);
  print_pair(9, b->scratch_bytes, a->scratch_bytes);
  print_pair(9, b->lds_bytes, a->lds_bytes);
  print_pair(6, b->occupancy_waves_per_simd, a->occupancy_waves_per_simd);
  if (before->time.runs)
    printf(" %.4f->%.4f\n", before->time.median, after->time.median);
  else
    printf(" -\n");
}

int experiment_main(int argc, char **argv, const Experiment *e) {
  char resources[4096];
  snprintf(resources, sizeof resources, "%s.resources", argv[0]);
  double *in = host_values(e->inputs), *out = host_values(e->outputs);
  for (size_t n = 0; n < (size_t)e->inputs * EXPERIMENT_THREADS; n++)
    in[n] = random_at(random_keys(SEED), n);
  const size_t in_bytes = (size_t)e->inputs * EXPERIMENT_THREADS * sizeof *in;
  const Kernel before = {.name = "before", .launch = {.experiment = e->before}};
  const Kernel after = {.name = "after", .launch = {.experiment = e->after}};
  Launch launch = {.enqueue = enqueue,
                   .kernel = &before,
                   .f = device_memory((size_t)e->outputs * EXPERIMENT_THREADS * sizeof *out),
                   .u = device_memory(in_bytes)};
  device_put(launch.u, in, in_bytes);

  Side sides[2];
  bool right = run_side(&sides[0], resources, e, &launch, in, out);
  launch.kernel = &after;
  right &= run_side(&sides[1], resources, e, &launch, in, out);
  if (argc > 1 && strcmp(argv[1], "--heading") == 0)
    print_heading();
  if (right)
    print_line(e, &sides[0], &sides[1]);
  device_free(launch.u);
  device_free(launch.f);
  free(in);
  free(out);
  return right ? 0 : 1;
}
