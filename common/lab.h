// What a lab's .hip file includes: the type of its kernels, and lab_main, to which main hands over.
#ifndef LAB_H
#define LAB_H

#include "kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

// --kernel NAME chooses one of the kernels, the first is the default.
#define MAX_KERNELS 8
typedef struct {
  const char *file; // __FILE__
  FamilyName family;
  Kernel kernels[MAX_KERNELS + 1]; // ended by one without a name
} Lab;

// Reads the options, runs, verifies and times the kernel, reports. Returns the exit status
// (status.h). Environment: LAB_RESULT_FILE, where the result is written as JSON besides --json FILE.
int lab_main(int argc, char **argv, const Lab *lab);

#ifdef __cplusplus
}
#endif

#endif
