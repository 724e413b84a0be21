// The life of a lab program: options, arrays, verified launches, timed launches, report. See lab.h.
#include "lab.h"

#include "device.h"
#include "field.h"
#include "options.h"
#include "report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MALFORMED_OPTIONS 2

// Timed launches unless --iterations says otherwise. Real times scatter; the emulated device's are
// modelled and the same every time, so there the launch that was verified is timed as well.
#define TIMED_ON_A_GPU 20
#define TIMED_WHERE_EMULATED 1

static double *host_slice(const Grid *grid) {
  double *slice = calloc(grid->slice, sizeof *slice);
  if (!slice) {
    fprintf(stderr, "no host memory for a slice of %zu elements; a smaller grid needs less\n",
            grid->slice);
    exit(DEVICE_TROUBLE);
  }
  return slice;
}

// The two inputs. A quadratic has a known answer, but hides mistakes that cancel in it; random
// input hides none.
static void make_input(bool random, const Grid *grid, uint64_t seed, int k, double *slice) {
  if (random)
    field_random_slice(grid, seed, k, slice);
  else
    field_quadratic_slice(grid, k, slice);
}

// Compares the device array f with the host reference, keeping three slices of input on the host.
static void verify_against_reference(Verification *v, const Grid *grid, uint64_t seed,
                                     const double *f) {
  double *got = host_slice(grid), *expected = host_slice(grid);
  double *below = host_slice(grid), *middle = host_slice(grid), *above = host_slice(grid);
  field_random_slice(grid, seed, 0, middle);
  field_random_slice(grid, seed, 1, above);
  for (int k = 0; k < grid->nz; k++) {
    const bool interior = k > 0 && k < grid->nz - 1;
    if (interior) {
      double *oldest = below;
      below = middle, middle = above, above = oldest;
      field_random_slice(grid, seed, k + 1, above);
      field_laplacian_slice(grid, below, middle, above, expected);
    }
    device_get_slice(f, grid, k, got);
    verify_slice(v, grid, k, got, interior ? expected : NULL);
  }
  free(got), free(expected), free(below), free(middle), free(above);
}

// Compares the device array f with the quadratic's analytic answer.
static void verify_against_analytic(Verification *v, const Grid *grid, const double *f) {
  double *got = host_slice(grid), *expected = host_slice(grid);
  for (size_t n = 0; n < grid->slice; n++)
    expected[n] = QUADRATIC_LAPLACIAN;
  for (int k = 0; k < grid->nz; k++) {
    device_get_slice(f, grid, k, got);
    verify_slice(v, grid, k, got, k > 0 && k < grid->nz - 1 ? expected : NULL);
  }
  free(got), free(expected);
}

// Fills u, poisons f, launches once and verifies, first for the quadratic input, then for the
// random one.
static void launch_and_verify(const Kernel *kernel, Result *r, double *u, double *f) {
  const Grid *grid = &r->grid;
  const double rounding = field_laplacian_scale(grid) * ROUNDING_TOLERANCE;
  r->checks[0] = (Verification){.name = "quadratic",
                                .scale = QUADRATIC_LAPLACIAN,
                                .tolerance = QUADRATIC_TOLERANCE + rounding / QUADRATIC_LAPLACIAN};
  r->checks[1] = (Verification){
      .name = "random", .scale = field_laplacian_scale(grid), .tolerance = ROUNDING_TOLERANCE};
  for (int check = 0; check < CHECKS; check++) {
    const bool random = check == 1;
    double *slice = host_slice(grid);
    for (int k = 0; k < grid->nz; k++) {
      make_input(random, grid, r->options.seed, k, slice);
      device_put_slice(u, grid, k, slice);
    }
    free(slice);
    device_poison(f, grid);
    r->launch_wall_s = device_launch(kernel->launch, grid, r->options.block, f, u);
    if (random)
      verify_against_reference(&r->checks[check], grid, r->options.seed, f);
    else
      verify_against_analytic(&r->checks[check], grid, f);
  }
  r->counter_count = device_counters(&r->counters);
}

// The launches that are timed; none on an emulated device that does not model time.
static Timing time_launches(const Kernel *kernel, const Result *r, double *u, double *f) {
  double ms = device_modelled_ms(); // of the launch that was verified last
  if (device_is_emulated() && ms == 0)
    return (Timing){.runs = 0};
  if (device_is_emulated() && r->options.iterations == 1)
    return timing_summary(&ms, 1);
  return device_time(kernel->launch, &r->grid, r->options.block, f, u, r->options.iterations);
}

// The line of the learner's file that holds the TODO, else 0.
static int find_todo(const char *file) {
  FILE *in = fopen(file, "r");
  if (!in)
    return 0;
  char line[1024];
  int number = 1;
  bool found = false;
  while (!found && fgets(line, sizeof line, in)) {
    found = strstr(line, "// TODO") != NULL;
    if (!found && strchr(line, '\n'))
      number++;
  }
  fclose(in);
  return found ? number : 0;
}

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

// The kernel that --kernel names, by default the first; NULL, with a sentence, when there is none.
static const Kernel *find_kernel(const Lab *lab, const char *name) {
  for (const Kernel *kernel = lab->kernels; kernel->name; kernel++)
    if (!name || strcmp(kernel->name, name) == 0)
      return kernel;
  fprintf(stderr, "--kernel %s: %s has", name, lab->file);
  for (const Kernel *kernel = lab->kernels; kernel->name; kernel++)
    fprintf(stderr, " %s", kernel->name);
  fprintf(stderr, "\n");
  return NULL;
}

// Whether the kernel can run this grid with this block; a sentence when not.
static bool block_fits(const Kernel *kernel, const Options *o) {
  const int most = device_max_block(kernel->function);
  const unsigned threads = o->block[0] * o->block[1] * o->block[2];
  if (threads > (unsigned)most) {
    fprintf(stderr,
            "--block %ux%ux%u: that is %u threads, and %s was compiled for blocks of at most %d "
            "(__launch_bounds__); choose a smaller block or change the bound\n",
            o->block[0], o->block[1], o->block[2], threads, kernel->name, most);
    return false;
  }
  const uint64_t rows = (uint64_t)o->block[1] * (uint64_t)kernel->rows;
  if (kernel->rows != ANY_NY && (uint64_t)o->ny % rows != 0) {
    fprintf(stderr,
            "--ny %d: %s computes whole tiles only, so ny must be a multiple of %" PRIu64
            " (%u threads of a block in y, %d rows each); choose --ny %" PRIu64
            ", another --block or another M\n",
            o->ny, kernel->name, rows, o->block[1], kernel->rows,
            ((uint64_t)o->ny / rows + 1) * rows);
    return false;
  }
  return true;
}

int lab_main(int argc, char **argv, const Lab *lab) {
  Result result = {.file = lab->file};
  char error[512];
  const OptionsOutcome outcome = options_parse(&result.options, argc, argv, error, sizeof error);
  if (outcome == OPTIONS_HELP) {
    printf("%s: runs, verifies and times the kernel in %s\n%s", argv[0], lab->file,
           OPTIONS_HELP_TEXT);
    return 0;
  }
  const Options *o = &result.options;
  if (outcome == OPTIONS_BAD ||
      !grid_make(&result.grid, o->nx, o->ny, o->nz, 1, 1, error, sizeof error)) {
    fprintf(stderr, "%s\n", error);
    return MALFORMED_OPTIONS;
  }

  const Kernel *kernel = find_kernel(lab, o->kernel);
  if (!kernel)
    return MALFORMED_OPTIONS;
  result.kernel = kernel->name;
  result.rows = kernel->rows == ANY_NY ? 1 : kernel->rows;

  char resources[4096];
  snprintf(resources, sizeof resources, "%s.resources", argv[0]);
  result.has_compiled = resources_read(&result.compiled, resources, kernel->name);

  device_describe(&result);
  if (!block_fits(kernel, o))
    return MALFORMED_OPTIONS;
  if (o->iterations == 0)
    result.options.iterations = device_is_emulated() ? TIMED_WHERE_EMULATED : TIMED_ON_A_GPU;
  double *u = device_array(&result.grid), *f = device_array(&result.grid);
  launch_and_verify(kernel, &result, u, f);
  result.time = time_launches(kernel, &result, u, f);
  device_free(u);
  device_free(f);

  report_print(stdout, &result, find_todo(lab->file));
  const bool written =
      write_json(&result, o->json) & write_json(&result, getenv("LAB_RESULT_FILE"));
  return report_verified(&result) && written ? 0 : 1;
}
