// Textures and surfaces: which calls are refused, with which code and sentence. What they read and
// write is kernels/textures.hip.
#include "runtime_test.h"

#include <hip/hip_texture_types.h>

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

Test(runtime_textures, say_what_is_not_served) {
  cr_redirect_stderr();
  hipResourceDesc resource = in_array(new_array(32, hipChannelFormatKindFloat, 8, 8)),
                  levels = resource;
  hipTextureDesc plain = {.filterMode = hipFilterModePoint}, corrected = {.sRGB = 1},
                 framed = {.addressMode = {hipAddressModeBorder}, .borderColor = {1}};
  struct hipResourceViewDesc view = {.width = 4};
  hipTextureObject_t object = NULL;
  hipArray *cube = NULL;
  hipChannelFormatDesc descriptor = {32, 0, 0, 0, hipChannelFormatKindFloat};
  levels.resType = hipResourceTypeMipmappedArray;
  GIVES(hipErrorNotSupported, hipCreateTextureObject(&object, &levels, &plain, NULL));
  GIVES(hipErrorNotSupported, hipCreateTextureObject(&object, &resource, &corrected, NULL));
  GIVES(hipErrorNotSupported, hipCreateTextureObject(&object, &resource, &framed, NULL));
  GIVES(hipErrorNotSupported, hipCreateTextureObject(&object, &resource, &plain, &view));
  GIVES(hipErrorNotSupported,
        hipMalloc3DArray(&cube, &descriptor, (hipExtent){8, 8, 6}, hipArrayCubemap));
  const char *text = said();
  SAYS(text, "has no mipmaps");
  SAYS(text, "no sRGB textures, and no border but zeros");
  SAYS(text, "no resource views");
  SAYS(text, "has no cubemaps");
}

Test(runtime_textures, references_of_modules_are_variables) {
  hipModule_t module = NULL;
  textureReference *reference = NULL, *again = NULL;
  SUCCEEDS(hipModuleLoad(&module, RUNTIME_KERNELS));
  GIVES(hipErrorNotFound, hipModuleGetTexRef(&reference, module, "no_such_texture"));
  SUCCEEDS(hipModuleGetTexRef(&reference, module, "picture"));
  SUCCEEDS(hipModuleGetTexRef(&again, module, "picture"));
  cr_assert(eq(ptr, reference, again));
  SUCCEEDS(hipTexRefSetAddressMode(reference, 0, hipAddressModeBorder));
  GIVES(hipErrorInvalidValue, hipTexRefSetAddressMode(reference, 3, hipAddressModeBorder));
  SUCCEEDS(hipTexRefSetFilterMode(reference, hipFilterModePoint));
  SUCCEEDS(hipTexRefSetFlags(reference, HIP_TRSF_READ_AS_INTEGER));
  SUCCEEDS(hipTexRefSetFormat(reference, HIP_AD_FORMAT_FLOAT, 1));
  GIVES(hipErrorInvalidValue, hipTexRefSetFormat(reference, HIP_AD_FORMAT_FLOAT, 3));

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
  GIVES(hipErrorInvalidValue, hipTexRefSetArray(NULL, array, HIP_TRSA_OVERRIDE_FORMAT));
}
