// Replays the traces of a program's launches, with the parameters of EMULATOR_DEVICE and EMULATOR_SET.
//
// In:  on standard input what EMULATOR_TRACES=FILE wrote.
// Out: on standard output, for each launch, one line "NAME VALUE" per counter, "time_ms X", and an
//      empty line. What cannot be replayed is a sentence on stderr and status 1.
#include "counters.h"
#include "emulator.h"
#include "modelled_launch.h"
#include "parameters.h"
#include "trace_file.h"

#include <stdio.h>
#include <stdlib.h>

static const char NO_TRACES[] =
    "standard input is no whole file of EMULATOR_TRACES by this build of the emulator: it is cut "
    "short, of another build or something else. Run the program again.";

static void __attribute__((noreturn)) fail(const char *sentence) {
  fprintf(stderr, "replay: %s\n", sentence);
  exit(1);
}

static void replay(TraceReader *reader, const Launch *launch) {
  Model *model = model_begin(parameters_device(), launch);
  if (!model)
    fail("the host has no memory for the memory model.");
  for (uint64_t i = 0; i < launch->workgroups; i++) {
    GroupTrace *group = trace_file_read(reader);
    if (!group)
      fail(NO_TRACES);
    model_feed(model, group);
  }
  ModelResult result;
  model_end(model, &result, NULL);
  Counters counters;
  if (!trace_file_read_counters(reader, &counters))
    fail(NO_TRACES);
  modelled_launch_counters(&result, &counters);
  counters_publish(&counters, launch);
}

int main(void) {
  TraceReader reader = {.file = stdin};
  Launch launch;
  const char *refused = parameters_refused();
  if (refused)
    fail(refused);
  unsetenv("EMULATOR_COUNTERS"); // its lines need the kernel, which traces do not keep
  do {
    if (!trace_file_next(&reader, &launch))
      fail(NO_TRACES);
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
