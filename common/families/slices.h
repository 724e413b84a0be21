// Input and verification of kernels that read an array u and write an array f, slice by slice
// (plane of constant k), so that a 512^3 grid keeps megabytes on the host, not gigabytes.
//
// In:  the SliceFunctions of the launch's family. Out: u on the device, f full of poison; after the
// launch, what verification found: f right,
// everything else as it was.
#ifndef SLICES_H
#define SLICES_H

#include "family.h"

void slices_allocate(Launch *launch);
void slices_put_input(const Launch *launch);
void slices_renew(const Launch *launch);
void slices_verify(const Launch *launch, Verification *v);

// Device pointer to point (0, 0, 0) of one of the launch's arrays.
void *slices_first_point(const Grid *grid, void *array);

#endif
