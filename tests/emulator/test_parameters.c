// The device's parameters: what is built in, what changes them, what is refused.
#include "default_parameters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

Test(parameters, built_in_device_is_an_mi250x_gcd) {
  Parameters p = defaults();
  cr_assert(eq(str, p.name, "AMD Instinct MI250X"));
  cr_assert(eq(dbl, p.compute_units, 110));
  cr_assert(eq(dbl, p.l2_bytes, 8 << 20));
  cr_assert(eq(dbl, p.l1_bytes, 16384));
}

Test(parameters, a_built_in_device_is_found_by_name) {
  Parameters mi250x = defaults();
  setenv("EMULATOR_DEVICE", "mi210", 1);
  Parameters p = defaults();
  cr_assert(eq(str, p.name, "AMD Instinct MI210"));
  cr_assert(eq(dbl, p.compute_units, 104));
  // nothing else differs, so rows published for an MI210 validate the die of both
  memcpy(p.name, mi250x.name, sizeof p.name);
  p.compute_units = mi250x.compute_units;
#define X(NAME, LEAST, MOST) cr_assert(eq(dbl, p.NAME, mi250x.NAME), #NAME);
  PARAMETERS(X)
#undef X
  setenv("EMULATOR_DEVICE", "mi250x", 1);
  cr_assert(eq(dbl, defaults().compute_units, 110));
}

Test(parameters, an_unknown_device_is_refused_with_the_list, .timeout = 20) {
  Parameters p;
  char message[512] = "";
  setenv("EMULATOR_DEVICE", "mi211", 1);
  cr_assert(not(parameters_read(&p, message, sizeof message)));
  cr_assert(strstr(message, "EMULATOR_DEVICE=mi211 is neither a device that is built in (") != NULL,
            "%s", message);
  cr_assert(strstr(message, "mi210, ") && strstr(message, "mi250x"), "%s", message);
  setenv("EMULATOR_DEVICE", "/tmp", 1);
  cr_assert(not(parameters_read(&p, message, sizeof message)), "a folder");
  setenv("EMULATOR_DEVICE", "/dev/null", 1);
  cr_assert(not(parameters_read(&p, message, sizeof message)), "a file that sets nothing");
  setenv("EMULATOR_DEVICE", "/dev/zero", 1);
  cr_assert(not(parameters_read(&p, message, sizeof message)), "a file without end");
}

Test(parameters, the_process_has_one_device) {
  setenv("EMULATOR_SET", "compute_units=7", 1);
  cr_assert(eq(dbl, parameters_device()->compute_units, 7));
  cr_assert(eq(ptr, (void *)parameters_refused(), NULL));
  setenv("EMULATOR_SET", "compute_units=8", 1);
  cr_assert(eq(dbl, parameters_device()->compute_units, 7));
}

Test(parameters, refused_ones_leave_the_default_device) {
  setenv("EMULATOR_SET", "compute_units=7 l2_ways=99", 1);
  cr_assert(ne(ptr, strstr(parameters_refused(), "1 to 32 is allowed"), NULL));
  cr_assert(eq(dbl, parameters_device()->compute_units, 110));
}

static void refused(const char *set, const char *phrase) {
  Parameters p;
  char message[512] = "";
  setenv("EMULATOR_SET", set, 1);
  cr_expect(not(parameters_read(&p, message, sizeof message)), "\"%s\" was accepted", set);
  cr_expect(strstr(message, phrase) != NULL, "\"%s\": \"%s\" is missing in: %s", set, phrase,
            message);
}

Test(parameters, pairs_change_the_device) {
  setenv("EMULATOR_SET", "l2_bytes=4194304, nontemporal=0 l2_page_bytes=5120", 1);
  Parameters p = defaults();
  cr_assert(eq(dbl, p.l2_bytes, 4 << 20));
  cr_assert(eq(dbl, p.nontemporal, 0));
  cr_assert(eq(dbl, p.l2_page_bytes, 5120), "pages need be no power of two");
}

Test(parameters, nonsense_is_refused_with_the_range) {
  refused("l2_bytes=1", "65536 to 2.68435e+08 is allowed");
  refused("l2_bytes=nan", "is out of range");
  refused("l2_byte=65536", "no parameter \"l2_byte\"");
  refused("l2_bytes", "not of the form NAME = VALUE");
  refused("l2_bytes=8388608x", "not of the form NAME = VALUE");
  refused("compute_units=0", "1 to 256 is allowed");
  refused("compute_units=1.5", "must be whole numbers");
  refused("waves_per_simd=4.5", "must be whole numbers");
  refused("waves_per_simd=3", "4 to 16 is allowed");
  refused("l2_bytes=", "not of the form NAME = VALUE");
  refused("=5", "not of the form NAME = VALUE");
  refused("hbm_bytes=1048576.5", "must be whole numbers");
  refused("name=AMD_Instinct_MI250X_with_a_name_that_nobody_would_give_to_any_device_at_all",
          "longer than 63 bytes");
  refused("l2_bytes=8388609", "whole number of sets");
  refused("l1_line_bytes=96", "l1_line_bytes must be 64 or 128");
  refused("l1_ways=3", "l1_bytes must be a whole number of sets");
  refused("utcl1_entries=1.5", "utcl1_entries must be whole");
  refused("utcl1_page_bytes=4100", "utcl1_page_bytes a multiple of 64");
  refused("l2_unused_ways=0.5", "l2_unused_ways must be a whole number below l2_ways");
  refused("l2_unused_ways=16", "l2_unused_ways must be a whole number below l2_ways");
  refused("l2_interleave_bytes=192 l2_page_bytes=3840",
          "l2_interleave_bytes must be a multiple of 128");
  refused("l2_page_bytes=4224", "and l2_page_bytes one of it");
  refused("hbm_open_rows=1.5", "hbm_open_rows must be whole");
  refused("hbm_row_bytes=2000", "hbm_row_bytes a multiple of 128");
  refused("issue_order=3", "0 to 2 is allowed");
  refused("issue_order=0.5", "issue_order must be 0, 1 or 2");
}

Test(parameters, a_file_is_refused_with_the_line) {
  char path[] = "/tmp/device-XXXXXX", message[512] = "";
  FILE *file = fdopen(mkstemp(path), "w");
  fputs("; a smaller device\n[l2]\nname = Half a device ; its name\nl2_ways = 99\n", file);
  fclose(file);
  setenv("EMULATOR_DEVICE", path, 1);
  Parameters p;
  cr_assert(not(parameters_read(&p, message, sizeof message)));
  cr_assert(strstr(message, "line 4: l2_ways") != NULL, "%s", message);
  cr_assert(strstr(message, "1 to 32 is allowed") != NULL, "%s", message);
  cr_assert(eq(str, p.name, "Half a device"));
  unlink(path);
  cr_assert(not(parameters_read(&p, message, sizeof message)));
  cr_assert(strstr(message, "nor a file that can be read") != NULL, "%s", message);
}
