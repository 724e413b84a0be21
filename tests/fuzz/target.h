// What the fuzzer feeds: bytes that somebody else wrote, in the places where the emulated device reads such bytes.
//
// In: one input; its first byte says what the rest is. Out: nothing but a crash, a report of a
// sanitizer, a leak, or an input that does not end.
//
//   o   a bundle, a compressed bundle or an ELF file: loaded, and each kernel launched
//   i   an .ini file of a device
//   m   a byte that chooses the registers, then machine code: interpreted
//   t   the same, translated
#ifndef TESTS_FUZZ_TARGET_H
#define TESTS_FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size); // libFuzzer's name; returns 0

#endif
