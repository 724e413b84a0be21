// Scalar unit: SALU, branches, messages, barriers and scalar loads. Rows in
// instructions_scalar.def.
#include "delay_loop.h"
#include "device_memory.h"
#include "float_mode.h"
#include "hostcall.h"
#include "instruction_table.h"
#include "lanes.h"
#include "parameters.h"
#include "sanitizer.h"
#include "scalar_math.h"
#include "vector_access.h"

static void branch_by(Wavefront *w, const Instruction *in) {
  w->next = in + in->words + in->offset;
}

static void jump_to(Wavefront *w, u64 address) {
  const Instruction *target = program_at(w->thread->program, address);
  if (!target)
    target = program_elsewhere(w->thread->program, address);
  if (!target)
    wavefront_fault(w, FAULT_INSTRUCTION, -1,
                    "the jump to address 0x%llx leads to no instruction of code that is loaded: a "
                    "wrong pointer to a function or an object? Where the source is right, "
                    "-fno-optimize-sibling-calls may help, for clang 15 loses where some calls at "
                    "the end of a function lead",
                    (unsigned long long)address);
  w->next = target;
}

static u64 next_address(const Wavefront *w, const Instruction *in) {
  return program_address(w->thread->program, in) + 4u * in->words;
}

static void do_s_setpc_b64(Wavefront *w, const Instruction *in) {
  jump_to(w, scalar_u64(w, &in->a));
}

static void do_s_swappc_b64(Wavefront *w, const Instruction *in) {
  u64 target = scalar_u64(w, &in->a);
  set_scalar_u64(w, &in->d, next_address(w, in));
  jump_to(w, target);
}

static void do_s_call_b64(Wavefront *w, const Instruction *in) {
  set_scalar_u64(w, &in->d, next_address(w, in));
  branch_by(w, in);
}

static void do_s_andn1_wrexec_b64(Wavefront *w, const Instruction *in) {
  w->exec = ~scalar_u64(w, &in->a) & w->exec;
  set_scalar_u64(w, &in->d, w->exec);
  w->scc = w->exec != 0;
}

static void do_s_andn2_wrexec_b64(Wavefront *w, const Instruction *in) {
  w->exec = scalar_u64(w, &in->a) & ~w->exec;
  set_scalar_u64(w, &in->d, w->exec);
  w->scc = w->exec != 0;
}

// Relative moves: M0 is added to the register number.
static u32 *relative_sgpr(Wavefront *w, const Operand *operand) {
  u32 index = operand->index + w->m0;
  if (index >= SGPR_VCC - 4)
    wavefront_fault(w, FAULT_INSTRUCTION, -1,
                    "M0 = %u moves the scalar register index to %u, beyond s101", w->m0, index);
  return &w->sgpr[index];
}

static void do_s_movrels_b32(Wavefront *w, const Instruction *in) {
  set_scalar_u32(w, &in->d, *relative_sgpr(w, &in->a));
}

static void do_s_movrels_b64(Wavefront *w, const Instruction *in) {
  const u32 *from = relative_sgpr(w, &in->a);
  set_scalar_u64(w, &in->d, from[0] | (u64)from[1] << 32);
}

static void do_s_movreld_b32(Wavefront *w, const Instruction *in) {
  *relative_sgpr(w, &in->d) = scalar_u32(w, &in->a);
}

static void do_s_movreld_b64(Wavefront *w, const Instruction *in) {
  u64 value = scalar_u64(w, &in->a);
  u32 *to = relative_sgpr(w, &in->d);
  to[0] = (u32)value;
  to[1] = (u32)(value >> 32);
}

// Hardware registers that s_getreg_b32 reads: number, from the CDNA2 ISA guide; LLVM AMDGPU hwreg
// table.
enum { HW_REG_MODE = 1, HW_REG_SH_MEM_BASES = 15 };

static u32 hardware_register(const Wavefront *w, int number) {
  switch (number) {
  case HW_REG_MODE:
    return w->mode;
  case HW_REG_SH_MEM_BASES:
    return scalar_special(w, SPECIAL_SHARED_BASE) & 0xffff0000u
               ? scalar_special(w, SPECIAL_SHARED_BASE) |
                     scalar_special(w, SPECIAL_PRIVATE_BASE) >> 16
               : 0;
  default:
    return 0; // status, wave and hardware ids: nothing a program may depend on
  }
}

static void do_s_getreg_b32(Wavefront *w, const Instruction *in) {
  u32 field = (u16)in->offset, offset = field >> 6 & 31, width = (field >> 11) + 1;
  u64 value = (u64)hardware_register(w, field & 63) >> offset;
  set_scalar_u32(w, &in->d, (u32)(value & ((1ull << width) - 1)));
}

static void do_s_setreg_b32(Wavefront *w, const Instruction *in) {
  u32 field = (u16)in->offset, offset = field >> 6 & 31, width = (field >> 11) + 1;
  u32 mask = (u32)(((1ull << width) - 1) << offset);
  u32 wanted = (w->mode & ~mask) | (scalar_u32(w, &in->a) << offset & mask);
  if ((field & 63) != HW_REG_MODE)
    wavefront_fault(w, FAULT_GAP, -1,
                    "s_setreg_b32 writes hardware register %u, which the emulator does not model",
                    field & 63);
  float_mode_check_change(w, wanted, mask);
  w->mode = wanted;
}

static void do_s_setreg_imm32_b32(Wavefront *w, const Instruction *in) { do_s_setreg_b32(w, in); }

static void do_s_endpgm(Wavefront *w, const Instruction *in) {
  (void)in;
  trace_event(&w->trace, EVENT_END, 0);
  w->state = WAVE_DONE;
  w->yield = true;
}

// simm16: vmcnt in bits 3:0 and 15:14, lgkmcnt in 11:8 (CDNA2 ISA guide). Results are there at once
// here; only the trace waits.
static void do_s_waitcnt(Wavefront *w, const Instruction *in) {
  enum { VMCNT_ANY = 63, LGKMCNT_ANY = 15 };
  u32 bits = (u16)in->offset, vmcnt = (bits & 15) | (bits >> 14 & 3) << 4, lgkmcnt = bits >> 8 & 15;
  if (vmcnt != VMCNT_ANY || lgkmcnt != LGKMCNT_ANY)
    trace_event(&w->trace, EVENT_WAIT, vmcnt | lgkmcnt << 6);
}

static void do_s_barrier(Wavefront *w, const Instruction *in) {
  (void)in;
  trace_event(&w->trace, EVENT_BARRIER, 0);
  w->state = WAVE_AT_BARRIER;
  w->yield = true;
}

static void do_s_trap(Wavefront *w, const Instruction *in) {
  wavefront_fault(
      w, FAULT_TRAP, -1,
      "the kernel stopped itself (s_trap %d): a failed assert(), abort() or __builtin_trap()",
      in->offset);
}

static void do_s_sethalt(Wavefront *w, const Instruction *in) {
  if (in->offset & 1)
    wavefront_fault(w, FAULT_TRAP, -1,
                    "the kernel halted itself (s_sethalt 1): on a device it waits for a debugger");
}

static void do_s_sendmsg(Wavefront *w, const Instruction *in) {
  enum { MSG_INTERRUPT = 1 };
  if ((in->offset & 15) != MSG_INTERRUPT)
    wavefront_fault(w, FAULT_GAP, -1,
                    "s_sendmsg sends message %d; the emulator serves only MSG_INTERRUPT (printf, "
                    "assert, malloc)",
                    in->offset & 15);
  hostcall_serve();
  access_forget(w->thread);
}

// A wave that sleeps waits for another: let the others run.
static void do_s_sleep(Wavefront *w, const Instruction *in) {
  (void)in;
  w->yield = true;
}

static void do_s_set_gpr_idx_idx(Wavefront *w, const Instruction *in) {
  w->m0 = (w->m0 & ~0xffu) | (scalar_u32(w, &in->a) & 0xff);
}

static void do_s_set_gpr_idx_on(Wavefront *w, const Instruction *in) {
  do_s_set_gpr_idx_idx(w, in);
  w->gpr_index_mode =
      (u32)in->offset >> 8 & 15; // SOPC: the mode stands in the SRC1 field, bits 8 to 15
}

static void do_s_set_gpr_idx_off(Wavefront *w, const Instruction *in) {
  (void)in;
  w->gpr_index_mode = 0;
}

static void do_s_set_gpr_idx_mode(Wavefront *w, const Instruction *in) {
  w->gpr_index_mode = in->offset & 15;
}

// As lanes of which there is but one.
static void show_sanitizer(Wavefront *w, u64 address, u32 bytes) {
  Access access;
  access.spans = (Spans){.base = {address, address, address, address}};
  access.bytes = bytes;
  access.regular = true;
  sanitizer_touch(w, &access, 1);
}

static __attribute__((noinline)) void tell_misaligned(Wavefront *w, u64 address, u32 registers) {
  wavefront_notice(w, -1,
                   "a scalar load of %u bytes at address 0x%llx, which is no multiple of 4. The "
                   "device leaves the last two bits of the address out, and loads from 0x%llx: "
                   "another value, where the compiler was told that the pointer is aligned",
                   registers * 4, address + 0ull, (address & ~3ull) + 0ull);
}

// Scalar loads ignore the two low address bits, as the hardware does.
static inline __attribute__((always_inline)) void load_scalars(Wavefront *w, const Instruction *in,
                                                               u64 address, u32 registers) {
  if (address & 3 && device_memory_find(address, 1)) // else there is more to be told
    tell_misaligned(w, address, registers);
  address &= ~3ull;
  if (!access_seen_by(w->thread, in, address, address + registers * 4))
    scalar_access_check(w, address, registers * 4);
  if (!w->trace.off)
    trace_event(&w->trace, EVENT_SCALAR, 0);
  if (w->shadow)
    show_sanitizer(w, address, registers * 4);
  memcpy(&w->sgpr[in->d.index], (const void *)address, registers * 4);
}

static inline void require_registers(Wavefront *w, const Operand *operand, u32 registers) {
  if (operand->index + registers > SGPR_COUNT)
    wavefront_fault(w, FAULT_GAP, -1, "scalar registers in exec and what lies behind it");
}

static inline __attribute__((always_inline)) void
load_from_pointer(Wavefront *w, const Instruction *in, u32 registers) {
  require_registers(w, &in->d, registers);
  i64 offset = in->b.kind == OPERAND_CONSTANT ? (i64)in->b.value : (i64)scalar_u32(w, &in->b);
  load_scalars(w, in, scalar_u64(w, &in->a) + (u64)(offset + in->offset), registers);
}

// Descriptor: 48 bits of base, 14 of stride, flags; records, bytes if there is no stride. Beyond them
// are zeros.
static inline __attribute__((always_inline)) void
load_from_buffer(Wavefront *w, const Instruction *in, u32 registers) {
  require_registers(w, &in->a, 4);
  require_registers(w, &in->d, registers);
  const u64 base = scalar_u64(w, &in->a), stride = base >> 48 & 0x3fff,
            offset = scalar_u32(w, &in->b) + (u64)(i64)in->offset;
  const u64 size = w->sgpr[in->a.index + 2] * (stride ? stride : 1);
  const u64 inside = size > offset ? (size - offset) / 4 : 0;
  const u32 loaded = inside < registers ? (u32)inside : registers;
  if (loaded)
    load_scalars(w, in, (base & 0xffffffffffffull) + offset, loaded);
  memset(&w->sgpr[in->d.index + loaded], 0, (registers - loaded) * sizeof w->sgpr[0]);
}

#define LOADS(SUFFIX, REGISTERS)                                                                   \
  static void do_s_load_##SUFFIX(Wavefront *w, const Instruction *in) {                            \
    load_from_pointer(w, in, REGISTERS);                                                           \
  }                                                                                                \
  static void do_s_buffer_load_##SUFFIX(Wavefront *w, const Instruction *in) {                     \
    load_from_buffer(w, in, REGISTERS);                                                            \
  }
LOADS(dword, 1)
LOADS(dwordx2, 2)
LOADS(dwordx4, 4)
LOADS(dwordx8, 8)
LOADS(dwordx16, 16)

// A delay: the same instruction reads the clock again and again, and nothing else happens. Then time
// runs ahead, by an eighth of the delay so far, instead of being emulated. Of long delays each still takes longer than
// shorter ones: there are programs that look for one which the host finds long.
static void run_ahead(Wavefront *w, const Instruction *in) {
  enum { READS = 64, FARTHEST = 1 << 24 }; // cycles: 10 ms at 1.7 GHz
  const uint32_t distance = (uint32_t)(w->issued - w->clock_read);
  const bool again = in == w->clock_reader && distance == w->clock_distance;
  w->clock_reader = in;
  w->clock_read = w->issued;
  w->clock_distance = distance;
  const uint64_t time = w->issued * 4 + w->clock_ahead;
  if (!again) {
    w->clock_reads = 0;
    w->delay_begin = time;
  } else if (++w->clock_reads % READS == 0) {
    if (w->clock_reads == READS)
      w->clock_delays = delay_loop(w->thread->program, in);
    const uint64_t step = (time - w->delay_begin) / 8;
    if (w->clock_delays)
      w->clock_ahead += step < FARTHEST ? step : FARTHEST;
  }
}

// The emulator has no clock of its own: one wave instruction takes 4 cycles, the issue rate of a
// SIMD, from the clock at which the launch began.
static uint64_t clock_of(Wavefront *w, const Instruction *in) {
  run_ahead(w, in);
  const uint64_t clock = w->thread->launch->clock + w->issued * 4 + w->clock_ahead;
  if (clock > w->thread->clock_read)
    w->thread->clock_read = clock;
  return clock;
}

static void do_s_memtime(Wavefront *w, const Instruction *in) {
  set_scalar_u64(w, &in->d, clock_of(w, in));
}

// The constant clock against the engine's.
static void do_s_memrealtime(Wavefront *w, const Instruction *in) {
  set_scalar_u64(w, &in->d,
                 (u64)((__uint128_t)clock_of(w, in) * DEVICE_CONSTANT_CLOCK_KHZ /
                       (u64)(parameters_device()->engine_mhz * 1000)));
}

// Handlers from the table.
#define S1(NAME, D, A, RESULT, SCC)                                                                \
  static void do_##NAME(Wavefront *w, const Instruction *in) {                                     \
    bool scc = w->scc;                                                                             \
    A a = scalar_##A(w, &in->a);                                                                   \
    D d = RESULT;                                                                                  \
    (void)scc;                                                                                     \
    set_scalar_##D(w, &in->d, d);                                                                  \
    w->scc = SCC;                                                                                  \
  }
#define S2(NAME, D, A, B, RESULT, SCC)                                                             \
  static void do_##NAME(Wavefront *w, const Instruction *in) {                                     \
    bool scc = w->scc;                                                                             \
    A a = scalar_##A(w, &in->a);                                                                   \
    B b = scalar_##B(w, &in->b);                                                                   \
    D d = RESULT;                                                                                  \
    (void)scc;                                                                                     \
    set_scalar_##D(w, &in->d, d);                                                                  \
    w->scc = SCC;                                                                                  \
  }
#define SCMP(NAME, A, B, SCC)                                                                      \
  static void do_##NAME(Wavefront *w, const Instruction *in) {                                     \
    A a = scalar_##A(w, &in->a);                                                                   \
    B b = scalar_##B(w, &in->b);                                                                   \
    w->scc = SCC;                                                                                  \
  }
#define SK(NAME, RESULT, SCC)                                                                      \
  static void do_##NAME(Wavefront *w, const Instruction *in) {                                     \
    bool scc = w->scc;                                                                             \
    u32 a = scalar_u32(w, &in->d);                                                                 \
    i32 k = in->offset;                                                                            \
    u32 d = RESULT;                                                                                \
    (void)scc, (void)a;                                                                            \
    set_scalar_u32(w, &in->d, d);                                                                  \
    w->scc = SCC;                                                                                  \
  }
#define SKCMP(NAME, SCC)                                                                           \
  static void do_##NAME(Wavefront *w, const Instruction *in) {                                     \
    u32 a = scalar_u32(w, &in->a);                                                                 \
    i32 k = in->offset;                                                                            \
    w->scc = SCC;                                                                                  \
  }
#define SAVEEXEC(NAME, EXEC)                                                                       \
  static void do_##NAME(Wavefront *w, const Instruction *in) {                                     \
    u64 a = scalar_u64(w, &in->a), x = w->exec;                                                    \
    set_scalar_u64(w, &in->d, x);                                                                  \
    w->exec = EXEC;                                                                                \
    w->scc = w->exec != 0;                                                                         \
  }
#define BRANCH(NAME, TAKEN)                                                                        \
  static void do_##NAME(Wavefront *w, const Instruction *in) {                                     \
    if (TAKEN)                                                                                     \
      branch_by(w, in);                                                                            \
  }
#define JUMP(NAME, OPERANDS, CALLS)
#define CALL(NAME, OPERANDS, UNIT)
#define NOTHING(NAME, OPERANDS, UNIT)                                                              \
  static void do_##NAME(Wavefront *w, const Instruction *in) { (void)w, (void)in; }
#include "instructions_scalar.def"
#undef S1
#undef S2
#undef SCMP
#undef SK
#undef SKCMP
#undef SAVEEXEC
#undef BRANCH
#undef JUMP
#undef CALL
#undef NOTHING

#define ROW(NAME, OPERANDS, D, A, B, UNIT, CALLS)                                                  \
  {#NAME, do_##NAME, OPERANDS,       D,           A,     B,       TYPE_NONE,                       \
   UNIT,  0,         PARTS_SELECTED, MEMORY_NONE, CALLS, SQ_INSTS},
#define S1(NAME, D, A, RESULT, SCC) ROW(NAME, "da", TYPE_##D, TYPE_##A, TYPE_NONE, UNIT_SALU, false)
#define S2(NAME, D, A, B, RESULT, SCC)                                                             \
  ROW(NAME, "dab", TYPE_##D, TYPE_##A, TYPE_##B, UNIT_SALU, false)
#define SCMP(NAME, A, B, SCC) ROW(NAME, "ab", TYPE_NONE, TYPE_##A, TYPE_##B, UNIT_SALU, false)
#define SK(NAME, RESULT, SCC) ROW(NAME, "dx", TYPE_u32, TYPE_NONE, TYPE_NONE, UNIT_SALU, false)
#define SKCMP(NAME, SCC) ROW(NAME, "ax", TYPE_NONE, TYPE_u32, TYPE_NONE, UNIT_SALU, false)
#define SAVEEXEC(NAME, EXEC) ROW(NAME, "da", TYPE_u64, TYPE_u64, TYPE_NONE, UNIT_SALU, false)
#define BRANCH(NAME, TAKEN) ROW(NAME, "x", TYPE_NONE, TYPE_NONE, TYPE_NONE, UNIT_BRANCH, false)
#define JUMP(NAME, OPERANDS, CALLS)                                                                \
  ROW(NAME, OPERANDS, TYPE_u64, TYPE_u64, TYPE_NONE, UNIT_BRANCH, CALLS)
#define CALL(NAME, OPERANDS, UNIT) ROW(NAME, OPERANDS, TYPE_u64, TYPE_u64, TYPE_i64, UNIT, false)
#define NOTHING(NAME, OPERANDS, UNIT)                                                              \
  ROW(NAME, OPERANDS, TYPE_NONE, TYPE_NONE, TYPE_NONE, UNIT, false)
const InstructionInfo scalar_instructions[] = {
#include "instructions_scalar.def"
};
const size_t scalar_instruction_count = sizeof scalar_instructions / sizeof *scalar_instructions;
