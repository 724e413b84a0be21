// Uninitialised values on their way to and from memory: see undefined_memory.h.
#include "undefined_memory.h"

#include "bits.h"
#include "defined_memory.h"
#include "undefined_operand.h"

// The dword of a lane's data; in private memory they lie apart.
static u64 word_at(const Wavefront *w, u64 address, int word) {
  return address + (u64)word * (wavefront_in_scratch(w, address) ? 4 * LANES : 4);
}

// Bytes of up to 4 that were never written, a bit each.
static u32 missing(const Wavefront *w, u64 address, u32 bytes) {
  if (wavefront_in_lds(w, address))
    return bits_missing(w->group->shadow->written, address - (u64)w->group->lds, bytes);
  if (wavefront_in_scratch(w, address))
    return bits_missing(w->shadow->scratch_written, address - (u64)w->scratch, bytes);
  return defined_memory_missing(address, bytes);
}

static void mark(const Wavefront *w, u64 address, u64 bytes, u32 undefined) {
  u8 *bits = wavefront_in_lds(w, address)       ? w->group->shadow->written
             : wavefront_in_scratch(w, address) ? w->shadow->scratch_written
                                                : NULL;
  const u64 first = address - (u64)(wavefront_in_lds(w, address) ? w->group->lds : w->scratch);
  if (!bits) {
    defined_memory_written((const void *)address, bytes);
    if (undefined)
      defined_memory_forget(address, undefined);
    return;
  }
  bits_set(bits, first, bytes);
  bits_clear(bits, first, undefined);
}

// Whether arithmetic made what is undefined of a dword: of LDS and of private memory, for in global memory that is refused.
static bool is_computed(const Wavefront *w, u64 address) {
  if (wavefront_in_lds(w, address))
    return bit_is_set(w->group->shadow->computed, (address - (u64)w->group->lds) / 4);
  return wavefront_in_scratch(w, address) &&
         bit_is_set(w->shadow->scratch_computed, (address - (u64)w->scratch) / 4);
}

static void mark_computed(const Wavefront *w, u64 address, bool computed) {
  u8 *bits = wavefront_in_lds(w, address)       ? w->group->shadow->computed
             : wavefront_in_scratch(w, address) ? w->shadow->scratch_computed
                                                : NULL;
  if (!bits)
    return;
  const u64 dword =
      (address - (u64)(wavefront_in_lds(w, address) ? w->group->lds : w->scratch)) / 4;
  if (computed)
    bits_set(bits, dword, 1);
  else
    bits_clear(bits, dword, 1);
}

static bool all_written(const Wavefront *w, u64 address, u64 bytes) {
  if (wavefront_in_lds(w, address))
    return bits_all_set(w->group->shadow->written, address - (u64)w->group->lds, bytes);
  if (wavefront_in_scratch(w, address))
    return bits_all_set(w->shadow->scratch_written, address - (u64)w->scratch, bytes);
  return defined_memory_all(address, bytes);
}

static bool pieces_written(const Wavefront *w, const Places *at) {
  bool all = true;
  for (int i = 0; all && i < at->pieces; i++)
    all = all_written(w, at->piece[i].begin, at->piece[i].bytes);
  return all;
}

// Where the lanes are, which `spread` has room for.
static const u64 *addresses_of(const Places *at, u64 *spread) {
  if (!at->regular)
    return at->address;
  FOR_LANES spread[lane] = place_of(at, lane);
  return spread;
}

// All lanes read of LDS what was written: up to 16 bytes are a bit each in a word.
static bool lds_written(const Wavefront *w, const Places *at) {
  const u8 *written = w->group->shadow->written;
  const u32 all = (1u << at->bytes) - 1;
  u32 missing = 0;
  u64 spread[LANES];
  const u64 *address = addresses_of(at, spread), lds = (u64)w->group->lds;
  FOR_LANES {
    const u64 byte = address[lane] - lds;
    u32 bits;
    memcpy(&bits, written + byte / 8 % (DEVICE_LDS_BYTES / 8), sizeof bits);
    bits = byte + at->bytes > DEVICE_LDS_BYTES ? 0 : bits >> byte % 8;
    missing |= at->lanes >> lane & 1 ? ~bits & all : 0;
  }
  return !missing;
}

// The bytes from the first to the last that the lanes touch; 0 if they lie far apart, or in private
// memory, where what is between them is of other lanes.
static u64 span(const Wavefront *w, const Places *at, u64 *first) {
  enum { FAR = 1 << 16 };
  u64 lowest = UINT64_MAX, highest = 0;
  FOR_LANES if (at->lanes >> lane & 1) {
    lowest = place_of(at, lane) < lowest ? place_of(at, lane) : lowest;
    highest = place_of(at, lane) > highest ? place_of(at, lane) : highest;
  }
  *first = lowest;
  return highest - lowest < FAR && !wavefront_in_scratch(w, lowest) ? highest - lowest + at->bytes
                                                                    : 0;
}

static bool span_written(const Wavefront *w, const Places *at) {
  u64 first = 0, bytes = span(w, at, &first);
  return bytes && all_written(w, first, bytes);
}

// The bits of a register that a load changes.
static u32 loads_into(const Instruction *in) {
  const char *half = strstr(in->info->mnemonic, "_d16");
  return !half ? ~0u : strstr(half, "_hi") ? 0xffff0000 : 0xffff;
}

// Undefined bits of a register into which the bytes were loaded.
static u32 loaded_bits(const Instruction *in, u32 bytes, u32 missing) {
  static const char *const extended[] = {"_sbyte", "_sshort", "_i8", "_i16"}; // by their sign
  u32 bits = 0;
  for (u32 i = 0; i < bytes; i++)
    bits |= (missing >> i & 1) * 0xffu << (8 * i);
  if (bytes == 4 || !bits)
    return bits;
  for (size_t i = 0; i < sizeof extended / sizeof *extended; i++)
    if (strstr(in->info->mnemonic, extended[i]))
      bits = ~0u;
  return (loads_into(in) == 0xffff0000 ? bits << 16 : bits) & loads_into(in);
}

static bool lanes_written(const Places *at) {
  u64 spread[LANES];
  return defined_memory_all_of(addresses_of(at, spread), at->lanes, at->bytes);
}

static bool places_written(const Wavefront *w, const Instruction *in, const Places *at) {
  if (!at->lanes)
    return true;
  if (at->pieces)
    return pieces_written(w, at);
  switch ((Unit)in->info->unit) {
  case UNIT_LDS:
    return lds_written(w, at);
  case UNIT_GLOBAL:
    return lanes_written(at);
  default:
    return span_written(w, at);
  }
}

// The other half of the register stays as it was.
static void define_half(Wavefront *w, int r, u32 half) {
  Shadow *shadow = w->shadow;
  FOR_LANES_OF(shadow->undefined[r] & w->exec) {
    const u32 bits = shadow_bits(shadow, r, lane) & ~half;
    shadow->bits[r][lane] = bits;
    shadow->whole[r] &= ~(1ull << lane);
    if (!bits)
      shadow->undefined[r] &= ~(1ull << lane);
  }
}

bool undefined_place(const Wavefront *w, const Instruction *in, const Places *at) {
  return !places_written(w, in, at);
}

static void load(Wavefront *w, const Instruction *in, Places *at, int first_register) {
  Shadow *shadow = w->shadow;
  const int words = (int)(at->bytes + 3) / 4;
  const u32 changed = at->bytes < 4 ? loads_into(in) : ~0u;
  if (changed != ~0u)
    define_half(w, first_register, changed);
  for (int i = 0; i < words && changed == ~0u; i++)
    shadow->undefined[first_register + i] &= ~w->exec;
  if (places_written(w, in, at))
    return;
  bool found = false; // the lowest lane's is the origin that is named
  FOR_LANES for (int i = 0; (at->lanes >> lane & 1) && i < words; i++) {
    const u32 here = at->bytes < 4 ? at->bytes : 4;
    const u64 address = word_at(w, place_of(at, lane), i);
    const u32 absent = missing(w, address, here), bits = loaded_bits(in, here, absent);
    if (!bits)
      continue;
    const u32 kept = shadow->undefined[first_register + i] >> lane & 1
                         ? shadow_bits(shadow, first_register + i, lane)
                         : 0;
    shadow->undefined[first_register + i] |= 1ull << lane;
    shadow->computed[first_register + i] &= ~(1ull << lane);
    shadow->computed[first_register + i] |= (u64)is_computed(w, address) << lane;
    shadow->whole[first_register + i] &= ~(1ull << lane);
    shadow->whole[first_register + i] |= (u64)((kept | bits) == ~0u) << lane;
    shadow->bits[first_register + i][lane] = kept | bits;
    if (!found || lane == __builtin_ctzll(shadow->undefined[first_register + i] & w->exec))
      shadow->origin[first_register + i] = (Origin){in, address + (u32)__builtin_ctz(absent)};
    found = true;
  }
}

// Bytes whose bits are all undefined; of what arithmetic made, as a truth value, those with any such bit.
static u32 undefined_bytes(u32 bits, u32 count, bool computed) {
  u32 bytes = 0;
  for (u32 i = 0; i < count; i++) {
    const u32 byte = bits >> (8 * i) & 0xff;
    bytes |= (u32)(computed ? byte != 0 : byte == 0xff) << i;
  }
  return bytes;
}

bool undefined_computes_unused(const Wavefront *w) {
  static const char begin[] = "void rocprim::detail::";
  return strncmp(w->thread->launch->kernel->name, begin, strlen(begin)) == 0;
}

static void store_lane(Wavefront *w, const Instruction *in, const Places *at, const Operand *data,
                       int lane) {
  const Shadow *shadow = w->shadow;
  for (int i = 0; i < (int)(at->bytes + 3) / 4; i++) {
    const int r = data->index + i;
    const u32 here = at->bytes < 4 ? at->bytes : 4;
    const u64 address = word_at(w, place_of(at, lane), i);
    const bool undefined = shadow->undefined[r] >> lane & 1;
    const u32 all = undefined ? shadow_bits(shadow, r, lane) : 0,
              half = all && strstr(in->info->mnemonic, "d16_hi") ? all >> 16 : all,
              bits = half & (here == 4 ? ~0u : (1u << 8 * here) - 1);
    const bool computed = shadow->computed[r] >> lane & 1;
    if (bits && computed && !wavefront_in_lds(w, address) && !wavefront_in_scratch(w, address) &&
        !undefined_computes_unused(w))
      undefined_refuse(w, lane, "stores to global memory what was computed from",
                       &shadow->origin[r]);
    if (bits)
      mark_computed(w, address, computed);
    mark(w, address, here, undefined_bytes(bits, here, computed));
  }
}

// What all lanes have stored in LDS is written, as in lds_written().
static void mark_lds(Wavefront *w, const Places *at) {
  u8 *written = w->group->shadow->written;
  const u32 all = (1u << at->bytes) - 1;
  FOR_LANES_OF(at->lanes) {
    const u64 byte = place_of(at, lane) - (u64)w->group->lds;
    u8 *place = written + byte / 8 % (DEVICE_LDS_BYTES / 8);
    u32 bits;
    memcpy(&bits, place, sizeof bits);
    bits |= all << byte % 8;
    memcpy(place, &bits, sizeof bits);
  }
}

static void store(Wavefront *w, const Instruction *in, Places *at, const Operand *data) {
  const u64 undefined = undefined_lanes(w->shadow, data) & at->lanes;
  if (!at->lanes)
    return;
  if (at->pieces && !undefined) {
    for (int i = 0; i < at->pieces; i++)
      mark(w, at->piece[i].begin, at->piece[i].bytes, 0);
    return;
  }
  if (undefined || (in->info->unit != UNIT_GLOBAL && in->info->unit != UNIT_LDS)) {
    FOR_LANES if (at->lanes >> lane & 1) store_lane(w, in, at, data, lane);
    return;
  }
  if (in->info->unit == UNIT_LDS) {
    mark_lds(w, at);
  } else {
    u64 spread[LANES];
    defined_memory_written_all(addresses_of(at, spread), at->lanes, at->bytes);
  }
}

// What stands there does not count; a compare-and-swap compares it.
static bool exchanges(const Instruction *in) {
  return (strstr(in->info->mnemonic, "swap") && !strstr(in->info->mnemonic, "cmpswap")) ||
         strstr(in->info->mnemonic, "wrxchg");
}

// The first byte of a lane's that nobody has written, counted from its place; as many as it has, if all were.
static u32 first_missing(const Wavefront *w, const Places *at, int lane) {
  for (u32 i = 0; i < at->bytes; i += 4) {
    const u32 bytes = missing(w, place_of(at, lane) + i, at->bytes < 4 ? at->bytes : 4);
    if (bytes)
      return i + (u32)__builtin_ctz(bytes);
  }
  return at->bytes;
}

void undefined_check_update(Wavefront *w, const Instruction *in, Places *at) {
  at->unwritten = 0;
  if (places_written(w, in, at))
    return;
  FOR_LANES_OF(at->lanes) {
    const u32 byte = first_missing(w, at, lane);
    if (byte == at->bytes)
      continue;
    at->unwritten |= 1ull << lane;
    if (!exchanges(in))
      undefined_refuse(w, lane, "updates atomically", &(Origin){in, place_of(at, lane) + byte});
  }
}

// An update with what is undefined is arithmetic; in LDS its result stays undefined until it is used.
static void update_with(Wavefront *w, const Places *at, const Operand *data) {
  const u64 undefined = undefined_lanes(w->shadow, data) & at->lanes;
  for (u64 lanes = undefined; lanes; lanes &= lanes - 1) {
    const int lane = __builtin_ctzll(lanes);
    const u64 address = place_of(at, lane);
    if (!wavefront_in_lds(w, address) && !undefined_computes_unused(w))
      undefined_refuse(w, lane, "updates global memory atomically with",
                       undefined_origin(w->shadow, data, lanes));
    for (u32 byte = 0; byte < at->bytes; byte += 4) {
      mark(w, address + byte, 4, 0xf);
      mark_computed(w, address + byte, true);
    }
  }
}

// What an exchange brings back of a place that nobody had written.
static void bring_back(Wavefront *w, const Instruction *in, const Places *at) {
  Shadow *shadow = w->shadow;
  for (int r = 0; operand_is_vector(&in->d) && r < in->d.registers; r++) {
    shadow->undefined[in->d.index + r] &= ~w->exec;
    if (!at->unwritten)
      continue;
    shadow->undefined[in->d.index + r] |= at->unwritten;
    shadow->whole[in->d.index + r] |= at->unwritten;
    shadow->computed[in->d.index + r] &= ~at->unwritten;
    shadow->origin[in->d.index + r] =
        (Origin){in, place_of(at, __builtin_ctzll(at->unwritten)) + 4ull * (u32)r};
  }
}

static void update(Wavefront *w, const Instruction *in, Places *at, int access) {
  FOR_LANES_OF(at->unwritten) mark(w, place_of(at, lane), at->bytes, 0);
  if (exchanges(in)) {
    store(w, in, at, access ? &in->e : &in->c);
  } else {
    update_with(w, at, &in->c);
    update_with(w, at, &in->e);
  }
  bring_back(w, in, at);
}

static void load_scalars(Wavefront *w, const Instruction *in, const Places *at) {
  Shadow *shadow = w->shadow;
  for (u32 i = 0; i < at->bytes / 4 && in->d.index + i < SGPR_COUNT; i++) {
    const u64 address = place_of(at, 0) + 4ull * i;
    const u32 absent = defined_memory_missing(address, 4);
    shadow->sgpr[in->d.index + i] = loaded_bits(in, 4, absent);
    shadow->sgpr_origin[in->d.index + i] =
        (Origin){in, address + (absent ? (u32)__builtin_ctz(absent) : 0)};
    shadow->sgpr_computed[in->d.index + i] = false;
  }
}

// What lanes beyond a buffer's records bring is 0.
static void bring(Wavefront *w, const Instruction *in, const Places *from, const Places *to) {
  FOR_LANES_OF(to->lanes) {
    const u64 address = place_of(from, lane);
    const u32 bits = from->lanes >> lane & 1
                         ? loaded_bits(in, from->bytes, missing(w, address, from->bytes))
                         : 0;
    mark(w, place_of(to, lane), 4, undefined_bytes(bits, 4, false));
  }
}

void undefined_transfer(Wavefront *w, const Instruction *in) {
  Shadow *shadow = w->shadow;
  if (shadow_loads_into_lds(shadow, in)) {
    bring(w, in, &shadow->touched[0].at, &shadow->touched[1].at);
    return;
  }
  for (int k = 0; k < shadow->accesses; k++) {
    Places *at = &shadow->touched[k].at;
    if (in->info->unit == UNIT_SMEM)
      load_scalars(w, in, at);
    else if (in->info->action == MEMORY_LOAD)
      load(w, in, at, in->d.index + k * (int)(at->bytes + 3) / 4);
    else if (in->info->action == MEMORY_STORE)
      store(w, in, at, k ? &in->e : &in->c);
    else
      update(w, in, at, k);
  }
  if (!shadow->accesses)
    undefined_define(w, in);
}
