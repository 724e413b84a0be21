// The JSON schema, the table for people, and the compiler's resource report that feeds them.
#include "derivative.h"
#include "laplacian.h"
#include "report.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// Families of kernels with one interior point, or with a window.
static const Family BOX = {.element = "double",
                           .target_gbs = 1165,
                           .columns = (const char *const[]){"time_ms", "vgprs", NULL},
                           .rows = (const char *const[]){"vgprs", NULL},
                           .recorded = (const char *const[]){NULL},
                           .traffic = laplacian_traffic};

static const Family WINDOW = {.element = "float",
                              .counts_cubes = true,
                              .columns = (const char *const[]){NULL},
                              .rows = (const char *const[]){NULL},
                              .recorded = (const char *const[]){NULL},
                              .traffic = derivative_traffic};

static Result make_result(void) {
  Result r = {.file = "labs/01-baseline/laplacian.hip",
              .kernel = "laplacian",
              .rows = 1,
              .family = &BOX,
              .device = "emulated",
              .device_name = "a \"quoted\" \\ name\nwith a second line and \x01 \xff",
              .arch = "gfx90a:sramecc+:xnack-",
              .peak_gbs = 1638.4,
              .options = {.nx = 3, .ny = 3, .nz = 3, .block = {256, 1, 1}, .iterations = 20}};
  char error[256];
  cr_assert(grid_make(&r.grid, 3, 3, 3, 1, sizeof(double), error, sizeof error));
  for (int c = 0; c < CHECKS; c++)
    r.checks[c] = (Verification){.name = "test", .scale = 1, .tolerance = 1, .checked = 1};
  return r;
}

// Runs a Python expression on the parsed JSON, called r; returns whether it is true.
static bool json_holds(const Result *result, const char *expression) {
  char path[] = "/tmp/test_report_XXXXXX";
  FILE *file = fdopen(mkstemp(path), "w");
  report_json(file, result);
  fclose(file);
  char command[1024];
  snprintf(command, sizeof command,
           "python3 -c 'import json,sys; r = json.load(open(\"%s\"), parse_constant=int); "
           "sys.exit(0 if (%s) "
           "else 1)'",
           path, expression);
  const int status = system(command);
  unlink(path);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

Test(report, json_is_valid_with_odd_names_and_values) {
  Result r = make_result();
  r.checks[0].max_error = INFINITY; // JSON has no infinity: null
  cr_assert(json_holds(&r,
                       "r[\"device_name\"] == \"a \\\"quoted\\\" \\\\ name\\nwith a second line "
                       "and \\x01 \\ufffd\""));
  cr_assert(json_holds(&r, "r[\"max_relative_error\"] is None"));
  cr_assert(json_holds(&r, "r[\"kernel\"] == \"laplacian\" and r[\"rows\"] == 1"));
  cr_assert(json_holds(&r, "r[\"lab\"] == \"01-baseline\" and r[\"block\"] == [256, 1, 1]"));
  cr_assert(json_holds(&r, "r[\"verified\"] is True and r[\"points_checked\"] == 1"));
  cr_assert(!json_holds(&r, "r[\"verified\"] is False"));
}

// What grader and tables would otherwise have to know of a family.
Test(report, json_says_what_depends_on_the_family) {
  Result r = make_result();
  cr_assert(json_holds(&r, "r[\"interior_points\"] == 1"));
  cr_assert(json_holds(&r, "r[\"tables\"] == {\"columns\": [\"time_ms\", \"vgprs\"], "
                           "\"rows\": [\"vgprs\"], \"recorded\": []}"));
}

Test(report, json_has_a_time_only_if_there_is_one) {
  Result r = make_result();
  cr_assert(json_holds(&r, "r[\"time_ms\"] is None and r[\"time_evidence\"] is None and "
                           "r[\"effective_bandwidth_gbs\"] is None and r[\"compiled\"] is None"));
  r.time = (Timing){.median = 1e-6, .min = 1e-6, .max = 2e-6, .runs = 3};
  cr_assert(json_holds(&r, "r[\"time_ms\"] == {\"median\": 1e-6, \"min\": 1e-6, \"max\": 2e-6, "
                           "\"runs\": 3} and r[\"time_evidence\"] == \"modelled\""));
  // 8 elements of 8 bytes in 1 ns
  cr_assert(json_holds(&r, "abs(r[\"effective_bandwidth_gbs\"] - 64) < 1e-9 and "
                           "abs(r[\"percent_of_target\"] - 100 * 64 / 1165) < 1e-9"));
  r.peak_gbs = 3352; // the emulated device with the memory of another
  cr_assert(json_holds(&r, "r[\"percent_of_target\"] is None"));
  r.peak_gbs = 1638.4;
  snprintf(r.arch, sizeof r.arch, "gfx1100");
  r.device = "amd";
  cr_assert(json_holds(&r, "r[\"percent_of_target\"] is None and "
                           "r[\"time_evidence\"] == \"measured\""));
}

Test(report, json_carries_counters_and_resources) {
  Result r = make_result();
  const EmulatorCounter counters[] = {{"SQ_WAVES", 3, false}, {"odd \" name", 0.5, true}};
  r.counters = counters;
  r.counter_count = 2;
  r.has_compiled = true;
  r.compiled = (Resources){.sgprs = 19,
                           .vgprs = 24,
                           .scratch_bytes = 180,
                           .occupancy_waves_per_simd = 8,
                           .lds_bytes = 4096,
                           .largest_block = 256};
  cr_assert(json_holds(&r, "r[\"counters\"] == {\"SQ_WAVES\": 3, \"odd \\\" name\": 0.5} and "
                           "r[\"modelled_counters\"] == [\"odd \\\" name\"]"));
  cr_assert(json_holds(&r, "r[\"compiled\"] == {\"sgprs\": 19, \"vgprs\": 24, \"agprs\": 0, "
                           "\"scratch_bytes\": 180, \"occupancy_waves_per_simd\": 8, "
                           "\"lds_bytes\": 4096, \"largest_block\": 256}"));
}

// Of one point of 8 bytes. To store more makes it no smaller.
Test(report, bytes_loaded_for_each_that_must_be_stored) {
  Result r = make_result();
  cr_assert(json_holds(&r, "r[\"loaded_per_stored\"] is None"), "another device");
  EmulatorCounter counters[] = {{"EMULATOR_GLOBAL_BYTES_LOADED", 56, false},
                                {"EMULATOR_GLOBAL_BYTES_STORED", 8, false},
                                {"FETCH_SIZE", NAN, true}};
  r.counters = counters;
  r.counter_count = 3;
  cr_assert(json_holds(&r, "r[\"loaded_per_stored\"] == 7"));
  cr_assert(json_holds(&r, "r[\"counters\"][\"FETCH_SIZE\"] is None and r[\"memory\"] is None"));
  counters[1].value = 800;
  cr_assert(json_holds(&r, "r[\"loaded_per_stored\"] == 7"));
}

// Of a replay; a lab program does not know.
Test(report, json_says_what_was_launched) {
  Result r = make_result();
  cr_assert(json_holds(&r, "r[\"launches\"] == 0 and r[\"kernels\"] == [] and "
                           "r[\"points_per_thread\"] is None and r[\"element_bytes\"] == 8"));
  r.launches = 3;
  r.threads = 54;
  r.ran[0] = "even(Arrays)";
  r.ran[1] = "odd<\"x\">";
  cr_assert(json_holds(&r, "r[\"launches\"] == 3 and r[\"points_per_thread\"] == 0.5 and "
                           "r[\"kernels\"] == [\"even(Arrays)\", \"odd<\\\"x\\\">\"]"));
  for (int n = 0; n < MOST_NAMES; n++)
    r.ran[n] = "k";
  cr_assert(json_holds(&r, "r[\"kernels\"] == 8 * [\"k\"]"));
}

Test(report, check_says_that_the_input_was_changed) {
  Result r = make_result();
  r.checks[1].changed = 2;
  cr_assert(json_holds(&r,
                       "[c[\"passed\"] for c in r[\"checks\"]] == [True, False] and "
                       "not r[\"verified\"] and \"changed\" in r[\"checks\"][1][\"sentence\"]"));
}

static const char *printed(const Result *r) {
  static char text[4096];
  memset(text, 0, sizeof text);
  FILE *out = fmemopen(text, sizeof text, "w");
  report_print(out, r);
  fclose(out);
  return text;
}

static Result make_derivative(void) {
  Result r = make_result();
  r.family = &WINDOW;
  r.axis = 'z';
  r.options.window = 16;
  char error[256];
  cr_assert(grid_make(&r.grid, 10, 10, 10, 4, sizeof(float), error, sizeof error));
  cr_assert(grid_lay_out(&r.grid, 12, 5, error, sizeof error));
  return r;
}

Test(report, layout_and_window_are_said) {
  Result r = make_derivative();
  cr_assert(json_holds(&r, "r[\"layout\"][\"packed\"] is False and r[\"layout\"][\"ld\"] == 12 and "
                           "r[\"layout\"][\"offset\"] == 5 and r[\"layout\"][\"radius\"] == 4"));
  cr_assert(json_holds(&r, "abs(r[\"layout\"][\"growth_percent\"] - 20.5) < 1e-9"));
  cr_assert(json_holds(&r, "r[\"window\"] == 16 and r[\"percent_of_target\"] is None"));
  r = make_result();
  cr_assert(json_holds(&r, "r[\"layout\"][\"packed\"] is True and r[\"window\"] is None"));
}

// 8 interior points of 4 bytes make a cube of 32 bytes.
Test(report, cubes_are_bytes_at_each_level_over_those_of_the_interior) {
  Result r = make_derivative();
  cr_assert(json_holds(&r, "r[\"cubes\"][\"l1\"] is None and r[\"cubes\"][\"hbm\"] is None"));
  const EmulatorCounter counters[] = {{"TCP_TOTAL_CACHE_ACCESSES_sum", 5, false},
                                      {"TCP_TCC_READ_REQ_sum", 3, true},
                                      {"TCP_TCC_WRITE_REQ_sum", 1, false},
                                      {"FETCH_SIZE", 0.25, true},
                                      {"WRITE_SIZE", 0.125, true},
                                      {"L2CacheHit", 50, true}};
  r.counters = counters;
  r.counter_count = sizeof counters / sizeof *counters;
  r.time = (Timing){.median = 1e-6, .min = 1e-6, .max = 1e-6, .runs = 1};
  for (int c = 0; c < CHECKS; c++)
    r.checks[c].checked = 8; // all points are right: of others no bandwidth is printed
  cr_assert(json_holds(&r, "r[\"cubes\"] == {\"l1\": 10, \"l2_read\": 6, \"l2_write\": 2, "
                           "\"hbm\": 12}"));
  cr_assert(json_holds(&r, "r[\"memory\"][\"read_write_ratio\"] == 2 and "
                           "abs(r[\"memory\"][\"achieved_bandwidth_gbs\"] - 384) < 1e-9"));
  const char *text = printed(&r);
  cr_assert(strstr(text, "look-ups in L1 10.00 (emulated), read from L2 6.00 (modelled)"), "%s",
            text);
  cr_assert(strstr(text, "384 GB/s achieved, HBM read/write 2.00  (modelled)"), "%s", text);
  cr_assert(strstr(text, "leading dimension 12 for 10 points, offset 5, 20.5 % more memory"), "%s",
            text);
}

Test(report, memory_figures_are_sizes_and_shares_of_what_is_needed) {
  Result r = make_result();
  cr_assert(json_holds(&r, "r[\"memory\"] is None"));
  // The one interior point needs 7 elements of 8 bytes and writes one.
  const EmulatorCounter counters[] = {
      {"FETCH_SIZE", 0.109375, true}, {"WRITE_SIZE", 0.0625, true}, {"L2CacheHit", 65, true}};
  r.counters = counters;
  r.counter_count = 3;
  cr_assert(json_holds(&r, "r[\"memory\"][\"evidence\"] == \"modelled\""));
  cr_assert(json_holds(&r, "all(abs(r[\"memory\"][key] / value - 1) < 1e-9 for key, value in "
                           "{\"fetch_size_gb\": 112e-9, \"write_size_gb\": 64e-9, "
                           "\"fetch_efficiency_percent\": 50, \"write_efficiency_percent\": "
                           "12.5, \"l2_cache_hit_percent\": 65}.items())"));
  cr_assert(strstr(printed(&r), "(efficiency 50.0 %), WRITE_SIZE 6.4e-08 GB (12.5 %), L2CacheHit "
                                "65.0 %  (modelled)"));
}

Test(report, every_figure_for_people_has_its_evidence) {
  Result r = make_result();
  const EmulatorCounter counters[] = {{"SQ_WAVES", 3, false}, {"TCP_TCC_READ_REQ_sum", 5, true}};
  r.counters = counters;
  r.counter_count = 2;
  cr_assert(strstr(printed(&r), "EMULATOR_MODEL=0"));
  r.time = (Timing){.median = 1e-6, .min = 1e-6, .max = 1e-6, .runs = 1};
  const char *text = printed(&r);
  cr_assert(strstr(text, "3  (emulated)") && strstr(text, "5  (modelled)"), "%s", text);
  cr_assert(strstr(text, "ms, one launch  (modelled)") && strstr(text, "effective  (modelled)"),
            "%s", text);
  cr_assert(!strstr(text, "measured"), "%s", text);
  r.device = "amd";
  cr_assert(strstr(printed(&r), "effective  (measured)"));
}

Test(report, what_is_modelled_carries_a_large_error) {
  Result r = make_result();
  const EmulatorCounter counters[] = {{"SQ_WAVES", 3, false}, {"TCP_TCC_READ_REQ_sum", 5, true}};
  r.counters = counters;
  r.counter_count = 2;
  r.time = (Timing){.median = 1e-6, .min = 1e-6, .max = 1e-6, .runs = 1};
  r.error = (ModelError){.time = 15.4, .memory = 21.5};
  const char *text = printed(&r);
  cr_assert(strstr(text, "3  (emulated)") && strstr(text, "5  (modelled, +-22 %)"), "%s", text);
  cr_assert(strstr(text, "ms, one launch  (modelled, +-15 %)"), "%s", text);
  cr_assert(json_holds(&r, "r[\"model_error_percent\"] == {\"time\": 15, \"memory\": 22} and "
                           "r[\"time_evidence\"] == \"modelled\""));
  r.error = (ModelError){.time = 9.9};
  cr_assert(strstr(printed(&r), "ms, one launch  (modelled)"));
  cr_assert(json_holds(&r, "r[\"model_error_percent\"] == {\"time\": None, \"memory\": None}"));
  r.error = (ModelError){.time = 15};
  r.device = "amd";
  cr_assert(strstr(printed(&r), "ms, one launch  (measured)"));
}

Test(report, people_are_told_where_to_go_on) {
  Result r = make_result();
  r.checks[1].wrong = 1;
  r.time = (Timing){.median = 1e-6, .min = 1e-6, .max = 1e-6, .runs = 1};
  const char *text = printed(&r);
  cr_assert(strstr(text, "bandwidth   none: the result is not right yet"), "%s", text);
  cr_assert(
      strstr(text, "NOT RIGHT YET. Next: edit labs/01-baseline/laplacian.hip, kernel laplacian"),
      "%s", text);
}

static void write_resources(char *path, const char *text) {
  FILE *file = fdopen(mkstemp(path), "w");
  fputs(text, file);
  fclose(file);
}

Test(resources, are_those_of_the_kernel_asked_for) {
  char path[] = "/tmp/test_resources_XXXXXX";
  write_resources(path,
                  "x.hip:1:1: remark: Function Name: _Z14laplacian_tailPd [-R]\n"
                  "x.hip:1:1: remark:     SGPRs: 1 [-R]\nx.hip:1:1: remark:     VGPRs: 2 [-R]\n"
                  "x.hip:2:1: remark: Function Name: _Z9laplacianPdPKd [-R]\n"
                  "x.hip:2:1: remark:     SGPRs: 90 [-R]\n"
                  "x.hip:2:1: remark:     VGPRs: 128 [-R]\n"
                  "x.hip:2:1: remark:     AGPRs: 7 [-R]\n"
                  "x.hip:2:1: remark:     ScratchSize [bytes/lane]: 180 [-R]\n"
                  "x.hip:2:1: remark:     Occupancy [waves/SIMD]: 4 [-R]\n"
                  "x.hip:2:1: remark:     SGPRs Spill: 5 [-R]\n"
                  "x.hip:2:1: remark:     VGPRs Spill: 6 [-R]\n"
                  "x.hip:2:1: remark:     LDS Size [bytes/block]: 4096 [-R]\n");
  Resources r;
  cr_assert(resources_read(&r, path, "laplacian"));
  cr_assert(r.sgprs == 90 && r.vgprs == 128 && r.agprs == 7 && r.scratch_bytes == 180 &&
            r.occupancy_waves_per_simd == 4 && r.lds_bytes == 4096);
  cr_assert(!resources_read(&r, path, "missing"));
  cr_assert(!resources_read(&r, path, "laplacian_tail")); // its figures are not complete
  cr_assert(!resources_read(&r, "/nonexistent", "laplacian"));
  unlink(path);
}
