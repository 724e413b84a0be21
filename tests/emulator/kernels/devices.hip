// Two devices: each has its own variables and memory, peers reach each other's once they ask for it,
// launches go to the device of their stream, also several at once.
//
// In: optionally the word "closed", for launches that repeat others. Out: see check.h.
#include "check.h"

#include <dlfcn.h>
#include <hip/hip_cooperative_groups.h>
#include <hip/hip_ext.h>
#include <pthread.h>

enum { ITEMS = 64 };

__device__ int own;

__global__ void add_own(int *values) { values[threadIdx.x] += own; }

__global__ void who(unsigned *out) {
  cooperative_groups::multi_grid_group all = cooperative_groups::this_multi_grid();
  out[threadIdx.x] = all.grid_rank() * 1000000 + all.num_grids() * 10000 + all.size() * 10 +
                     (all.thread_rank() == threadIdx.x + all.grid_rank() * ITEMS);
}

static void expect(const char *what, int got, int wanted) {
  if (got != wanted)
    DIFFERS("%s is %d, not %d", what, got, wanted);
}

static int first_of(const int *values) {
  int value = -1;
  HIP(hipMemcpy(&value, values, sizeof value, hipMemcpyDeviceToHost));
  return value;
}

static hipGraph_t graph_on(int device, int *values) {
  void *arguments[] = {&values};
  hipKernelNodeParams node = {};
  hipGraph_t graph;
  hipGraphNode_t added;
  node.func = (void *)add_own;
  node.gridDim = dim3(1);
  node.blockDim = dim3(ITEMS);
  node.kernelParams = arguments;
  HIP(hipSetDevice(device));
  HIP(hipGraphCreate(&graph, 0));
  HIP(hipGraphAddKernelNode(&added, graph, NULL, 0, &node));
  return graph;
}

// A kernel of an executable graph stays on its device.
static void update_from_another_device(int *const values[2]) {
  hipGraph_t here = graph_on(0, values[0]), there = graph_on(1, values[1]);
  hipGraphExec_t exec;
  hipGraphNode_t different = NULL;
  hipGraphExecUpdateResult result;
  HIP(hipGraphInstantiate(&exec, here, NULL, NULL, 0));
  expect("an update from another device", hipGraphExecUpdate(exec, there, &different, &result),
         hipErrorGraphExecUpdateFailure);
  expect("its reason", result, hipGraphExecUpdateErrorUnsupportedFunctionChange);
  expect("whether its node is told", different != NULL, 1);
  HIP(hipGraphExecDestroy(exec));
  HIP(hipGraphDestroy(here));
  HIP(hipGraphDestroy(there));
}

static const hipMemLocation place_1 = {hipMemLocationTypeDevice, 1};

// Device 1 is no peer, but may use what the pool of device 0 gives, before and afterwards.
static void let_in_by_pool(hipStream_t *stream) {
  hipMemPoolProps properties = {};
  hipMemAccessDesc access = {place_1, hipMemAccessFlagsProtReadWrite};
  hipMemAccessFlags told = hipMemAccessFlagsProtNone;
  hipMemPool_t pool;
  int *memory[2];
  properties.allocType = hipMemAllocationTypePinned;
  properties.location.type = hipMemLocationTypeDevice;
  HIP(hipMemPoolCreate(&pool, &properties));
  HIP(hipMemPoolGetAccess(&told, pool, &access.location));
  expect("what another device may do in a pool", told, hipMemAccessFlagsProtNone);
  for (int i = 0; i < 2; i++) {
    HIP(hipMallocFromPoolAsync((void **)&memory[i], ITEMS * sizeof(int), pool, stream[0]));
    HIP(hipMemsetAsync(memory[i], 0, ITEMS * sizeof(int), stream[0]));
    HIP(hipStreamSynchronize(stream[0]));
    HIP(hipMemPoolSetAccess(pool, &access, 1));
    add_own<<<1, ITEMS, 0, stream[1]>>>(memory[i]);
    HIP(hipStreamSynchronize(stream[1]));
    expect("what the other device added in a pool", first_of(memory[i]), 6);
  }
  HIP(hipMemPoolGetAccess(&told, pool, &access.location));
  expect("what a device that was let in may do", told, hipMemAccessFlagsProtReadWrite);
  for (int i = 0; i < 2; i++)
    HIP(hipFreeAsync(memory[i], stream[1]));
  HIP(hipStreamSynchronize(stream[1]));
  HIP(hipMemPoolDestroy(pool));
}

// hipMemAllocNodeParams, which came after 5.2.
typedef struct {
  hipMemPoolProps pool;
  const hipMemAccessDesc *access;
  size_t access_count, size;
  void *memory;
} AllocatedByNode;
typedef hipError_t AddMemAllocNode(hipGraphNode_t *, hipGraph_t, const hipGraphNode_t *, size_t,
                                   AllocatedByNode *);

// The same for memory that a graph allocates.
static void let_in_by_graph(void) {
  const hipMemAccessDesc access = {place_1, hipMemAccessFlagsProtReadWrite};
  AllocatedByNode of_0 = {};
  hipGraph_t graph;
  hipGraphNode_t node;
  hipGraphExec_t exec;
  of_0.pool.allocType = hipMemAllocationTypePinned;
  of_0.pool.location.type = hipMemLocationTypeDevice;
  of_0.access = &access;
  of_0.access_count = 1;
  of_0.size = ITEMS * sizeof(int);
  HIP(hipGraphCreate(&graph, 0));
  HIP(((AddMemAllocNode *)dlsym(RTLD_DEFAULT, "hipGraphAddMemAllocNode"))(&node, graph, NULL, 0,
                                                                          &of_0));
  HIP(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
  HIP(hipGraphLaunch(exec, NULL));
  HIP(hipMemset(of_0.memory, 0, of_0.size));
  HIP(hipSetDevice(1));
  add_own<<<1, ITEMS>>>((int *)of_0.memory);
  HIP(hipDeviceSynchronize());
  expect("what the other device added to a graph's memory", first_of((int *)of_0.memory), 6);
  HIP(hipFree(of_0.memory));
  HIP(hipGraphExecDestroy(exec));
  HIP(hipGraphDestroy(graph));
}

// The same for memory that the program maps.
static void let_in_by_map(void) {
  enum { CHUNK = 2 << 20 };
  hipMemAllocationProp properties = {};
  hipMemGenericAllocationHandle_t handle;
  hipMemAccessDesc access[2] = {{place_1, hipMemAccessFlagsProtReadWrite},
                                {place_1, hipMemAccessFlagsProtReadWrite}};
  unsigned long long told = 0;
  hipMemLocation other = place_1;
  void *range;
  access[1].location.id = 0;
  properties.type = hipMemAllocationTypePinned;
  properties.location.type = hipMemLocationTypeDevice;
  HIP(hipMemAddressReserve(&range, CHUNK, 0, NULL, 0));
  HIP(hipMemCreate(&handle, CHUNK, &properties, 0));
  HIP(hipMemMap(range, CHUNK, 0, handle, 0));
  HIP(hipMemSetAccess(range, CHUNK, access, 1));
  HIP(hipMemGetAccess(&told, &access[1].location, range));
  expect("what its own device may do", (int)told, hipMemAccessFlagsProtNone);
  HIP(hipSetDevice(1));
  add_own<<<1, ITEMS>>>((int *)range);
  HIP(hipDeviceSynchronize());
  expect("what the other device alone added to mapped memory", first_of((int *)range), 6);
  HIP(hipMemset(range, 0, CHUNK));
  HIP(hipSetDevice(0));
  HIP(hipMemSetAccess(range, CHUNK, access, 2));
  HIP(hipMemGetAccess(&told, &other, range));
  expect("what the other device may do", (int)told, hipMemAccessFlagsProtReadWrite);
  HIP(hipSetDevice(1));
  add_own<<<1, ITEMS>>>((int *)range);
  HIP(hipDeviceSynchronize());
  expect("what the other device added to mapped memory", first_of((int *)range), 6);
  HIP(hipMemUnmap(range, CHUNK));
  HIP(hipMemRelease(handle));
  HIP(hipMemAddressFree(range, CHUNK));
}

// What is mapped for another device alone. Ends with a fault.
static void refuse_to_its_own_device(void) {
  enum { CHUNK = 2 << 20 };
  hipMemAllocationProp properties = {};
  hipMemGenericAllocationHandle_t handle;
  hipMemAccessDesc access = {place_1, hipMemAccessFlagsProtReadWrite};
  void *range;
  properties.type = hipMemAllocationTypePinned;
  properties.location.type = hipMemLocationTypeDevice;
  HIP(hipSetDevice(0));
  HIP(hipMemAddressReserve(&range, CHUNK, 0, NULL, 0));
  HIP(hipMemCreate(&handle, CHUNK, &properties, 0));
  HIP(hipMemMap(range, CHUNK, 0, handle, 0));
  HIP(hipMemSetAccess(range, CHUNK, &access, 1));
  add_own<<<1, ITEMS>>>((int *)range);
  expect("memory for another device alone", hipDeviceSynchronize(), hipErrorIllegalAddress);
}

// An event belongs to the device that it was made on.
static void events_of_two_devices(void) {
  hipEvent_t event[2];
  float ms;
  for (int d = 0; d < 2; d++) {
    HIP(hipSetDevice(d));
    HIP(hipEventCreate(&event[d]));
    HIP(hipEventRecord(event[d], NULL));
    HIP(hipEventSynchronize(event[d]));
  }
  expect("an event of another device", hipEventRecord(event[0], NULL), hipErrorInvalidHandle);
  expect("the time to it", hipEventElapsedTime(&ms, event[1], event[0]), hipErrorInvalidHandle);
  (void)hipGetLastError();
  HIP(hipEventDestroy(event[0]));
  HIP(hipEventDestroy(event[1]));
}

__global__ void wait_for_host(volatile int *word) {
  while (!*word)
    __builtin_amdgcn_s_sleep(1);
}

// The wait is for the current device alone: what lets the other one's kernel end comes behind it. So is an event's record.
static void wait_for_one_device(void) {
  hipEvent_t event;
  int *word;
  HIP(hipHostMalloc((void **)&word, sizeof *word, hipHostMallocCoherent));
  *word = 0;
  HIP(hipSetDevice(1));
  wait_for_host<<<1, 1>>>(word);
  HIP(hipSetDevice(0));
  HIP(hipDeviceSynchronize());
  HIP(hipEventCreate(&event));
  HIP(hipEventRecord(event, NULL));
  HIP(hipEventSynchronize(event));
  HIP(hipEventDestroy(event));
  HIP(hipSetDevice(1));
  expect("the other device's kernel meanwhile", hipStreamQuery(NULL), hipErrorNotReady);
  *(volatile int *)word = 1;
  HIP(hipDeviceSynchronize());
  HIP(hipHostFree(word));
}

extern "C" hipError_t hipSetValidDevices(const int *devices, int count); // of a later ROCm

// A thread that has selected none works on the first that is allowed.
static void *ask_current(void *device) {
  HIP(hipGetDevice((int *)device));
  return NULL;
}
static void allow_devices(void) {
  static const int order[] = {1, 0};
  int device = -1;
  pthread_t thread;
  HIP(hipSetValidDevices(order, 2));
  pthread_create(&thread, NULL, ask_current, &device);
  pthread_join(thread, NULL);
  expect("the device that a thread begins with", device, 1);
  HIP(hipSetValidDevices(NULL, 0));
  pthread_create(&thread, NULL, ask_current, &device);
  pthread_join(thread, NULL);
  expect("the device that a thread begins with, by default", device, 0);
}

__global__ void turn(int *to, const int *from, int rounds) {
  int value = from[threadIdx.x];
  for (int i = 0; i < rounds; i++)
    value = value * 1664525 + 1;
  to[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

// A launch like those before it, which are not executed any more, of memory that is out of reach now.
static int closed(void) {
  enum { BLOCKS = 64, LAUNCHES = 8, ROUNDS = 60000 };
  setenv("EMULATOR_REUSE", "1", 1);
  HIP(hipSetDevice(1));
  int *from = (int *)to_device(NULL, ITEMS * sizeof *from);
  HIP(hipSetDevice(0));
  int *to = (int *)to_device(NULL, BLOCKS * ITEMS * sizeof *to);
  HIP(hipDeviceEnablePeerAccess(1, 0));
  for (int i = 0; i < LAUNCHES; i++) {
    turn<<<BLOCKS, ITEMS>>>(to, from, ROUNDS);
    HIP(hipDeviceSynchronize());
  }
  HIP(hipDeviceDisablePeerAccess(1));
  turn<<<BLOCKS, ITEMS>>>(to, from, ROUNDS);
  expect("a repeat without leave", hipDeviceSynchronize(), hipErrorIllegalAddress);
  return verdict();
}

int main(int words, char **word) {
  int count = 0, device = -1, can = -1, *values[2];
  hipStream_t stream[2];
  setenv("EMULATOR_DEVICES", "2", 1); // before the first call reads it
  if (words > 1 && strcmp(word[1], "closed") == 0)
    return closed();
  HIP(hipGetDeviceCount(&count));
  expect("the number of devices", count, 2);
  for (int d = 0; d < 2; d++) {
    const int variable = 5 + d;
    hipPointerAttribute_t attributes;
    hipDeviceProp_t properties;
    HIP(hipSetDevice(d));
    HIP(hipGetDevice(&device));
    expect("the current device", device, d);
    HIP(hipMemcpyToSymbol(HIP_SYMBOL(own), &variable, sizeof variable));
    values[d] = (int *)to_device(NULL, ITEMS * sizeof(int));
    HIP(hipStreamCreate(&stream[d]));
    HIP(hipPointerGetAttributes(&attributes, values[d]));
    HIP(hipGetDeviceProperties(&properties, d));
    expect("an allocation's device", attributes.device, d);
    expect("a device's bus", properties.pciBusID, d);
  }
  for (int d = 0; d < 2; d++) { // the stream says where, not the thread
    add_own<<<1, ITEMS, 0, stream[d]>>>(values[d]);
    HIP(hipStreamSynchronize(stream[d]));
    expect("what a kernel added", first_of(values[d]), 5 + d);
  }
  wait_for_one_device();
  allow_devices();
  update_from_another_device(values);
  events_of_two_devices();
  HIP(hipSetDevice(0));
  let_in_by_pool(stream);
  let_in_by_graph();
  let_in_by_map();
  HIP(hipSetDevice(1));

  HIP(hipDeviceCanAccessPeer(&can, 0, 1));
  expect("access to the peer", can, 1);
  HIP(hipDeviceCanAccessPeer(&can, 1, 1));
  expect("access to itself as a peer", can, 0);
  HIP(hipDeviceEnablePeerAccess(0, 0));
  expect("a second opening", hipDeviceEnablePeerAccess(0, 0), hipErrorPeerAccessAlreadyEnabled);
  add_own<<<1, ITEMS>>>(values[0]); // device 1 in the memory of device 0
  HIP(hipDeviceSynchronize());
  expect("what a peer added", first_of(values[0]), 5 + 6);
  HIP(hipMemcpyPeer(values[1], 1, values[0], 0, sizeof(int)));
  expect("what came from a peer", first_of(values[1]), 11);
  HIP(hipDeviceDisablePeerAccess(0));
  expect("a second closing", hipDeviceDisablePeerAccess(0), hipErrorPeerAccessNotEnabled);
  expect("a device that is none", hipSetDevice(2), hipErrorInvalidDevice);

  unsigned out[2];
  hipLaunchParams list[2];
  for (int d = 0; d < 2; d++) {
    list[d].func = (void *)who;
    list[d].gridDim = dim3(1);
    list[d].blockDim = dim3(ITEMS);
    list[d].sharedMem = 0;
    list[d].stream = stream[d];
  }
  void *arguments[2][1] = {{&values[0]}, {&values[1]}};
  for (int d = 0; d < 2; d++)
    list[d].args = arguments[d];
  HIP(hipLaunchCooperativeKernelMultiDevice(list, 2, 0));
  for (int d = 0; d < 2; d++) {
    HIP(hipStreamSynchronize(stream[d]));
    out[d] = (unsigned)first_of(values[d]);
    expect("what a grid knows of all", (int)out[d], d * 1000000 + 2 * 10000 + 2 * ITEMS * 10 + 1);
  }
  list[1].stream = stream[0];
  expect("two on one device", hipLaunchCooperativeKernelMultiDevice(list, 2, 0),
         hipErrorInvalidDevice);

  HIP(hipSetDevice(1));
  add_own<<<1, ITEMS>>>(values[0]); // closed again
  expect("a peer's memory without leave", hipDeviceSynchronize(), hipErrorIllegalAddress);
  HIP(hipDeviceReset());
  refuse_to_its_own_device();
  return verdict();
}
