// The memory report by source line where its normal case, kernels/line_report.hip, does not go: as
// a table, of code without line tables, to a file that cannot be written or is another report's.
#include "runtime_test.h"

#include <unistd.h>

static void add_one(void) {
  int *values = device_allocation(256 * sizeof *values), n = 256;
  void *arguments[] = {&values, &n};
  SUCCEEDS(launch(kernel_named("add_one"), 4, 64, 0, arguments));
  SUCCEEDS(hipDeviceSynchronize());
}

Test(lines, table_without_line_tables_names_offset_and_instruction) {
  setenv("EMULATOR_LINES", "-", 1);
  cr_redirect_stderr();
  add_one();
  const char *text = said();
  SAYS(text, "memory by source line: kernel add_one, launch 0");
  SAYS(text, "modelled");
  SAYS(text, "offset 0x");
  SAYS(text, "global_load_dword");
  SAYS(text, "store           4    4.00    4.00");
}

Test(lines, a_file_that_cannot_be_written_is_said_once) {
  setenv("EMULATOR_LINES", "/dev/full", 1);
  cr_redirect_stderr();
  add_one();
  add_one();
  const char *text = said();
  SAYS(text, "the memory report cannot be written to /dev/full (EMULATOR_LINES)");
  cr_assert(eq(ptr, strchr(strchr(text, '\n') + 1, '\n'), NULL), "one line: %s", text);
}

Test(lines, a_small_launch_shows_bytes_in_small_units) {
  setenv("EMULATOR_LINES", "-", 1);
  cr_redirect_stderr();
  add_one();
  const char *text = said();
  SAYS(text, "    1.0 kB ");
  SAYS(text, " kB     0 B  ");
}

Test(lines, a_file_that_another_report_has_is_left_alone) {
  char path[] = "/tmp/report-XXXXXX", first[256] = "";
  close(mkstemp(path));
  setenv("EMULATOR_COUNTERS", path, 1);
  setenv("EMULATOR_LINES", path, 1);
  cr_redirect_stderr();
  add_one();
  add_one();
  const char *text = said();
  SAYS(text, "EMULATOR_COUNTERS names the file of EMULATOR_LINES");
  cr_assert(eq(ptr, strchr(strchr(text, '\n') + 1, '\n'), NULL), "one line: %s", text);
  FILE *file = fopen(path, "r");
  cr_assert(fgets(first, sizeof first, file) && strstr(first, "fewest_lines"), "memory report: %s",
            first);
  fclose(file);
  unlink(path);
}

Test(lines, nothing_unless_asked_for) {
  unsetenv("EMULATOR_LINES");
  cr_redirect_stderr();
  add_one();
  cr_assert(zero(sz, strlen(said())));
}
