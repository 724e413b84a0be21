// One run of a lab's kernel: verified launches, timed launches, the report.
#ifndef RUN_H
#define RUN_H

#include "kernel_launch.h"
#include "report.h"
#include "setup.h"

// Runs what was set up, prints the report and writes the JSON to --json FILE and to the file that
// LAB_RESULT_FILE names. enqueue puts the kernel's launches on the device. The caller has filled
// device, device_name and arch of the result (device_describe), and what is known about the
// compiled kernel, and may have
// chosen first_check and untimed. Returns the exit status.
Status run_and_report(const Setup *setup, void (*enqueue)(const Launch *launch), Result *result);

#endif
