// Asks a learner's launcher what it would launch, and writes that down. Linked with the learner's
// object and run where it can do no harm: all that comes out is the list (launch_list.h).
//
// In:  record FACTS DESCRIPTOR SIZES OPTIONS...   (facts.h; an open file for the list; sizes.h; a lab
//      program's options)
// Out: a list for each size. Status as a lab program's (status.h): 0 says only that the launcher came back.
//
// The launcher's HIP calls that matter end here, in functions of the same name, and in those of
// record_amd.c or record_nvidia.c; all others reach the platform's library, which answers what it is
// asked.
#include "record.h"

#include "device.h"
#include "launch_list.h"
#include "setup.h"
#include "sizes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *list;
static Facts facts;

// What stands for a kernel or a variable in the learner's host code, and its name on the device.
typedef struct {
  const void *host;
  const char *symbol;
} Registered;
#define MOST_REGISTERED 4096
static Registered registered[MOST_REGISTERED];
static size_t registered_count;

void record_remember(const void *host, const char *symbol) {
  if (registered_count < MOST_REGISTERED)
    registered[registered_count++] = (Registered){host, symbol};
}

hipError_t record_refused(const char *call) {
  fprintf(list, "refused %s\n", call);
  return hipErrorNotSupported;
}

static const char *symbol_of(const void *host) {
  for (size_t n = registered_count; n-- > 0;)
    if (registered[n].host == host)
      return registered[n].symbol;
  return NULL;
}

static void write_bytes(const void *bytes, size_t size) {
  for (size_t n = 0; n < size; n++)
    fprintf(list, "%02x", ((const unsigned char *)bytes)[n]);
  fputs(size ? "\n" : "-\n", list);
}

hipError_t hipLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                           size_t lds, hipStream_t stream) {
  (void)stream; // one after another is an order that any streams allow
  const char *symbol = symbol_of(function);
  const KernelFacts *kernel = symbol ? facts_find(&facts, symbol) : NULL;
  if (!kernel)
    return hipErrorInvalidDeviceFunction;
  unsigned char *bytes = calloc(1, kernel->argument_bytes + 1);
  if (!bytes)
    return hipErrorOutOfMemory;
  for (size_t n = 0; n < kernel->argument_count; n++)
    memcpy(bytes + kernel->arguments[n].offset, arguments[n], kernel->arguments[n].size);
  fprintf(list, "launch %s %u %u %u %u %u %u %zu ", symbol, grid.x, grid.y, grid.z, block.x,
          block.y, block.z, lds);
  write_bytes(bytes, kernel->argument_bytes);
  free(bytes);
  return hipSuccess;
}

hipError_t hipMemcpyToSymbol(const void *variable, const void *source, size_t size, size_t offset,
                             hipMemcpyKind kind) {
  const char *symbol = symbol_of(variable);
  if (!symbol || (kind != hipMemcpyHostToDevice && kind != hipMemcpyDefault))
    return hipErrorInvalidSymbol;
  fprintf(list, "set %s %zu ", symbol, offset);
  write_bytes(source, size);
  return hipSuccess;
}

hipError_t hipMemcpyToSymbolAsync(const void *variable, const void *source, size_t size,
                                  size_t offset, hipMemcpyKind kind, hipStream_t stream) {
  (void)stream;
  return hipMemcpyToSymbol(variable, source, size, offset, kind);
}

// What of the run the learner's file decides.
static void write_setup(const Setup *setup) {
  const Options *o = &setup->options;
  fprintf(list, "kernel %s\nrows %d\nwindow %d\nblock %u %u %u\nlayout %zu %zu\n",
          setup->kernel->name, setup->kernel->rows, o->window, o->block[0], o->block[1],
          o->block[2], setup->grid.ld, setup->grid.offset);
}

static void write_launches(const Setup *setup) {
  const Options *o = &setup->options;
  Launch launch = {.family = setup->family,
                   .kernel = setup->kernel,
                   .grid = &setup->grid,
                   .block = {o->block[0], o->block[1], o->block[2]},
                   .window = o->window,
                   .u = (void *)FAKE_U,
                   .f = (void *)FAKE_F};
  for (int check = 0; check < CHECKS; check++) {
    fprintf(list, "check %d\n", check);
    launch.check = check;
    setup->family->enqueue(&launch);
  }
  fprintf(list, "end\n");
}

int main(int argc, char **argv) {
  Setup first;
  Sizes sizes;
  Status status;
  facts = facts_read(argv[1]);
  list = fdopen(atoi(argv[2]), "w");
  if (!list || !sizes_read(&sizes, argv[3]))
    return DEVICE_TROUBLE;
  if (!setup_read(&first, &lab, argc - 3, argv + 3, &status))
    return status;
  for (int n = 0; n < sizes.count; n++) {
    Setup setup = first;
    setup.options = sizes_options(&sizes, &first.options, n);
    if (!setup_make_grid(&setup.grid, &setup.options, setup.kernel, setup.family) ||
        !setup_block_fits(&setup))
      return MALFORMED_OPTIONS;
    write_setup(&setup);
    write_launches(&setup);
  }
  return fclose(list) == 0 ? VERIFIED : DEVICE_TROUBLE;
}
