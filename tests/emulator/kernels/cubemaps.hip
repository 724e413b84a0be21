// Cubemaps and layers of them: the face and the point on it that a direction names, filters and address
// modes on a face, their surfaces; against samples that the host computes from the programming guide's table.
#include "check.h"
#include "host_sample.h"

enum { SIZE = 8, FACES = 6, LAYERS = 3, POINTS = 768, FRACTIONS = 16 };

__global__ void sample_cube(float *out, const float *at, hipTextureObject_t t) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = texCubemap<float>(t, at[3 * i], at[3 * i + 1], at[3 * i + 2]);
}
// One layer in front of the first and one behind the last: the nearest counts.
__global__ void sample_layers(float *out, const float *at, hipTextureObject_t t) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] =
      texCubemapLayered<float>(t, at[3 * i], at[3 * i + 1], at[3 * i + 2], i % (LAYERS + 2) - 1);
}
__global__ void mirror_faces(hipSurfaceObject_t to, hipSurfaceObject_t from) {
  const int x = threadIdx.x, y = threadIdx.y, face = blockIdx.x;
  float value;
  surfCubemapread(&value, from, x * (int)sizeof value, y, face);
  surfCubemapwrite(value, to, (SIZE - 1 - x) * (int)sizeof value, y, FACES - 1 - face);
}

// Where on its face a direction points, as fractions, and the face.
static int face_of(const float direction[3], float point[2]) {
  const float x = direction[0], y = direction[1], z = direction[2];
  const struct {
    float length, s, t;
  } face[FACES] = {{x, -z, -y}, {-x, z, -y}, {y, x, z}, {-y, x, -z}, {z, x, -y}, {-z, -x, -y}};
  int longest = 0;
  for (int i = 1; i < FACES; i++)
    if (face[i].length > face[longest].length)
      longest = i;
  point[0] = (face[longest].s / face[longest].length + 1) / 2;
  point[1] = (face[longest].t / face[longest].length + 1) / 2;
  return longest;
}

// Points between the sixteenths of texels of a face, as directions of any length.
static void choose_directions(float *at) {
  for (int i = 0; i < POINTS; i++) {
    const int axis = i % 3, half = SIZE * FRACTIONS / 2;
    const float length = (float)(1 << random_bits() % 4);
    for (int other = 1; other < 3; other++)
      at[3 * i + (axis + other) % 3] =
          ((float)(random_bits() % (2 * half)) + 0.5f - half) / half * length;
    at[3 * i + axis] = random_bits() % 2 ? length : -length;
  }
}

static hipArray *cubes_of(const float *data, int layers) {
  hipArray *array;
  const hipChannelFormatDesc single = hipCreateChannelDesc<float>();
  HIP(hipMalloc3DArray(&array, &single, make_hipExtent(SIZE, SIZE, FACES * layers),
                       hipArrayCubemap | (layers > 1 ? hipArrayLayered : 0u)));
  hipMemcpy3DParms copy;
  memset(&copy, 0, sizeof copy);
  copy.srcPtr = make_hipPitchedPtr((void *)data, SIZE * sizeof(float), SIZE, SIZE);
  copy.dstArray = array;
  copy.extent = make_hipExtent(SIZE, SIZE, FACES * layers);
  copy.kind = hipMemcpyHostToDevice;
  HIP(hipMemcpy3D(&copy));
  return array;
}

static hipResourceDesc resource_of(hipArray *array) {
  hipResourceDesc resource;
  memset(&resource, 0, sizeof resource);
  resource.resType = hipResourceTypeArray;
  resource.res.array.array = array;
  return resource;
}

static hipTextureObject_t texture_of(hipArray *array, const Shape *s) {
  const hipResourceDesc resource = resource_of(array);
  hipTextureDesc d;
  memset(&d, 0, sizeof d);
  for (int axis = 0; axis < 3; axis++)
    d.addressMode[axis] = s->mode;
  for (int i = 0; i < 4; i++)
    d.borderColor[i] = (float)s->border;
  d.filterMode = s->linear ? hipFilterModeLinear : hipFilterModePoint;
  d.normalizedCoords = 1;
  hipTextureObject_t object;
  HIP(hipCreateTextureObject(&object, &resource, &d, NULL));
  return object;
}

static int nearest_layer(int layer) { return layer < 0 ? 0 : layer < LAYERS ? layer : LAYERS - 1; }

static void compare(const char *what, const float *data, const Shape *s, const float *at,
                    const float *device_out, bool layered) {
  float out[POINTS];
  HIP(hipGetLastError());
  HIP(hipMemcpy(out, device_out, sizeof out, hipMemcpyDeviceToHost));
  for (int i = 0; i < POINTS; i++) {
    float point[2];
    const int face = face_of(at + 3 * i, point);
    const int layer = layered ? nearest_layer(i % (LAYERS + 2) - 1) : 0;
    const double want = sample(data + (layer * FACES + face) * SIZE * SIZE, s, 2, point);
    if (!(fabs(out[i] - want) <= 1e-4))
      DIFFERS("%s, mode %d, %s: (%g, %g, %g), face %d at (%g, %g), gives %g, not %g", what, s->mode,
              s->linear ? "linear" : "point", at[3 * i], at[3 * i + 1], at[3 * i + 2], face,
              point[0], point[1], out[i], want);
  }
}

static void every_mode(const float *data) {
  float at[3 * POINTS];
  float *out = (float *)to_device(NULL, POINTS * sizeof(float));
  hipArray *cube = cubes_of(data, 1), *cubes = cubes_of(data, LAYERS);
  for (int mode = hipAddressModeWrap; mode <= hipAddressModeBorder; mode++)
    for (int linear = 0; linear < 2; linear++) {
      const Shape s = {{SIZE, SIZE, 1}, (hipTextureAddressMode)mode, linear != 0, true, 3.25};
      choose_directions(at);
      float *device_at = (float *)to_device(at, sizeof at);
      sample_cube<<<POINTS / 64, 64>>>(out, device_at, texture_of(cube, &s));
      compare("a cube", data, &s, at, out, false);
      sample_layers<<<POINTS / 64, 64>>>(out, device_at, texture_of(cubes, &s));
      compare("layers", data, &s, at, out, true);
      HIP(hipFree(device_at));
    }
}

static hipSurfaceObject_t surface_of(hipArray *array) {
  const hipResourceDesc resource = resource_of(array);
  hipSurfaceObject_t object;
  HIP(hipCreateSurfaceObject(&object, &resource));
  return object;
}

static void surfaces(const float *data) {
  static float back[FACES][SIZE][SIZE];
  hipArray *from = cubes_of(data, 1), *to = cubes_of(data, 1);
  mirror_faces<<<FACES, dim3(SIZE, SIZE)>>>(surface_of(to), surface_of(from));
  hipMemcpy3DParms copy;
  memset(&copy, 0, sizeof copy);
  copy.srcArray = to;
  copy.dstPtr = make_hipPitchedPtr(back, sizeof back[0][0], SIZE, SIZE);
  copy.extent = make_hipExtent(SIZE, SIZE, FACES);
  copy.kind = hipMemcpyDeviceToHost;
  HIP(hipMemcpy3D(&copy));
  for (int face = 0; face < FACES; face++)
    for (int y = 0; y < SIZE; y++)
      for (int x = 0; x < SIZE; x++) {
        const float want = data[((FACES - 1 - face) * SIZE + y) * SIZE + SIZE - 1 - x];
        if (back[face][y][x] != want)
          DIFFERS("face %d (%d, %d) is %g, not %g", face, x, y, back[face][y][x], want);
      }
}

int main(void) {
  static float data[LAYERS * FACES * SIZE * SIZE];
  for (size_t i = 0; i < sizeof data / sizeof *data; i++)
    data[i] = (float)(random_bits() % 64) / 4;
  every_mode(data);
  surfaces(data);
  return verdict();
}
