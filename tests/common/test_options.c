// The command line of lab programs: what is understood, and that nothing malformed gets through.
#include "options.h"

#include <criterion/criterion.h>
#include <string.h>

static char error[512];

// Parses up to two arguments after the program's name, on top of these defaults.
static const Options DEFAULTS = {.nx = 512, .ny = 512, .nz = 32, .seed = 1};

static OptionsOutcome parse(Options *options, const char *first, const char *second) {
  *options = DEFAULTS;
  char *argv[] = {"program", (char *)first, (char *)second, NULL};
  int argc = 1;
  while (argv[argc])
    argc++;
  error[0] = '\0';
  return options_parse(options, argc, argv, error, sizeof error);
}

Test(options, what_is_not_named_stays_as_it_was) {
  Options o;
  cr_assert_eq(parse(&o, NULL, NULL), OPTIONS_RUN);
  cr_assert_arr_eq(&o, &DEFAULTS, sizeof o);
  cr_assert_eq(parse(&o, "--ny", "7"), OPTIONS_RUN);
  Options wanted = DEFAULTS;
  wanted.ny = 7;
  cr_assert_arr_eq(&o, &wanted, sizeof o);
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
  Options o = DEFAULTS;
  cr_assert_eq(options_parse(&o, sizeof argv / sizeof *argv, argv, error, sizeof error),
               OPTIONS_RUN);
  cr_assert(o.nx == 3 && o.ny == 4 && o.nz == 5);
  cr_assert(o.block[0] == 32 && o.block[1] == 8 && o.block[2] == 4);
  cr_assert(o.iterations == 7 && o.seed == UINT64_MAX);
  cr_assert_str_eq(o.json, "file.json");
  cr_assert_str_eq(o.kernel, "laplacian");
  cr_assert(o.window == 16 && o.packed);
}

Test(options, help_is_asked_for_and_has_a_line_on_each) {
  Options o;
  cr_assert_eq(parse(&o, "--help", NULL), OPTIONS_HELP);
  char text[4096] = "";
  FILE *out = fmemopen(text, sizeof text, "w");
  options_print_help(out);
  fclose(out);
  static const char *const names[] = {"--nx N ",
                                      "--ny N ",
                                      "--nz N ",
                                      "--block XxYxZ ",
                                      "--seed N ",
                                      "--iterations N ",
                                      "--json FILE ",
                                      "--help ",
                                      "--kernel NAME ",
                                      "--window N ",
                                      "--layout own|packed "};
  for (size_t n = 0; n < sizeof names / sizeof *names; n++)
    cr_assert(strstr(text, names[n]), "lacks %s:\n%s", names[n], text);
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

Test(options, bounds_of_a_number_are_said) {
  Options o;
  cr_assert_eq(parse(&o, "--iterations", "0"), OPTIONS_BAD);
  cr_assert_str_eq(error, "--iterations 0: the value must be a whole number from 1 to 1000000");
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
