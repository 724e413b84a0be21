// One instruction and what is looked at around it: see sanitizer.h.
#include "sanitizer.h"

#include "lds_race.h"
#include "lost_update.h"
#include "pending.h"
#include "source_line.h"
#include "store_conflict.h"
#include "undefined.h"
#include "undefined_memory.h"

#include <stdio.h>

// ---- barriers ----

// All waves of a workgroup wait at the same barrier. The compiler makes no copies of one.
static void check_same_barrier(Wavefront *w, const Instruction *in) {
  GroupShadow *shadow = w->group->shadow;
  char line[160];
  if (!shadow->barrier) {
    shadow->barrier = in;
    shadow->barrier_wave = w->number;
  }
  if (shadow->barrier == in)
    return;
  source_line(w->thread->program, w->thread->launch->kernel, shadow->barrier, line, sizeof line);
  wavefront_fault(w, FAULT_SANITIZER, -1,
                  "waits at a barrier while wave %u of the block waits at another one, at %s: all "
                  "threads of a block must come to the same __syncthreads()",
                  shadow->barrier_wave, line);
}

// Lanes that were not there when their wave passed a barrier have ended, or the barrier was in a branch
// that they did not take: then they go on later.
static void note_barrier(Wavefront *w, const Instruction *in) {
  Shadow *shadow = w->shadow;
  check_same_barrier(w, in);
  if (w->exec && (shadow->alive & ~w->exec & ~shadow->missed))
    shadow->missed_at = in;
  if (w->exec)
    shadow->missed |= shadow->alive & ~w->exec;
}

static void check_missed(Wavefront *w) {
  const Shadow *shadow = w->shadow;
  const u64 lanes = w->exec & shadow->missed;
  char line[160];
  if (!lanes)
    return;
  source_line(w->thread->program, w->thread->launch->kernel, shadow->missed_at, line, sizeof line);
  wavefront_fault(w, FAULT_SANITIZER, __builtin_ctzll(lanes),
                  "the thread goes on, but was not at the barrier at %s, which others of its wave "
                  "have passed: __syncthreads() stands in a branch or loop that not all threads "
                  "take, or the compiler has put what a thread does before its early return "
                  "behind the barrier",
                  line);
}

void sanitizer_barrier(Workgroup *group) {
  if (!group->shadow)
    return;
  group->shadow->barrier = NULL;
  lds_race_barrier(group);
}

// ---- memory ----

// Whether anybody asks what stood in memory before it was changed. Not in scratch, which nobody shares.
static bool asks_for_before(const Instruction *in) {
  const Unit unit = in->info->unit;
  return unit == UNIT_LDS || unit == UNIT_FLAT ||
         (in->info->action == MEMORY_STORE && unit != UNIT_SCRATCH && store_conflict_watches());
}

// Of lanes that lie apart, the number of bytes being a constant for most. Nothing in private memory.
static inline __attribute__((always_inline)) void keep_lanes(const Wavefront *w, Touched *touched,
                                                             u32 bytes) {
  const Places *at = &touched->at;
  const bool generic = w->in->info->unit == UNIT_FLAT;
  FOR_LANES_OF(at->lanes) {
    const u64 address = place_of(at, lane);
    if (!generic || !wavefront_in_scratch(w, address))
      memcpy(touched->before + (u32)lane * bytes, (const void *)address, bytes);
  }
}

static void keep_before(const Wavefront *w, Touched *touched) {
  const Places *at = &touched->at;
  for (int i = 0; i < at->pieces; i++)
    memcpy(touched->before + at->piece[i].lane * at->bytes, (const void *)at->piece[i].begin,
           at->piece[i].bytes);
  if (at->pieces)
    return;
  if (at->bytes == 4)
    keep_lanes(w, touched, 4);
  else if (at->bytes == 8)
    keep_lanes(w, touched, 8);
  else if (at->bytes == 12)
    keep_lanes(w, touched, 12);
  else if (at->bytes == 16)
    keep_lanes(w, touched, 16);
  else
    keep_lanes(w, touched, at->bytes);
}

typedef u32 AnyWord __attribute__((may_alias, aligned(1)));

static inline void compare(const u8 *before, u64 address, u32 words, u8 *changed) {
  const AnyWord *was = (const AnyWord *)before, *is = (const AnyWord *)address;
  for (u32 i = 0; i < words; i++)
    changed[i] = was[i] != is[i];
}

static inline __attribute__((always_inline)) void compare_lanes(const Wavefront *w,
                                                                Touched *touched, u32 bytes) {
  const Places *at = &touched->at;
  const bool generic = w->in->info->unit == UNIT_FLAT;
  FOR_LANES_OF(at->lanes) {
    const u32 first = (u32)lane * bytes;
    const u64 address = place_of(at, lane);
    if (!generic || !wavefront_in_scratch(w, address))
      compare(touched->before + first, address, bytes / 4, touched->changed + first / 4);
  }
}

static void invert(u8 *before, u64 address, u32 bytes) {
  const u8 *now = (const u8 *)address;
  for (u32 i = 0; i < bytes; i++)
    before[i] = (u8)~now[i];
}

// What is stored first is a change, whatever stood there.
static void invert_before(Touched *touched) {
  const Places *at = &touched->at;
  for (int i = 0; i < at->pieces; i++)
    invert(touched->before + at->piece[i].lane * at->bytes, at->piece[i].begin, at->piece[i].bytes);
  FOR_LANES_OF(at->pieces ? 0 : at->lanes)
  invert(touched->before + (u32)lane * at->bytes, place_of(at, lane), at->bytes);
}

// Which dwords an instruction has changed. Of stores to global memory that lie apart store_conflict.c finds out itself.
static void find_changes(const Wavefront *w, Touched *touched) {
  const Places *at = &touched->at;
  if (at->fresh)
    invert_before(touched);
  for (int i = 0; i < at->pieces; i++) {
    const u32 first = at->piece[i].lane * at->bytes;
    compare(touched->before + first, at->piece[i].begin, at->piece[i].bytes / 4,
            touched->changed + first / 4);
  }
  if (at->pieces || (w->in->info->unit == UNIT_GLOBAL && w->in->info->action == MEMORY_STORE))
    return;
  if (at->bytes == 4)
    compare_lanes(w, touched, 4);
  else if (at->bytes == 8)
    compare_lanes(w, touched, 8);
  else
    compare_lanes(w, touched, at->bytes);
}

// Lanes from `first` to `last` of one span, or of all where they go on from span to span.
static void add_piece(Places *at, u64 base, u32 stride, int first, int last) {
  enum { ALL_OF_ONE = 31 };
  const Piece piece = {
      .begin = base + (u64)first * stride,
      .bytes = stride ? (u32)(last - first + 1) * at->bytes : at->bytes,
      .lane = (u8)(stride ? first : last),
      .shift = (u8)(stride ? __builtin_ctz(at->bytes / 4 | 1u << ALL_OF_ONE) : ALL_OF_ONE)};
  at->dwords = at->dwords && piece.begin % 4 == 0;
  at->piece[at->pieces++] = piece;
}

static bool comes_again(const Spans *spans, int s) {
  bool again = false;
  for (int later = s + 1; later < SPANS; later++)
    again = again || spans->base[later] == spans->base[s];
  return again;
}

static void find_pieces(const Access *access, MemoryAction action, Places *at) {
  const Spans *spans = &access->spans;
  const u64 lanes = at->lanes;
  at->pieces = 0;
  at->dwords = at->bytes % 4 == 0 && !(at->bytes & (at->bytes - 1));
  if (!access->regular || !lanes ||
      (spans->stride != at->bytes && (spans->stride || action != MEMORY_LOAD)))
    return;
  const int first = __builtin_ctzll(lanes), last = LANES - 1 - __builtin_clzll(lanes);
  const bool gap = spans->stride && lanes >> first != ~0ull >> (LANES - 1 - last + first);
  if (spans->even && !gap)
    add_piece(at, spans->base[0], spans->stride, first, last);
  for (int s = 0; !spans->even && lanes == ~0ull && s < SPANS; s++)
    if (action != MEMORY_LOAD || !comes_again(spans, s))
      add_piece(at, spans->base[s] - (u64)s * SPAN * spans->stride, spans->stride, s * SPAN,
                s * SPAN + SPAN - 1);
}

static void place(const Access *access, MemoryAction action, u64 lanes, Touched *touched) {
  Places *at = &touched->at;
  at->lanes = lanes;
  at->bytes = access->bytes;
  at->regular = access->regular;
  if (at->regular) {
    at->spans = access->spans;
  } else {
    memcpy(touched->address, access->address, sizeof touched->address);
    at->address = touched->address;
  }
  find_pieces(access, action, at);
}

static u64 low_bits(const Places *at) {
  const Spans *spans = &at->spans;
  u64 bits = 0;
  if (at->regular)
    return spans->stride | spans->base[0] | spans->base[1] | spans->base[2] | spans->base[3];
  FOR_LANES bits |= at->address[lane];
  return bits;
}

// In LDS, by its own instructions or by generic ones. Of global memory it is told without the sanitizer, too. More than
// a dword need not lie at a multiple of its size.
static void tell_misaligned(Wavefront *w, const Places *at) {
  const u32 wanted = at->bytes < 4 ? at->bytes : 4;
  if (low_bits(at) % wanted == 0 || !wavefront_in_kernel(w))
    return; // mostly, and no lane needs a look of its own
  FOR_LANES_OF(at->lanes)
  if (place_of(at, lane) % wanted && wavefront_in_lds(w, place_of(at, lane))) {
    wavefront_notice(w, lane,
                     "a misaligned access of %u bytes at LDS byte %llu, which is no multiple of "
                     "%u. The device splits it and goes on. Nothing is wrong where the compiler "
                     "made it of smaller ones, as of two bytes side by side or the padding of a "
                     "struct; else the type may not lie so, unless it is a packed one",
                     at->bytes, (unsigned long long)(place_of(at, lane) - (u64)w->group->lds),
                     wanted);
    return;
  }
}

void sanitizer_touch(Wavefront *w, const Access *access, u64 lanes) {
  Shadow *shadow = w->shadow;
  const MemoryAction action = w->in->info->action;
  Touched *touched = &shadow->touched[shadow->accesses++];
  place(access, action, lanes, touched);
  tell_misaligned(w, &touched->at);
  if (action == MEMORY_ATOMIC)
    undefined_check_update(w, w->in, &touched->at);
  if (action == MEMORY_STORE)
    store_conflict_expect(w, &touched->at);
  if (action != MEMORY_LOAD && asks_for_before(w->in))
    keep_before(w, touched);
  touched->at.fresh =
      action == MEMORY_STORE && asks_for_before(w->in) && undefined_place(w, w->in, &touched->at);
}

// Whether memory holds what the lane has stored, `half` bits above the lowest of its register.
static inline bool still_there(const Wavefront *w, const Places *at, const Operand *data, u32 half,
                               int lane) {
  const AnyWord *memory = (const AnyWord *)place_of(at, lane);
  if (at->bytes < 4) {
    const u32 word = w->vgpr[data->index][lane] >> half;
    return memcmp(memory, &word, at->bytes) == 0;
  }
  bool there = true;
  for (u32 i = 0; i < at->bytes / 4; i++)
    there &= memory[i] == w->vgpr[data->index + i][lane];
  return there;
}

static void name_place(const Wavefront *w, u64 place, char *text, size_t size) {
  if (wavefront_in_lds(w, place))
    snprintf(text, size, "LDS byte %llu", place - (u64)w->group->lds + 0ull);
  else
    snprintf(text, size, "address 0x%llx", place + 0ull);
}

// Lanes of one store that meet at one place with different values: one of them stays.
static void tell_lost(Wavefront *w, const Instruction *in, const Places *at, const Operand *data) {
  char thread[64], where[64];
  const u32 half = at->bytes < 4 && strstr(in->info->mnemonic, "d16_hi") ? 16 : 0;
  FOR_LANES_OF(at->pieces ? 0 : at->lanes) {
    const u64 place = place_of(at, lane);
    if (wavefront_in_scratch(w, place) || still_there(w, at, data, half, lane))
      continue;
    for (int other = lane + 1; other < LANES; other++)
      if ((at->lanes >> other & 1) && place_of(at, other) == place) {
        shadow_thread(w->group, w->number, other, thread, sizeof thread);
        name_place(w, place, where, sizeof where);
        wavefront_notice(
            w, lane,
            "writes to %s, and so does %s by the same instruction, with another "
            "value: one of the two stays, and which one is not defined. To count or to add "
            "up, use atomicAdd; else each thread needs a place of its own",
            where, thread);
        return;
      }
  }
}

// Two of the lanes that store at one place; false if there are none, or others keep them from being seen.
static bool find_two(const Places *at, int *one, int *other) {
  enum { SLOTS = 4 * LANES };
  u8 taken[SLOTS] = {0}; // lane + 1
  FOR_LANES_OF(at->pieces ? 0 : at->lanes) {
    const u64 place = place_of(at, lane);
    u8 *slot = &taken[place / 4 % SLOTS];
    if (*slot && place_of(at, *slot - 1) == place) {
      *one = *slot - 1;
      *other = lane;
      return true;
    }
    *slot = (u8)(lane + 1);
  }
  return false;
}

// Lanes that change the value of one place, and all found the same one.
static void tell_lost_update(Wavefront *w, const Instruction *in, const Places *at) {
  char thread[64], where[64];
  int one, other;
  if (!at->lanes || !lost_update_by(w, in, __builtin_ctzll(at->lanes)) ||
      !find_two(at, &one, &other))
    return;
  const u64 place = place_of(at, one);
  if (wavefront_in_scratch(w, place))
    return;
  shadow_thread(w->group, w->number, other, thread, sizeof thread);
  name_place(w, place, where, sizeof where);
  wavefront_notice(
      w, one,
      "reads %s, changes the value and writes it back, and so does %s by the same instructions: "
      "both "
      "find the same value there, and one of the two changes is lost. To count or to add up, use "
      "atomicAdd; else each thread needs a place of its own",
      where, thread);
}

void sanitizer_touch_lds(Wavefront *w, u64 begin) {
  Touched *touched = &w->shadow->touched[w->shadow->accesses++];
  Access access = {.spans = spans_of_block(begin, 4), .bytes = 4, .regular = true};
  place(&access, MEMORY_STORE, w->exec, touched);
  tell_misaligned(w, &touched->at);
  touched->at.fresh = false;
  keep_before(w, touched);
}

static bool touches_lds(const Wavefront *w) {
  const Places *at = &w->shadow->touched[0].at;
  return w->shadow->accesses && at->lanes &&
         wavefront_in_lds(w, place_of(at, __builtin_ctzll(at->lanes)));
}

// ---- one instruction ----

static void touch_memory(Wavefront *w, const Instruction *in) {
  Shadow *shadow = w->shadow;
  if (in->info->action == MEMORY_LOAD || in->info->unit == UNIT_SMEM)
    lost_update_look(w, in);
  in->execute(w, in);
  undefined_transfer(w, in);
  if (shadow_loads_into_lds(shadow, in)) {
    find_changes(w, &shadow->touched[1]);
    lds_race_note_brought(w, in);
  }
  for (int k = 0; in->info->action == MEMORY_STORE && k < shadow->accesses; k++)
    if (asks_for_before(in))
      find_changes(w, &shadow->touched[k]);
  if (in->info->unit == UNIT_LDS || in->info->action == MEMORY_ATOMIC || touches_lds(w))
    lds_race_note(w, in);
  store_conflict_note(w, in);
  for (int k = 0; in->info->action == MEMORY_STORE && k < shadow->accesses; k++)
    tell_lost(w, in, &shadow->touched[k].at, k ? &in->e : &in->c);
  if (in->info->action == MEMORY_STORE && shadow->accesses == 1)
    tell_lost_update(w, in, &shadow->touched[0].at);
}

static void execute_memory(Wavefront *w, const Instruction *in) {
  if (in->info->action != MEMORY_NONE && !(in->info->unit == UNIT_BUFFER && in->b.registers == 4))
    check_missed(w);
  touch_memory(w, in);
}

void sanitizer_touch_memory(Wavefront *w, const Instruction *in) {
  w->shadow->accesses = 0;
  touch_memory(w, in);
  pending_note(w, in);
}

void sanitizer_wait(Wavefront *w, u64 waits) {
  pending_wait(w->shadow, (Waits){(u32)waits, (u32)(waits >> 32)});
}

void sanitizer_execute(Wavefront *w, const Instruction *in) {
  w->shadow->accesses = 0;
  pending_check(w, in);
  undefined_check_use(w, in);
  switch ((Unit)in->info->unit) {
  case UNIT_SALU:
  case UNIT_VALU:
  case UNIT_MFMA:
    undefined_compute(w, in);
    break;
  case UNIT_LDS:
    if (in->info->action == MEMORY_NONE && in->d.registers) { // permutes
      undefined_compute(w, in);
      break;
    }
    execute_memory(w, in);
    break;
  case UNIT_GLOBAL:
  case UNIT_FLAT:
  case UNIT_SCRATCH:
  case UNIT_BUFFER:
  case UNIT_IMAGE:
  case UNIT_SMEM:
    execute_memory(w, in);
    break;
  default:
    in->execute(w, in);
    undefined_transfer(w, in);
    if (w->state == WAVE_AT_BARRIER)
      note_barrier(w, in);
  }
  pending_note(w, in);
}
