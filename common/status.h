// How a lab program ends: whose fault it was, as its exit status. grading/statuses.py has the same
// table; a test compares the two.
#ifndef STATUS_H
#define STATUS_H

typedef enum {
  VERIFIED = 0,
  NOT_RIGHT = 1,         // the result is wrong
  MALFORMED_OPTIONS = 2, // options that cannot be, or that the kernel does not take
  DEVICE_TROUBLE = 3,    // the device or the host: none there, out of memory, a result not written
  KERNEL_FAULT = 4,      // the kernel did what none may, or its launch was refused
  EMULATOR_GAP = 5,      // the emulated device lacks what the kernel needs
} Status;

#endif
