// What a lab's .hip file includes. The file defines kernels, a launcher for each, and
//
//   const Lab lab = {...};
//
// The harness does the rest: main is common/main.c's, and a grade asks the launchers only for what
// they would launch (grading/launches/).
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

// The learner's. The compiler would put a constant that others may see on the device, too, where
// there are no launchers: there it stays the file's own, and unused.
#ifdef __HIP_DEVICE_COMPILE__
#pragma clang diagnostic ignored "-Wunused-const-variable"
#else
extern const Lab lab;
#endif

#ifdef __cplusplus
}
#endif

#endif
