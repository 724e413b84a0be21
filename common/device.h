// The device a lab runs on: the HIP calls that every lab makes, each ending the program with a
// sentence when HIP refuses; the exit status says whose fault it was (status.h).
#ifndef DEVICE_H
#define DEVICE_H

#include "kernel_launch.h"
#include "report.h"
#include "status.h"
#include "timing.h"

// The error in words and its name; of ROCm, whose words are the name, that once. Until the next call.
const char *device_error_words(hipError_t error);

// Whose fault an error is. What the kernel and its launcher can bring about is theirs; the harness's
// own calls have right arguments, so whatever else fails is the device.
Status device_whose_fault(hipError_t error);

// Fills device, device_name and arch of the result. Call first.
void device_describe(Result *result);

// Device memory, and copies to and from it.
void *device_memory(size_t bytes);
void device_put(void *device, const void *host, size_t bytes);
void device_get(void *host, const void *device, size_t bytes);

// Device memory for one array of the grid. The returned pointer is element 0 of the allocation.
void *device_array(const Grid *grid);
void device_free(void *array);

// Sets bytes of device memory; copies them from one array to another.
void device_fill(void *array, int byte, size_t bytes);
void device_copy(void *to, const void *from, size_t bytes);

// What the device's last cache before memory holds.
size_t device_l2_bytes(void);

// Copies slice k between the device's array and grid->slice doubles of the host, converting where
// the device's elements are floats.
void device_put_slice(void *array, const Grid *grid, int k, const double *slice);
void device_get_slice(const void *array, const Grid *grid, int k, double *slice);

// Sets every byte of the array to POISON_BYTE.
void device_poison(void *array, const Grid *grid);

// The largest number of threads a block may have for this kernel: its launch bounds, else 1024.
int device_max_block(const void *function);

// Launches once and waits. Returns the wall time the host saw, seconds.
double device_run(const Launch *launch);

// How many launches of an experiment are timed.
int device_usual_runs(void);

// Launches once, between HIP events. Returns the time they measured, milliseconds.
double device_timed_run(const Launch *launch);

// The same of a copy on the device.
double device_timed_copy(void *to, const void *from, size_t bytes);

bool device_is_emulated(void);

// Whether the next launches on the emulated device go through its memory model, which takes most of
// their time. No effect where the environment decides: EMULATOR_MODEL, or EMULATOR_COUNTERS, whose
// reader wants every launch.
void device_model(bool wanted);

// Modelled time of the last device_run or device_timed_run, milliseconds; 0 on a real device, and
// where the emulated device's memory model is switched off or gave up.
double device_modelled_ms(void);

// Counters of the last launch; 0 of them on a device that is not emulated. Valid until the next
// launch.
size_t device_counters(const EmulatorCounter **counters);

#endif
