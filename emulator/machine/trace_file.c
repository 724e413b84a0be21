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

static void put(const void *data, size_t bytes) {
  bool fresh;
  FILE *file = trace_file_wanted() ? report_file_begin(&output, &fresh) : NULL;
  if (file)
    fwrite(data, bytes, 1, file);
}

void trace_file_launch(const Launch *launch) {
  Launch plain = *launch;
  plain.kernel = NULL;
  plain.arguments = NULL;
  plain.kernarg = NULL;
  free(written);
  written = NULL;
  put(&plain, sizeof plain);
}

void trace_file_group(const GroupTrace *group) {
  GroupTrace *told = copy_of(group);
  if (!told)
    return;
  shift(told, written, false);
  put(told, bytes_of(told));
  free(told);
  free(written);
  written = copy_of(group);
}

void trace_file_counters(const Counters *counters) {
  put(counters, sizeof *counters);
  if (trace_file_wanted())
    report_file_end(&output);
}

bool trace_file_next(TraceReader *reader, Launch *launch) {
  free(reader->before);
  reader->before = NULL;
  return fread(launch, sizeof *launch, 1, reader->file) == 1;
}

GroupTrace *trace_file_read(TraceReader *reader) {
  GroupTrace head;
  if (fread(&head, sizeof head, 1, reader->file) != 1 || head.waves > MODEL_MAX_WAVES)
    return NULL;
  GroupTrace *group = malloc(bytes_of(&head));
  if (!group)
    return NULL;
  *group = head;
  size_t words = head.begin[head.waves];
  if (fread(group->words, sizeof *group->words, words, reader->file) != words) {
    free(group);
    return NULL;
  }
  shift(group, reader->before, true);
  free(reader->before);
  reader->before = copy_of(group);
  return group;
}

bool trace_file_read_counters(TraceReader *reader, Counters *counters) {
  return fread(counters, sizeof *counters, 1, reader->file) == 1;
}
