// Verified launches, timed launches, report. See run.h.
#include "run.h"

#include "device.h"
#include "fitted.h"
#include "paired.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Writes the JSON to path; NULL or "" means nowhere. False, with a sentence, when that failed.
static bool write_json(const Result *result, const char *path) {
  if (!path || !*path)
    return true;
  FILE *out = fopen(path, "w");
  if (out)
    report_json(out, result);
  if (!out || fclose(out) != 0) {
    fprintf(stderr, "cannot write the result to %s; choose a place that can be written\n", path);
    return false;
  }
  return true;
}

// Times launches on a real device, where figures are of the last check's input. What the last of them
// left is then verified, and no kernel can know which that is.
static void time_in_pairs(Launch *launch, Result *r) {
  const Traffic traffic = r->family->traffic(launch->grid, launch->kernel->axis);
  r->paired =
      paired_times(launch, traffic.fetch_bytes + traffic.write_bytes, r->options.iterations);
  r->options.iterations = r->paired.kernel.runs;
  r->time = r->paired.kernel;
}

// Says so where somebody will have to wait. With the model a launch takes about MODEL_TAKES times as
// long as without, and of the launches without there was one by then.
#define MODEL_TAKES 10
#define LONG_S 20
static void say_if_long(double wall_s) {
  if (device_is_emulated() && MODEL_TAKES * wall_s > LONG_S)
    fprintf(stderr, "... caches and time are modelled next: this takes about %.0f s\n",
            MODEL_TAKES * wall_s);
}

// Lets the family put its input in place, launches, and lets it verify what that left.
static void launch_and_verify(Launch *launch, Result *r) {
  for (int check = r->first_check; check < CHECKS; check++) {
    launch->check = check;
    r->family->put_input(launch);
    device_model(check == CHECKS - 1);
    if (check == CHECKS - 1)
      say_if_long(r->launch_wall_s);
    r->launch_wall_s = device_run(launch);
    if (check == CHECKS - 1 && !device_is_emulated() && !r->untimed)
      time_in_pairs(launch, r);
    r->family->verify(launch, &r->checks[check]);
  }
  r->counter_count = device_counters(&r->counters);
}

// Times launches on the emulated device, where more than one are asked for. Each has an input that no
// launch before it had, and what it left is verified: a kernel that works only when it is looked at,
// is looked at.
static Timing time_launches(Launch *launch, Result *r, int runs) {
  Verification *last = &r->checks[CHECKS - 1];
  double *ms = malloc((size_t)runs * sizeof *ms);
  if (!ms) {
    fprintf(stderr, "no host memory for %d times; ask for fewer --iterations\n", runs);
    exit(DEVICE_TROUBLE);
  }
  for (int run = 0; run < runs; run++) {
    launch->seed++;
    r->family->put_input(launch);
    device_run(launch); // warms caches up
    r->family->renew(launch);
    ms[run] = device_timed_run(launch);
    if (verify_passed(last, launch->grid))
      r->family->verify(launch, last);
  }
  const Timing timing = timing_summary(ms, runs);
  free(ms);
  return timing;
}

// The emulated device's times are modelled and the same every time, so there the launch that was
// verified last is the one that is timed, unless more are asked for.
static Timing modelled_time(Launch *launch, Result *r) {
  const double ms = device_modelled_ms();
  if (!r->options.iterations)
    r->options.iterations = 1;
  if (ms != 0 && r->options.iterations != 1)
    return time_launches(launch, r, r->options.iterations);
  return ms == 0 ? (Timing){.runs = 0} : timing_summary((double[]){ms}, 1);
}

// The report for people, as wide as their terminal.
static void print_report(const Result *result) {
  char *text = NULL;
  size_t size;
  FILE *memory = open_memstream(&text, &size);
  report_print(memory ? memory : stdout, result);
  if (!memory)
    return;
  fclose(memory);
  fitted_print(stdout, text, fitted_columns(stdout));
  free(text);
}

// Prints the report and writes the JSON. Returns the exit status.
static Status report(const Result *result) {
  print_report(result);
  const bool written =
      write_json(result, result->options.json) & write_json(result, getenv("LAB_RESULT_FILE"));
  if (!written)
    return DEVICE_TROUBLE;
  return report_verified(result) ? VERIFIED : NOT_RIGHT;
}

// Size of a plane of interior points.
static double plane_mb(const Setup *setup) {
  return (double)setup->options.nx * setup->options.ny * setup->family->element_bytes * 1e-6;
}

Status run_and_report(const Setup *setup, void (*enqueue)(const Launch *launch), Result *result) {
  const Kernel *kernel = setup->kernel;
  const Options *o = &setup->options;
  result->file = setup->file;
  result->family = setup->family;
  result->grid = setup->grid;
  result->options = *o;
  result->kernel = kernel->name;
  result->rows = kernel->rows == ANY_NY ? 1 : kernel->rows;
  result->axis = kernel->axis;
  result->error = model_error(setup->family->name, kernel->axis, o->window, plane_mb(setup));
  if (strstr(result->device_name, "not validated")) // what the emulated device says of itself
    result->error = (ModelError){.time = NOT_VALIDATED, .memory = NOT_VALIDATED};
  Launch launch = {.enqueue = enqueue,
                   .family = setup->family,
                   .kernel = kernel,
                   .grid = &setup->grid,
                   .block = {o->block[0], o->block[1], o->block[2]},
                   .window = o->window,
                   .seed = o->seed};
  setup->family->allocate(&launch);
  launch_and_verify(&launch, result);
  if (device_is_emulated())
    result->time = modelled_time(&launch, result);
  device_free(launch.u);
  device_free(launch.f);
  device_free(launch.kept);
  return report(result);
}
