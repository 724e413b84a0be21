// Reads the compiler's resource report. See resources.h.
#include "resources.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

// The remarks' labels (AMDGPUAsmPrinter) and where each figure goes. LLVM says SGPRs at least until
// 19, the compilers of later ROCm releases say TotalSGPRs.
static const struct {
  const char *label;
  size_t field;
} FIGURES[] = {
    {" SGPRs: ", offsetof(Resources, sgprs)},
    {" TotalSGPRs: ", offsetof(Resources, sgprs)},
    {" VGPRs: ", offsetof(Resources, vgprs)},
    {" AGPRs: ", offsetof(Resources, agprs)},
    {" ScratchSize [bytes/lane]: ", offsetof(Resources, scratch_bytes)},
    {" Occupancy [waves/SIMD]: ", offsetof(Resources, occupancy_waves_per_simd)},
    {" LDS Size [bytes/block]: ", offsetof(Resources, lds_bytes)},
};
#define LABELS (sizeof FIGURES / sizeof *FIGURES)
#define FIGURES_OF_A_KERNEL (LABELS - 1) // of the two spellings there is one

#define SAYS_NAME "Function Name: "

// Does a "Function Name: _Z9laplacianPd..." line name the kernel, as its source or its machine code
// calls it? Itanium mangling puts the length first.
static bool names_kernel(const char *line, const char *kernel) {
  const char *name = strstr(line, SAYS_NAME) + strlen(SAYS_NAME);
  if (strcspn(name, " \n") == strlen(kernel) && strncmp(name, kernel, strlen(kernel)) == 0)
    return true;
  char mangled[256];
  const int length = snprintf(mangled, sizeof mangled, "_Z%zu%s", strlen(kernel), kernel);
  return strncmp(name, mangled, (size_t)length) == 0;
}

bool resources_read(Resources *resources, const char *file, const char *kernel) {
  FILE *in = fopen(file, "r");
  if (!in)
    return false;
  char line[1024];
  bool in_kernel = false;
  size_t found = 0;
  while (fgets(line, sizeof line, in)) {
    if (strstr(line, SAYS_NAME))
      in_kernel = names_kernel(line, kernel);
    for (size_t n = 0; in_kernel && n < LABELS; n++) {
      const char *at = strstr(line, FIGURES[n].label);
      int *const figure = (int *)((char *)resources + FIGURES[n].field);
      if (at && sscanf(at + strlen(FIGURES[n].label), "%d", figure) == 1)
        found++;
    }
  }
  fclose(in);
  return found == FIGURES_OF_A_KERNEL;
}

int resources_waves(const Resources *c, unsigned lds, unsigned threads) {
  enum { LDS_OF_CU = 65536, SIMDS_OF_CU = 4, LANES = 64 }; // AMD, CDNA2 instruction set guide
  const unsigned bytes = (unsigned)c->lds_bytes + lds;
  const int waves = (int)((threads + LANES - 1) / LANES);
  if (!bytes)
    return c->occupancy_waves_per_simd;
  const int by_lds = (int)(LDS_OF_CU / bytes) * waves / SIMDS_OF_CU;
  return by_lds < c->occupancy_waves_per_simd ? by_lds : c->occupancy_waves_per_simd;
}
