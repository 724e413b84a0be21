// Programs of countries that write 0,5: what they read and print with a comma, the device still reads and prints with a point.
#include "runtime_test.h"

#include <locale.h>
#include <sys/stat.h>
#include <unistd.h>

// What localedef of glibc makes of a decimal point "," without groups of thousands: a magic number, six offsets from the begin,
// the values. Languages need not be installed then.
static const char comma[] = "\x14\x11\x03\x20\6\0\0\0\x20\0\0\0\x22\0\0\0\x23\0\0\0\x24\0\0\0"
                            "\x28\0\0\0\x2c\0\0\0,\0\0\0,\0\0\0\0\0\0\0ANSI_X3.4-1968";

static void write_file(const char *path, const char *bytes, size_t size) {
  FILE *file = fopen(path, "w");
  cr_assert(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0, "%s", path);
}

static void write_with_comma(void) {
  char folder[] = "/tmp/locale-XXXXXX", path[64];
  cr_assert(mkdtemp(folder) != NULL);
  setenv("LOCPATH", folder, 1);
  snprintf(path, sizeof path, "%s/comma", folder);
  mkdir(path, 0700);
  strcat(path, "/LC_NUMERIC");
  write_file(path, comma, sizeof comma);
  cr_assert(setlocale(LC_NUMERIC, "comma") != NULL, "no such locale");
  unlink(path);
  *strrchr(path, '/') = 0;
  rmdir(path);
  rmdir(folder);
}

// The program's numbers keep their comma.
static void prints_with_comma(void) {
  char text[8];
  snprintf(text, sizeof text, "%.1f", 0.5);
  cr_assert(eq(str, text, "0,5"));
}

static void halve(void) {
  float *values = device_allocation(64 * sizeof *values), value = 3;
  void *arguments[] = {&values};
  SUCCEEDS(hipMemcpy(values, &value, sizeof value, hipMemcpyHostToDevice));
  SUCCEEDS(launch(kernel_named("halve"), 1, 64, 0, arguments));
  SUCCEEDS(hipMemcpy(&value, values, sizeof value, hipMemcpyDeviceToHost));
  cr_assert(eq(flt, value, 1.5f));
  prints_with_comma();
}

Test(runtime_locale, set_before_the_first_call) {
  setenv("EMULATOR_SET", "group_launch_clk=2.5", 1);
  write_with_comma();
  halve();
}

Test(runtime_locale, set_after_the_first_call) {
  device_allocation(4);
  write_with_comma();
  halve();
}

// A comma in a number would be one column more.
static void has_columns_of_its_heading(const char *path) {
  static char line[2][65536];
  size_t commas[2] = {0};
  FILE *file = fopen(path, "r");
  cr_assert(file != NULL);
  for (int i = 0; i < 2; i++) {
    bool quoted = false;
    cr_assert(fgets(line[i], sizeof line[i], file) != NULL);
    for (const char *c = line[i]; *c; c++) {
      quoted = quoted != (*c == '"');
      commas[i] += *c == ',' && !quoted;
    }
  }
  cr_assert(eq(sz, commas[0], commas[1]), "%s%s", line[0], line[1]);
  fclose(file);
  unlink(path);
}

Test(runtime_locale, tables_have_points) {
  char counters[] = "/tmp/counters-XXXXXX", lines[] = "/tmp/lines-XXXXXX";
  close(mkstemp(counters));
  close(mkstemp(lines));
  setenv("EMULATOR_COUNTERS", counters, 1);
  setenv("EMULATOR_LINES", lines, 1);
  write_with_comma();
  halve();
  has_columns_of_its_heading(counters);
  has_columns_of_its_heading(lines);
}

// Also behind a table.
Test(runtime_locale, kernels_print_as_the_program_does) {
  char text[8] = "";
  setenv("EMULATOR_COUNTERS", "/dev/null", 1);
  write_with_comma();
  cr_redirect_stdout();
  for (int i = 0; i < 2; i++)
    SUCCEEDS(launch(kernel_named("print_a_half"), 1, 1, 0, NULL));
  SUCCEEDS(hipDeviceSynchronize());
  fflush(stdout);
  cr_assert(lt(sz, 0, fread(text, 1, sizeof text, cr_get_redirected_stdout())));
  cr_assert(zero(int, memcmp(text, "0,5\n0,5\n", 8)), "printed: %.8s", text);
}
