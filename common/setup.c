// Options, kernel and grid of a run. See setup.h.
#include "setup.h"

#include "device.h"
#include "families.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// Threads of a block where neither kernel nor options say.
static const unsigned USUAL_BLOCK[3] = {256, 1, 1};

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

bool setup_block_fits(const Setup *setup) {
  const Kernel *kernel = setup->kernel;
  const Options *o = &setup->options;
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

bool setup_make_grid(Grid *grid, const Options *o, const Kernel *kernel, const Family *family) {
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

// Fills in what the command line leaves open about the size. Real devices get grids of which two
// planes, read and written, fill half of L2, or a cache would hide what memory does, and which take
// no minute to verify.
static void complete_size(Options *o, const Family *family) {
  const double most_bytes = 8.0 * (1 << 30);
  if (o->nx && o->ny && o->nz)
    return;
  int nx = family->nx, ny = family->ny, nz = family->nz;
  if (!device_is_emulated()) {
    nx = family->on_gpu[0], ny = family->on_gpu[1], nz = family->on_gpu[2];
    for (; 2.0 * nx * ny * family->bytes_a_point < (double)device_l2_bytes() / 2; nx *= 2, ny *= 2)
      ;
    for (; (double)nx * ny * nz * family->bytes_a_point > most_bytes; nz /= 2)
      ;
  }
  o->nx = o->nx ? o->nx : nx;
  o->ny = o->ny ? o->ny : ny;
  o->nz = o->nz ? o->nz : nz;
}

// Reads the command line, for which the family has defaults. False where the program ends here,
// with that status.
static bool read_options(Options *o, const Family *family, const Lab *lab, int argc, char **argv,
                         Status *status) {
  char error[512];
  *o = (Options){.seed = 1};
  const OptionsOutcome outcome = options_parse(o, argc, argv, error, sizeof error);
  if (outcome == OPTIONS_HELP) {
    printf("%s: runs, verifies and times the kernel in %s\n", argv[0], lab->file);
    options_print_help(stdout);
    printf("Its kernels:");
    for (const Kernel *kernel = lab->kernels; kernel->name; kernel++)
      printf(" %s", kernel->name);
    printf("\nThe default grid is %d x %d x %d points; %s. On a GPU it is larger, as its L2 is.\n",
           family->nx, family->ny, family->nz,
           family->counts_border ? "the boundary counts" : "a halo comes on top");
  }
  if (outcome == OPTIONS_BAD)
    fprintf(stderr, "%s\n", error);
  *status = outcome == OPTIONS_BAD ? MALFORMED_OPTIONS : VERIFIED;
  return outcome == OPTIONS_RUN;
}

bool setup_read(Setup *setup, const Lab *lab, int argc, char **argv, Status *status) {
  *setup = (Setup){.file = lab->file, .family = &FAMILIES[lab->family]};
  if (!read_options(&setup->options, setup->family, lab, argc, argv, status))
    return false;
  *status = MALFORMED_OPTIONS;
  complete_size(&setup->options, setup->family);
  setup->kernel = find_kernel(lab, setup->options.kernel);
  return setup->kernel && has_launcher(setup->kernel) &&
         complete_options(&setup->options, setup->kernel) &&
         setup_make_grid(&setup->grid, &setup->options, setup->kernel, setup->family);
}
