// What a load in translated code brings to a span: rows of registers, of lanes that lie side by side or at one place.
#ifndef EMULATOR_BLOCK_ROWS_H
#define EMULATOR_BLOCK_ROWS_H

#include "block_code.h"

// Registers that follow each other, as values of a span: of 32 bits each, or of 64.
enum { MOST_VALUES = 4 };
typedef struct {
  LLVMValueRef value[MOST_VALUES];
} Rows;

// How many bits a value has of lanes that load so many bytes, 1, 2, 4, 8, 12 or 16, and how many values of so many bits they are.
unsigned rows_bits(unsigned bytes);
unsigned rows_values(unsigned bytes, unsigned bits);

// So many bytes behind a place, in the loop.
LLVMValueRef rows_part(const BlockCode *t, LLVMValueRef place, unsigned bytes);

// Loads them from where the first lane's are. has_sign: of one or two bytes.
Rows rows_at_one(const BlockCode *t, LLVMValueRef place, unsigned bytes, bool has_sign);
Rows rows_that_follow(const BlockCode *t, LLVMValueRef place, unsigned bytes, bool has_sign);
// Of lanes that lie at a distance of one value of so many bits.
Rows rows_that_slide(const BlockCode *t, LLVMValueRef place, unsigned bytes, unsigned bits);

// Loads them from an array on the stack that has a row for each value.
Rows rows_of_array(const BlockCode *t, LLVMValueRef array, unsigned bytes, unsigned bits);

// Where two ways meet: what each of them brings.
LLVMValueRef rows_either(const BlockCode *t, LLVMValueRef a, LLVMBasicBlockRef from_a,
                         LLVMValueRef b, LLVMBasicBlockRef from_b);

// A call in the loop that is seldom reached.
void rows_seldom_call(const BlockCode *t, const void *function, LLVMValueRef *argument,
                      unsigned count);

// Another part of the function.
LLVMBasicBlockRef rows_new_block(const BlockCode *t);

#endif
