// The compiler's remarks on registers, as several compilers write them.
#include "resources.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <unistd.h>

#define TAG " [-Rpass-analysis=kernel-resource-usage]\n"
#define OF(KERNEL) "k.hip:2:1: remark: Function Name: " KERNEL TAG
#define FIGURE(TEXT) "k.hip:2:1: remark:     " TEXT TAG
// As LLVM 15 to 19 and ROCm's compilers write them; the first line of each is the SGPRs.
#define REST                                                                                       \
  FIGURE("VGPRs: 5")                                                                               \
  FIGURE("AGPRs: 3")                                                                               \
  FIGURE("ScratchSize [bytes/lane]: 16")                                                           \
  FIGURE("Occupancy [waves/SIMD]: 8")                                                              \
  FIGURE("SGPRs Spill: 91") FIGURE("VGPRs Spill: 92") FIGURE("LDS Size [bytes/block]: 512")
#define REST_OF_19                                                                                 \
  FIGURE("VGPRs: 5")                                                                               \
  FIGURE("AGPRs: 3")                                                                               \
  FIGURE("ScratchSize [bytes/lane]: 16")                                                           \
  FIGURE("Dynamic Stack: False")                                                                   \
  FIGURE("Occupancy [waves/SIMD]: 8")                                                              \
  FIGURE("SGPRs Spill: 91") FIGURE("VGPRs Spill: 92") FIGURE("LDS Size [bytes/block]: 512")

static bool read_remarks(Resources *resources, const char *remarks) {
  char path[] = "/tmp/remarks-XXXXXX";
  const int file = mkstemp(path);
  FILE *out = fdopen(file, "w");
  cr_assert(out && fputs(remarks, out) >= 0 && fclose(out) == 0);
  const bool found = resources_read(resources, path, "laplacian");
  unlink(path);
  return found;
}

Test(resources, are_read_in_every_spelling) {
  const char *const spellings[] = {
      OF("_Z9laplacianPdPKdi") FIGURE("SGPRs: 7") REST,            // LLVM 15 and 16
      OF("_Z9laplacianPdPKdi") FIGURE("SGPRs: 7") REST_OF_19,      // LLVM 19
      OF("_Z9laplacianPdPKdi") FIGURE("TotalSGPRs: 7") REST_OF_19, // ROCm 6
  };
  for (size_t n = 0; n < sizeof spellings / sizeof *spellings; n++) {
    Resources r = {0};
    cr_assert(read_remarks(&r, spellings[n]), "spelling %zu", n);
    cr_expect(all(eq(int, r.sgprs, 7), eq(int, r.vgprs, 5), eq(int, r.agprs, 3),
                  eq(int, r.scratch_bytes, 16), eq(int, r.occupancy_waves_per_simd, 8),
                  eq(int, r.lds_bytes, 512)),
              "spelling %zu", n);
  }
}

Test(resources, are_those_of_the_kernel_that_is_named) {
  Resources r = {0};
  cr_assert(read_remarks(&r, OF("_Z10laplacian2Pd") FIGURE("TotalSGPRs: 70")
                                 REST OF("_Z9laplacianPd") FIGURE("TotalSGPRs: 7") REST));
  cr_expect(eq(int, r.sgprs, 7));
  cr_expect(not(read_remarks(&r, OF("_Z10laplacian2Pd") FIGURE("TotalSGPRs: 70") REST)));
}

// An instance of a template has no other name.
Test(resources, are_found_by_the_name_of_the_machine_code) {
  Resources r = {0};
  cr_assert(read_remarks(&r, OF("laplacian2") FIGURE("SGPRs: 70") REST OF("laplacian")
                                 FIGURE("SGPRs: 7") REST));
  cr_expect(eq(int, r.sgprs, 7));
}

Test(resources, that_lack_a_figure_are_none) {
  Resources r = {0};
  cr_expect(not(read_remarks(&r, OF("_Z9laplacianPd") REST)));
  cr_expect(not(read_remarks(&r, OF("_Z9laplacianPd") FIGURE("SGPRs: 7"))));
  cr_expect(not(read_remarks(&r, "")));
  cr_expect(not(resources_read(&r, "/none/such", "laplacian")));
}
