// Arrays, copies to and from them, and hints about managed memory.
#include "runtime_test.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations" // programs call them all the same

// Of releases after ROCm 5.2.
hipError_t hipMemcpyAtoD(void *to, hipArray *from, size_t offset, size_t count);
hipError_t hipMemcpyDtoA(hipArray *to, size_t offset, void *from, size_t count);
hipError_t hipMemcpyAtoHAsync(void *to, hipArray *from, size_t offset, size_t count,
                              hipStream_t stream);
hipError_t hipMemcpyHtoAAsync(hipArray *to, size_t offset, const void *from, size_t count,
                              hipStream_t stream);
hipError_t hipMemcpy2DArrayToArray(hipArray *to, size_t to_x, size_t to_y, hipArray_const_t from,
                                   size_t from_x, size_t from_y, size_t width, size_t height,
                                   hipMemcpyKind kind);

enum { WIDTH = 70, HEIGHT = 5, DEPTH = 3 };

static float value(int x, int y, int z) { return (float)(x + 100 * y + 10000 * z); }

static hipArray *new_array(size_t width, size_t height, size_t depth) {
  hipArray *array = NULL;
  hipChannelFormatDesc descriptor = {32, 0, 0, 0, hipChannelFormatKindFloat};
  SUCCEEDS(hipMalloc3DArray(&array, &descriptor, (hipExtent){width, height, depth}, 0));
  return array;
}

Test(runtime_arrays, rows_go_there_and_back) {
  float there[HEIGHT][WIDTH], back[HEIGHT][WIDTH] = {{0}};
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++)
      there[y][x] = value(x, y, 0);
  hipArray *array = new_array(WIDTH, HEIGHT, 0), *other = new_array(WIDTH, HEIGHT, 0);
  const size_t row = sizeof there[0];
  SUCCEEDS(hipMemcpy2DToArray(array, 0, 0, there, row, row, HEIGHT, hipMemcpyHostToDevice));
  SUCCEEDS(hipMemcpy2DFromArray(back, row, array, 0, 0, row, HEIGHT, hipMemcpyDeviceToHost));
  cr_assert(zero(int, memcmp(there, back, sizeof back)));

  // A box of two elements and two rows, from (3, 1) on.
  float box[2][2] = {{-1, -2}, {-3, -4}};
  SUCCEEDS(hipMemcpy2DToArrayAsync(array, 12, 1, box, 8, 8, 2, hipMemcpyHostToDevice, NULL));
  SUCCEEDS(
      hipMemcpy2DFromArrayAsync(back, row, array, 0, 0, row, HEIGHT, hipMemcpyDeviceToHost, NULL));
  cr_assert(all(eq(flt, back[1][2], value(2, 1, 0)), eq(flt, back[1][3], -1),
                eq(flt, back[2][4], -4), eq(flt, back[2][5], value(5, 2, 0))));
  SUCCEEDS(hipFreeArray(array));
  GIVES(hipErrorContextIsDestroyed, hipFreeArray(array));
  GIVES(hipErrorInvalidHandle,
        hipMemcpy2DToArray(array, 0, 0, box, 8, 8, 2, hipMemcpyHostToDevice));
  SUCCEEDS(hipFreeArray(other));
}

Test(runtime_arrays, a_stretch_of_bytes_lies_in_the_first_row) {
  float there[WIDTH], back[WIDTH] = {0};
  for (int i = 0; i < WIDTH; i++)
    there[i] = (float)i;
  hipArray *array = new_array(WIDTH, HEIGHT, 0);
  const size_t row = sizeof there;
  SUCCEEDS(hipMemcpyHtoA(array, 8, there, row - 8));
  SUCCEEDS(hipMemcpyAtoH(back, array, 8, row - 8));
  cr_assert(zero(int, memcmp(there, back, row - 8)));
  float *device = device_allocation(row);
  hipArray *other = new_array(WIDTH, HEIGHT, 0);
  SUCCEEDS(hipMemcpyAtoD(device, array, 8, row - 8));
  SUCCEEDS(hipMemcpyDtoA(other, 0, device, row - 8));
  memset(back, 0, sizeof back);
  SUCCEEDS(hipMemcpyAtoHAsync(back, other, 0, row - 8, NULL));
  cr_assert(zero(int, memcmp(there, back, row - 8)));
  SUCCEEDS(hipMemcpyHtoAAsync(other, 8, there + 1, 4, NULL));
  SUCCEEDS(hipMemcpyAtoHAsync(back, other, 8, 4, NULL));
  cr_assert(eq(flt, back[0], 1));
  cr_redirect_stderr();
  GIVES(hipErrorInvalidValue, hipMemcpyAtoH(back, array, 4, row));
  GIVES(hipErrorInvalidValue, hipMemcpyHtoA(NULL, 0, there, 4));
  SAYS(said(), "more than a row of the array");
}

// A box of three elements and two rows goes from (4, 1) of one array to (2, 3) of another.
Test(runtime_arrays, boxes_between_arrays_begin_where_they_are_asked_to) {
  float there[HEIGHT][WIDTH], back[HEIGHT][WIDTH] = {{0}};
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++)
      there[y][x] = value(x, y, 0);
  hipArray *from = new_array(WIDTH, HEIGHT, 0), *to = new_array(WIDTH, HEIGHT, 0);
  const size_t row = sizeof there[0];
  SUCCEEDS(hipMemcpy2DToArray(from, 0, 0, there, row, row, HEIGHT, hipMemcpyHostToDevice));
  SUCCEEDS(hipMemcpy2DToArray(to, 0, 0, back, row, row, HEIGHT, hipMemcpyHostToDevice));
  SUCCEEDS(hipMemcpy2DArrayToArray(to, 8, 3, from, 16, 1, 12, 2, hipMemcpyDeviceToDevice));
  SUCCEEDS(hipMemcpy2DFromArray(back, row, to, 0, 0, row, HEIGHT, hipMemcpyDeviceToHost));
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++) {
      const bool in_box = x >= 2 && x < 5 && y >= 3 && y < 5;
      cr_assert(eq(flt, back[y][x], in_box ? value(x + 2, y - 2, 0) : 0), "(%d, %d)", x, y);
    }
}

// From (2, 1) on, to the end of the row and on in the next one.
Test(runtime_arrays, bytes_begin_in_a_row_where_they_are_asked_to) {
  float there[WIDTH], back[WIDTH] = {0}, rows[2][WIDTH];
  for (int i = 0; i < WIDTH; i++)
    there[i] = (float)(i + 1);
  hipArray *array = new_array(WIDTH, HEIGHT, 0);
  SUCCEEDS(hipMemcpyToArray(array, 8, 1, there, sizeof there, hipMemcpyHostToDevice));
  SUCCEEDS(hipMemcpy2DFromArray(rows, sizeof rows[0], array, 0, 1, sizeof rows[0], 2,
                                hipMemcpyDeviceToHost));
  cr_assert(all(eq(flt, rows[0][2], 1), eq(flt, rows[0][WIDTH - 1], WIDTH - 2),
                eq(flt, rows[1][0], WIDTH - 1), eq(flt, rows[1][1], WIDTH)));
  SUCCEEDS(hipMemcpyFromArray(back, array, 8, 1, sizeof back, hipMemcpyDeviceToHost));
  cr_assert(zero(int, memcmp(there, back, sizeof back)));
  GIVES(hipErrorInvalidValue, hipMemcpyToArray(array, sizeof there, 1, there, 4,
                                               hipMemcpyHostToDevice)); // behind the row
}

Test(runtime_arrays, boxes_of_three_dimensions_count_elements) {
  static float there[DEPTH][HEIGHT][WIDTH], back[DEPTH][HEIGHT][WIDTH];
  for (int z = 0; z < DEPTH; z++)
    for (int y = 0; y < HEIGHT; y++)
      for (int x = 0; x < WIDTH; x++)
        there[z][y][x] = value(x, y, z);
  hipArray *array = new_array(WIDTH, HEIGHT, DEPTH), *copy = new_array(WIDTH, HEIGHT, DEPTH);
  hipMemcpy3DParms up = {.srcPtr = {there, sizeof there[0][0], WIDTH, HEIGHT},
                         .dstArray = array,
                         .extent = {WIDTH, HEIGHT, DEPTH},
                         .kind = hipMemcpyHostToDevice};
  hipMemcpy3DParms across = {.srcArray = array,
                             .srcPos = {1, 0, 0},
                             .dstArray = copy,
                             .extent = {WIDTH - 1, HEIGHT, DEPTH},
                             .kind = hipMemcpyDeviceToDevice};
  hipMemcpy3DParms down = {.srcArray = copy,
                           .dstPtr = {back, sizeof back[0][0], WIDTH, HEIGHT},
                           .extent = {WIDTH - 1, HEIGHT, DEPTH},
                           .kind = hipMemcpyDeviceToHost};
  SUCCEEDS(hipMemcpy3D(&up));
  SUCCEEDS(hipMemcpy3D(&across));
  SUCCEEDS(hipMemcpy3DAsync(&down, NULL));
  for (int z = 0; z < DEPTH; z++)
    for (int y = 0; y < HEIGHT; y++)
      for (int x = 0; x < WIDTH - 1; x++)
        cr_assert(eq(flt, back[z][y][x], value(x + 1, y, z)), "(%d, %d, %d)", x, y, z);
  cr_redirect_stderr();
  up.dstPos = (hipPos){0, 0, 1};
  GIVES(hipErrorInvalidValue, hipMemcpy3D(&up));
  SAYS(said(), "280 bytes x 5 rows x 3 slices from (0, 0, 1) on do not fit into an array of "
               "280 x 5 x 3");
}

Test(runtime_arrays, driver_copies_count_bytes) {
  float there[HEIGHT][WIDTH], back[HEIGHT][WIDTH] = {{0}};
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < WIDTH; x++)
      there[y][x] = value(x, y, 0);
  hipArray *array = NULL;
  HIP_ARRAY_DESCRIPTOR descriptor = {WIDTH, HEIGHT, HIP_AD_FORMAT_FLOAT, 1};
  SUCCEEDS(hipArrayCreate(&array, &descriptor));
  hip_Memcpy2D up = {.srcMemoryType = hipMemoryTypeHost,
                     .srcHost = there,
                     .srcPitch = sizeof there[0],
                     .dstMemoryType = hipMemoryTypeArray,
                     .dstArray = array,
                     .WidthInBytes = sizeof there[0],
                     .Height = HEIGHT};
  HIP_MEMCPY3D down = {.srcMemoryType = hipMemoryTypeArray,
                       .srcArray = array,
                       .srcXInBytes = 8,
                       .srcY = 1,
                       .dstMemoryType = hipMemoryTypeHost,
                       .dstHost = back,
                       .dstPitch = sizeof back[0],
                       .WidthInBytes = 40,
                       .Height = 2,
                       .Depth = 1};
  SUCCEEDS(hipMemcpyParam2D(&up));
  SUCCEEDS(hipDrvMemcpy3D(&down));
  cr_assert(all(eq(flt, back[0][0], value(2, 1, 0)), eq(flt, back[1][9], value(11, 2, 0)),
                zero(flt, back[1][10]), zero(flt, back[2][0])));
  SUCCEEDS(hipArrayDestroy(array));
}

// Slices of three rows in the host's memory, of which two are copied.
Test(runtime_arrays, driver_copies_step_over_the_rows_of_a_slice) {
  float there[2][3][4], back[2][2][4] = {{{0}}};
  for (int i = 0; i < 24; i++)
    (&there[0][0][0])[i] = (float)i;
  HIP_MEMCPY3D up = {.srcMemoryType = hipMemoryTypeHost,
                     .srcHost = there,
                     .srcHeight = 3,
                     .dstMemoryType = hipMemoryTypeDevice,
                     .dstDevice = device_allocation(sizeof back),
                     .WidthInBytes = 16,
                     .Height = 2,
                     .Depth = 2};
  SUCCEEDS(hipDrvMemcpy3D(&up));
  SUCCEEDS(hipMemcpy(back, up.dstDevice, sizeof back, hipMemcpyDeviceToHost));
  cr_assert(all(eq(flt, back[0][1][3], 7), eq(flt, back[1][0][0], 12), eq(flt, back[1][1][3], 19)));
}

Test(runtime_arrays, driver_copies_of_rows_have_sizes_of_64_bits) {
  cr_redirect_stderr();
  const size_t much = 1ull << 32;
  char there[64] = {0};
  const hip_Memcpy2D right = {.srcMemoryType = hipMemoryTypeHost,
                              .srcHost = there,
                              .dstMemoryType = hipMemoryTypeDevice,
                              .dstDevice = device_allocation(64),
                              .WidthInBytes = 16,
                              .Height = 2};
  hip_Memcpy2D wide = right, high = right, far = right, apart = right;
  wide.WidthInBytes += much;
  high.Height += much;
  far.dstXInBytes += much;
  apart.dstPitch = 16 + much;
  SUCCEEDS(hipMemcpyParam2D(&right));
  GIVES(hipErrorInvalidValue, hipMemcpyParam2D(&wide));
  GIVES(hipErrorInvalidValue, hipMemcpyParam2D(&high));
  GIVES(hipErrorInvalidValue, hipMemcpyParam2D(&far));
  GIVES(hipErrorInvalidValue, hipMemcpyParam2D(&apart));
}

Test(runtime_arrays, driver_copies_name_both_their_ends) {
  cr_redirect_stderr();
  float row[4] = {0};
  hip_Memcpy2D to_none = {.srcMemoryType = hipMemoryTypeHost,
                          .srcHost = row,
                          .dstMemoryType = hipMemoryTypeArray,
                          .WidthInBytes = sizeof row,
                          .Height = 1},
               from_none = {.srcMemoryType = hipMemoryTypeArray,
                            .dstMemoryType = hipMemoryTypeHost,
                            .dstHost = row,
                            .WidthInBytes = sizeof row,
                            .Height = 1};
  GIVES(hipErrorInvalidValue, hipDrvMemcpy2DUnaligned(&to_none));
  GIVES(hipErrorInvalidValue, hipDrvMemcpy2DUnaligned(&from_none));
  GIVES(hipErrorInvalidValue, hipMemcpyParam2D(&to_none));
}

// What was recorded, and nothing of it is left.
static void run_once(hipGraph_t graph, hipStream_t stream) {
  hipGraphExec_t ready;
  SUCCEEDS(hipGraphInstantiate(&ready, graph, NULL, NULL, 0));
  SUCCEEDS(hipGraphLaunch(ready, stream));
  SUCCEEDS(hipStreamSynchronize(stream));
  SUCCEEDS(hipGraphExecDestroy(ready));
  SUCCEEDS(hipGraphDestroy(graph));
}

// Two rows of four bytes, from the second byte of the second row on; and a slice further.
Test(runtime_arrays, driver_copies_of_memory_are_recorded) {
  char from[32], flat_to[32] = {0}, deep_to[32] = {0};
  for (int i = 0; i < 32; i++)
    from[i] = (char)i;
  const hip_Memcpy2D flat = {.srcMemoryType = hipMemoryTypeHost,
                             .srcXInBytes = 1,
                             .srcY = 1,
                             .srcHost = from,
                             .srcPitch = 8,
                             .dstMemoryType = hipMemoryTypeHost,
                             .dstHost = flat_to,
                             .dstPitch = 16,
                             .WidthInBytes = 4,
                             .Height = 2};
  const HIP_MEMCPY3D deep = {.srcMemoryType = hipMemoryTypeHost,
                             .srcHost = from,
                             .srcPitch = 8,
                             .dstMemoryType = hipMemoryTypeHost,
                             .dstZ = 1,
                             .dstHost = deep_to,
                             .dstPitch = 8,
                             .dstHeight = 2,
                             .WidthInBytes = 8,
                             .Height = 1,
                             .Depth = 1};
  hipStream_t stream;
  hipGraph_t graph;
  SUCCEEDS(hipStreamCreate(&stream));
  SUCCEEDS(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  SUCCEEDS(hipMemcpyParam2DAsync(&flat, stream));
  SUCCEEDS(hipDrvMemcpy3DAsync(&deep, stream));
  SUCCEEDS(hipStreamEndCapture(stream, &graph));
  cr_assert(all(zero(chr, flat_to[0]), zero(chr, deep_to[17])), "not before it is launched");
  run_once(graph, stream);
  cr_assert(all(eq(chr, flat_to[0], 9), eq(chr, flat_to[3], 12), zero(chr, flat_to[4]),
                eq(chr, flat_to[16], 17), eq(chr, flat_to[19], 20), zero(chr, flat_to[20])));
  cr_assert(all(zero(chr, deep_to[15]), eq(chr, deep_to[17], 1), eq(chr, deep_to[23], 7),
                zero(chr, deep_to[24])));
  SUCCEEDS(hipStreamDestroy(stream));
}

// To an array, from there to another, and back, by nodes, whose places are in elements.
Test(runtime_arrays, driver_copies_of_arrays_are_recorded) {
  const float box[2][2] = {{-1, -2}, {-3, -4}};
  float back[2][2] = {{0}};
  hipArray *array = new_array(WIDTH, HEIGHT, 0), *other = new_array(WIDTH, HEIGHT, 0);
  const hip_Memcpy2D up = {.srcMemoryType = hipMemoryTypeHost,
                           .srcHost = box,
                           .srcPitch = 8,
                           .dstMemoryType = hipMemoryTypeArray,
                           .dstArray = array,
                           .dstXInBytes = 12,
                           .dstY = 1,
                           .WidthInBytes = 8,
                           .Height = 2};
  hip_Memcpy2D part = up;
  part.dstXInBytes = 2; // of an element
  const HIP_MEMCPY3D across = {.srcMemoryType = hipMemoryTypeArray,
                               .srcArray = array,
                               .srcXInBytes = 12,
                               .srcY = 1,
                               .dstMemoryType = hipMemoryTypeArray,
                               .dstArray = other,
                               .dstXInBytes = 4,
                               .WidthInBytes = 8,
                               .Height = 2,
                               .Depth = 1};
  const hip_Memcpy2D down = {.srcMemoryType = hipMemoryTypeArray,
                             .srcArray = other,
                             .srcXInBytes = 4,
                             .dstMemoryType = hipMemoryTypeHost,
                             .dstHost = back,
                             .dstPitch = 8,
                             .WidthInBytes = 8,
                             .Height = 2};
  hipStream_t stream;
  hipGraph_t graph;
  SUCCEEDS(hipStreamCreate(&stream));
  SUCCEEDS(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  SUCCEEDS(hipMemcpyParam2DAsync(&up, stream));
  SUCCEEDS(hipDrvMemcpy3DAsync(&across, stream));
  SUCCEEDS(hipMemcpyParam2DAsync(&down, stream));
  cr_redirect_stderr();
  GIVES(hipErrorStreamCaptureUnsupported, hipMemcpyParam2DAsync(&part, stream));
  SUCCEEDS(hipStreamEndCapture(stream, &graph));
  cr_assert(zero(flt, back[0][0]), "not before it is launched");
  run_once(graph, stream);
  cr_assert(zero(int, memcmp(back, box, sizeof box)));
  SUCCEEDS(hipStreamDestroy(stream));
}

// As rows_go_there_and_back, by nodes, whose places are in elements.
Test(runtime_arrays, rows_to_and_from_arrays_are_recorded) {
  const float box[2][2] = {{-1, -2}, {-3, -4}};
  float back[2][3] = {{0}};
  hipArray *array = new_array(WIDTH, HEIGHT, 0);
  hipStream_t stream;
  hipGraph_t graph;
  SUCCEEDS(hipStreamCreate(&stream));
  SUCCEEDS(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
  SUCCEEDS(hipMemcpy2DToArrayAsync(array, 12, 1, box, 8, 8, 2, hipMemcpyHostToDevice, stream));
  SUCCEEDS(hipMemcpy2DFromArrayAsync(back, 12, array, 8, 1, 12, 2, hipMemcpyDeviceToHost, stream));
  GIVES(hipErrorInvalidValue,
        hipMemcpy2DToArrayAsync(array, 4, 0, box, 8, 4 * WIDTH, 1, hipMemcpyHostToDevice, stream));
  cr_redirect_stderr();
  GIVES(hipErrorStreamCaptureUnsupported,
        hipMemcpy2DToArrayAsync(array, 2, 0, box, 8, 4, 1, hipMemcpyHostToDevice, stream));
  SAYS(said(), "of whole elements");
  SUCCEEDS(hipStreamEndCapture(stream, &graph));
  run_once(graph, stream);
  cr_assert(all(zero(flt, back[0][0]), eq(flt, back[0][1], -1), eq(flt, back[0][2], -2),
                zero(flt, back[1][0]), eq(flt, back[1][1], -3), eq(flt, back[1][2], -4)));
  SUCCEEDS(hipFreeArray(array));
  SUCCEEDS(hipStreamDestroy(stream));
}

Test(runtime_arrays, driver_copies_take_no_pitch_below_the_width) {
  cr_redirect_stderr();
  char from[32] = {0}, to[32];
  const hip_Memcpy2D flat = {.srcMemoryType = hipMemoryTypeHost,
                             .srcHost = from,
                             .srcPitch = 15,
                             .dstMemoryType = hipMemoryTypeHost,
                             .dstHost = to,
                             .dstPitch = 16,
                             .WidthInBytes = 16,
                             .Height = 2};
  const HIP_MEMCPY3D deep = {.srcMemoryType = hipMemoryTypeHost,
                             .srcHost = from,
                             .srcPitch = 16,
                             .dstMemoryType = hipMemoryTypeHost,
                             .dstHost = to,
                             .dstPitch = 15,
                             .WidthInBytes = 16,
                             .Height = 2,
                             .Depth = 1};
  GIVES(hipErrorInvalidValue, hipMemcpyParam2DAsync(&flat, NULL));
  GIVES(hipErrorInvalidValue, hipDrvMemcpy3D(&deep));
}

Test(runtime_arrays, formats_and_extents) {
  hipArray *array = NULL;
  hipChannelFormatDesc got = {0}, three = {8, 8, 8, 0, hipChannelFormatKindUnsigned},
                       uneven = {8, 16, 0, 0, hipChannelFormatKindUnsigned},
                       gap = {8, 0, 8, 0, hipChannelFormatKindUnsigned},
                       short_float = {8, 0, 0, 0, hipChannelFormatKindFloat},
                       four = {16, 16, 16, 16, hipChannelFormatKindSigned};
  cr_redirect_stderr();
  GIVES(hipErrorInvalidValue, hipMallocArray(&array, &three, 4, 4, 0));
  GIVES(hipErrorInvalidValue, hipMallocArray(&array, &uneven, 4, 4, 0));
  GIVES(hipErrorInvalidValue, hipMallocArray(&array, &gap, 4, 4, 0));
  GIVES(hipErrorInvalidValue, hipMallocArray(&array, &short_float, 4, 4, 0));
  GIVES(hipErrorInvalidValue, hipMalloc3DArray(&array, &four, (hipExtent){4, 0, 3}, 0));
  SUCCEEDS(hipMalloc3DArray(&array, &four, (hipExtent){4, 0, 3}, hipArrayLayered));
  GIVES(hipErrorInvalidValue, hipMallocArray(&array, &four, 0, 4, 0));
  GIVES(hipErrorInvalidValue, hipMallocArray(NULL, &four, 4, 4, 0));
  GIVES(hipErrorInvalidValue, hipMallocArray(&array, NULL, 4, 4, 0));
  GIVES(hipErrorOutOfMemory,
        hipMalloc3DArray(&array, &four, (hipExtent){1 << 14, 1 << 14, 1 << 13}, 0));
  SAYS(said(), "1, 2 or 4 channels of 8, 16 or 32 bits, all alike");
  size_t before, after, all;
  SUCCEEDS(hipMemGetInfo(&before, &all));
  SUCCEEDS(hipMallocArray(&array, &four, 33, 4, 0));
  cr_assert(all(eq(u32, array->width, 33), eq(u32, array->height, 4), eq(u32, array->depth, 0),
                eq(u32, array->NumChannels, 4)));
  cr_assert(eq(int, array->Format, HIP_AD_FORMAT_SIGNED_INT16));
  SUCCEEDS(hipGetChannelDesc(&got, array));
  cr_assert(all(eq(int, got.x, 16), eq(int, got.w, 16), eq(int, got.f, four.f)));
  SUCCEEDS(hipMemGetInfo(&after, &all));
  cr_assert(eq(sz, before - after, 512 * 4));
  SUCCEEDS(hipFreeArray(array));
  SUCCEEDS(hipMemGetInfo(&after, &all));
  cr_assert(eq(sz, before, after));
}

Test(runtime_hints, are_given_back) {
  void *managed = NULL;
  int value = 7, list[2] = {7, 7}, preferred = 7;
  enum { SIZE = 8192 };
  SUCCEEDS(hipMallocManaged(&managed, SIZE, hipMemAttachGlobal));
  SUCCEEDS(
      hipMemRangeGetAttribute(&value, sizeof value, hipMemRangeAttributeReadMostly, managed, SIZE));
  cr_assert(zero(int, value));
  SUCCEEDS(hipMemRangeGetAttribute(&value, sizeof value, hipMemRangeAttributeLastPrefetchLocation,
                                   managed, SIZE));
  cr_assert(eq(int, value, hipInvalidDeviceId));
  SUCCEEDS(hipMemAdvise(managed, SIZE, hipMemAdviseSetReadMostly, 0));
  SUCCEEDS(hipMemAdvise(managed, SIZE, hipMemAdviseSetPreferredLocation, hipCpuDeviceId));
  SUCCEEDS(hipMemAdvise(managed, SIZE, hipMemAdviseSetAccessedBy, 0));
  SUCCEEDS(hipMemPrefetchAsync(managed, SIZE, 0, NULL));
  void *data[] = {&value, &preferred, list};
  size_t sizes[] = {sizeof value, sizeof preferred, sizeof list};
  hipMemRangeAttribute attributes[] = {hipMemRangeAttributeReadMostly,
                                       hipMemRangeAttributePreferredLocation,
                                       hipMemRangeAttributeAccessedBy};
  SUCCEEDS(hipMemRangeGetAttributes(data, sizes, attributes, 3, managed, SIZE));
  cr_assert(all(eq(int, value, 1), eq(int, preferred, hipCpuDeviceId), zero(int, list[0]),
                eq(int, list[1], hipInvalidDeviceId)));
  SUCCEEDS(hipMemAdvise(managed, SIZE, hipMemAdviseUnsetReadMostly, 0));
  SUCCEEDS(
      hipMemRangeGetAttribute(&value, sizeof value, hipMemRangeAttributeReadMostly, managed, SIZE));
  cr_assert(zero(int, value));
  GIVES(hipErrorInvalidValue, hipMemAdvise(managed, SIZE, (hipMemoryAdvise)77, 0));
  GIVES(hipErrorInvalidValue,
        hipMemRangeGetAttribute(&value, 3, hipMemRangeAttributeReadMostly, managed, SIZE));
  GIVES(hipErrorInvalidValue,
        hipMemRangeGetAttribute(&value, sizeof value, hipMemRangeAttributeReadMostly, &value, 4));
}

// Source: hip-tests, memory/hipMemCoherencyTst.cc.
Test(runtime_hints, memory_of_the_device_tells_whether_it_is_coherent) {
  void *coarse = NULL, *fine = NULL;
  unsigned mode = 9;
  SUCCEEDS(hipMalloc(&coarse, 64));
  for (unsigned later = 3; later <= 4; later++) { // uncached, in one piece: of ROCm 5.6 and 6.1
    void *memory = NULL;
    SUCCEEDS(hipExtMallocWithFlags(&memory, 64, later));
    SUCCEEDS(hipFree(memory));
  }
  GIVES(hipErrorInvalidValue, hipExtMallocWithFlags(&fine, 64, 5));
  SUCCEEDS(hipExtMallocWithFlags(&fine, 64, hipDeviceMallocFinegrained));
  SUCCEEDS(hipMemRangeGetAttribute(&mode, 4, hipMemRangeAttributeCoherencyMode, coarse, 64));
  cr_assert(eq(u32, mode, hipMemRangeCoherencyModeCoarseGrain));
  SUCCEEDS(hipMemRangeGetAttribute(&mode, 4, hipMemRangeAttributeCoherencyMode, fine, 64));
  cr_assert(eq(u32, mode, hipMemRangeCoherencyModeFineGrain));
  GIVES(hipErrorInvalidValue,
        hipMemRangeGetAttribute(&mode, 4, hipMemRangeAttributeCoherencyMode, coarse, 65));
  GIVES(hipErrorInvalidValue,
        hipMemRangeGetAttribute(&mode, 4, hipMemRangeAttributeReadMostly, coarse, 64));
}

Test(runtime_arrays, the_largest_arrays_are_as_the_device_says) {
  int columns, planes;
  hipArray *array;
  hipChannelFormatDesc bytes = {8, 0, 0, 0, hipChannelFormatKindUnsigned};
  SUCCEEDS(hipDeviceGetAttribute(&columns, hipDeviceAttributeMaxTexture1DWidth, 0));
  SUCCEEDS(hipDeviceGetAttribute(&planes, hipDeviceAttributeMaxTexture3DDepth, 0));
  SUCCEEDS(hipMallocArray(&array, &bytes, (size_t)columns, 0, 0));
  SUCCEEDS(hipMalloc3DArray(&array, &bytes, (hipExtent){4, 4, (size_t)planes}, 0));
  cr_redirect_stderr();
  GIVES(hipErrorInvalidValue, hipMallocArray(&array, &bytes, (size_t)columns + 1, 0, 0));
  GIVES(hipErrorInvalidValue,
        hipMalloc3DArray(&array, &bytes, (hipExtent){4, 4, (size_t)planes + 1}, 0));
  SAYS(said(), "no array has 4 x 4 x 8193 elements");
}

Test(runtime_arrays, what_was_freed_and_unknown_flags_are_refused) {
  hipArray *array;
  hipChannelFormatDesc bytes = {8, 0, 0, 0, hipChannelFormatKindUnsigned};
  SUCCEEDS(hipMallocArray(&array, &bytes, 16, 16, 0));
  SUCCEEDS(hipFreeArray(array));
  GIVES(hipErrorContextIsDestroyed, hipFreeArray(array));
  GIVES(hipErrorInvalidValue, hipFreeArray(NULL));
  GIVES(hipErrorInvalidValue, hipMallocArray(&array, &bytes, 16, 16, 0x100));
}
