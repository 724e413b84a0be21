// HIP calls of the labs. See device.h.
#include "device.h"

#include "single_precision.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

// Timed launches unless --iterations says otherwise. Real times scatter; the emulated device's are
// modelled and the same every time, so there the launch that was verified is timed as well.
#define TIMED_ON_A_GPU 20
#define TIMED_WHERE_EMULATED 1

Status device_whose_fault(hipError_t error) {
  switch (error) {
  case hipErrorInvalidValue:
  case hipErrorInvalidConfiguration:
  case hipErrorInvalidDeviceFunction:
  case hipErrorInvalidSymbol:
  case hipErrorNotFound:
  case hipErrorIllegalAddress:
  case hipErrorLaunchOutOfResources:
  case hipErrorLaunchTimeOut:
  case hipErrorLaunchFailure:
  case hipErrorAssert:
    return KERNEL_FAULT;
  case hipErrorNotSupported:
    return device_is_emulated() ? EMULATOR_GAP : DEVICE_TROUBLE;
  default:
    return DEVICE_TROUBLE;
  }
}

// Ends the program. doing completes "the device failed while ...".
static void __attribute__((noreturn)) fail(hipError_t error, const char *doing, Status status) {
  fprintf(stderr, "the device failed while %s: %s (%s)\n", doing, hipGetErrorString(error),
          hipGetErrorName(error));
  exit(status);
}

static void must(hipError_t error, const char *doing) {
  if (error != hipSuccess)
    fail(error, doing, device_whose_fault(error));
}

// The emulated device's entry point of that name, with the type that emulator.h gives it; NULL on a
// real one.
#define FIND(NAME) ((__typeof__(NAME) *)dlsym(RTLD_DEFAULT, #NAME))

bool device_is_emulated(void) { return FIND(emulator_counters) != NULL; }

void device_model(bool wanted) {
  __typeof__(emulator_use_model) *use_model = FIND(emulator_use_model);
  if (use_model)
    use_model(wanted);
}

double device_modelled_ms(void) {
  __typeof__(emulator_modelled_ms) *modelled_ms = FIND(emulator_modelled_ms);
  return modelled_ms ? modelled_ms() : 0;
}

size_t device_counters(const EmulatorCounter **counters) {
  __typeof__(emulator_counters) *all = FIND(emulator_counters);
  return all ? all(counters) : 0;
}

void device_describe(Result *result) {
  hipDeviceProp_t properties;
  must(hipGetDeviceProperties(&properties, 0), "looking for a GPU; DEVICE=emulated needs none");
  result->device = device_is_emulated() ? "emulated" : "amd";
  snprintf(result->device_name, sizeof result->device_name, "%s", properties.name);
  // kHz, bits; two transfers a clock: double data rate, as HBM2e has it
  result->peak_gbs =
      2 * (properties.memoryClockRate * 1e3) * (properties.memoryBusWidth / 8.0) * 1e-9;
  snprintf(result->arch, sizeof result->arch, "%s", properties.gcnArchName);
}

void *device_memory(size_t bytes) {
  char doing[128];
  snprintf(doing, sizeof doing, "allocating %.3f GB for one array; a smaller grid needs less",
           (double)bytes / 1e9);
  void *array;
  must(hipMalloc(&array, bytes), doing);
  return array;
}

void *device_array(const Grid *grid) { return device_memory(grid->elements * grid->element_bytes); }

void device_free(void *array) { must(hipFree(array), "freeing an array"); }

void device_put(void *device, const void *host, size_t bytes) {
  must(hipMemcpy(device, host, bytes, hipMemcpyHostToDevice), "copying the input to the device");
}

void device_get(void *host, const void *device, size_t bytes) {
  must(hipMemcpy(host, device, bytes, hipMemcpyDeviceToHost), "copying the output from the device");
}

// The address of element n.
static void *at(const void *array, const Grid *grid, size_t n) {
  return (char *)array + n * grid->element_bytes;
}

static float *single_slice(const Grid *grid) {
  float *slice = malloc(grid->slice * sizeof *slice);
  if (!slice) {
    fprintf(stderr, "no host memory for a slice of %zu elements; a smaller grid needs less\n",
            grid->slice);
    exit(DEVICE_TROUBLE);
  }
  return slice;
}

void device_put_slice(void *array, const Grid *grid, int k, const double *slice) {
  float *single = grid->element_bytes == sizeof *single ? single_slice(grid) : NULL;
  if (single)
    single_from_double(single, slice, grid->slice);
  device_put(at(array, grid, grid->offset + (size_t)k * grid->slice),
             single ? (const void *)single : slice, grid->slice * grid->element_bytes);
  free(single);
}

void device_get_slice(const void *array, const Grid *grid, int k, double *slice) {
  float *single = grid->element_bytes == sizeof *single ? single_slice(grid) : NULL;
  device_get(single ? (void *)single : slice,
             at(array, grid, grid->offset + (size_t)k * grid->slice),
             grid->slice * grid->element_bytes);
  if (single)
    single_to_double(slice, single, grid->slice);
  free(single);
}

void device_poison(void *array, const Grid *grid) {
  must(hipMemset(array, POISON_BYTE, grid->elements * grid->element_bytes), "poisoning the output");
}

int device_max_block(const void *function) {
  struct hipFuncAttributes attributes;
  must(hipFuncGetAttributes(&attributes, function), "asking for the kernel's launch bounds");
  return attributes.maxThreadsPerBlock;
}

// A launcher may launch several kernels; what the emulated device counts is of all of them.
static void enqueue(const Launch *launch) {
  __typeof__(emulator_count_from_here) *count_from_here = FIND(emulator_count_from_here);
  if (count_from_here)
    count_from_here();
  launch->enqueue(launch);
  const hipError_t error = hipGetLastError();
  if (error == hipErrorOutOfMemory) // of a launch it is LDS, more than a compute unit has
    fail(error, "launching the kernel", KERNEL_FAULT);
  must(error, "launching the kernel");
}

double device_run(const Launch *launch) {
  struct timespec start, end;
  clock_gettime(CLOCK_MONOTONIC, &start);
  enqueue(launch);
  must(hipDeviceSynchronize(), "running the kernel");
  clock_gettime(CLOCK_MONOTONIC, &end);
  return (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
}

double device_timed_run(const Launch *launch) {
  hipEvent_t start, end;
  must(hipEventCreate(&start), "creating an event");
  must(hipEventCreate(&end), "creating an event");
  must(hipEventRecord(start, NULL), "recording an event");
  enqueue(launch);
  must(hipEventRecord(end, NULL), "recording an event");
  must(hipEventSynchronize(end), "running the kernel");
  float elapsed;
  must(hipEventElapsedTime(&elapsed, start, end), "reading the kernel's time");
  must(hipEventDestroy(start), "destroying an event");
  must(hipEventDestroy(end), "destroying an event");
  return (double)elapsed;
}

int device_usual_runs(void) { return device_is_emulated() ? TIMED_WHERE_EMULATED : TIMED_ON_A_GPU; }
