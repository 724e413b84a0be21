// Which devices there are: see devices.h.
#include "devices.h"

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

int device_count(void) {
  static int count = -1;
  if (count < 0)
    count = listed(choosing_variable(), listed("ROCR_VISIBLE_DEVICES", (int)settings()->devices));
  return count;
}

const char *device_hiding_variable(void) {
  return listed("ROCR_VISIBLE_DEVICES", (int)settings()->devices) ? choosing_variable()
                                                                  : "ROCR_VISIBLE_DEVICES";
}

bool device_known(int device) { return device >= 0 && device < device_count(); }
int device_current(void) { return chosen == NOT_CHOSEN ? first : chosen; }
void device_select(int device) { chosen = device; }
void device_begin_with(int device) { first = device; }
unsigned device_flags(void) { return flags_of[device_current()]; }
void device_set_flags(unsigned flags) { flags_of[device_current()] = flags; }
