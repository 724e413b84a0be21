// Publication of a launch's counters: to the program that asks, and to a file in rocprof's layout.
//
// In: the sums of one finished launch. Out: emulator_counters(), of one launch or the sum of several;
// with EMULATOR_COUNTERS=FILE.csv, a line in that file for each launch.
//
// Metrics: rocprofiler metrics.xml, <gfx90a>, for the device's compute units and waves.
// Columns: rocprofiler's result line (test/tool/tool.cpp) as bin/tblextr.py turns it into CSV.
#include "counters.h"

#include "queue.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "code_object.h"
#include "emulator.h"
#include "gfx90a.h"
#include "line_report.h"
#include "parameters.h"
#include "report_file.h"

static const char *const hardware_names[COUNTER_COUNT] = {
#define X(NAME) [NAME] = #NAME,
    COUNTERS(X) MODELLED_COUNTERS(X)
#undef X
};

static double ratio(double numerator, double denominator) {
  return denominator > 0 ? numerator / denominator : 0;
}

// ---- metrics: what follows from the counters of a launch ----

enum { NOTHING = COUNTER_COUNT };

// Of the form (counter - without) / SQ_WAVES: instructions per wavefront.
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

typedef double Formula(const uint64_t *count);

static double wavefronts(const uint64_t *count) { return (double)count[SQ_WAVES]; }

// rocprof divides by SQ_ACTIVE_INST_VALU, which counts one per VALU instruction issued.
static double valu_utilization(const uint64_t *count) {
  return 100 * ratio((double)count[SQ_THREAD_CYCLES_VALU],
                     (double)count[SQ_INSTS_VALU] * DEVICE_WAVEFRONT_SIZE);
}

enum { KIB = 1024, QUAD = 4 }; // QUAD: clk of a wave instruction, and of a quad-cycle

// Clk of the launch, summed over all compute units, or all their SIMDs.
static double unit_clocks(const uint64_t *count) {
  return parameters_device()->compute_units * (double)count[GRBM_GUI_ACTIVE];
}
static double simd_clocks(const uint64_t *count) {
  return DEVICE_SIMDS_PER_CU * unit_clocks(count);
}

static double read_bytes(const uint64_t *count) { return 64 * (double)count[TCC_EA_RDREQ]; }
static double written_bytes(const uint64_t *count) {
  const double all = (double)count[TCC_EA_WRREQ], whole = (double)count[TCC_EA_WRREQ_64B];
  return (all - whole) * 32 + whole * 64;
}

static double fetch_size(const uint64_t *count) { return read_bytes(count) / KIB; }
static double write_size(const uint64_t *count) { return written_bytes(count) / KIB; }
static double l2_cache_hit(const uint64_t *count) {
  return 100 * ratio((double)count[TCC_HIT], (double)count[TCC_HIT] + (double)count[TCC_MISS]);
}
static double valu_busy(const uint64_t *count) {
  return 100 * ratio(QUAD * (double)count[SQ_INSTS_VALU], simd_clocks(count));
}
static double salu_busy(const uint64_t *count) {
  return 100 * ratio(QUAD * (double)count[SQ_INST_CYCLES_SALU], simd_clocks(count));
}
static double mem_unit_busy(const uint64_t *count) {
  return 100 * ratio((double)count[TA_TA_BUSY], unit_clocks(count));
}
static double mean_occupancy(const uint64_t *count) {
  return ratio(QUAD * (double)count[SQ_WAVE_CYCLES], unit_clocks(count));
}
static double occupancy_percent(const uint64_t *count) {
  return 100 * mean_occupancy(count) / (DEVICE_SIMDS_PER_CU * parameters_device()->waves_per_simd);
}
static double lds_bank_conflict(const uint64_t *count) {
  return 100 * ratio((double)count[SQ_LDS_BANK_CONFLICT], unit_clocks(count));
}
static double bandwidth_ea(const uint64_t *count) {
  return ratio(read_bytes(count) + written_bytes(count), (double)count[GRBM_GUI_ACTIVE]);
}

typedef struct {
  const char *name;
  Formula *formula;
} Metric;

static const Metric metrics[] = {
    {"Wavefronts", wavefronts},
    {"VALUUtilization", valu_utilization},
};

// Of caches and time. Where rocprof's own formula reads only 16 of the 32 L2 channels (L2CacheHit),
// or misses what the kernel's end writes back (WRITE_SIZE), this is the whole.
static const Metric modelled_metrics[] = {
    {"FETCH_SIZE", fetch_size},
    {"WRITE_SIZE", write_size},
    {"L2CacheHit", l2_cache_hit},
    {"VALUBusy", valu_busy},
    {"SALUBusy", salu_busy},
    {"MemUnitBusy", mem_unit_busy},
    {"OccupancyPercent", occupancy_percent},
    {"MeanOccupancyPerCU", mean_occupancy},
    {"LDSBankConflict", lds_bank_conflict},
    {"BANDWIDTH_EA", bandwidth_ea},
};

enum {
  PER_WAVE = sizeof per_wave / sizeof *per_wave,
  METRICS = sizeof metrics / sizeof *metrics,
  MODELLED_METRICS = sizeof modelled_metrics / sizeof *modelled_metrics,
  PUBLISHED = COUNTER_COUNT + PER_WAVE + METRICS + MODELLED_METRICS,
};

// ---- publication ----

static EmulatorCounter published[PUBLISHED];
static size_t launches;    // published so far
static Counters sum;       // of the launches since emulator_count_from_here
static size_t summed;      // these launches
static bool sum_is_wanted; // whether it was ever called

void counters_add(Counters *total, const Counters *part) {
  for (int i = 0; i < COUNTER_COUNT; i++)
    total->value[i] += part->value[i];
}

static bool asked; // the program, for anything

void counters_ask(void) { __atomic_store_n(&asked, true, __ATOMIC_RELAXED); }

static void tell_unknown_traffic(void) {
  static bool told;
  if (sum.traffic_unknown && !told)
    fprintf(stderr,
            "emulator: note: what memory instructions do (SQ_LDS_IDX_ACTIVE, SQ_LDS_BANK_CONFLICT, "
            "counters of TA and TCP, EMULATOR_GLOBAL_BYTES) is not known (NaN) of launches before "
            "this call, because EMULATOR_MODEL=0 asks for speed and nothing told "
            "that counters are wanted. Call emulator_count_from_here() before the launch\n");
  told |= sum.traffic_unknown;
}

__attribute__((visibility("default"))) size_t emulator_counters(const EmulatorCounter **counters) {
  counters_ask();
  queue_wait_all();
  tell_unknown_traffic();
  *counters = published;
  return summed ? PUBLISHED : 0;
}

__attribute__((visibility("default"))) double emulator_modelled_ms(void) {
  queue_wait_all();
  return sum.modelled ? sum.modelled_ms : 0;
}

static void start_sum(void) {
  sum = (Counters){.modelled = true};
  summed = 0;
}

__attribute__((visibility("default"))) void emulator_count_from_here(void) {
  counters_ask();
  queue_wait_all();
  sum_is_wanted = true;
  start_sum();
}

// TA and TCP exist once per compute unit, TCC once per channel; rocprof names the sum over all of
// them NAME_sum.
static const char *published_name(CounterName counter) {
  static char sums[COUNTER_COUNT][48];
  if (sums[counter][0]) // made once: a program may launch a million kernels
    return sums[counter];
  const char *name = hardware_names[counter];
  if (strncmp(name, "TA_", 3) && strncmp(name, "TCP_", 4) && strncmp(name, "TCC_", 4))
    return name;
  snprintf(sums[counter], sizeof sums[counter], "%s_sum", name);
  return sums[counter];
}

static EmulatorCounter counted(const char *name, double value) {
  return (EmulatorCounter){name, value, false};
}

// Fills published[].
static void derive(const Counters *counters) {
  const uint64_t *count = counters->value;
  EmulatorCounter *next = published;
  for (CounterName i = 0; i < EXACT_COUNTERS; i++)
    *next++ = counted(published_name(i),
                      counters->traffic_unknown && counter_of_traffic(i) ? NAN : (double)count[i]);
  for (int i = 0; i < PER_WAVE; i++) {
    const double without = per_wave[i].without == NOTHING ? 0 : (double)count[per_wave[i].without];
    const double insts = (double)count[per_wave[i].counter] - without;
    *next++ = counted(per_wave[i].name, ratio(insts, (double)count[SQ_WAVES]));
  }
  for (int i = 0; i < METRICS; i++)
    *next++ = counted(metrics[i].name, metrics[i].formula(count));

  const double known = counters->modelled ? 0 : NAN; // NAN plus any number is NAN
  for (CounterName i = EXACT_COUNTERS; i < COUNTER_COUNT; i++)
    *next++ = (EmulatorCounter){published_name(i), known + (double)count[i], true};
  for (int i = 0; i < MODELLED_METRICS; i++)
    *next++ = (EmulatorCounter){modelled_metrics[i].name,
                                known + modelled_metrics[i].formula(count), true};
}

static void write_header(FILE *file) {
  fputs("Index,KernelName,gpu-id,queue-id,queue-index,pid,tid,grd,wgr,lds,scr,arch_vgpr,accum_vgpr,"
        "sgpr,wave_size,sig,obj",
        file);
  for (int i = 0; i < PUBLISHED; i++)
    fprintf(file, ",%s", published[i].name);
  fputc('\n', file);
}

static void write_line(FILE *file, const Launch *launch) {
  const Kernel *kernel = launch->kernel;
  fprintf(file, "%zu,", launches);
  // rocprof demangles the symbol of the kernel descriptor.
  csv_field(file, kernel->name, kernel->name == kernel->symbol ? ".kd" : " [clone .kd]");
  // A device has one queue, and there is no completion signal.
  fprintf(file, ",%d,0,%zu,%ld,%ld,%llu,%u,%u,%u,%u,%u,%u,%d,0x0,0x%llx", launch->device, launches,
          (long)getpid(), syscall(SYS_gettid), (unsigned long long)launch->items,
          launch->items_per_workgroup, launch->lds_allocated_bytes, kernel->private_segment_size,
          kernel->accum_offset, kernel->allocated_vgprs - kernel->accum_offset,
          kernel->allocated_sgprs, DEVICE_WAVEFRONT_SIZE, (unsigned long long)kernel->descriptor);
  for (int i = 0; i < PUBLISHED; i++) {
    const double value = published[i].value;
    if (isnan(value))
      fputc(',', file); // this launch was not modelled
    else
      fprintf(file, ",%.*f", value == floor(value) ? 0 : 10, value);
  }
  fputc('\n', file);
}

static ReportFile output = {.variable = "EMULATOR_COUNTERS", .content = "the counters"};

bool counters_wanted(void) {
  return __atomic_load_n(&asked, __ATOMIC_RELAXED) || report_file_wanted(&output) ||
         line_report_wanted();
}

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
  derive(counters);
  append(launch);
  launches++;
  if (!sum_is_wanted)
    start_sum();
  counters_add(&sum, counters);
  sum.modelled &= counters->modelled;
  sum.traffic_unknown |= counters->traffic_unknown;
  sum.modelled_ms += counters->modelled_ms;
  if (++summed > 1)
    derive(&sum);
}
