// Traces on disk: see trace_file.h.
#include "trace_file.h"

#include "report_file.h"

#include <stdlib.h>
#include <string.h>

static ReportFile output = {.variable = "EMULATOR_TRACES", .content = "the traces"};
static GroupTrace *written; // the workgroup before, of this launch

bool trace_file_wanted(void) { return report_file_wanted(&output); }

static size_t bytes_of(const GroupTrace *group) {
  return sizeof *group + group->begin[group->waves] * sizeof *group->words;
}

static GroupTrace *copy_of(const GroupTrace *group) {
  GroupTrace *copy = malloc(bytes_of(group));
  return copy ? memcpy(copy, group, bytes_of(group)) : NULL;
}

// Words that the workgroup before has, too, become differences, or again what they were.
static void shift(GroupTrace *group, const GroupTrace *before, bool back) {
  uint32_t words = before ? before->begin[before->waves] : 0, mine = group->begin[group->waves];
  for (uint32_t i = 0; i < words && i < mine; i++)
    group->words[i] += back ? before->words[i] : -before->words[i];
}

// What stands before each record.
typedef struct {
  char word[6]; // MARK
  uint16_t kind;
  uint64_t bytes;
} Mark;
static const char MARK[6] = "traces"; // without its zero
enum { LAUNCH = 1, GROUP, COUNTERS_OF_LAUNCH };

static void put(uint16_t kind, const void *data, size_t bytes) {
  bool fresh;
  FILE *file = trace_file_wanted() ? report_file_begin(&output, &fresh) : NULL;
  if (!file)
    return;
  Mark mark = {.kind = kind, .bytes = bytes};
  memcpy(mark.word, MARK, sizeof mark.word);
  fwrite(&mark, sizeof mark, 1, file);
  fwrite(data, bytes, 1, file);
}

void trace_file_launch(const Launch *launch) {
  Launch plain = *launch;
  plain.kernel = NULL;
  plain.arguments = NULL;
  plain.kernarg = NULL;
  free(written);
  written = NULL;
  put(LAUNCH, &plain, sizeof plain);
}

void trace_file_group(const GroupTrace *group) {
  GroupTrace *told = copy_of(group);
  if (!told)
    return;
  shift(told, written, false);
  put(GROUP, told, bytes_of(told));
  free(told);
  free(written);
  written = copy_of(group);
}

void trace_file_counters(const Counters *counters) {
  put(COUNTERS_OF_LAUNCH, counters, sizeof *counters);
  if (trace_file_wanted())
    report_file_end(&output);
}

// The mark of the next record, if it is of that kind.
static bool expect(TraceReader *reader, uint16_t kind, uint64_t *bytes) {
  Mark mark;
  if (fread(&mark, sizeof mark, 1, reader->file) != 1 || mark.kind != kind ||
      memcmp(mark.word, MARK, sizeof mark.word) != 0)
    return false;
  *bytes = mark.bytes;
  return true;
}

// A record whose size is known.
static bool get(TraceReader *reader, uint16_t kind, void *data, size_t size) {
  uint64_t bytes;
  return expect(reader, kind, &bytes) && bytes == size && fread(data, size, 1, reader->file) == 1;
}

bool trace_file_more(TraceReader *reader) {
  int next = fgetc(reader->file);
  return next != EOF && ungetc(next, reader->file) == next;
}

bool trace_file_next(TraceReader *reader, Launch *launch) {
  free(reader->before);
  reader->before = NULL;
  return get(reader, LAUNCH, launch, sizeof *launch);
}

// Whether the traces of its waves follow each other and fill it.
static bool is_whole(const GroupTrace *group, uint64_t bytes) {
  if (group->waves > MODEL_MAX_WAVES || group->begin[0] != 0 || bytes != bytes_of(group))
    return false;
  for (uint32_t i = 0; i < group->waves; i++)
    if (group->begin[i] > group->begin[i + 1])
      return false;
  return true;
}

GroupTrace *trace_file_read(TraceReader *reader) {
  uint64_t bytes;
  if (!expect(reader, GROUP, &bytes) || bytes < sizeof(GroupTrace))
    return NULL;
  GroupTrace *group = malloc(bytes);
  if (!group)
    return NULL;
  if (fread(group, bytes, 1, reader->file) != 1 || !is_whole(group, bytes)) {
    free(group);
    return NULL;
  }
  shift(group, reader->before, true);
  free(reader->before);
  reader->before = copy_of(group);
  return group;
}

bool trace_file_read_counters(TraceReader *reader, Counters *counters) {
  return get(reader, COUNTERS_OF_LAUNCH, counters, sizeof *counters);
}
