// Command line of a lab program. See options.h.
#include "options.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BLOCK_THREADS 1024 // HIP's limit on threads per block
#define MAX_POINTS (1 << 30)   // in one direction; an int holds them with any halo

typedef struct Option Option;

// Stores the value that text spells in a field of Options; false when it is malformed or out of
// range.
typedef bool Reader(const Option *option, const char *text, void *field);

struct Option {
  const char *name, *value, *help;
  size_t field; // of Options
  Reader *read;
  uint64_t min, max;  // of a whole number
  const char *wanted; // of anything else: what the value must be
};

static Reader read_int, read_seed, read_block, read_text, read_layout;

// Every option that takes a value.
#define FIELD(name) offsetof(Options, name)
static const Option OPTIONS[] = {
    {"--nx", "N", "grid points in x", FIELD(nx), read_int, 1, MAX_POINTS, NULL},
    {"--ny", "N", "grid points in y", FIELD(ny), read_int, 1, MAX_POINTS, NULL},
    {"--nz", "N", "grid points in z", FIELD(nz), read_int, 1, MAX_POINTS, NULL},
    {"--block", "XxYxZ", "threads per block, at most 1024 (default the kernel's own)", FIELD(block),
     read_block, 0, 0,
     "three whole numbers like 256x1x1, none zero, whose product is at most 1024"},
    {"--iterations", "N",
     "timed launches (default on a real device as many as make the share of the\n"
     "                         copy certain to 1 %, at most 200; 1 on the emulated\n"
     "                         one, which takes the same modelled time every time)",
     FIELD(iterations), read_int, 1, 1000000, NULL},
    {"--seed", "N", "seed of the random input (default 1)", FIELD(seed), read_seed, 0, UINT64_MAX,
     NULL},
    {"--json", "FILE", "also write the result there", FIELD(json), read_text, 0, 0, "a file name"},
    {"--kernel", "NAME", "which of the lab's kernels (default the first)", FIELD(kernel), read_text,
     0, 0, "the name of one of the lab's kernels"},
    {"--window", "N", "points along z that a thread slides over, if the kernel has a window",
     FIELD(window), read_int, 1, MAX_POINTS, NULL},
    {"--layout", "own|packed", "rows where the lab puts them, if it does, or without padding",
     FIELD(packed), read_layout, 0, 0, "own or packed"},
};
#define OPTION_COUNT (sizeof OPTIONS / sizeof *OPTIONS)

// Reads a whole number; *end is where it stopped. False when there is none or it exceeds max.
static bool read_number(const char *text, uint64_t max, uint64_t *value, char **end) {
  if (*text < '0' || *text > '9') // strtoull would take "-1", "+1" and " 1"
    return false;
  errno = 0;
  *value = strtoull(text, end, 10);
  return errno == 0 && *value <= max;
}

static bool read_seed(const Option *option, const char *text, void *field) {
  uint64_t *value = field;
  char *end;
  return read_number(text, option->max, value, &end) && *end == '\0' && *value >= option->min;
}

static bool read_int(const Option *option, const char *text, void *field) {
  uint64_t value;
  const bool read = read_seed(option, text, &value);
  if (read)
    *(int *)field = (int)value;
  return read;
}

// "256x1x1"
static bool read_block(const Option *option, const char *text, void *field) {
  (void)option;
  unsigned *block = field;
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

static bool read_text(const Option *option, const char *text, void *field) {
  (void)option;
  *(const char **)field = text;
  return *text != '\0';
}

static bool read_layout(const Option *option, const char *text, void *field) {
  (void)option;
  bool *packed = field;
  *packed = strcmp(text, "packed") == 0;
  return *packed || strcmp(text, "own") == 0;
}

void options_print_help(FILE *out) {
  for (size_t n = 0; n < OPTION_COUNT; n++) {
    char usage[64];
    snprintf(usage, sizeof usage, "%s %s", OPTIONS[n].name, OPTIONS[n].value);
    fprintf(out, "  %-22s %s\n", usage, OPTIONS[n].help);
  }
  fprintf(out, "  %-22s %s\n", "--help", "this text");
}

// NULL when there is none of that name.
static const Option *find_option(const char *name) {
  for (size_t n = 0; n < OPTION_COUNT; n++)
    if (strcmp(name, OPTIONS[n].name) == 0)
      return &OPTIONS[n];
  return NULL;
}

static void describe_malformed(const Option *option, const char *text, char *error, size_t size) {
  if (option->wanted)
    snprintf(error, size, "%s %s: the value must be %s", option->name, text, option->wanted);
  else
    snprintf(error, size, "%s %s: the value must be a whole number from %" PRIu64 " to %" PRIu64,
             option->name, text, option->min, option->max);
}

OptionsOutcome options_parse(Options *o, int argc, char **argv, char *error, size_t error_size) {
  for (int a = 1; a < argc; a += 2) {
    const char *name = argv[a];
    if (strcmp(name, "--help") == 0)
      return OPTIONS_HELP;
    const Option *option = find_option(name);
    if (!option) {
      snprintf(error, error_size, "%s is not an option; --help lists them", name);
      return OPTIONS_BAD;
    }
    if (a + 1 >= argc) {
      snprintf(error, error_size, "%s needs a value after it; --help shows which", name);
      return OPTIONS_BAD;
    }
    if (!option->read(option, argv[a + 1], (char *)o + option->field)) {
      describe_malformed(option, argv[a + 1], error, error_size);
      return OPTIONS_BAD;
    }
  }
  return OPTIONS_RUN;
}
