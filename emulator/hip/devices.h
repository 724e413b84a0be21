// Which devices there are, and which one each host thread works on. They are alike: one device's
// parameters hold for all, and their work is done one after another.
//
// In: EMULATOR_DEVICES, the lists of visible devices. Out: numbers of devices.
#ifndef EMULATOR_DEVICES_H
#define EMULATOR_DEVICES_H

#include <stdbool.h>

// Which two variables of the environment may name it by, behind GPU- (rocclr rocdevice.cpp).
enum { DEVICE_UUID = 16 };
void device_uuid(int device, char uuid[DEVICE_UUID + 1]);

int device_count(void);                   // that the program sees
int device_place(int device);             // of such a one among all: the number of its PCI bus
const char *device_hiding_variable(void); // of the environment, where that is none
bool device_known(int device);
int device_current(void); // of this thread
void device_select(int device);
void device_begin_with(int device); // threads that have selected none; 0 where this is not called

// Of hipSetDeviceFlags; they change nothing.
unsigned device_flags(void);
void device_set_flags(unsigned flags);

#endif
