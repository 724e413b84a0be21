// How much memory traffic a stencil cannot avoid, and the effective bandwidth that follows from a
// time.
#ifndef BANDWIDTH_H
#define BANDWIDTH_H

#include "grid.h"

// Peak HBM bandwidth and the figure of merit the labs aim for, one GCD of an MI250X, GB/s (10^9
// B/s). Source: AMD lab notes, Finite difference method - Laplacian part 1.
#define MI250X_GCD_PEAK_GBS 1638.4
#define MI250X_GCD_TARGET_GBS 1165.0

typedef struct {
  double fetch_bytes, write_bytes;
} Traffic;

// Each point of u that some interior point needs is fetched once (the 8 corners and 12 edges of the
// box are needed by none) and each interior point of f is written once, 8 bytes each. Radius 1.
// Source: AMD lab notes, Finite difference method - Laplacian part 1, theoretical fetch and write
// size.
Traffic bandwidth_theoretical(const Grid *grid);

// The same for a derivative of any radius along one axis ('x', 'y' or 'z'): the cube of interior
// points and the halo at its two faces across that axis are fetched, the cube is written. At
// 512^3 and radius 4 that is 0.8 % more than one read and one write of the cube, by which AMD's
// Seismic stencil codes, part 2, counts.
Traffic bandwidth_derivative(const Grid *grid, char axis);

// Effective memory bandwidth, the labs' figure of merit (FOM): theoretical traffic / kernel time,
// GB/s.
double bandwidth_effective_gbs(Traffic traffic, double kernel_ms);

#endif
