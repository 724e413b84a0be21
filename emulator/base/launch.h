// A kernel launch on its way: what was asked for, and what follows from it.
//
// In: a HIP call fills the first part, launch_plan the second, dispatch_run the third. Out: workgroups,
// the memory model, faults and reports read it.
#ifndef EMULATOR_LAUNCH_H
#define EMULATOR_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  // What was asked for.
  const struct Kernel *kernel;
  uint32_t grid[3];         // workgroups in x, y, z
  uint32_t block[3];        // work-items of a workgroup in x, y, z
  uint32_t cut[3];          // work-items that the last workgroup along x, y, z lacks
  size_t dynamic_lds_bytes; // the third launch parameter
  uint32_t stack_bytes;     // of a work-item, where the compiler could not bound the stack
  bool cooperative;         // all workgroups must be resident at once
  bool modelled;            // goes through the memory model
  bool traffic_unwanted;    // nobody will look at what it counts of memory instructions' lanes
  int device;               // that it is for
  struct {
    uint32_t number, count; // of this grid among those launched together; count 0: it is alone
    uint64_t items_before, items;     // work-items of the grids before it, of all of them
    struct MultiGridBarrier *barrier; // where they wait for each other
  } together;                         // a cooperative launch on several devices
  uint64_t clock;                     // of the engine, at which its waves begin
  uint8_t *arguments;                 // explicit ones, laid out as in the kernel-argument segment

  // What follows from it.
  uint64_t workgroups;
  uint64_t items; // work-items of the grid
  uint32_t items_per_workgroup, waves_per_workgroup;
  uint32_t workgroups_per_cu;   // that one compute unit holds at a time
  uint32_t lds_bytes;           // of a workgroup, static and dynamic
  uint32_t lds_allocated_bytes; // the same in the granules that the device allocates
  uint32_t scratch_bytes;       // of a wave

  // Where it runs.
  const void *kernarg;    // filled segment of kernel->kernarg_size bytes in device-visible memory,
                          // explicit and hidden arguments
  uint64_t packet, queue; // device-visible addresses of the dispatch packet and of a stand-in for
                          // the queue
  uint32_t instructions;  // of the program; their ids are below this
  bool traced;            // the memory model wants to know what the waves do

  // What all its waves begin with, see initial_state.h.
  const struct Instruction *entry;
  const void *first_reads; // RegisterList, see first_reads.h
  bool packed_ids;         // work-item ids share v0
  bool sets_scratch;       // FLAT_SCRATCH
} Launch;

#endif
