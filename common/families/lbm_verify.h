// Checks what a lattice-Boltzmann step left in memory: every population of every point against the
// reference, every other element for having stayed as it was, and what must be conserved.
#ifndef LBM_VERIFY_H
#define LBM_VERIFY_H

#include "lbm.h"
#include "verify.h"

// Largest absolute error that passes. No intermediate value exceeds 2, and either evaluation rounds
// at most some 40 times, by 2^-53 of that each: 40 * 2 * 2^-53 = 9e-15.
#define LBM_TOLERANCE 1e-14

// Fills v, whose name is given, from the block of memory after the step. A point is wrong when one
// of the 26 populations that it must write is.
void lbm_verify(Verification *v, const LbmInput *input, const double *memory);

#endif
