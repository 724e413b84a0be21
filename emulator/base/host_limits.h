// What the host lets the process have: memory, address space.
//
// In: Linux's files on the computer, the process and its control groups. Out: bytes; UINT64_MAX where nothing limits them
// or no file tells.
#ifndef EMULATOR_HOST_LIMITS_H
#define EMULATOR_HOST_LIMITS_H

#include <stdint.h>

// That can be had without swapping or being stopped by a control group.
uint64_t host_memory_left(void);

// The least that the process's control groups, and those that they are part of, allow. listing names them as
// /proc/self/cgroup does; mount is where they are: /sys/fs/cgroup.
uint64_t host_control_group_limit(const char *listing, const char *mount);

// Addresses that the process may have (ulimit -v).
uint64_t host_address_space_limit(void);

// Half of the address space that the system leaves to the process: LLVM, threads and the program need some, too.
uint64_t host_address_space_share(void);

#endif
