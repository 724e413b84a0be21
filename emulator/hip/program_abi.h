// For which release of ROCm the program was built: some values have changed their meaning.
//
// In: the name of the library that the program and its libraries ask for, or EMULATOR_ROCM. Out: 5, 6 or 7.
#ifndef EMULATOR_PROGRAM_ABI_H
#define EMULATOR_PROGRAM_ABI_H

#include <hip/hip_runtime_api.h>

int program_abi(void);

// A call that came with this release: programs of earlier ones have no name for it. Says so where the release was taken for an
// earlier one, which it is no longer.
void program_abi_calls(int release, const char *call);

// That of a library that was loaded since program_abi was first asked, if it is a newer one; else 0.
int program_abi_of_newcomer(void);

// Types of graph nodes that came after 5.2.
enum { NODE_ALLOCATE = 100, NODE_FREE, NODE_BATCH };

// The values of hipMemoryType as the program knows them, and as this source does. From 6 on host is
// 1 instead of 0, device 2 instead of 1, managed memory has a type, and arrays are 10. The value of
// hipGraphNodeType as the program knows it. From 6 on they begin at 0, and a copy of bytes one
// behind the other is a copy as any other. (Programs of 5.3 to 5.7 know them so, too, and cannot be
// told from those of 5.2.)
int program_node_type(hipGraphNodeType type);

int program_memory_type(hipMemoryType type, bool managed);
hipMemoryType known_memory_type(int of_program);

#endif
