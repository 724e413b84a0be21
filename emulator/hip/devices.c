// Which devices there are: see devices.h.
#include "devices.h"

#include "settings.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOT_CHOSEN = -1 };
static _Thread_local int chosen = NOT_CHOSEN;
static int first; // of a thread that has chosen none
static unsigned flags_of[SETTINGS_MOST_DEVICES];

void device_uuid(int device, char uuid[DEVICE_UUID + 1]) {
  snprintf(uuid, DEVICE_UUID + 1, "90a0e30000%06x",
           (device + 1u) & 0xffffff); // hexadecimal digits, as ROCr's
}

static bool is(const char *text, size_t length, const char *name) {
  return strlen(name) == length && strncmp(text, name, length) == 0;
}

// The device that the text names, as a number or UUID without anything besides; -1: none.
static int named(const char *text, size_t length, int there) {
  char number[16], uuid[] = "GPU-0123456789abcdef";
  for (int device = 0; device < there; device++) {
    snprintf(number, sizeof number, "%d", device);
    device_uuid(device, uuid + 4);
    if (is(text, length, number) || is(text, length, uuid))
      return device;
  }
  return -1;
}

// How many of `there` devices the list in this environment variable leaves. As in ROCm (rocclr, rocdevice.cpp and flags.cpp) it
// may stand in quotes, ends at the first number that is no device, and counts each device once.
static int listed(const char *variable, int there) {
  const char *list = getenv(variable);
  if (!list)
    return there;
  uint32_t seen = 0;
  list += *list == '"';
  for (;; list++) {
    const size_t length = strcspn(list, ",\"");
    const int device = named(list, length, there);
    if (device < 0)
      break;
    seen |= 1u << device;
    list += length;
    if (*list != ',')
      break;
  }
  return __builtin_popcount(seen);
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
