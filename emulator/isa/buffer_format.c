// Formats of buffers: see buffer_format.h. Numbers: Vega ISA, "Buffer resource", and LLVM's names of
// them (BUF_DATA_FORMAT_*, BUF_NUM_FORMAT_*).
#include "buffer_format.h"

#include "lanes.h"

enum { UNORM, SNORM, USCALED, SSCALED, UINT, SINT, RESERVED, FLOAT };
enum { SELECT_ONE = 1, SELECT_FIRST = 4 };

// By the data format. Floats of 10 and 11 bits (6, 7) are not known here.
static const uint8_t channel_bits[16][FORMAT_CHANNELS] = {[1] = {8},
                                                          [2] = {16},
                                                          [3] = {8, 8},
                                                          [4] = {32},
                                                          [5] = {16, 16},
                                                          [8] = {2, 10, 10, 10},
                                                          [9] = {10, 10, 10, 2},
                                                          [10] = {8, 8, 8, 8},
                                                          [11] = {32, 32},
                                                          [12] = {16, 16, 16, 16},
                                                          [13] = {32, 32, 32},
                                                          [14] = {32, 32, 32, 32}};

bool buffer_format_of(uint32_t data, uint32_t number, uint32_t select, BufferFormat *format) {
  *format = (BufferFormat){.number = (uint8_t)number};
  for (int i = 0; i < FORMAT_CHANNELS; i++) {
    format->bits[i] = channel_bits[data & 15][i];
    format->channels += format->bits[i] != 0;
    format->select[i] = select >> 3 * i & 7;
  }
  const uint8_t bits = format->bits[0];
  const bool whole = bits == 32, half = bits == 16;
  return format->channels && number != RESERVED &&
         (number == FLOAT ? whole || half : number >= UINT || !whole);
}

uint32_t buffer_format_bytes(const BufferFormat *format) {
  uint32_t bits = 0;
  for (int i = 0; i < format->channels; i++)
    bits += format->bits[i];
  return bits / 8;
}

static bool is_integer(const BufferFormat *format) {
  return format->number == UINT || format->number == SINT;
}

bool buffer_format_has_halves(const BufferFormat *format) {
  return !is_integer(format) || format->bits[0] <= 16;
}

uint32_t buffer_format_half(const BufferFormat *format, uint32_t value) {
  return is_integer(format) ? (u16)value : bits_of_f16((f16)f32_of(value));
}

uint32_t buffer_format_of_half(const BufferFormat *format, uint32_t half) {
  return format->number == UINT   ? (u16)half
         : format->number == SINT ? (u32)(i16)half
                                  : bits_of_f32((f32)f16_of((u16)half));
}

static u32 all_ones(int bits) { return bits == 32 ? ~0u : (1u << bits) - 1; }

static u32 value_of(const BufferFormat *format, int bits, u32 raw) {
  const i32 with_sign = (i32)(raw << (32 - bits)) >> (32 - bits);
  switch (format->number) {
  case UNORM:
    return bits_of_f32((f32)raw / (f32)all_ones(bits));
  case SNORM:
    return bits_of_f32(fmaxf((f32)with_sign / (f32)all_ones(bits - 1), -1));
  case USCALED:
    return bits_of_f32((f32)raw);
  case SSCALED:
    return bits_of_f32((f32)with_sign);
  case SINT:
    return (u32)with_sign;
  case FLOAT:
    return bits == 16 ? bits_of_f32((f32)f16_of((u16)raw)) : raw;
  default:
    return raw;
  }
}

// Of floats; integers are their own bits.
static u32 raw_of(const BufferFormat *format, int bits, u32 value) {
  const f32 number = f32_of(value), defined = number == number ? number : 0;
  const f64 most = all_ones(bits), half = all_ones(bits - 1);
  switch (format->number) {
  case UNORM:
    return (u32)rint(fmin(fmax(defined, 0), 1) * most);
  case SNORM:
    return (u32)(i32)rint(fmin(fmax(defined, -1), 1) * half);
  case USCALED:
    return (u32)fmin(fmax(defined, 0), most);
  case SSCALED:
    return (u32)(i32)fmin(fmax(defined, -half - 1), half);
  case FLOAT:
    return bits == 16 ? bits_of_f16((f16)number) : value;
  default:
    return value;
  }
}

// Each load is as wide as the channel: of bytes that were just copied, a wider one would have to wait.
static u32 bits_at(const void *element, int first, int bits) {
  const u8 *begin = (const u8 *)element + first / 8;
  u16 half;
  u32 word;
  switch (bits) {
  case 8:
    return *begin;
  case 16:
    memcpy(&half, begin, sizeof half);
    return half;
  case 32:
    memcpy(&word, begin, sizeof word);
    return word;
  default: // of 2 or 10 bits: all channels are in one word
    memcpy(&word, element, sizeof word);
    return word >> first & all_ones(bits);
  }
}

static void set_bits_at(void *element, int first, int bits, u32 raw) {
  u64 word = 0;
  const size_t bytes = (size_t)(first % 8 + bits + 7) / 8;
  memcpy(&word, (u8 *)element + first / 8, bytes);
  word &= ~((u64)all_ones(bits) << first % 8);
  word |= (u64)(raw & all_ones(bits)) << first % 8;
  memcpy((u8 *)element + first / 8, &word, bytes);
}

void buffer_format_read(const BufferFormat *format, const void *element,
                        uint32_t value[FORMAT_CHANNELS]) {
  u32 channel[FORMAT_CHANNELS];
  for (int i = 0, first = 0; i < format->channels; first += format->bits[i++])
    channel[i] = value_of(format, format->bits[i], bits_at(element, first, format->bits[i]));
  for (int i = 0; i < FORMAT_CHANNELS; i++) {
    const int from = format->select[i] - SELECT_FIRST;
    const u32 one = is_integer(format) ? 1 : bits_of_f32(1);
    value[i] = from >= 0 && from < format->channels ? channel[from]
               : format->select[i] == SELECT_ONE    ? one
                                                    : 0;
  }
}

bool buffer_format_write(const BufferFormat *format, void *element,
                         const uint32_t value[FORMAT_CHANNELS]) {
  for (int i = 0, first = 0; i < format->channels; first += format->bits[i++]) {
    const int bits = format->bits[i];
    const u32 raw = raw_of(format, bits, value[i]);
    if (is_integer(format) && value_of(format, bits, raw & all_ones(bits)) != value[i])
      return false;
    set_bits_at(element, first, bits, raw);
  }
  return true;
}
