// Replays the traces of a program's launches, with the parameters of EMULATOR_DEVICE and EMULATOR_SET.
//
// In:  on standard input what EMULATOR_TRACES=FILE wrote.
// Out: on standard output, for each launch, one line "NAME VALUE" per counter, "time_ms X", and an
//      empty line; with the argument "rate", instead, how many 64 B lines its waves access, how many
//      workgroups it has and how many seconds of the processor its replay took. What cannot be
//      replayed is a sentence on stderr and status 1.
#include "counters.h"
#include "emulator.h"
#include "modelled_launch.h"
#include "parameters.h"
#include "trace_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char NO_TRACES[] =
    "standard input is no whole file of EMULATOR_TRACES by this build of the emulator: it is cut "
    "short, of another build or something else. Run the program again.";

static void __attribute__((noreturn)) fail(const char *sentence) {
  fprintf(stderr, "replay: %s\n", sentence);
  exit(1);
}

static Model *begin(const Launch *launch) {
  Model *model = model_begin(parameters_device(), launch);
  if (!model)
    fail("the host has no memory for the memory model.");
  return model;
}

static GroupTrace *next_group(TraceReader *reader) {
  GroupTrace *group = trace_file_read(reader);
  if (!group)
    fail(NO_TRACES);
  return group;
}

static uint64_t lines_of(const GroupTrace *group) {
  uint64_t lines = 0;
  for (uint32_t i = 0; i < group->begin[group->waves]; i++) {
    if (trace_kind(group->words[i]) != EVENT_MEMORY)
      continue;
    uint32_t runs = trace_payload(group->words[i++]);
    for (; runs > 0; runs--)
      lines += trace_line_more(group->words[++i]) + 1;
  }
  return lines;
}

static double processor_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// All traces lie in memory before the clock runs.
static void print_rate(TraceReader *reader, const Launch *launch) {
  GroupTrace **groups = calloc(launch->workgroups, sizeof(GroupTrace *));
  if (!groups)
    fail("the host has no memory for the traces.");
  uint64_t lines = 0;
  for (uint64_t i = 0; i < launch->workgroups; i++) {
    groups[i] = next_group(reader);
    lines += lines_of(groups[i]);
  }
  double began = processor_seconds();
  Model *model = begin(launch);
  for (uint64_t i = 0; i < launch->workgroups; i++)
    model_feed(model, groups[i]);
  ModelResult result;
  model_end(model, &result, NULL);
  printf("lines %llu workgroups %llu seconds %.6f\n", (unsigned long long)lines,
         (unsigned long long)launch->workgroups, processor_seconds() - began);
  free(groups);
  Counters counters;
  if (!trace_file_read_counters(reader, &counters))
    fail(NO_TRACES);
}

static void replay(TraceReader *reader, const Launch *launch) {
  Model *model = begin(launch);
  for (uint64_t i = 0; i < launch->workgroups; i++)
    model_feed(model, next_group(reader));
  ModelResult result;
  model_end(model, &result, NULL);
  Counters counters;
  if (!trace_file_read_counters(reader, &counters))
    fail(NO_TRACES);
  modelled_launch_counters(&result, &counters);
  counters_publish(&counters, launch);
}

int main(int count, char **arguments) {
  bool rate = count > 1 && strcmp(arguments[1], "rate") == 0;
  TraceReader reader = {.file = stdin};
  Launch launch;
  const char *refused = parameters_refused();
  if (refused)
    fail(refused);
  unsetenv("EMULATOR_COUNTERS"); // its lines need the kernel, which traces do not keep
  do {
    if (!trace_file_next(&reader, &launch))
      fail(NO_TRACES);
    if (rate) {
      print_rate(&reader, &launch);
      continue;
    }
    emulator_count_from_here();
    replay(&reader, &launch);
    const EmulatorCounter *counter;
    size_t count = emulator_counters(&counter);
    for (size_t i = 0; i < count; i++)
      printf("%s %.17g\n", counter[i].name, counter[i].value);
    printf("time_ms %.17g\n\n", emulator_modelled_ms());
  } while (trace_file_more(&reader));
  return 0;
}
