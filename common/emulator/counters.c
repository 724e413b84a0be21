// Publication of a launch's counters: to the program that asks, and to a file in rocprof's layout.
//
// In: the sums of one finished launch. Out: emulator_counters() and, with
// EMULATOR_COUNTERS=FILE.csv, a line in that file.
//
// Derived metrics: rocprofiler metrics.xml, <gfx90a>; only those that do not depend on time.
// Columns: rocprofiler's result line (test/tool/tool.cpp) as bin/tblextr.py turns it into CSV.
#include "counters.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "code_object.h"
#include "device.h"
#include "emulator.h"

static const char *const hardware_names[COUNTER_COUNT] = {
#define X(NAME) #NAME,
    COUNTERS(X)
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
  OTHER_COUNT = 2, // Wavefronts, VALUUtilization
  PUBLISHED_COUNT = COUNTER_COUNT + PER_WAVE_COUNT + OTHER_COUNT,
};

static EmulatorCounter published[PUBLISHED_COUNT];
static size_t launches; // published so far

void counters_add(Counters *sum, const Counters *part) {
  for (int i = 0; i < COUNTER_COUNT; i++)
    sum->value[i] += part->value[i];
}

__attribute__((visibility("default"))) size_t emulator_counters(const EmulatorCounter **counters) {
  *counters = published;
  return launches > 0 ? PUBLISHED_COUNT : 0;
}

// TA and TCP exist once per compute unit; rocprof names the sum over all of them NAME_sum.
static const char *published_name(CounterName counter) {
  static char sums[COUNTER_COUNT][48];
  const char *name = hardware_names[counter];
  if (strncmp(name, "TA_", 3) && strncmp(name, "TCP_", 4))
    return name;
  snprintf(sums[counter], sizeof sums[counter], "%s_sum", name);
  return sums[counter];
}

static double ratio(double numerator, double denominator) {
  return denominator > 0 ? numerator / denominator : 0;
}

static void derive(const uint64_t *value) {
  EmulatorCounter *next = published;
  for (CounterName i = 0; i < COUNTER_COUNT; i++)
    *next++ = (EmulatorCounter){published_name(i), (double)value[i]};
  *next++ = (EmulatorCounter){"Wavefronts", (double)value[SQ_WAVES]};
  for (int i = 0; i < PER_WAVE_COUNT; i++) {
    const unsigned without = per_wave[i].without;
    const double count =
        (double)value[per_wave[i].counter] - (without == NOTHING ? 0 : (double)value[without]);
    *next++ = (EmulatorCounter){per_wave[i].name, ratio(count, (double)value[SQ_WAVES])};
  }
  // rocprof divides by SQ_ACTIVE_INST_VALU, which counts one per VALU instruction issued.
  *next++ = (EmulatorCounter){"VALUUtilization",
                              100 * ratio((double)value[SQ_THREAD_CYCLES_VALU],
                                          (double)value[SQ_INSTS_VALU] * DEVICE_WAVEFRONT_SIZE)};
}

// The name as rocprof prints it, which demangles the symbol of the kernel descriptor.
static void write_kernel_name(FILE *file, const Kernel *kernel) {
  fputc('"', file);
  for (const char *c = kernel->name; *c; c++) {
    if (*c == '"')
      fputc('"', file); // CSV doubles it
    fputc(*c, file);
  }
  fputs(kernel->name == kernel->symbol ? ".kd\"" : " [clone .kd]\"", file);
}

static void write_header(FILE *file) {
  fputs("Index,KernelName,gpu-id,queue-id,queue-index,pid,tid,grd,wgr,lds,scr,arch_vgpr,accum_vgpr,"
        "sgpr,wave_size,sig,obj",
        file);
  for (int i = 0; i < PUBLISHED_COUNT; i++)
    fprintf(file, ",%s", published[i].name);
  fputc('\n', file);
}

static void write_line(FILE *file, const Kernel *kernel, uint64_t grid_items, uint32_t block_items,
                       uint32_t lds_bytes) {
  const unsigned lds =
      (lds_bytes + DEVICE_LDS_GRANULE - 1) / DEVICE_LDS_GRANULE * DEVICE_LDS_GRANULE;
  fprintf(file, "%zu,", launches);
  write_kernel_name(file, kernel);
  // There is one device with one queue, and no completion signal.
  fprintf(file, ",0,0,%zu,%ld,%ld,%llu,%u,%u,%u,%u,%u,%u,%d,0x0,0x%llx", launches, (long)getpid(),
          syscall(SYS_gettid), (unsigned long long)grid_items, block_items, lds,
          kernel->private_segment_size, kernel->accum_offset,
          kernel->allocated_vgprs - kernel->accum_offset, kernel->allocated_sgprs,
          DEVICE_WAVEFRONT_SIZE, (unsigned long long)kernel->descriptor);
  for (int i = 0; i < PUBLISHED_COUNT; i++) {
    const double value = published[i].value;
    fprintf(file, ",%.*f", value == floor(value) ? 0 : 10, value);
  }
  fputc('\n', file);
}

// The file is flushed after each launch: a program that is killed leaves what it has done.
static void append(const Kernel *kernel, uint64_t grid_items, uint32_t block_items,
                   uint32_t lds_bytes) {
  static FILE *file;
  static bool broken;
  const char *path = getenv("EMULATOR_COUNTERS");
  if (!path || !*path || broken)
    return;
  errno = 0;
  if (!file && (file = fopen(path, "w")))
    write_header(file);
  if (file)
    write_line(file, kernel, grid_items, block_items, lds_bytes);
  if (!file || fflush(file) || ferror(file)) {
    broken = true;
    fprintf(stderr,
            "emulator: the counters cannot be written to %s (EMULATOR_COUNTERS): %s. The program "
            "goes on without.\n",
            path, strerror(errno));
  }
}

void counters_publish(const Counters *counters, const Kernel *kernel, uint64_t grid_items,
                      uint32_t block_items, uint32_t lds_bytes) {
  derive(counters->value);
  append(kernel, grid_items, block_items, lds_bytes);
  launches++;
}
