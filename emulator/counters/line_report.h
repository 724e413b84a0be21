// Memory report by source line: what each load, store and atomic of a kernel did to the caches.
//
// In: the profiles of one launch, summed over host threads, and the memory model's traffic. Out,
// with EMULATOR_LINES=FILE.csv: a line for each vector memory instruction that ran, in the order of
// source file, line and code address, those without a source line last; with EMULATOR_LINES=-, the
// same as a table on stderr. Scalar instructions do not touch the vector L1 and are left out, in the
// table LDS instructions, too. Source lines need a program built with -gline-tables-only. Without, and for the device
// library's own code (printf, malloc), file and line stay empty and the instruction's offset tells
// it apart.
//
// CSV columns, evidence emulated unless said otherwise:
//   Index            launch, from 0            KernelName  demangled
//   file, line       of the source             offset      bytes from the kernel's begin, or from
//   instruction      disassembled                          the begin of all code ("+" in front)
//   action           load, store or atomic
//   executions       by wavefronts with at least one active lane
//   lines            64 B lines touched, distinct ones, mean of a wavefront's execution
//   fewest_lines     that could hold the same bytes
//   requested_bytes  each byte counted once an execution, however many lanes share it
//   fetched_bytes    from HBM on behalf of this instruction (modelled)
//   l1_hit_percent   of its tag look-ups; loads only (modelled)
//   l2_hit_percent   of its requests to L2 (modelled)
//   l1_lookups, l2_requests   of which these are (modelled)
//   allocation, byte what the middle workgroup's first lane accessed first: begin of the
//                    allocation, bytes from there; empty for scratch and LDS
//   lds_clocks, lds_conflicts   of LDS, and its other columns are 0
// What does not apply or was not modelled is empty.
#ifndef EMULATOR_LINE_REPORT_H
#define EMULATOR_LINE_REPORT_H

#include "traffic.h"
#include "wavefront.h"

// Whether EMULATOR_LINES asks for the report: only then is HostThread.memory to be filled.
bool line_report_wanted(void);

// All arrays go by Instruction.id. traffic is NULL for a launch that was not modelled.
void line_report_write(const Kernel *kernel, const InstructionProfile *profile,
                       const MemoryProfile *memory, const InstructionTraffic *traffic);

#endif
