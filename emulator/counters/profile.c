// Counters from instruction profiles: see profile.h. Which unit counts what was fixed by AMD's own
// runs of vecCopy on an MI210 (per wave 24 instructions: 10 VALU, 3 SALU, 4 SMEM, 2 VMEM, 1 branch,
// 3 s_waitcnt, 1 s_endpgm).
#include "profile.h"

#include "program.h"

#include <string.h>

enum { QUAD_CYCLE = 4 }; // clk

static void count_memory(const InstructionInfo *info, const Instruction *in,
                         const InstructionProfile *p, uint64_t *count) {
  static const CounterName flat[] = {[MEMORY_LOAD] = TA_FLAT_READ_WAVEFRONTS,
                                     [MEMORY_STORE] = TA_FLAT_WRITE_WAVEFRONTS,
                                     [MEMORY_ATOMIC] = TA_FLAT_ATOMIC_WAVEFRONTS};
  static const CounterName buffer[] = {[MEMORY_LOAD] = TA_BUFFER_READ_WAVEFRONTS,
                                       [MEMORY_STORE] = TA_BUFFER_WRITE_WAVEFRONTS,
                                       [MEMORY_ATOMIC] = TA_BUFFER_ATOMIC_WAVEFRONTS};
  const bool is_buffer = info->unit == UNIT_BUFFER, is_image = info->unit == UNIT_IMAGE,
             returns = in->d.kind != OPERAND_NONE;
  if (info->action == MEMORY_NONE)
    return; // cache maintenance
  count[SQ_INSTS_VMEM] += p->executions;
  const bool loads = info->action == MEMORY_LOAD || (info->action == MEMORY_ATOMIC && returns);
  count[loads ? SQ_INSTS_VMEM_RD : SQ_INSTS_VMEM_WR] += p->executions;
  count[SQ_INSTS_FLAT] += is_buffer || is_image ? 0 : p->executions;
  count[TA_TOTAL_WAVEFRONTS] += p->executed_active;
  if (!is_image) { // which count in the total alone
    count[is_buffer ? TA_BUFFER_WAVEFRONTS : TA_FLAT_WAVEFRONTS] += p->executed_active;
    count[is_buffer ? buffer[info->action] : flat[info->action]] += p->executed_active;
  }
  count[TCP_TOTAL_ACCESSES] += p->pixels;
  count[TCP_TOTAL_CACHE_ACCESSES] += p->tag_lookups;
  if (loads)
    count[EMULATOR_GLOBAL_BYTES_LOADED] += p->global_bytes;
  if (info->action != MEMORY_LOAD)
    count[EMULATOR_GLOBAL_BYTES_STORED] += p->global_bytes;
  if (info->action == MEMORY_ATOMIC) {
    count[returns ? TCP_TCC_ATOMIC_WITH_RET_REQ : TCP_TCC_ATOMIC_WITHOUT_RET_REQ] += p->l2_requests;
    return;
  }
  count[info->action == MEMORY_LOAD ? TCP_TOTAL_READ : TCP_TOTAL_WRITE] += p->pixels;
  if (info->action == MEMORY_STORE)
    count[TCP_TCC_WRITE_REQ] += p->l2_requests;
}

static void count_instruction(const Instruction *in, const InstructionProfile *p, uint64_t *count) {
  const InstructionInfo *info = in->info;
  count[SQ_INSTS] += p->executions;
  switch ((Unit)info->unit) {
  case UNIT_SALU:
    count[SQ_INSTS_SALU] += p->executions;
    count[SQ_INST_CYCLES_SALU] += p->executions;
    break;
  case UNIT_BRANCH:
    count[SQ_INSTS_BRANCH] += p->executions;
    break;
  case UNIT_MESSAGE:
    count[SQ_INSTS_SENDMSG] += p->executions;
    break;
  case UNIT_INTERNAL:
    break;
  case UNIT_SMEM:
    count[SQ_INSTS_SMEM] += p->executions;
    count[SQ_INSTS_SMEM_NORM] += 2 * p->executions;
    count[SQ_INST_CYCLES_SMEM] += p->executions;
    break;
  case UNIT_MFMA:
    count[SQ_INSTS_MFMA] += p->executions;
    count[SQ_VALU_MFMA_BUSY_CYCLES] += QUAD_CYCLE * info->quads * p->executions;
    count[SQ_INSTS_VALU] += p->executions;
    count[SQ_THREAD_CYCLES_VALU] += p->lanes;
    break;
  case UNIT_VALU:
    count[SQ_INSTS_VALU] += p->executions;
    count[SQ_THREAD_CYCLES_VALU] += p->lanes;
    if (info->counter != SQ_INSTS)
      count[info->counter] += p->executions;
    break;
  case UNIT_LDS:
    count[SQ_INSTS_LDS] += p->executions;
    count[SQ_LDS_IDX_ACTIVE] += p->lds_clocks;
    count[SQ_LDS_BANK_CONFLICT] += p->lds_conflicts;
    break;
  case UNIT_GLOBAL:
  case UNIT_FLAT:
  case UNIT_SCRATCH:
  case UNIT_BUFFER:
  case UNIT_IMAGE:
    count_memory(info, in, p, count);
    break;
  }
}

static void add(uint64_t *sum, const uint64_t *part, size_t count) {
  for (size_t i = 0; i < count; i++)
    sum[i] += part[i];
}

// Both kinds of profile are counts of 64 bits throughout.
void profile_add(InstructionProfile *sum, const InstructionProfile *part, size_t instructions) {
  add((uint64_t *)sum, (const uint64_t *)part, instructions * sizeof *sum / sizeof(uint64_t));
}

void profile_add_memory(MemoryProfile *sum, const MemoryProfile *part, size_t instructions) {
  add((uint64_t *)sum, (const uint64_t *)part, instructions * sizeof *sum / sizeof(uint64_t));
}

void profile_count(const Program *program, const InstructionProfile *profile, Counters *counters) {
  for (uint32_t id = 0; id < program_instruction_count(program); id++)
    if (profile[id].executions)
      count_instruction(program_instruction(program, id), &profile[id], counters->value);
}
