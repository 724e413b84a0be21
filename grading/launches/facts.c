// Reads what kernel-facts wrote. See facts.h.
#define _GNU_SOURCE
#include "facts.h"

#include "status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void __attribute__((noreturn)) unreadable(const char *path) {
  fprintf(stderr, "the facts on the kernels in %s cannot be read\n", path);
  exit(DEVICE_TROUBLE);
}

static bool read_kernel(Facts *facts, const char *line) {
  facts->kernels = reallocarray(facts->kernels, facts->count + 1, sizeof *facts->kernels);
  if (!facts->kernels)
    return false;
  KernelFacts *k = &facts->kernels[facts->count++];
  *k = (KernelFacts){0};
  Resources *c = &k->compiled;
  return sscanf(line, "kernel %d %d %d %d %d %d %d %zu %ms %m[^\n]", &c->sgprs, &c->vgprs,
                &c->agprs, &c->scratch_bytes, &c->lds_bytes, &c->occupancy_waves_per_simd,
                &c->largest_block, &k->argument_bytes, &k->symbol, &k->name) == 10;
}

static bool read_argument(Facts *facts, const char *line) {
  if (!facts->count)
    return false;
  KernelFacts *k = &facts->kernels[facts->count - 1];
  k->arguments = reallocarray(k->arguments, k->argument_count + 1, sizeof *k->arguments);
  if (!k->arguments)
    return false;
  ArgumentFacts *a = &k->arguments[k->argument_count++];
  int is_pointer;
  if (sscanf(line, "argument %zu %zu %d", &a->offset, &a->size, &is_pointer) != 3)
    return false;
  a->is_pointer = is_pointer;
  return a->offset + a->size <= k->argument_bytes;
}

Facts facts_read(const char *path) {
  Facts facts = {0};
  FILE *in = fopen(path, "r");
  if (!in)
    unreadable(path);
  char *line = NULL;
  size_t room = 0;
  while (getline(&line, &room, in) > 0)
    if (!(strncmp(line, "kernel ", 7) == 0 ? read_kernel(&facts, line)
                                           : read_argument(&facts, line)))
      unreadable(path);
  free(line);
  fclose(in);
  return facts;
}

const KernelFacts *facts_find(const Facts *facts, const char *symbol) {
  for (size_t n = 0; n < facts->count; n++)
    if (strcmp(facts->kernels[n].symbol, symbol) == 0)
      return &facts->kernels[n];
  return NULL;
}
