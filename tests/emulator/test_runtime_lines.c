// The memory report by source line where its normal case, kernels/line_report.hip, does not go: as
// a table, of code without line tables, to a file that cannot be written or is another report's.
#include "runtime_test.h"

#include <sys/stat.h>
#include <sys/wait.h>
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
  SAYS(text, "(EMULATOR_COUNTERS): another variable, or another process at the same time, writes");
  cr_assert(eq(ptr, strchr(strchr(text, '\n') + 1, '\n'), NULL), "one line: %s", text);
  FILE *file = fopen(path, "r");
  cr_assert(fgets(first, sizeof first, file) && strstr(first, "fewest_lines"), "memory report: %s",
            first);
  fclose(file);
  unlink(path);
}

Test(lines, several_reports_may_go_to_a_device) {
  setenv("EMULATOR_COUNTERS", "/dev/null", 1);
  setenv("EMULATOR_LINES", "/dev/null", 1);
  cr_redirect_stderr();
  add_one();
  cr_assert(zero(sz, strlen(said())));
}

Test(lines, each_process_may_have_a_file_of_its_own) {
  char folder[] = "/tmp/reports-XXXXXX", path[64];
  cr_assert(mkdtemp(folder) != NULL);
  snprintf(path, sizeof path, "%s/lines-%%p.csv", folder);
  setenv("EMULATOR_LINES", path, 1);
  add_one();
  snprintf(path, sizeof path, "%s/lines-%ld.csv", folder, (long)getpid());
  cr_assert(zero(int, unlink(path)));
  rmdir(folder);
}

// As a program that forks, or mpirun with one value for all.
Test(lines, a_file_that_another_process_writes_is_left_alone) {
  char path[] = "/tmp/report-XXXXXX", byte;
  int status, begun[2], ended[2];
  close(mkstemp(path));
  setenv("EMULATOR_LINES", path, 1);
  cr_assert(pipe(begun) == 0 && pipe(ended) == 0);
  const pid_t child = fork();
  if (child == 0) {
    add_one();
    _exit(write(begun[1], "x", 1) == 1 && read(ended[0], &byte, 1) == 1 ? 0 : 1);
  }
  cr_redirect_stderr();
  cr_assert(read(begun[0], &byte, 1) == 1);
  add_one();
  SAYS(said(), "(EMULATOR_LINES): another variable, or another process");
  cr_assert(write(ended[1], "x", 1) == 1);
  cr_assert(eq(int, waitpid(child, &status, 0), child));
  cr_assert(zero(int, status));
  struct stat file;
  cr_assert(zero(int, stat(path, &file)));
  cr_assert(lt(long, 0, file.st_size));
  unlink(path);
}

Test(lines, nothing_unless_asked_for) {
  unsetenv("EMULATOR_LINES");
  cr_redirect_stderr();
  add_one();
  cr_assert(zero(sz, strlen(said())));
}
