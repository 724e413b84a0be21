// Calls of ROCm 5.3 to 7.2 that say in other words what older ones do: libraries, batches, nodes of any
// type, copies and fills in the driver's words. The header of ROCm 5.2 has none of them.
#include "runtime_test.h"

#include <unistd.h>

enum { N = 64, BYTES = N * sizeof(int) };

static int *filled(int value) {
  int *memory = device_allocation(BYTES);
  SUCCEEDS(hipMemsetD32(memory, value, N));
  return memory;
}

static void expect(const int *memory, int value) {
  int back[N];
  SUCCEEDS(hipMemcpy(back, memory, BYTES, hipMemcpyDeviceToHost));
  for (int i = 0; i < N; i++)
    cr_assert(eq(int, back[i], value), "element %d", i);
}

// ---- libraries ----

hipError_t hipLibraryLoadData(hipModule_t *library, const void *code, const int *, void **,
                              unsigned, const int *, void **, unsigned);
hipError_t hipLibraryLoadFromFile(hipModule_t *library, const char *name, const int *, void **,
                                  unsigned, const int *, void **, unsigned);
hipError_t hipLibraryUnload(hipModule_t library);
hipError_t hipLibraryGetKernel(hipFunction_t *kernel, hipModule_t library, const char *name);
hipError_t hipLibraryGetKernelCount(unsigned *count, hipModule_t library);
hipError_t hipLibraryEnumerateKernels(hipFunction_t *kernels, unsigned room, hipModule_t library);
hipError_t hipKernelGetLibrary(hipModule_t *library, hipFunction_t kernel);
hipError_t hipKernelGetName(const char **name, hipFunction_t kernel);
hipError_t hipKernelGetFunction(hipFunction_t *function, hipFunction_t kernel);
hipError_t hipKernelGetParamInfo(hipFunction_t kernel, size_t index, size_t *offset, size_t *size);
hipError_t hipKernelGetAttribute(int *value, hipFunction_attribute attribute, hipFunction_t kernel,
                                 int device);
hipError_t hipKernelSetAttribute(hipFunction_attribute attribute, int value, hipFunction_t kernel,
                                 int device);
hipError_t hipModuleGetFunctionCount(unsigned *count, hipModule_t module);

// As hip-tests, library_negative.cc, wants it.
Test(runtime_later_calls, a_library_of_rubbish_is_refused_when_it_is_asked) {
  const char rubbish[] = "no code object at all, but a text that is long enough to be one's header";
  hipModule_t library = NULL;
  hipFunction_t kernel = NULL;
  unsigned count = 0;
  cr_redirect_stderr();
  SUCCEEDS(hipLibraryLoadData(&library, rubbish, NULL, NULL, 0, NULL, NULL, 0));
  SAYS(said(), "hipModuleLoadData");
  GIVES(hipErrorInvalidImage, hipLibraryGetKernel(&kernel, library, "add_one"));
  GIVES(hipErrorInvalidImage, hipLibraryGetKernelCount(&count, library));
  GIVES(hipErrorInvalidValue, hipLibraryGetKernel(NULL, library, "add_one"));
  SUCCEEDS(hipLibraryUnload(library));
  GIVES(hipErrorNotFound, hipLibraryUnload(library));
  GIVES(hipErrorFileNotFound,
        hipLibraryLoadFromFile(&library, "no such file", NULL, NULL, 0, NULL, NULL, 0));
}

Test(runtime_later_calls, a_library_is_a_module) {
  hipModule_t library = NULL, same = NULL, from_data = NULL;
  hipFunction_t kernel = NULL, function = NULL, *all;
  const char *name = NULL;
  unsigned count = 0;
  size_t offset = 0, size = 0;
  int threads = 0, *memory = filled(3), n = N;
  SUCCEEDS(hipLibraryLoadFromFile(&library, RUNTIME_KERNELS, NULL, NULL, 0, NULL, NULL, 0));
  SUCCEEDS(hipLibraryGetKernel(&kernel, library, "add_one"));
  GIVES(hipErrorNotFound, hipLibraryGetKernel(&kernel, library, "no_such_kernel"));
  SUCCEEDS(hipKernelGetFunction(&function, kernel));
  SUCCEEDS(launch(function, 1, N, 0, (void *[]){&memory, &n}));
  expect(memory, 4);
  SUCCEEDS(hipKernelGetName(&name, kernel));
  SUCCEEDS(hipKernelGetLibrary(&same, kernel));
  SUCCEEDS(hipKernelGetParamInfo(kernel, 1, &offset, &size));
  SUCCEEDS(hipKernelGetAttribute(&threads, HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel, 0));
  cr_assert(all(eq(str, (char *)name, "add_one"), eq(ptr, same, library), eq(sz, offset, 8),
                eq(sz, size, 4), lt(int, 0, threads)));
  GIVES(hipErrorInvalidValue, hipKernelGetParamInfo(kernel, 2, &offset, &size));
  SUCCEEDS(hipLibraryGetKernelCount(&count, library));
  all = calloc(count + 1, sizeof *all);
  SUCCEEDS(hipLibraryEnumerateKernels(all, count, library));
  bool found = false;
  for (unsigned i = 0; i < count; i++)
    found |= all[i] == kernel;
  cr_assert(found && !all[count]);
  SUCCEEDS(hipLibraryUnload(library));
  GIVES(hipErrorInvalidValue, hipKernelGetName(&name, kernel));
  GIVES(hipErrorInvalidValue, hipLibraryGetKernelCount(&count, library));

  char *bytes = kernel_file(&size);
  SUCCEEDS(hipLibraryLoadData(&from_data, bytes, NULL, NULL, 0, NULL, NULL, 0));
  SUCCEEDS(hipLibraryUnload(from_data));
  free(bytes), free(all);
}

// ROCm's own tests ask for these codes.
Test(runtime_later_calls, kernels_of_libraries_have_attributes) {
  hipModule_t library = NULL;
  hipFunction_t kernel = NULL;
  int value = 0, *memory = filled(3), n = N;
  unsigned count = 0;
  const hipFunction_attribute lds = HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
  SUCCEEDS(hipLibraryLoadFromFile(&library, RUNTIME_KERNELS, NULL, NULL, 0, NULL, NULL, 0));
  SUCCEEDS(hipLibraryGetKernel(&kernel, library, "add_one"));
  SUCCEEDS(hipKernelSetAttribute(lds, 32, kernel, 0));
  GIVES(hipErrorInvalidValue, hipKernelSetAttribute(lds, -1, kernel, 0));
  GIVES(hipErrorInvalidValue, hipKernelSetAttribute(lds, 32, NULL, 0));
  GIVES(hipErrorInvalidDevice, hipKernelSetAttribute(lds, 32, kernel, 1));
  GIVES(hipErrorInvalidValue,
        hipKernelSetAttribute(HIP_FUNC_ATTRIBUTE_NUM_REGS, 32, kernel, 0)); // nobody sets it
  GIVES(hipErrorInvalidValue, hipKernelSetAttribute((hipFunction_attribute)-1, 0, kernel, 0));
  GIVES(hipErrorInvalidValue, hipKernelGetAttribute(NULL, lds, kernel, 0));
  GIVES(hipErrorInvalidHandle, hipKernelGetAttribute(&value, lds, NULL, 0));
  SUCCEEDS(
      hipLaunchKernel(kernel, (dim3){1, 1, 1}, (dim3){N, 1, 1}, (void *[]){&memory, &n}, 0, NULL));
  SUCCEEDS(hipDeviceSynchronize());
  expect(memory, 4);
  SUCCEEDS(hipLibraryUnload(library));
  GIVES(hipErrorInvalidHandle, hipLibraryUnload(NULL));
  GIVES(hipErrorInvalidHandle, hipModuleGetFunctionCount(&count, NULL));
  GIVES(hipErrorInvalidValue, hipModuleGetFunctionCount(NULL, NULL));
}

hipError_t hipLibraryGetGlobal(void **address, size_t *size, hipModule_t library, const char *name);
hipError_t hipLibraryGetManaged(void **address, size_t *size, hipModule_t library,
                                const char *name);

// As hip-tests, library_get_global.cc, wants it.
Test(runtime_later_calls, variables_of_libraries_are_those_of_modules) {
  hipModule_t library = NULL;
  hipDeviceptr_t same = NULL;
  void *address = NULL, *managed = NULL;
  size_t size = 0;
  SUCCEEDS(hipLibraryLoadFromFile(&library, RUNTIME_KERNELS, NULL, NULL, 0, NULL, NULL, 0));
  SUCCEEDS(hipLibraryGetGlobal(&address, &size, library, "counter"));
  SUCCEEDS(hipModuleGetGlobal(&same, NULL, library, "counter"));
  cr_assert(all(eq(ptr, address, same), eq(sz, size, sizeof(int))));
  SUCCEEDS(hipLibraryGetManaged(&managed, NULL, library, "common_count"));
  SUCCEEDS(hipLibraryGetManaged(NULL, &size, library, "common_zeros"));
  SUCCEEDS(hipLibraryGetGlobal(&address, NULL, library, "common_count"));
  cr_assert(all(eq(int, *(int *)managed, 10), eq(sz, size, 3 * sizeof(long))));
  cr_assert(eq(ptr, address, managed));
  GIVES(hipErrorNotFound, hipLibraryGetManaged(&address, &size, library, "counter"));
  GIVES(hipErrorNotFound, hipLibraryGetManaged(&address, &size, library, "common_coun"));
  GIVES(hipErrorNotFound, hipLibraryGetGlobal(&address, &size, library, "no_such_variable"));
}

Test(runtime_later_calls, variables_need_a_library_and_a_name) {
  const char rubbish[] = "no code object at all, but a text that is long enough to be one's header";
  hipModule_t library = NULL, broken = NULL;
  void *address = NULL;
  hipError_t (*const calls[])(void **, size_t *, hipModule_t,
                              const char *) = {hipLibraryGetGlobal, hipLibraryGetManaged};
  cr_redirect_stderr();
  SUCCEEDS(hipLibraryLoadFromFile(&library, RUNTIME_KERNELS, NULL, NULL, 0, NULL, NULL, 0));
  SUCCEEDS(hipLibraryLoadData(&broken, rubbish, NULL, NULL, 0, NULL, NULL, 0));
  for (int i = 0; i < 2; i++) {
    GIVES(hipErrorInvalidValue, calls[i](NULL, NULL, library, "common_count"));
    GIVES(hipErrorInvalidValue, calls[i](&address, NULL, library, NULL));
    GIVES(hipErrorInvalidValue, calls[i](&address, NULL, library, ""));
    GIVES(hipErrorInvalidHandle, calls[i](&address, NULL, NULL, "common_count"));
    GIVES(hipErrorInvalidImage, calls[i](&address, NULL, broken, "common_count"));
  }
}

hipError_t hipModuleEnumerateFunctions(hipFunction_t *functions, unsigned room, hipModule_t module);

Test(runtime_later_calls, functions_of_a_module_are_listed) {
  hipModule_t module = NULL;
  hipFunction_t function = NULL, all[2] = {NULL, NULL};
  SUCCEEDS(hipModuleLoad(&module, RUNTIME_KERNELS));
  SUCCEEDS(hipModuleEnumerateFunctions(all, 1, module));
  SUCCEEDS(hipModuleGetFunction(&function, module, hipKernelNameRef(all[0])));
  cr_assert(all(eq(ptr, function, all[0]), zero(ptr, all[1])));
  SUCCEEDS(hipModuleEnumerateFunctions(all, 0, module));
  GIVES(hipErrorInvalidValue, hipModuleEnumerateFunctions(NULL, 1, module));
  GIVES(hipErrorInvalidValue, hipModuleEnumerateFunctions(all, 1, NULL));
}

hipError_t hipKernelSetAttributeForDevice(hipFunction_t kernel, hipFuncAttribute attribute,
                                          int value, int device);
hipError_t hipKernelSetCacheConfig(hipFunction_t kernel, hipFuncCache_t configuration, int device);

Test(runtime_later_calls, wishes_for_a_kernel_on_a_device_are_looked_at) {
  enum { CLUSTER_WIDTH = 11, CLUSTER_POLICY = 15 }; // hipFuncAttribute of 7.16
  hipModule_t library = NULL;
  hipFunction_t kernel = NULL;
  const hipFuncAttribute lds = hipFuncAttributeMaxDynamicSharedMemorySize,
                         carveout = hipFuncAttributePreferredSharedMemoryCarveout;
  cr_redirect_stderr();
  SUCCEEDS(hipLibraryLoadFromFile(&library, RUNTIME_KERNELS, NULL, NULL, 0, NULL, NULL, 0));
  SUCCEEDS(hipLibraryGetKernel(&kernel, library, "add_one"));
  SUCCEEDS(hipKernelSetAttributeForDevice(kernel, lds, 65536, 0));
  GIVES(hipErrorInvalidValue, hipKernelSetAttributeForDevice(kernel, lds, 65537, 0));
  SUCCEEDS(hipKernelSetAttributeForDevice(kernel, carveout, 100, 0));
  GIVES(hipErrorInvalidValue, hipKernelSetAttributeForDevice(kernel, carveout, 101, 0));
  GIVES(hipErrorInvalidHandle, hipKernelSetAttributeForDevice(NULL, lds, 32, 0));
  GIVES(hipErrorInvalidDevice, hipKernelSetAttributeForDevice(kernel, lds, 32, 1));
  GIVES(hipErrorInvalidValue,
        hipKernelSetAttributeForDevice(kernel, (hipFuncAttribute)CLUSTER_WIDTH, 2, 0));
  SAYS(said(), "a block of this kernel can have 0 to 65536 bytes of dynamic LDS");
  SUCCEEDS(hipKernelSetCacheConfig(kernel, hipFuncCachePreferL1, 0));
  GIVES(hipErrorInvalidValue, hipKernelSetCacheConfig(kernel, (hipFuncCache_t)9, 0));
  GIVES(hipErrorInvalidHandle, hipKernelSetCacheConfig(NULL, hipFuncCachePreferL1, 0));
  GIVES(hipErrorInvalidDevice, hipKernelSetCacheConfig(kernel, hipFuncCachePreferL1, 1));
}

// ---- copies, fills, values ----

hipError_t hipMemcpyBatchAsync(void **to, void **from, const size_t *sizes, size_t count,
                               const void *, const size_t *, size_t, size_t *failed, hipStream_t);
hipError_t hipMemsetD2D8(void *to, size_t pitch, unsigned char value, size_t width, size_t height);
hipError_t hipMemsetD2D16Async(void *to, size_t pitch, unsigned short value, size_t width,
                               size_t height, hipStream_t stream);
hipError_t hipMemsetD2D32(void *to, size_t pitch, unsigned value, size_t width, size_t height);
hipError_t hipMemcpyAtoA(hipArray *to, size_t to_offset, hipArray *from, size_t from_offset,
                         size_t count);

Test(runtime_later_calls, a_batch_is_copied_in_its_order) {
  int *a = filled(1), *b = filled(2), *c = filled(3);
  size_t sizes[] = {BYTES, BYTES}, failed = 0;
  SUCCEEDS(hipMemcpyBatchAsync((void *[]){b, c}, (void *[]){a, b}, sizes, 2, NULL, NULL, 0, &failed,
                               NULL));
  SUCCEEDS(hipDeviceSynchronize());
  expect(c, 1);
  cr_assert(eq(sz, failed, SIZE_MAX));
  GIVES(hipErrorInvalidValue, hipMemcpyBatchAsync((void *[]){b, c + 1}, (void *[]){a, b}, sizes, 2,
                                                  NULL, NULL, 0, &failed, NULL));
  cr_assert(eq(sz, failed, 1));
  GIVES(hipErrorInvalidValue, hipMemcpyBatchAsync(NULL, NULL, sizes, 2, NULL, NULL, 0, NULL, NULL));
}

Test(runtime_later_calls, fills_of_rows_leave_what_is_between) {
  int *memory = filled(0), back[N];
  SUCCEEDS(hipMemsetD2D32(memory, 32, 7, 2, 3));
  SUCCEEDS(hipMemsetD2D16Async(memory + 2, 32, 0x101, 1, 2, NULL));
  SUCCEEDS(hipMemsetD2D8((char *)memory + 13, 32, 9, 1, 1));
  GIVES(hipErrorInvalidValue, hipMemsetD2D32(memory, 4, 7, 2, 3));
  SUCCEEDS(hipMemcpy(back, memory, BYTES, hipMemcpyDeviceToHost));
  const int first[] = {7, 7, 0x101, 0x900, 0}, second[] = {7, 7, 0x101, 0, 0}, third[] = {7, 7, 0};
  cr_assert(all(zero(int, memcmp(back, first, sizeof first)),
                zero(int, memcmp(back + 8, second, sizeof second)),
                zero(int, memcmp(back + 16, third, sizeof third)), zero(int, back[24])));
}

static hipArray *new_array(size_t width, size_t height) {
  hipArray *array = NULL;
  const hipChannelFormatDesc ints = {32, 0, 0, 0, hipChannelFormatKindSigned};
  SUCCEEDS(hipMallocArray(&array, &ints, width, height, 0));
  return array;
}

static void fill_rows(hipArray *array, const int *start, size_t width, size_t height) {
  SUCCEEDS(
      hipMemcpy2DToArray(array, 0, 0, start, 4 * width, 4 * width, height, hipMemcpyHostToDevice));
}

Test(runtime_later_calls, bytes_go_from_array_to_array) {
  cr_redirect_stderr();
  hipArray *from = new_array(16, 0), *to = new_array(32, 0);
  int start[32], back[32];
  for (int i = 0; i < 32; i++)
    start[i] = 100 + i;
  fill_rows(from, start, 16, 1);
  fill_rows(to, start, 32, 1);
  SUCCEEDS(hipMemcpyAtoA(to, 4, from, 12, 40));
  SUCCEEDS(hipMemcpyAtoH(back, to, 0, sizeof back));
  for (int i = 0; i < 32; i++)
    cr_assert(eq(int, back[i], i >= 1 && i <= 10 ? 100 + i + 2 : 100 + i));
  GIVES(hipErrorInvalidValue, hipMemcpyAtoA(to, 0, from, 32, 40));
  SAYS(said(), "more than a row of the array");
}

hipError_t hipStreamBatchMemOp(hipStream_t stream, unsigned count, BatchOperation *operations,
                               unsigned flags);

Test(runtime_later_calls, a_batch_waits_and_writes) {
  cr_redirect_stderr();
  enum { EQUAL = 1 };
  uint64_t *values;
  hipStream_t stream = NULL;
  SUCCEEDS(hipStreamCreate(&stream));
  SUCCEEDS(hipHostMalloc((void **)&values, 3 * sizeof *values, 0));
  values[0] = 0, values[1] = values[2] = ~0ull;
  BatchOperation list[] = {{.value = {WAIT_32, &values[0], 5, EQUAL}},
                           {.value = {WRITE_32, &values[1], 6, 0}},
                           {.value = {WRITE_64, &values[2], 7, 0}}};
  SUCCEEDS(hipStreamBatchMemOp(stream, 3, list, 0));
  GIVES(hipErrorNotReady, hipStreamQuery(stream));
  __atomic_store_n(&values[0], 5, __ATOMIC_RELEASE);
  SUCCEEDS(hipStreamSynchronize(stream));
  cr_assert(all(eq(ulong, values[1], 0xffffffff00000006), eq(ulong, values[2], 7)));
  list[1].value.operation = FLUSH;
  GIVES(hipErrorNotSupported, hipStreamBatchMemOp(stream, 2, list, 0));
  GIVES(hipErrorInvalidValue, hipStreamBatchMemOp(stream, 0, list, 0));
  GIVES(hipErrorInvalidValue, hipStreamBatchMemOp(stream, 257, list, 0)); // without a look at them
  SAYS(said(), "3 is no operation to wait for, or to write");
}

// ---- nodes ----

// hipGraphNodeParams.
typedef struct {
  int type, reserved0[3];
  union {
    long long reserved1[29];
    hipKernelNodeParams kernel;
    struct {
      int flags, reserved[3];
      hipMemcpy3DParms copyParams;
    } memcpy;
    hipMemsetParams memset;
    hipHostNodeParams host;
    hipGraph_t graph;
    struct {
      hipMemPoolProps poolProps;
      const hipMemAccessDesc *accessDescs;
      size_t accessDescCount, bytesize;
      void *dptr;
    } alloc;
    void *free;
  };
  long long reserved2;
} NodeParams;
enum { KERNEL, COPY, SET, HOST, GRAPH, ALLOCATE = 10, FREE, SIGNAL = 8 };
hipError_t hipGraphAddNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *before,
                           size_t count, NodeParams *params);
hipError_t hipGraphNodeSetParams(hipGraphNode_t node, NodeParams *params);
hipError_t hipGraphExecNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, NodeParams *params);
hipError_t hipGraphDebugDotPrint(hipGraph_t graph, const char *path, unsigned flags);

static hipGraphNode_t add(hipGraph_t graph, hipGraphNode_t before, NodeParams *params) {
  hipGraphNode_t node = NULL;
  SUCCEEDS(hipGraphAddNode(&node, graph, &before, before ? 1 : 0, params));
  return node;
}

static void run(hipGraphExec_t exec) {
  SUCCEEDS(hipGraphLaunch(exec, NULL));
  SUCCEEDS(hipDeviceSynchronize());
}

static void count_up(void *data) { ++*(int *)data; }

Test(runtime_later_calls, nodes_of_any_type_are_those_of_their_own_calls) {
  cr_redirect_stderr();
  hipGraph_t graph = NULL, child = NULL;
  hipGraphExec_t exec = NULL;
  int *out = filled(0), n = N, called = 0;
  SUCCEEDS(hipGraphCreate(&graph, 0));
  SUCCEEDS(hipGraphCreate(&child, 0));
  NodeParams p = {.type = ALLOCATE};
  p.alloc.poolProps.allocType = hipMemAllocationTypePinned;
  p.alloc.poolProps.location.type = hipMemLocationTypeDevice;
  p.alloc.bytesize = BYTES;
  hipGraphNode_t allocating = add(graph, NULL, &p);
  void *memory = p.alloc.dptr;
  NodeParams set = {.type = SET, .memset = {memory, 4, 1, 0, 6, N}};
  hipGraphNode_t filling = add(graph, allocating, &set);
  NodeParams kernel = {.type = KERNEL};
  kernel.kernel = (hipKernelNodeParams){.blockDim = {N, 1, 1},
                                        .gridDim = {1, 1, 1},
                                        .func = kernel_named("add_one"),
                                        .kernelParams = (void *[]){&memory, &n}};
  hipGraphNode_t adding = add(graph, filling, &kernel);
  NodeParams copy = {.type = COPY};
  copy.memcpy.copyParams = (hipMemcpy3DParms){.srcPtr = {memory, BYTES, BYTES, 1},
                                              .dstPtr = {out, BYTES, BYTES, 1},
                                              .extent = {BYTES, 1, 1},
                                              .kind = hipMemcpyDeviceToDevice};
  hipGraphNode_t copying = add(graph, adding, &copy);
  NodeParams release = {.type = FREE, .free = memory},
             host = {.type = HOST, .host = {count_up, &called}};
  add(graph, copying, &release);
  add(child, NULL, &host);
  NodeParams inner = {.type = GRAPH, .graph = child};
  add(graph, copying, &inner);
  SUCCEEDS(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
  run(exec);
  expect(out, 7);
  cr_assert(eq(int, called, 1));

  set.memset.value = 16;
  SUCCEEDS(hipGraphExecNodeSetParams(exec, filling, &set));
  run(exec);
  expect(out, 17);
  set.memset.value = 26;
  SUCCEEDS(hipGraphNodeSetParams(filling, &set));
  GIVES(hipErrorInvalidValue, hipGraphNodeSetParams(filling, &host));
  SUCCEEDS(hipGraphExecDestroy(exec)); // of a graph that allocates there is one at a time
  SUCCEEDS(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
  run(exec);
  expect(out, 27);
  set.type = SIGNAL;
  GIVES(hipErrorNotSupported, hipGraphAddNode(&filling, graph, NULL, 0, &set));
  GIVES(hipErrorInvalidValue, hipGraphAddNode(&filling, graph, NULL, 0, NULL));
  SAYS(said(), "a node of type 8 is not made or changed so");
}

hipError_t hipDrvGraphAddMemcpyNode(hipGraphNode_t *node, hipGraph_t graph,
                                    const hipGraphNode_t *before, size_t count,
                                    const HIP_MEMCPY3D *p, hipCtx_t context);
hipError_t hipDrvGraphMemcpyNodeGetParams(hipGraphNode_t node, HIP_MEMCPY3D *p);
hipError_t hipDrvGraphMemcpyNodeSetParams(hipGraphNode_t node, const HIP_MEMCPY3D *p);
hipError_t hipDrvGraphExecMemcpyNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                              const HIP_MEMCPY3D *p, hipCtx_t context);

Test(runtime_later_calls, a_copy_in_the_drivers_words_counts_bytes) {
  hipArray *array = new_array(8, 4);
  int start[32], *out = filled(0), back[N];
  hipGraph_t graph = NULL;
  hipGraphNode_t node = NULL;
  hipGraphExec_t exec = NULL;
  for (int i = 0; i < 32; i++)
    start[i] = i;
  fill_rows(array, start, 8, 4);
  SUCCEEDS(hipGraphCreate(&graph, 0));
  HIP_MEMCPY3D box = {.srcMemoryType = hipMemoryTypeArray,
                      .srcArray = array,
                      .srcXInBytes = 8,
                      .srcY = 1,
                      .dstMemoryType = hipMemoryTypeDevice,
                      .dstDevice = out,
                      .dstPitch = 16,
                      .WidthInBytes = 12,
                      .Height = 2,
                      .Depth = 1},
               same;
  SUCCEEDS(hipDrvGraphAddMemcpyNode(&node, graph, NULL, 0, &box, NULL));
  SUCCEEDS(hipDrvGraphMemcpyNodeGetParams(node, &same));
  cr_assert(all(eq(uint, same.srcXInBytes, 8), eq(uint, same.WidthInBytes, 12),
                eq(ptr, same.srcArray, array), eq(ptr, same.dstDevice, out),
                eq(int, same.dstMemoryType, hipMemoryTypeDevice)));
  HIP_MEMCPY3D of_host = {.srcMemoryType = hipMemoryTypeHost,
                          .srcHost = start,
                          .dstMemoryType = hipMemoryTypeHost,
                          .dstHost = back,
                          .WidthInBytes = 12,
                          .Height = 1,
                          .Depth = 1};
  hipGraphNode_t other = NULL;
  SUCCEEDS(hipDrvGraphAddMemcpyNode(&other, graph, NULL, 0, &of_host, NULL));
  SUCCEEDS(hipDrvGraphMemcpyNodeGetParams(other, &same));
  cr_assert(all(eq(int, same.srcMemoryType, hipMemoryTypeHost),
                eq(ptr, (void *)same.srcHost, start), eq(ptr, same.dstHost, back)));
  SUCCEEDS(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
  run(exec);
  SUCCEEDS(hipMemcpy(back, out, BYTES, hipMemcpyDeviceToHost));
  const int expected[] = {10, 11, 12, 0, 18, 19, 20, 0};
  cr_assert(zero(int, memcmp(back, expected, sizeof expected)));
  box.srcY = 0;
  SUCCEEDS(hipDrvGraphExecMemcpyNodeSetParams(exec, node, &box, NULL));
  box.dstPitch = 11; // less than a row
  GIVES(hipErrorInvalidValue, hipDrvGraphExecMemcpyNodeSetParams(exec, node, &box, NULL));
  GIVES(hipErrorInvalidValue, hipDrvGraphMemcpyNodeSetParams(node, &box));
  GIVES(hipErrorInvalidValue, hipDrvGraphAddMemcpyNode(&node, graph, NULL, 0, &box, NULL));
  run(exec);
  SUCCEEDS(hipMemcpy(back, out, BYTES, hipMemcpyDeviceToHost));
  cr_assert(all(eq(int, back[0], 2), eq(int, back[4], 10)));
}

// How often it is in the text.
static int times(const char *text, const char *part) {
  int count = 0;
  for (const char *p = text; (p = strstr(p, part)); p++)
    count++;
  return count;
}

Test(runtime_later_calls, a_graph_is_written_for_graphviz) {
  cr_redirect_stderr();
  char path[] = "/tmp/graph-XXXXXX", text[4096] = "", edge[64];
  hipGraph_t graph = NULL, inner = NULL;
  hipGraphNode_t first = NULL, second = NULL, node = NULL;
  int *memory = filled(0), host[N];
  hipEvent_t event;
  close(mkstemp(path));
  SUCCEEDS(hipEventCreate(&event));
  SUCCEEDS(hipGraphCreate(&graph, 0));
  SUCCEEDS(hipGraphCreate(&inner, 0));
  SUCCEEDS(hipGraphAddMemcpyNode1D(&node, inner, NULL, 0, memory, host, 4, hipMemcpyHostToDevice));
  SUCCEEDS(hipGraphAddMemcpyNode1D(&node, inner, NULL, 0, host, memory, 4, hipMemcpyDeviceToHost));
  SUCCEEDS(hipGraphAddEmptyNode(&first, graph, NULL, 0));
  NodeParams set = {.type = SET, .memset = {memory, 4, 1, 0, 6, N}};
  second = add(graph, first, &set);
  SUCCEEDS(hipGraphAddChildGraphNode(&node, graph, NULL, 0, inner));
  SUCCEEDS(hipGraphAddMemcpyNode1D(&node, graph, NULL, 0, memory, host, 4, hipMemcpyHostToDevice));
  SUCCEEDS(hipGraphAddEventRecordNode(&node, graph, NULL, 0, event));
  SUCCEEDS(hipGraphAddEventWaitNode(&node, graph, NULL, 0, event));
  SUCCEEDS(hipGraphDebugDotPrint(graph, path, 0));
  FILE *file = fopen(path, "r");
  cr_assert(lt(sz, 0, fread(text, 1, sizeof text - 1, file)));
  fclose(file);
  unlink(path);
  snprintf(edge, sizeof edge, "\"%p\" -> \"%p\";", (void *)first, (void *)second);
  SAYS(text, edge);
  SAYS(text, "[label=\"MEMSET\"]");
  cr_assert(all(eq(int, times(text, "subgraph"), 2), eq(int, times(text, "MEMCPY"), 3),
                eq(int, times(text, "HtoD"), 2), eq(int, times(text, "DtoH"), 1)));
  cr_assert(all(eq(int, times(text, "EMPTY"), 1), eq(int, times(text, "EVENT_WAIT"), 1),
                eq(int, times(text, "EVENT_RECORD"), 1), eq(int, times(text, "->"), 1)));
  GIVES(hipErrorOperatingSystem, hipGraphDebugDotPrint(graph, "/no/such/folder/x", 0));
  SAYS(said(), "cannot write /no/such/folder/x: No such file or directory");
}

// ---- pools, locations, streams ----

hipError_t hipMemGetMemPool(hipMemPool_t *pool, const hipMemLocation *location, int type);
hipError_t hipMemSetMemPool(const hipMemLocation *location, int type, hipMemPool_t pool);
hipError_t hipMemPrefetchAsync_v2(const void *address, size_t size, hipMemLocation location,
                                  unsigned flags, hipStream_t stream);
hipError_t hipMemAdvise_v2(const void *address, size_t size, hipMemoryAdvise advice,
                           hipMemLocation location);
hipError_t hipStreamGetId(hipStream_t stream, unsigned long long *id);
hipError_t hipStreamGetDevice(hipStream_t stream, int *device);
hipError_t hipSetValidDevices(const int *devices, int count);
hipError_t hipGetDriverEntryPoint(const char *name, void **function, unsigned long long flags,
                                  int *status);

Test(runtime_later_calls, others_do_what_the_older_ones_do) {
  hipMemPool_t pool = NULL, same = NULL;
  const hipMemLocation here = {hipMemLocationTypeDevice, 0}, nowhere = {here.type, -1};
  void *managed = NULL, *entry = NULL;
  int device = 9, status = 9;
  SUCCEEDS(hipDeviceGetMemPool(&pool, 0));
  SUCCEEDS(hipMemGetMemPool(&same, &here, hipMemAllocationTypePinned));
  GIVES(hipErrorInvalidValue, hipMemGetMemPool(&same, &here, 3));
  GIVES(hipErrorInvalidValue, hipMemGetMemPool(NULL, &here, hipMemAllocationTypePinned));
  GIVES(hipErrorInvalidValue, hipMemGetMemPool(&same, &nowhere, hipMemAllocationTypePinned));
  GIVES(hipErrorInvalidValue, hipMemSetMemPool(&nowhere, hipMemAllocationTypePinned, pool));
  cr_assert(eq(ptr, pool, same));
  SUCCEEDS(hipMallocManaged(&managed, 4096, hipMemAttachGlobal));
  SUCCEEDS(hipMemPrefetchAsync_v2(managed, 4096, here, 0, NULL));
  SUCCEEDS(
      hipMemRangeGetAttribute(&device, 4, hipMemRangeAttributeLastPrefetchLocation, managed, 4096));
  cr_assert(zero(int, device));
  const hipMemLocation unknown = {(hipMemLocationType)-1, 0};
  GIVES(hipErrorInvalidValue, hipMemPrefetchAsync_v2(managed, 4096, unknown, 0, NULL));
  GIVES(hipErrorInvalidValue, hipMemAdvise_v2(managed, 4096, hipMemAdviseSetReadMostly, unknown));
  device = 9;
  SUCCEEDS(hipStreamGetDevice(NULL, &device));
  SUCCEEDS(hipSetValidDevices(&device, 1));
  GIVES(hipErrorInvalidDevice, hipSetValidDevices((int[]){1}, 1));
  GIVES(hipErrorInvalidValue, hipSetValidDevices((int[]){0, 0}, 2)); // more than there are
  SUCCEEDS(hipGetDriverEntryPoint("hipMalloc", &entry, 0, &status));
  cr_assert(all(zero(int, device), eq(ptr, entry, (void *)hipMalloc), zero(int, status)));
}

// The address of a destroyed stream comes back, its number does not.
Test(runtime_later_calls, streams_have_numbers) {
  enum { STREAMS = 8 };
  unsigned long long id[STREAMS] = {0}, null_stream = 1, legacy = 2, own = 0;
  for (int i = 0; i < STREAMS; i++) {
    hipStream_t stream = NULL;
    SUCCEEDS(hipStreamCreate(&stream));
    SUCCEEDS(hipStreamGetId(stream, &id[i]));
    SUCCEEDS(hipStreamDestroy(stream));
    for (int j = 0; j < i; j++)
      cr_assert(id[i] != id[j]);
  }
  SUCCEEDS(hipStreamGetId(NULL, &null_stream));
  SUCCEEDS(hipStreamGetId((hipStream_t)1, &legacy));
  SUCCEEDS(hipStreamGetId(hipStreamPerThread, &own));
  cr_assert(null_stream == legacy && own && own != id[0]);
  GIVES(hipErrorInvalidValue, hipStreamGetId(NULL, NULL));
}

hipError_t hipGetProcAddress(const char *name, void **function, int version, uint64_t flags,
                             int *status);
hipError_t hipDrvGetErrorName(hipError_t code, const char **name);
hipError_t hipDrvGetErrorString(hipError_t code, const char **text);

Test(runtime_later_calls, functions_and_errors_by_name) {
  enum { PER_THREAD = 2 };
  void *entry = NULL;
  const char *text = NULL;
  SUCCEEDS(hipGetProcAddress("__hipPopCallConfiguration", &entry, 0, PER_THREAD, NULL));
  cr_assert(eq(ptr, entry, (void *)__hipPopCallConfiguration));
  extern hipError_t hipStreamQuery_spt(hipStream_t stream);
  SUCCEEDS(hipGetProcAddress("hipStreamQuery", &entry, 0, PER_THREAD, NULL));
  cr_assert(eq(ptr, entry, (void *)hipStreamQuery_spt));
  SUCCEEDS(hipGetProcAddress("hipStreamQuery", &entry, 0, 0, NULL));
  cr_assert(eq(ptr, entry, (void *)hipStreamQuery));
  GIVES(hipErrorInvalidValue, hipGetProcAddress("", &entry, 0, 0, NULL));
  GIVES(hipErrorInvalidValue, hipGetProcAddress("__malloc", &entry, 0, 0, NULL));
  GIVES(hipErrorInvalidValue, hipGetProcAddress("hipMalloc", &entry, 0, PER_THREAD + 1, NULL));
  SUCCEEDS(hipDrvGetErrorName(hipErrorUnknown, &text));
  cr_assert(eq(str, (char *)text, "hipErrorUnknown"));
  GIVES(hipErrorInvalidValue, hipDrvGetErrorName((hipError_t)-1, &text));
  GIVES(hipErrorInvalidValue, hipDrvGetErrorString((hipError_t)-1, &text));
}

// ---- attributes of streams, boxes and ranges in batches ----

hipError_t hipStreamSetAttribute(hipStream_t stream, int attribute, const void *value);
hipError_t hipStreamGetAttribute(hipStream_t stream, int attribute, void *value);
hipError_t hipStreamCopyAttributes(hipStream_t to, hipStream_t from);

Test(runtime_later_calls, streams_keep_their_attributes) {
  enum { COOPERATIVE = 2, POLICY = 3, PRIORITY = 8, SPIN = 2 };
  int value[16] = {SPIN};
  hipStream_t stream = NULL, other = NULL;
  SUCCEEDS(hipStreamCreateWithPriority(&stream, 0, -1));
  SUCCEEDS(hipStreamCreate(&other));
  SUCCEEDS(hipStreamSetAttribute(stream, POLICY, value));
  SUCCEEDS(hipStreamGetAttribute(stream, PRIORITY, value));
  cr_assert(eq(int, value[0], -1));
  SUCCEEDS(hipStreamGetAttribute(other, POLICY, value));
  cr_assert(eq(int, value[0], 1)); // automatic
  SUCCEEDS(hipStreamCopyAttributes(other, stream));
  SUCCEEDS(hipStreamGetAttribute(other, POLICY, value));
  cr_assert(eq(int, value[0], SPIN));
  SUCCEEDS(hipStreamSetAttribute(NULL, PRIORITY, value));
  GIVES(hipErrorInvalidValue, hipStreamSetAttribute(stream, POLICY, &(int[16]){-1}));
  GIVES(hipErrorInvalidValue, hipStreamSetAttribute(stream, COOPERATIVE, value));
  GIVES(hipErrorInvalidValue, hipStreamGetAttribute(stream, 40, value));
  GIVES(hipErrorInvalidValue, hipStreamGetAttribute(stream, POLICY, NULL));
  SUCCEEDS(hipStreamDestroy(other));
  GIVES(hipErrorInvalidHandle, hipStreamCopyAttributes(stream, other));
}

// hipMemcpy3DBatchOp.
typedef struct {
  int type; // 1: memory, 2: array
  union {
    struct {
      void *address;
      size_t row, rows;
      hipMemLocation hint;
    } memory;
    struct {
      hipArray_t array;
      hipPos at;
    } array;
  };
} BatchEnd;
typedef struct {
  BatchEnd from, to;
  hipExtent extent;
  int access_order;
  unsigned flags;
} BatchBox;
hipError_t hipMemcpy3DBatchAsync(size_t count, BatchBox *boxes, size_t *failed,
                                 unsigned long long flags, hipStream_t stream);

// Lengths are in elements where an array takes part, else in bytes.
Test(runtime_later_calls, boxes_are_copied_in_batches) {
  enum { WIDTH = 5, HEIGHT = 3 };
  float there[HEIGHT][WIDTH + 1], back[2][2] = {{0}};
  hipArray *array = NULL;
  const hipChannelFormatDesc single = {32, 0, 0, 0, hipChannelFormatKindFloat};
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x <= WIDTH; x++)
      there[y][x] = (float)(10 * y + x);
  SUCCEEDS(hipMallocArray(&array, &single, WIDTH, HEIGHT, 0));
  float *memory = device_allocation(sizeof back);
  BatchBox boxes[] = {
      {.from = {.type = 1, .memory = {there, WIDTH + 1, HEIGHT, {hipMemLocationTypeInvalid, 0}}},
       .to = {.type = 2, .array = {array, {0, 0, 0}}},
       .extent = {WIDTH, HEIGHT, 1}},
      {.from = {.type = 2, .array = {array, {1, 1, 0}}},
       .to = {.type = 1, .memory = {memory, 0, 0, {hipMemLocationTypeInvalid, 0}}},
       .extent = {2, 2, 1}},
      {.from = {.type = 1, .memory = {memory, 0, 0, {hipMemLocationTypeInvalid, 0}}},
       .to = {.type = 1, .memory = {back, 0, 0, {hipMemLocationTypeInvalid, 0}}},
       .extent = {8, 2, 1}}};
  size_t failed = 7;
  SUCCEEDS(hipMemcpy3DBatchAsync(3, boxes, &failed, 0, NULL));
  SUCCEEDS(hipDeviceSynchronize());
  cr_assert(all(eq(sz, failed, SIZE_MAX), eq(flt, back[0][0], there[1][1]),
                eq(flt, back[0][1], there[1][2]), eq(flt, back[1][1], there[2][2])));
  boxes[1].from.array.at.x = WIDTH;
  cr_redirect_stderr();
  GIVES(hipErrorInvalidValue, hipMemcpy3DBatchAsync(3, boxes, &failed, 0, NULL));
  cr_assert(eq(sz, failed, 1));
  boxes[0].to.type = 3;
  GIVES(hipErrorInvalidValue, hipMemcpy3DBatchAsync(1, boxes, &failed, 0, NULL));
  GIVES(hipErrorInvalidValue, hipMemcpy3DBatchAsync(0, boxes, &failed, 0, NULL));
  GIVES(hipErrorInvalidValue, hipMemcpy3DBatchAsync(1, boxes, &failed, 1, NULL));
}

hipError_t hipMemPrefetchBatchAsync(void **addresses, size_t *sizes, size_t count,
                                    hipMemLocation *locations, size_t *first_of_location,
                                    size_t location_count, unsigned long long flags,
                                    hipStream_t stream);

Test(runtime_later_calls, ranges_are_wanted_in_batches) {
  enum { RANGES = 3, SIZE = 4096, HOST = 2 };
  void *ranges[RANGES];
  size_t sizes[RANGES] = {SIZE, SIZE, SIZE}, first[] = {0, 2};
  hipMemLocation places[] = {{hipMemLocationTypeDevice, 0}, {(hipMemLocationType)HOST, 0}};
  for (int i = 0; i < RANGES; i++)
    SUCCEEDS(hipMallocManaged(&ranges[i], SIZE, hipMemAttachGlobal));
  SUCCEEDS(hipMemPrefetchBatchAsync(ranges, sizes, RANGES, places, first, 2, 0, NULL));
  for (int i = 0; i < RANGES; i++) {
    int place = 7;
    SUCCEEDS(hipMemRangeGetAttribute(&place, sizeof place, hipMemRangeAttributeLastPrefetchLocation,
                                     ranges[i], SIZE));
    cr_assert(eq(int, place, i < 2 ? 0 : hipCpuDeviceId));
  }
  GIVES(hipErrorInvalidValue,
        hipMemPrefetchBatchAsync(ranges, sizes, RANGES, places, first, 4, 0, NULL));
  GIVES(hipErrorInvalidValue,
        hipMemPrefetchBatchAsync(ranges, sizes, RANGES, places, first, 2, 1, NULL));
  for (size_t second = 0; second <= RANGES;
       second += RANGES) { // not behind the first, behind all ranges
    first[1] = second;
    GIVES(hipErrorInvalidValue,
          hipMemPrefetchBatchAsync(ranges, sizes, RANGES, places, first, 2, 0, NULL));
  }
  first[1] = 2;
  places[0].id = -5;
  GIVES(hipErrorInvalidValue,
        hipMemPrefetchBatchAsync(ranges, sizes, RANGES, places, first, 2, 0, NULL));
  places[0].id = 0;
  first[0] = 1;
  GIVES(hipErrorInvalidValue,
        hipMemPrefetchBatchAsync(ranges, sizes, RANGES, places, first, 2, 0, NULL));
}

// ---- what changes nothing ----

hipError_t hipExtSetLoggingParams(size_t level, size_t size, size_t mask);
hipError_t hipExtEnableLogging(void);
hipError_t hipExtDisableLogging(void);
hipError_t hipPointerSetAttribute(const void *value, hipPointer_attribute attribute,
                                  hipDeviceptr_t address);

Test(runtime_later_calls, a_log_is_not_written) {
  cr_redirect_stderr();
  SUCCEEDS(hipExtSetLoggingParams(4, 1, 1));
  SUCCEEDS(hipExtEnableLogging());
  SUCCEEDS(hipExtDisableLogging());
  SAYS(said(), "writes no log of calls");
}

Test(runtime_later_calls, copies_are_done_when_the_call_returns_if_asked) {
  unsigned yes = 1;
  void *memory = device_allocation(16), *host = NULL;
  SUCCEEDS(hipHostMalloc(&host, 16, 0));
  SUCCEEDS(hipPointerSetAttribute(&yes, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, memory));
  GIVES(hipErrorInvalidDevicePointer,
        hipPointerSetAttribute(&yes, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, host));
  GIVES(hipErrorInvalidValue,
        hipPointerSetAttribute(&yes, HIP_POINTER_ATTRIBUTE_MEMORY_TYPE, memory));
  GIVES(hipErrorInvalidValue,
        hipPointerSetAttribute(NULL, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, memory));
  GIVES(hipErrorInvalidValue,
        hipPointerSetAttribute(&yes, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, NULL));
}

// ---- a place for a debugger's breakpoint ----

static struct {
  uint32_t version, code;
  const char *name, *text;
} failure; // of the last call that failed

void __hipOnError(const void *information) { memcpy(&failure, information, sizeof failure); }

Test(runtime_later_calls, each_call_that_fails_calls_the_place_for_a_breakpoint) {
  hipStream_t stream = NULL;
  uint32_t *values = NULL;
  cr_redirect_stderr();
  SUCCEEDS(hipHostMalloc((void **)&values, sizeof *values, 0));
  *values = 0;
  SUCCEEDS(hipStreamCreate(&stream));
  SUCCEEDS(hipStreamWaitValue32(stream, values, 1, hipStreamWaitValueEq, -1));
  GIVES(hipErrorNotReady, hipStreamQuery(stream));
  cr_assert(zero(u32, failure.version), "of what is not ready nothing has failed");
  GIVES(hipErrorInvalidDevice, hipSetDevice(1));
  cr_assert(all(eq(u32, failure.version, 1), eq(u32, failure.code, hipErrorInvalidDevice)));
  cr_assert(eq(str, (char *)failure.name, "hipErrorInvalidDevice"));
  cr_assert(eq(str, (char *)failure.text, (char *)hipGetErrorString(hipErrorInvalidDevice)));
  __atomic_store_n(values, 1, __ATOMIC_RELEASE);
  SUCCEEDS(hipStreamSynchronize(stream));
}

Test(runtime_later_calls, what_came_after_rocm_7_2_is_refused_by_a_sentence) {
  hipError_t hipGreenCtxCreate(void), hipMemDiscardBatchAsync(void), hipProfilerEnableExt(void);
  cr_redirect_stderr();
  GIVES(hipErrorNotSupported, hipGreenCtxCreate());
  GIVES(hipErrorNotSupported, hipMemDiscardBatchAsync());
  GIVES(hipErrorNotSupported, hipProfilerEnableExt());
  const char *text = said();
  SAYS(text, "hipGreenCtxCreate: not served by the emulated device: its kernels have all compute "
             "units");
  SAYS(text, "hipMemDiscardBatchAsync: not served");
  SAYS(text, "hipProfilerEnableExt: not served by the emulated device: read its counters");
}

Test(runtime_later_calls, attributes_of_the_device_are_told) {
  enum { WALL_CLOCK_RATE = 10017, XCCS, MOST_VGPRS };
  const struct {
    int attribute, value;
  } told[] = {{WALL_CLOCK_RATE, 100000}, // kHz
              {XCCS, 1},
              {MOST_VGPRS, 512},
              {hipDeviceAttributeAsyncEngineCount, 8},
              {hipDeviceAttributeMaxBlocksPerMultiProcessor, 32},
              {hipDeviceAttributeMaxRegistersPerMultiprocessor, 65536},
              {hipDeviceAttributeMaxSurface1D, 16384},
              {hipDeviceAttributeMaxTextureCubemap, 0},
              {hipDeviceAttributeSharedMemPerBlockOptin, 65536},
              {hipDeviceAttributeTotalGlobalMem, INT32_MAX}};
  for (size_t i = 0; i < sizeof told / sizeof *told; i++) {
    int value = -1;
    SUCCEEDS(hipDeviceGetAttribute(&value, (hipDeviceAttribute_t)told[i].attribute, 0));
    cr_assert(eq(int, value, told[i].value), "attribute %d", told[i].attribute);
  }
}
