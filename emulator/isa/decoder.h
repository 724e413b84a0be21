// Decoder: code bytes to Instruction, through LLVM's disassembler.
//
// In: the bytes at one code address. Out: the Instruction that the wavefront loop executes, or the
// reason why there is none. program.h keeps the instructions of a code object.
#ifndef EMULATOR_DECODER_H
#define EMULATOR_DECODER_H

#include "instruction.h"

// Starts LLVM's disassembler unless it runs. False if LLVM has no AMDGPU target.
bool decoder_start(void);

// Decodes size bytes at code into *in. On failure returns false and writes why to message: the
// mnemonic that the table lacks, or the bytes that are no instruction of the device.
bool decoder_decode(const uint8_t *code, size_t size, Instruction *in, char *message,
                    size_t message_size);

// Text of the instruction at code ("v_add_f64 v[0:1], ..."), or "" if it is none.
void decoder_disassemble(const uint8_t *code, size_t size, char *text, size_t text_size);

#endif
