// What kernels may use at most of stack, printf and heap.
//
// In: hipDeviceSetLimit. Out: the stack of each thread of a kernel whose stack the compiler could not
// bound.
#ifndef EMULATOR_LIMITS_H
#define EMULATOR_LIMITS_H

#include <stdint.h>

uint32_t limit_of_stack(void); // bytes of a thread

#endif
