// Exports that only compute: half-precision conversions that clang's host code calls, channel
// descriptors.
//
// In: values. Out: values; no device is involved.
#define _GNU_SOURCE
#include "runtime.h"

#include <string.h>

EXPORT float __gnu_h2f_ieee(unsigned short half) {
  _Float16 value;
  memcpy(&value, &half, sizeof value);
  return (float)value;
}

EXPORT unsigned short __gnu_f2h_ieee(float value) {
  _Float16 rounded = (_Float16)value;
  unsigned short half;
  memcpy(&half, &rounded, sizeof half);
  return half;
}

EXPORT hipChannelFormatDesc hipCreateChannelDesc(int x, int y, int z, int w,
                                                 hipChannelFormatKind kind) {
  return (hipChannelFormatDesc){x, y, z, w, kind};
}
