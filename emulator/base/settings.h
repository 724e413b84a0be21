// What the user sets through the environment besides the device itself.
//
// In: whole numbers in environment variables, read once per process. Out: one struct, or a sentence
// about the first variable that cannot be what it says.
#ifndef EMULATOR_SETTINGS_H
#define EMULATOR_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

enum { SANITIZE_ALL = 1, SANITIZE_ADDRESSES = 2 }; // of EMULATOR_SANITIZE; 2 costs nothing
enum { SETTINGS_MOST_DEVICES = 8 };
enum { SKIP_ABORT_BY_RELEASE = 2 }; // as the release of ROCm does that the program was built for

//  X(field, variable, least, most, default)
#define SETTINGS(X)                                                                                \
  X(threads, "EMULATOR_THREADS", 1, 1024, 0)                                                       \
  X(budget, "EMULATOR_INSTRUCTION_BUDGET", 1, INT64_MAX, INT64_MAX)                                \
  X(translate, "EMULATOR_TRANSLATE", 0, UINT32_MAX, 100000)                                        \
  X(model, "EMULATOR_MODEL", 0, 1, 1) /* model_switch asks again: a program may change it */       \
  X(reuse, "EMULATOR_REUSE", 0, 1, 1)                                                              \
  X(timeout, "EMULATOR_TIMEOUT", 0, 1000000, 100)                                                  \
  X(progress, "EMULATOR_PROGRESS", 0, 1000000, 20)                                                 \
  X(sanitize, "EMULATOR_SANITIZE", 0, 2, 0)                                                        \
  X(xnack, "HSA_XNACK", 0, 1, 0)                                                                   \
  X(skip_abort, "HIP_SKIP_ABORT_ON_GPU_ERROR", 0, 1, SKIP_ABORT_BY_RELEASE)                        \
  X(hidden_mib, "HIP_HIDDEN_FREE_MEM", 0, UINT32_MAX, 0)                                           \
  X(devices, "EMULATOR_DEVICES", 1, SETTINGS_MOST_DEVICES, 1)                                      \
  X(rocm, "EMULATOR_ROCM", 5, 7, 0) /* program_abi asks for it earlier */

typedef struct {
#define X(FIELD, VARIABLE, LEAST, MOST, DEFAULT) uint64_t FIELD;
  SETTINGS(X)
#undef X
} Settings;

const Settings *settings(void);

// A sentence, NULL if all is well.
const char *settings_refused(void);

#endif
