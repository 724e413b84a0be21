// Allocation, copies and fills of the HIP runtime.
#include "runtime_test.h"

#include <stdio.h>
#include <stdlib.h>

Test(runtime_memory, bytes_travel_to_the_device_and_back) {
  enum { COUNT = 1031 };
  int there[COUNT], back[COUNT] = {0};
  for (int i = 0; i < COUNT; i++)
    there[i] = 3 * i + 1;
  int *first = device_allocation(sizeof there), *second = device_allocation(sizeof there);
  SUCCEEDS(hipMemcpy(first, there, sizeof there, hipMemcpyHostToDevice));
  SUCCEEDS(hipMemcpyAsync(second, first, sizeof there, hipMemcpyDeviceToDevice, NULL));
  SUCCEEDS(hipMemcpy(back, second, sizeof back, hipMemcpyDeviceToHost));
  cr_assert(zero(int, memcmp(there, back, sizeof there)));
  SUCCEEDS(hipFree(first));
  SUCCEEDS(hipFree(second));
}

// Resident pages of this process, all its mappings together.
static long resident_pages(void) {
  long size = 0, resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  cr_assert(file && fscanf(file, "%ld %ld", &size, &resident) == 2);
  fclose(file);
  return resident;
}

Test(runtime_memory, zeroes_where_nobody_wrote_take_no_memory) {
  // Where Linux gives 2 MiB at once, the page at the end of these has a neighbour that nobody wrote.
  enum { BYTES = 256 << 20, PAGE = 4096, AT = (100 << 20) - PAGE };
  char *device = device_allocation(BYTES), back[3 * PAGE];
  const long before = resident_pages();
  SUCCEEDS(hipMemset(device + AT, 7, PAGE));
  SUCCEEDS(hipMemset(device + 1, 0, BYTES - 2));
  SUCCEEDS(hipMemsetD32(device, 0, BYTES / 4));
  const long more = resident_pages() - before;
  cr_assert(lt(long, more, BYTES / PAGE / 8), "%ld pages", more);
  SUCCEEDS(hipMemcpy(back, device + AT - PAGE, sizeof back, hipMemcpyDeviceToHost));
  for (size_t i = 0; i < sizeof back; i++)
    cr_assert(zero(chr, back[i]), "byte %zu", i);
}

Test(runtime_memory, driver_style_copies) {
  double value = 2.5, back = 0;
  hipDeviceptr_t a = device_allocation(8), b = device_allocation(8);
  SUCCEEDS(hipMemcpyHtoD(a, &value, 8));
  SUCCEEDS(hipMemcpyDtoD(b, a, 8));
  SUCCEEDS(hipMemcpyDtoH(&back, b, 8));
  cr_assert(eq(dbl, back, 2.5));
}

Test(runtime_memory, copies_between_host_addresses_need_a_kind_that_says_so) {
  int from = 4, to = 0;
  cr_redirect_stderr();
  SUCCEEDS(hipMemcpy(&to, &from, sizeof to, hipMemcpyHostToHost));
  cr_assert(eq(int, to, 4));
  SUCCEEDS(hipMemcpy(&to, &from, sizeof to, hipMemcpyDefault));
  GIVES(hipErrorInvalidValue, hipMemcpy(&to, &from, sizeof to, hipMemcpyHostToDevice));
  SAYS(said(), "emulator: hipMemcpy: neither");
}

Test(runtime_memory, copies_of_no_kind_are_refused) {
  int from = 4, *device = device_allocation(sizeof from);
  cr_redirect_stderr();
  GIVES(hipErrorInvalidMemcpyDirection, hipMemcpy(device, &from, sizeof from, (hipMemcpyKind)5));
  GIVES(hipErrorInvalidMemcpyDirection, hipMemcpy(device, &from, sizeof from, (hipMemcpyKind)-1));
  GIVES(hipErrorInvalidMemcpyDirection, hipMemcpy2D(device, 4, &from, 4, 4, 1, (hipMemcpyKind)5));
  SAYS(said(), "5 is no hipMemcpyKind");
}

Test(runtime_memory, a_copy_past_the_end_names_the_allocation) {
  char host[128] = {0};
  char *device = device_allocation(100);
  cr_redirect_stderr();
  GIVES(hipErrorInvalidValue, hipMemcpy(host, device + 1, 100, hipMemcpyDeviceToHost));
  GIVES(hipErrorInvalidValue, hipMemcpy(device, host, 101, hipMemcpyHostToDevice));
  GIVES(hipErrorInvalidValue, hipMemcpy(host, device + 100, 8, hipMemcpyDeviceToHost));
  GIVES(hipErrorInvalidValue, hipMemcpy(host, device + 4096, 8, hipMemcpyDeviceToHost));
  const char *text = said();
  SAYS(text, "100 bytes at the source");
  SAYS(text, "reach 1 bytes beyond the allocation of 100 bytes");
  SAYS(text, "begins 0 bytes behind the end of the allocation of 100 bytes");
  SAYS(text, "begins 3996 bytes behind the end of the allocation of 100 bytes");
}

Test(runtime_memory, a_copy_of_freed_memory_says_that_it_was_freed) {
  char host[64];
  char *device = device_allocation(64);
  SUCCEEDS(hipFree(device));
  cr_redirect_stderr();
  GIVES(hipErrorInvalidValue, hipMemcpy(host, device, 64, hipMemcpyDeviceToHost));
  SAYS(said(), "was freed (64 bytes");
}

Test(runtime_memory, null_and_unmapped_addresses_are_errors) {
  char host[64];
  char *device = device_allocation(64);
  GIVES(hipErrorInvalidValue, hipMemcpy(NULL, host, 64, hipMemcpyHostToDevice));
  GIVES(hipErrorInvalidValue, hipMemcpy(device, NULL, 64, hipMemcpyHostToDevice));
  GIVES(hipErrorInvalidValue, hipMemcpy(device, (void *)64, 64, hipMemcpyHostToDevice));
  GIVES(hipErrorInvalidValue,
        hipMemcpy(device, (void *)(UINTPTR_MAX - 8), 64, hipMemcpyHostToDevice));
  SUCCEEDS(hipMemcpy(NULL, NULL, 0, hipMemcpyHostToDevice));
}

Test(runtime_memory, frees_what_it_allocated_and_nothing_else) {
  char host[8];
  char *device = device_allocation(64);
  cr_redirect_stderr();
  SUCCEEDS(hipFree(NULL));
  GIVES(hipErrorInvalidValue, hipFree(device + 8));
  GIVES(hipErrorInvalidValue, hipFree(host));
  SUCCEEDS(hipFree(device));
  GIVES(hipErrorInvalidValue, hipFree(device));
  const char *text = said();
  SAYS(text, "lies 8 bytes inside an allocation");
  SAYS(text, "was already freed");
}

Test(runtime_memory, requests_that_do_not_fit) {
  void *address = (void *)1;
  cr_redirect_stderr();
  GIVES(hipErrorOutOfMemory, hipMalloc(&address, (size_t)65 << 30));
  GIVES(hipErrorOutOfMemory, hipMalloc(&address, SIZE_MAX));
  cr_assert(eq(ptr, address, NULL));
  SUCCEEDS(hipMalloc(&address, 0));
  cr_assert(eq(ptr, address, NULL));
  GIVES(hipErrorInvalidValue, hipMalloc(NULL, 8));
  SAYS(said(), "no room for 69793218560 bytes");
}

Test(runtime_memory, free_memory_shrinks_and_grows) {
  size_t before, during, after, total;
  SUCCEEDS(hipMemGetInfo(&before, &total));
  cr_assert(eq(sz, total, (size_t)64 << 30));
  void *address = device_allocation(1 << 20);
  SUCCEEDS(hipMemGetInfo(&during, &total));
  SUCCEEDS(hipFree(address));
  SUCCEEDS(hipMemGetInfo(&after, &total));
  cr_assert(eq(sz, before - during, 1 << 20));
  cr_assert(eq(sz, after, before));
}

Test(runtime_memory, pinned_and_managed_memory_is_used_from_both_sides) {
  int *pinned, *managed, *mapped, back = 0;
  unsigned flags = 0;
  SUCCEEDS(hipHostMalloc((void **)&pinned, 64, hipHostMallocMapped));
  SUCCEEDS(hipMallocManaged((void **)&managed, 64, hipMemAttachGlobal));
  pinned[3] = 17;
  SUCCEEDS(hipHostGetDevicePointer((void **)&mapped, pinned, 0));
  SUCCEEDS(hipMemcpy(managed, mapped, 64, hipMemcpyDeviceToDevice));
  cr_assert(eq(int, managed[3], 17));
  SUCCEEDS(hipHostGetFlags(&flags, pinned));
  cr_assert(eq(u32, flags, hipHostMallocMapped));
  SUCCEEDS(hipMemcpy(&back, &managed[3], 4, hipMemcpyDefault));
  cr_assert(eq(int, back, 17));
  SUCCEEDS(hipHostFree(pinned));
  SUCCEEDS(hipFree(managed));
  GIVES(hipErrorInvalidValue, hipMallocManaged((void **)&managed, 0, hipMemAttachGlobal));
  GIVES(hipErrorInvalidValue, hipMallocManaged((void **)&managed, 8, 77));
  GIVES(hipErrorInvalidValue,
        hipHostMalloc((void **)&pinned, 8, hipHostMallocCoherent | hipHostMallocNonCoherent));
  cr_assert(eq(ptr, (void *)pinned, NULL));
}

Test(runtime_memory, registered_host_memory) {
  static int host[4096];
  SUCCEEDS(hipHostRegister(host, sizeof host, hipHostRegisterDefault));
  GIVES(hipErrorHostMemoryAlreadyRegistered, hipHostRegister(host + 8, 64, hipHostRegisterDefault));
  GIVES(hipErrorInvalidValue, hipFree(host));
  SUCCEEDS(hipMemset(host, 1, sizeof host));
  cr_assert(eq(int, host[4095], 0x01010101));
  SUCCEEDS(hipHostUnregister(host));
  GIVES(hipErrorHostMemoryNotRegistered, hipHostUnregister(host));
  GIVES(hipErrorInvalidValue, hipHostRegister(NULL, 64, 0));
}

Test(runtime_memory, what_is_known_of_a_pointer) {
  char host[8];
  char *device = device_allocation(256);
  hipPointerAttribute_t attributes;
  SUCCEEDS(hipPointerGetAttributes(&attributes, device + 16));
  cr_assert(eq(int, attributes.memoryType, hipMemoryTypeDevice));
  cr_assert(eq(ptr, attributes.devicePointer, device + 16));
  cr_assert(zero(int, attributes.isManaged));
  GIVES(hipErrorInvalidValue, hipPointerGetAttributes(&attributes, host));
  hipDeviceptr_t base;
  size_t size;
  SUCCEEDS(hipMemGetAddressRange(&base, &size, device + 99));
  cr_assert(eq(ptr, base, device));
  cr_assert(eq(sz, size, 256));
  GIVES(hipErrorInvalidDevicePointer, hipMemGetAddressRange(&base, &size, host));
}

Test(runtime_memory, fills_of_every_width) {
  enum { COUNT = 11 };
  uint32_t words[COUNT + 1];
  uint16_t halves[COUNT];
  uint32_t *device = device_allocation(sizeof words);
  SUCCEEDS(hipMemset(device, 0xab, sizeof words));
  SUCCEEDS(hipMemsetD32(device, 0x12345678, COUNT));
  SUCCEEDS(hipMemcpy(words, device, sizeof words, hipMemcpyDeviceToHost));
  cr_assert(eq(u32, words[0], 0x12345678));
  cr_assert(eq(u32, words[COUNT - 1], 0x12345678));
  cr_assert(eq(u32, words[COUNT], 0xabababab), "one word further than asked");
  SUCCEEDS(hipMemsetD16Async(device, 0xbeef, COUNT, NULL));
  SUCCEEDS(hipMemcpy(halves, device, sizeof halves, hipMemcpyDeviceToHost));
  cr_assert(eq(u16, halves[COUNT - 1], 0xbeef));
  SUCCEEDS(hipMemsetD8(device, 5, 3));
  SUCCEEDS(hipMemcpy(words, device, 4, hipMemcpyDeviceToHost));
  cr_assert(eq(u32, words[0], 0xbe050505));
}

Test(runtime_memory, fills_stay_inside) {
  char host[64];
  char *device = device_allocation(64);
  GIVES(hipErrorInvalidValue, hipMemset(device + 1, 0, 64));
  GIVES(hipErrorInvalidValue, hipMemset(host, 0, 64));
  GIVES(hipErrorInvalidValue, hipMemset(NULL, 0, 64));
  GIVES(hipErrorInvalidValue, hipMemsetD32(device, 0, SIZE_MAX / 2));
  SUCCEEDS(hipMemset(NULL, 0, 0));
}

// Rows of 16 bytes, one below the other: those of a box that goes to `to` begin at `from`.
static hipError_t copy_in_place(uint8_t *rows, size_t to, size_t from, size_t width) {
  enum { PITCH = 16, HEIGHT = 8 };
  uint8_t there[PITCH * 2 * HEIGHT], wanted[sizeof there], back[sizeof there];
  for (size_t i = 0; i < sizeof there; i++)
    there[i] = wanted[i] = (uint8_t)i;
  SUCCEEDS(hipMemcpy(rows, there, sizeof there, hipMemcpyHostToDevice));
  const hipError_t error =
      hipMemcpy2D(rows + to, PITCH, rows + from, PITCH, width, HEIGHT, hipMemcpyDeviceToDevice);
  for (size_t y = 0; y < HEIGHT; y++)
    memcpy(wanted + to + y * PITCH, there + from + y * PITCH, width);
  SUCCEEDS(hipMemcpy(back, rows, sizeof back, hipMemcpyDeviceToHost));
  cr_assert(zero(int, memcmp(back, wanted, sizeof back)), "from %zu to %zu", from, to);
  return error;
}

Test(runtime_memory, boxes_that_overlap_are_told_and_copied_right) {
  static const size_t box[][3] = {{16, 0, 16}, {0, 16, 16}, {4, 0, 8}, {0, 4, 8}, {39, 0, 8}};
  uint8_t *rows = device_allocation(256);
  cr_redirect_stderr();
  for (size_t i = 0; i < sizeof box / sizeof *box; i++) {
    SUCCEEDS(copy_in_place(rows, box[i][0], box[i][1], box[i][2]));
    SAYS(said(), "the two overlap");
  }
}

Test(runtime_memory, boxes_between_whose_rows_others_lie_do_not_overlap) {
  static const size_t box[][3] = {{8, 0, 8}, {0, 8, 8}, {24, 0, 8}, {128, 0, 16}, {0, 0, 16}};
  setenv("EMULATOR_SANITIZE", "1", 1); // where they do, nothing is copied
  uint8_t *rows = device_allocation(256);
  for (size_t i = 0; i < sizeof box / sizeof *box; i++)
    SUCCEEDS(copy_in_place(rows, box[i][0], box[i][1], box[i][2]));
}

// Whether the sanitizer tells of a copy; how often is one of the process's.
static bool tells_of(void *to, const void *from, hipMemcpyKind kind) {
  const size_t length = strlen(said());
  SUCCEEDS(hipMemcpy(to, from, 4, kind));
  return strstr(said() + length, "the two pointers are exchanged") != NULL;
}

static void expect_told(bool to_device, bool from_device, hipMemcpyKind kind) {
  int32_t host[2] = {1, 2}, *device;
  setenv("EMULATOR_SANITIZE", "1", 1);
  cr_redirect_stderr();
  device = device_allocation(8);
  SUCCEEDS(hipMemset(device, 0, 8));
  cr_assert(tells_of(to_device ? device : host, from_device ? device + 1 : host + 1, kind));
  cr_assert(not(tells_of(to_device ? device : host, from_device ? device + 1 : host + 1, kind)));
}

Test(runtime_memory, to_the_device_as_from_it) { expect_told(true, false, hipMemcpyDeviceToHost); }
Test(runtime_memory, from_the_device_as_to_it) { expect_told(false, true, hipMemcpyHostToDevice); }
Test(runtime_memory, to_the_device_as_on_it) { expect_told(true, false, hipMemcpyDeviceToDevice); }
Test(runtime_memory, from_the_device_as_on_it) {
  expect_told(false, true, hipMemcpyDeviceToDevice);
}
Test(runtime_memory, to_the_device_as_on_the_host) {
  expect_told(true, false, hipMemcpyHostToHost);
}
Test(runtime_memory, on_the_device_as_from_it) { expect_told(true, true, hipMemcpyDeviceToHost); }

Test(runtime_memory, copies_in_the_direction_of_their_kind_are_not_told) {
  int32_t host[2] = {1, 2}, *device, *pinned, *managed;
  setenv("EMULATOR_SANITIZE", "1", 1);
  cr_redirect_stderr();
  device = device_allocation(8);
  SUCCEEDS(hipHostMalloc((void **)&pinned, 8, 0));
  SUCCEEDS(hipMallocManaged((void **)&managed, 8, hipMemAttachGlobal));
  cr_assert(not(tells_of(device, host, hipMemcpyHostToDevice)));
  cr_assert(not(tells_of(host, device, hipMemcpyDeviceToHost)));
  cr_assert(not(tells_of(device, device + 1, hipMemcpyDeviceToDevice)));
  cr_assert(not(tells_of(host, host + 1, hipMemcpyHostToHost)));
  cr_assert(not(tells_of(device, host, hipMemcpyDefault)));
  for (hipMemcpyKind kind = hipMemcpyHostToHost; kind <= hipMemcpyDeviceToDevice; kind++) {
    cr_assert(not(tells_of(pinned, managed, kind)));
    cr_assert(not(tells_of(managed, pinned, kind)));
  }
}

Test(runtime_memory, rows_with_pitch) {
  enum { WIDTH = 100, HEIGHT = 7 };
  uint8_t there[HEIGHT][WIDTH], back[HEIGHT][WIDTH + 3];
  for (int i = 0; i < WIDTH * HEIGHT; i++)
    there[i / WIDTH][i % WIDTH] = (uint8_t)(i * 7);
  memset(back, 0xee, sizeof back);
  void *device;
  size_t pitch;
  SUCCEEDS(hipMallocPitch(&device, &pitch, WIDTH, HEIGHT));
  cr_assert(eq(sz, pitch, 256));
  SUCCEEDS(hipMemcpy2D(device, pitch, there, WIDTH, WIDTH, HEIGHT, hipMemcpyHostToDevice));
  SUCCEEDS(hipMemcpy2D(back, WIDTH + 3, device, pitch, WIDTH, HEIGHT, hipMemcpyDeviceToHost));
  for (int row = 0; row < HEIGHT; row++) {
    cr_assert(zero(int, memcmp(there[row], back[row], WIDTH)), "row %d", row);
    cr_assert(eq(u8, back[row][WIDTH], 0xee), "padding of row %d", row);
  }
  SUCCEEDS(hipMemset2D(device, pitch, 9, WIDTH - 1, HEIGHT));
  SUCCEEDS(hipMemcpy2D(back, WIDTH + 3, device, pitch, WIDTH, HEIGHT, hipMemcpyDeviceToHost));
  cr_assert(eq(u8, back[HEIGHT - 1][WIDTH - 2], 9));
  cr_assert(eq(u8, back[HEIGHT - 1][WIDTH - 1], there[HEIGHT - 1][WIDTH - 1]));
  GIVES(hipErrorInvalidPitchValue,
        hipMemcpy2D(device, 50, there, WIDTH, WIDTH, HEIGHT, hipMemcpyHostToDevice));
  GIVES(hipErrorInvalidValue,
        hipMemcpy2D(device, pitch, there, WIDTH, WIDTH, HEIGHT + 1, hipMemcpyHostToDevice));
  SUCCEEDS(hipMemAllocPitch(&device, &pitch, WIDTH, HEIGHT, 16));
  GIVES(hipErrorInvalidValue, hipMemAllocPitch(&device, &pitch, WIDTH, HEIGHT, 3));
  GIVES(hipErrorInvalidValue, hipMemAllocPitch(&device, &pitch, 0, HEIGHT, 4));
  GIVES(hipErrorInvalidValue, hipMemAllocPitch(&device, &pitch, WIDTH, 0, 4));
}

Test(runtime_memory, boxes_with_offsets) {
  enum { NX = 5, NY = 4, NZ = 3 };
  uint8_t there[NZ][NY][NX], back[NZ][NY][NX];
  for (int i = 0; i < NX * NY * NZ; i++)
    there[i / NX / NY][i / NX % NY][i % NX] = (uint8_t)(i + 1);
  memset(back, 0, sizeof back);
  hipPitchedPtr device;
  SUCCEEDS(hipMalloc3D(&device, (hipExtent){NX, NY, NZ}));
  hipMemcpy3DParms up = {.srcPtr = {there, NX, NX, NY},
                         .dstPtr = device,
                         .extent = {NX, NY, NZ},
                         .kind = hipMemcpyHostToDevice};
  SUCCEEDS(hipMemcpy3D(&up));
  hipMemcpy3DParms down = {.srcPtr = device,
                           .srcPos = {1, 2, 1},
                           .dstPtr = {back, NX, NX, NY},
                           .extent = {2, 2, 2},
                           .kind = hipMemcpyDeviceToHost};
  SUCCEEDS(hipMemcpy3D(&down));
  cr_assert(eq(u8, back[0][0][0], there[1][2][1]));
  cr_assert(eq(u8, back[1][1][1], there[2][3][2]));
  cr_assert(eq(u8, back[0][0][2], 0));
  SUCCEEDS(hipMemset3D(device, 200, (hipExtent){NX, 1, NZ}));
  hipMemcpy3DParms all = {.srcPtr = device,
                          .dstPtr = {back, NX, NX, NY},
                          .extent = {NX, NY, NZ},
                          .kind = hipMemcpyDeviceToHost};
  SUCCEEDS(hipMemcpy3D(&all));
  cr_assert(eq(u8, back[2][0][4], 200));
  cr_assert(eq(u8, back[2][1][4], there[2][1][4]));
  hipMemcpy3DParms beyond = {.srcPtr = device,
                             .dstPtr = device,
                             .extent = {NX, NY, NZ + 1},
                             .kind = hipMemcpyDeviceToDevice};
  GIVES(hipErrorInvalidValue, hipMemcpy3D(&beyond));
}

// A row of a box may not go on in the next one.
Test(runtime_memory, boxes_with_offsets_past_their_rows) {
  enum { NX = 64, NY = 4 };
  uint8_t there[2 * NY][NX] = {0};
  void *device;
  SUCCEEDS(hipMalloc(&device, sizeof there));
  hipMemcpy3DParms up = {.srcPtr = {there, NX, NX, NY},
                         .dstPtr = {device, NX, NX, NY},
                         .srcPos = {1, 0, 0},
                         .extent = {NX - 1, NY, 1},
                         .kind = hipMemcpyHostToDevice};
  SUCCEEDS(hipMemcpy3D(&up));
  up.srcPos.x++;
  GIVES(hipErrorInvalidValue, hipMemcpy3D(&up));
  GIVES(hipErrorInvalidValue, hipMemcpy3DAsync(&up, NULL));
  up.srcPos.x = 0, up.dstPos.x = 2;
  GIVES(hipErrorInvalidValue, hipMemcpy3D(&up));
  up.dstPos.x = (size_t)-8; // a sum would wrap
  GIVES(hipErrorInvalidValue, hipMemcpy3D(&up));
  up.dstPos.x = 0, up.dstPtr.xsize = NX + 1;
  SUCCEEDS(hipMemcpy3D(&up));
  up.extent.width = NX + 1;
  GIVES(hipErrorInvalidPitchValue, hipMemcpy3D(&up));
  SUCCEEDS(hipFree(device));
}

Test(runtime_memory, pools_allocate_in_stream_order) {
  hipMemPool_t pool, own;
  void *address;
  uint64_t threshold = 1 << 20, read = 0;
  SUCCEEDS(hipDeviceGetDefaultMemPool(&pool, 0));
  SUCCEEDS(hipMemPoolSetAttribute(pool, hipMemPoolAttrReleaseThreshold, &threshold));
  SUCCEEDS(hipMemPoolGetAttribute(pool, hipMemPoolAttrReleaseThreshold, &read));
  cr_assert(eq(u64, read, 1 << 20));
  SUCCEEDS(hipMallocAsync(&address, 100, NULL));
  SUCCEEDS(hipFreeAsync(address, NULL));
  const hipMemPoolProps properties = {.allocType = hipMemAllocationTypePinned,
                                      .location = {hipMemLocationTypeDevice, 0}};
  SUCCEEDS(hipMemPoolCreate(&own, &properties));
  SUCCEEDS(hipMallocFromPoolAsync(&address, 100, own, NULL));
  hipMemLocation here = {hipMemLocationTypeDevice, 0};
  hipMemAccessDesc all = {here, hipMemAccessFlagsProtReadWrite}, none = {here, 0}, odd = {here, 99};
  hipMemAccessFlags access = hipMemAccessFlagsProtNone;
  SUCCEEDS(hipMemPoolSetAccess(own, &all, 1));
  GIVES(hipErrorInvalidDevice, hipMemPoolSetAccess(own, &none, 1));
  GIVES(hipErrorInvalidValue, hipMemPoolSetAccess(own, &odd, 1));
  SUCCEEDS(hipMemPoolGetAccess(&access, own, &here));
  cr_assert(eq(int, access, hipMemAccessFlagsProtReadWrite));
  here.id = 5;
  GIVES(hipErrorInvalidValue, hipMemPoolGetAccess(&access, own, &here));
  SUCCEEDS(hipMemPoolDestroy(own));
  GIVES(hipErrorInvalidValue, hipMemPoolDestroy(own));
  GIVES(hipErrorInvalidValue, hipMallocFromPoolAsync(&address, 100, own, NULL));
}

// What is known of an address inside an allocation, by one call and attribute by attribute.
static void assert_known(char *begin, size_t size, hipMemoryType type, bool managed, bool on_host) {
  hipPointerAttribute_t a;
  uint32_t kind, bytes;
  bool is_managed, mapped;
  void *device, *host = &a, *first;
  int ordinal = 9;
  char *inside = begin + size / 2;
  SUCCEEDS(hipPointerGetAttributes(&a, inside));
  cr_assert(all(eq(int, a.memoryType, type), eq(int, a.isManaged, managed), zero(int, a.device),
                eq(ptr, a.devicePointer, inside), eq(ptr, a.hostPointer, on_host ? inside : NULL)));
  SUCCEEDS(hipPointerGetAttribute(&kind, HIP_POINTER_ATTRIBUTE_MEMORY_TYPE, inside));
  SUCCEEDS(hipPointerGetAttribute(&is_managed, HIP_POINTER_ATTRIBUTE_IS_MANAGED, inside));
  SUCCEEDS(hipPointerGetAttribute(&mapped, HIP_POINTER_ATTRIBUTE_MAPPED, inside));
  SUCCEEDS(hipPointerGetAttribute(&device, HIP_POINTER_ATTRIBUTE_DEVICE_POINTER, inside));
  SUCCEEDS(hipPointerGetAttribute(&ordinal, HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL, inside));
  SUCCEEDS(hipPointerGetAttribute(&first, HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR, inside));
  SUCCEEDS(hipPointerGetAttribute(&bytes, HIP_POINTER_ATTRIBUTE_RANGE_SIZE, inside));
  GIVES(on_host ? hipSuccess : hipErrorInvalidValue,
        hipPointerGetAttribute(&host, HIP_POINTER_ATTRIBUTE_HOST_POINTER, inside));
  cr_assert(all(eq(u32, kind, type), eq(int, is_managed, managed), eq(int, mapped, true),
                eq(ptr, device, inside), eq(ptr, host, on_host ? inside : NULL), zero(int, ordinal),
                eq(ptr, first, begin), eq(sz, bytes, size)));
}

Test(runtime_memory, attributes_are_those_of_the_kind_of_memory) {
  static char own[4096];
  char *pinned, *managed;
  hipPointerAttribute_t attributes;
  assert_known(device_allocation(256), 256, hipMemoryTypeDevice, false, false);
  SUCCEEDS(hipHostMalloc((void **)&pinned, 512, hipHostMallocMapped));
  assert_known(pinned, 512, hipMemoryTypeHost, false, true);
  SUCCEEDS(hipPointerGetAttributes(&attributes, pinned));
  cr_assert(eq(u32, attributes.allocationFlags, hipHostMallocMapped));
  SUCCEEDS(hipMallocManaged((void **)&managed, 1024, hipMemAttachGlobal));
  assert_known(managed, 1024, hipMemoryTypeHost, true, true);
  SUCCEEDS(hipHostRegister(own, sizeof own, 0));
  assert_known(own, sizeof own, hipMemoryTypeHost, false, true);
  GIVES(hipErrorInvalidValue, hipPointerGetAttributes(&attributes, own + sizeof own));
  GIVES(hipErrorInvalidValue, hipPointerGetAttributes(NULL, own));
  GIVES(hipErrorInvalidValue, hipPointerGetAttributes(&attributes, NULL));
}

Test(runtime_memory, several_attributes_of_a_pointer_at_once) {
  void *host, *begin = NULL;
  void *device = device_allocation(64), *host_side = &host;
  uint32_t size = 7;
  hipPointer_attribute attributes[] = {HIP_POINTER_ATTRIBUTE_HOST_POINTER,
                                       HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                                       HIP_POINTER_ATTRIBUTE_RANGE_SIZE};
  void *data[] = {&host_side, &begin, &size};
  SUCCEEDS(hipDrvPointerGetAttributes(3, attributes, data, (char *)device + 8));
  cr_assert(all(zero(ptr, host_side), eq(ptr, begin, device), eq(u32, size, 64)));
  SUCCEEDS(hipDrvPointerGetAttributes(3, attributes, data, &size)); // the host's own
  cr_assert(all(zero(ptr, begin), zero(u32, size)));
  GIVES(hipErrorInvalidValue, hipDrvPointerGetAttributes(0, attributes, data, device));
}

Test(runtime_memory, wrong_arguments_about_host_memory_are_refused) {
  void *pinned, *device = device_allocation(64), *pointer;
  unsigned flags;
  SUCCEEDS(hipHostMalloc(&pinned, 64, 0));
  GIVES(hipErrorInvalidValue, hipHostGetFlags(&flags, device));
  GIVES(hipErrorInvalidValue, hipHostGetDevicePointer(&pointer, pinned, 1));
  GIVES(hipErrorInvalidValue, hipHostUnregister(NULL));
}

Test(runtime_memory, each_allocation_has_its_number_and_arrays_their_type) {
  uint32_t first, second, type = 9;
  hipArray *array;
  const HIP_ARRAY_DESCRIPTOR descriptor = {16, 16, HIP_AD_FORMAT_FLOAT, 1};
  void *memory = device_allocation(64);
  SUCCEEDS(hipPointerGetAttribute(&first, HIP_POINTER_ATTRIBUTE_BUFFER_ID, memory));
  SUCCEEDS(hipFree(memory));
  memory = device_allocation(64);
  SUCCEEDS(hipPointerGetAttribute(&second, HIP_POINTER_ATTRIBUTE_BUFFER_ID, memory));
  cr_assert(ne(u32, first, second));
  SUCCEEDS(hipArrayCreate(&array, &descriptor));
  SUCCEEDS(hipPointerGetAttribute(&type, HIP_POINTER_ATTRIBUTE_MEMORY_TYPE, array));
  cr_assert(eq(u32, type, hipMemoryTypeArray));
}

Test(runtime_memory, memory_is_attached_as_a_whole_and_in_one_way) {
  void *managed;
  SUCCEEDS(hipMallocManaged(&managed, 64, hipMemAttachGlobal));
  SUCCEEDS(hipStreamAttachMemAsync(NULL, managed, 64, hipMemAttachSingle));
  SUCCEEDS(hipStreamAttachMemAsync(NULL, managed, 0, hipMemAttachHost));
  GIVES(hipErrorInvalidValue, hipStreamAttachMemAsync(NULL, managed, 63, hipMemAttachSingle));
  GIVES(hipErrorInvalidValue,
        hipStreamAttachMemAsync(NULL, managed, 64, hipMemAttachSingle | hipMemAttachHost));
}

Test(runtime_memory, most_of_what_is_free_can_be_had) {
  size_t free_bytes, total;
  SUCCEEDS(hipMemGetInfo(&free_bytes, &total));
  SUCCEEDS(hipMemset(device_allocation(free_bytes / 4 * 3), 1, 4096));
}

Test(runtime_memory, the_computer_has_less_than_the_device) {
  cr_redirect_stderr();
  size_t free_bytes, total;
  setenv("EMULATOR_SET", "hbm_bytes=17592186044416", 1); // 16 TiB
  SUCCEEDS(hipMemGetInfo(&free_bytes, &total));
  cr_assert(all(eq(sz, total, (size_t)16 << 40), lt(sz, free_bytes, total)));
  SUCCEEDS(hipMemset(device_allocation(free_bytes / 10 * 9), 1, 4096));
  SUCCEEDS(hipMemGetInfo(&free_bytes, &total));
  const char *text = said();
  SAYS(text, "hipMemGetInfo: note: ");
  SAYS(text,
       "this computer has no more memory for the device, which itself would have 16777216 MiB");
  cr_assert(eq(ptr, strstr(strchr(text, '\n'), "note:"), NULL), "said twice");
}

Test(runtime_memory, the_computer_has_enough_for_the_device) {
  cr_redirect_stderr();
  size_t free_bytes, total;
  setenv("EMULATOR_SET", "hbm_bytes=1048576", 1);
  SUCCEEDS(hipMemGetInfo(&free_bytes, &total));
  cr_assert(all(eq(sz, free_bytes, 1048576), eq(str, (char *)said(), "")));
}

Test(runtime_memory, free_memory_is_hidden_on_request) {
  size_t free_bytes, total;
  setenv("EMULATOR_SET", "hbm_bytes=8388608", 1);
  setenv("HIP_HIDDEN_FREE_MEM", "6", 1);
  SUCCEEDS(hipMemGetInfo(&free_bytes, &total));
  cr_assert(all(eq(sz, free_bytes, 2 << 20), eq(sz, total, 8 << 20)));
  device_allocation(4 << 20);
  SUCCEEDS(hipMemGetInfo(&free_bytes, &total));
  cr_assert(zero(sz, free_bytes));
}

// Source: hip-tests, memory/hipHostRegister.cc.
Test(runtime_memory, what_is_registered_is_there_and_takes_advice) {
  enum { BYTES = 1024 };
  int value = 9;
  char *own = malloc(BYTES);
  cr_redirect_stderr();
  GIVES(hipErrorInvalidValue, hipHostRegister(own, BYTES, 0xf0));
  GIVES(hipErrorInvalidValue, hipHostRegister(own, BYTES, 0xfff2));
  GIVES(hipErrorInvalidValue, hipHostRegister(own, (size_t)1 << 44, 0));
  GIVES(hipErrorInvalidValue, hipHostRegister(own, SIZE_MAX, 0));
  SAYS(said(), "are not all memory of this program");
  SUCCEEDS(hipHostRegister(own, BYTES, 0x8000000f));
  SUCCEEDS(hipMemAdvise(own, BYTES, hipMemAdviseSetReadMostly, 0));
  SUCCEEDS(hipMemRangeGetAttribute(&value, 4, hipMemRangeAttributeReadMostly, own, BYTES));
  cr_assert(eq(int, value, 1));
  SUCCEEDS(hipMemAdvise(own, BYTES, hipMemAdviseSetPreferredLocation, hipCpuDeviceId));
  SUCCEEDS(hipMemRangeGetAttribute(&value, 4, hipMemRangeAttributePreferredLocation, own, BYTES));
  cr_assert(eq(int, value, hipCpuDeviceId));
  SUCCEEDS(hipHostUnregister(own));
  SUCCEEDS(hipHostRegister(own, BYTES, 0));
  SUCCEEDS(hipMemRangeGetAttribute(&value, 4, hipMemRangeAttributeReadMostly, own, BYTES));
  cr_assert(zero(int, value));
  SUCCEEDS(hipHostUnregister(own));
  free(own);
}

Test(runtime_memory, advice_is_for_pages) {
  enum { PAGE = 4096 };
  char *managed;
  int value = 9, places[3];
  SUCCEEDS(hipMallocManaged((void **)&managed, 3 * PAGE, hipMemAttachGlobal));
  SUCCEEDS(hipMemAdvise(managed + PAGE / 2, PAGE, hipMemAdviseSetReadMostly, 0));
  SUCCEEDS(hipMemRangeGetAttribute(&value, 4, hipMemRangeAttributeReadMostly, managed, 2 * PAGE));
  cr_assert(eq(int, value, 1));
  SUCCEEDS(hipMemRangeGetAttribute(&value, 4, hipMemRangeAttributeReadMostly, managed, 3 * PAGE));
  cr_assert(eq(int, value, 0));
  SUCCEEDS(hipMemAdvise(managed, PAGE, hipMemAdviseSetAccessedBy, hipCpuDeviceId));
  SUCCEEDS(hipMemAdvise(managed, PAGE, hipMemAdviseSetAccessedBy, 0));
  SUCCEEDS(hipMemRangeGetAttribute(places, sizeof places, hipMemRangeAttributeAccessedBy, managed,
                                   PAGE));
  cr_assert(all(eq(int, places[0], 0), eq(int, places[1], -1), eq(int, places[2], -2)));
  SUCCEEDS(hipMemRangeGetAttribute(places, sizeof places[0], hipMemRangeAttributeAccessedBy,
                                   managed, PAGE));
  cr_assert(eq(int, places[0], 0));
  SUCCEEDS(hipMemAdvise(managed + PAGE, PAGE, hipMemAdviseSetPreferredLocation, 0));
  SUCCEEDS(
      hipMemRangeGetAttribute(&value, 4, hipMemRangeAttributePreferredLocation, managed, PAGE));
  cr_assert(eq(int, value, -2));
  SUCCEEDS(hipMemRangeGetAttribute(&value, 4, hipMemRangeAttributePreferredLocation, managed + PAGE,
                                   PAGE));
  cr_assert(eq(int, value, 0));
  GIVES(hipErrorInvalidValue,
        hipMemAdvise(device_allocation(PAGE), PAGE, hipMemAdviseSetReadMostly, 0));
  GIVES(hipErrorInvalidDevice, hipMemPrefetchAsync(managed, PAGE, -2, NULL));
}
