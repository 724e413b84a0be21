// Publication of a launch's counters: to the program that asks, and to a file in rocprof's layout.
//
// In: the sums of one finished launch. Out: emulator_counters() and, with
// EMULATOR_COUNTERS=FILE.csv, a line in that file.
//
// Derived metrics: rocprofiler metrics.xml, <gfx90a>; only those that do not depend on time.
// Columns: rocprofiler's result line (test/tool/tool.cpp) as bin/tblextr.py turns it into CSV.
#include "counters.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "code_object.h"
#include "emulator.h"
#include "gfx90a.h"
#include "report_file.h"

static const char *const hardware_names[COUNTER_COUNT] = {
#define X(NAME) [NAME] = #NAME,
    COUNTERS(X) MODELLED_COUNTERS(X)
#undef X
};

enum { NOTHING = COUNTER_COUNT };

// Metrics of the form (counter - without) / SQ_WAVES: instructions per wavefront.
static const struct {
  const char *name;
  CounterName counter;
  unsigned without;
} per_wave[] = {
    {"VALUInsts", SQ_INSTS_VALU, NOTHING},
    {"SALUInsts", SQ_INSTS_SALU, NOTHING},
    {"SFetchInsts", SQ_INSTS_SMEM, NOTHING},
    {"GDSInsts", SQ_INSTS_GDS, NOTHING},
    {"VFetchInsts", SQ_INSTS_VMEM_RD, TA_FLAT_READ_WAVEFRONTS},
    {"VWriteInsts", SQ_INSTS_VMEM_WR, TA_FLAT_WRITE_WAVEFRONTS},
    {"FlatVMemInsts", SQ_INSTS_FLAT, SQ_INSTS_FLAT_LDS_ONLY},
    {"LDSInsts", SQ_INSTS_LDS, SQ_INSTS_FLAT_LDS_ONLY},
    {"FlatLDSInsts", SQ_INSTS_FLAT_LDS_ONLY, NOTHING},
};

enum {
  PER_WAVE_COUNT = sizeof per_wave / sizeof *per_wave,
  OTHER_COUNT = 2,     // Wavefronts, VALUUtilization
  MODELLED_COUNT = 10, // FETCH_SIZE and the other metrics that need time or caches
  EXACT_COUNT = EXACT_COUNTERS + PER_WAVE_COUNT + OTHER_COUNT,
  PUBLISHED_COUNT = COUNTER_COUNT + PER_WAVE_COUNT + OTHER_COUNT + MODELLED_COUNT,
};

static EmulatorCounter published[PUBLISHED_COUNT];
static size_t launches;        // published so far
static size_t published_count; // of the last launch
static size_t columns;         // of the file
static double last_ms;         // modelled time of the last launch, 0 if none

void counters_add(Counters *sum, const Counters *part) {
  for (int i = 0; i < COUNTER_COUNT; i++)
    sum->value[i] += part->value[i];
}

__attribute__((visibility("default"))) size_t emulator_counters(const EmulatorCounter **counters) {
  *counters = published;
  return published_count;
}

__attribute__((visibility("default"))) double emulator_modelled_ms(void) { return last_ms; }

// TA and TCP exist once per compute unit, TCC once per channel; rocprof names the sum over all of
// them NAME_sum.
static const char *published_name(CounterName counter) {
  static char sums[COUNTER_COUNT][48];
  const char *name = hardware_names[counter];
  if (strncmp(name, "TA_", 3) && strncmp(name, "TCP_", 4) && strncmp(name, "TCC_", 4))
    return name;
  snprintf(sums[counter], sizeof sums[counter], "%s_sum", name);
  return sums[counter];
}

static double ratio(double numerator, double denominator) {
  return denominator > 0 ? numerator / denominator : 0;
}

static EmulatorCounter counted(const char *name, double value) {
  return (EmulatorCounter){name, value, false};
}
static EmulatorCounter modelled(const char *name, double value) {
  return (EmulatorCounter){name, value, true};
}

// Metrics of caches and time. Where rocprof's own formula reads only 16 of the 32 L2 channels
// (L2CacheHit), or misses what the kernel's end writes back (WRITE_SIZE), this is the whole.
static EmulatorCounter *derive_modelled(const uint64_t *value, EmulatorCounter *next) {
  enum { KIB = 1024, SIMDS = DEVICE_SIMDS_PER_CU * DEVICE_COMPUTE_UNITS };
  const double clocks = (double)value[GRBM_GUI_ACTIVE], units = DEVICE_COMPUTE_UNITS;
  const double writes = (double)value[TCC_EA_WRREQ], whole = (double)value[TCC_EA_WRREQ_64B];
  const double waves = 4.0 * (double)value[SQ_WAVE_CYCLES], hits = (double)value[TCC_HIT];
  const double read_bytes = (double)value[TCC_EA_RDREQ] * 64;
  const double written_bytes = (writes - whole) * 32 + whole * 64;
  for (CounterName i = EXACT_COUNTERS; i < COUNTER_COUNT; i++)
    *next++ = modelled(published_name(i), (double)value[i]);
  *next++ = modelled("FETCH_SIZE", read_bytes / KIB);
  *next++ = modelled("WRITE_SIZE", written_bytes / KIB);
  *next++ = modelled("L2CacheHit", 100 * ratio(hits, hits + (double)value[TCC_MISS]));
  *next++ = modelled("VALUBusy", 100 * ratio((double)value[SQ_INSTS_VALU] * 4 / SIMDS, clocks));
  *next++ =
      modelled("SALUBusy", 100 * ratio((double)value[SQ_INST_CYCLES_SALU] * 4 / SIMDS, clocks));
  *next++ = modelled("MemUnitBusy", 100 * ratio((double)value[TA_TA_BUSY] / units, clocks));
  *next++ = modelled("OccupancyPercent", 100 * ratio(waves / units / 32, clocks));
  *next++ = modelled("MeanOccupancyPerCU", ratio(waves / units, clocks));
  *next++ =
      modelled("LDSBankConflict", 100 * ratio((double)value[SQ_LDS_BANK_CONFLICT] / units, clocks));
  *next++ = modelled("BANDWIDTH_EA", ratio(read_bytes + written_bytes, clocks));
  return next;
}

// Fills all[PUBLISHED_COUNT] as far as the counters go; returns how many there are.
static size_t derive(const Counters *counters, EmulatorCounter *all) {
  const uint64_t *value = counters->value;
  EmulatorCounter *next = all;
  for (CounterName i = 0; i < EXACT_COUNTERS; i++)
    *next++ = counted(published_name(i), (double)value[i]);
  *next++ = counted("Wavefronts", (double)value[SQ_WAVES]);
  for (int i = 0; i < PER_WAVE_COUNT; i++) {
    const unsigned without = per_wave[i].without;
    const double count =
        (double)value[per_wave[i].counter] - (without == NOTHING ? 0 : (double)value[without]);
    *next++ = counted(per_wave[i].name, ratio(count, (double)value[SQ_WAVES]));
  }
  // rocprof divides by SQ_ACTIVE_INST_VALU, which counts one per VALU instruction issued.
  *next++ =
      counted("VALUUtilization", 100 * ratio((double)value[SQ_THREAD_CYCLES_VALU],
                                             (double)value[SQ_INSTS_VALU] * DEVICE_WAVEFRONT_SIZE));
  if (counters->modelled)
    next = derive_modelled(value, next);
  return (size_t)(next - all);
}

__attribute__((visibility("default"))) size_t
emulator_counter_names(const EmulatorCounter **counters) {
  static EmulatorCounter names[PUBLISHED_COUNT];
  const Counters nothing = {.modelled = true};
  *counters = names;
  return derive(&nothing, names);
}

static void write_header(FILE *file) {
  fputs("Index,KernelName,gpu-id,queue-id,queue-index,pid,tid,grd,wgr,lds,scr,arch_vgpr,accum_vgpr,"
        "sgpr,wave_size,sig,obj",
        file);
  columns = published_count;
  for (size_t i = 0; i < columns; i++)
    fprintf(file, ",%s", published[i].name);
  fputc('\n', file);
}

static void write_line(FILE *file, const Launch *launch) {
  const Kernel *kernel = launch->kernel;
  fprintf(file, "%zu,", launches);
  // rocprof demangles the symbol of the kernel descriptor.
  csv_field(file, kernel->name, kernel->name == kernel->symbol ? ".kd" : " [clone .kd]");
  // There is one device with one queue, and no completion signal.
  fprintf(file, ",0,0,%zu,%ld,%ld,%llu,%u,%u,%u,%u,%u,%u,%d,0x0,0x%llx", launches, (long)getpid(),
          syscall(SYS_gettid), (unsigned long long)launch->workgroups * launch->items_per_workgroup,
          launch->items_per_workgroup, launch->lds_allocated_bytes, kernel->private_segment_size,
          kernel->accum_offset, kernel->allocated_vgprs - kernel->accum_offset,
          kernel->allocated_sgprs, DEVICE_WAVEFRONT_SIZE, (unsigned long long)kernel->descriptor);
  for (size_t i = 0; i < columns; i++) {
    const double value = published[i].value;
    if (i < published_count)
      fprintf(file, ",%.*f", value == floor(value) ? 0 : 10, value);
    else
      fputc(',', file); // this launch was not modelled
  }
  fputc('\n', file);
}

static ReportFile output = {.variable = "EMULATOR_COUNTERS", .content = "the counters"};

static void append(const Launch *launch) {
  bool fresh;
  FILE *file = report_file_wanted(&output) ? report_file_begin(&output, &fresh) : NULL;
  if (!file)
    return;
  if (fresh)
    write_header(file);
  write_line(file, launch);
  report_file_end(&output);
}

void counters_publish(const Counters *counters, const Launch *launch) {
  published_count = derive(counters, published);
  last_ms = counters->modelled_ms;
  append(launch);
  launches++;
}
