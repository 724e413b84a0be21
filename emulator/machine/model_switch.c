// The switch of the memory model: see model_switch.h.
#include "model_switch.h"

#include "counters.h"
#include "emulator.h"

#include <stdlib.h>
#include <string.h>

static bool switched_off; // by the program

__attribute__((visibility("default"))) void emulator_use_model(bool use) {
  switched_off = !use;
  counters_ask();
}

bool model_switch_on(void) {
  const char *variable = getenv("EMULATOR_MODEL");
  if (variable && *variable)
    return strcmp(variable, "0") != 0;
  return !switched_off || getenv("EMULATOR_COUNTERS");
}
