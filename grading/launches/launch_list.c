// Reads a list of launches, of which nothing is taken on trust. See launch_list.h.
#define _GNU_SOURCE
#include "launch_list.h"

#include "status.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ENTRIES 10000 // of a check

static void __attribute__((noreturn, format(printf, 1, 2))) refuse(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fprintf(stderr, "\n");
  exit(KERNEL_FAULT);
}

static void __attribute__((noreturn)) no_memory(void) {
  fprintf(stderr, "no host memory for the list of launches\n");
  exit(DEVICE_TROUBLE);
}

// Hexadecimal digits to bytes.
static void read_bytes(Entry *e, const char *digits) {
  const size_t length = strcmp(digits, "-") == 0 ? 0 : strlen(digits);
  e->size = length / 2;
  e->bytes = malloc(e->size + 1);
  if (!e->bytes)
    no_memory();
  for (size_t n = 0; n < e->size; n++)
    if (sscanf(digits + 2 * n, "%2hhx", &e->bytes[n]) != 1)
      refuse("the list of launches is damaged: %.16s are no bytes", digits + 2 * n);
}

static Entry *add_entry(Entries *all) {
  if (all->count == MOST_ENTRIES)
    refuse("the launcher launches more than %d kernels, which no lab needs", MOST_ENTRIES);
  all->entries = reallocarray(all->entries, all->count + 1, sizeof *all->entries);
  if (!all->entries)
    no_memory();
  all->entries[all->count] = (Entry){0};
  return &all->entries[all->count++];
}

// NULL is a pointer as good as any: the device says what is wrong with it.
static bool is_array(uint64_t pointer) {
  return pointer == 0 || pointer >> FAKE_BITS == FAKE_U >> FAKE_BITS ||
         pointer >> FAKE_BITS == FAKE_F >> FAKE_BITS;
}

static void check_pointers(const Entry *e) {
  for (size_t n = 0; n < e->kernel->argument_count; n++) {
    const ArgumentFacts *a = &e->kernel->arguments[n];
    uint64_t pointer;
    if (!a->is_pointer || a->size != sizeof pointer)
      continue;
    memcpy(&pointer, e->bytes + a->offset, sizeof pointer);
    if (!is_array(pointer))
      refuse("argument %zu of kernel %s is a pointer that leads into none of the arrays the "
             "launcher was given; kernels may use those arrays and __device__ variables",
             n + 1, e->kernel->name);
  }
}

static bool read_launch(Entries *all, const char *line, const Facts *facts) {
  Entry *e = add_entry(all);
  char *symbol = NULL, *digits = NULL;
  unsigned *g = e->grid, *b = e->block;
  if (sscanf(line, "launch %ms %u %u %u %u %u %u %u %ms", &symbol, &g[0], &g[1], &g[2], &b[0],
             &b[1], &b[2], &e->lds, &digits) != 9)
    return false;
  e->kernel = facts_find(facts, symbol);
  if (!e->kernel)
    refuse("kernel %s is launched, and the file compiled to no such kernel", symbol);
  read_bytes(e, digits);
  if (e->size != e->kernel->argument_bytes)
    refuse("kernel %s takes %zu bytes of arguments, and %zu were handed over", e->kernel->name,
           e->kernel->argument_bytes, e->size);
  check_pointers(e);
  free(symbol), free(digits);
  return true;
}

static bool read_set(Entries *all, const char *line) {
  Entry *e = add_entry(all);
  char *digits = NULL;
  if (sscanf(line, "set %ms %zu %ms", &e->variable, &e->offset, &digits) != 3)
    return false;
  read_bytes(e, digits);
  free(digits);
  return true;
}

// One line that is not "end". False when it is none of a list.
static bool read_line(LaunchList *list, Entries **check, const char *line, const Facts *facts) {
  unsigned *b = list->block, number;
  char *call;
  if (sscanf(line, "kernel %ms", &list->kernel) == 1 || sscanf(line, "rows %d", &list->rows) == 1 ||
      sscanf(line, "window %d", &list->window) == 1 ||
      sscanf(line, "block %u %u %u", &b[0], &b[1], &b[2]) == 3 ||
      sscanf(line, "layout %zu %zu", &list->ld, &list->offset) == 2)
    return true;
  if (sscanf(line, "refused %ms", &call) == 1)
    refuse(
        "the launcher calls %s; it may launch kernels with <<<...>>> and set __constant__ and "
        "__device__ variables, and what else the device is to do belongs into a kernel, where it "
        "counts",
        call);
  if (sscanf(line, "check %u", &number) == 1 && number < CHECKS) {
    *check = &list->checks[number];
    return true;
  }
  return *check && (strncmp(line, "launch ", 7) == 0 ? read_launch(*check, line, facts)
                                                     : read_set(*check, line));
}

LaunchList launch_list_read(FILE *in, const Facts *facts) {
  LaunchList list = {0};
  Entries *check = NULL;
  char *line = NULL;
  size_t room = 0;
  bool whole = false;
  while (!whole && getline(&line, &room, in) > 0) {
    whole = strcmp(line, "end\n") == 0;
    if (!whole && !read_line(&list, &check, line, facts))
      refuse("the list of launches is damaged: %.60s", line);
  }
  if (!whole || !list.kernel)
    refuse("the launcher did not come back: it ended the program, as exit does");
  free(line);
  return list;
}

void launch_list_free(LaunchList *list) {
  for (int check = 0; check < CHECKS; check++) {
    for (size_t n = 0; n < list->checks[check].count; n++) {
      free(list->checks[check].entries[n].bytes);
      free(list->checks[check].entries[n].variable);
    }
    free(list->checks[check].entries);
  }
  free(list->kernel);
  *list = (LaunchList){0};
}
