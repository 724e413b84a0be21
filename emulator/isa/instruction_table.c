// The instruction table: see instruction_table.h. Its rows are sorted by mnemonic when first asked
// for.
#include "instruction_table.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static const InstructionInfo **sorted;
static size_t total;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static int by_mnemonic(const void *a, const void *b) {
  return strcmp((*(const InstructionInfo *const *)a)->mnemonic,
                (*(const InstructionInfo *const *)b)->mnemonic);
}

static void sort_rows(void) {
#define X(PART) total += PART##_instruction_count;
  INSTRUCTION_TABLES(X)
#undef X
  sorted = malloc(total * sizeof *sorted);
  if (!sorted)
    abort(); // a few KiB at start: nothing could work without them
  size_t n = 0;
#define X(PART)                                                                                    \
  for (size_t i = 0; i < PART##_instruction_count; i++)                                            \
    sorted[n++] = &PART##_instructions[i];
  INSTRUCTION_TABLES(X)
#undef X
  qsort(sorted, total, sizeof *sorted, by_mnemonic);
}

const InstructionInfo *instruction_find(const char *mnemonic) {
  pthread_once(&once, sort_rows);
  InstructionInfo key = {.mnemonic = mnemonic};
  const InstructionInfo *wanted = &key,
                        **found = bsearch(&wanted, sorted, total, sizeof *sorted, by_mnemonic);
  return found ? *found : NULL;
}

size_t instruction_count(void) {
  pthread_once(&once, sort_rows);
  return total;
}

const InstructionInfo *instruction_at(size_t i) {
  pthread_once(&once, sort_rows);
  return i < total ? sorted[i] : NULL;
}
