// Traces of launches and their replay: the same counters as the launch itself; and sentences for
// files that are cut short, foreign, or cannot be written.
#include "emulator.h"
#include "runtime_test.h"

#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#define REPLAY "build/tests/validation/replay"
#define LINE "%127s %lf"
enum { GROUPS = 300, GROUP_SIZE = 128, CAPACITY = 1 << 22 };

static char path[] = "/tmp/traces-XXXXXX"; // each test is a process of its own

static void add_one(void) {
  int *values = device_allocation(GROUPS * GROUP_SIZE * sizeof *values), n = GROUPS * GROUP_SIZE;
  void *arguments[] = {&values, &n};
  SUCCEEDS(launch(kernel_named("add_one"), GROUPS, GROUP_SIZE, 0, arguments));
  SUCCEEDS(hipDeviceSynchronize());
}

// Launches twice, with other traces, and keeps them in `path`. The counters are of the second.
static size_t two_launches(const EmulatorCounter **counters) {
  close(mkstemp(path));
  setenv("EMULATOR_TRACES", path, 1);
  add_one();
  emulator_count_from_here();
  add_one();
  return emulator_counters(counters);
}

// Starts the replay of a file, its stderr among its output.
static FILE *replay_of(const char *file) {
  char command[128];
  snprintf(command, sizeof command, "%s <%s 2>&1", REPLAY, file);
  FILE *output = popen(command, "r");
  cr_assert(ne(ptr, output, NULL));
  return output;
}

static void refuses(const char *file) {
  char said[1024] = "";
  FILE *output = replay_of(file);
  size_t length = fread(said, 1, sizeof said - 1, output);
  int status = pclose(output);
  bool gave_up = WIFEXITED(status) && WEXITSTATUS(status) == 1;
  cr_assert(gave_up, "status %#x: %s", status, said);
  const char *sentence = strstr(said, "replay: standard input is no whole file of EMULATOR_TRACES");
  cr_assert(ne(ptr, (void *)sentence, NULL), "%zu characters: %s", length, said);
}

Test(traces, a_replay_gives_the_same_counters) {
  const EmulatorCounter *counters;
  size_t count = two_launches(&counters);
  FILE *output = replay_of(path);
  char name[128], line[256];
  double value;
  do // the first launch
    cr_assert(ne(ptr, fgets(line, sizeof line, output), NULL));
  while (*line != '\n');
  for (size_t i = 0; i < count; i++) {
    cr_assert(eq(int, fscanf(output, LINE, name, &value), 2));
    cr_assert(eq(str, name, (char *)counters[i].name));
    bool same = memcmp(&value, &counters[i].value, sizeof value) == 0;
    cr_assert(same, "%s: %.17g, not %.17g", name, value, counters[i].value);
  }
  cr_assert(eq(int, fscanf(output, LINE, name, &value), 2));
  double launched = emulator_modelled_ms();
  cr_assert(launched > 0 && value == launched, "%s: %.17g, not %.17g", name, value, launched);
  cr_assert(eq(int, fscanf(output, LINE, name, &value), EOF));
  cr_assert(zero(int, pclose(output)));
  unlink(path);
}

Test(traces, other_parameters_give_other_times) {
  const EmulatorCounter *counters;
  two_launches(&counters);
  setenv("EMULATOR_SET", "hbm_gbs=10", 1);
  double value = 0, slowest = 0;
  char line[256];
  FILE *output = replay_of(path);
  while (fgets(line, sizeof line, output))
    if (sscanf(line, "time_ms %lf", &value) == 1 && value > slowest)
      slowest = value;
  cr_assert(zero(int, pclose(output)));
  cr_assert(lt(dbl, emulator_modelled_ms() * 1.2, slowest));
  unlink(path);
}

// Wherever it is cut, between records or inside of one.
Test(traces, a_file_that_is_cut_short_is_refused) {
  const EmulatorCounter *counters;
  two_launches(&counters);
  static char bytes[CAPACITY];
  FILE *file = fopen(path, "rb");
  size_t length = fread(bytes, 1, CAPACITY, file);
  fclose(file);
  cr_assert(length > 1000 && length < CAPACITY);
  const size_t cuts[] = {0, 7, 100, length / 3, length - 100, length - 1};
  for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
    cr_assert(zero(int, truncate(path, (off_t)cuts[sizeof cuts / sizeof *cuts - 1 - i])));
    refuses(path);
  }
  unlink(path);
}

Test(traces, a_foreign_file_is_refused) { refuses("/bin/sh"); }

// Where the mark of a record stands in a file, from `at` on.
static long next_mark(FILE *file, long at) {
  char word[6];
  for (; fseek(file, at, SEEK_SET), fread(word, sizeof word, 1, file) == 1; at++)
    if (memcmp(word, "traces", sizeof word) == 0)
      return at;
  cr_assert(false, "no mark from %ld on", at);
  return -1;
}

// Four bytes that are others, e.g. of a disk that was full meanwhile.
static void refuses_with(uint32_t damage, bool to_workgroup, long behind_mark) {
  const EmulatorCounter *counters;
  two_launches(&counters);
  FILE *file = fopen(path, "r+b");
  long launch_mark = next_mark(file, 0), group_mark = next_mark(file, launch_mark + 1);
  fseek(file, (to_workgroup ? group_mark : launch_mark) + behind_mark, SEEK_SET);
  fwrite(&damage, sizeof damage, 1, file);
  fclose(file);
  refuses(path);
  unlink(path);
}

Test(traces, a_damaged_mark_is_refused) { refuses_with(~0u, false, 0); }
Test(traces, a_damaged_size_is_refused) { refuses_with(100, true, 8); }
Test(traces, a_damaged_number_of_waves_is_refused) { refuses_with(~0u, true, 16); }
Test(traces, a_damaged_begin_of_a_wave_is_refused) { refuses_with(~0u, true, 24); }

Test(traces, a_file_that_cannot_be_written_is_said_once) {
  setenv("EMULATOR_TRACES", "/dev/full", 1);
  cr_redirect_stderr();
  add_one();
  add_one();
  const char *text = said();
  SAYS(text, "the traces cannot be written to /dev/full (EMULATOR_TRACES)");
  SAYS(text, "The program goes on without.");
  cr_assert(eq(ptr, strchr(strchr(text, '\n') + 1, '\n'), NULL), "one line: %s", text);
}
