// How the matrix units of gfx942 and gfx908 add up products of short floating-point numbers: several
// at once, and rounded to f32 behind; on gfx942 cut off where the largest of them leaves no room.
//
// In: a row of A, a block of B and a row of C and D, dense. Out: the row of D. Facts: MMA-Sim (arXiv
// 2511.10909), which found them bitwise equal to the device.
#ifndef EMULATOR_FUSED_SUM_H
#define EMULATOR_FUSED_SUM_H

#include <stdbool.h>

typedef struct {
  int length;           // products that are added up at once
  int least_a, least_b; // exponents of the smallest normal numbers
  bool apart;           // even ones and odd ones first have sums of their own
} FusedSum;

extern const FusedSum fused_sum_xf32, fused_sum_f16, fused_sum_bf16;
extern const FusedSum fused_sum_fp8_fp8, fused_sum_fp8_bf8, fused_sum_bf8_fp8, fused_sum_bf8_bf8;

enum { FUSED_SUM_COLUMNS = 32 }; // at most

// d[j] += the sum over k of a[k] * b[k][j].
void fused_sum_row(const FusedSum *kind, int depth, int columns, const float *a, const float *b,
                   float *d);

// The same as on gfx908: `length` products at once, nothing cut off.
void exact_sum_row(int length, int depth, int columns, const float *a, const float *b, float *d);

#endif
