// The text of LLVM's disassembly, piece by piece: operands and the modifiers behind them.
//
// In: "v0, v[1:2], -|v3| offset:4 glc". Out: slots and fields of an Instruction.
#ifndef EMULATOR_ASSEMBLY_TEXT_H
#define EMULATOR_ASSEMBLY_TEXT_H

#include "instruction.h"

enum { MAX_OPERANDS = 12 };

// Cuts the text behind a mnemonic, in place, into operands (separated by commas outside brackets)
// and the modifiers behind the last, separated by blanks. Returns the number of operands.
int assembly_text_split(char *text, char *operand[MAX_OPERANDS], char **modifiers);

// -|v1|, -v1, |v1|, sext(v1), v1, s[0:1], 1.0, 0x80, vcc, off. Constants become bits of the type.
// False if the text is none of these.
bool assembly_text_operand(char *text, Type type, Operand *operand);

// glc, offset:8, op_sel:[0,1]. False for a modifier that means something the emulator would
// otherwise silently ignore.
bool assembly_text_modifier(char *text, Instruction *in);

#endif
