// The instruction loop: see run.h.
#include "run.h"

#include "cas_loop.h"
#include "decoder.h"
#include "defined_block.h"
#include "float_mode.h"
#include "sanitizer.h"
#include "translator.h"

// Moves the number of a vector register by M0; false if that leaves the registers of its kind that
// the wave has, and then it is register 0. The wave has ArchVGPRs up to the descriptor's
// accum_offset and AccVGPRs in the rest of its allocation, of which 256 can be named.
static bool move_operand(const Wavefront *w, Operand *operand) {
  const Kernel *kernel = w->thread->launch->kernel;
  uint32_t first = operand->index < AGPR_BASE ? 0 : AGPR_BASE;
  uint32_t count = first ? kernel->allocated_vgprs - kernel->accum_offset : kernel->accum_offset;
  uint32_t number = operand->index - first + (w->m0 & 0xff);
  bool inside = number + operand->registers <= (count < AGPR_BASE ? count : AGPR_BASE);
  operand->index = (uint16_t)(inside ? first + number : first);
  return inside;
}

static void execute(Wavefront *w, const Instruction *in) {
  const bool usual = __builtin_expect(float_mode_is_usual(w), 1);
  if (!usual)
    float_mode_begin(w, in);
  if (__builtin_expect(w->shadow != NULL, 0))
    sanitizer_execute(w, in);
  else
    in->execute(w, in);
  if (!usual)
    float_mode_end(w, in);
}

// s_set_gpr_idx_on: VGPR operands are moved by M0 for as long as the mode lasts. The compiler may
// write outside an array, into a copy that it throws away: element n - 1 where n is 0. CDNA2 ISA
// guide, 3.6.1: out of range is vgpr >= vgpr_size, a source then reads VGPR 0, a destination makes
// the instruction a no-op, and no index leads from one kind of register to another. M0 counts as 8
// bits without sign and the sum does not wrap: -2 is 254, which is out of range. Of operands with
// several registers the guide says nothing; here they are out of range if any of them is.
static void execute_indexed(Wavefront *w, const Instruction *in) {
  Instruction moved = *in;
  Operand *operand[] = {&moved.a, &moved.b, &moved.c, &moved.d};
  enum { DESTINATION = 3 };
  for (int i = 0; i < 4; i++)
    if ((w->gpr_index_mode >> i & 1) && operand[i]->registers &&
        operand[i]->kind <= OPERAND_VGPR_MODIFIED && !move_operand(w, operand[i]) &&
        i == DESTINATION)
      return;
  execute(w, &moved);
}

// Decodes the slot that the wave is about to execute, or faults. What LLVM can name and the
// instruction table cannot is a gap of the emulator.
static void decode(Wavefront *w, const Instruction *in) {
  char message[512], text[256];
  if (program_decode(w->thread->program, in, message, sizeof message))
    return;
  const CodeObject *object = program_object(w->thread->program, in);
  const uint64_t address = program_address(w->thread->program, in);
  decoder_disassemble((const uint8_t *)address, object->text_address + object->text_size - address,
                      text, sizeof text);
  wavefront_fault(w, text[0] ? FAULT_GAP : FAULT_INSTRUCTION, -1, "%s", message);
}

static void interpret(Wavefront *w, const Instruction *in) {
  InstructionProfile *profile = &w->thread->profile[in->id];
  w->in = in;
  w->next = in + in->words;
  profile->executions++;
  profile->lanes += (uint64_t)__builtin_popcountll(w->exec);
  w->trace.used += in->uses;
  if (__builtin_expect(w->gpr_index_mode, 0) && in->info->unit == UNIT_VALU)
    execute_indexed(w, in);
  else
    execute(w, in);
  w->issued++;
}

// Blocks know nothing of register numbers that M0 moves, nor of other rounding than the usual.
static bool may_run_blocks(const Wavefront *w) {
  return !w->gpr_index_mode && float_mode_is_usual(w);
}

// Runs the block that begins here, if it was translated and fits into what the wave may still issue.
static bool run_block(Wavefront *w, const Instruction *in, uint64_t until) {
  const Block *block = __atomic_load_n(&in->block, __ATOMIC_ACQUIRE);
  if (!block || !block->count || w->issued + block->count > until || !may_run_blocks(w))
    return false;
  if (block->adds && cas_loop_run(w, block->adds, until))
    return true;
  RunBlock *run = translator_find(w, block);
  if (!run || (w->shadow && !(block->registers && defined_block_enter(w, block->registers))))
    return false;
  InstructionProfile *profile = &w->thread->profile[in->id];
  profile->blocks++;
  profile->block_lanes += (uint64_t)__builtin_popcountll(w->exec);
  if (__builtin_expect(!(profile->blocks & (profile->blocks - 1)), 0)) // a power of two
    translator_ran(w, in, (profile->blocks + 1) / 2);                  // since the one before
  w->issued += block->count;
  run(w); // which may change EXEC, and go on with other blocks
  return true;
}

// Interprets until the wave comes to an instruction otherwise than from the one before it, to a block, or to where blocks
// may run that might not before; or only what is too short for a block, so that what follows may become one.
static void interpret_on(Wavefront *w, uint64_t until) {
  const Instruction *first = w->next, *in;
  const Block *block = __atomic_load_n(&first->block, __ATOMIC_ACQUIRE);
  const bool alone = block && !block->count, usual = may_run_blocks(w);
  uint64_t before = w->issued;
  do {
    in = w->next;
    if (__builtin_expect(!__atomic_load_n(&in->execute, __ATOMIC_ACQUIRE), 0)) {
      w->in = in;
      decode(w, in);
    }
    interpret(w, in);
  } while (!alone && w->next == in + in->words && !w->yield && w->issued < until &&
           !__atomic_load_n(&w->next->block, __ATOMIC_RELAXED) && (usual || !may_run_blocks(w)));
  if (w->thread->hot)
    translator_interpreted(w, first, w->issued - before);
}

static bool has_jumped(const Wavefront *w) { return w->next != w->in + w->in->words; }

// Until so many instructions are issued; from `jump_after` on a jump ends it, too.
static void run(Wavefront *w, uint64_t until, uint64_t jump_after) {
  w->yield = false;
  w->go_on_until = until < jump_after ? until : jump_after;
  while (!w->yield && w->issued < until) {
    const Instruction *in = w->next;
    if (!run_block(w, in, until) &&
        !(w->thread->hot && translator_worth(w, in) && run_block(w, in, until)))
      interpret_on(w, until);
    if (w->issued >= jump_after && has_jumped(w))
      break;
  }
  if (w->issued >= w->thread->budget && w->state == WAVE_RUNNING)
    wavefront_fault(w, FAULT_BUDGET, -1,
                    "the wave has issued %llu instructions without coming to an end: an endless "
                    "loop? A kernel that really needs more runs with "
                    "EMULATOR_INSTRUCTION_BUDGET=N in the environment (instructions per wave)",
                    (unsigned long long)w->issued);
}

void wavefront_run(Wavefront *w, uint64_t slice) {
  const uint64_t budget = w->thread->budget;
  run(w, w->issued + slice < budget ? w->issued + slice : budget, UINT64_MAX);
}

void wavefront_run_to_jump(Wavefront *w, uint64_t least) {
  run(w, w->thread->budget, w->issued + least);
}

static bool counts_lanes(const Instruction *in) {
  return in->info->unit == UNIT_VALU || in->info->unit == UNIT_MFMA;
}

// Of large code a launch executes little: instructions are looked at only where something is counted.
void profile_share_blocks(const Program *program, InstructionProfile *profile) {
  const uint32_t instructions = program_instruction_count(program);
  for (uint32_t id = 0; id < instructions; id++) {
    if (!profile[id].blocks)
      continue;
    const Instruction *in = program_instruction(program, id);
    const uint64_t blocks = profile[id].blocks, lanes = profile[id].block_lanes;
    profile[id].blocks = profile[id].block_lanes = 0;
    for (uint32_t left = in->block->count; left; left--, in += in->words) {
      profile[in->id].executions += blocks;
      profile[in->id].lanes += lanes;
    }
  }
  for (uint32_t id = 0; id < instructions; id++)
    if (profile[id].lanes && !counts_lanes(program_instruction(program, id)))
      profile[id].lanes = 0;
}
