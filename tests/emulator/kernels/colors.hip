// What textures make of colours: sRGB, and borders of a colour, in every read mode, filter and number of
// dimensions; against samples that the host computes from the definition.
#include "check.h"
#include "host_sample.h"

enum { WIDTH = 16, HEIGHT = 16, DEPTH = 4, POINTS = 512, CHANNELS = 4 };

__global__ void sample(float4 *out, const float *at, hipTextureObject_t t, int dimensions) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = dimensions == 1   ? tex1D<float4>(t, at[3 * i])
           : dimensions == 2 ? tex2D<float4>(t, at[3 * i], at[3 * i + 1])
                             : tex3D<float4>(t, at[3 * i], at[3 * i + 1], at[3 * i + 2]);
}

static double linear_of_srgb(double c) {
  return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

// A format of elements: how a channel is stored, and what it reads as.
typedef struct {
  const char *name;
  int bits;
  hipChannelFormatKind kind;
  hipTextureReadMode mode;
  bool srgb;
} Format;

static double value_of(const Format *f, uint32_t raw, int channel) {
  const int32_t with_sign = (int32_t)(raw << (32 - f->bits)) >> (32 - f->bits);
  const double largest = (double)(((uint64_t)1 << f->bits) - 1);
  if (f->kind == hipChannelFormatKindUnsigned)
    return f->srgb && channel < 3 ? linear_of_srgb(raw / largest) : raw / largest;
  if (f->kind == hipChannelFormatKindSigned)
    return fmax(with_sign / ((largest - 1) / 2), -1);
  _Float16 half;
  float single;
  memcpy(&half, &raw, sizeof half);
  memcpy(&single, &raw, sizeof single);
  return f->bits == 16 ? (double)half : single;
}

static uint32_t random_channel(const Format *f) {
  const float single = (float)(random_bits() % 256) / 16 - 8;
  const _Float16 half = (_Float16)single;
  uint32_t raw = 0;
  if (f->kind != hipChannelFormatKindFloat)
    return (uint32_t)(random_bits() & (((uint64_t)1 << f->bits) - 1));
  memcpy(&raw, f->bits == 16 ? (const void *)&half : (const void *)&single, (size_t)f->bits / 8);
  return raw;
}

static hipTextureObject_t texture_of(const Format *f, const Shape *s, int dimensions, int channels,
                                     const void *texels, const float border[CHANNELS]) {
  hipArray *array;
  const hipChannelFormatDesc d =
      hipCreateChannelDesc(f->bits, channels > 1 ? f->bits : 0, channels > 2 ? f->bits : 0,
                           channels > 2 ? f->bits : 0, f->kind);
  HIP(hipMalloc3DArray(
      &array, &d, make_hipExtent(WIDTH, dimensions > 1 ? HEIGHT : 0, dimensions > 2 ? DEPTH : 0),
      0));
  hipMemcpy3DParms copy;
  memset(&copy, 0, sizeof copy);
  copy.srcPtr = make_hipPitchedPtr((void *)texels, (size_t)(WIDTH * channels * f->bits / 8), WIDTH,
                                   s->extent[1]);
  copy.dstArray = array;
  copy.extent = make_hipExtent(WIDTH, s->extent[1], s->extent[2]);
  copy.kind = hipMemcpyHostToDevice;
  HIP(hipMemcpy3D(&copy));
  hipResourceDesc resource;
  memset(&resource, 0, sizeof resource);
  resource.resType = hipResourceTypeArray;
  resource.res.array.array = array;
  hipTextureDesc texture;
  memset(&texture, 0, sizeof texture);
  for (int axis = 0; axis < 3; axis++)
    texture.addressMode[axis] = s->mode;
  memcpy(texture.borderColor, border, sizeof texture.borderColor);
  texture.filterMode = s->linear ? hipFilterModeLinear : hipFilterModePoint;
  texture.readMode = f->mode;
  texture.normalizedCoords = s->normalized;
  texture.sRGB = f->srgb;
  hipTextureObject_t object;
  HIP(hipCreateTextureObject(&object, &resource, &texture, NULL));
  return object;
}

// Channels that are not there read 0, the fourth 1, in the border too.
static double want(const Format *f, const Shape *s, int dimensions, int channels, int channel,
                   const float *values, const float border[CHANNELS], const float *at) {
  if (channel >= channels)
    return channel == 3;
  Shape of_channel = *s;
  of_channel.border = border[channel];
  return sample(values + channel * WIDTH * HEIGHT * DEPTH, &of_channel, dimensions, at);
}

static void one_case(const Format *f, const Shape *s, int dimensions, int channels) {
  static uint32_t raw[WIDTH * HEIGHT * DEPTH][CHANNELS];
  static float values[CHANNELS * WIDTH * HEIGHT * DEPTH], at[3 * POINTS], out[POINTS][CHANNELS];
  static uint8_t texels[WIDTH * HEIGHT * DEPTH * CHANNELS * 4];
  const float border[CHANNELS] = {0.25f, -3, 0.75f, 0.5f};
  const int count = s->extent[0] * s->extent[1] * s->extent[2], bytes = f->bits / 8;
  for (int i = 0; i < count; i++)
    for (int c = 0; c < channels; c++) {
      raw[i][c] = random_channel(f);
      values[c * WIDTH * HEIGHT * DEPTH + i] = (float)value_of(f, raw[i][c], c);
      memcpy(texels + (i * channels + c) * bytes, &raw[i][c], (size_t)bytes);
    }
  for (int i = 0; i < 3 * POINTS; i++) {
    const int extent = s->extent[i % 3];
    at[i] = (float)(((long)(random_bits() % (unsigned)(48 * extent)) - 16 * extent + 0.5) / 16 /
                    (s->normalized ? extent : 1));
  }
  float *device_at = (float *)to_device(at, sizeof at);
  float4 *device_out = (float4 *)to_device(NULL, sizeof out);
  sample<<<POINTS / 64, 64>>>(device_out, device_at,
                              texture_of(f, s, dimensions, channels, texels, border), dimensions);
  to_host(out, device_out, sizeof out);
  HIP(hipFree(device_at));
  for (int i = 0; i < POINTS; i++)
    for (int c = 0; c < CHANNELS; c++) {
      const double expected = want(f, s, dimensions, channels, c, values, border, at + 3 * i);
      if (!(fabs(out[i][c] - expected) <= 1e-4))
        DIFFERS(
            "%s, %d dimensions, mode %d, %s, %s: (%g, %g, %g) channel %d of %d gives %g, not %g",
            f->name, dimensions, s->mode, s->linear ? "linear" : "point",
            s->normalized ? "normalized" : "texels", at[3 * i], at[3 * i + 1], at[3 * i + 2], c,
            channels, out[i][c], expected);
    }
}

int main(void) {
  static const Format formats[] = {
      {"sRGB", 8, hipChannelFormatKindUnsigned, hipReadModeNormalizedFloat, true},
      {"bytes", 8, hipChannelFormatKindUnsigned, hipReadModeNormalizedFloat, false},
      {"signed bytes", 8, hipChannelFormatKindSigned, hipReadModeNormalizedFloat, false},
      {"shorts", 16, hipChannelFormatKindUnsigned, hipReadModeNormalizedFloat, false},
      {"signed shorts", 16, hipChannelFormatKindSigned, hipReadModeNormalizedFloat, false},
      {"halves", 16, hipChannelFormatKindFloat, hipReadModeElementType, false},
      {"floats", 32, hipChannelFormatKindFloat, hipReadModeElementType, false}};
  for (const Format &f : formats)
    for (int dimensions = 1; dimensions <= 3; dimensions++)
      for (int variant = 0; variant < 4; variant++)
        for (int channels = f.srgb ? 4 : 1; channels <= 4; channels *= 2)
          for (int mode = f.srgb ? hipAddressModeWrap : hipAddressModeBorder;
               mode <= hipAddressModeBorder; mode++) {
            const Shape s = {{WIDTH, dimensions > 1 ? HEIGHT : 1, dimensions > 2 ? DEPTH : 1},
                             (hipTextureAddressMode)mode,
                             (variant & 1) != 0,
                             (variant & 2) != 0,
                             0};
            if (s.normalized || mode == hipAddressModeClamp || mode == hipAddressModeBorder)
              one_case(&f, &s, dimensions, channels);
          }
  return verdict();
}
