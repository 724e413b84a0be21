// Whether launches go through the memory model: emulator_use_model() and the environment.
//
// In: the program's wish, EMULATOR_MODEL, EMULATOR_COUNTERS. Out: the answer for launches made now.
#ifndef EMULATOR_MODEL_SWITCH_H
#define EMULATOR_MODEL_SWITCH_H

#include <stdbool.h>

bool model_switch_on(void);

#endif
