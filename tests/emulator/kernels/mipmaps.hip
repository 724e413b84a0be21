// Mipmapped arrays: each level by itself as array, surface and view, and textures that sample level 0.
// Where the device has instructions that choose a level (gfx908 has, gfx90a and gfx942 have not) levels that are
// asked for and such of gradients; against samples that the host computes from the definition.
#include "check.h"
#include "host_sample.h"

enum { WIDTH = 24, HEIGHT = 12, DEPTH = 6, LEVELS = 5, POINTS = 512 };

#if defined __gfx908__ || !defined __HIP_DEVICE_COMPILE__
#define CHOOSES_LEVELS 1
#endif

texture<float, 2, hipReadModeElementType> bound;

// ---- arrays ----

typedef struct {
  hipMipmappedArray_t array;
  int dimensions, extent[LEVELS][3];
  float *data[LEVELS];
} Mipmap;

static int halved(int extent) { return extent > 1 ? extent / 2 : 1; }

static void fill_level(Mipmap *m, int level) {
  const int *extent = m->extent[level];
  const size_t count = (size_t)extent[0] * extent[1] * extent[2];
  m->data[level] = (float *)malloc(count * sizeof(float));
  for (size_t i = 0; i < count; i++)
    m->data[level][i] = (float)(random_bits() % 1000) / 1000;
  hipMemcpy3DParms copy;
  memset(&copy, 0, sizeof copy);
  HIP(hipGetMipmappedArrayLevel(&copy.dstArray, m->array, level));
  copy.srcPtr = make_hipPitchedPtr(m->data[level], extent[0] * sizeof(float), extent[0], extent[1]);
  copy.extent = make_hipExtent(extent[0], extent[1], extent[2]);
  copy.kind = hipMemcpyHostToDevice;
  HIP(hipMemcpy3D(&copy));
}

// All levels down to one element, though more are asked for.
static Mipmap new_mipmap(int dimensions) {
  Mipmap m = {NULL, dimensions, {{0}}, {NULL}};
  const hipChannelFormatDesc single = hipCreateChannelDesc<float>();
  HIP(hipMallocMipmappedArray(
      &m.array, &single,
      make_hipExtent(WIDTH, dimensions > 1 ? HEIGHT : 0, dimensions > 2 ? DEPTH : 0), LEVELS + 2,
      hipArraySurfaceLoadStore));
  int extent[3] = {WIDTH, dimensions > 1 ? HEIGHT : 1, dimensions > 2 ? DEPTH : 1};
  for (int level = 0; level < LEVELS; level++) {
    memcpy(m.extent[level], extent, sizeof extent);
    fill_level(&m, level);
    for (int axis = 0; axis < 3; axis++)
      extent[axis] = halved(extent[axis]);
  }
  hipArray_t none = NULL;
  if (hipGetMipmappedArrayLevel(&none, m.array, LEVELS) != hipErrorInvalidValue)
    DIFFERS("there is a level %d of %d", LEVELS, LEVELS);
  return m;
}

static void free_mipmap(Mipmap *m) {
  HIP(hipFreeMipmappedArray(m->array));
  for (int level = 0; level < LEVELS; level++)
    free(m->data[level]);
}

// ---- textures ----

static hipTextureDesc description(hipTextureAddressMode mode, bool linear, bool between, float bias,
                                  float least, float most) {
  hipTextureDesc d;
  memset(&d, 0, sizeof d);
  for (int axis = 0; axis < 3; axis++)
    d.addressMode[axis] = mode;
  d.filterMode = linear ? hipFilterModeLinear : hipFilterModePoint;
  d.mipmapFilterMode = between ? hipFilterModeLinear : hipFilterModePoint;
  d.readMode = hipReadModeElementType;
  d.normalizedCoords = 1;
  d.mipmapLevelBias = bias;
  d.minMipmapLevelClamp = least;
  d.maxMipmapLevelClamp = most;
  return d;
}

static hipTextureObject_t texture_of(const Mipmap *m, const hipTextureDesc *d,
                                     const hipResourceViewDesc *view) {
  hipResourceDesc resource;
  memset(&resource, 0, sizeof resource);
  resource.resType = hipResourceTypeMipmappedArray;
  resource.res.mipmap.mipmap = m->array;
  hipTextureObject_t object;
  HIP(hipCreateTextureObject(&object, &resource, d, view));
  return object;
}

// ---- what the host expects ----

static double sample_level(const Mipmap *m, const hipTextureDesc *d, int level, const float *at) {
  Shape shape = {{0}, d->addressMode[0], d->filterMode == hipFilterModeLinear, true};
  memcpy(shape.extent, m->extent[level], sizeof shape.extent);
  return sample(m->data[level], &shape, m->dimensions, at);
}

static double sample_between(const Mipmap *m, const hipTextureDesc *d, double asked,
                             const float *at) {
  double level = asked + d->mipmapLevelBias;
  level = level < d->minMipmapLevelClamp ? d->minMipmapLevelClamp : level;
  level = level > d->maxMipmapLevelClamp ? d->maxMipmapLevelClamp : level;
  level = level > LEVELS - 1 ? LEVELS - 1 : level;
  if (d->mipmapFilterMode == hipFilterModePoint)
    return sample_level(m, d, (int)floor(level + 0.5), at);
  level = rint(level * 256) / 256;
  const int lower = (int)floor(level), upper = lower + 1 < LEVELS ? lower + 1 : lower;
  const double low = sample_level(m, d, lower, at);
  return low + (level - lower) * (sample_level(m, d, upper, at) - low);
}

// ---- kernels ----

__global__ void first_level(float *out, const float *at, hipTextureObject_t t, int dimensions) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = at[3 * i], y = at[3 * i + 1], z = at[3 * i + 2];
  out[i] = dimensions == 1   ? tex1D<float>(t, x)
           : dimensions == 2 ? tex2D<float>(t, x, y)
                             : tex3D<float>(t, x, y, z);
}

__global__ void add_to_surface(hipSurfaceObject_t s, int width, int height) {
  const int x = threadIdx.x, y = threadIdx.y;
  float value;
  if (x >= width || y >= height)
    return;
  surf2Dread(&value, s, x * (int)sizeof value, y);
  surf2Dwrite(value + 1, s, x * (int)sizeof value, y);
}

__global__ void asked_level(float *out, const float *at, const float *level, hipTextureObject_t t,
                            int dimensions) {
#ifdef CHOOSES_LEVELS
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = at[3 * i], y = at[3 * i + 1], z = at[3 * i + 2];
  out[i] = dimensions == 1   ? tex1DLod<float>(t, x, level[i])
           : dimensions == 2 ? tex2DLod<float>(t, x, y, level[i])
                             : tex3DLod<float>(t, x, y, z, level[i]);
#endif
}

__global__ void level_of_reference(float *out, const float *at, const float *level) {
#ifdef CHOOSES_LEVELS
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = tex2DLod(bound, at[3 * i], at[3 * i + 1], level[i]);
#endif
}

// Neighbours along x are `step` of the extent away along the last axis; those along y as much along the
// axis before it, of one dimension half as much.
__global__ void level_of_gradients(float *out, const float *at, const float *step,
                                   hipTextureObject_t t, int dimensions) {
#ifdef CHOOSES_LEVELS
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = at[3 * i], y = at[3 * i + 1], z = at[3 * i + 2], s = step[i];
  out[i] = dimensions == 1 ? tex1DGrad<float>(t, x, s, s / 2)
           : dimensions == 2
               ? tex2DGrad<float>(t, x, y, make_float2(0, s), make_float2(s, 0))
               : tex3DGrad<float>(t, x, y, z, make_float4(0, 0, s, 0), make_float4(0, s, 0, 0));
#endif
}

// ---- cases ----

static float at[3 * POINTS], asked[POINTS], *device_at, *device_asked, *device_out;

// Points with 4 binary digits, two images beyond each edge; levels with 4, from below the first to beyond the last.
static void draw_points(void) {
  for (int i = 0; i < 3 * POINTS; i++)
    at[i] = ((float)(random_bits() % 80) - 31.5f) / 16;
  for (int i = 0; i < POINTS; i++)
    asked[i] = ((float)(random_bits() % 112) - 16.25f) / 16;
  HIP(hipMemcpy(device_at, at, sizeof at, hipMemcpyHostToDevice));
  HIP(hipMemcpy(device_asked, asked, sizeof asked, hipMemcpyHostToDevice));
}

static void compare(const char *what, const Mipmap *m, const hipTextureDesc *d,
                    const double level[POINTS]) {
  float out[POINTS];
  HIP(hipGetLastError());
  HIP(hipMemcpy(out, device_out, sizeof out, hipMemcpyDeviceToHost));
  for (int i = 0; i < POINTS; i++) {
    const double want =
        level ? sample_between(m, d, level[i], at + 3 * i) : sample_level(m, d, 0, at + 3 * i);
    if (!(fabs(out[i] - want) <= 1e-4))
      DIFFERS(
          "%s, %d dimensions, mode %d, %s, %s levels: level %g at (%g, %g, %g) gives %g, not %g",
          what, m->dimensions, d->addressMode[0], d->filterMode ? "linear" : "point",
          d->mipmapFilterMode ? "between" : "nearest", level ? level[i] : 0, at[3 * i],
          at[3 * i + 1], at[3 * i + 2], out[i], want);
  }
}

static void every_filter(bool chooses_levels) {
  static const float limits[][3] = {{0, 0, 20}, {0.75f, 0, 2.5f}, {-1, 1, 20}}; // bias, least, most
  for (int dimensions = 1; dimensions <= 3; dimensions++) {
    Mipmap m = new_mipmap(dimensions);
    for (int variant = 0; variant < 4 * 3; variant++) {
      const float *limit = limits[variant / 4];
      const hipTextureDesc d = description((hipTextureAddressMode)((variant + dimensions) % 4),
                                           variant & 1, variant & 2, limit[0], limit[1], limit[2]);
      const hipTextureObject_t object = texture_of(&m, &d, NULL);
      double level[POINTS];
      draw_points();
      first_level<<<POINTS / 64, 64>>>(device_out, device_at, object, dimensions);
      compare("no level", &m, &d, NULL);
      if (chooses_levels) {
        asked_level<<<POINTS / 64, 64>>>(device_out, device_at, device_asked, object, dimensions);
        for (int i = 0; i < POINTS; i++)
          level[i] = asked[i];
        compare("a level", &m, &d, level);
        for (int i = 0; i < POINTS; i++)
          asked[i] = exp2f(asked[i]) / (float)m.extent[0][dimensions - 1];
        HIP(hipMemcpy(device_asked, asked, sizeof asked, hipMemcpyHostToDevice));
        level_of_gradients<<<POINTS / 64, 64>>>(device_out, device_at, device_asked, object,
                                                dimensions);
        for (int i = 0; i < POINTS; i++) // the axis before the last is twice as long
          level[i] += dimensions > 1;
        compare("gradients", &m, &d, level);
      }
      HIP(hipDestroyTextureObject(object));
    }
    free_mipmap(&m);
  }
}

static void references(void) {
  Mipmap m = new_mipmap(2);
  const hipTextureDesc d = description(hipAddressModeClamp, true, true, 0.25f, 0, 3);
  double level[POINTS];
  draw_points();
  memcpy(bound.addressMode, d.addressMode, sizeof d.addressMode);
  bound.filterMode = d.filterMode;
  bound.normalized = 1;
  HIP(hipTexRefSetMipmapFilterMode(&bound, d.mipmapFilterMode));
  HIP(hipTexRefSetMipmapLevelBias(&bound, d.mipmapLevelBias));
  HIP(hipTexRefSetMipmapLevelClamp(&bound, d.minMipmapLevelClamp, d.maxMipmapLevelClamp));
  HIP(hipBindTextureToMipmappedArray(bound, m.array));
  level_of_reference<<<POINTS / 64, 64>>>(device_out, device_at, device_asked);
  for (int i = 0; i < POINTS; i++)
    level[i] = asked[i];
  compare("a reference", &m, &d, level);
  HIP(hipUnbindTexture(&bound));
  free_mipmap(&m);
}

// A view of one level, and a surface that changes it.
static void single_levels(void) {
  Mipmap m = new_mipmap(2);
  const hipTextureDesc d = description(hipAddressModeMirror, true, false, 0, 0, 20);
  for (int level = 0; level < LEVELS; level++) {
    const int *extent = m.extent[level];
    hipResourceDesc resource;
    memset(&resource, 0, sizeof resource);
    resource.resType = hipResourceTypeArray;
    HIP(hipGetMipmappedArrayLevel(&resource.res.array.array, m.array, level));
    hipSurfaceObject_t surface;
    HIP(hipCreateSurfaceObject(&surface, &resource));
    add_to_surface<<<1, dim3(WIDTH, HEIGHT)>>>(surface, extent[0], extent[1]);
    HIP(hipDestroySurfaceObject(surface));
    for (int i = 0; i < extent[0] * extent[1]; i++)
      m.data[level][i] += 1;

    hipResourceViewDesc view;
    memset(&view, 0, sizeof view);
    view.width = WIDTH;
    view.height = HEIGHT;
    view.firstMipmapLevel = view.lastMipmapLevel = (unsigned)level;
    double levels[POINTS];
    for (int i = 0; i < POINTS; i++)
      levels[i] = level;
    draw_points();
    const hipTextureObject_t object = texture_of(&m, &d, &view);
    first_level<<<POINTS / 64, 64>>>(device_out, device_at, object, 2);
    compare("a view", &m, &d, levels);
    HIP(hipDestroyTextureObject(object));
  }
  free_mipmap(&m);
}

int main(void) {
  hipDeviceProp_t properties;
  HIP(hipGetDeviceProperties(&properties, 0));
  const bool chooses_levels = strncmp(properties.gcnArchName, "gfx908", strlen("gfx908")) == 0;
  device_at = (float *)to_device(NULL, sizeof at);
  device_asked = (float *)to_device(NULL, sizeof asked);
  device_out = (float *)to_device(NULL, POINTS * sizeof(float));
  every_filter(chooses_levels);
  single_levels();
  if (chooses_levels)
    references();
  return verdict();
}
