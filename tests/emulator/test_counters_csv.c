// Counters as a program and a file see them: rocprof's names, formulas and columns.
//
// The counts are those of AMD's own MI210 run of vecCopy (c[id] = a[id], 16384 wavefronts), so the
// metrics are what rocprof made of them; and invented ones where vecCopy has zeros.
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <criterion/redirect.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../emulator/include/emulator.h"
#include "code_object.h"
#include "counters.h"

static const Kernel kernel = {
    .symbol = "_Z7vecCopyPdS_S_ii",
    .name = "vecCopy(double*, double*, double*, int, int)",
    .descriptor = 0x7f0000001740,
    .private_segment_size = 12,
    .accum_offset = 8,
    .allocated_vgprs = 24,
    .allocated_sgprs = 16,
};

static const Counters vec_copy = {.value = {
                                      [SQ_WAVES] = 16384,
                                      [SQ_ITEMS] = 1048576,
                                      [SQ_INSTS_VALU] = 163840,
                                      [SQ_INSTS_SALU] = 49152,
                                      [SQ_INSTS_SMEM] = 65536,
                                      [SQ_INSTS_VMEM_RD] = 16384,
                                      [SQ_INSTS_VMEM_WR] = 16384,
                                      [SQ_INSTS_FLAT] = 32768,
                                      [SQ_THREAD_CYCLES_VALU] = 10485760,
                                      [TA_FLAT_READ_WAVEFRONTS] = 16384,
                                      [TA_FLAT_WRITE_WAVEFRONTS] = 16384,
                                      [TCP_TOTAL_CACHE_ACCESSES] = 524288,
                                  }};

static double counter(const char *name) {
  const EmulatorCounter *counters;
  const size_t count = emulator_counters(&counters);
  for (size_t i = 0; i < count; i++)
    if (!strcmp(counters[i].name, name))
      return counters[i].value;
  cr_fail("there is no counter %s", name);
  return -1;
}

static const Launch launch = {.kernel = &kernel,
                              .workgroups = 4096,
                              .items = 1048576,
                              .items_per_workgroup = 256,
                              .lds_allocated_bytes = 1024};

static void publish(const Counters *counters) { counters_publish(counters, &launch); }

Test(counters, nothing_before_the_first_launch) {
  const EmulatorCounter *counters;
  cr_assert(zero(sz, emulator_counters(&counters)));
}

Test(counters, names_and_metrics_of_vec_copy) {
  publish(&vec_copy);
  const struct {
    const char *name;
    double value;
  } expected[] = {
      {"SQ_WAVES", 16384},   {"Wavefronts", 16384},
      {"VALUInsts", 10},     {"SALUInsts", 3},
      {"SFetchInsts", 4},    {"VFetchInsts", 0},
      {"VWriteInsts", 0},    {"FlatVMemInsts", 2},
      {"LDSInsts", 0},       {"FlatLDSInsts", 0},
      {"GDSInsts", 0},       {"VALUUtilization", 100},
      {"SQ_INSTS_MFMA", 0},  {"TA_FLAT_READ_WAVEFRONTS_sum", 16384},
      {"SQ_ITEMS", 1048576}, {"TCP_TOTAL_CACHE_ACCESSES_sum", 524288},
  };
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
    cr_assert(eq(dbl, counter(expected[i].name), expected[i].value), "%s", expected[i].name);
}

Test(counters, metrics_of_other_instructions) {
  publish(&(Counters){.value = {[SQ_WAVES] = 4,
                                [SQ_INSTS_VALU] = 8,
                                [SQ_INSTS_GDS] = 20,
                                [SQ_INSTS_VMEM_RD] = 13,
                                [TA_FLAT_READ_WAVEFRONTS] = 1,
                                [SQ_INSTS_VMEM_WR] = 9,
                                [TA_FLAT_WRITE_WAVEFRONTS] = 3,
                                [SQ_INSTS_FLAT] = 12,
                                [SQ_INSTS_FLAT_LDS_ONLY] = 2,
                                [SQ_INSTS_LDS] = 44,
                                [SQ_THREAD_CYCLES_VALU] = 128}});
  cr_assert(eq(dbl, counter("VFetchInsts"), 3));
  cr_assert(eq(dbl, counter("VWriteInsts"), 1.5));
  cr_assert(eq(dbl, counter("FlatVMemInsts"), 2.5));
  cr_assert(eq(dbl, counter("FlatLDSInsts"), 0.5));
  cr_assert(eq(dbl, counter("LDSInsts"), 10.5));
  cr_assert(eq(dbl, counter("GDSInsts"), 5));
  cr_assert(eq(dbl, counter("VALUUtilization"), 25));
}

Test(counters, an_empty_launch_divides_by_nothing) {
  publish(&(Counters){.value = {0}});
  cr_assert(eq(dbl, counter("VALUInsts"), 0));
  cr_assert(eq(dbl, counter("VALUUtilization"), 0));
}

// Round numbers for the device of 110 compute units, 440 SIMDs: see the test below.
static const Counters busy = {.modelled = true,
                              .value = {
                                  [GRBM_GUI_ACTIVE] = 1000,
                                  [SQ_INSTS_VALU] = 22000,
                                  [SQ_INST_CYCLES_SALU] = 11000,
                                  [TA_TA_BUSY] = 27500,
                                  [SQ_WAVE_CYCLES] = 440000,
                                  [SQ_LDS_BANK_CONFLICT] = 5500,
                                  [TCC_HIT] = 3,
                                  [TCC_MISS] = 1,
                                  [TCC_EA_RDREQ] = 3000,
                                  [TCC_EA_WRREQ] = 2000,
                                  [TCC_EA_WRREQ_64B] = 1500,
                              }};

typedef struct {
  const char *name;
  double value;
} Expected;

static void expect_metrics(const Expected *expected, size_t count) {
  publish(&busy);
  for (size_t i = 0; i < count; i++)
    cr_expect(epsilon_eq(dbl, counter(expected[i].name), expected[i].value, 1e-9), "%s: %g, not %g",
              expected[i].name, counter(expected[i].name), expected[i].value);
}
#define EXPECT_METRICS(...)                                                                        \
  expect_metrics((const Expected[]){__VA_ARGS__},                                                  \
                 sizeof(const Expected[]){__VA_ARGS__} / sizeof(Expected))

Test(counters, metrics_of_time_and_caches) {
  EXPECT_METRICS({"VALUBusy", 20},           // 22000 x 4 of 440000 clk
                 {"SALUBusy", 10},           // 11000 x 4 of 440000 clk
                 {"MemUnitBusy", 25},        // 27500 of 110000 clk
                 {"MeanOccupancyPerCU", 16}, // 440000 x 4 of 110000 clk
                 {"OccupancyPercent", 50},   // 16 of 32 waves
                 {"LDSBankConflict", 5},     // 5500 of 110000 clk
                 {"FETCH_SIZE", 187.5},      // 3000 x 64 B in KiB
                 {"WRITE_SIZE", 109.375},    // 1500 x 64 B + 500 x 32 B in KiB
                 {"L2CacheHit", 75},         // 3 of 4
                 {"BANDWIDTH_EA", 304});     // 304000 B in 1000 clk
}

// The same counts on a device with twice the compute units and half the waves a SIMD.
Test(counters, metrics_of_another_device) {
  setenv("EMULATOR_SET", "compute_units=220 waves_per_simd=4", 1);
  EXPECT_METRICS({"VALUBusy", 10}, {"SALUBusy", 5}, {"MemUnitBusy", 12.5},
                 {"MeanOccupancyPerCU", 8}, {"OccupancyPercent", 50}, {"LDSBankConflict", 2.5},
                 {"FETCH_SIZE", 187.5}, {"WRITE_SIZE", 109.375}, {"L2CacheHit", 75},
                 {"BANDWIDTH_EA", 304});
}

Test(counters, what_was_not_modelled_is_listed_without_a_value) {
  publish(&busy);
  const EmulatorCounter *counters;
  const size_t count = emulator_counters(&counters);
  publish(&vec_copy);
  cr_assert(eq(sz, emulator_counters(&counters), count));
  for (size_t i = 0; i < count; i++)
    cr_assert(eq(int, isnan(counters[i].value) != 0, counters[i].modelled), "%s", counters[i].name);
  cr_assert(isnan(counter("OccupancyPercent")) && isnan(counter("TCC_HIT_sum")));
  cr_assert(eq(dbl, counter("EMULATOR_GLOBAL_BYTES_LOADED"), 0));
}

// And says so, once the program asks.
Test(counters, what_nobody_wanted_to_know_of_lanes_is_listed_without_a_value) {
  Counters unknown = busy;
  unknown.traffic_unknown = true;
  cr_assert(zero(int, counters_wanted()));
  publish(&unknown);
  cr_assert(isnan(counter("SQ_LDS_BANK_CONFLICT")) && isnan(counter("SQ_LDS_IDX_ACTIVE")));
  cr_assert(isnan(counter("TA_TOTAL_WAVEFRONTS_sum")) &&
            isnan(counter("EMULATOR_GLOBAL_BYTES_STORED")));
  cr_assert(eq(dbl, counter("SQ_INSTS_VALU"), 22000));
  cr_assert(isnan(counter("SQ_THREAD_CYCLES_VALU")) == 0 && isnan(counter("SQ_INSTS_VMEM")) == 0);
  cr_assert(counters_wanted());
  publish(&busy);
  cr_assert(eq(dbl, counter("SQ_LDS_BANK_CONFLICT"), 5500));
  emulator_count_from_here();
  publish(&unknown);
  publish(&busy);
  cr_assert(isnan(counter("SQ_LDS_BANK_CONFLICT")), "of the two together");
}

Test(counters, parts_add_up) {
  Counters sum = vec_copy;
  counters_add(&sum, &vec_copy);
  cr_assert(eq(u64, sum.value[SQ_WAVES], 32768));
  cr_assert(eq(u64, sum.value[TCP_TOTAL_CACHE_ACCESSES], 1048576));
  cr_assert(zero(u64, sum.value[SQ_INSTS_MFMA]));
}

// Of several launches: counts are summed, percentages follow from the sums, and one launch that was
// not modelled leaves all that is modelled unknown.
Test(counters, of_all_launches_from_a_call_on) {
  const EmulatorCounter *counters;
  publish(&busy);
  emulator_count_from_here();
  cr_assert(zero(sz, emulator_counters(&counters)));
  cr_assert(zero(dbl, emulator_modelled_ms()));
  Counters hits = {.modelled = true, .modelled_ms = 0.5, .value = {[TCC_HIT] = 30}};
  Counters misses = {.modelled = true, .modelled_ms = 0.25, .value = {[TCC_MISS] = 10}};
  publish(&hits);
  cr_assert(eq(dbl, counter("L2CacheHit"), 100));
  publish(&misses);
  cr_assert(eq(dbl, counter("L2CacheHit"), 75));
  cr_assert(eq(dbl, counter("TCC_HIT_sum"), 30));
  cr_assert(eq(dbl, emulator_modelled_ms(), 0.75));
  publish(&vec_copy);
  cr_assert(eq(dbl, counter("SQ_WAVES"), 16384));
  cr_assert(isnan(counter("L2CacheHit")));
  cr_assert(zero(dbl, emulator_modelled_ms()));
  emulator_count_from_here();
  publish(&misses);
  cr_assert(zero(dbl, counter("L2CacheHit")));
  cr_assert(eq(dbl, emulator_modelled_ms(), 0.25));
}

// Splits a CSV line in place, unquoting; returns the number of fields.
static size_t split(char *line, char *fields[], size_t limit) {
  size_t count = 0;
  for (char *from = line; *from && *from != '\n' && count < limit; count++) {
    char *to = fields[count] = from;
    bool quoted = *from == '"';
    from += quoted;
    for (; *from && (quoted || (*from != ',' && *from != '\n')); from++) {
      if (quoted && *from == '"' && *++from != '"') {
        quoted = false;
        from--;
        continue;
      }
      *to++ = *from;
    }
    const bool empty_last = from[0] == ',' && from[1] == '\n' && count + 1 < limit;
    if (*from)
      from++;
    *to = '\0';
    if (empty_last)
      fields[++count] = to;
  }
  return count;
}

typedef struct {
  char text[3][8192];
  char *field[3][128];
  size_t fields[3], lines;
} Table;

static Table read_table(const char *path) {
  static Table table;
  FILE *file = fopen(path, "r");
  cr_assert(ne(ptr, file, NULL), "%s was not written", path);
  char extra[16];
  for (table.lines = 0; table.lines < 3 && fgets(table.text[table.lines], 8192, file);
       table.lines++)
    table.fields[table.lines] = split(table.text[table.lines], table.field[table.lines], 128);
  cr_assert(eq(ptr, fgets(extra, sizeof extra, file), NULL), "more than 3 lines");
  fclose(file);
  return table;
}

static const char *cell(const Table *table, size_t line, const char *column) {
  for (size_t i = 0; i < table->fields[0]; i++)
    if (!strcmp(table->field[0][i], column))
      return table->field[line][i];
  cr_fail("there is no column %s", column);
  return "";
}

static void expect_cell(const Table *table, size_t line, const char *column, const char *value) {
  cr_assert(eq(str, (char *)cell(table, line, column), (char *)value), "column %s", column);
}

static void use_file(char *path) {
  const int file = mkstemp(path);
  cr_assert(ge(int, file, 0));
  cr_assert(eq(int, (int)write(file, "old\n", 4), 4));
  close(file);
  setenv("EMULATOR_COUNTERS", path, 1);
}

Test(counters, file_may_be_stderr) {
  char line[64] = "";
  cr_redirect_stderr();
  setenv("EMULATOR_COUNTERS", "-", 1);
  publish(&vec_copy);
  FILE *written = cr_get_redirected_stderr();
  cr_assert(ne(ptr, fgets(line, sizeof line, written), NULL));
  cr_assert(zero(int, strncmp(line, "\"Index\"", 7) && strncmp(line, "Index,", 6)), "%s", line);
}

Test(counters, file_has_rocprofs_columns_and_a_line_per_launch) {
  char path[] = "/tmp/counters-XXXXXX";
  use_file(path);
  publish(&vec_copy);
  static const char axpy[] = "axpy"; // a C name is its own demangled form
  const Kernel plain = {.symbol = axpy, .name = axpy, .accum_offset = 4, .allocated_vgprs = 8};
  Counters half = {.modelled = true, .value = {[SQ_WAVES] = 3, [SQ_INSTS_VALU] = 1, [TCC_HIT] = 6}};
  const Launch many = {.kernel = &plain,
                       .workgroups = 78125000,
                       .items = 5000000000,
                       .items_per_workgroup = 64,
                       .device = 2};
  counters_publish(&half, &many);
  Table table = read_table(path);
  unlink(path);
  cr_assert(eq(sz, table.lines, 3));
  static const char *const columns[] = {
      "Index",      "KernelName", "gpu-id",    "queue-id", "queue-index", "pid",
      "tid",        "grd",        "wgr",       "lds",      "scr",         "arch_vgpr",
      "accum_vgpr", "sgpr",       "wave_size", "sig",      "obj",         "SQ_WAVES"};
  for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
    cr_assert(eq(str, table.field[0][i], (char *)columns[i]));
  cr_assert(eq(sz, table.fields[1], table.fields[0]));
  cr_assert(eq(sz, table.fields[2], table.fields[0]));

  expect_cell(&table, 1, "Index", "0");
  expect_cell(&table, 1, "KernelName", "vecCopy(double*, double*, double*, int, int) [clone .kd]");
  expect_cell(&table, 1, "grd", "1048576");
  expect_cell(&table, 1, "wgr", "256");
  expect_cell(&table, 1, "lds", "1024");
  expect_cell(&table, 1, "scr", "12");
  expect_cell(&table, 1, "arch_vgpr", "8");
  expect_cell(&table, 1, "accum_vgpr", "16");
  expect_cell(&table, 1, "sgpr", "16");
  expect_cell(&table, 1, "wave_size", "64");
  expect_cell(&table, 1, "obj", "0x7f0000001740");
  expect_cell(&table, 1, "SQ_THREAD_CYCLES_VALU", "10485760");
  cr_assert(eq(int, atoi(cell(&table, 1, "pid")), getpid()));

  expect_cell(&table, 1, "TCC_HIT_sum", ""); // not modelled

  expect_cell(&table, 2, "TCC_HIT_sum", "6");
  expect_cell(&table, 1, "gpu-id", "0");
  expect_cell(&table, 2, "gpu-id", "2");
  expect_cell(&table, 2, "Index", "1");
  expect_cell(&table, 2, "KernelName", "axpy.kd");
  expect_cell(&table, 2, "grd", "5000000000");
  expect_cell(&table, 2, "VALUInsts", "0.3333333333");
}

Test(counters, names_with_quotes_stay_one_field) {
  char path[] = "/tmp/counters-XXXXXX";
  use_file(path);
  const Kernel odd = {.symbol = "s", .name = "operator\"\" _x(a, b)", .allocated_vgprs = 8};
  const Launch one = {.kernel = &odd, .workgroups = 1, .items = 64, .items_per_workgroup = 64};
  counters_publish(&vec_copy, &one);
  Table table = read_table(path);
  unlink(path);
  expect_cell(&table, 1, "KernelName", "operator\"\" _x(a, b) [clone .kd]");
  expect_cell(&table, 1, "wgr", "64");
}

static void expect_one_complaint(const char *path, const char *reason) {
  setenv("EMULATOR_COUNTERS", path, 1);
  cr_redirect_stderr();
  publish(&vec_copy);
  publish(&vec_copy);
  fflush(stderr);
  char text[1024] = "";
  FILE *output = cr_get_redirected_stderr();
  text[fread(text, 1, sizeof text - 1, output)] = '\0';
  char *first = strstr(text, path);
  cr_assert(ne(ptr, first, NULL), "path in: %s", text);
  cr_assert(ne(ptr, strstr(text, reason), NULL), "reason in: %s", text);
  cr_assert(eq(ptr, strchr(strchr(text, '\n') + 1, '\n'), NULL), "one line: %s", text);
  cr_assert(eq(dbl, counter("SQ_WAVES"), 16384), "the counters themselves are there");
}

Test(counters, a_folder_that_does_not_exist_is_said_once) {
  expect_one_complaint("/nowhere/counters.csv", "No such file");
}

Test(counters, a_full_disk_is_said_once) { expect_one_complaint("/dev/full", "No space left"); }
