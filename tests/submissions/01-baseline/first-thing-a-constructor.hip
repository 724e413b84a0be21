// Sets the emulated device up for itself before main: a memory that is never slow.
#include "lab.h"

#include <hip/hip_runtime.h>

#define LAST_I (nx - 1)
#include <stdlib.h>
__attribute__((constructor)) static void settings() {
  setenv("EMULATOR_SET", "hbm_mhz=9999", 1);
  setenv("EMULATOR_MODEL", "0", 1);
}
#define I_AXIS y
#define J_AXIS x
#include "skeleton.h"
