// What kernel-facts says of a learner's kernels, read back. A line is one of
//
//   kernel SGPRS VGPRS AGPRS SCRATCH LDS WAVES BLOCK BYTES SYMBOL NAME
//          registers; bytes of scratch a lane and of LDS a workgroup; waves of a SIMD that the
//          registers leave room for; threads of the largest block that may be launched; bytes of all explicit arguments; mangled and readable name
//   argument OFFSET SIZE POINTER
//          of the kernel before: bytes, and 1 for a pointer to global memory
//
// VGPRS are rounded up to a multiple of 4 where a kernel has AGPRs, for these begin there.
#ifndef FACTS_H
#define FACTS_H

#include "resources.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct {
  size_t offset, size;
  bool is_pointer;
} ArgumentFacts;

typedef struct {
  char *symbol, *name;
  Resources compiled; // occupancy as far as registers limit it
  size_t argument_bytes, argument_count;
  ArgumentFacts *arguments;
} KernelFacts;

typedef struct {
  KernelFacts *kernels;
  size_t count;
} Facts;

// Ends the program with DEVICE_TROUBLE and a sentence when the file cannot be read.
Facts facts_read(const char *path);

const KernelFacts *facts_find(const Facts *facts, const char *symbol); // NULL: no such kernel

#endif
