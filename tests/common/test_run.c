// The course of a run, on a device that a few lines below stand in for: which launches are modelled,
// and when somebody who will wait is told so.
#include "device.h"
#include "laplacian.h"
#include "paired.h"
#include "run.h"

#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <stdio.h>
#include <string.h>

static struct {
  bool emulated;
  double takes_s;  // a launch, for the host
  char course[64]; // letters of what was done, in its order
} device;

static void note(const char *what) { strcat(device.course, what); }

bool device_is_emulated(void) { return device.emulated; }
void device_model(bool wanted) { note(wanted ? "M" : "m"); }
double device_run(const Launch *launch) { return note(launch->check ? "1" : "0"), device.takes_s; }
double device_modelled_ms(void) { return 0; }
double device_timed_run(const Launch *launch) { return (void)launch, 1; }
size_t device_counters(const EmulatorCounter **counters) { return *counters = NULL, 0; }
void device_free(void *array) { (void)array; }
Paired paired_times(const Launch *launch, double bytes, int pairs) {
  (void)launch, (void)bytes, (void)pairs;
  note("t");
  return (Paired){.kernel = {.runs = 1}};
}

static void nothing(Launch *launch) { (void)launch; }
static void put(const Launch *launch) { note(launch->check ? "i" : "k"); }
static void verify(const Launch *launch, Verification *v) {
  note("v");
  *v = (Verification){
      .name = "test", .scale = 1, .tolerance = 1, .checked = grid_interior_points(launch->grid)};
}

static const Family BOX = {.name = "laplacian",
                           .element = "double",
                           .element_bytes = sizeof(double),
                           .columns = (const char *const[]){NULL},
                           .rows = (const char *const[]){NULL},
                           .recorded = (const char *const[]){NULL},
                           .traffic = laplacian_traffic,
                           .allocate = nothing,
                           .put_input = put,
                           .verify = verify};

// What the run says on stderr.
static const char *said(int first_check, bool untimed) {
  static char text[1024];
  const Kernel kernel = {.name = "laplacian", .rows = 1};
  Setup setup = {.file = "labs/01-baseline/laplacian.hip",
                 .family = &BOX,
                 .kernel = &kernel,
                 .options = {.nx = 3, .ny = 3, .nz = 3, .block = {64, 1, 1}}};
  Result result = {.device = "stand-in",
                   .device_name = "stand-in",
                   .arch = "none",
                   .first_check = first_check,
                   .untimed = untimed};
  char error[256];
  cr_assert(grid_make(&setup.grid, 3, 3, 3, 1, sizeof(double), error, sizeof error));
  cr_redirect_stderr();
  cr_redirect_stdout();
  cr_assert_eq(run_and_report(&setup, NULL, &result), VERIFIED);
  fflush(stderr);
  text[fread(text, 1, sizeof text - 1, cr_get_redirected_stderr())] = '\0';
  return text;
}

Test(run, says_how_long_the_model_takes_where_somebody_will_wait) {
  device.emulated = true;
  device.takes_s = 3;
  cr_assert_str_eq(said(0, false),
                   "... caches and time are modelled next: this takes about 30 s\n");
}

Test(run, says_nothing_of_a_short_wait) {
  device.emulated = true;
  device.takes_s = 1.9;
  cr_assert_str_empty(said(0, false));
}

Test(run, says_nothing_on_a_device_that_models_nothing) {
  device.takes_s = 100;
  cr_assert_str_empty(said(0, false));
}

Test(run, says_nothing_where_no_launch_was_made_to_tell_by) {
  device.emulated = true;
  device.takes_s = 100;
  cr_assert_str_empty(said(1, false));
  cr_assert_str_eq(device.course, "iM1v");
}

Test(run, models_the_last_launch_alone) {
  device.emulated = true;
  said(0, false);
  cr_assert_str_eq(device.course, "km0viM1v");
}

Test(run, times_the_last_input_on_a_real_device) {
  said(0, false);
  cr_assert_str_eq(device.course, "km0viM1tv");
}

Test(run, times_nothing_where_correctness_alone_was_asked_for) {
  said(0, true);
  cr_assert_str_eq(device.course, "km0viM1v");
}
