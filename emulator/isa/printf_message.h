// printf() of kernels: one collected message to text.
//
// In: what the device library sends for one printf of one lane. Out: the text on stdout or stderr.
#ifndef EMULATOR_PRINTF_MESSAGE_H
#define EMULATOR_PRINTF_MESSAGE_H

#include <stddef.h>
#include <stdint.h>

// words: stream (0 stdout, 1 stderr), the format string padded to 8 bytes, then the arguments: one
// word for a number or pointer, a string padded to 8 bytes. A zero word must follow the last of the
// `count` words. Returns the number of characters written, or -1. Conversions are C's but for %n,
// which is skipped. An unknown conversion, or one without an argument, is printed as it stands.
// Source of the layout: ROCm-Device-Libs ockl services.cl; ROCclr devhcprintf.cpp.
int64_t printf_message(const uint64_t *words, size_t count);

#endif
