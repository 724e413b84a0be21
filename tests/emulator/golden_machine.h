// One wavefront with its surroundings, on which golden cases run.
//
// In: a file of cases. Out: for each case, whether the real decoder and wavefront loop took the
// state before to the state after, with a message on stderr for the first difference.
#ifndef TESTS_EMULATOR_GOLDEN_MACHINE_H
#define TESTS_EMULATOR_GOLDEN_MACHINE_H

#include "decoder.h"
#include "golden_file.h"
#include "program.h"
#include "vector_access.h"
#include "wavefront.h"

#include <stdbool.h>

enum {
  GOLDEN_MEMORY = 4096,  // bytes of global memory
  GOLDEN_LDS = 4096,     // bytes of LDS allocated unless a case says otherwise
  GOLDEN_PRIVATE = 64,   // bytes of scratch per lane
  GOLDEN_SLOT = 64,      // bytes of code per case: room to branch in
  GOLDEN_SLOT_BEGIN = 32 // offset of the instruction in its slot
};

// Registers and memories: everything an instruction may change.
typedef struct {
  uint32_t vgpr[512][LANES];
  uint32_t sgpr[SGPR_COUNT];
  bool scc;
  uint8_t index_mode; // s_set_gpr_idx_on
  uint32_t mode;      // HW_REG_MODE
  uint8_t memory[GOLDEN_MEMORY], lds[DEVICE_LDS_BYTES], scratch[GOLDEN_PRIVATE * LANES];
} GoldenState;

typedef struct {
  const GoldenFile *file;
  CodeObject object;
  Kernel kernel;
  Launch launch;
  HostThread thread;
  Workgroup group;
  Wavefront wave;
  uint8_t *memory, lds[DEVICE_LDS_BYTES + LDS_BEHIND], *scratch;
  uint64_t code;       // address of the first slot
  GoldenState pattern; // what registers and memories hold unless a case says otherwise
  GoldenState expected;
} GoldenMachine;

GoldenMachine *golden_machine_new(const GoldenFile *file);
void golden_machine_free(GoldenMachine *machine);
// With machine->thread.hot = 1 the interpreter executes a case the first time, and what it was
// translated to from then on.
bool golden_run(GoldenMachine *machine, size_t index);

#endif
