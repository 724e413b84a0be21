// The result of one run, for people (a compact table) and for programs (JSON, the one schema).
#ifndef REPORT_H
#define REPORT_H

#include "bandwidth.h"
#include "emulator/emulator.h"
#include "grid.h"
#include "options.h"
#include "resources.h"
#include "timing.h"
#include "verify.h"

#include <stdio.h>

#define CHECKS 2 // quadratic and random input

typedef struct {
  const char *file;      // source of the lab, e.g. "labs/01-baseline/laplacian.hip"
  const char *device;    // "amd" or "emulated"
  char device_name[256]; // as hipGetDeviceProperties gives it
  char arch[256];        // e.g. "gfx90a:sramecc+:xnack-"
  const char *kernel;    // name of the __global__ function that ran
  int rows;              // of points that a thread computes along y
  Grid grid;
  Options options;
  Verification checks[CHECKS];
  Timing time; // time.runs is 0 when nothing could be timed; modelled if the device is emulated
  double launch_wall_s;            // host's wall clock around the last verified launch, seconds
  const EmulatorCounter *counters; // of the last launch; none on a device without our counters
  size_t counter_count;
  Resources compiled;
  bool has_compiled;
} Result;

// True when every check passed.
bool report_verified(const Result *result);

// For people. next_line is the line of result->file to edit when the kernel is not right yet, 0 if
// unknown.
void report_print(FILE *out, const Result *result, int next_line);

// For programs: one JSON object. Keys: lab, source, kernel, rows, device, device_name, arch, nx,
// ny, nz, block, iterations, seed, verified, points_checked, max_relative_error (of the quadratic
// input, against 3), checks, time_evidence ("measured" or "modelled"), time_ms,
// effective_bandwidth_gbs, percent_of_target, memory (below), launch_wall_s, counters,
// modelled_counters (names of those among them that are modelled; the others are emulated),
// compiled. What is not known is null.
//
// memory: evidence, fetch_size_gb and write_size_gb (10^9 B to and from HBM),
// fetch_efficiency_percent and write_efficiency_percent (what no kernel can avoid,
// bandwidth_theoretical, in percent of it), l2_cache_hit_percent. From rocprof's FETCH_SIZE,
// WRITE_SIZE and L2CacheHit.
void report_json(FILE *out, const Result *result);

#endif
