// Where the lanes of a vector memory instruction go: see memory_address.h.
#include "memory_address.h"

#include "access_count.h"
#include "buffer.h"
#include "device_memory.h"
#include "private_bytes.h"
#include "sanitizer.h"
#include "settings.h"
#include "shadow.h"

// Bits that no address has where lanes are aligned.
static u32 misaligned_bits(const Access *access, MemoryAction action) {
  return (access->bytes > 4 && action != MEMORY_ATOMIC ? 4 : access->bytes) - 1;
}

// Private memory is interleaved so that one dword of all lanes is one 256 B row (descriptor of ROCr
// FillBufRsrcWord1 and 3: swizzle, element 4 B, index stride 64). offset: bytes in the lane's own
// private segment; it wraps at 32 bits, because the compiler indexes arrays from their end by a
// negative register and a positive constant.
static u64 scratch_offset(u32 offset, int lane) {
  return (u64)(offset & ~3u) * LANES + 4u * (u64)lane + (offset & 3);
}

// From the first byte of a lane's dword to its last of so many, and one more.
static u64 scratch_reach(u32 bytes) {
  return bytes > 4 ? (u64)((bytes + 3) / 4 - 1) * 4 * LANES + 4 : bytes;
}

static void scratch_check(Wavefront *w, int lane, u64 address, u32 bytes) {
  const u64 begin = (u64)w->scratch,
            end = address - address % 4 + scratch_reach((u32)(address % 4) + bytes) - begin;
  if (address < begin || end > w->scratch_bytes)
    wavefront_fault(w, FAULT_SCRATCH, lane,
                    "an access to private memory (local arrays, and the stack of functions) lies "
                    "%lld bytes from "
                    "the begin of the wave's private memory of %llu bytes, outside it: an index of "
                    "a local array "
                    "is too large or negative, or functions call each other too deeply%s",
                    (long long)(address - begin), (unsigned long long)w->scratch_bytes,
                    w->thread->launch->kernel->dynamic_stack
                        ? "; hipDeviceSetLimit(hipLimitStackSize, bytes), which ROCm has from 5.3 "
                          "on, gives threads more"
                        : "");
  if (end > w->scratch_used)
    w->scratch_used = end;
}

static void global_addresses(Wavefront *w, const Instruction *in, Access *access) {
  const u32 *low = w->vgpr[in->a.index];
  i64 offset = in->offset;
  if (in->b.kind == OPERAND_NONE) {
    FOR_LANES access->address[lane] = get_u64(low, lane) + (u64)offset;
  } else {
    u64 base = scalar_u64(w, &in->b) + (u64)offset;
    FOR_LANES access->address[lane] = base + low[lane];
  }
  access->lanes = w->exec;
}

// The common case of generic addresses that are not global: all active lanes lie in what the
// workgroup asked for of LDS.
static bool all_in_lds(Wavefront *w, const Instruction *in, const Access *access) {
  const u32 *low = w->vgpr[in->a.index], *high = low + LANES;
  const i64 last = (i64)w->thread->launch->lds_bytes - access->bytes - in->offset;
  u32 elsewhere = 0;
  if (last < 0 || in->offset < 0)
    return false;
  expand_exec(w);
  FOR_LANES elsewhere |=
      w->exec_lanes[lane] & ((high[lane] ^ SHARED_APERTURE) | -(u32)(low[lane] > (u32)last));
  return !elsewhere;
}

// A generic address names LDS or private memory by its high word. Lanes of either are resolved here
// and taken out of the global access.
static u64 flat_addresses(Wavefront *w, const Instruction *in, Access *access) {
  const u32 *low = w->vgpr[in->a.index], *high = low + LANES;
  u64 others = 0;
  if (all_in_lds(w, in, access)) {
    FOR_LANES access->address[lane] = (u64)w->group->lds + low[lane] + (u64)in->offset;
    access->lanes = 0;
    return w->exec;
  }
  access->lanes = w->exec;
  FOR_LANES {
    u64 offset = (u64)low[lane] + (u64)(i64)in->offset;
    access->address[lane] = get_u64(low, lane) + (u64)(i64)in->offset;
    if (!(w->exec >> lane & 1))
      continue;
    if (high[lane] == SHARED_APERTURE) {
      access->address[lane] =
          (u64)w->group->lds + lds_access_check(w, lane, offset, access->bytes, in->info->action);
      others |= 1ull << lane;
    } else if (high[lane] == PRIVATE_APERTURE) {
      u64 base = w->sgpr[SGPR_FLAT_SCRATCH] | (u64)w->sgpr[SGPR_FLAT_SCRATCH + 1] << 32;
      access->address[lane] = base + scratch_offset((u32)offset, lane);
      scratch_check(w, lane, access->address[lane], access->bytes);
      others |= 1ull << lane;
    }
  }
  access->lanes &= ~others;
  return others;
}

// Whether a register's active lanes are alike, of which there is one, and those of the next, if there is any.
static bool alike(Wavefront *w, const u32 *row, const u32 *next) {
  if (!ends_alike(w, row))
    return false; // before all are looked at
  const int first = __builtin_ctzll(w->exec);
  expand_exec(w);
  return !off_ramp(row, LANES, row[first], 0, w->exec_lanes) &&
         !(next && off_ramp(next, LANES, next[first], 0, w->exec_lanes));
}

// Where lane 0 has an offset that all active lanes have. 0 where a whole row might lie outside.
static u64 private_rows(Wavefront *w, u64 base, u32 offset, u32 bytes) {
  const u64 last = LANES - 1 - (u64)__builtin_clzll(w->exec), begin = (u64)w->scratch,
            rows = base + scratch_offset(offset, 0),
            used = rows + 4 * last + scratch_reach(bytes) - begin;
  if (offset & 3 || rows < begin || rows + (u64)bytes * LANES > begin + w->scratch_bytes)
    return 0;
  w->scratch_used = used > w->scratch_used ? used : w->scratch_used;
  return rows;
}

u64 memory_private_rows(Wavefront *w, const Instruction *in, u32 bytes) {
  const u32 *low = w->vgpr[in->a.index], *high = low + LANES;
  if (!w->exec || w->shadow)
    return 0;
  const int first = __builtin_ctzll(w->exec);
  if (high[first] != PRIVATE_APERTURE || !alike(w, low, high))
    return 0;
  const u64 base = w->sgpr[SGPR_FLAT_SCRATCH] | (u64)w->sgpr[SGPR_FLAT_SCRATCH + 1] << 32;
  return private_rows(w, base, low[first] + (u32)in->offset, bytes);
}

u64 memory_one_place(Wavefront *w, const Instruction *in, u32 bytes) {
  const Unit unit = in->info->unit;
  const u32 *low = w->vgpr[in->a.index], *high = in->b.kind == OPERAND_NONE ? low + LANES : NULL;
  if ((unit != UNIT_GLOBAL && unit != UNIT_FLAT) || !w->exec || w->shadow || traffic_wanted(w) ||
      !alike(w, low, high))
    return 0;
  const int first = __builtin_ctzll(w->exec);
  const u64 base = high ? (u64)high[first] << 32 : scalar_u64(w, &in->b),
            address = base + low[first] + (u64)(i64)in->offset;
  const bool usual = !(address & 3) && access_seen_by(w->thread, in, address, address + bytes);
  return usual ? address : 0;
}

// A dword of one place, or a part of it: lanes lie a dword apart. The sanitizer looks at dwords so if all are active.
static bool regular_private(Wavefront *w, u64 base, u32 common, const u32 *own, Access *access) {
  enum { DWORD = 4 };
  if (access->bytes > DWORD || !w->exec || base % DWORD ||
      (w->shadow && (access->bytes != DWORD || w->exec != ~0ull)) || (own && !alike(w, own, NULL)))
    return false;
  const u32 offset = common + (own ? own[__builtin_ctzll(w->exec)] : 0), place = offset % DWORD;
  const u64 row = place + access->bytes <= DWORD ? private_rows(w, base, offset - place, DWORD) : 0;
  if (!row)
    return false;
  access->spans = spans_of_block(row + place, DWORD);
  access->lanes = w->exec;
  return true;
}

// Dwords or parts of them, each lane's at an offset of its own, in rows that the wave has. False if anything is to be told.
static bool near_private(Wavefront *w, u64 base, u32 common, const u32 *own, Access *access) {
  enum { DWORD = 4, ROW_BYTES = DWORD * LANES };
  const u64 begin = (u64)w->scratch, end = begin + w->scratch_bytes;
  if (access->bytes > DWORD || !own || !w->exec || base < begin || base > end ||
      end - base > UINT32_MAX)
    return false;
  const u32 inside = (u32)(end - base) / ROW_BYTES * DWORD,
            misaligned = misaligned_bits(access, MEMORY_LOAD);
  expand_exec(w);
  u32 wrong = 0, last = 0;
  FOR_LANES {
    const u32 offset = own[lane] + common, byte = offset % DWORD;
    access->place[lane] = (offset - byte) * LANES + DWORD * (u32)lane + byte;
    wrong |= ((offset >= inside) | (offset & misaligned)) & w->exec_lanes[lane];
  }
  if (wrong)
    return false;
  FOR_LANES {
    const u32 place = access->place[lane] & w->exec_lanes[lane];
    last = place > last ? place : last;
  }
  const u64 used = base - begin + last + access->bytes;
  w->scratch_used = used > w->scratch_used ? used : w->scratch_used;
  access->lanes = w->exec;
  access->offset = access->place;
  access->base = base;
  access->block = UINT32_MAX;
  return true;
}

// Of each lane's own offset (NULL: none) behind the common one.
static void private_addresses(Wavefront *w, u64 base, u32 common, const u32 *own, Access *access) {
  const u64 begin = (u64)w->scratch, reach = scratch_reach(access->bytes + 3); // if misaligned
  access->regular = regular_private(w, base, common, own, access);
  if (access->regular || near_private(w, base, common, own, access))
    return;
  access->lanes = w->exec;
  for (int lane = 0; lane < LANES && own; lane++)
    access->address[lane] = base + scratch_offset(common + own[lane], lane);
  for (int lane = 0; lane < LANES && !own; lane++)
    access->address[lane] = base + scratch_offset(common, lane);
  Eighth highest = {0}, address, active; // from the begin, or beyond all where it lies before that
  for (int lane = 0; lane < LANES; lane += EIGHTH) {
    eighth_of(access, lane, &address, &active);
    const Eighth here = (address - begin) & active, higher = (Eighth)(here > highest);
    highest = (here & higher) | (highest & ~higher);
  }
  u64 last = 0;
  for (int i = 0; i < EIGHTH; i++)
    last = highest[i] > last ? highest[i] : last;
  const bool outside = w->exec && (last > w->scratch_bytes || last + reach > w->scratch_bytes);
  const u64 used = w->exec && last + reach > w->scratch_used ? last + reach : w->scratch_used;
  w->scratch_used = outside ? w->scratch_bytes : used;
  for (int lane = 0; lane < LANES && outside; lane++)
    if (w->exec >> lane & 1)
      scratch_check(w, lane, access->address[lane], access->bytes);
}

// Private memory by an offset: the compiler's way to it on gfx942.
static void scratch_addresses(Wavefront *w, const Instruction *in, Access *access) {
  const u64 base = w->sgpr[SGPR_FLAT_SCRATCH] | (u64)w->sgpr[SGPR_FLAT_SCRATCH + 1] << 32;
  const u32 scalar = in->b.kind == OPERAND_NONE ? 0 : scalar_u32(w, &in->b);
  private_addresses(w, base, (u32)in->offset + scalar,
                    in->a.kind != OPERAND_NONE ? w->vgpr[in->a.index] : NULL, access);
}

// Scratch goes through a swizzled descriptor with the lane as index.
static bool is_scratch(const Buffer *buffer) { return buffer->swizzled && buffer->add_lane; }

static void any_buffer_addresses(Wavefront *w, const Instruction *in, Access *access) {
  const Buffer buffer = buffer_of(w, in);
  access->scratch = is_scratch(&buffer);
  if (!access->scratch) {
    buffer_addresses(w, in, &buffer, access);
    return;
  }
  const u32 scalar = in->e.kind == OPERAND_NONE ? 0 : scalar_u32(w, &in->e);
  private_addresses(w, buffer.base + scalar, (u32)in->offset,
                    in->offen ? w->vgpr[in->a.index + in->idxen] : NULL, access);
}

// ---- of all kinds ----

// Spans of generic addresses that lie in what the workgroup asked for of LDS, as the loops of a scan or a
// reduction have them whose array is an argument. The sanitizer wants to see each lane.
static bool regular_in_lds(Wavefront *w, const Instruction *in, Access *access) {
  u64 begin, end;
  spans_reach(&access->spans, w->exec, access->bytes, &begin, &end);
  if (in->offset < 0 || end + (u64)in->offset > w->thread->launch->lds_bytes || w->shadow)
    return false;
  access->spans.base += (u64)w->group->lds + (u64)in->offset;
  access->lanes = 0;
  return true;
}

// Makes of the instruction's registers offsets from one base, which it returns.
static u64 behind_base(Wavefront *w, const Instruction *in, u32 page, Access *access) {
  const bool whole = in->b.kind == OPERAND_NONE; // addresses
  access->lanes = w->exec;
  access->offset = w->vgpr[in->a.index];
  access->block = UINT32_MAX;
  access->base = (whole ? (u64)page << 32 : scalar_u64(w, &in->b)) + (u64)(i64)in->offset;
  return access->base;
}

// The addresses of a global or generic access as spans, which they mostly are; without a carry from one
// half of the address to the other.
static bool regular_addresses(Wavefront *w, const Instruction *in, Access *access) {
  const bool global = in->info->unit == UNIT_GLOBAL;
  const u32 *low = w->vgpr[in->a.index];
  const u32 *high = in->b.kind == OPERAND_NONE ? low + LANES : NULL; // of whole addresses
  Spans *spans = &access->spans;
  if ((!global && in->info->unit != UNIT_FLAT) || !spans_of(w, low, high, access->bytes, spans))
    return false;
  SpanBases end = spans->base + SPAN * spans->stride + access->bytes;
  if ((end[0] | end[1] | end[2] | end[3]) > UINT32_MAX)
    return false;
  u32 page = high ? high[__builtin_ctzll(w->exec)] : 0;
  if (!global && page == SHARED_APERTURE)
    return regular_in_lds(w, in, access);
  if (!global && page == PRIVATE_APERTURE)
    return false;
  spans->base += behind_base(w, in, page, access);
  return true;
}

// Other lanes of one upper half, or behind a scalar; false if anything is to be told of one of them.
static bool near_addresses(Wavefront *w, const Instruction *in, Access *access,
                           MemoryAction action) {
  const bool global = in->info->unit == UNIT_GLOBAL;
  const u32 *high = in->b.kind == OPERAND_NONE ? w->vgpr[in->a.index] + LANES : NULL;
  if ((!global && in->info->unit != UNIT_FLAT) || !w->exec)
    return false;
  const u32 page = high ? high[__builtin_ctzll(w->exec)] : 0;
  if (!global && (page == SHARED_APERTURE || page == PRIVATE_APERTURE))
    return false;
  behind_base(w, in, page, access);
  if (access_behind_base(w, access, high, misaligned_bits(access, action)))
    return true;
  access->offset = NULL;
  return false;
}

void memory_require_alignment(Wavefront *w, Access *access, MemoryAction action) {
  const u64 mask = misaligned_bits(access, action);
  if (access->regular) {
    SpanBases base = access->spans.base;
    if (!((access->spans.stride | base[0] | base[1] | base[2] | base[3]) & mask))
      return;
    access_spread(access);
  }
  u64 misaligned = 0;
  if (access->lanes == ~0ull) {
    FOR_LANES misaligned |= access->address[lane] & mask;
  } else if (few_lanes(access->lanes)) {
    FOR_LANES_OF(access->lanes) misaligned |= access->address[lane] & mask;
  } else {
    const int end = spans_end(access->lanes);
    Eighth low_bits = {0}, addresses, active;
    for (int lane = 0; lane < end; lane += EIGHTH) {
      eighth_of(access, lane, &addresses, &active);
      low_bits |= addresses & active & mask;
    }
    for (int i = 0; i < EIGHTH; i++)
      misaligned |= low_bits[i];
  }
  if (!misaligned)
    return;
  int lane = 0;
  while (!(access->lanes >> lane & 1) || !(access->address[lane] & mask))
    lane++;
  unsigned long long address = access->address[lane], wanted = mask + 1;
  if (action == MEMORY_ATOMIC)
    wavefront_fault(w, FAULT_ADDRESS, lane,
                    "an atomic of %u bytes at address 0x%llx, which is no multiple of %llu: "
                    "misaligned atomics are not possible",
                    access->bytes, address, wanted);
  if (!wavefront_in_kernel(w))
    return; // functions may know what they do: the device library copies strings so
  const Allocation *allocation = device_memory_find(address, access->bytes);
  if (allocation && (allocation->kind == MEMORY_RUNTIME || allocation->kind == MEMORY_CODE))
    return; // the compiler reads the dispatch packet as it likes, and the device library texts
  if (!allocation && !settings()->xnack && !wavefront_in_scratch(w, address))
    return; // there is more to be told of it
  wavefront_notice(
      w, lane,
      "a misaligned access of %u bytes at address 0x%llx, which is no multiple of "
      "%llu. The device splits it and goes on. Nothing is wrong where the compiler made it of "
      "smaller ones, as of two bools or the bytes of a uchar3, or where the type may lie so, as "
      "packed ones and short3 may; elsewhere a pointer or an index is",
      access->bytes, address, wanted);
}

// Each lane's address, of whatever kind. Returns the lanes that do not access global memory.
static u64 separate_addresses(Wavefront *w, const Instruction *in, Access *access) {
  if (in->info->unit == UNIT_FLAT)
    return flat_addresses(w, in, access);
  if (in->info->unit == UNIT_GLOBAL) {
    global_addresses(w, in, access);
    return 0;
  }
  if (in->info->unit == UNIT_SCRATCH) {
    scratch_addresses(w, in, access);
    access->scratch = true;
    return 0;
  }
  any_buffer_addresses(w, in, access);
  return 0;
}

// Whether two lanes tell that they lie neither side by side nor at one place, and nobody wants to know the lines: then
// each is looked up behind a base, without a look at how far they are apart.
static bool scattered(const Wavefront *w, const Instruction *in, const Access *access) {
  const u64 behind = w->exec & (w->exec - 1);
  if (traffic_wanted(w) || w->shadow || !behind || in->info->unit != UNIT_GLOBAL)
    return false;
  const u32 *low = w->vgpr[in->a.index];
  const int first = __builtin_ctzll(w->exec), next = __builtin_ctzll(behind);
  const u32 apart = low[next] - low[first], lanes = (u32)(next - first);
  return apart && apart != lanes * access->bytes && !lanes_slide(apart, lanes, access->bytes);
}

u64 memory_resolve(Wavefront *w, const Instruction *in, Access *access, MemoryAction action) {
  u64 others = 0;
  access->scratch = access->shared = false;
  access->parts = access->copied = 0;
  access->offset = NULL;
  access->regular =
      action != MEMORY_ATOMIC && !scattered(w, in, access) && regular_addresses(w, in, access);
  if (access->regular)
    others = w->exec & ~access->lanes;
  else if (!near_addresses(w, in, access, action))
    others = separate_addresses(w, in, access);
  const bool near = !access->regular && access->offset;
  if (near && (traffic_wanted(w) || w->shadow))
    access_spread(access);
  if (access->regular && action == MEMORY_ATOMIC) { // which looks at each lane
    access_spread(access);
    access->regular = false;
  }
  if (access->lanes) {
    if (!near && !access->scratch) // what is near has been looked at
      memory_require_alignment(w, access, action);
    if (!near && !access->scratch)
      access_check(w, access, action);
    access_count(w, access, action);
  }
  const u64 lanes = access->lanes | others, may_be_private = access->scratch ? lanes : others;
  if (may_be_private && !access->regular && !near && action != MEMORY_ATOMIC)
    access->copied = private_bytes_gather(w, access, may_be_private);
  if (w->shadow)
    sanitizer_touch(w, access, lanes & ~access->copied);
  return lanes;
}

u64 memory_resolve_lanes(Wavefront *w, const Instruction *in, Access *access, MemoryAction action) {
  u64 lanes = memory_resolve(w, in, access, action);
  if (access->regular || access->offset)
    access_spread(access);
  return lanes;
}
