// One step of a script that the kernel in played.hip plays: what one wave of a block touches.
//
// In: nothing. Out: shared by the kernel and by test_sanitizer_scripts.c, which writes the scripts.
#ifndef TESTS_PLAYED_H
#define TESTS_PLAYED_H

enum { PLAYED_BLOCK = 256, PLAYED_WAVE = 64, PLAYED_ROW = 16 };

typedef enum {
  STEP_BARRIER,
  STEP_READ,  // of LDS
  STEP_WRITE, // of LDS
  STEP_ADD,   // atomically, to LDS
  STEP_USE,   // of LDS: what is read is stored, plus one, to the thread's own place in memory
  STEP_STORE, // to memory
  STEP_KINDS
} StepKind;

// A lane touches `dwords` (1, 2 or 4, of stores to memory 3, too) from base + step * (its place in its row of 16 lanes) + row * (that row).
// All of these count in dwords.
typedef struct {
  int kind, wave, first, last; // lanes
  int base, step, row, dwords;
  int value, by_lane; // that is stored, and how much more each lane stores than the one before it
} Step;

#endif
