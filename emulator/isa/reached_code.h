// What code a kernel may reach: its own, and that of functions whose address stands in what it reaches. Without optimisation
// most of a kernel are such calls, threadIdx.x among them.
//
// In: a kernel of a loaded code object. Out: whether an instruction of some kind is among what it may execute.
#ifndef EMULATOR_REACHED_CODE_H
#define EMULATOR_REACHED_CODE_H

#include "program.h"

typedef bool Wanted(Program *program, const Instruction *in);

typedef enum {
  REACHES_NONE,
  REACHES_ONE,
  REACHES_UNKNOWN // none that is known, but a pointer to a function is called, or there is too much code to look at
} Reaches;

// Goes through the code anew at each call. without_host: leaves out functions that send messages to the host, as printf, assert and
// malloc do: they wait for it, and for no workgroup.
Reaches reached_code_has(Program *program, const Kernel *kernel, Wanted *wanted, bool without_host);

#endif
