// The life of lab 08's program. See lbm_lab.h.
#include "lbm_lab.h"

#include "device.h"
#include "lab_parts.h"
#include "lbm_verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// 2048 waves: with 5 waves a SIMD all fit on 110 compute units at once, with 4 they do not. 60 MB
// that must move, 7 times what L2 holds. Both show in the time; emulated in about a second.
static const Options DEFAULTS = {.nx = 256, .ny = 16, .nz = 32, .block = {256, 1, 1}, .seed = 1};

static const char HELP[] = "In this lab the default is --nx 256 --ny 16 --nz 32.\n";

// A point's populations, phi and its derivatives are read once, its populations written once.
static Traffic traffic(const Grid *grid, char axis) {
  (void)axis;
  const double bytes = (double)grid_interior_points(grid) * sizeof(double);
  return (Traffic){.fetch_bytes = bytes * LBM_ARRAYS, .write_bytes = bytes * LBM_PHI};
}

// For the report; verification is of its own kind (lbm_verify.h).
static const Family LBM = {
    .name = "lbm", .element = "double", .element_bytes = sizeof(double), .traffic = traffic};

// A launch, as a job.
typedef struct {
  LbmLauncher *launch;
  LbmFields fields;
  dim3 block;
} Job;

static LbmConstants constants(void) {
  const double source = 3 * (1 - 1 / (2 * LBM_TAU_G));
  return (LbmConstants){.kappa = LBM_KAPPA,
                        .alpha = LBM_ALPHA,
                        .phi_star_squared = LBM_PHI_STAR * LBM_PHI_STAR,
                        .mobility = LBM_MOBILITY,
                        .rate_f = 1 / LBM_TAU_F,
                        .keep_f = 1 - 1 / LBM_TAU_F,
                        .advection = LBM_ADVECTION / 3,
                        .keep_g = 1 - 1 / LBM_TAU_G,
                        .w_rest = 1 / (3 * LBM_TAU_G),
                        .w_axis = 1 / (18 * LBM_TAU_G),
                        .w_diagonal = 1 / (36 * LBM_TAU_G),
                        .s_rest = source / 3,
                        .s_axis = source / 18,
                        .s_diagonal = source / 36};
}

static LbmFields fields(const LbmInput *in, double *device) {
  const LbmLayout *l = in->layout;
  LbmFields fields = {.nx = l->nx,
                      .ny = l->ny,
                      .nz = l->nz,
                      .row = l->row,
                      .slice = l->slice,
                      .current = in->current ? l->level : 0,
                      .next = in->current ? 0 : l->level};
  for (int array = 0; array < LBM_ARRAYS; array++)
    fields.array[array] = device + lbm_element(l, array, 0, l->first);
  return fields;
}

static void enqueue(const void *job) {
  const Job *j = job;
  const LbmFields copy = j->fields; // what verification relies on stays out of the launcher's reach
  const LbmConstants model = constants();
  j->launch(&copy, &model, j->block);
}

// Uploads the input, launches once, verifies.
static void run_check(Result *r, Verification *check, const LbmInput *in, Job *job, double *device,
                      double *host) {
  const size_t bytes = lbm_elements(in->layout) * sizeof *host;
  lbm_input_fill(in, host);
  device_put(device, host, bytes);
  job->fields = fields(in, device);
  r->launch_wall_s = device_run(enqueue, job);
  device_get(host, device, bytes);
  lbm_verify(check, in, host);
}

// The two inputs: random throughout, and without a force, where momentum must be conserved too.
// The second swaps the time levels, so that mistaking one for the other shows.
static void launch_and_verify(Result *r, const LbmLayout *layout, Job *job, double *device) {
  double *host = malloc(lbm_elements(layout) * sizeof *host);
  if (!host) {
    fprintf(stderr, "no host memory for %.3f GB; a smaller grid needs less\n",
            (double)lbm_elements(layout) * sizeof *host / 1e9);
    exit(DEVICE_TROUBLE);
  }
  const LbmInput inputs[CHECKS] = {
      {.layout = layout, .seed = r->options.seed, .current = 1, .force = false},
      {.layout = layout, .seed = r->options.seed, .current = 0, .force = true}};
  r->checks[0].name = "random input without a force";
  r->checks[1].name = "random input";
  for (int check = 0; check < CHECKS; check++)
    run_check(r, &r->checks[check], &inputs[check], job, device, host);
  r->counter_count = device_counters(&r->counters);
  free(host);
}

static bool prepare(Result *r, LbmLayout *layout, const LbmLab *lab, int argc, char **argv,
                    int *status) {
  char error[512];
  const OptionsOutcome outcome = options_read(&r->options, argc, argv, error, sizeof error);
  const Options *o = &r->options;
  *status = outcome == OPTIONS_HELP ? 0 : MALFORMED_OPTIONS;
  if (outcome == OPTIONS_HELP) {
    printf("%s: runs, verifies and times the kernel in %s\n%s%s", argv[0], lab->file,
           OPTIONS_HELP_TEXT, HELP);
    return false;
  }
  if (outcome == OPTIONS_BAD ||
      !lbm_layout_make(layout, o->nx, o->ny, o->nz, error, sizeof error) ||
      !grid_make(&r->grid, o->nx, o->ny, o->nz, 0, sizeof(double), error, sizeof error)) {
    fprintf(stderr, "%s\n", error);
    return false;
  }
  if (o->window || o->packed) {
    fprintf(stderr, "--window and --layout: %s has neither to choose\n", lab->file);
    return false;
  }
  if (o->kernel && strcmp(o->kernel, lab->kernel) != 0) {
    fprintf(stderr, "--kernel %s: %s has %s\n", o->kernel, lab->file, lab->kernel);
    return false;
  }
  return true;
}

int lbm_main(int argc, char **argv, const LbmLab *lab) {
  Result result = {
      .file = lab->file, .kernel = lab->kernel, .rows = 1, .family = &LBM, .options = DEFAULTS};
  LbmLayout layout;
  int status;
  if (!prepare(&result, &layout, lab, argc, argv, &status))
    return status;
  const Options *o = &result.options;
  const Kernel kernel = {.name = lab->kernel, .function = lab->function, .rows = ANY_NY};
  lab_begin(&result, argv[0]);
  if (!lab_block_fits(&kernel, o))
    return MALFORMED_OPTIONS;

  double *device = device_memory(lbm_elements(&layout) * sizeof *device);
  Job job = {.launch = lab->launch, .block = {o->block[0], o->block[1], o->block[2]}};
  launch_and_verify(&result, &layout, &job, device);
  if (!lab_timed_by_model(&result.time, o->iterations))
    result.time = device_time_runs(enqueue, &job, o->iterations);
  device_free(device);
  return lab_end(&result);
}
