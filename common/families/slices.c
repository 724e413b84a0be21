// Input and verification, slice by slice. See slices.h.
#include "slices.h"

#include "device.h"

#include <stdio.h>
#include <stdlib.h>

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

void slices_allocate(Launch *launch) {
  launch->u = device_array(launch->grid);
  launch->f = device_array(launch->grid);
}

void *slices_first_point(const Grid *grid, void *array) {
  return (char *)array + grid->offset * grid->element_bytes;
}

// A known answer hides mistakes that cancel in it; random input hides none.
static bool is_random(const Launch *launch) { return launch->check == 1; }

static SliceMaker *input_of(const Launch *launch) {
  const SliceFunctions *family = &launch->family->slices;
  return is_random(launch) ? family->random : family->known;
}

void slices_renew(const Launch *launch) { device_poison(launch->f, launch->grid); }

void slices_put_input(const Launch *launch) {
  const Grid *grid = launch->grid;
  double *slice = host_slice(grid);
  for (int k = 0; k < grid->nz; k++) {
    input_of(launch)(grid, launch->seed, k, slice);
    device_put_slice(launch->u, grid, k, slice);
  }
  free(slice);
  slices_renew(launch);
}

static bool is_interior(const Grid *grid, int k) {
  return k >= grid->radius && k < grid->nz - grid->radius;
}

// Compares f with the host reference for random input, keeping 2R + 1 slices of that on the host.
static void verify_against_reference(Verification *v, const Launch *launch) {
  const SliceFunctions *family = &launch->family->slices;
  const Grid *grid = launch->grid;
  double *got = host_slice(grid), *expected = host_slice(grid);
  SlidingWindow window;
  if (!sliding_prime(&window, grid, family->random, launch->seed))
    no_host_memory(grid);
  for (int k = 0; k < grid->nz; k++) {
    if (is_interior(grid, k)) {
      sliding_load(&window);
      family->reference(grid, launch->kernel->axis, (const double *const *)window.slice, expected);
      sliding_shift(&window);
    }
    device_get_slice(launch->f, grid, k, got);
    verify_slice(v, grid, k, got, is_interior(grid, k) ? expected : NULL);
  }
  sliding_free(&window);
  free(got), free(expected);
}

// Compares f with the known answer.
static void verify_against_answer(Verification *v, const Launch *launch) {
  const Grid *grid = launch->grid;
  double *got = host_slice(grid), *expected = host_slice(grid);
  for (int k = 0; k < grid->nz; k++) {
    if (is_interior(grid, k))
      launch->family->slices.answer(grid, launch->kernel->axis, k, expected);
    device_get_slice(launch->f, grid, k, got);
    verify_slice(v, grid, k, got, is_interior(grid, k) ? expected : NULL);
  }
  free(got), free(expected);
}

// Compares u with the input that was put there: a kernel may read it, no more.
static void verify_input(Verification *v, const Launch *launch) {
  const Grid *grid = launch->grid;
  double *got = host_slice(grid), *put = host_slice(grid);
  for (int k = 0; k < grid->nz; k++) {
    input_of(launch)(grid, launch->seed, k, put);
    device_get_slice(launch->u, grid, k, got);
    verify_input_slice(v, grid, k, got, put);
  }
  free(got), free(put);
}

void slices_verify(const Launch *launch, Verification *v) {
  const Grid *g = launch->grid;
  Pattern pattern = pattern_make((int[]){g->radius, g->radius, g->radius},
                                 (int[]){g->nx - g->radius, g->ny - g->radius, g->nz - g->radius});
  *v = launch->family->slices.tolerance(g, launch->kernel->axis, launch->check);
  v->pattern = &pattern;
  if (is_random(launch))
    verify_against_reference(v, launch);
  else
    verify_against_answer(v, launch);
  v->pattern = NULL;
  pattern_phrase(&pattern, v->where, sizeof v->where);
  pattern_free(&pattern);
  verify_input(v, launch);
}
