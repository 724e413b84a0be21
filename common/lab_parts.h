// Parts of a lab program's life that all families of labs share: lab_main and lbm_main put them
// together.
#ifndef LAB_PARTS_H
#define LAB_PARTS_H

#include "lab.h"
#include "report.h"
#include "status.h"

// Fills in what the compiler reported, the device, and how many launches are timed. The result has
// its options and kernel; program is argv[0].
void lab_begin(Result *result, const char *program);

// Whether the kernel can run this grid with this block; a sentence when not.
bool lab_block_fits(const Kernel *kernel, const Options *options);

// True when the emulated device's model answers for the time: that of the launch that was verified
// last, or none where it does not model time. False when launches have to be timed.
bool lab_timed_by_model(Timing *time, int iterations);

// Prints the report and writes the JSON. Returns the exit status.
int lab_end(const Result *result);

#endif
