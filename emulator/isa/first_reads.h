// Which vector registers a wave may read in lanes that it has not written: only these need a value when
// it begins, and for a wave of few instructions that is most of its beginning.
//
// In: the kernel's code. Out: a list, made once for each kernel.
#ifndef EMULATOR_FIRST_READS_H
#define EMULATOR_FIRST_READS_H

#include "block_registers.h"
#include "program.h"

// For waves that begin at this instruction of the kernel with all lanes on; `given`: the first registers,
// which have their values then. NULL: any register, because the code has jumps or registers that are not
// followed, or the host has no memory. Not thread-safe.
const RegisterList *first_reads(Program *program, const Kernel *kernel, const Instruction *entry,
                                uint32_t given);

#endif
