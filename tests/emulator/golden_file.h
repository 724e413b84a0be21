// Golden case files, as golden/casefile.py describes them, together with the bytes that llvm-mc
// made of their instructions.
//
// In: golden/NAME.txt and NAME.encoding (llvm-mc -show-encoding). Out: an array of cases in memory;
// a file that cannot be read or does not fit ends the test with a sentence.
#ifndef TESTS_EMULATOR_GOLDEN_FILE_H
#define TESTS_EMULATOR_GOLDEN_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// One file a kind of instruction.
#define GOLDEN_FILES(X)                                                                            \
  X(scalar)                                                                                        \
  X(vector)                                                                                        \
  X(compare)                                                                                       \
  X(memory)                                                                                        \
  X(formats)                                                                                       \
  X(image)                                                                                         \
  X(packed)                                                                                        \
  X(rounding)                                                                                      \
  X(matrix)                                                                                        \
  X(lds)                                                                                           \
  X(gfx942)                                                                                        \
  X(gfx908)

enum { INSTRUCTION_BYTES = 8 }; // the longest encoding

typedef struct {
  char *key, *value; // "v[4:5]", "1,2,3"
} GoldenItem;

typedef struct {
  int line;
  char *instruction;
  GoldenItem *before, *after;
  size_t before_count, after_count;
  uint8_t code[INSTRUCTION_BYTES];
  size_t code_size; // bytes, 4 or 8
} GoldenCase;

typedef struct {
  char *path, *text; // the strings of cases and lists point into text
  GoldenCase *cases;
  size_t count;
  GoldenItem *lists; // @name = values
  size_t list_count;
} GoldenFile;

// A process that reads a file of another device first plays that device.
GoldenFile golden_read(const char *name);
// What LLVM 15 calls the architecture of a file's instructions.
const char *golden_cpu(const char *name);
bool golden_of_another_device(const char *name);
void golden_free(GoldenFile *file);

// The values of a list reference ("@name"), or the text itself.
const char *golden_list(const GoldenFile *file, const char *value);

// Reads the encodings of an llvm-mc -show-encoding listing: code and code_size of each instruction,
// in order. Returns how many there are; at most limit are stored.
size_t golden_read_encodings(const char *path, uint8_t (*code)[INSTRUCTION_BYTES], size_t *size,
                             size_t limit);

#endif
