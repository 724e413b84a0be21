// A fault: the reason why a kernel cannot go on, as a sentence and as the kind that decides the HIP
// error code.
//
// In: whoever finds the reason (interpreter, memory, decoder) fills one Fault. Out: the runtime
// prints `text` once on stderr and returns fault_error(kind) from this and every later call, as a
// real device does.
#ifndef EMULATOR_FAULT_H
#define EMULATOR_FAULT_H

#include <stdarg.h>

typedef enum {
  FAULT_NONE,
  FAULT_ADDRESS,     // global access outside every live allocation, null, freed, misaligned atomic
  FAULT_LDS,         // LDS address beyond the workgroup's allocation
  FAULT_SCRATCH,     // private address beyond the wavefront's allocation
  FAULT_INSTRUCTION, // no instruction at all, or none that can be executed with these operands
  FAULT_GAP,         // the device has it, the emulator has not: not the program's fault
  FAULT_BUDGET,      // more instructions than the budget: an endless loop
  FAULT_BARRIER,     // workgroups wait for others that cannot arrive any more
  FAULT_HOST,        // the host lacks what running the kernel takes: memory, LLVM's disassembler
  FAULT_TRAP,        // s_trap: abort(), assert(), __builtin_trap()
  FAULT_SANITIZER,   // the device would go on, with what nobody can rely on: EMULATOR_SANITIZE=1
} FaultKind;

typedef struct {
  FaultKind kind;
  char text[1536]; // one or more complete sentences, newline-terminated lines
} Fault;

// Appends a formatted sentence part to fault->text (truncates silently only at the array's end).
void fault_append(Fault *fault, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
