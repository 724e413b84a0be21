// Decoder: code bytes to Instruction, once per address, through LLVM's disassembler.
//
// In: a loaded code object. Out: one Instruction slot per 4 bytes of code; a slot is decoded when
// execution first reaches it, so an instruction that the emulator lacks is an error only if it
// runs.
#ifndef EMULATOR_DECODER_H
#define EMULATOR_DECODER_H

#include "code_object.h"
#include "instruction.h"

// Prepares slots for the object's code (object->program). False if LLVM has no AMDGPU target.
bool decoder_attach(CodeObject *object);
void decoder_detach(CodeObject *object);

// Decodes size bytes at code into *in. On failure returns false and writes why to message: the
// mnemonic that the table lacks, or the bytes that are no gfx90a instruction.
bool decoder_decode(const uint8_t *code, size_t size, Instruction *in, char *message,
                    size_t message_size);

// Text of the instruction at code ("v_add_f64 v[0:1], ..."), or "" if it is none.
void decoder_disassemble(const uint8_t *code, size_t size, char *text, size_t text_size);

uint32_t program_instruction_count(const Program *program); // decoded so far: ids are below it
const Instruction *program_instruction(const Program *program, uint32_t id);
// True once per instruction: for messages that need not be repeated. Safe from any thread.
bool program_first_notice(Program *program, uint32_t id);
size_t program_slots(const Program *program); // upper bound of ids

// True if the kernel's own code holds an instruction of this action on global or flat memory, or
// calls other code.
bool program_needs_order(Program *program, const Kernel *kernel);

#endif
