// Says of each kernel of a code object what a grade needs to know: registers, scratch, LDS, where
// its arguments lie. The facts are the code object's own, so no message of the compiler and no name
// in the learner's file can change them.
//
// In:  kernel-facts FILE   (an offload bundle or an ELF for gfx90a)
// Out: facts.h has the lines that it prints. Status 0; 1, with a sentence, for a file that is none.
#include "code_object_load.h"
#include "gfx90a.h"

#include <stdio.h>
#include <stdlib.h>

// Registers are given out in such granules, and a SIMD holds so many waves: LLVM 15,
// AMDGPUBaseInfo.cpp, getSGPRAllocGranule, getVGPRAllocGranule and gfx90a's features.
enum { SGPR_GRANULE = 16, VGPR_GRANULE = 8, MOST_WAVES = 8 };
// LLVM 15, GCNSubtarget::getOccupancyWithNumSGPRs: more SGPRs than these leave room for 7 waves.
enum { SGPRS_OF_MOST_WAVES = 100 };

static unsigned waves_per_simd(const Kernel *kernel) {
  const unsigned vgprs = kernel->allocated_vgprs ? kernel->allocated_vgprs : VGPR_GRANULE;
  const unsigned by_vgprs = DEVICE_VGPRS_PER_SIMD_LANE / vgprs;
  const unsigned by_sgprs = kernel->sgpr_count > SGPRS_OF_MOST_WAVES ? 7 : MOST_WAVES;
  return by_vgprs < by_sgprs ? by_vgprs : by_sgprs;
}

static unsigned larger(unsigned a, unsigned b) { return a > b ? a : b; }

// The metadata says how many registers the compiler used, the descriptor how many the device gives
// out. The descriptor counts in granules; beyond these it is the one that is believed.
static void print_kernel(const Kernel *kernel) {
  const unsigned vgprs = larger(kernel->vgpr_count, kernel->allocated_vgprs - (VGPR_GRANULE - 1));
  const unsigned sgprs = larger(kernel->sgpr_count, kernel->allocated_sgprs - (SGPR_GRANULE - 1));
  uint32_t bytes = 0;
  for (size_t n = 0; n < kernel->explicit_count; n++) {
    const uint32_t end = kernel->arguments[n].offset + kernel->arguments[n].size;
    bytes = end > bytes ? end : bytes;
  }
  printf("kernel %u %u %u %u %u %u %u %u %s %s\n", sgprs,
         larger(vgprs, kernel->agpr_count) - kernel->agpr_count, kernel->agpr_count,
         kernel->private_segment_size, kernel->group_segment_size, waves_per_simd(kernel),
         kernel->max_workgroup_size, bytes, kernel->symbol, kernel->name);
  for (size_t n = 0; n < kernel->explicit_count; n++)
    printf("argument %u %u %d\n", kernel->arguments[n].offset, kernel->arguments[n].size,
           kernel->arguments[n].is_pointer);
}

// A name is one word of a line. No compiler makes others; an assembler does if it is told to.
static bool is_word(const char *name) {
  for (const char *c = name; *c; c++)
    if (*c <= ' ' || *c > '~')
      return false;
  return *name != '\0';
}

static bool print_kernels(const CodeObject *object) {
  for (size_t n = 0; n < object->kernel_count; n++) {
    if (!is_word(object->kernels[n].symbol)) {
      fprintf(stderr, "kernel %zu has a name with blanks or letters beyond ASCII\n", n + 1);
      return false;
    }
    print_kernel(&object->kernels[n]);
  }
  return true;
}

static char *read_file(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  char *bytes = NULL;
  if (file && fseek(file, 0, SEEK_END) == 0 && (*size = (size_t)ftell(file)) > 0 &&
      (bytes = malloc(*size))) {
    rewind(file);
    *size = fread(bytes, 1, *size, file);
  }
  if (file)
    fclose(file);
  return bytes;
}

int main(int argc, char **argv) {
  size_t size = 0;
  char *bytes = argc == 2 ? read_file(argv[1], &size) : NULL;
  if (!bytes) {
    fprintf(stderr, "usage: kernel-facts FILE, of which there is something to read\n");
    return 1;
  }
  char message[1024];
  bool no_binary;
  CodeObject *object = code_object_load(bytes, size, message, sizeof message, &no_binary);
  if (!object) {
    fprintf(stderr, "%s\n", message);
    return 1;
  }
  const bool printed = print_kernels(object);
  code_object_unload(object);
  free(bytes);
  return printed ? 0 : 1;
}
