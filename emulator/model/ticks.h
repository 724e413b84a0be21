// The unit of time in which the memory model reckons.
#ifndef EMULATOR_TICKS_H
#define EMULATOR_TICKS_H

#include <stdint.h>

// Time on the device, in sixteenths of an engine clock.
typedef uint64_t Ticks;
enum { TICKS_PER_CLOCK = 16 };

#endif
