// The command line of lab programs: what is understood, and that nothing malformed gets through.
#include "options.h"

#include <criterion/criterion.h>
#include <string.h>

static char error[512];

// Parses up to two arguments after the program's name.
static OptionsOutcome parse(Options *options, const char *first, const char *second) {
  char *argv[] = {"program", (char *)first, (char *)second, NULL};
  int argc = 1;
  while (argv[argc])
    argc++;
  error[0] = '\0';
  return options_parse(options, argc, argv, error, sizeof error);
}

Test(options, defaults_are_a_thin_grid_and_what_the_kernel_wants) {
  Options o;
  cr_assert_eq(parse(&o, NULL, NULL), OPTIONS_RUN);
  cr_assert(o.nx == 512 && o.ny == 512 && o.nz == 32);
  cr_assert(o.block[0] == 0 && o.window == 0 && !o.packed); // left to the kernel
  cr_assert(o.iterations == 0 && o.seed == 1 && !o.json && !o.kernel);
}

Test(options, every_option_is_understood) {
  char *argv[] = {"program",
                  "--nx",
                  "3",
                  "--ny",
                  "4",
                  "--nz",
                  "5",
                  "--block",
                  "32x8x4",
                  "--iterations",
                  "7",
                  "--seed",
                  "18446744073709551615",
                  "--json",
                  "file.json",
                  "--kernel",
                  "laplacian",
                  "--window",
                  "16",
                  "--layout",
                  "packed"};
  Options o;
  cr_assert_eq(options_parse(&o, sizeof argv / sizeof *argv, argv, error, sizeof error),
               OPTIONS_RUN);
  cr_assert(o.nx == 3 && o.ny == 4 && o.nz == 5);
  cr_assert(o.block[0] == 32 && o.block[1] == 8 && o.block[2] == 4);
  cr_assert(o.iterations == 7 && o.seed == UINT64_MAX);
  cr_assert_str_eq(o.json, "file.json");
  cr_assert_str_eq(o.kernel, "laplacian");
  cr_assert(o.window == 16 && o.packed);
}

Test(options, help_is_asked_for) {
  Options o;
  cr_assert_eq(parse(&o, "--help", NULL), OPTIONS_HELP);
}

Test(options, malformed_values_get_a_sentence_that_names_them) {
  static const char *const bad[][2] = {
      {"--nx", "0"},
      {"--nx", "-5"},
      {"--nx", "+5"},
      {"--nx", " 5"},
      {"--nx", "5 "},
      {"--nx", "5.0"},
      {"--nx", "1e3"},
      {"--nx", "0x10"},
      {"--nx", "abc"},
      {"--nx", ""},
      {"--nx", "2147483648"},
      {"--ny", "99999999999999999999999"},
      {"--nz", "4294967299"},
      {"--window", "0"},
      {"--window", "-1"},
      {"--layout", "padded"},
      {"--layout", ""},
      {"--iterations", "0"},
      {"--iterations", "1000001"},
      {"--iterations", "-1"},
      {"--seed", "-1"},
      {"--seed", "18446744073709551616"},
      {"--seed", "x"},
      {"--json", ""},
      {"--block", "256"},
      {"--block", "256x1"},
      {"--block", "256x1x1x1"},
      {"--block", "0x1x1"},
      {"--block", "256x0x1"},
      {"--block", "256x1x0"},
      {"--block", "1025x1x1"},
      {"--block", "1024x2x1"},
      {"--block", "32x32x2"},
      {"--block", "-1x1x1"},
      {"--block", "xx"},
      {"--block", "256x1x"},
      {"--block", "256X1X1"},
      {"--block", "4294967297x1x1"},
      {"--block", ""},
  };
  for (size_t n = 0; n < sizeof bad / sizeof *bad; n++) {
    Options o;
    cr_assert_eq(parse(&o, bad[n][0], bad[n][1]), OPTIONS_BAD, "%s '%s'", bad[n][0], bad[n][1]);
    cr_assert(strstr(error, bad[n][0]) && strstr(error, "must be"), "%s '%s' says: %s", bad[n][0],
              bad[n][1], error);
  }
}

Test(options, unknown_options_and_missing_values_get_a_sentence) {
  Options o;
  cr_assert_eq(parse(&o, "--size", "5"), OPTIONS_BAD);
  cr_assert(strstr(error, "--size is not an option"));
  cr_assert_eq(parse(&o, "512", NULL), OPTIONS_BAD);
  cr_assert(strstr(error, "512 is not an option"));
  cr_assert_eq(parse(&o, "--nx", NULL), OPTIONS_BAD);
  cr_assert(strstr(error, "--nx needs a value"));
}
