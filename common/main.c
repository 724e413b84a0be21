// A lab program: the learner's file, which defines lab, and the harness. Reads the options, runs,
// verifies and times the kernel, reports. Ends with a status of status.h.
#define _GNU_SOURCE
#include "device.h"
#include "lab.h"
#include "run.h"

#include <dlfcn.h>
#include <stdio.h>

static Result result;
static Resources compiled; // of the kernel, whatever a launch asks for beside it

#ifdef __HIP_PLATFORM_AMD__
// LDS that a launch asks for leaves room for fewer waves, and neither compiler nor device says so.
// The learner's launches come by here on their way to the library.
hipError_t hipLaunchKernel(const void *kernel, dim3 blocks, dim3 block, void **arguments,
                           size_t lds, hipStream_t stream) {
  __typeof__(hipLaunchKernel) *launch =
      (__typeof__(hipLaunchKernel) *)dlsym(RTLD_NEXT, "hipLaunchKernel");
  result.compiled.lds_bytes = compiled.lds_bytes + (int)lds;
  result.compiled.occupancy_waves_per_simd =
      resources_waves(&compiled, (unsigned)lds, block.x * block.y * block.z);
  return launch(kernel, blocks, block, arguments, lds, stream);
}
#endif

// As the machine code has it, for an instance of a template is not named like it.
static const char *code_name(const Kernel *kernel) {
  const char *name = NULL;
#ifdef __HIP_PLATFORM_AMD__
  name = hipKernelNameRefByPtr(kernel->function, NULL);
#endif
  return name ? name : kernel->name;
}

int main(int argc, char **argv) {
  Setup setup;
  Status status;
  if (!setup_read(&setup, &lab, argc, argv, &status))
    return status;
  char resources[4096]; // the compiler's report, beside the program
  snprintf(resources, sizeof resources, "%s.resources", argv[0]);
  result.has_compiled = resources_read(&compiled, resources, code_name(setup.kernel));
  const unsigned *block = setup.options.block;
  result.compiled = compiled;
  result.compiled.occupancy_waves_per_simd =
      resources_waves(&compiled, 0, block[0] * block[1] * block[2]);
  device_describe(&result);
  if (!setup_block_fits(&setup))
    return MALFORMED_OPTIONS;
  return run_and_report(&setup, setup.family->enqueue, &result);
}
