// Slices between host and device when the device computes in single precision: the host keeps
// doubles either way.
//
// In: elements of one precision. Out: the same in the other; poison (verify.h) stays poison.
#ifndef SINGLE_PRECISION_H
#define SINGLE_PRECISION_H

#include <stddef.h>

void single_from_double(float *to, const double *from, size_t count);
void single_to_double(double *to, const float *from, size_t count);

// Rounds doubles to what a float holds, so that host and device start from the same input.
void single_round(double *slice, size_t count);

#endif
