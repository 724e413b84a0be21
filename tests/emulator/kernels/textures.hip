// Textures and surfaces: every address mode and filter in one to three dimensions, formats, rows in
// plain memory, layers, references; against samples that the host computes from the definition.
#include "check.h"
#include "host_sample.h"

enum { WIDTH = 13, HEIGHT = 7, DEPTH = 5, POINTS = 512 };

texture<float, 2, hipReadModeElementType> bound;
texture<uchar4, 2, hipReadModeNormalizedFloat> bound_rows;
texture<int, 1, hipReadModeElementType> bound_line;
texture<unsigned, 2, hipReadModeElementType> bound_bits;

static void from_device(void *host, const void *device, size_t bytes) {
  HIP(hipGetLastError());
  HIP(hipMemcpy(host, device, bytes, hipMemcpyDeviceToHost));
}

// ---- the device's ----

__global__ void sample_1d(float *out, const float *at, hipTextureObject_t t) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = tex1D<float>(t, at[3 * i]);
}
__global__ void sample_2d(float *out, const float *at, hipTextureObject_t t) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = tex2D<float>(t, at[3 * i], at[3 * i + 1]);
}
__global__ void sample_3d(float *out, const float *at, hipTextureObject_t t) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = tex3D<float>(t, at[3 * i], at[3 * i + 1], at[3 * i + 2]);
}
__global__ void sample_layers(float *out, const float *at, hipTextureObject_t t) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = tex2DLayered<float>(t, at[3 * i], at[3 * i + 1], i % DEPTH);
}
__global__ void sample_bound(float *out, const float *at) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = tex2D(bound, at[3 * i], at[3 * i + 1]);
}

static void compare(const char *what, const Shape *s, int dimensions, const float *data,
                    const float *at, const float *device_out) {
  float out[POINTS];
  from_device(out, device_out, sizeof out);
  for (int i = 0; i < POINTS; i++) {
    const double want = sample(data, s, dimensions, at + 3 * i);
    // The points have 4 binary digits behind the point, of which the hardware keeps 8.
    if (!(fabs(out[i] - want) <= 1e-4))
      DIFFERS("%s, mode %d, %s, %s: (%g, %g, %g) gives %g, not %g", what, s->mode,
              s->linear ? "linear" : "point", s->normalized ? "normalized" : "texels", at[3 * i],
              at[3 * i + 1], at[3 * i + 2], out[i], want);
  }
}

static hipTextureDesc description(const Shape *s, hipTextureReadMode read) {
  hipTextureDesc d;
  memset(&d, 0, sizeof d);
  for (int axis = 0; axis < 3; axis++)
    d.addressMode[axis] = s->mode;
  d.filterMode = s->linear ? hipFilterModeLinear : hipFilterModePoint;
  d.readMode = read;
  d.normalizedCoords = s->normalized;
  return d;
}

static hipArray *array_of(const void *data, hipChannelFormatDesc descriptor, size_t bytes,
                          int width, int height, int depth, unsigned flags) {
  hipArray *array;
  HIP(hipMalloc3DArray(&array, &descriptor, make_hipExtent(width, height, depth), flags));
  hipMemcpy3DParms copy;
  memset(&copy, 0, sizeof copy);
  copy.srcPtr = make_hipPitchedPtr((void *)data, width * bytes, width, height ? height : 1);
  copy.dstArray = array;
  copy.extent = make_hipExtent(width, height ? height : 1, depth ? depth : 1);
  copy.kind = hipMemcpyHostToDevice;
  HIP(hipMemcpy3D(&copy));
  return array;
}

static hipTextureObject_t texture_of(hipArray *array, const Shape *s, hipTextureReadMode read) {
  hipResourceDesc resource;
  memset(&resource, 0, sizeof resource);
  resource.resType = hipResourceTypeArray;
  resource.res.array.array = array;
  const hipTextureDesc d = description(s, read);
  hipTextureObject_t object;
  HIP(hipCreateTextureObject(&object, &resource, &d, NULL));
  return object;
}

static void every_mode(const float *data) {
  static float at[3 * POINTS];
  float *out = (float *)to_device(NULL, POINTS * sizeof(float));
  const hipChannelFormatDesc single = hipCreateChannelDesc<float>();
  for (int dimensions = 1; dimensions <= 3; dimensions++)
    for (int mode = hipAddressModeWrap; mode <= hipAddressModeBorder; mode++)
      for (int variant = 0; variant < 4; variant++) {
        Shape s = {{WIDTH, dimensions > 1 ? HEIGHT : 1, dimensions > 2 ? DEPTH : 1},
                   (hipTextureAddressMode)mode,
                   (variant & 1) != 0,
                   (variant & 2) != 0};
        if (!s.normalized && (mode == hipAddressModeWrap || mode == hipAddressModeMirror))
          continue; // only of normalized coordinates
        for (int i = 0; i < 3 * POINTS; i++) {
          const int extent = s.extent[i % 3];
          at[i] = (float)(((long)(random_bits() % (unsigned)(48 * extent)) - 16 * extent + 0.5) /
                          16 / (s.normalized ? extent : 1));
        }
        float *device_at = (float *)to_device(at, sizeof at);
        hipArray *array = array_of(data, single, sizeof *data, WIDTH, dimensions > 1 ? HEIGHT : 0,
                                   dimensions > 2 ? DEPTH : 0, 0);
        hipTextureObject_t object = texture_of(array, &s, hipReadModeElementType);
        static void (*const kernel[])(float *, const float *,
                                      hipTextureObject_t) = {sample_1d, sample_2d, sample_3d};
        kernel[dimensions - 1]<<<POINTS / 64, 64>>>(out, device_at, object);
        compare("an array", &s, dimensions, data, at, out);
        if (dimensions == 2) {
          for (int axis = 0; axis < 3; axis++)
            bound.addressMode[axis] = s.mode;
          bound.filterMode = s.linear ? hipFilterModeLinear : hipFilterModePoint;
          bound.normalized = s.normalized;
          HIP(hipBindTextureToArray(bound, array));
          sample_bound<<<POINTS / 64, 64>>>(out, device_at);
          compare("a reference", &s, dimensions, data, at, out);
          HIP(hipUnbindTexture(&bound));
        }
        HIP(hipDestroyTextureObject(object));
        HIP(hipFreeArray(array));
        HIP(hipFree(device_at));
      }
}

static void layers(const float *data) {
  float at[3 * POINTS], out[POINTS];
  const Shape s = {{WIDTH, HEIGHT, 1}, hipAddressModeClamp, true, false};
  for (int i = 0; i < 3 * POINTS; i++)
    at[i] = (float)(random_bits() % (16 * WIDTH)) / 16;
  float *device_at = (float *)to_device(at, sizeof at),
        *device_out = (float *)to_device(NULL, sizeof out);
  hipArray *array =
      array_of(data, hipCreateChannelDesc<float>(), 4, WIDTH, HEIGHT, DEPTH, hipArrayLayered);
  sample_layers<<<POINTS / 64, 64>>>(device_out, device_at,
                                     texture_of(array, &s, hipReadModeElementType));
  from_device(out, device_out, sizeof out);
  for (int i = 0; i < POINTS; i++) {
    const double want = sample(data + i % DEPTH * WIDTH * HEIGHT, &s, 2, at + 3 * i);
    if (!(fabs(out[i] - want) <= 1e-4))
      DIFFERS("layer %d at (%g, %g) gives %g, not %g", i % DEPTH, at[3 * i], at[3 * i + 1], out[i],
              want);
  }
}

// ---- formats ----

__global__ void read_rows(float4 *fractions, uchar4 *bytes, hipTextureObject_t f,
                          hipTextureObject_t b) {
  const int x = threadIdx.x, y = blockIdx.x;
  fractions[y * WIDTH + x] = tex2D<float4>(f, x, y);
  bytes[y * WIDTH + x] = tex2D<uchar4>(b, x, y);
}
__global__ void read_bound_rows(float4 *fractions) {
  fractions[blockIdx.x * WIDTH + threadIdx.x] = tex2D(bound_rows, threadIdx.x, blockIdx.x);
}
__global__ void read_line(int *out, hipTextureObject_t line, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = tex1Dfetch<int>(line, i) + tex1Dfetch(bound_line, n - 1 - i);
}

static void formats(void) {
  enum { PITCH = 256, LINE = 200, THREADS = 256 };
  const Shape s = {{WIDTH, HEIGHT, 1}, hipAddressModeClamp, false, false};
  static uint8_t rows[HEIGHT][PITCH];
  for (int i = 0; i < HEIGHT * PITCH; i++)
    rows[0][i] = (uint8_t)random_bits();
  hipResourceDesc resource;
  memset(&resource, 0, sizeof resource);
  resource.resType = hipResourceTypePitch2D;
  resource.res.pitch2D.devPtr = to_device(rows, sizeof rows);
  // hipCreateChannelDesc<uchar4>() of ROCm 5.2 says that they have a sign.
  resource.res.pitch2D.desc = hipCreateChannelDesc(8, 8, 8, 8, hipChannelFormatKindUnsigned);
  resource.res.pitch2D.width = WIDTH;
  resource.res.pitch2D.height = HEIGHT;
  resource.res.pitch2D.pitchInBytes = PITCH;
  hipTextureDesc as_bytes = description(&s, hipReadModeElementType),
                 as_fractions = description(&s, hipReadModeNormalizedFloat);
  hipTextureObject_t b, f;
  HIP(hipCreateTextureObject(&b, &resource, &as_bytes, NULL));
  HIP(hipCreateTextureObject(&f, &resource, &as_fractions, NULL));
  float4 *device_fractions = (float4 *)to_device(NULL, WIDTH * HEIGHT * sizeof(float4));
  uchar4 *device_bytes = (uchar4 *)to_device(NULL, WIDTH * HEIGHT * sizeof(uchar4));
  static float fractions[HEIGHT][WIDTH][4];
  static uint8_t bytes[HEIGHT][WIDTH][4];
  HIP(hipBindTexture2D(NULL, bound_rows, resource.res.pitch2D.devPtr, resource.res.pitch2D.desc,
                       WIDTH, HEIGHT, PITCH));
  for (int round = 0; round < 2; round++) {
    if (round)
      read_bound_rows<<<HEIGHT, WIDTH>>>(device_fractions);
    else
      read_rows<<<HEIGHT, WIDTH>>>(device_fractions, device_bytes, f, b);
    from_device(fractions, device_fractions, sizeof fractions);
    from_device(bytes, device_bytes, sizeof bytes);
    for (int y = 0; y < HEIGHT; y++)
      for (int i = 0; i < 4 * WIDTH; i++)
        if (bytes[y][0][i] != rows[y][i] || fabs(fractions[y][0][i] - rows[y][i] / 255.0) > 1e-6)
          DIFFERS("row %d byte %d is %d, read as %d and %g", y, i, rows[y][i], bytes[y][0][i],
                  fractions[y][0][i]);
    HIP(hipMemset(device_fractions, 0, sizeof fractions));
  }

  int line[LINE], out[THREADS];
  for (int i = 0; i < LINE; i++)
    line[i] = (int)random_bits();
  memset(&resource, 0, sizeof resource);
  resource.resType = hipResourceTypeLinear;
  resource.res.linear.devPtr = to_device(line, sizeof line);
  resource.res.linear.desc = hipCreateChannelDesc<int>();
  resource.res.linear.sizeInBytes = sizeof line;
  hipTextureObject_t object;
  HIP(hipCreateTextureObject(&object, &resource, &as_bytes, NULL));
  HIP(hipBindTexture(NULL, bound_line, resource.res.linear.devPtr, sizeof line));
  int *device_out = (int *)to_device(NULL, sizeof out);
  read_line<<<THREADS / 64, 64>>>(device_out, object, LINE);
  from_device(out, device_out, sizeof out);
  for (int i = 0; i < THREADS; i++) { // beyond the end reads 0
    const unsigned want =
        (i < LINE ? (unsigned)line[i] : 0) + (i < LINE ? (unsigned)line[LINE - 1 - i] : 0);
    if ((unsigned)out[i] != want)
      DIFFERS("element %d of a line gives %d, not %d", i, out[i], (int)want);
  }
}

// ---- what a reference makes of an array ----

__global__ void read_outside(float *out, unsigned *bits) {
  out[threadIdx.x] = tex2D(bound, (float)threadIdx.x - 1, 0.f);
  bits[threadIdx.x] = tex2D(bound_bits, (float)threadIdx.x, 0.f);
}

// The border has the reference's colour; the array's bits are elements of the type that is named.
static void references(const float *data) {
  float out[WIDTH], color[4] = {5, 6, 7, 8};
  unsigned bits[WIDTH];
  hipArray *array = array_of(data, hipCreateChannelDesc<float>(), 4, WIDTH, HEIGHT, 0, 0);
  const hipChannelFormatDesc wrong = {-1, -1, -1, -1, hipChannelFormatKindSigned},
                             other = {8, 0, 0, 0, hipChannelFormatKindUnsigned};
  if (hipBindTextureToArray(&bound, array, &wrong) != hipErrorInvalidValue ||
      hipBindTextureToArray(&bound, array, &other) != hipErrorInvalidValue)
    DIFFERS("an array is bound as elements that it cannot have");
  for (int axis = 0; axis < 2; axis++)
    bound.addressMode[axis] = hipAddressModeBorder;
  bound.filterMode = hipFilterModePoint;
  bound.normalized = false;
  HIP(hipTexRefSetBorderColor(&bound, color));
  HIP(hipBindTextureToArray(bound, array));
  const hipChannelFormatDesc as_bits = hipCreateChannelDesc<unsigned>();
  HIP(hipBindTextureToArray(&bound_bits, array, &as_bits));
  float *device_out = (float *)to_device(NULL, sizeof out);
  unsigned *device_bits = (unsigned *)to_device(NULL, sizeof bits);
  read_outside<<<1, WIDTH>>>(device_out, device_bits);
  to_host(out, device_out, sizeof out);
  to_host(bits, device_bits, sizeof bits);
  for (int x = 0; x < WIDTH; x++)
    if (out[x] != (x ? data[x - 1] : color[0]) || memcmp(&bits[x], &data[x], sizeof bits[x]) != 0)
      DIFFERS("element %d gives %g and bits 0x%x, of %g", x, out[x], bits[x], data[x]);
}

// ---- surfaces ----

__global__ void move_texels(hipSurfaceObject_t to, hipSurfaceObject_t from) {
  const int x = threadIdx.x, y = blockIdx.x;
  float4 value; // outside reads 0 and is not written
  surf2Dread(&value, from, (x - 1) * (int)sizeof value, y);
  value.x += 100;
  surf2Dwrite(value, to, x * (int)sizeof value, y);
}
__global__ void count_texels(hipSurfaceObject_t line, hipSurfaceObject_t block) {
  const int x = threadIdx.x;
  float value;
  surf1Dread(&value, line, x * 4);
  surf1Dwrite(value * 2, line, x * 4);
  surf3Dwrite(value + x, block, x * 4, 2, 1);
}

static hipSurfaceObject_t surface_of(hipArray *array) {
  hipResourceDesc resource;
  memset(&resource, 0, sizeof resource);
  resource.resType = hipResourceTypeArray;
  resource.res.array.array = array;
  hipSurfaceObject_t object;
  HIP(hipCreateSurfaceObject(&object, &resource));
  return object;
}

static void surfaces(const float *data) {
  float back[HEIGHT][WIDTH][4], line[WIDTH], row[WIDTH];
  hipArray *from = array_of(data, hipCreateChannelDesc<float4>(), 16, WIDTH, HEIGHT, 0,
                            hipArraySurfaceLoadStore),
           *to = array_of(data, hipCreateChannelDesc<float4>(), 16, WIDTH, HEIGHT, 0,
                          hipArraySurfaceLoadStore),
           *one = array_of(data, hipCreateChannelDesc<float>(), 4, WIDTH, 0, 0, 0),
           *three = array_of(data, hipCreateChannelDesc<float>(), 4, WIDTH, 3, 2, 0);
  move_texels<<<HEIGHT + 1, WIDTH + 1>>>(surface_of(to), surface_of(from));
  HIP(hipMemcpy2DFromArray(back, sizeof back[0], to, 0, 0, sizeof back[0], HEIGHT,
                           hipMemcpyDeviceToHost));
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++)
      for (int i = 0; i < 4; i++) {
        const float want = (x ? data[(y * WIDTH + x - 1) * 4 + i] : 0) + (i ? 0 : 100);
        if (back[y][x][i] != want)
          DIFFERS("surface (%d, %d) channel %d is %g, not %g", x, y, i, back[y][x][i], want);
      }
  count_texels<<<1, WIDTH>>>(surface_of(one), surface_of(three));
  HIP(hipMemcpy2DFromArray(line, sizeof line, one, 0, 0, sizeof line, 1, hipMemcpyDeviceToHost));
  hipMemcpy3DParms copy;
  memset(&copy, 0, sizeof copy);
  copy.srcArray = three;
  copy.srcPos = make_hipPos(0, 2, 1);
  copy.dstPtr = make_hipPitchedPtr(row, sizeof row, WIDTH, 1);
  copy.extent = make_hipExtent(WIDTH, 1, 1);
  copy.kind = hipMemcpyDeviceToHost;
  HIP(hipMemcpy3D(&copy));
  for (int x = 0; x < WIDTH; x++)
    if (line[x] != 2 * data[x] || row[x] != data[x] + x)
      DIFFERS("surfaces at %d: %g and %g, not %g and %g", x, line[x], row[x], 2 * data[x],
              data[x] + x);
}

int main(void) {
  static float data[4 * WIDTH * HEIGHT * DEPTH];
  for (size_t i = 0; i < sizeof data / sizeof *data; i++)
    data[i] = (float)(random_bits() % 64) / 4;
  every_mode(data);
  layers(data);
  formats();
  references(data);
  surfaces(data);
  return verdict();
}
