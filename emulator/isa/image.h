// Images and samplers as the device finds them in scalar registers: what their words mean, and the
// texels of an image.
//
// In: an image in fields, for the HIP calls that make textures and surfaces; words, for the
// instructions that use them. Out: the other of the two; where a texel lies, and its channels as
// dwords.
#ifndef EMULATOR_IMAGE_H
#define EMULATOR_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A texture is an image, a sampler behind it (HIP_IMAGE_OBJECT_SIZE_DWORD in hip/texture_types.h).
enum { IMAGE_WORDS = 12, SAMPLER_WORDS = 8, CHANNELS = 4 };
enum { IMAGE_ROW_ALIGNMENT = 256, IMAGE_LEVELS = 15 }; // bytes; levels of the largest
enum { CUBE_FACES = 6 };

typedef enum {
  IMAGE_BUFFER = 0, // elements in a row, without a sampler: another descriptor
  IMAGE_1D = 8,
  IMAGE_2D = 9,
  IMAGE_3D = 10,
  IMAGE_CUBE = 11, // layers of six faces
  IMAGE_1D_LAYERS = 12,
  IMAGE_2D_LAYERS = 13
} ImageKind;

// What the bits of a channel mean, the hardware's numbers.
typedef enum {
  NUMBER_UNORM = 0, // 0 to 1
  NUMBER_SNORM = 1, // -1 to 1
  NUMBER_UINT = 4,
  NUMBER_SINT = 5,
  NUMBER_FLOAT = 7,
  NUMBER_SRGB =
      9 // 0 to 1, of colours that are written as the eye sees them; the fourth channel is UNORM
} NumberFormat;

typedef struct {
  uint64_t base;                 // a multiple of 256, of a buffer any
  uint32_t width, height, depth; // elements, rows, slices, layers or faces: at least 1
  uint32_t pitch;                // elements from row to row; slices have `height` rows
  uint8_t levels;                // of a mipmap; then the pitch is the least that rows may have
  uint8_t kind;                  // ImageKind
  uint8_t number;                // NumberFormat
  uint8_t channels, bits;        // 1, 2 or 4 channels of 8, 16 or 32 bits
  uint8_t select[CHANNELS];      // what each channel reads: 0, 1, or 4 and more for those in memory
} Image;

typedef enum { CLAMP_WRAP = 0, CLAMP_MIRROR = 1, CLAMP_EDGE = 2, CLAMP_BORDER = 6 } Clamp;

typedef enum { LEVEL_FIRST = 0, LEVEL_NEAREST = 1, LEVEL_LINEAR = 2 } LevelFilter;

typedef struct {
  float bias, least, most; // added to a level that is asked for; then it is kept between these
  float border[CHANNELS];  // its colour, of images of fractions and floats
  uint8_t level_filter;    // LevelFilter
  uint8_t clamp[3];        // Clamp, along x, y, z
  bool unnormalized;       // coordinates count texels
  bool linear;             // filtered between texels, else the texel that the point lies in
} Sampler;

// False if the image is larger than the words can tell.
bool image_to_words(const Image *image, uint32_t word[IMAGE_WORDS]);
// False if it is one colour of borders too many: the device has a table of 4096.
bool sampler_to_words(const Sampler *sampler, uint32_t word[SAMPLER_WORDS]);

// False if a word says something that the emulator does not know.
bool image_of_words(const uint32_t word[8], Image *image);
bool sampler_of_words(const uint32_t word[4], Sampler *sampler);

static inline uint32_t image_element_bytes(const Image *image) {
  return image->channels * image->bits / 8u;
}
// Elements from row to row, at least `width` of them.
uint64_t image_pitch(uint64_t width, uint32_t element_bytes);
// A level of a mipmap, 0 the image itself: half as large along each axis, but for layers, and behind
// the one before it. The one behind the last begins where the image ends.
Image image_level(const Image *image, uint32_t level);
// Coordinates that a kernel gives: 1 to 3.
int image_coordinates(const Image *image);
// Where the texel lies, which must be one of the image's.
uint64_t image_texel(const Image *image, const int64_t at[3]);

// A texel's channels as the instruction returns them: f32, or integers.
void image_read(const Image *image, const void *texel, uint32_t value[CHANNELS]);
// The channels of what lies outside.
void image_border(const Image *image, const Sampler *sampler, uint32_t value[CHANNELS]);
// The opposite, for formats of integers and floats.
void image_write(const Image *image, void *texel, const uint32_t value[CHANNELS]);

#endif
