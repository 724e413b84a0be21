// Images and samplers: see image.h. Words: Vega ISA, "Image resource", "Buffer resource" and
// "Image sampler"; behind an image's first eight ROCr keeps what the device library asks for
// (ockl image.cl: 8 channel type, 9 channel order, 10 width), numbers of hsa_ext_image.h.
#include "image.h"

#include <math.h>
#include <string.h>

// Formats of memory: the hardware's number, and how HSA numbers the order of so many channels.
static const struct {
  uint8_t format, channels, bits;
} data_formats[] = {{1, 1, 8},  {2, 1, 16},  {3, 2, 8},   {4, 1, 32}, {5, 2, 16},
                    {10, 4, 8}, {11, 2, 32}, {12, 4, 16}, {14, 4, 32}};
enum { DATA_FORMATS = sizeof data_formats / sizeof *data_formats };
static const uint8_t order_of_channels[] = {[1] = 1, [2] = 3, [4] = 8};

// HSA's channel types, by number format and log2 of the bytes.
static const uint8_t channel_type[][3] = {
    [NUMBER_UNORM] = {2, 3, 0}, [NUMBER_SNORM] = {0, 1, 0},   [NUMBER_UINT] = {11, 12, 13},
    [NUMBER_SINT] = {8, 9, 10}, [NUMBER_FLOAT] = {0, 14, 15}, [NUMBER_SRGB] = {2}};
enum { ORDER_SRGB = 14 };

static uint32_t field(uint32_t word, int first, int bits) {
  return word >> first & ((1u << bits) - 1);
}

static uint32_t selection(const Image *image) {
  uint32_t bits = 0;
  for (int i = 0; i < CHANNELS; i++)
    bits |= (uint32_t)image->select[i] << 3 * i;
  return bits;
}

static uint32_t data_format(const Image *image) {
  for (int i = 0; i < DATA_FORMATS; i++)
    if (data_formats[i].channels == image->channels && data_formats[i].bits == image->bits)
      return data_formats[i].format;
  return 0;
}

static bool set_format(Image *image, uint32_t format, uint32_t number, uint32_t select) {
  image->number = (uint8_t)number;
  for (int i = 0; i < CHANNELS; i++)
    image->select[i] = (uint8_t)field(select, 3 * i, 3);
  for (int i = 0; i < DATA_FORMATS; i++)
    if (data_formats[i].format == format) {
      image->channels = data_formats[i].channels;
      image->bits = data_formats[i].bits;
      return number == NUMBER_UINT || number == NUMBER_SINT ||
             (number == NUMBER_SRGB && image->bits == 8 && image->channels == CHANNELS) ||
             (number == NUMBER_FLOAT && image->bits > 8) ||
             (number <= NUMBER_SNORM && image->bits < 32);
    }
  return false;
}

enum { LAST_LEVEL_BIT = 16 };

bool image_to_words(const Image *image, uint32_t word[IMAGE_WORDS]) {
  enum { LARGEST = 1 << 14, DEEPEST = 1 << 13, WIDEST_PITCH = 1 << 16 };
  const uint32_t format = data_format(image);
  memset(word, 0, IMAGE_WORDS * sizeof *word);
  word[8] = channel_type[image->number][__builtin_ctz(image->bits / 8u)];
  word[9] = image->number == NUMBER_SRGB ? ORDER_SRGB : order_of_channels[image->channels];
  word[10] = image->width;
  if (image->kind == IMAGE_BUFFER) {
    word[0] = (uint32_t)image->base;
    word[1] = (uint32_t)(image->base >> 32) | image_element_bytes(image) << 16;
    word[2] = image->width;
    word[3] = selection(image) | (uint32_t)image->number << 12 | format << 15;
    return true;
  }
  word[0] = (uint32_t)(image->base >> 8);
  word[1] = (uint32_t)(image->base >> 40) | format << 20 | (uint32_t)image->number << 26;
  word[2] = (image->width - 1) | (image->height - 1) << 14;
  word[3] = selection(image) | (image->levels - 1u) << LAST_LEVEL_BIT | (uint32_t)image->kind << 28;
  word[4] = (image->depth - 1) | (image->pitch - 1) << 13;
  return image->width <= LARGEST && image->height <= LARGEST && image->depth <= DEEPEST &&
         image->pitch <= WIDEST_PITCH;
}

bool image_of_words(const uint32_t word[8], Image *image) {
  const uint32_t kind = word[3] >> 28, tiling = field(word[3], 20, 5),
                 first_level = field(word[3], 12, 4);
  *image = (Image){.base = (word[0] | (uint64_t)field(word[1], 0, 8) << 32) << 8,
                   .width = field(word[2], 0, 14) + 1,
                   .height = field(word[2], 14, 14) + 1,
                   .depth = field(word[4], 0, 13) + 1,
                   .pitch = field(word[4], 13, 16) + 1,
                   .levels = (uint8_t)(field(word[3], LAST_LEVEL_BIT, 4) + 1),
                   .kind = (uint8_t)kind};
  return set_format(image, field(word[1], 20, 6), field(word[1], 26, 4), word[3]) && !tiling &&
         !first_level && image->levels <= IMAGE_LEVELS &&
         (image->levels == 1 ||
          image->pitch == image_pitch(image->width, image_element_bytes(image))) &&
         (kind == IMAGE_1D || kind == IMAGE_2D || kind == IMAGE_3D || kind == IMAGE_1D_LAYERS ||
          kind == IMAGE_2D_LAYERS || (kind == IMAGE_CUBE && image->depth % CUBE_FACES == 0));
}

enum { UNNORMALIZED_BIT = 15, FILTER_BIT = 20, FILTER_MIN_BIT = 22, LEVEL_FILTER_BIT = 26 };
enum { LEVEL_BITS = 12, BIAS_BITS = 14 }; // 8 of them behind the point

// Colours of borders that are not zeros, as in the table that the hardware has for them. A sampler
// names the place of its own.
enum { BORDER_ZEROS = 0, BORDER_IN_TABLE = 3, BORDER_TYPE_BIT = 30, BORDERS = 1 << 12 };
static float borders[BORDERS][CHANNELS];
static uint32_t border_count = 1; // the first is zeros

static uint32_t border_place(const float color[CHANNELS]) {
  for (uint32_t i = 0; i < border_count; i++)
    if (memcmp(borders[i], color, sizeof *borders) == 0)
      return i;
  if (border_count < BORDERS)
    memcpy(borders[border_count], color, sizeof *borders);
  return border_count < BORDERS ? border_count++ : BORDERS;
}

static uint32_t fixed_point(float value, float least, float most) {
  return (uint32_t)(int32_t)rintf(fminf(fmaxf(value, least), most) * 256);
}

bool sampler_to_words(const Sampler *sampler, uint32_t word[SAMPLER_WORDS]) {
  const uint32_t border = border_place(sampler->border);
  memset(word, 0, SAMPLER_WORDS * sizeof *word);
  word[0] = sampler->clamp[0] | (uint32_t)sampler->clamp[1] << 3 |
            (uint32_t)sampler->clamp[2] << 6 | (uint32_t)sampler->unnormalized << UNNORMALIZED_BIT;
  const float largest = IMAGE_LEVELS + 255.f / 256;
  word[1] = fixed_point(sampler->least, 0, largest) | fixed_point(sampler->most, 0, largest)
                                                          << LEVEL_BITS;
  word[2] = fixed_point(sampler->bias, -32, 32 - 1.f / 256) % (1u << BIAS_BITS) |
            (uint32_t)sampler->linear << FILTER_BIT | (uint32_t)sampler->linear << FILTER_MIN_BIT |
            (uint32_t)sampler->level_filter << LEVEL_FILTER_BIT;
  if (border)
    word[3] = border % BORDERS | (uint32_t)BORDER_IN_TABLE << BORDER_TYPE_BIT;
  return border < BORDERS;
}

bool sampler_of_words(const uint32_t word[4], Sampler *sampler) {
  const uint32_t filter = field(word[2], FILTER_BIT, 2);
  const uint32_t levels = field(word[2], LEVEL_FILTER_BIT, 2);
  const int32_t bias = (int32_t)(word[2] << (32 - BIAS_BITS)) >> (32 - BIAS_BITS);
  const uint32_t border = word[3] >> BORDER_TYPE_BIT, place = field(word[3], 0, 12);
  bool known = filter <= 1 && levels <= LEVEL_LINEAR &&
               (border == BORDER_ZEROS || (border == BORDER_IN_TABLE && place < border_count));
  memcpy(sampler->border, borders[known && border == BORDER_IN_TABLE ? place : 0],
         sizeof sampler->border);
  for (int i = 0; i < 3; i++) {
    sampler->clamp[i] = (uint8_t)field(word[0], 3 * i, 3);
    known = known && (sampler->clamp[i] <= CLAMP_EDGE || sampler->clamp[i] == CLAMP_BORDER);
  }
  sampler->unnormalized = field(word[0], UNNORMALIZED_BIT, 1);
  sampler->linear = filter;
  sampler->level_filter = (uint8_t)levels;
  sampler->bias = (float)bias / 256;
  sampler->least = (float)field(word[1], 0, LEVEL_BITS) / 256;
  sampler->most = (float)field(word[1], LEVEL_BITS, LEVEL_BITS) / 256;
  return known;
}

// ---- texels ----

uint64_t image_pitch(uint64_t width, uint32_t element_bytes) {
  const uint64_t rows_end = width * element_bytes + IMAGE_ROW_ALIGNMENT - 1;
  return rows_end / IMAGE_ROW_ALIGNMENT * (IMAGE_ROW_ALIGNMENT / element_bytes);
}

static uint32_t halved(uint32_t extent) { return extent > 1 ? extent / 2 : 1; }

Image image_level(const Image *image, uint32_t level) {
  Image at = *image;
  for (uint32_t i = 0; i < level; i++) {
    at.base += (uint64_t)at.pitch * at.height * at.depth * image_element_bytes(&at);
    at.width = halved(at.width);
    at.height = halved(at.height);
    at.depth = at.kind == IMAGE_3D ? halved(at.depth) : at.depth;
    at.pitch = (uint32_t)image_pitch(at.width, image_element_bytes(&at));
  }
  return at;
}

int image_coordinates(const Image *image) {
  return image->kind == IMAGE_3D || image->kind == IMAGE_2D_LAYERS || image->kind == IMAGE_CUBE ? 3
         : image->kind == IMAGE_2D || image->kind == IMAGE_1D_LAYERS                            ? 2
                                                                                                : 1;
}

uint64_t image_texel(const Image *image, const int64_t at[3]) {
  const uint64_t row = (uint64_t)at[2] * image->height + (uint64_t)at[1];
  return image->base + (row * image->pitch + (uint64_t)at[0]) * image_element_bytes(image);
}

static uint32_t float_bits(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

// IEC 61966-2-1.
static float linear_of_srgb(float value) {
  return value <= 0.04045f ? value / 12.92f : (float)pow((value + 0.055) / 1.055, 2.4);
}

static uint32_t channel_of_memory(const Image *image, const uint8_t *texel, int channel) {
  const uint8_t *bytes = texel + channel * image->bits / 8;
  uint32_t raw = 0;
  _Float16 half;
  memcpy(&raw, bytes, image->bits / 8u);
  const int32_t with_sign = (int32_t)(raw << (32 - image->bits)) >> (32 - image->bits);
  const uint32_t largest = (1u << (image->bits % 32)) - 1;
  switch ((NumberFormat)image->number) {
  case NUMBER_UNORM:
    return float_bits((float)raw / (float)largest);
  case NUMBER_SRGB:
    return float_bits(channel == 3 ? (float)raw / (float)largest
                                   : linear_of_srgb((float)raw / (float)largest));
  case NUMBER_SNORM:
    return float_bits(fmaxf((float)with_sign / (float)(largest >> 1), -1));
  case NUMBER_SINT:
    return (uint32_t)with_sign;
  case NUMBER_FLOAT:
    memcpy(&half, &raw, sizeof half);
    return image->bits == 16 ? float_bits((float)half) : raw;
  default:
    return raw;
  }
}

// The channel of memory that channel i of a result is, -1 if it is a constant, which goes to *constant.
static int selected(const Image *image, int i, uint32_t *constant) {
  enum { SELECT_ONE = 1, SELECT_FIRST = 4 };
  const bool integer = image->number == NUMBER_UINT || image->number == NUMBER_SINT;
  const int channel = image->select[i] - SELECT_FIRST;
  *constant = image->select[i] == SELECT_ONE ? (integer ? 1 : float_bits(1)) : 0;
  return channel >= 0 && channel < image->channels ? channel : -1;
}

void image_read(const Image *image, const void *texel, uint32_t value[CHANNELS]) {
  for (int i = 0; i < CHANNELS; i++) {
    const int channel = selected(image, i, &value[i]);
    if (channel >= 0)
      value[i] = channel_of_memory(image, texel, channel);
  }
}

void image_border(const Image *image, const Sampler *sampler, uint32_t value[CHANNELS]) {
  for (int i = 0; i < CHANNELS; i++) {
    const int channel = selected(image, i, &value[i]);
    if (channel >= 0)
      value[i] = float_bits(sampler->border[channel]);
  }
}

void image_write(const Image *image, void *texel, const uint32_t value[CHANNELS]) {
  for (int i = 0; i < image->channels; i++) {
    uint32_t raw = value[i];
    if (image->number == NUMBER_FLOAT && image->bits == 16) {
      float single;
      memcpy(&single, &raw, sizeof single);
      const _Float16 half = (_Float16)single;
      raw = 0;
      memcpy(&raw, &half, sizeof half);
    }
    memcpy((uint8_t *)texel + i * image->bits / 8, &raw, image->bits / 8u);
  }
}
