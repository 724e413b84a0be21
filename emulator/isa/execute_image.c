// Images: loads and stores of texels, samples of textures. Rows in instructions_image.def.
//
// In: a descriptor in scalar registers (image.h), coordinates in vector registers: integers that name
// a texel, or for samples floats; how many is the image's to say. Out: channels as dwords. Texels are reached as any load reaches
// memory; of a filtered sample only the first of its texels counts for address unit and caches.
#include "access_count.h"
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
      image_read(&image, (const void *)access.address[lane], in->dmask, value);
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
    if (!image_write(&image, (void *)access.address[lane], value))
      wavefront_fault(
          w, FAULT_GAP, lane,
          "the kernel stores an integer to a surface whose elements cannot hold it. The "
          "emulator does not know what becomes of it. (surf2Dwrite() and its like of "
          "HIP store the bits of a float)");
    defined_memory_written((const void *)access.address[lane], access.bytes);
  }
}

// ---- samples ----

// The texel's place along an axis of n texels, -1 in the border.
static i64 clamped(i64 at, i64 n, Clamp mode) {
  const i64 period = mode == CLAMP_MIRROR ? 2 * n : n;
  if (at >= 0 && at < n)
    return at; // without a division
  if (mode == CLAMP_BORDER)
    return -1;
  if (mode == CLAMP_EDGE)
    return at < 0 ? 0 : at < n ? at : n - 1;
  at = (at % period + period) % period;
  return at < n ? at : period - 1 - at;
}

// A coordinate in texels, to the 8 binary digits behind the point that the hardware keeps.
static f64 texel_coordinate(f32 given, u32 texels, bool normalized) {
  enum { FAR = 1 << 30 };
  f64 at = normalized ? (f64)given * texels : given;
  at = at == at ? at : 0; // no branches: rows of lanes become vectors
  at = at > -FAR ? at : -FAR;
  at = at < FAR ? at : FAR;
  return rint(at * 256) / 256;
}

// Repeated and mirrored images begin anew after two extents. Exact, and NaN for infinities.
static f32 without_turns(f32 given) { return given - 2 * truncf(given / 2); }

static bool turns(const Sampler *sampler, int axis, bool normalized) {
  return normalized && sampler->clamp[axis] <= CLAMP_MIRROR;
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
    const bool normalized = !sampler->unnormalized && !in->unorm;
    if (turns(sampler, axis, normalized))
      given = without_turns(given);
    const f64 at = texel_coordinate(given, extent, normalized) - (sampler->linear ? 0.5 : 0);
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
        image_read(image, (const void *)access.address[lane], in->dmask, value);
      else
        image_border(image, sampler, value);
      for (u32 mask = share[lane] != 0 ? in->dmask : 0; mask; mask &= mask - 1)
        samples->sum[lane][__builtin_ctz(mask)] +=
            weight[lane] * share[lane] * f32_of(value[__builtin_ctz(mask)]);
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

// ---- images of one level, without borders: rows of lanes ----

typedef struct {
  i32 texel[2][3][LANES]; // the lower and the upper one along each axis
  f64 beyond[3][LANES];
} Rows;

// Whether all of the image is known to be live memory, so that no texel needs a look of its own.
static bool in_rows(const Wavefront *w, const Image *image, const Sampler *sampler) {
  const int axes = flat_coordinates(image);
  const i64 last[3] = {image->width - 1, image->height - 1, image->depth - 1};
  bool border = false;
  for (int axis = 0; axis < axes; axis++)
    border = border || sampler->clamp[axis] == CLAMP_BORDER;
  return image->levels == 1 && sampler->level_filter == LEVEL_FIRST && !border && !w->shadow &&
         (image->kind == IMAGE_1D || image->kind == IMAGE_2D || image->kind == IMAGE_3D) &&
         access_seen(w->thread, image->base, image_texel(image, last) + image_element_bytes(image));
}

static void place_along(const u32 *given, u32 extent, bool normalized, const Sampler *sampler,
                        int axis, Rows *rows) {
  const f64 half = sampler->linear ? 0.5 : 0;
  const i32 last = (i32)extent - 1;
  const bool again = turns(sampler, axis, normalized);
  i32 lower[LANES];
  FOR_LANES {
    const f32 asked = f32_of(given[lane]);
    const f64 at =
        texel_coordinate(again ? without_turns(asked) : asked, extent, normalized) - half;
    lower[lane] = (i32)floor(at);
    rows->beyond[axis][lane] = sampler->linear ? at - floor(at) : 0;
  }
  for (int upper = 0; upper < 2; upper++) {
    i32 *texel = rows->texel[upper][axis], outside = 0;
    FOR_LANES {
      const i32 at = lower[lane] + upper, kept = at < 0 ? 0 : at > last ? last : at;
      texel[lane] = kept;
      outside |= kept ^ at;
    }
    if (outside && sampler->clamp[axis] != CLAMP_EDGE)
      FOR_LANES texel[lane] =
          (i32)clamped(lower[lane] + upper, extent, (Clamp)sampler->clamp[axis]);
  }
}

// As corner_texels, and where the texels lie.
static void corner_rows(const Image *image, const Rows *rows, int axes, int corner,
                        u64 address[LANES], f64 share[LANES]) {
  const i32 *x = rows->texel[corner & 1][0], *y = rows->texel[corner >> 1 & 1][1],
            *z = rows->texel[corner >> 2 & 1][2];
  const u64 bytes = image_element_bytes(image), pitch = image->pitch, height = image->height;
  FOR_LANES {
    const u64 row = (axes > 2 ? (u64)z[lane] * height : 0) + (axes > 1 ? (u64)y[lane] : 0);
    address[lane] = image->base + (row * pitch + (u64)x[lane]) * bytes;
    share[lane] = 1;
  }
  for (int axis = 0; axis < axes; axis++) {
    const f64 *beyond = rows->beyond[axis];
    if (corner >> axis & 1)
      FOR_LANES share[lane] *= beyond[lane];
    else
      FOR_LANES share[lane] *= 1 - beyond[lane];
  }
}

// The channels that the instruction wants, one row each.
static void read_rows(const Image *image, u32 mask, const u64 address[LANES],
                      u32 value[CHANNELS][LANES]) {
  enum { SELECT_FIRST = 4 };
  const bool words = image->bits == 32 && image->channels == 1;
  if (words && mask == 1 && image->select[0] == SELECT_FIRST) {
    FOR_LANES memcpy(&value[0][lane], (const void *)address[lane], sizeof value[0][lane]);
    return;
  }
  FOR_LANES {
    u32 all[CHANNELS];
    image_read(image, (const void *)address[lane], mask, all);
    for (u32 rest = mask; rest; rest &= rest - 1)
      value[__builtin_ctz(rest)][lane] = all[__builtin_ctz(rest)];
  }
}

static void sample_rows(Wavefront *w, const Instruction *in, int first, const Image *image,
                        const Sampler *sampler) {
  const int axes = flat_coordinates(image);
  Access touched = {.lanes = w->exec, .bytes = image_element_bytes(image)};
  Rows rows;
  f64 sum[CHANNELS][LANES] = {{0}}, share[LANES];
  u32 value[CHANNELS][LANES];
  for (int axis = 0; axis < axes; axis++)
    place_along(w->vgpr[first + axis], extent_of(image, axis), !sampler->unnormalized && !in->unorm,
                sampler, axis, &rows);
  for (int corner = 0; corner < (sampler->linear ? 1 << axes : 1); corner++) {
    u64 address[LANES];
    corner_rows(image, &rows, axes, corner, address, share);
    if (corner == 0)
      memcpy(touched.address, address, sizeof address);
    read_rows(image, in->dmask, address, value);
    for (u32 mask = sampler->linear ? in->dmask : 0; mask; mask &= mask - 1) {
      const int i = __builtin_ctz(mask);
      FOR_LANES sum[i][lane] += share[lane] != 0 ? share[lane] * f32_of(value[i][lane]) : 0;
    }
  }
  if (touched.lanes)
    access_count(w, &touched, MEMORY_LOAD);
  Row result;
  int to = 0;
  for (u32 mask = in->dmask; mask; mask &= mask - 1, to++) {
    const int i = __builtin_ctz(mask);
    FOR_LANES result.word[lane + LANES * to] =
        sampler->linear ? bits_of_f32((f32)sum[i][lane]) : value[i][lane];
  }
  commit_registers(w, &in->d, to, &result);
}

static void sample(Wavefront *w, const Instruction *in, LevelSource source) {
  const Image image = image_of(w, in);
  const Sampler sampler = sampler_of(w, in);
  const int first = in->a.index + (source == LEVEL_GRADIENTS ? 2 * flat_coordinates(&image) : 0);
  if (in_rows(w, &image, &sampler)) {
    sample_rows(w, in, first, &image, &sampler);
    return;
  }
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
