// HIP calls of the labs. See device.h.
#include "device.h"

#include "single_precision.h"

#include <dlfcn.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// How long a kernel may take on a real device. The labs' take milliseconds.
#define LONGEST_S 20

#ifdef __HIP_PLATFORM_NVIDIA__
#define REAL_DEVICE "nvidia"
#else
#define REAL_DEVICE "amd"
#endif

// Timed launches of an experiment. Real times scatter; the emulated device's are modelled and the
// same every time, so there the launch that was verified is timed as well.
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
#ifdef __HIP_PLATFORM_NVIDIA__
  case cudaErrorMisalignedAddress:
  case cudaErrorIllegalInstruction:
  case cudaErrorInvalidAddressSpace:
  case cudaErrorInvalidPc:
  case cudaErrorHardwareStackError:
#endif
    return KERNEL_FAULT;
  case hipErrorNotSupported:
    return device_is_emulated() ? EMULATOR_GAP : DEVICE_TROUBLE;
  default:
    return DEVICE_TROUBLE;
  }
}

const char *device_error_words(hipError_t error) {
  static char text[512];
  const char *words = hipGetErrorString(error), *name = hipGetErrorName(error);
  if (strcmp(words, name) == 0)
    return name;
  snprintf(text, sizeof text, "%s (%s)", words, name);
  return text;
}

// Ends the program. doing completes "the device failed while ...".
static void __attribute__((noreturn)) fail(hipError_t error, const char *doing, Status status) {
  fprintf(stderr, "the device failed while %s: %s\n", doing, device_error_words(error));
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

// What may be wrong when no device is to be had.
static const char *remedy_for(hipError_t error) {
  switch (error) {
  case hipErrorInsufficientDriver:
    return "; the driver is older than the toolkit that compiled this program: renew the driver, "
           "or "
           "compile with an older toolkit";
#ifdef __HIP_PLATFORM_NVIDIA__
  case cudaErrorDevicesUnavailable:
    return "; another process has the GPU for itself: nvidia-smi names it";
#endif
  default:
    return "; DEVICE=emulated needs none";
  }
}

static hipDeviceProp_t properties_of_device(void) {
  hipDeviceProp_t properties;
  char doing[256] = "looking for a GPU";
  const hipError_t error = hipGetDeviceProperties(&properties, 0);
  if (error != hipSuccess)
    strcat(doing, remedy_for(error));
  must(error, doing);
  return properties;
}

size_t device_l2_bytes(void) { return (size_t)properties_of_device().l2CacheSize; }

void device_describe(Result *result) {
  const hipDeviceProp_t properties = properties_of_device();
  result->device = device_is_emulated() ? "emulated" : REAL_DEVICE;
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

void device_fill(void *array, int byte, size_t bytes) {
  must(hipMemset(array, byte, bytes), "filling memory");
}

void device_copy(void *to, const void *from, size_t bytes) {
  must(hipMemcpy(to, from, bytes, hipMemcpyDeviceToDevice), "copying on the device");
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

// A kernel that does not end cannot be stopped, but the program can. Only what a signal may call.
static void give_up(int signal) {
  (void)signal;
  static const char said[] = "the kernel was still running after 20 s; look for a loop that does "
                             "not end\n";
  if (write(STDERR_FILENO, said, sizeof said - 1) < 0)
    _exit(DEVICE_TROUBLE);
  _exit(KERNEL_FAULT);
}

// The emulated device counts instructions instead.
static void begin_waiting(void) {
  if (device_is_emulated())
    return;
  signal(SIGALRM, give_up);
  alarm(LONGEST_S);
}

static void end_waiting(void) { alarm(0); }

double device_run(const Launch *launch) {
  struct timespec start, end;
  clock_gettime(CLOCK_MONOTONIC, &start);
  begin_waiting();
  enqueue(launch);
  must(hipDeviceSynchronize(), "running the kernel");
  end_waiting();
  clock_gettime(CLOCK_MONOTONIC, &end);
  return (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
}

// Two events, with what is timed between them.
typedef struct {
  hipEvent_t start, end;
} Stopwatch;

static Stopwatch start_stopwatch(void) {
  Stopwatch s;
  must(hipEventCreate(&s.start), "creating an event");
  must(hipEventCreate(&s.end), "creating an event");
  must(hipEventRecord(s.start, NULL), "recording an event");
  return s;
}

static double stop_stopwatch(const Stopwatch *s, const char *doing) {
  float elapsed;
  must(hipEventRecord(s->end, NULL), "recording an event");
  must(hipEventSynchronize(s->end), doing);
  must(hipEventElapsedTime(&elapsed, s->start, s->end), "reading the time between events");
  must(hipEventDestroy(s->start), "destroying an event");
  must(hipEventDestroy(s->end), "destroying an event");
  return (double)elapsed;
}

double device_timed_run(const Launch *launch) {
  begin_waiting();
  const Stopwatch stopwatch = start_stopwatch();
  enqueue(launch);
  const double ms = stop_stopwatch(&stopwatch, "running the kernel");
  end_waiting();
  return ms;
}

double device_timed_copy(void *to, const void *from, size_t bytes) {
  const Stopwatch stopwatch = start_stopwatch();
  must(hipMemcpyAsync(to, from, bytes, hipMemcpyDeviceToDevice, NULL), "copying on the device");
  return stop_stopwatch(&stopwatch, "copying on the device");
}

int device_usual_runs(void) { return device_is_emulated() ? TIMED_WHERE_EMULATED : TIMED_ON_A_GPU; }
