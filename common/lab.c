// The life of a lab program: options, arrays, verified launches, timed launches, report. See lab.h.
#include "lab.h"

#include "device.h"
#include "families.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Threads of a block where neither kernel nor options say.
static const unsigned USUAL_BLOCK[3] = {256, 1, 1};

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

// Whether the file says how the kernel is launched; a sentence when not.
static bool has_launcher(const Kernel *kernel) {
  static const Kernel none = {0};
  if (memcmp(&kernel->launch, &none.launch, sizeof none.launch) != 0)
    return true;
  fprintf(stderr,
          "%s has no launcher: its entry in the Lab needs one, as .launch = {.laplacian = ...}\n",
          kernel->name);
  return false;
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

// What the kernel decides unless the options do: the block, and the points of a window. False, with
// a sentence, for a window where there is none.
static bool complete_options(Options *o, const Kernel *kernel) {
  if (o->block[0] == 0)
    memcpy(o->block, kernel->block[0] ? kernel->block : USUAL_BLOCK, sizeof o->block);
  if (!kernel->window && o->window) {
    fprintf(stderr, "--window %d: %s computes one point a thread, there is no window to choose\n",
            o->window, kernel->name);
    return false;
  }
  if (!kernel->layout && o->packed) {
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
  const int radius = family->radius ? family->radius : kernel->radius;
  const int border = family->counts_border ? 0 : 2 * radius;
  bool made = grid_make(grid, o->nx + border, o->ny + border, o->nz + border, radius,
                        family->element_bytes, error, sizeof error);
  if (made && kernel->layout && !o->packed) {
    size_t ld = grid->ld, offset = grid->offset;
    kernel->layout(grid->nx, radius, &ld, &offset);
    made = grid_lay_out(grid, ld, offset, error, sizeof error);
  }
  if (made && family->fits)
    made = family->fits(grid, error, sizeof error);
  if (!made)
    fprintf(stderr, "%s\n", error);
  return made;
}

// Reads the command line, for which the family has defaults. False where the program ends here,
// with that status.
static bool read_options(Options *o, const Family *family, const Lab *lab, int argc, char **argv,
                         Status *status) {
  char error[512];
  *o = (Options){.nx = family->nx, .ny = family->ny, .nz = family->nz, .seed = 1};
  const OptionsOutcome outcome = options_parse(o, argc, argv, error, sizeof error);
  if (outcome == OPTIONS_HELP) {
    printf("%s: runs, verifies and times the kernel in %s\n", argv[0], lab->file);
    options_print_help(stdout);
    printf("The default grid is %d x %d x %d points; %s.\n", family->nx, family->ny, family->nz,
           family->counts_border ? "the boundary counts" : "a halo comes on top");
  }
  if (outcome == OPTIONS_BAD)
    fprintf(stderr, "%s\n", error);
  *status = outcome == OPTIONS_BAD ? MALFORMED_OPTIONS : VERIFIED;
  return outcome == OPTIONS_RUN;
}

// One launch for each of the family's inputs, each verified. Figures are of the last.
static void launch_and_verify(Launch *launch, Result *r) {
  for (int check = 0; check < CHECKS; check++) {
    launch->check = check;
    r->family->put_input(launch);
    device_model(check == CHECKS - 1);
    r->launch_wall_s = device_run(launch);
    r->family->verify(launch, &r->checks[check]);
  }
  r->counter_count = device_counters(&r->counters);
}

// What the compiler reported on the kernel, beside the program.
static void read_resources(Result *result, const char *program) {
  char resources[4096];
  snprintf(resources, sizeof resources, "%s.resources", program);
  result->has_compiled = resources_read(&result->compiled, resources, result->kernel);
}

// Prints the report and writes the JSON. Returns the exit status.
static Status report(const Result *result) {
  report_print(stdout, result, find_todo(result->file));
  const bool written =
      write_json(result, result->options.json) & write_json(result, getenv("LAB_RESULT_FILE"));
  if (!written)
    return DEVICE_TROUBLE;
  return report_verified(result) ? VERIFIED : NOT_RIGHT;
}

int lab_main(int argc, char **argv, const Lab *lab) {
  const Family *family = &FAMILIES[lab->family];
  Result result = {.file = lab->file, .family = family};
  Options *o = &result.options;
  Status status;
  if (!read_options(o, family, lab, argc, argv, &status))
    return status;
  const Kernel *kernel = find_kernel(lab, o->kernel);
  if (!kernel || !has_launcher(kernel) || !complete_options(o, kernel) ||
      !make_grid(&result.grid, o, kernel, family))
    return MALFORMED_OPTIONS;
  result.kernel = kernel->name;
  result.rows = kernel->rows == ANY_NY ? 1 : kernel->rows;
  result.axis = kernel->axis;
  read_resources(&result, argv[0]);
  device_describe(&result);
  if (!block_fits(kernel, o))
    return MALFORMED_OPTIONS;
  if (!o->iterations)
    o->iterations = device_usual_runs();

  Launch launch = {.enqueue = family->enqueue,
                   .family = family,
                   .kernel = kernel,
                   .grid = &result.grid,
                   .block = {o->block[0], o->block[1], o->block[2]},
                   .window = o->window,
                   .seed = o->seed};
  family->allocate(&launch);
  launch_and_verify(&launch, &result);
  result.time = device_time(&launch, o->iterations);
  device_free(launch.u);
  device_free(launch.f);
  return report(&result);
}
