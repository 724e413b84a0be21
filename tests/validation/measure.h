// What the validation programs share: failing with a sentence, and timing one launch.
//
// In: the outcome of a HIP call, or a launch. Out: on standard output one line "time_ms X" per
// launch, in the order of the lines that EMULATOR_COUNTERS=FILE.csv gets.
#ifndef VALIDATION_MEASURE_H
#define VALIDATION_MEASURE_H

#include <hip/hip_runtime.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void __attribute__((noreturn, format(printf, 1, 2))) fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
  exit(1);
}

static inline void succeed(hipError_t error, const char *what) {
  if (error != hipSuccess)
    fail("%s failed: %s.", what, hipGetErrorString(error));
}

static inline void *device_array(size_t bytes) {
  void *array = NULL;
  succeed(hipMalloc(&array, bytes), "Allocating device memory");
  return array;
}

static inline void *host_array(size_t bytes) {
  void *array = malloc(bytes);
  if (!array)
    fail("The host has no memory for an array of %zu bytes.", bytes);
  return array;
}

static inline void upload(void *device, const void *host, size_t bytes) {
  succeed(hipMemcpy(device, host, bytes, hipMemcpyHostToDevice), "Copying to the device");
}

static inline void download(void *host, const void *device, size_t bytes) {
  succeed(hipMemcpy(host, device, bytes, hipMemcpyDeviceToHost), "Copying from the device");
}

// A whole number from the command line, at least `least`.
static inline int argument(const char *text, const char *name, int least) {
  char *end;
  const long value = strtol(text, &end, 10);
  if (*text == '\0' || *end != '\0' || value < least || value > 1 << 30)
    fail("%s must be a whole number from %d on, not '%s'.", name, least, text);
  return (int)value;
}

static inline hipEvent_t record(void) {
  hipEvent_t event;
  succeed(hipEventCreate(&event), "Creating an event");
  succeed(hipEventRecord(event, 0), "Recording an event");
  return event;
}

static inline void print_time_since(hipEvent_t before) {
  float ms;
  succeed(hipGetLastError(), "The launch");
  const hipEvent_t after = record();
  succeed(hipDeviceSynchronize(), "The kernel");
  succeed(hipEventElapsedTime(&ms, before, after), "Reading the time");
  printf("time_ms %.9g\n", ms);
}

// Runs a launch and prints its time.
#define MEASURE(launch)                                                                            \
  do {                                                                                             \
    const hipEvent_t measured_from = record();                                                     \
    launch;                                                                                        \
    print_time_since(measured_from);                                                               \
  } while (0)

#endif
