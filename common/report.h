// The result of one run, for people (a compact table) and for programs (JSON, the one schema).
#ifndef REPORT_H
#define REPORT_H

#include "emulator.h"
#include "family.h"
#include "grid.h"
#include "model_error.h"
#include "options.h"
#include "resources.h"
#include "timing.h"
#include "verify.h"

#include <stdio.h>

#define MOST_NAMES 8

typedef struct {
  const char *file;      // source of the lab, e.g. "labs/01-baseline/laplacian.hip"
  const char *device;    // "amd", "nvidia" or "emulated"
  char device_name[256]; // as hipGetDeviceProperties gives it
  char arch[256];        // e.g. "gfx90a:sramecc+:xnack-"
  double peak_gbs;       // of its memory, by clock and bus width; 0 if it does not say
  const char *kernel;    // name of the __global__ function that ran
  int rows;              // of points that a thread computes along y
  const Family *family;
  char axis; // 'x', 'y' or 'z', of a derivative
  Grid grid;
  Options options;
  int first_check; // those before it were not made
  Verification checks[CHECKS];
  Timing time;   // time.runs is 0 when nothing could be timed; modelled if the device is emulated
  bool untimed;  // on a real device: correctness alone was asked for
  Paired paired; // on a real device, where time.runs is not 0
  ModelError error;                // of what is modelled, in runs like this one
  double launch_wall_s;            // host's wall clock around the last verified launch, seconds
  const EmulatorCounter *counters; // of the last launch; none on a device without our counters
  size_t counter_count;
  // Of the launches that were made for one result, where they were replayed from a list: their
  // number, all their threads, the kernels' names (NULL behind the last). Unknown: 0.
  int launches;
  uint64_t threads;
  const char *ran[MOST_NAMES];
  Resources compiled;
  bool has_compiled;
} Result;

// True when every check passed.
bool report_verified(const Result *result);

// For people.
void report_print(FILE *out, const Result *result);

// For programs: one JSON object. Keys: lab, source, kernel, rows, device, device_name, arch,
// peak_bandwidth_gbs, nx, ny, nz, interior_points (that the kernel computes), element_bytes, block, iterations, seed, verified,
// launches, kernels and points_per_thread (points of the grid by threads launched; of a replay),
// points_checked, max_relative_error (of the first check), checks, tables, time_evidence ("measured" or "modelled"),
// model_error_percent (below), time_ms,
// effective_bandwidth_gbs, percent_of_target, copy (gbs, of the device's own copy, taken in turns with the kernel; percent,
// the kernel's effective bandwidth over it; low and high, its interval of 95 %; null where modelled), layout, window (points along z a thread slides over),
// memory, cubes (below), loaded_per_stored (values that lanes load from global memory for
// each one that must be stored), launch_wall_s, counters (all that the device has), modelled_counters (names of those
// among them that are modelled; the others are emulated), compiled. What is not known is null.
//
// tables: names of figures (grading/tables/columns.py): columns of a table of stages, rows of a table
// of one run, and what is recorded of a solution.
//
// layout: packed, radius, ld, offset, growth_percent (memory beyond the packed layout's).
//
// memory: evidence, fetch_size_gb and write_size_gb (10^9 B to and from HBM), read_write_ratio (of
// these two), fetched_per_stored (FETCH_SIZE over what no kernel can avoid to write), achieved_bandwidth_gbs (both over the time), fetch_efficiency_percent and
// write_efficiency_percent (what no kernel can avoid, the family's traffic, in percent of it),
// l2_cache_hit_percent. From rocprof's FETCH_SIZE, WRITE_SIZE and L2CacheHit.
//
// model_error_percent: of what is modelled, how far time and memory (caches, too) were from published
// figures in runs like this one, in whole percent; null where the error is small or unknown.
//
// cubes: bytes that pass a level of memory, over the bytes of all interior points: l1 (lines that
// loads and stores touch), l2_read and l2_write (requests that L1 sends on), each counted in lines
// of 64 B, and hbm (FETCH_SIZE + WRITE_SIZE).
void report_json(FILE *out, const Result *result);

#endif
