// Theoretical traffic and effective bandwidth of the stencils. See bandwidth.h.
#include "bandwidth.h"

Traffic bandwidth_theoretical(const Grid *g) {
  const double nx = g->nx, ny = g->ny, nz = g->nz;
  const double unused = 8 + 4 * (nx - 2) + 4 * (ny - 2) + 4 * (nz - 2);
  return (Traffic){
      .fetch_bytes = (nx * ny * nz - unused) * sizeof(double),
      .write_bytes = (nx - 2) * (ny - 2) * (nz - 2) * sizeof(double),
  };
}

Traffic bandwidth_derivative(const Grid *g, char axis) {
  const double halo = 2 * g->radius;
  const double bytes = (double)grid_interior_points(g) * (double)g->element_bytes;
  const double length = (axis == 'x' ? g->nx : axis == 'y' ? g->ny : g->nz) - halo;
  return (Traffic){.fetch_bytes = bytes * (length + halo) / length, .write_bytes = bytes};
}

double bandwidth_effective_gbs(Traffic traffic, double kernel_ms) {
  return (traffic.fetch_bytes + traffic.write_bytes) / (kernel_ms * 1e6);
}
