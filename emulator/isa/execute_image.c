// Images: loads and stores of texels, samples of textures. Rows in instructions_image.def.
//
// In: a descriptor in scalar registers (image.h), coordinates in vector registers: integers that name
// a texel, or for samples floats; how many is the image's to say. Out: channels as dwords. Texels are reached as any load reaches
// memory; of a filtered sample only the first of its texels counts for address unit and caches.
#include "defined_memory.h"
#include "image.h"
#include "instruction_table.h"
#include "vector_access.h"

typedef struct {
  i64 at[LANES][3];
  u64 inside; // lanes whose texel is one of the image's
} Texels;

static Image image_of(Wavefront *w, const Instruction *in) {
  Image image;
  if (!image_of_words(&w->sgpr[in->b.index], &image))
    wavefront_fault(
        w, FAULT_GAP, -1,
        "an image has a format, kind or tiling that the emulator does not know. It knows "
        "those that hipCreateTextureObject and hipCreateSurfaceObject give here; is the "
        "texture still alive?");
  return image;
}

static Sampler sampler_of(Wavefront *w, const Instruction *in) {
  Sampler sampler;
  if (!sampler_of_words(&w->sgpr[in->e.index], &sampler))
    wavefront_fault(
        w, FAULT_GAP, -1,
        "a sampler has a filter, border or address mode that the emulator does not know. "
        "It knows those that hipCreateTextureObject gives here; is the texture still "
        "alive?");
  return sampler;
}

// Where the texels lie. They may be touched, or there is a fault.
static void reach(Wavefront *w, const Image *image, const Texels *texels, MemoryAction action,
                  bool counts, Access *access) {
  *access = (Access){.lanes = texels->inside, .bytes = image_element_bytes(image)};
  FOR_LANES if (access->lanes >> lane & 1) access->address[lane] =
      image_texel(image, texels->at[lane]);
  if (!access->lanes)
    return;
  access_check(w, access, action);
  if (counts)
    access_count(w, access, action);
}

// ---- texels by number ----

// The layer of an image of rows is its second coordinate.
static int axis_of(const Image *image, int coordinate) {
  return image->kind == IMAGE_1D_LAYERS && coordinate == 1 ? 2 : coordinate;
}

static u32 extent_of(const Image *image, int axis) {
  return axis == 0 ? image->width : axis == 1 ? image->height : image->depth;
}

static void numbered_texels(const Wavefront *w, const Instruction *in, const Image *image,
                            Texels *texels) {
  texels->inside = w->exec;
  memset(texels->at, 0, sizeof texels->at);
  const int coordinates = image_coordinates(image);
  for (int i = 0; i < coordinates; i++) {
    const int axis = axis_of(image, i);
    FOR_LANES {
      const u32 at = w->vgpr[in->a.index + i][lane];
      texels->at[lane][axis] = at;
      if (at >= extent_of(image, axis))
        texels->inside &= ~(1ull << lane);
    }
  }
}

// Channels that the mask names go to consecutive registers.
static void put_channels(Row *result, int lane, u32 mask, const u32 value[CHANNELS]) {
  int to = 0;
  for (int i = 0; i < CHANNELS; i++)
    if (mask >> i & 1)
      result->word[lane + LANES * to++] = value[i];
}

static void do_image_load(Wavefront *w, const Instruction *in) {
  const Image image = image_of(w, in);
  Texels texels;
  Access access;
  Row result;
  numbered_texels(w, in, &image, &texels);
  reach(w, &image, &texels, MEMORY_LOAD, true, &access);
  FOR_LANES {
    u32 value[CHANNELS] = {0};
    if (access.lanes >> lane & 1)
      image_read(&image, (const void *)access.address[lane], value);
    put_channels(&result, lane, in->dmask, value);
  }
  commit_registers(w, &in->d, __builtin_popcount(in->dmask), &result);
}

static void do_image_store(Wavefront *w, const Instruction *in) {
  const Image image = image_of(w, in);
  Texels texels;
  Access access;
  if (image.number <= NUMBER_SNORM || image.number == NUMBER_SRGB)
    wavefront_fault(w, FAULT_GAP, -1,
                    "the kernel stores to an image of fractions, which no surface of HIP is. The "
                    "emulator does not know that");
  numbered_texels(w, in, &image, &texels);
  reach(w, &image, &texels, MEMORY_STORE, true, &access);
  FOR_LANES if (access.lanes >> lane & 1) {
    u32 value[CHANNELS] = {0};
    int from = 0;
    for (int i = 0; i < CHANNELS; i++)
      if (in->dmask >> i & 1)
        value[i] = w->vgpr[in->c.index + from++][lane];
    image_write(&image, (void *)access.address[lane], value);
    defined_memory_written((const void *)access.address[lane], access.bytes);
  }
}

// ---- samples ----

// The texel's place along an axis of n texels, -1 in the border.
static i64 clamped(i64 at, i64 n, Clamp mode) {
  const i64 period = mode == CLAMP_MIRROR ? 2 * n : n;
  if (mode == CLAMP_BORDER)
    return at >= 0 && at < n ? at : -1;
  if (mode == CLAMP_EDGE)
    return at < 0 ? 0 : at < n ? at : n - 1;
  at = (at % period + period) % period;
  return at < n ? at : period - 1 - at;
}

// A coordinate in texels, to the 8 binary digits behind the point that the hardware keeps.
static f64 texel_coordinate(f32 given, u32 texels, bool normalized) {
  enum { FAR = 1 << 30 };
  const f64 at = normalized ? (f64)given * texels : given;
  return at > -FAR && at < FAR ? rint(at * 256) / 256 : at > 0 ? FAR : at < 0 ? -FAR : 0;
}

// Where a lane's point lies: the lower texel along each axis, and how far it is to the next one.
typedef struct {
  i64 lower[3];
  f64 beyond[3];
} Point;

static i64 whole_number(f32 given) { return (i64)rint(texel_coordinate(given, 0, false)); }

// The layer that a coordinate names, the nearest that there is. Of a cube it is a face plus 8 times a
// layer.
static i64 layer_of(const Image *image, f32 given) {
  const i64 number = whole_number(given);
  if (image->kind != IMAGE_CUBE)
    return clamped(number, image->depth, CLAMP_EDGE);
  return clamped(number >> 3, image->depth / CUBE_FACES, CLAMP_EDGE) * CUBE_FACES +
         clamped(number & 7, CUBE_FACES, CLAMP_EDGE);
}

// The coordinates on a cube's face are fractions. The device library divides by the longest coordinate
// of the direction as it is (ockl image.cl, CUBE_PREP): on odd faces, where that is negative, the
// fractions count from the other end.
static f32 on_face(f32 face, f32 given) { return whole_number(face) & 1 ? 1 - given : given; }

// The coordinates begin in register `first`.
static void locate(const Wavefront *w, const Instruction *in, int first, const Image *image,
                   const Sampler *sampler, int lane, Point *point) {
  *point = (Point){{0}, {0}};
  const int coordinates = image_coordinates(image);
  for (int i = 0; i < coordinates; i++) {
    const int axis = axis_of(image, i);
    const u32 extent = extent_of(image, axis);
    f32 given = f32_of(w->vgpr[first + i][lane]);
    if (axis == 2 && image->kind != IMAGE_3D) {
      point->lower[axis] = layer_of(image, given);
      continue;
    }
    if (image->kind == IMAGE_CUBE)
      given = on_face(f32_of(w->vgpr[first + 2][lane]), given);
    const f64 at = texel_coordinate(given, extent, !sampler->unnormalized && !in->unorm) -
                   (sampler->linear ? 0.5 : 0);
    point->lower[axis] = (i64)floor(at);
    point->beyond[axis] = sampler->linear ? at - floor(at) : 0;
  }
}

// One of the up to eight texels around each lane's point: bit i of `corner` takes the upper one along
// axis i. Its share of the result goes to `share`.
static void corner_texels(u64 lanes, const Image *image, const Sampler *sampler,
                          const Point point[LANES], int corner, Texels *texels, f64 share[LANES]) {
  texels->inside = lanes;
  FOR_LANES {
    share[lane] = 1;
    for (int axis = 0; axis < 3; axis++) {
      const bool upper = corner >> axis & 1;
      const f64 beyond = point[lane].beyond[axis];
      share[lane] *= upper ? beyond : 1 - beyond;
      texels->at[lane][axis] = clamped(point[lane].lower[axis] + upper, extent_of(image, axis),
                                       (Clamp)sampler->clamp[axis]);
      if (texels->at[lane][axis] < 0)
        texels->inside &= ~(1ull << lane);
    }
  }
}

// What lanes have gathered: numbers, the last texel's bits, and where their first texel lies.
typedef struct {
  f64 sum[LANES][CHANNELS];
  u32 bits[LANES][CHANNELS];
  Access first;
} Samples;

// Adds what one level of the image gives to `lanes`, each by its weight.
static void sample_level(Wavefront *w, const Instruction *in, int first, const Image *image,
                         const Sampler *sampler, u64 lanes, const f64 weight[LANES],
                         Samples *samples) {
  static const int corners[] = {[IMAGE_1D] = 2,        [IMAGE_2D] = 4,        [IMAGE_3D] = 8,
                                [IMAGE_1D_LAYERS] = 2, [IMAGE_2D_LAYERS] = 4, [IMAGE_CUBE] = 4};
  Point point[LANES];
  f64 share[LANES];
  FOR_LANES locate(w, in, first, image, sampler, lane, &point[lane]);
  for (int corner = 0; corner < (sampler->linear ? corners[image->kind] : 1); corner++) {
    Texels texels;
    Access access;
    corner_texels(lanes, image, sampler, point, corner, &texels, share);
    reach(w, image, &texels, MEMORY_LOAD, false, &access);
    FOR_LANES {
      const u64 bit = 1ull << lane;
      if (!(lanes & bit))
        continue;
      const bool inside = access.lanes & bit;
      if (corner == 0 && inside && !(samples->first.lanes & bit)) {
        samples->first.lanes |= bit;
        samples->first.address[lane] = access.address[lane];
      }
      u32 *value = samples->bits[lane];
      if (inside)
        image_read(image, (const void *)access.address[lane], value);
      else
        image_border(image, sampler, value);
      for (int i = 0; i < CHANNELS; i++)
        samples->sum[lane][i] +=
            share[lane] != 0 ? weight[lane] * share[lane] * f32_of(value[i]) : 0;
    }
  }
}

// ---- levels of a mipmap ----

// Which level an instruction samples: the first, or one that follows from registers.
typedef enum {
  LEVEL_ZERO,
  LEVEL_GIVEN,    // stands behind the coordinates
  LEVEL_GRADIENTS // how much the coordinates change to neighbours, along x and along y, before them
} LevelSource;

static int flat_coordinates(const Image *image) {
  return image->kind == IMAGE_3D                                     ? 3
         : image->kind == IMAGE_1D || image->kind == IMAGE_1D_LAYERS ? 1
                                                                     : 2;
}

// The level at which neighbours are one texel from each other.
static f64 level_of_gradients(const Wavefront *w, int first, const Image *image, int lane) {
  const int axes = flat_coordinates(image);
  f64 farthest = 0;
  for (int neighbour = 0; neighbour < 2; neighbour++) {
    f64 square = 0;
    for (int axis = 0; axis < axes; axis++) {
      const f64 texels =
          (f64)f32_of(w->vgpr[first + neighbour * axes + axis][lane]) * extent_of(image, axis);
      square += texels * texels;
    }
    farthest = fmax(farthest, square);
  }
  return log2(farthest) / 2;
}

static f64 level_of(const Wavefront *w, const Instruction *in, const Image *image,
                    const Sampler *sampler, LevelSource source, int lane) {
  if (source == LEVEL_ZERO || sampler->level_filter == LEVEL_FIRST)
    return 0;
  const f64 asked = source == LEVEL_GRADIENTS
                        ? level_of_gradients(w, in->a.index, image, lane)
                        : f32_of(w->vgpr[in->a.index + image_coordinates(image)][lane]);
  const f64 last = fmin(sampler->most, image->levels - 1);
  const f64 level = fmin(fmax(asked + sampler->bias, sampler->least), last);
  return sampler->level_filter == LEVEL_LINEAR ? rint(level * 256) / 256 : floor(level + 0.5);
}

static void sample(Wavefront *w, const Instruction *in, LevelSource source) {
  const Image image = image_of(w, in);
  const Sampler sampler = sampler_of(w, in);
  const int first = in->a.index + (source == LEVEL_GRADIENTS ? 2 * flat_coordinates(&image) : 0);
  Samples samples = {.first = {.bytes = image_element_bytes(&image)}};
  f64 level[LANES];
  FOR_LANES level[lane] = level_of(w, in, &image, &sampler, source, lane);
  for (u32 i = 0; i < image.levels; i++) {
    u64 lanes = 0;
    f64 weight[LANES]; // 1 at the level itself, 0 one level away
    FOR_LANES {
      weight[lane] = fmax(1 - fabs(level[lane] - i), 0);
      lanes |= (u64)(weight[lane] > 0) << lane;
    }
    const Image one = image_level(&image, i);
    if (lanes & w->exec)
      sample_level(w, in, first, &one, &sampler, lanes & w->exec, weight, &samples);
  }
  if (samples.first.lanes)
    access_count(w, &samples.first, MEMORY_LOAD);
  const bool filtered = sampler.linear || sampler.level_filter == LEVEL_LINEAR;
  Row result;
  FOR_LANES {
    for (int i = 0; filtered && i < CHANNELS; i++)
      samples.bits[lane][i] = bits_of_f32((f32)samples.sum[lane][i]);
    put_channels(&result, lane, in->dmask, samples.bits[lane]);
  }
  commit_registers(w, &in->d, __builtin_popcount(in->dmask), &result);
}

static void do_image_sample(Wavefront *w, const Instruction *in) { sample(w, in, LEVEL_ZERO); }
static void do_image_sample_lz(Wavefront *w, const Instruction *in) { sample(w, in, LEVEL_ZERO); }
static void do_image_sample_l(Wavefront *w, const Instruction *in) { sample(w, in, LEVEL_GIVEN); }
static void do_image_sample_d(Wavefront *w, const Instruction *in) {
  sample(w, in, LEVEL_GRADIENTS);
}

#define ROW(NAME, OPERANDS, UNIT, ACTION)                                                          \
  {#NAME, do_##NAME, OPERANDS,       TYPE_u32, TYPE_u32, TYPE_u32, TYPE_u32,                       \
   UNIT,  0,         PARTS_SELECTED, ACTION,   false,    SQ_INSTS},
#define IMAGE(NAME, OPERANDS, ACTION) ROW(NAME, OPERANDS, UNIT_IMAGE, ACTION)
const InstructionInfo image_instructions[] = {
#include "instructions_image.def"
};
const size_t image_instruction_count = sizeof image_instructions / sizeof *image_instructions;
