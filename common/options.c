// Command line of a lab program. See options.h.
#include "options.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BLOCK_THREADS 1024 // HIP's limit on threads per block
#define MAX_POINTS (1 << 30)   // in one direction; an int holds them with any halo

const char OPTIONS_HELP_TEXT[] =
    "  --nx N --ny N --nz N   grid points (default 512 512 32); labs 01 to 05 count the boundary,\n"
    "                         in labs 06 and 07 a halo comes on top\n"
    "  --block XxYxZ          threads per block, at most 1024 (default the kernel's own)\n"
    "  --iterations N         timed launches (default 20 on a real device; 1 on the emulated one,\n"
    "                         which takes the same modelled time every time)\n"
    "  --seed N               seed of the random input (default 1)\n"
    "  --json FILE            also write the result there\n"
    "  --kernel NAME          which of the lab's kernels (default the first)\n"
    "  --window N             points along z that a thread slides over (lab 07)\n"
    "  --layout own|packed    rows where the lab puts them, or without padding (labs 06, 07)\n"
    "  --help                 this text\n";

// Reads a whole number; *end is where it stopped. False when there is none or it exceeds max.
static bool read_number(const char *text, uint64_t max, uint64_t *value, char **end) {
  if (*text < '0' || *text > '9') // strtoull would take "-1", "+1" and " 1"
    return false;
  errno = 0;
  *value = strtoull(text, end, 10);
  return errno == 0 && *value <= max;
}

static bool read_whole_number(const char *text, uint64_t min, uint64_t max, uint64_t *value) {
  char *end;
  return read_number(text, max, value, &end) && *end == '\0' && *value >= min;
}

// "256x1x1"
static bool read_block(const char *text, unsigned block[3]) {
  uint64_t threads = 1;
  for (int d = 0; d < 3; d++) {
    uint64_t value;
    char *end;
    if (!read_number(text, MAX_BLOCK_THREADS, &value, &end) || *end != (d < 2 ? 'x' : '\0'))
      return false;
    block[d] = (unsigned)value;
    threads *= value;
    text = end + 1;
  }
  return threads >= 1 && threads <= MAX_BLOCK_THREADS;
}

typedef enum { NX, NY, NZ, ITERATIONS, WINDOW, SEED, BLOCK, JSON, KERNEL_NAME, LAYOUT } OptionName;

// Every option that takes a value; min and max hold for the whole numbers.
static const struct {
  const char *name;
  uint64_t min, max;
  const char *wanted;
} OPTIONS[] = {
    [NX] = {"--nx", 1, MAX_POINTS, "a whole number from 1 to 1073741824"},
    [NY] = {"--ny", 1, MAX_POINTS, "a whole number from 1 to 1073741824"},
    [NZ] = {"--nz", 1, MAX_POINTS, "a whole number from 1 to 1073741824"},
    [ITERATIONS] = {"--iterations", 1, 1000000, "a whole number from 1 to 1000000"},
    [WINDOW] = {"--window", 1, MAX_POINTS, "a whole number from 1 to 1073741824"},
    [SEED] = {"--seed", 0, UINT64_MAX, "a whole number from 0 to 18446744073709551615"},
    [BLOCK] = {"--block", 0, 0,
               "three whole numbers like 256x1x1, none zero, whose product is at most 1024"},
    [JSON] = {"--json", 0, 0, "a file name"},
    [KERNEL_NAME] = {"--kernel", 0, 0, "the name of one of the lab's kernels"},
    [LAYOUT] = {"--layout", 0, 0, "own or packed"},
};
#define OPTION_COUNT ((int)(sizeof OPTIONS / sizeof *OPTIONS))

// Stores the value of option n; false when it is malformed or out of range.
static bool store(Options *o, int n, const char *value) {
  if (n == BLOCK)
    return read_block(value, o->block);
  if (n == JSON || n == KERNEL_NAME) {
    *(n == JSON ? &o->json : &o->kernel) = value;
    return *value != '\0';
  }
  if (n == LAYOUT) {
    o->packed = strcmp(value, "packed") == 0;
    return o->packed || strcmp(value, "own") == 0;
  }
  uint64_t number;
  if (!read_whole_number(value, OPTIONS[n].min, OPTIONS[n].max, &number))
    return false;
  if (n == SEED)
    o->seed = number;
  else
    *(int *[]){[NX] = &o->nx,
               [NY] = &o->ny,
               [NZ] = &o->nz,
               [ITERATIONS] = &o->iterations,
               [WINDOW] = &o->window}[n] = (int)number;
  return true;
}

// Index into OPTIONS, or OPTION_COUNT.
static int find_option(const char *name) {
  int n = 0;
  while (n < OPTION_COUNT && strcmp(name, OPTIONS[n].name) != 0)
    n++;
  return n;
}

OptionsOutcome options_parse(Options *o, int argc, char **argv, char *error, size_t error_size) {
  *o = (Options){.nx = 512, .ny = 512, .nz = 32, .seed = 1};
  return options_read(o, argc, argv, error, error_size);
}

OptionsOutcome options_read(Options *o, int argc, char **argv, char *error, size_t error_size) {
  for (int a = 1; a < argc; a += 2) {
    const char *name = argv[a];
    if (strcmp(name, "--help") == 0)
      return OPTIONS_HELP;
    const int n = find_option(name);
    if (n == OPTION_COUNT) {
      snprintf(error, error_size, "%s is not an option; --help lists them", name);
      return OPTIONS_BAD;
    }
    if (a + 1 >= argc) {
      snprintf(error, error_size, "%s needs a value after it; --help shows which", name);
      return OPTIONS_BAD;
    }
    if (!store(o, n, argv[a + 1])) {
      snprintf(error, error_size, "%s %s: the value must be %s", name, argv[a + 1],
               OPTIONS[n].wanted);
      return OPTIONS_BAD;
    }
  }
  return OPTIONS_RUN;
}
