// Runs a list of launches on arrays and inputs of its own, verifies, times and reports. The
// learner's code is on the device only, never in this process.
//
// In:  replay SOURCE FACTS CODE LISTS SIZES FIRST FAMILY AXIS RADIUS OPTIONS...   (the learner's file,
//      to be named; facts.h; the code object; launch_list.h; sizes.h; the first check to make: figures
//      are of the last; what the lab asks for: a family's
//      name, the axis of a derivative or -, the radius or 0; a lab program's options)
// Out: as a lab program: report, JSON, status (status.h). Of several sizes those of the first that is
//      not right, else of the last.
#include "device.h"
#include "families.h"
#include "far.h"
#include "launch_list.h"
#include "run.h"
#include "sizes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static LaunchList list;
static Facts facts;
static hipModule_t module;
static hipFunction_t *functions; // of facts.kernels

static void must(hipError_t error, const char *doing, const char *name) {
  if (error == hipSuccess)
    return;
  fprintf(stderr, "the device failed while %s %s: %s\n", doing, name, device_error_words(error));
  exit(device_whose_fault(error));
}

// Whether the kernel says that there is a pointer at that offset of its arguments.
static bool is_pointer(const KernelFacts *kernel, size_t offset) {
  for (size_t n = 0; kernel && n < kernel->argument_count; n++)
    if (kernel->arguments[n].is_pointer && kernel->arguments[n].offset == offset)
      return true;
  return false;
}

// The word with the real array in the place of the one that stood for it. In a struct, of which the
// kernel does not say what it holds, only what leads into the array or near it is a pointer.
static uint64_t translated(uint64_t word, uint64_t fake, void *real, bool pointer) {
  const size_t near = 1 << 24;
  hipDeviceptr_t begin;
  size_t size;
  if (!real || word >> FAKE_BITS != fake >> FAKE_BITS)
    return word;
  must(hipMemGetAddressRange(&begin, &size, real), "looking for", "an array");
  return pointer || word - (fake - near) < size + 2 * near ? word + (uint64_t)real - fake : word;
}

// Puts the real arrays in the place of those that the launcher was given.
static void translate(unsigned char *bytes, const Entry *e, const Launch *launch) {
  for (size_t at = 0; at + sizeof(uint64_t) <= e->size; at += sizeof(uint64_t)) {
    const bool pointer = is_pointer(e->kernel, at);
    uint64_t word;
    memcpy(&word, bytes + at, sizeof word);
    word = translated(word, FAKE_U, launch->u, pointer);
    word = translated(word, FAKE_F, launch->f, pointer);
    memcpy(bytes + at, &word, sizeof word);
  }
}

// False when the launch was refused, which is then HIP's last error.
static bool launch_kernel(const Entry *e, unsigned char *bytes) {
  size_t size = e->size;
  void *arguments[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, bytes, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size,
                       HIP_LAUNCH_PARAM_END};
  const hipFunction_t function = functions[e->kernel - facts.kernels];
  return hipModuleLaunchKernel(function, e->grid[0], e->grid[1], e->grid[2], e->block[0],
                               e->block[1], e->block[2], e->lds, NULL, NULL,
                               arguments) == hipSuccess;
}

static bool set_variable(const Entry *e, const unsigned char *bytes) {
  hipDeviceptr_t address;
  size_t size;
  must(hipModuleGetGlobal(&address, &size, module, e->variable), "looking for variable",
       e->variable);
  if (e->offset > size || e->size > size - e->offset)
    must(hipErrorInvalidValue, "writing beyond the end of variable", e->variable);
  return hipMemcpy((char *)address + e->offset, bytes, e->size, hipMemcpyHostToDevice) ==
         hipSuccess;
}

// False when the launch was refused.
static bool play(const Entry *e, const Launch *launch) {
  unsigned char *bytes = malloc(e->size + 1); // a variable may be larger than a stack
  must(bytes ? hipSuccess : hipErrorOutOfMemory, "copying what is", "handed over");
  memcpy(bytes, e->bytes, e->size);
  translate(bytes, e, launch);
  const bool done = e->kernel ? launch_kernel(e, bytes) : set_variable(e, bytes);
  free(bytes);
  return done;
}

// A launcher may set its variables once and rely on them: what it set for an earlier check holds,
// whether that was made or not.
static void enqueue(const Launch *launch) {
  bool done = true;
  for (int check = 0; check <= launch->check; check++)
    for (size_t n = 0; done && n < list.checks[check].count; n++) {
      const Entry *e = &list.checks[check].entries[n];
      if (check == launch->check || !e->kernel)
        done = play(e, launch);
    }
}

static void planned_layout(int nx, int radius, size_t *ld, size_t *offset) {
  (void)nx, (void)radius;
  *ld = list.ld;
  *offset = list.offset;
}

static int larger(int a, int b) { return a > b ? a : b; }

static int waves_per_simd(const Entry *e) {
  return resources_waves(&e->kernel->compiled, e->lds, e->block[0] * e->block[1] * e->block[2]);
}

// Each name once, as far as there is room.
static void add_name(Result *result, const char *name) {
  size_t n = 0;
  while (n < MOST_NAMES && result->ran[n] && strcmp(result->ran[n], name) != 0)
    n++;
  if (n < MOST_NAMES)
    result->ran[n] = name;
}

// Of several kernels the worst figure of each kind is said; it is that one that limits.
static void read_resources(Result *result) {
  const Entries *all = &list.checks[CHECKS - 1];
  for (size_t n = 0; n < all->count; n++) {
    const Entry *e = &all->entries[n];
    if (!e->kernel)
      continue;
    const Resources *c = &e->kernel->compiled;
    Resources *r = &result->compiled;
    const int waves = waves_per_simd(e);
    if (!result->has_compiled || waves < r->occupancy_waves_per_simd)
      r->occupancy_waves_per_simd = waves;
    result->has_compiled = true;
    r->sgprs = larger(r->sgprs, c->sgprs);
    r->vgprs = larger(r->vgprs, c->vgprs);
    r->agprs = larger(r->agprs, c->agprs);
    r->scratch_bytes = larger(r->scratch_bytes, c->scratch_bytes);
    r->largest_block = larger(r->largest_block, c->largest_block);
    r->lds_bytes = larger(r->lds_bytes, c->lds_bytes + (int)e->lds);
    add_name(result, e->kernel->name);
    result->launches++;
    result->threads +=
        (uint64_t)e->grid[0] * e->grid[1] * e->grid[2] * e->block[0] * e->block[1] * e->block[2];
  }
}

static void load_code(const char *path) {
  must(hipModuleLoad(&module, path), "loading", path);
  functions = calloc(facts.count + 1, sizeof *functions);
  for (size_t n = 0; functions && n < facts.count; n++)
    must(hipModuleGetFunction(&functions[n], module, facts.kernels[n].symbol), "looking for kernel",
         facts.kernels[n].name);
  must(functions ? hipSuccess : hipErrorOutOfMemory, "keeping the kernels of", path);
}

// The run that the options and the list describe; false, with a sentence, when there is none.
static bool read_setup(Setup *setup, Kernel *kernel) {
  Options *o = &setup->options;
  kernel->name = list.kernel;
  kernel->rows = list.rows;
  setup->kernel = kernel;
  o->window = list.window;
  memcpy(o->block, list.block, sizeof o->block);
  return setup_make_grid(&setup->grid, o, kernel, setup->family);
}

// One size: its list, which is the next one, and its run.
static Status run_size(FILE *lists, Setup *setup, Kernel *kernel, int first_check) {
  // Figures are of the last input; who asks for the others asks whether the kernel is right.
  Result result = {.first_check = first_check, .untimed = first_check < CHECKS - 1};
  list = launch_list_read(lists, &facts);
  if (!read_setup(setup, kernel))
    return MALFORMED_OPTIONS;
  device_describe(&result);
  read_resources(&result);
  const Status status = run_and_report(setup, enqueue, &result);
  launch_list_free(&list);
  return status;
}

// Where SIZES says so: a part of a grid of the size that the options name.
#define FAR "far"
static Status run_far(FILE *lists, Setup *setup, Kernel *kernel) {
  list = launch_list_read(lists, &facts);
  if (!read_setup(setup, kernel))
    return MALFORMED_OPTIONS;
  const int rows = list.rows > 0 ? list.rows : 1;
  const FarVerdict verdict = far_check(&list.checks[CHECKS - 1], &setup->grid, rows, play);
  fputs(verdict == FAR_RIGHT ? "right\n" : "", stderr);
  return verdict == FAR_WRONG ? NOT_RIGHT : VERIFIED;
}

enum { SOURCE = 1, FACTS, CODE, LISTS, SIZES, FIRST, FAMILY, AXIS, RADIUS, FIXED };

int main(int argc, char **argv) {
  char error[512] = "usage: replay SOURCE FACTS CODE LISTS SIZES FIRST FAMILY AXIS RADIUS OPTIONS";
  Options first = {.seed = 1};
  Sizes sizes;
  FILE *lists = argc < FIXED ? NULL : fopen(argv[LISTS], "r");
  const bool far = lists && strcmp(argv[SIZES], FAR) == 0;
  if (!lists || (!far && !sizes_read(&sizes, argv[SIZES])) || !families_find(argv[FAMILY]) ||
      atoi(argv[FIRST]) < 0 || atoi(argv[FIRST]) >= CHECKS ||
      options_parse(&first, argc - RADIUS, argv + RADIUS, error, sizeof error)) {
    fprintf(stderr, "%s\n", error);
    return DEVICE_TROUBLE;
  }
  facts = facts_read(argv[FACTS]);
  load_code(argv[CODE]);
  Kernel kernel = {.axis = argv[AXIS][0] == '-' ? 0 : argv[AXIS][0],
                   .radius = atoi(argv[RADIUS]),
                   .layout = planned_layout};
  Setup setup = {.file = argv[SOURCE], .family = families_find(argv[FAMILY])};
  if (far) {
    setup.options = first;
    return run_far(lists, &setup, &kernel);
  }
  Status status = VERIFIED;
  for (int n = 0; status == VERIFIED && n < sizes.count; n++) {
    setup.options = sizes_options(&sizes, &first, n);
    status = run_size(lists, &setup, &kernel, atoi(argv[FIRST]));
  }
  return status;
}
