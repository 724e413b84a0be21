// Textures and surfaces: which calls are refused, with which code and sentence. What they read and
// write is kernels/textures.hip.
#include "runtime_test.h"

#include <hip/hip_texture_types.h>

// The headers of HIP show these to C++ alone.
extern hipError_t hipCreateSurfaceObject(hipSurfaceObject_t *surface,
                                         const hipResourceDesc *resource);
extern hipError_t hipDestroySurfaceObject(hipSurfaceObject_t surface);

#pragma GCC diagnostic ignored "-Wdeprecated-declarations" // references are, and served

static hipResourceDesc in_array(hipArray *array) {
  hipResourceDesc resource = {.resType = hipResourceTypeArray};
  resource.res.array.array = array;
  return resource;
}

static hipArray *new_array(int bits, hipChannelFormatKind kind, size_t width, size_t height) {
  hipArray *array = NULL;
  hipChannelFormatDesc descriptor = {bits, 0, 0, 0, kind};
  SUCCEEDS(hipMallocArray(&array, &descriptor, width, height, 0));
  return array;
}

Test(runtime_textures, remember_what_they_were_made_of) {
  hipResourceDesc resource = in_array(new_array(32, hipChannelFormatKindFloat, 8, 8)), same;
  hipTextureDesc texture = {.addressMode = {hipAddressModeMirror}, .normalizedCoords = 1}, alike;
  hipTextureObject_t object = NULL;
  SUCCEEDS(hipCreateTextureObject(&object, &resource, &texture, NULL));
  SUCCEEDS(hipGetTextureObjectResourceDesc(&same, object));
  SUCCEEDS(hipGetTextureObjectTextureDesc(&alike, object));
  cr_assert(all(eq(ptr, same.res.array.array, resource.res.array.array),
                eq(int, (int)alike.addressMode[0], (int)hipAddressModeMirror)));
  SUCCEEDS(hipDestroyTextureObject(object));
  SUCCEEDS(hipDestroyTextureObject(NULL));
  GIVES(hipErrorInvalidValue, hipDestroyTextureObject(object));
  GIVES(hipErrorInvalidValue, hipGetTextureObjectResourceDesc(&same, object));
  GIVES(hipErrorInvalidValue, hipGetTextureObjectTextureDesc(&alike, object));
}

Test(runtime_textures, are_named_when_a_kernel_reads_one_that_was_destroyed) {
  hipResourceDesc resource = in_array(new_array(32, hipChannelFormatKindFloat, 8, 8));
  hipTextureDesc texture = {0};
  hipTextureObject_t object = NULL;
  hipSurfaceObject_t surface = NULL;
  int n = 1;
  void *arguments[] = {&object, &n};
  cr_redirect_stderr();
  SUCCEEDS(hipCreateTextureObject(&object, &resource, &texture, NULL));
  SUCCEEDS(hipDestroyTextureObject(object));
  SUCCEEDS(launch(kernel_named("add_one"), 1, 1, 0, arguments));
  GIVES(hipErrorIllegalAddress, hipDeviceSynchronize());
  SUCCEEDS(hipDeviceReset());
  resource = in_array(new_array(32, hipChannelFormatKindFloat, 8, 8));
  SUCCEEDS(hipCreateSurfaceObject(&surface, &resource));
  SUCCEEDS(hipDestroySurfaceObject(surface));
  arguments[0] = &surface;
  SUCCEEDS(launch(kernel_named("add_one"), 1, 1, 0, arguments));
  GIVES(hipErrorIllegalAddress, hipDeviceSynchronize());
  const char *text = said();
  SAYS(text, "0 bytes into the freed texture object of ");
  SAYS(text, "0 bytes into the freed surface object of ");
}

Test(runtime_textures, refuse_what_cannot_be) {
  hipResourceDesc resource = in_array(new_array(32, hipChannelFormatKindFloat, 8, 8)),
                  other = resource;
  hipTextureDesc texture = {.filterMode = hipFilterModeLinear};
  hipTextureObject_t object = NULL;
  GIVES(hipErrorInvalidValue, hipCreateTextureObject(NULL, &resource, &texture, NULL));
  GIVES(hipErrorInvalidValue, hipCreateTextureObject(&object, NULL, &texture, NULL));
  GIVES(hipErrorInvalidValue, hipCreateTextureObject(&object, &resource, NULL, NULL));
  other.res.array.array = NULL;
  GIVES(hipErrorInvalidValue, hipCreateTextureObject(&object, &other, &texture, NULL));
  other.resType = hipResourceTypeLinear;
  other.res.linear.devPtr = device_allocation(1024);
  other.res.linear.desc = (hipChannelFormatDesc){24, 0, 0, 0, hipChannelFormatKindSigned};
  other.res.linear.sizeInBytes = 1024;
  GIVES(hipErrorInvalidValue, hipCreateTextureObject(&object, &other, &texture, NULL));
  cr_assert(zero(ptr, object));
}

Test(runtime_textures, say_what_is_wrong) {
  cr_redirect_stderr();
  hipResourceDesc integers = in_array(new_array(8, hipChannelFormatKindUnsigned, 8, 8)),
                  moved = integers;
  hipTextureDesc linear = {.filterMode = hipFilterModeLinear};
  hipTextureObject_t object = NULL;
  GIVES(hipErrorInvalidValue, hipCreateTextureObject(&object, &integers, &linear, NULL));
  moved.resType = hipResourceTypeLinear;
  moved.res.linear.devPtr = (char *)device_allocation(1024) + 4;
  moved.res.linear.desc = (hipChannelFormatDesc){32, 0, 0, 0, hipChannelFormatKindFloat};
  moved.res.linear.sizeInBytes = 1020;
  GIVES(hipErrorInvalidValue, hipCreateTextureObject(&object, &moved, &linear, NULL));
  hipResourceDesc large = {.resType = hipResourceTypePitch2D,
                           .res.pitch2D = {device_allocation(8 << 15),
                                           {32, 0, 0, 0, hipChannelFormatKindFloat},
                                           1 << 15,
                                           2,
                                           4 << 15}};
  GIVES(hipErrorInvalidValue, hipCreateTextureObject(&object, &large, &linear, NULL));
  const char *text = said();
  SAYS(text, "integers cannot be filtered");
  SAYS(text, "needs device memory that begins at a multiple of 256");
  SAYS(text, "no image has 32768 x 2 x 1 elements");
}

Test(runtime_textures, say_once_that_bytes_with_a_sign_become_fractions) {
  cr_redirect_stderr();
  const hipChannelFormatKind is = hipChannelFormatKindSigned, is_not = hipChannelFormatKindUnsigned;
  hipResourceDesc bytes = in_array(new_array(8, is, 8, 8)),
                  others[] = {in_array(new_array(8, is_not, 8, 8)),
                              in_array(new_array(16, is, 8, 8))};
  const hipTextureDesc fractions = {.readMode = hipReadModeNormalizedFloat},
                       integers = {.readMode = hipReadModeElementType};
  hipTextureObject_t object = NULL;
  for (int i = 0; i < 2; i++)
    SUCCEEDS(hipCreateTextureObject(&object, &others[i], &fractions, NULL));
  SUCCEEDS(hipCreateTextureObject(&object, &bytes, &integers, NULL));
  fprintf(stderr, "until here nothing\n");
  for (int i = 0; i < 2; i++)
    SUCCEEDS(hipCreateTextureObject(&object, &bytes, &fractions, NULL));
  const char *text = said(), *note = strstr(text, "bytes as fractions with a sign");
  cr_assert(eq(ptr, (void *)strstr(text, "until here nothing"), (void *)text), "%s", text);
  cr_assert(ne(ptr, (void *)note, NULL), "%s", text);
  cr_assert(eq(ptr, (void *)strstr(note + 1, "bytes as fractions"), NULL), "%s", text);
}

// The number of the format that a texture of an array is read in (image.h).
static unsigned number_of(hipTextureObject_t object) {
  uint32_t word[2];
  memcpy(word, object, sizeof word);
  return word[1] >> 26 & 15;
}

Test(runtime_textures, are_fractions_of_8_and_16_bits_alone) {
  enum { UNORM = 0, UINT = 4 };
  hipTextureDesc texture = {.readMode = hipReadModeNormalizedFloat};
  for (int bits = 8; bits <= 32; bits *= 2) {
    hipResourceDesc resource = in_array(new_array(bits, hipChannelFormatKindUnsigned, 4, 4));
    hipTextureObject_t object = NULL;
    SUCCEEDS(hipCreateTextureObject(&object, &resource, &texture, NULL));
    cr_assert(eq(uint, number_of(object), bits == 32 ? UINT : UNORM));
  }
}

// What they read then is kernels/colors.hip and kernels/cubemaps.hip.
Test(runtime_textures, of_colours_have_a_format_that_holds_them) {
  cr_redirect_stderr();
  hipArray *colors = NULL;
  const hipChannelFormatDesc four = {8, 8, 8, 8, hipChannelFormatKindUnsigned};
  SUCCEEDS(hipMallocArray(&colors, &four, 8, 8, 0));
  hipResourceDesc resource = in_array(colors),
                  single = in_array(new_array(8, hipChannelFormatKindUnsigned, 8, 8)),
                  line = {.resType = hipResourceTypeLinear,
                          .res.linear = {device_allocation(1024), four, 1024}};
  hipTextureDesc corrected = {.sRGB = 1, .readMode = hipReadModeNormalizedFloat},
                 whole = {.sRGB = 1},
                 framed = {.addressMode = {hipAddressModeBorder}, .borderColor = {1}};
  hipTextureObject_t object = NULL;
  SUCCEEDS(hipCreateTextureObject(&object, &resource, &corrected, NULL));
  SUCCEEDS(hipCreateTextureObject(&object, &single, &corrected, NULL));
  GIVES(hipErrorInvalidValue, hipCreateTextureObject(&object, &resource, &whole, NULL));
  GIVES(hipErrorInvalidValue, hipCreateTextureObject(&object, &line, &corrected, NULL));
  GIVES(hipErrorNotSupported, hipCreateTextureObject(&object, &resource, &framed, NULL));
  framed.readMode = hipReadModeNormalizedFloat;
  SUCCEEDS(hipCreateTextureObject(&object, &resource, &framed, NULL));
  const char *text = said();
  SAYS(text, "this one, of 1, is read as it is");
  SAYS(text, "four channels of 8 bits without sign, in an array or in rows");
  SAYS(text, "of a texture that is read as integers it is zeros");
}

Test(runtime_textures, borders_have_4095_colours) {
  cr_redirect_stderr();
  hipResourceDesc resource = in_array(new_array(32, hipChannelFormatKindFloat, 8, 8));
  hipTextureDesc framed = {.addressMode = {hipAddressModeBorder}};
  hipTextureObject_t object = NULL;
  for (int i = 0; i < 4096; i++) {
    framed.borderColor[i % 4] = (float)i;
    hipError_t error = hipCreateTextureObject(&object, &resource, &framed, NULL);
    cr_assert(eq(int, (int)error, hipSuccess));
    SUCCEEDS(hipDestroyTextureObject(object));
  }
  framed.borderColor[0] = -1;
  GIVES(hipErrorNotSupported, hipCreateTextureObject(&object, &resource, &framed, NULL));
  SAYS(said(), "one colour of a border too many");
}

Test(runtime_textures, cubemaps_have_six_faces) {
  cr_redirect_stderr();
  hipArray *cube = NULL;
  hipMipmappedArray_t mipmap = NULL;
  const hipChannelFormatDesc single = {32, 0, 0, 0, hipChannelFormatKindFloat};
  const unsigned layers = hipArrayCubemap | hipArrayLayered;
  SUCCEEDS(hipMalloc3DArray(&cube, &single, (hipExtent){4, 4, 6}, hipArrayCubemap));
  SUCCEEDS(hipMalloc3DArray(&cube, &single, (hipExtent){4, 4, 12}, layers));
  GIVES(hipErrorInvalidValue,
        hipMalloc3DArray(&cube, &single, (hipExtent){4, 4, 12}, hipArrayCubemap));
  GIVES(hipErrorInvalidValue, hipMalloc3DArray(&cube, &single, (hipExtent){4, 5, 6}, layers));
  GIVES(hipErrorInvalidValue, hipMalloc3DArray(&cube, &single, (hipExtent){4, 4, 13}, layers));
  GIVES(hipErrorInvalidValue, hipMalloc3DArray(&cube, &single, (hipExtent){4, 4, 0}, layers));
  SAYS(said(), "a cubemap has six faces as wide as high");
  SUCCEEDS(hipMallocMipmappedArray(&mipmap, &single, (hipExtent){4, 4, 6}, 3, hipArrayCubemap));
  for (int i = 0; i < 2; i++) // four neighbours, of a line and of a block
    GIVES(hipErrorInvalidValue,
          hipMalloc3DArray(&cube, &single, (hipExtent){4, (size_t)i * 4, (size_t)i * 4},
                           hipArrayTextureGather));

  hipResourceDesc resource = in_array(cube);
  hipTextureDesc texture = {.normalizedCoords = 1};
  hipTextureObject_t object = NULL;
  struct hipResourceViewDesc half = {
      .width = 4, .height = 4, .depth = 12, .firstLayer = 6, .lastLayer = 11};
  SUCCEEDS(hipMalloc3DArray(&resource.res.array.array, &single, (hipExtent){4, 4, 12}, layers));
  SUCCEEDS(hipCreateTextureObject(&object, &resource, &texture, &half));
  half.firstLayer = 3, half.lastLayer = 8;
  GIVES(hipErrorInvalidValue, hipCreateTextureObject(&object, &resource, &texture, &half));
  half.lastLayer = 11;
  GIVES(hipErrorInvalidValue, hipCreateTextureObject(&object, &resource, &texture, &half));
  half.firstLayer = 0, half.lastLayer = 8;
  GIVES(hipErrorInvalidValue, hipCreateTextureObject(&object, &resource, &texture, &half));
}

Test(runtime_textures, rows_may_lie_close_and_end_beyond_the_memory) {
  cr_redirect_stderr();
  hipResourceDesc rows = {
      .resType = hipResourceTypePitch2D,
      .res.pitch2D = {
          device_allocation(1024), {32, 0, 0, 0, hipChannelFormatKindFloat}, 16, 16, 0}};
  hipTextureDesc texture = {.normalizedCoords = 0};
  hipTextureObject_t object = NULL;
  SUCCEEDS(hipCreateTextureObject(&object, &rows, &texture, NULL));
  uint32_t word[5];
  memcpy(word, object, sizeof word);
  cr_assert(eq(uint, (word[4] >> 13 & 0xffff) + 1, 16));
  rows.res.pitch2D.pitchInBytes = 1024;
  SUCCEEDS(hipCreateTextureObject(&object, &rows, &texture, NULL));
  SAYS(said(), "16 rows of 1024 bytes end beyond the memory");
  rows.res.pitch2D.pitchInBytes = 128;
  GIVES(hipErrorInvalidValue, hipCreateTextureObject(&object, &rows, &texture, NULL));
  SAYS(said(), "a pitch of 128 bytes is no multiple of 256");
  rows.res.pitch2D.pitchInBytes = 1024;
  rows.res.pitch2D.width = 257; // a row of 1024 bytes has 256
  GIVES(hipErrorInvalidValue, hipCreateTextureObject(&object, &rows, &texture, NULL));
  rows.res.pitch2D.width = 0;
  GIVES(hipErrorInvalidValue, hipCreateTextureObject(&object, &rows, &texture, NULL));
  rows.res.pitch2D.width = SIZE_MAX / 2;
  rows.res.pitch2D.pitchInBytes = 0;
  GIVES(hipErrorInvalidValue, hipCreateTextureObject(&object, &rows, &texture, NULL));
}

Test(runtime_textures, rows_may_end_with_their_last_element) {
  cr_redirect_stderr();
  hipResourceDesc rows = {
      .resType = hipResourceTypePitch2D,
      .res.pitch2D = {
          device_allocation(4 * 256 + 64), {32, 0, 0, 0, hipChannelFormatKindFloat}, 16, 5, 256}};
  hipTextureDesc texture = {.normalizedCoords = 0};
  hipTextureObject_t object = NULL;
  SUCCEEDS(hipCreateTextureObject(&object, &rows, &texture, NULL));
  cr_assert(zero(sz, strlen(said())));
}

static hipMipmappedArray_t new_mipmap(int bits, hipChannelFormatKind kind, hipExtent extent,
                                      unsigned levels, unsigned flags) {
  hipMipmappedArray_t mipmap = NULL;
  hipChannelFormatDesc descriptor = {bits, 0, 0, 0, kind};
  SUCCEEDS(hipMallocMipmappedArray(&mipmap, &descriptor, extent, levels, flags));
  return mipmap;
}

static void expect_extent(hipMipmappedArray_t mipmap, unsigned level, unsigned width,
                          unsigned height, unsigned depth) {
  hipArray *array = NULL;
  SUCCEEDS(hipGetMipmappedArrayLevel(&array, mipmap, level));
  cr_assert(all(eq(uint, array->width, width), eq(uint, array->height, height),
                eq(uint, array->depth, depth)));
}

Test(runtime_textures, levels_are_arrays_half_as_large) {
  cr_redirect_stderr();
  const hipChannelFormatKind real = hipChannelFormatKindFloat;
  hipMipmappedArray_t solid = new_mipmap(32, real, (hipExtent){12, 5, 3}, 3, 0),
                      layers = new_mipmap(32, real, (hipExtent){9, 4, 6}, 20, hipArrayLayered),
                      line = NULL;
  hipArray *array = NULL;
  expect_extent(solid, 1, 6, 2, 1);
  expect_extent(solid, 2, 3, 1, 1);
  GIVES(hipErrorInvalidValue, hipGetMipmappedArrayLevel(&array, solid, 3));
  expect_extent(layers, 3, 1, 1, 6);
  GIVES(hipErrorInvalidValue, hipGetMipmappedArrayLevel(&array, layers, 4));

  HIP_ARRAY3D_DESCRIPTOR descriptor = {8, 0, 0, HIP_AD_FORMAT_SIGNED_INT16, 2, 0};
  SUCCEEDS(hipMipmappedArrayCreate(&line, &descriptor, 2));
  SUCCEEDS(hipMipmappedArrayGetLevel(&array, line, 1));
  cr_assert(all(eq(uint, array->width, 4), zero(uint, array->height)));
  SUCCEEDS(hipMipmappedArrayDestroy(line));
  GIVES(hipErrorInvalidValue, hipMipmappedArrayGetLevel(&array, line, 0));
  GIVES(hipErrorInvalidValue, hipFreeMipmappedArray(line));
  SUCCEEDS(hipFreeMipmappedArray(solid));

  descriptor.Width = 16385;
  GIVES(hipErrorInvalidValue, hipMipmappedArrayCreate(&line, &descriptor, 2));
  GIVES(hipErrorInvalidValue, hipMipmappedArrayCreate(&line, NULL, 2));
  SAYS(said(), "at most 16384 x 16384 x 8192");
}

// To free a level changes nothing: the mipmap has its memory, and gives the level again.
Test(runtime_textures, levels_that_were_freed_are_there_until_the_mipmap_goes) {
  const hipChannelFormatKind integer = hipChannelFormatKindSigned;
  hipMipmappedArray_t mipmap = new_mipmap(32, integer, (hipExtent){2, 0, 0}, 2, 0);
  hipArray *level = NULL, *again = NULL;
  int there[2] = {3, 4}, back[2] = {0};
  SUCCEEDS(hipGetMipmappedArrayLevel(&level, mipmap, 0));
  SUCCEEDS(hipMemcpy2DToArray(level, 0, 0, there, 8, 8, 1, hipMemcpyHostToDevice));
  SUCCEEDS(hipFreeArray(level));
  SUCCEEDS(hipArrayDestroy(level));
  SUCCEEDS(hipGetMipmappedArrayLevel(&again, mipmap, 0));
  cr_assert(eq(ptr, again, level));
  SUCCEEDS(hipMemcpy2DFromArray(back, 8, again, 0, 0, 8, 1, hipMemcpyDeviceToHost));
  cr_assert(all(eq(int, back[0], 3), eq(int, back[1], 4)));
  SUCCEEDS(hipFreeMipmappedArray(mipmap));
  GIVES(hipErrorContextIsDestroyed, hipFreeArray(level));
}

Test(runtime_textures, levels_end_with_one_element_and_their_memory_with_the_mipmap) {
  size_t before, after, all;
  hipArray *array = NULL;
  SUCCEEDS(hipMemGetInfo(&before, &all));
  hipMipmappedArray_t deep =
      new_mipmap(8, hipChannelFormatKindSigned, (hipExtent){4, 3, 9}, 4, hipArrayLayered);
  SUCCEEDS(hipGetMipmappedArrayLevel(&array, deep, 2));
  GIVES(hipErrorInvalidValue, hipGetMipmappedArrayLevel(&array, deep, 3));
  SUCCEEDS(hipFreeMipmappedArray(deep));
  SUCCEEDS(hipMemGetInfo(&after, &all));
  cr_assert(eq(sz, after, before));
}

Test(runtime_textures, of_levels_want_fractions_of_the_extent) {
  cr_redirect_stderr();
  hipResourceDesc resource = {.resType = hipResourceTypeMipmappedArray}, same;
  hipTextureDesc texels = {.readMode = hipReadModeElementType}, mixed = {.normalizedCoords = 1};
  hipTextureObject_t object = NULL;
  mixed.mipmapFilterMode = hipFilterModeLinear;
  GIVES(hipErrorInvalidValue, hipCreateTextureObject(&object, &resource, &mixed, NULL));
  resource.res.mipmap.mipmap =
      new_mipmap(8, hipChannelFormatKindUnsigned, (hipExtent){8, 8, 0}, 2, 0);
  GIVES(hipErrorInvalidValue, hipCreateTextureObject(&object, &resource, &texels, NULL));
  GIVES(hipErrorInvalidValue, hipCreateTextureObject(&object, &resource, &mixed, NULL));
  mixed.readMode = hipReadModeNormalizedFloat;
  SUCCEEDS(hipCreateTextureObject(&object, &resource, &mixed, NULL));
  SUCCEEDS(hipGetTextureObjectResourceDesc(&same, object));
  cr_assert(eq(ptr, same.res.mipmap.mipmap, resource.res.mipmap.mipmap));
  const char *text = said();
  SAYS(text, "sampled with normalized coordinates: set normalizedCoords");
  SAYS(text, "integers cannot be filtered");
}

Test(runtime_textures, views_look_at_the_same_bits) {
  cr_redirect_stderr();
  hipResourceDesc resource = in_array(new_array(32, hipChannelFormatKindFloat, 8, 4));
  hipTextureDesc texture = {.readMode = hipReadModeElementType};
  struct hipResourceViewDesc view = {.format = hipResViewFormatUnsignedChar4,
                                     .width = 8,
                                     .height = 4},
                             same = {0}, other = view;
  hipTextureObject_t object = NULL;
  SUCCEEDS(hipCreateTextureObject(&object, &resource, &texture, &view));
  SUCCEEDS(hipGetTextureObjectResourceViewDesc(&same, object));
  cr_assert(eq(int, (int)same.format, (int)hipResViewFormatUnsignedChar4));
  uint32_t word[12]; // of the image: format 8_8_8_8 of unsigned integers
  memcpy(word, object, sizeof word);
  cr_assert(all(eq(uint, word[1] >> 20 & 63, 10), eq(uint, word[1] >> 26 & 15, 4)));

  other.format = hipResViewFormatUnsignedShort1;
  GIVES(hipErrorInvalidValue, hipCreateTextureObject(&object, &resource, &texture, &other));
  other.format = hipResViewFormatUnsignedBlockCompressed1;
  GIVES(hipErrorInvalidValue, hipCreateTextureObject(&object, &resource, &texture, &other));
  other = view, other.width = 32; // bytes: ROCm ignores it
  SUCCEEDS(hipCreateTextureObject(&object, &resource, &texture, &other));
  other = view, other.lastMipmapLevel = 1;
  GIVES(hipErrorInvalidValue, hipCreateTextureObject(&object, &resource, &texture, &other));
  const char *text = said();
  SAYS(text, "a view has elements of as many bytes as what it looks at");
  SAYS(text, "a view has the extent of what it looks at, 8 x 4 x 1, not 32 x 4 x 0");
}

Test(runtime_textures, views_of_layers_begin_there) {
  hipResourceDesc resource = {.resType = hipResourceTypeMipmappedArray};
  hipTextureDesc texture = {.normalizedCoords = 1};
  struct hipResourceViewDesc view = {.width = 8, .height = 4, .depth = 6};
  hipTextureObject_t whole = NULL, part = NULL;
  uint32_t of_whole[12], of_part[12];
  resource.res.mipmap.mipmap =
      new_mipmap(32, hipChannelFormatKindFloat, (hipExtent){8, 4, 6}, 3, hipArrayLayered);
  SUCCEEDS(hipCreateTextureObject(&whole, &resource, &texture, NULL));
  view.firstMipmapLevel = view.lastMipmapLevel = 1, view.firstLayer = 2, view.lastLayer = 4;
  SUCCEEDS(hipCreateTextureObject(&part, &resource, &texture, &view));
  memcpy(of_whole, whole, sizeof of_whole);
  memcpy(of_part, part, sizeof of_part);
  // Rows of 256 B: level 0 has 6 layers of 4, level 1 of 2.
  cr_assert(all(eq(uint, of_part[0] - of_whole[0], 6 * 4 + 2 * 2),
                eq(uint, (of_part[4] & 0x1fff) + 1, 3), eq(uint, of_whole[3] >> 16 & 15, 2)));
  view.lastLayer = 6;
  GIVES(hipErrorInvalidValue, hipCreateTextureObject(&part, &resource, &texture, &view));
  view.lastLayer = 1;
  GIVES(hipErrorInvalidValue, hipCreateTextureObject(&part, &resource, &texture, &view));
  view.firstLayer = 0, view.lastLayer = 5, view.lastMipmapLevel = 3; // of levels 0 to 2
  GIVES(hipErrorInvalidValue, hipCreateTextureObject(&part, &resource, &texture, &view));
  view.firstLayer = 2, view.lastLayer = 4, view.lastMipmapLevel = 2;
  GIVES(hipErrorNotSupported, hipCreateTextureObject(&part, &resource, &texture, &view));
}

Test(runtime_textures, in_the_drivers_words_are_the_same) {
  void *memory = device_allocation(4096);
  HIP_RESOURCE_DESC rows = {.resType = HIP_RESOURCE_TYPE_PITCH2D}, same;
  rows.res.pitch2D.devPtr = memory;
  rows.res.pitch2D.format = HIP_AD_FORMAT_UNSIGNED_INT8;
  rows.res.pitch2D.numChannels = 4;
  rows.res.pitch2D.width = 16, rows.res.pitch2D.height = 8, rows.res.pitch2D.pitchInBytes = 256;
  HIP_TEXTURE_DESC texture = {.flags = HIP_TRSF_READ_AS_INTEGER}, alike;
  HIP_RESOURCE_VIEW_DESC view;
  hipTextureObject_t object = NULL;
  hipResourceDesc runtime;
  SUCCEEDS(hipTexObjectCreate(&object, &rows, &texture, NULL));
  SUCCEEDS(hipTexObjectGetResourceDesc(&same, object));
  SUCCEEDS(hipTexObjectGetTextureDesc(&alike, object));
  SUCCEEDS(hipTexObjectGetResourceViewDesc(&view, object));
  SUCCEEDS(hipGetTextureObjectResourceDesc(&runtime, object));
  cr_assert(all(eq(ptr, same.res.pitch2D.devPtr, memory), eq(uint, same.res.pitch2D.numChannels, 4),
                eq(int, (int)same.res.pitch2D.format, (int)HIP_AD_FORMAT_UNSIGNED_INT8),
                eq(sz, same.res.pitch2D.pitchInBytes, 256), eq(uint, alike.flags, 1),
                eq(int, runtime.res.pitch2D.desc.w, 8), zero(int, (int)view.format)));
  SUCCEEDS(hipTexObjectDestroy(object));
  GIVES(hipErrorInvalidValue, hipTexObjectGetResourceDesc(&same, object));
  HIP_TEXTURE_DESC all = {.flags = HIP_TRSF_SRGB | HIP_TRSF_NORMALIZED_COORDINATES,
                          .addressMode = {HIP_TR_ADDRESS_MODE_MIRROR, HIP_TR_ADDRESS_MODE_CLAMP},
                          .filterMode = HIP_TR_FILTER_MODE_LINEAR,
                          .maxAnisotropy = 3,
                          .mipmapLevelBias = 4,
                          .minMipmapLevelClamp = 5,
                          .maxMipmapLevelClamp = 6};
  SUCCEEDS(hipTexObjectCreate(&object, &rows, &all, NULL));
  SUCCEEDS(hipTexObjectGetTextureDesc(&alike, object));
  cr_assert(zero(int, memcmp(&alike, &all, sizeof all)));
  cr_assert(eq(uint, number_of(object), 9)); // sRGB
  SUCCEEDS(hipTexObjectDestroy(object));
  rows.res.pitch2D.numChannels = 3;
  GIVES(hipErrorInvalidValue, hipTexObjectCreate(&object, &rows, &texture, NULL));
  GIVES(hipErrorInvalidValue, hipTexObjectCreate(&object, NULL, &texture, NULL));
}

hipError_t hipTexRefGetArray(hipArray **array, const textureReference *reference);
hipError_t hipTexRefGetBorderColor(float *color, const textureReference *reference);

Test(runtime_textures, references_give_back_their_fields) {
  cr_redirect_stderr();
  hipModule_t module = NULL;
  textureReference *reference = NULL;
  SUCCEEDS(hipModuleLoad(&module, RUNTIME_KERNELS));
  SUCCEEDS(hipModuleGetTexRef(&reference, module, "picture"));
  hipArray_Format format;
  int channels, anisotropy;
  SUCCEEDS(hipTexRefGetFormat(&format, &channels, reference));
  cr_assert(all(eq(int, (int)format, (int)HIP_AD_FORMAT_FLOAT), eq(int, channels, 1)));
  SUCCEEDS(hipTexRefSetFormat(reference, HIP_AD_FORMAT_UNSIGNED_INT32, 0));
  SUCCEEDS(hipTexRefGetFormat(&format, &channels, reference));
  cr_assert(all(eq(int, (int)format, (int)HIP_AD_FORMAT_UNSIGNED_INT32), zero(int, channels)));
  size_t offset;
  GIVES(hipErrorInvalidValue, hipTexRefSetAddress(&offset, reference, device_allocation(256), 256));
  SUCCEEDS(hipTexRefSetMipmapLevelClamp(reference, 1, 3));
  SUCCEEDS(hipTexRefSetMipmapLevelBias(reference, 0.5f));
  SUCCEEDS(hipTexRefSetFlags(reference, HIP_TRSF_NORMALIZED_COORDINATES));
  SUCCEEDS(hipTexRefSetFormat(reference, HIP_AD_FORMAT_HALF, 2));
  SUCCEEDS(hipTexRefSetMaxAnisotropy(reference, 4));
  float least, most, bias, border[4] = {9, 9, 9, 9};
  SUCCEEDS(hipTexRefGetBorderColor(border, reference));
  cr_assert(all(zero(flt, border[0]), zero(flt, border[3])));
  SUCCEEDS(hipTexRefSetBorderColor(reference, (float[4]){1, 2, 3, 4}));
  SUCCEEDS(hipTexRefGetBorderColor(border, reference));
  cr_assert(all(eq(flt, border[0], 1), eq(flt, border[3], 4)));
  unsigned flags;
  enum hipTextureFilterMode filter = hipFilterModeLinear;
  GIVES(hipErrorInvalidValue, hipTexRefGetMipmapLevelClamp(&least, &most, reference));
  GIVES(hipErrorInvalidValue, hipTexRefGetMipmapLevelBias(&bias, reference));
  GIVES(hipErrorInvalidValue, hipTexRefGetMipmapFilterMode(&filter, reference));
  SAYS(said(), "the value is given");
  SUCCEEDS(hipTexRefGetFlags(&flags, reference));
  SUCCEEDS(hipTexRefGetFormat(&format, &channels, reference));
  SUCCEEDS(hipTexRefGetMaxAnisotropy(&anisotropy, reference));
  GIVES(hipErrorInvalidValue, hipTexRefGetFlags(NULL, reference));
  cr_assert(all(eq(flt, least, 1), eq(flt, most, 3), eq(flt, bias, 0.5f), eq(uint, flags, 2),
                eq(int, (int)format, (int)HIP_AD_FORMAT_HALF), eq(int, channels, 2),
                eq(int, anisotropy, 4), eq(int, (int)filter, (int)hipFilterModePoint)));

  hipArray *array = new_array(32, hipChannelFormatKindFloat, 4, 4), *bound = NULL;
  hipDeviceptr_t address = NULL;
  GIVES(hipErrorInvalidValue, hipTexRefGetArray(&bound, reference));
  SUCCEEDS(hipTexRefSetArray(reference, array, HIP_TRSA_OVERRIDE_FORMAT));
  SUCCEEDS(hipTexRefGetArray(&bound, reference));
  SUCCEEDS(hipTexRefGetFormat(&format, &channels, reference));
  cr_assert(all(eq(ptr, bound, array), eq(int, (int)format, (int)HIP_AD_FORMAT_FLOAT),
                eq(int, channels, 1)));
  GIVES(hipErrorInvalidValue, hipTexRefGetAddress(&address, reference));

  // All from there on: elements of 4 bytes.
  char *memory = device_allocation(1024);
  hipTextureObject_t object;
  uint32_t word[12];
  SUCCEEDS(hipTexRefSetAddress(&offset, reference, memory + 512, UINT32_MAX));
  object = reference->textureObject;
  memcpy(word, object, sizeof word);
  cr_assert(eq(uint, word[2], 128));
  SUCCEEDS(hipTexRefGetAddress(&address, reference));
  cr_assert(eq(ptr, address, memory + 512));
  GIVES(hipErrorInvalidValue, hipTexRefGetArray(&bound, reference));
  const HIP_ARRAY_DESCRIPTOR rows = {16, 2, HIP_AD_FORMAT_FLOAT, 1};
  SUCCEEDS(hipTexRefSetAddress2D(reference, &rows, memory + 256, 256));
  SUCCEEDS(hipTexRefGetAddress(&address, reference));
  cr_assert(eq(ptr, address, memory + 256));
  GIVES(hipErrorInvalidValue, hipTexRefGetArray(&bound, reference));
}

Test(runtime_textures, references_of_modules_are_variables) {
  hipModule_t module = NULL;
  textureReference *reference = NULL, *again = NULL;
  cr_redirect_stderr();
  SUCCEEDS(hipModuleLoad(&module, RUNTIME_KERNELS));
  GIVES(hipErrorNotFound, hipModuleGetTexRef(&reference, module, "no_such_texture"));
  GIVES(hipErrorNotFound, hipModuleGetTexRef(&reference, module, "counter"));
  SAYS(said(), "counter is a variable of 4 bytes and no texture");
  GIVES(hipErrorInvalidValue, hipModuleGetTexRef(&reference, module, ""));
  GIVES(hipErrorInvalidHandle, hipModuleGetTexRef(&reference, NULL, "picture"));
  SUCCEEDS(hipModuleGetTexRef(&reference, module, "picture"));
  SUCCEEDS(hipModuleGetTexRef(&again, module, "picture"));
  cr_assert(eq(ptr, reference, again));
  SUCCEEDS(hipModuleGetTexRef(&again, module, "another_picture"));
  cr_assert(ne(ptr, reference, again));
  SUCCEEDS(hipTexRefSetAddressMode(reference, 0, hipAddressModeBorder));
  GIVES(hipErrorInvalidValue, hipTexRefSetAddressMode(reference, 3, hipAddressModeBorder));
  SUCCEEDS(hipTexRefSetFilterMode(reference, hipFilterModePoint));
  SUCCEEDS(hipTexRefSetFlags(reference, HIP_TRSF_READ_AS_INTEGER));
  SUCCEEDS(hipTexRefSetFormat(reference, HIP_AD_FORMAT_FLOAT, 1));

  // Column 0 of a row of three elements, and what lies beside it.
  float there[3] = {1, 2, 3}, back[4] = {0};
  hipArray *array = new_array(32, hipChannelFormatKindFloat, 3, 1);
  SUCCEEDS(hipMemcpy2DToArray(array, 0, 0, there, 12, 12, 1, hipMemcpyHostToDevice));
  GIVES(hipErrorInvalidValue, hipTexRefSetArray(reference, array, 0));
  SUCCEEDS(hipTexRefSetArray(reference, array, HIP_TRSA_OVERRIDE_FORMAT));
  hipFunction_t kernel = NULL;
  SUCCEEDS(hipModuleGetFunction(&kernel, module, "look_at_picture"));
  void *out = device_allocation(sizeof back);
  SUCCEEDS(launch(kernel, 1, 4, 0, (void *[]){&out}));
  SUCCEEDS(hipMemcpy(back, out, sizeof back, hipMemcpyDeviceToHost));
  cr_assert(
      all(eq(flt, back[0], 0), eq(flt, back[1], 1), eq(flt, back[2], 2), eq(flt, back[3], 3)));
  SUCCEEDS(hipModuleUnload(module));
  GIVES(hipErrorInvalidSymbol, hipTexRefSetArray(reference, array, HIP_TRSA_OVERRIDE_FORMAT));
  GIVES(hipErrorInvalidValue, hipTexRefSetArray(NULL, array, HIP_TRSA_OVERRIDE_FORMAT));
}
