// Which devices there are: see devices.h.
#include "devices.h"

#include "settings.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOT_CHOSEN = -1 };
static _Thread_local int chosen = NOT_CHOSEN;
static int first; // of a thread that has chosen none
static unsigned flags_of[SETTINGS_MOST_DEVICES];

// Those that the program sees, by their places in the computer: from these follow what tells them apart.
typedef struct {
  int count, place[SETTINGS_MOST_DEVICES];
} Visible;

static void uuid_of_place(int place, char uuid[DEVICE_UUID + 1]) {
  snprintf(uuid, DEVICE_UUID + 1, "90a0e30000%06x",
           (place + 1u) & 0xffffff); // hexadecimal digits, as ROCr's
}

static bool is(const char *text, size_t length, const char *name) {
  return strlen(name) == length && strncmp(text, name, length) == 0;
}

// The device that the text names, as a number or UUID without anything besides; -1: none.
static int named(const char *text, size_t length, const Visible *there) {
  char number[16], uuid[] = "GPU-0123456789abcdef";
  for (int device = 0; device < there->count; device++) {
    snprintf(number, sizeof number, "%d", device);
    uuid_of_place(there->place[device], uuid + 4);
    if (is(text, length, number) || is(text, length, uuid))
      return device;
  }
  return -1;
}

static Visible all_devices(void) {
  Visible all = {.count = (int)settings()->devices};
  for (int i = 0; i < all.count; i++)
    all.place[i] = i;
  return all;
}

// Which of these the list in this environment variable leaves. As in ROCm (rocclr, rocdevice.cpp and flags.cpp) it
// may stand in quotes, ends at the first number that is no device, and counts each device once.
static Visible in_order_of_list(const char *variable, Visible there) {
  const char *list = getenv(variable);
  Visible left = {0};
  uint32_t seen = 0;
  if (!list)
    return there;
  list += *list == '"';
  for (;; list++) {
    const size_t length = strcspn(list, ",\"");
    const int device = named(list, length, &there);
    if (device < 0)
      break;
    if (!(seen >> device & 1))
      left.place[left.count++] = there.place[device];
    seen |= 1u << device;
    list += length;
    if (*list != ',')
      break;
  }
  return left;
}

// ROCr takes devices in the order of its list (RvdFilter); HIP only chooses among them.
static Visible by_rocr(void) { return in_order_of_list("ROCR_VISIBLE_DEVICES", all_devices()); }
static Visible by_hip(const char *variable, Visible there) {
  const Visible chosen = in_order_of_list(variable, there);
  Visible left = {0};
  for (int i = 0; i < there.count; i++)
    for (int k = 0; k < chosen.count; k++)
      if (chosen.place[k] == there.place[i])
        left.place[left.count++] = there.place[i];
  return left;
}

// In ROCm CUDA's variable counts where HIP's is not set. Here the list is mostly of the NVIDIA GPUs that the computer has, and
// must not hide the one device that is emulated; it can only choose among several.
static const char *choosing_variable(void) {
  return getenv("HIP_VISIBLE_DEVICES") || settings()->devices == 1 ? "HIP_VISIBLE_DEVICES"
                                                                   : "CUDA_VISIBLE_DEVICES";
}

static Visible found;
static void find_visible(void) { found = by_hip(choosing_variable(), by_rocr()); }

static const Visible *visible(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, find_visible);
  return &found;
}

int device_count(void) { return visible()->count; }
int device_place(int device) { return visible()->place[device]; }
void device_uuid(int device, char uuid[DEVICE_UUID + 1]) {
  uuid_of_place(device_place(device), uuid);
}

const char *device_hiding_variable(void) {
  return by_rocr().count ? choosing_variable() : "ROCR_VISIBLE_DEVICES";
}

bool device_known(int device) { return device >= 0 && device < device_count(); }
int device_current(void) { return chosen == NOT_CHOSEN ? first : chosen; }
void device_select(int device) { chosen = device; }
void device_begin_with(int device) { first = device; }
unsigned device_flags(void) { return flags_of[device_current()]; }
void device_set_flags(unsigned flags) { flags_of[device_current()] = flags; }
