// What follows from a launch: sizes in the units that the device allocates, and no size too large.
//
// In: launches of an invented kernel. Out: the second part of struct Launch.
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "code_object.h"
#include "launch_plan.h"

static const Kernel kernel = {.group_segment_size = 513,
                              .private_segment_size = 20,
                              .max_workgroup_size = 1024,
                              .allocated_vgprs = 64,
                              .allocated_sgprs = 16};

static Launch planned(Launch launch) {
  launch_plan(&launch);
  return launch;
}

Test(launch_plan, sizes_in_the_units_of_the_device) {
  Launch launch = planned((Launch){.kernel = &kernel, .grid = {3, 5, 7}, .block = {13, 5, 2}});
  cr_assert(eq(u64, launch.workgroups, 105));
  cr_assert(eq(u32, launch.items_per_workgroup, 130));
  cr_assert(eq(u32, launch.waves_per_workgroup, 3)); // the last one has 2 lanes
  cr_assert(eq(u32, launch.lds_bytes, 513));
  cr_assert(eq(u32, launch.lds_allocated_bytes, 1024)); // granules of 512 B
  cr_assert(eq(u32, launch.scratch_bytes, 2048));       // 20 B * 64 lanes in granules of 1024 B
  cr_assert(eq(u32, launch.workgroups_per_cu, 10));     // 8 waves on each of 4 SIMDs, 3 a group
}

Test(launch_plan, a_stack_of_unknown_size_gets_16_kib_a_lane) {
  Kernel recursive = kernel;
  recursive.dynamic_stack = true;
  Launch launch = planned((Launch){.kernel = &recursive, .grid = {1, 1, 1}, .block = {64, 1, 1}});
  cr_assert(eq(u32, launch.scratch_bytes, 16384 * 64));
  launch.stack_bytes = 20000;
  cr_assert(eq(u32, planned(launch).scratch_bytes, 20000 * 64));
  recursive.private_segment_size = 24000;
  cr_assert(eq(u32, planned(launch).scratch_bytes, 24000 * 64));
  recursive.dynamic_stack = false;
  cr_assert(eq(u32, planned(launch).scratch_bytes, 24000 * 64));
}

Test(launch_plan, lds_that_no_compute_unit_has_fits_nowhere) {
  const size_t bytes[] = {65536 - 512, 65536, 1ull << 32, SIZE_MAX};
  for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
    Launch launch = planned((Launch){
        .kernel = &kernel, .grid = {1, 1, 1}, .block = {64, 1, 1}, .dynamic_lds_bytes = bytes[i]});
    cr_assert(zero(u32, launch.workgroups_per_cu), "%zu bytes", bytes[i]);
  }
  Launch all = planned((Launch){.kernel = &kernel,
                                .grid = {1, 1, 1},
                                .block = {64, 1, 1},
                                .dynamic_lds_bytes = 65536 - 1024});
  cr_assert(eq(u32, all.workgroups_per_cu, 1));
}

Test(launch_plan, the_number_of_workgroups_does_not_wrap) {
  Launch launch = planned(
      (Launch){.kernel = &kernel, .grid = {1u << 31, 1u << 31, 1u << 31}, .block = {1, 1, 1}});
  cr_assert(eq(u64, launch.workgroups, UINT64_MAX));
}
