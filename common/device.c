// HIP calls of the labs. See device.h.
#include "device.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

// Ends the program when a HIP call failed. doing completes "the device failed while ...".
static void must(hipError_t status, const char *doing) {
  if (status == hipSuccess)
    return;
  fprintf(stderr, "the device failed while %s: %s (%s)\n", doing, hipGetErrorString(status),
          hipGetErrorName(status));
  exit(DEVICE_TROUBLE);
}

typedef size_t CountersFunction(const EmulatorCounter **counters);
typedef double ModelledTimeFunction(void);

// The emulated device's own entry points, NULL on a real one.
static CountersFunction *find_counters(void) {
  return (CountersFunction *)dlsym(RTLD_DEFAULT, "emulator_counters");
}
static ModelledTimeFunction *find_modelled_time(void) {
  return (ModelledTimeFunction *)dlsym(RTLD_DEFAULT, "emulator_modelled_ms");
}

bool device_is_emulated(void) { return find_counters() != NULL; }

double device_modelled_ms(void) {
  ModelledTimeFunction *function = find_modelled_time();
  return function ? function() : 0;
}

size_t device_counters(const EmulatorCounter **counters) {
  CountersFunction *function = find_counters();
  return function ? function(counters) : 0;
}

void device_describe(Result *result) {
  hipDeviceProp_t properties;
  must(hipGetDeviceProperties(&properties, 0), "looking for a GPU; DEVICE=emulated needs none");
  result->device = device_is_emulated() ? "emulated" : "amd";
  snprintf(result->device_name, sizeof result->device_name, "%s", properties.name);
  snprintf(result->arch, sizeof result->arch, "%s", properties.gcnArchName);
}

double *device_array(const Grid *grid) {
  const size_t bytes = grid->elements * sizeof(double);
  char doing[128];
  snprintf(doing, sizeof doing, "allocating %.3f GB for one array; a smaller grid needs less",
           (double)bytes / 1e9);
  void *array;
  must(hipMalloc(&array, bytes), doing);
  return array;
}

void device_free(double *array) { must(hipFree(array), "freeing an array"); }

void device_put_slice(double *array, const Grid *grid, int k, const double *slice) {
  must(hipMemcpy(array + grid->offset + (size_t)k * grid->slice, slice, grid->slice * sizeof *slice,
                 hipMemcpyHostToDevice),
       "copying the input to the device");
}

void device_get_slice(const double *array, const Grid *grid, int k, double *slice) {
  must(hipMemcpy(slice, array + grid->offset + (size_t)k * grid->slice, grid->slice * sizeof *slice,
                 hipMemcpyDeviceToHost),
       "copying the output from the device");
}

void device_poison(double *array, const Grid *grid) {
  must(hipMemset(array, POISON_BYTE, grid->elements * sizeof *array), "poisoning the output");
}

int device_max_block(const void *function) {
  struct hipFuncAttributes attributes;
  must(hipFuncGetAttributes(&attributes, function), "asking for the kernel's launch bounds");
  return attributes.maxThreadsPerBlock;
}

static void enqueue(LaplacianLauncher *launch, const Grid *grid, const unsigned block[3], double *f,
                    const double *u) {
  const Grid copy = *grid; // what verification relies on stays out of the launcher's reach
  launch(&copy, (dim3){block[0], block[1], block[2]}, f + grid->offset, u + grid->offset);
  must(hipGetLastError(), "launching the kernel");
}

double device_launch(LaplacianLauncher *launch, const Grid *grid, const unsigned block[3],
                     double *f, const double *u) {
  struct timespec start, end;
  clock_gettime(CLOCK_MONOTONIC, &start);
  enqueue(launch, grid, block, f, u);
  must(hipDeviceSynchronize(), "running the kernel");
  clock_gettime(CLOCK_MONOTONIC, &end);
  return (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
}

Timing device_time(LaplacianLauncher *launch, const Grid *grid, const unsigned block[3], double *f,
                   const double *u, int runs) {
  double *ms = malloc((size_t)runs * sizeof *ms);
  if (!ms) {
    fprintf(stderr, "no host memory for %d times; ask for fewer --iterations\n", runs);
    exit(DEVICE_TROUBLE);
  }
  hipEvent_t start, end;
  must(hipEventCreate(&start), "creating an event");
  must(hipEventCreate(&end), "creating an event");
  device_launch(launch, grid, block, f, u);
  for (int run = 0; run < runs; run++) {
    must(hipEventRecord(start, NULL), "recording an event");
    enqueue(launch, grid, block, f, u);
    must(hipEventRecord(end, NULL), "recording an event");
    must(hipEventSynchronize(end), "running the kernel");
    float elapsed;
    must(hipEventElapsedTime(&elapsed, start, end), "reading the kernel's time");
    ms[run] = (double)elapsed;
  }
  must(hipEventDestroy(start), "destroying an event");
  must(hipEventDestroy(end), "destroying an event");
  const Timing timing = timing_summary(ms, runs);
  free(ms);
  return timing;
}
