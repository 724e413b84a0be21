// The decoded instructions of one code object: a slot for every 4 bytes of code.
//
// In: a loaded code object. Out: its instructions by address and by number. A slot is decoded when
// execution first reaches it, so an instruction that the emulator lacks is an error only if it
// runs.
//
// Kernels may call code of other objects, by an address from memory. The program then gets slots for that, too: what
// they execute has numbers of this program, so it is counted, translated and told as all that they do.
#ifndef EMULATOR_PROGRAM_H
#define EMULATOR_PROGRAM_H

#include "code_object.h"
#include "instruction.h"

// Prepares slots for the object's code (object->program). False if LLVM has no AMDGPU target or the
// host no memory.
bool program_open(CodeObject *object);
void program_close(CodeObject *object);

// Decodes the slot unless that was done. False, with the reason in message, if that is impossible.
// Safe from any thread.
bool program_decode(Program *program, const Instruction *in, char *message, size_t message_size);

// Around fork(), in both processes: nobody decodes.
void program_before_fork(void);
void program_after_fork(void);

// Code address of an instruction of this program, and back; NULL outside the object's own code.
uint64_t program_address(const Program *program, const Instruction *in);
const Instruction *program_at(const Program *program, uint64_t address);

// The same in the code of any other object that is loaded; NULL, too, where the host has no memory for it. Safe from
// any thread.
const Instruction *program_elsewhere(Program *program, uint64_t address);

// Whose code the instruction is.
CodeObject *program_object(const Program *program, const Instruction *in);

// The slot of an instruction, for whoever fills in its block.
Instruction *program_slot(Program *program, const Instruction *in);

uint32_t program_instruction_count(const Program *program); // decoded so far: ids are below it
const Instruction *program_instruction(const Program *program, uint32_t id);
size_t program_slots(const Program *program); // upper bound of ids

// A place for what is found out about a kernel once; it comes from malloc, and goes with the program. NULL
// if the kernel is none of the object's.
typedef enum {
  NOTE_FIRST_READS,
  NOTE_ACCESSES,
  NOTE_ORDER,
  NOTE_ATOMICS,
  NOTE_POLLS,
  NOTE_WAVE_ORDER,
  NOTE_VOLATILE,
  NOTE_COMPILER_DEFECT,
  PROGRAM_NOTES
} ProgramNote;
void **program_note(Program *program, const Kernel *kernel, ProgramNote which);

// True once per instruction: for messages that need not be repeated. Safe from any thread.
bool program_first_notice(Program *program, uint32_t id);
bool program_noticed(const Program *program, uint32_t id); // whether it was asked before

// True once: for the message about reads that bring 0 by design, which a library's kernels hold many of.
bool program_first_zeros(Program *program);

// True if the kernel's own code calls other code.
bool program_calls(Program *program, const Kernel *kernel);

#endif
