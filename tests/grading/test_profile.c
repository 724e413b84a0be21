// make profile, end to end: on the emulated device, and with a stand-in for rocprof where an AMD
// GPU would be.
//
// In: the programs that `make programs` built, run from the repository root.
#include "command.h"

#include <stdlib.h>

#define PROGRAM "build/solutions/01-baseline/laplacian"
#define EMULATED "LD_LIBRARY_PATH=build/emulator "
#define TABLE "build/tests/profile.csv"

// To make profile FULL=1 says something else than to make test.
static void forget_full(void) { unsetenv("FULL"); }
TestSuite(profile, .init = forget_full);

Test(profile, counters_lines_and_rocprofs_columns) {
  assert_ends(0, EMULATED "python3 -m tools.profile emulated " PROGRAM " " TABLE
                          " 'FETCH_SIZE SQ_WAVES' --nx 128 --ny 9 --nz 5");
  assert_said("128 x 9 x 5, device emulated,\n  the last of 2 launches");
  assert_said("KiB    (modelled)");
  assert_said("SQ_WAVES                                       180        (emulated)");
  assert_said("GB/s effective (modelled)");
  assert_said("memory by source line: kernel laplacian");
  assert_said(", solutions/01-baseline/laplacian.hip\n");
  assert_said("load  u, plane k+1 ");
  assert_said("store f, plane k ");
  assert_said("\n  all  both ");
  assert_not_said("rocprof v1"); // no metric that differs was asked for
  assert_ends(0, "cat " TABLE);
  cr_assert_eq(strncmp(output,
                       "Index,KernelName,gpu-id,queue-id,queue-index,pid,tid,grd,wgr,lds,scr,"
                       "arch_vgpr,accum_vgpr,sgpr,wave_size,sig,obj,FETCH_SIZE,SQ_WAVES\n"
                       "0,\"laplacian(",
                       140),
               0, "%s", output);
}

Test(profile, the_labs_counters_and_where_rocprof_differs) {
  assert_ends(0, EMULATED "python3 -m tools.profile emulated " PROGRAM " " TABLE "-all '' --nz 3");
  assert_said("L2CacheHit: rocprof v1 reads 16 of the 32 L2 channels");
  assert_said("WRITE_SIZE: rocprof v1 misses the dirty lines");
}

// printf() brings code of the device library into the kernel, which has no source lines.
#define PRINTS "build/tests/submissions/01-baseline/prints"
#define LINES "build/tests/prints.csv"

Test(profile, a_kernel_that_prints) {
  cr_assert_eq(run(EMULATED "python3 -m tools.profile emulated " PRINTS " " TABLE "-prints '' "
                            "--nx 70 --ny 9 --nz 5"),
               0, "%s", output);
  assert_said("memory by source line: kernel laplacian");
  assert_said("\n  prints.hip:");
  assert_said("\n  lib. ");
  cr_assert_eq(run("FULL=1 " EMULATED "python3 -m tools.profile emulated " PRINTS " " TABLE
                   "-prints '' --nx 70 --ny 9 --nz 5"),
               0, "%s", output);
  assert_said("\n  offset +0x");
}

// What a launch asks for at run time is not in the compiler's report.
Test(profile, a_run_counts_the_lds_of_its_launch) {
  cr_assert_eq(
      run(EMULATED "build/tests/submissions/01-baseline/tile-in-lds --nx 70 --ny 9 --nz 5"), 0,
      "%s", output);
  assert_said(", 2064 B LDS a block, 8 waves a SIMD");
}

Test(profile, a_run_of_a_kernel_that_prints_keeps_the_report_by_line) {
  cr_assert_eq(run(EMULATED "EMULATOR_LINES=" LINES " " PRINTS " --nx 70 --ny 9 --nz 5"), 0, "%s",
               output);
  assert_said("the first interior point becomes ");
  cr_assert_eq(run("cat " LINES), 0);
  assert_said("skeleton.h\",");
  assert_said("\"\",,+0x");
}

Test(profile, unknown_counters_are_refused_with_the_list) {
  assert_ends(2, EMULATED "python3 -m tools.profile emulated " PROGRAM " " TABLE
                          " 'FETCH_SIZE L2CacheHits FETCH'");
  assert_said("L2CacheHits, FETCH: no such counter; there are\n");
  assert_said(" L2CacheHit ");
}

Test(profile, a_program_without_a_launch_or_that_fails_is_said_so) {
#define PROFILE EMULATED "python3 -m tools.profile emulated " PROGRAM " " TABLE " '' "
  assert_ends(1, PROFILE "--help");
  assert_said("no kernel was launched");
  assert_ends(1, PROFILE "--nx two");
  assert_said("the value must be a whole number");
  assert_not_said("Traceback");
}

Test(profile, without_rocprof_says_what_is_missing) {
  assert_ends(2, "ROCPROF=no-rocprof python3 -m tools.profile amd " PROGRAM " " TABLE " ''");
  assert_said("no-rocprof was found neither in PATH nor in /opt/rocm/bin");
}

// Profiles with a stand-in for rocprof -i REQUEST -o TABLE PROGRAM...: it keeps what it was asked
// for in FOLDER and writes a table.
#define WITH_STAND_IN(FOLDER, COLUMNS, VALUES)                                                     \
  "rm -rf " FOLDER " && mkdir -p " FOLDER " && cat >" FOLDER "/rocprof <<'END'\n"                  \
  "#!/bin/sh\n"                                                                                    \
  "cp $2 " FOLDER "/asked\n"                                                                       \
  "echo $5 $6 $7 >" FOLDER "/ran\n"                                                                \
  "echo Index," COLUMNS " >$4\n"                                                                   \
  "echo 0," VALUES " >>$4\n"                                                                       \
  "END\n"                                                                                          \
  "chmod +x " FOLDER "/rocprof && ROCPROF=" FOLDER                                                 \
  "/rocprof python3 -m tools.profile amd " PROGRAM " " FOLDER                                      \
  "/out.csv 'FETCH_SIZE L2CacheHit' --nz 3"

Test(profile, rocprof_is_asked_for_the_same_counters) {
  assert_ends(0, WITH_STAND_IN("build/tests/rocm-whole", "FETCH_SIZE,L2CacheHit", "1966797,65"));
  assert_said("1966797 KiB    (measured)");
  assert_said("65 %      (measured)");
  assert_ends(0, "cat build/tests/rocm-whole/asked build/tests/rocm-whole/ran");
  assert_said("pmc: FETCH_SIZE\npmc: L2CacheHit\n" PROGRAM " --nz 3\n");
}

Test(profile, what_rocprof_did_not_count_is_said) {
  assert_ends(2, WITH_STAND_IN("build/tests/rocm-part", "FETCH_SIZE", "1966797"));
  assert_said("rocprof has not counted L2CacheHit");
}
