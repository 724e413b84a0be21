// Loads in translated code whose lanes lie near to the first or to the last of their span: rows of a tile that is not 16
// wide, every other element, a few places.
//
// In: places of a span's lanes, each from the same base on. Out: whether they lie so (lanes_lie_near); their data, from
// WINDOW bytes that begin at the first lane, and as many that end with the last.
#ifndef EMULATOR_BLOCK_WINDOWS_H
#define EMULATOR_BLOCK_WINDOWS_H

#include "block_rows.h"

// Whether the host has the instruction that picks from two registers, and lanes of so many bytes can be picked.
bool windows_possible(unsigned bytes);

Windows windows_of(const BlockCode *t, LLVMValueRef place, unsigned bytes);

// The data, where the windows begin at these addresses.
Rows windows_rows(const BlockCode *t, const Windows *windows, LLVMValueRef first,
                  LLVMValueRef second);

#endif
