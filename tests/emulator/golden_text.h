// Checks that a decoded instruction says what its assembly text says.
#ifndef TESTS_EMULATOR_GOLDEN_TEXT_H
#define TESTS_EMULATOR_GOLDEN_TEXT_H

#include "instruction.h"

#include <stdbool.h>
#include <stddef.h>

// Compares mnemonic and operands (kind, first register, count). On a difference returns false and
// writes it to message.
bool golden_text_agrees(const char *text, const Instruction *in, char *message, size_t size);

// Whether the text's instruction is the one of this row.
bool golden_text_names(const char *text, const char *mnemonic);

#endif
