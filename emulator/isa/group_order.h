// Whether workgroups may know what others of the launch have done: then they run in order, and an order among their
// stores and loads that the sanitizer does not see may be meant. And whether waves of one may, but for barriers.
//
// In: a kernel's code, and that of functions it may call. Out: what in it can tell of others.
#ifndef EMULATOR_GROUP_ORDER_H
#define EMULATOR_GROUP_ORDER_H

#include "program.h"

// True if there is an atomic on memory that other workgroups reach, or a call of what nobody knows. Looked at once for each kernel.
bool group_order_by_atomics(Program *program, const Kernel *kernel);

// True if an atomic brings back what was there, other than for a sum by compare-and-swap, or a volatile or atomic load
// looks at memory. Looked at once for each kernel.
bool group_order_by_values(Program *program, const Kernel *kernel);

// True if the kernel's own code has a loop that waits for a flag in memory that other workgroups reach.
bool group_order_by_flags(Program *program, const Kernel *kernel);

// True if such a loop looks by a volatile or atomic load, as programs that mean it do. Looked at once for each kernel.
bool group_order_polls(Program *program, const Kernel *kernel);

// True if a wave may find out what others of its workgroup have done: by an atomic that brings the old value back, a volatile load,
// or a loop that waits for a flag. Looked at once for each kernel.
bool group_order_of_waves(Program *program, const Kernel *kernel);

// True if there is a volatile load by a generic address: then its stores by such addresses may be volatile, too.
bool group_order_has_volatile(Program *program, const Kernel *kernel);

#endif
