// A lab program: the learner's file, which defines lab, and the harness. Reads the options, runs,
// verifies and times the kernel, reports. Ends with a status of status.h.
#include "device.h"
#include "lab.h"
#include "run.h"

#include <stdio.h>

int main(int argc, char **argv) {
  Setup setup;
  Result result = {0};
  Status status;
  if (!setup_read(&setup, &lab, argc, argv, &status))
    return status;
  char resources[4096]; // the compiler's report, beside the program
  snprintf(resources, sizeof resources, "%s.resources", argv[0]);
  result.has_compiled = resources_read(&result.compiled, resources, setup.kernel->name);
  const unsigned *block = setup.options.block;
  result.compiled.occupancy_waves_per_simd =
      resources_waves(&result.compiled, 0, block[0] * block[1] * block[2]);
  device_describe(&result);
  if (!setup_block_fits(&setup))
    return MALFORMED_OPTIONS;
  return run_and_report(&setup, setup.family->enqueue, &result);
}
