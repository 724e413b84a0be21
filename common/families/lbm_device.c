// The lattice-Boltzmann model on the device. See lbm_device.h.
#include "lbm_device.h"

#include "device.h"
#include "lbm_fields.h"
#include "lbm_verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

static LbmLayout layout_of(const Grid *grid) {
  char error[512];
  LbmLayout layout; // lab.c has asked lbm_fits
  lbm_layout_make(&layout, grid->nx, grid->ny, grid->nz, error, sizeof error);
  return layout;
}

// The two inputs: without a force, where momentum must be conserved too, and with one. The second
// swaps the time levels, so that mistaking one for the other shows.
static LbmInput input_of(const Launch *launch, const LbmLayout *layout) {
  const bool force = launch->check == 1;
  return (LbmInput){.layout = layout, .seed = launch->seed, .current = !force, .force = force};
}

// One piece for all that goes to the device and comes back, kept until the program ends: half a gigabyte of fresh pages takes
// seconds in virtual machines, and in huge pages, if Linux gives them, a little less.
static double *host_memory(const LbmLayout *layout) {
  static double *host;
  static size_t held;
  const size_t bytes = lbm_elements(layout) * sizeof(double), page = 2 << 20,
               whole = (bytes + page - 1) / page * page;
  if (bytes <= held)
    return host;
  free(host);
  host = bytes < page ? malloc(bytes) : aligned_alloc(page, whole);
  if (!host) {
    fprintf(stderr, "no host memory for %.3f GB; a smaller grid needs less\n", (double)bytes / 1e9);
    exit(DEVICE_TROUBLE);
  }
  held = bytes;
  if (bytes >= page)
    madvise(host, whole, MADV_HUGEPAGE);
  return host;
}

void lbm_allocate(Launch *launch) {
  const LbmLayout layout = layout_of(launch->grid);
  launch->u = device_memory(lbm_elements(&layout) * sizeof(double));
  launch->kept =
      device_is_emulated() ? NULL : device_memory(lbm_elements(&layout) * sizeof(double));
}

void lbm_put_input(const Launch *launch) {
  const LbmLayout layout = layout_of(launch->grid);
  const LbmInput input = input_of(launch, &layout);
  double *host = host_memory(&layout);
  lbm_input_fill(&input, host);
  device_put(launch->u, host, lbm_elements(&layout) * sizeof *host);
  if (launch->kept)
    device_copy(launch->kept, launch->u, lbm_elements(&layout) * sizeof *host);
}

void lbm_renew(const Launch *launch) {
  const LbmLayout layout = layout_of(launch->grid);
  if (launch->kept)
    device_copy(launch->u, launch->kept, lbm_elements(&layout) * sizeof(double));
  else
    lbm_put_input(launch);
}

static LbmConstants constants(void) {
  const double source = 3 * (1 - 1 / (2 * LBM_TAU_G));
  return (LbmConstants){.kappa = LBM_KAPPA,
                        .alpha = LBM_ALPHA,
                        .phi_star_squared = LBM_PHI_STAR * LBM_PHI_STAR,
                        .mobility = LBM_MOBILITY,
                        .rate_f = 1 / LBM_TAU_F,
                        .keep_f = 1 - 1 / LBM_TAU_F,
                        .advection = LBM_ADVECTION / 3,
                        .keep_g = 1 - 1 / LBM_TAU_G,
                        .w_rest = 1 / (3 * LBM_TAU_G),
                        .w_axis = 1 / (18 * LBM_TAU_G),
                        .w_diagonal = 1 / (36 * LBM_TAU_G),
                        .s_rest = source / 3,
                        .s_axis = source / 18,
                        .s_diagonal = source / 36};
}

void lbm_enqueue(const Launch *launch) {
  const LbmLayout l = layout_of(launch->grid);
  const int current = input_of(launch, &l).current;
  LbmFields fields = {.nx = l.nx,
                      .ny = l.ny,
                      .nz = l.nz,
                      .row = l.row,
                      .slice = l.slice,
                      .current = current ? l.level : 0,
                      .next = current ? 0 : l.level};
  for (int array = 0; array < LBM_ARRAYS; array++)
    fields.array[array] = (double *)launch->u + lbm_element(&l, array, 0, l.first);
  const LbmConstants model = constants();
  launch->kernel->launch.lbm(&fields, &model, launch->block);
}

void lbm_check(const Launch *launch, Verification *v) {
  const LbmLayout layout = layout_of(launch->grid);
  const LbmInput input = input_of(launch, &layout);
  double *host = host_memory(&layout);
  device_get(host, launch->u, lbm_elements(&layout) * sizeof *host);
  *v = (Verification){.name = input.force ? "random input" : "random input without a force"};
  lbm_verify(v, &input, host);
}
