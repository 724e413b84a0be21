// The lattice-Boltzmann model on the device: its one block of memory, the two inputs, the launch and
// its verification, for family.h.
//
// In:  a launch, whose grid has the points without the halo. Out: input in launch->u; after the
// launch, what verification found there.
#ifndef LBM_DEVICE_H
#define LBM_DEVICE_H

#include "family.h"

void lbm_allocate(Launch *launch);
void lbm_put_input(const Launch *launch);
void lbm_renew(const Launch *launch); // f is updated in place
void lbm_enqueue(const Launch *launch);
void lbm_check(const Launch *launch, Verification *v);

#endif
