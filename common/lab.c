// The life of a lab program: options, arrays, verified launches, timed launches, report. See lab.h.
#include "lab.h"

#include "device.h"
#include "lab_parts.h"
#include "sliding.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Timed launches unless --iterations says otherwise. Real times scatter; the emulated device's are
// modelled and the same every time, so there the launch that was verified is timed as well.
#define TIMED_ON_A_GPU 20
#define TIMED_WHERE_EMULATED 1

static void __attribute__((noreturn)) no_host_memory(const Grid *grid) {
  fprintf(stderr, "no host memory for slices of %zu elements; a smaller grid needs less\n",
          grid->slice);
  exit(DEVICE_TROUBLE);
}

static double *host_slice(const Grid *grid) {
  double *slice = calloc(grid->slice, sizeof *slice);
  if (!slice)
    no_host_memory(grid);
  return slice;
}

// Compares the device array f with the host reference for random input, keeping 2R + 1 slices of it
// on the host.
static void verify_against_reference(Verification *v, const Result *r, const void *f) {
  const Grid *grid = &r->grid;
  double *got = host_slice(grid), *expected = host_slice(grid);
  SlidingWindow window;
  if (!sliding_prime(&window, grid, r->family->random, r->options.seed))
    no_host_memory(grid);
  for (int k = 0; k < grid->nz; k++) {
    const bool interior = k >= grid->radius && k < grid->nz - grid->radius;
    if (interior) {
      sliding_load(&window);
      r->family->reference(grid, r->axis, (const double *const *)window.slice, expected);
      sliding_shift(&window);
    }
    device_get_slice(f, grid, k, got);
    verify_slice(v, grid, k, got, interior ? expected : NULL);
  }
  sliding_free(&window);
  free(got), free(expected);
}

// Compares the device array f with the known answer.
static void verify_against_answer(Verification *v, const Result *r, const void *f) {
  const Grid *grid = &r->grid;
  double *got = host_slice(grid), *expected = host_slice(grid);
  for (int k = 0; k < grid->nz; k++) {
    const bool interior = k >= grid->radius && k < grid->nz - grid->radius;
    if (interior)
      r->family->answer(grid, r->axis, k, expected);
    device_get_slice(f, grid, k, got);
    verify_slice(v, grid, k, got, interior ? expected : NULL);
  }
  free(got), free(expected);
}

// Fills u, poisons f, launches once and verifies, first for the input with a known answer, then for
// the random one. A known answer hides mistakes that cancel in it; random input hides none.
static void launch_and_verify(const Kernel *kernel, Result *r, void *u, void *f) {
  const Grid *grid = &r->grid;
  r->family->tolerances(grid, r->axis, r->checks);
  for (int check = 0; check < CHECKS; check++) {
    const bool random = check == 1;
    SliceMaker *make_input = random ? r->family->random : r->family->known;
    double *slice = host_slice(grid);
    for (int k = 0; k < grid->nz; k++) {
      make_input(grid, r->options.seed, k, slice);
      device_put_slice(u, grid, k, slice);
    }
    free(slice);
    device_poison(f, grid);
    device_model(random); // figures are of the last verified launch
    r->launch_wall_s = device_launch(kernel, grid, &r->options, f, u);
    if (random)
      verify_against_reference(&r->checks[check], r, f);
    else
      verify_against_answer(&r->checks[check], r, f);
  }
  r->counter_count = device_counters(&r->counters);
}

bool lab_timed_by_model(Timing *time, int iterations) {
  double ms = device_modelled_ms(); // of the launch that was verified last
  if (!device_is_emulated() || (ms != 0 && iterations != 1))
    return false;
  *time = ms == 0 ? (Timing){.runs = 0} : timing_summary(&ms, 1);
  return true;
}

static Timing time_launches(const Kernel *kernel, const Result *r, void *u, void *f) {
  Timing time;
  if (lab_timed_by_model(&time, r->options.iterations))
    return time;
  return device_time(kernel, &r->grid, &r->options, f, u);
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

bool lab_block_fits(const Kernel *kernel, const Options *o) {
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

// What the kernel decides unless the options do: the block, and the points of a window. False, with
// a sentence, for a window where there is none.
static bool complete_options(Options *o, const Kernel *kernel) {
  if (o->block[0] == 0) {
    o->block[0] = kernel->block.x;
    o->block[1] = kernel->block.y;
    o->block[2] = kernel->block.z;
  }
  if (kernel->window == NO_WINDOW && o->window) {
    fprintf(stderr, "--window %d: %s computes one point a thread, there is no window to choose\n",
            o->window, kernel->name);
    return false;
  }
  if (!kernel->derivative && o->packed) {
    fprintf(stderr, "--layout packed: %s has no layout of its own, its rows are packed anyway\n",
            kernel->name);
    return false;
  }
  if (!o->window)
    o->window = kernel->window;
  o->window = o->window < o->nz ? o->window : o->nz; // a longer one would do the same
  return true;
}

// The grid that the options ask for, its rows where the kernel's layout puts them. False, with a
// sentence, when there is no such grid.
static bool make_grid(Grid *grid, const Options *o, const Kernel *kernel, const Family *family) {
  char error[512];
  const int radius = kernel->radius, border = family->options_count_border ? 0 : 2 * radius;
  bool made = grid_make(grid, o->nx + border, o->ny + border, o->nz + border, radius,
                        family->element_bytes, error, sizeof error);
  if (made && kernel->layout && !o->packed) {
    size_t ld = grid->ld, offset = grid->offset;
    kernel->layout(grid->nx, radius, &ld, &offset);
    made = grid_lay_out(grid, ld, offset, error, sizeof error);
  }
  if (!made)
    fprintf(stderr, "%s\n", error);
  return made;
}

void lab_begin(Result *result, const char *program) {
  char resources[4096];
  snprintf(resources, sizeof resources, "%s.resources", program);
  result->has_compiled = resources_read(&result->compiled, resources, result->kernel);
  device_describe(result);
  if (result->options.iterations == 0)
    result->options.iterations = device_is_emulated() ? TIMED_WHERE_EMULATED : TIMED_ON_A_GPU;
}

int lab_end(const Result *result) {
  report_print(stdout, result, find_todo(result->file));
  const bool written =
      write_json(result, result->options.json) & write_json(result, getenv("LAB_RESULT_FILE"));
  if (!written)
    return DEVICE_TROUBLE;
  return report_verified(result) ? VERIFIED : NOT_RIGHT;
}

int lab_main(int argc, char **argv, const Lab *lab) {
  Result result = {.file = lab->file};
  Options *o = &result.options;
  char error[512];
  const OptionsOutcome outcome = options_parse(o, argc, argv, error, sizeof error);
  if (outcome == OPTIONS_HELP) {
    printf("%s: runs, verifies and times the kernel in %s\n%s", argv[0], lab->file,
           OPTIONS_HELP_TEXT);
    return VERIFIED;
  }
  if (outcome == OPTIONS_BAD) {
    fprintf(stderr, "%s\n", error);
    return MALFORMED_OPTIONS;
  }

  const Kernel *kernel = find_kernel(lab, o->kernel);
  if (!kernel)
    return MALFORMED_OPTIONS;
  result.kernel = kernel->name;
  result.rows = kernel->rows == ANY_NY ? 1 : kernel->rows;
  result.family = kernel->derivative ? &DERIVATIVE : &LAPLACIAN;
  result.axis = kernel->axis;
  if (!complete_options(o, kernel) || !make_grid(&result.grid, o, kernel, result.family))
    return MALFORMED_OPTIONS;

  lab_begin(&result, argv[0]);
  if (!lab_block_fits(kernel, o))
    return MALFORMED_OPTIONS;
  void *u = device_array(&result.grid), *f = device_array(&result.grid);
  launch_and_verify(kernel, &result, u, f);
  result.time = time_launches(kernel, &result, u, f);
  device_free(u);
  device_free(f);
  return lab_end(&result);
}
