// Which devices there are: see devices.h.
#include "devices.h"

#include "runtime.h"
#include "settings.h"

#include <stdlib.h>

enum { NOT_CHOSEN = -1 };
static _Thread_local int chosen = NOT_CHOSEN;
static int first; // of a thread that has chosen none
static unsigned flags_of[SETTINGS_MOST_DEVICES];

// How many of `there` devices the list in this environment variable leaves. As in ROCm it ends at the
// first number that is no device.
static int listed(const char *variable, int there) {
  const char *list = getenv(variable);
  if (!list)
    return there;
  int count = 0;
  for (char *end; count < there; list = end + 1) {
    const long device = strtol(list, &end, 10);
    if (end == list || device < 0 || device >= there)
      return count;
    count++;
    if (*end != ',')
      return count;
  }
  return count;
}

// In ROCm CUDA's variable counts where HIP's is not set. Here the list is mostly of the NVIDIA GPUs that the computer has, and
// must not hide the one device that is emulated; it can only choose among several.
static const char *choosing_variable(void) {
  return getenv("HIP_VISIBLE_DEVICES") || settings()->devices == 1 ? "HIP_VISIBLE_DEVICES"
                                                                   : "CUDA_VISIBLE_DEVICES";
}

static int visible(void) {
  const char *variable = "ROCR_VISIBLE_DEVICES";
  int count = listed(variable, (int)settings()->devices);
  if (count) {
    variable = choosing_variable();
    count = listed(variable, count);
  }
  if (!count)
    runtime_say(
        "note: %s=%s leaves no device: the emulated ones have the numbers from 0 to %d. Take it "
        "out of the environment, or name one of them.",
        variable, getenv(variable), (int)settings()->devices - 1);
  return count;
}

int device_count(void) {
  static int count = -1;
  if (count < 0)
    count = visible();
  return count;
}

bool device_known(int device) { return device >= 0 && device < device_count(); }
int device_current(void) { return chosen == NOT_CHOSEN ? first : chosen; }
void device_select(int device) { chosen = device; }
void device_begin_with(int device) { first = device; }
unsigned device_flags(void) { return flags_of[device_current()]; }
void device_set_flags(unsigned flags) { flags_of[device_current()] = flags; }
