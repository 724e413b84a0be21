// Memory report by source line: see line_report.h.
#include "line_report.h"

#include "code_object_lines.h"
#include "decoder.h"
#include "device_memory.h"
#include "program.h"
#include "report_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_SIZE = 256 };

// A vector memory instruction that ran.
typedef struct {
  const Instruction *in;
  CodeObject *object;
  uint64_t address;
  const char *file; // "" if unknown
  int line;         // 0 if unknown
  InstructionProfile profile;
  MemoryProfile memory;
  InstructionTraffic traffic;
} Row;

typedef struct {
  const Kernel *kernel;
  bool modelled;
  size_t count;
  Row *rows;
} Report;

static ReportFile output = {.variable = "EMULATOR_LINES", .content = "the memory report"};
static size_t launches; // reported so far

bool line_report_wanted(void) { return report_file_wanted(&output); }

static bool to_terminal(void) { return strcmp(getenv(output.variable), "-") == 0; }

static const char *action_name(const Instruction *in) {
  static const char *const name[] = {
      [MEMORY_LOAD] = "load", [MEMORY_STORE] = "store", [MEMORY_ATOMIC] = "atomic"};
  return name[in->info->action];
}

// A path below the working directory is shown relative to it.
static const char *shorten(const char *file) {
  static char folder[4096];
  size_t length = getcwd(folder, sizeof folder) ? strlen(folder) : 0;
  return length && strncmp(file, folder, length) == 0 && file[length] == '/' ? file + length + 1
                                                                             : file;
}

static bool is_vector_memory(const InstructionInfo *info) {
  return info->action != MEMORY_NONE && info->unit >= UNIT_GLOBAL && info->unit <= UNIT_IMAGE;
}

// Rows without a source line come last: they are the device library's where others have one.
static int by_source(const void *a, const void *b) {
  const Row *x = a, *y = b;
  int order = !x->line - !y->line;
  if (order == 0)
    order = strcmp(x->file, y->file);
  if (order == 0)
    order = (x->line > y->line) - (x->line < y->line);
  return order ? order : (x->address > y->address) - (x->address < y->address);
}

// ---- the two forms ----

static double mean(uint64_t sum, uint64_t count) { return count ? (double)sum / (double)count : 0; }

static void disassemble(const Row *row, char text[TEXT_SIZE]) {
  const CodeObject *object = row->object;
  decoder_disassemble((const uint8_t *)row->address,
                      object->text_address + object->text_size - row->address, text, TEXT_SIZE);
}

// Where the instruction is in the code: functions that the kernel calls count from the begin of all
// code.
static void describe_offset(const Report *report, const Row *row, char *text, size_t size) {
  const Kernel *kernel = report->kernel;
  bool own = row->address - kernel->entry < kernel->code_size;
  uint64_t base = own ? kernel->entry : row->object->text_address;
  snprintf(text, size, "%s0x%llx", own ? "" : "+", row->address - base + 0ull);
}

// A hit rate in percent, or `none` where it is unknown or there is nothing to hit.
static void print_rate(FILE *file, const char *format, const char *none, uint64_t hits,
                       uint64_t all) {
  if (all)
    fprintf(file, format, 100 * mean(hits, all));
  else
    fputs(none, file);
}

// In the largest unit that leaves a digit before the point, so that small launches show something, too.
static void print_bytes(FILE *file, int width, uint64_t bytes) {
  static const struct {
    double bytes;
    int digits; // behind the point
    const char *name;
  } unit[] = {{1e6, 1, "MB"}, {1e3, 1, "kB"}, {1, 0, "B "}};
  const int u = bytes >= 1000000 ? 0 : bytes >= 1000 ? 1 : 2;
  fprintf(file, "%*.*f %s ", width - 4, unit[u].digits, (double)bytes / unit[u].bytes,
          unit[u].name);
}

static bool is_lds(const Instruction *in) { return in->info->unit == UNIT_LDS; }

static uint64_t executions_of(const Row *row) {
  return is_lds(row->in) ? row->profile.executions : row->profile.executed_active;
}

// The allocation and the byte in it.
static void write_sample(FILE *file, uint64_t address) {
  const Allocation *found = address ? device_memory_find(address, 1) : NULL;
  if (found)
    fprintf(file, "0x%llx,%llu", found->address + 0ull, address - found->address + 0ull);
  else
    fputc(',', file);
}

static void write_csv(FILE *file, const Report *report, bool fresh) {
  if (fresh)
    fputs("Index,KernelName,file,line,offset,instruction,action,executions,lines,fewest_lines,"
          "requested_bytes,fetched_bytes,l1_hit_percent,l2_hit_percent,l1_lookups,l2_requests,"
          "allocation,byte,lds_clocks,lds_conflicts\n",
          file);
  for (size_t i = 0; i < report->count; i++) {
    const Row *row = &report->rows[i];
    const uint64_t executions = executions_of(row);
    char text[TEXT_SIZE], offset[32], line[16] = "";
    disassemble(row, text);
    describe_offset(report, row, offset, sizeof offset);
    if (row->line)
      snprintf(line, sizeof line, "%d", row->line);
    fprintf(file, "%zu,", launches);
    csv_field(file, report->kernel->name, "");
    fputc(',', file);
    csv_field(file, row->file, "");
    fprintf(file, ",%s,%s,", line, offset);
    csv_field(file, text, "");
    fprintf(file, ",%s,%llu,%.4f,%.4f,%llu,", action_name(row->in), executions + 0ull,
            mean(row->memory.lines, executions), mean(row->memory.fewest_lines, executions),
            row->memory.bytes + 0ull);
    if (report->modelled)
      fprintf(file, "%llu", row->traffic.fetched_bytes + 0ull);
    print_rate(file, ",%.4f", ",", row->traffic.l1_hits,
               row->in->info->action == MEMORY_LOAD ? row->traffic.lookups : 0);
    print_rate(file, ",%.4f", ",", row->traffic.l2_hits, row->traffic.l2_requests);
    if (report->modelled)
      fprintf(file, ",%llu,%llu,", row->traffic.lookups + 0ull, row->traffic.l2_requests + 0ull);
    else
      fputs(",,,", file);
    write_sample(file, row->memory.sample);
    fprintf(file, ",%llu,%llu\n", row->profile.lds_clocks + 0ull,
            row->profile.lds_conflicts + 0ull);
  }
}

static void write_table(FILE *file, const Report *report) {
  fprintf(file,
          "memory by source line: kernel %s, launch %zu\n"
          "  executions, 64 B lines a wavefront and bytes requested are emulated%s\n"
          "  %-40s %-6s %10s %7s %7s %9s %8s %6s %6s  %s\n",
          report->kernel->name, launches,
          report->modelled ? "; fetched (from HBM) and hits are modelled" : "", "source line",
          "what", "executions", "lines", "fewest", "requested", "fetched", "L1 hit", "L2 hit",
          "instruction");
  if (report->count == 0)
    fprintf(file, "  none: no load or store was executed\n");
  for (size_t i = 0; i < report->count; i++) {
    const Row *row = &report->rows[i];
    const uint64_t executions = row->profile.executed_active;
    if (is_lds(row->in))
      continue;
    char text[TEXT_SIZE], offset[32], place[TEXT_SIZE];
    disassemble(row, text);
    describe_offset(report, row, offset, sizeof offset);
    if (row->line)
      snprintf(place, sizeof place, "%s:%d", row->file, row->line);
    else
      snprintf(place, sizeof place, "offset %s", offset);
    fprintf(file, "  %-40s %-6s %10llu %7.2f %7.2f ", place, action_name(row->in),
            executions + 0ull, mean(row->memory.lines, executions),
            mean(row->memory.fewest_lines, executions));
    print_bytes(file, 10, row->memory.bytes);
    if (report->modelled)
      print_bytes(file, 9, row->traffic.fetched_bytes);
    else
      fprintf(file, "%8s ", "-");
    print_rate(file, "%5.1f%%", "     -", row->traffic.l1_hits,
               row->in->info->action == MEMORY_LOAD ? row->traffic.lookups : 0);
    print_rate(file, " %5.1f%%", "      -", row->traffic.l2_hits, row->traffic.l2_requests);
    fprintf(file, "  %s\n", text);
  }
}

// ---- the report ----

void line_report_write(const Kernel *kernel, const InstructionProfile *profile,
                       const MemoryProfile *memory, const InstructionTraffic *traffic) {
  const Program *program = kernel->object->program;
  const uint32_t instructions = program_instruction_count(program);
  Report report = {kernel, traffic != NULL, 0, calloc(instructions + 1, sizeof(Row))};
  if (!report.rows) {
    fprintf(stderr, "emulator: the host has no memory for the memory report of this launch.\n");
    return;
  }
  for (uint32_t id = 0; id < instructions; id++) {
    const Instruction *in = program_instruction(program, id);
    const bool runs = is_vector_memory(in->info) ? profile[id].executed_active != 0
                                                 : is_lds(in) && in->info->action != MEMORY_NONE &&
                                                       profile[id].executions != 0;
    if (!runs)
      continue;
    Row *row = &report.rows[report.count++];
    *row = (Row){.in = in,
                 .object = program_object(program, in),
                 .address = program_address(program, in),
                 .file = "",
                 .profile = profile[id],
                 .memory = memory[id]};
    if (traffic)
      row->traffic = traffic[id];
    if (code_object_line(row->object, row->address, &row->file, &row->line))
      row->file = shorten(row->file);
  }
  qsort(report.rows, report.count, sizeof(Row), by_source);
  bool fresh;
  if (to_terminal()) {
    write_table(stderr, &report);
  } else {
    FILE *file = report_file_begin(&output, &fresh);
    if (file) {
      write_csv(file, &report, fresh);
      report_file_end(&output);
    }
  }
  launches++;
  free(report.rows);
}
