// Device parameters: see parameters.h.
#define _GNU_SOURCE // strtod_l
#include "parameters.h"

#include "c_locale.h"

#include <ctype.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_DEVICE "mi250x" // has a line for each parameter; other devices only what differs

// The devices that are built in: the Makefile puts each .ini file of this folder into one section,
// its name and then its text, each with a zero at its end.
extern const char devices_begin[] __asm__("__start_devices") __attribute__((visibility("hidden")));
extern const char devices_end[] __asm__("__stop_devices") __attribute__((visibility("hidden")));

static const char *behind(const char *text) { return text + strlen(text) + 1; }

// The text of a built-in device, NULL if there is none of that name.
static const char *built_in(const char *name) {
  for (const char *at = devices_begin; at < devices_end; at = behind(behind(at)))
    if (strcmp(at, name) == 0)
      return behind(at);
  return NULL;
}

static void list_built_in(char *list, size_t size) {
  *list = 0;
  for (const char *at = devices_begin; at < devices_end; at = behind(behind(at)))
    snprintf(list + strlen(list), size - strlen(list), "%s%s", *list ? ", " : "", at);
}

static const struct {
  const char *name;
  size_t offset;
  double least, most;
} row[] = {
#define X(NAME, LEAST, MOST) {#NAME, offsetof(Parameters, NAME), LEAST, MOST},
    PARAMETERS(X)
#undef X
};
enum { ROWS = sizeof row / sizeof *row };

typedef struct {
  Parameters *parameters;
  bool seen[ROWS];
  char *message;
  size_t message_size;
} Reader;

static bool set_name(Reader *reader, const char *value, const char *where) {
  Parameters *p = reader->parameters;
  if ((size_t)snprintf(p->name, sizeof p->name, "%s", value) < sizeof p->name)
    return true;
  snprintf(reader->message, reader->message_size, "%s: the device's name is longer than %zu bytes",
           where, sizeof p->name - 1);
  return false;
}

static bool set_architecture(Reader *reader, const char *value, const char *where) {
  const Architecture *found = architecture_find(value);
  if (found) {
    reader->parameters->architecture = found;
    return true;
  }
  snprintf(reader->message, reader->message_size,
           "%s: the emulator has no architecture \"%.32s\"; there are gfx908, gfx90a and gfx942",
           where, value);
  return false;
}

static bool set_number(Reader *reader, int i, double value, const char *where) {
  if (value >= row[i].least && value <= row[i].most) {
    *(double *)((char *)reader->parameters + row[i].offset) = value;
    return reader->seen[i] = true;
  }
  snprintf(reader->message, reader->message_size,
           "%s: %s = %g is out of range; %g to %g is allowed", where, row[i].name, value,
           row[i].least, row[i].most);
  return false;
}

// "name = value", spaces as they come. where is for the message: "FILE, line 3" or "EMULATOR_SET".
static bool set_one(Reader *reader, const char *text, const char *where) {
  char name[64];
  int value = 0;
  bool assigns = sscanf(text, " %63[a-z0-9_] = %n", name, &value) == 1 && value && text[value];
  if (assigns && strcmp(name, "name") == 0)
    return set_name(reader, text + value, where);
  if (assigns && strcmp(name, "architecture") == 0)
    return set_architecture(reader, text + value, where);
  char *end = NULL;
  const double number = assigns ? strtod_l(text + value, &end, c_locale()) : 0;
  if (!assigns || end == text + value || end[strspn(end, " \t")]) {
    snprintf(reader->message, reader->message_size, "%s: \"%s\" is not of the form NAME = VALUE",
             where, text);
    return false;
  }
  for (int i = 0; i < ROWS; i++)
    if (strcmp(name, row[i].name) == 0)
      return set_number(reader, i, number, where);
  snprintf(reader->message, reader->message_size,
           "%s: the device has no parameter \"%s\"; emulator/base/" DEFAULT_DEVICE
           ".ini lists them",
           where, name);
  return false;
}

// Cuts comment and blanks off; what remains is empty where the line sets nothing.
static void trim(char *line) {
  line[strcspn(line, ";#\n")] = 0;
  for (size_t length = strlen(line); length && isspace((unsigned char)line[length - 1]);)
    line[--length] = 0;
  if (line[strspn(line, " \t")] == '[')
    *line = 0;
}

// Returns whether all lines are valid; *set is how many of them set something.
static bool read_lines(Reader *reader, FILE *file, const char *source, int *set) {
  char *line = NULL;
  size_t capacity = 0;
  bool valid = true;
  *set = 0;
  for (int number = 1; valid && getline(&line, &capacity, file) > 0; number++) {
    char where[320];
    snprintf(where, sizeof where, "%s, line %d", source, number);
    trim(line);
    if (*line) {
      valid = set_one(reader, line, where);
      ++*set;
    }
  }
  free(line);
  return valid;
}

enum { MOST_BYTES = 1 << 16 }; // of a file: one such as /dev/zero has no end

// The text of a file, opened; NULL if it cannot be read or is none of a device.
static FILE *open_device(const char *name) {
  static char text[MOST_BYTES];
  FILE *file = fopen(name, "r");
  const size_t bytes = file ? fread(text, 1, sizeof text, file) : 0;
  if (file)
    fclose(file);
  return bytes && bytes < sizeof text ? fmemopen(text, bytes, "r") : NULL;
}

static bool read_device(Reader *reader, const char *device) {
  const char *text = built_in(device);
  char source[256];
  snprintf(source, sizeof source, text ? "%s.ini" : "%s", device);
  FILE *file = text ? fmemopen((void *)text, strlen(text), "r") : open_device(device);
  int set = 0;
  bool valid = !file || read_lines(reader, file, source, &set);
  if (file)
    fclose(file);
  if (!valid || set)
    return valid;
  char list[256];
  list_built_in(list, sizeof list);
  snprintf(reader->message, reader->message_size,
           "EMULATOR_DEVICE=%s is neither a device that is built in (%s) nor a file that can be "
           "read and sets a parameter",
           device, list);
  return false;
}

static bool read_pairs(Reader *reader, const char *text) {
  char *copy = strdup(text), *rest = NULL;
  bool valid = copy != NULL;
  for (char *pair = copy ? strtok_r(copy, " ,", &rest) : NULL; pair && valid;
       pair = strtok_r(NULL, " ,", &rest))
    valid = set_one(reader, pair, "EMULATOR_SET");
  free(copy);
  return valid;
}

static bool whole(double value) { return value >= 1 && value == floor(value); }

static bool check_geometry(Reader *reader) {
  const Parameters *p = reader->parameters;
  enum { PIECE = 64, L2_LINE = 128 };
  const char *wrong = NULL;
  if (!whole(p->compute_units) || !whole(p->shader_engines) || !whole(p->waves_per_simd) ||
      !whole(p->l1_outstanding))
    wrong =
        "compute_units, shader_engines, waves_per_simd and l1_outstanding must be whole numbers";
  else if (p->issue_order != floor(p->issue_order))
    wrong = "issue_order must be 0, 1 or 2";
  else if (p->l1_line_bytes != PIECE && p->l1_line_bytes != L2_LINE)
    wrong = "l1_line_bytes must be 64 or 128";
  else if (!whole(p->l1_ways) || !whole(p->l1_bytes / p->l1_line_bytes / p->l1_ways))
    wrong = "l1_bytes must be a whole number of sets of l1_ways lines of l1_line_bytes";
  else if (!whole(p->utcl1_entries) || !whole(p->utcl1_page_bytes / PIECE))
    wrong = "utcl1_entries must be whole and utcl1_page_bytes a multiple of 64";
  else if (!whole(p->l2_ways) || !whole(p->l2_channels) ||
           !whole(p->l2_bytes / L2_LINE / p->l2_ways / p->l2_channels))
    wrong = "l2_bytes must be a whole number of sets of l2_ways lines of 128 bytes in each of "
            "l2_channels channels";
  else if (p->l2_unused_ways != floor(p->l2_unused_ways) || p->l2_unused_ways >= p->l2_ways)
    wrong = "l2_unused_ways must be a whole number below l2_ways";
  else if (!whole(p->l2_interleave_bytes / L2_LINE) ||
           !whole(p->l2_page_bytes / p->l2_interleave_bytes))
    wrong = "l2_interleave_bytes must be a multiple of 128, and l2_page_bytes one of it";
  else if (!whole(p->hbm_open_rows) || !whole(p->hbm_row_bytes / L2_LINE))
    wrong = "hbm_open_rows must be whole and hbm_row_bytes a multiple of 128";
  else if (!whole(p->hbm_bytes) || !whole(p->hbm_bus_bits))
    wrong = "hbm_bytes and hbm_bus_bits must be whole numbers";
  if (wrong)
    snprintf(reader->message, reader->message_size, "the device's geometry does not work out: %s",
             wrong);
  return !wrong;
}

static bool read_default(Reader *reader) {
  reader->parameters->architecture = NULL;
  if (!read_device(reader, DEFAULT_DEVICE))
    return false;
  if (!reader->parameters->architecture) {
    snprintf(reader->message, reader->message_size,
             DEFAULT_DEVICE ".ini has no line for architecture");
    return false;
  }
  for (int i = 0; i < ROWS; i++)
    if (!reader->seen[i]) {
      snprintf(reader->message, reader->message_size, DEFAULT_DEVICE ".ini has no line for %s",
               row[i].name);
      return false;
    }
  return true;
}

bool parameters_read(Parameters *parameters, char *message, size_t message_size) {
  Reader reader = {.parameters = parameters, .message = message, .message_size = message_size};
  const char *device = getenv("EMULATOR_DEVICE"), *pairs = getenv("EMULATOR_SET");
  return read_default(&reader) && (!device || !*device || read_device(&reader, device)) &&
         (!pairs || read_pairs(&reader, pairs)) && check_geometry(&reader);
}

// ---- the device of this process ----

static Parameters device;
static char refused[512]; // empty: not refused

static void read_once(void) {
  Reader reader = {.parameters = &device, .message = refused, .message_size = sizeof refused};
  if (!parameters_read(&device, refused, sizeof refused))
    read_default(&reader);
}

const Parameters *parameters_device(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, read_once);
  return &device;
}

const char *parameters_refused(void) {
  parameters_device();
  return *refused ? refused : NULL;
}
