// Device parameters: see parameters.h.
#include "parameters.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The default device, built in so that the library needs no file at run time.
__asm__(".section .rodata\n"
        "mi250x_ini:\n"
        ".incbin \"base/mi250x.ini\"\n"
        ".byte 0\n"
        ".previous\n");
extern const char mi250x_ini[] __attribute__((visibility("hidden")));

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

// "name = value", spaces as they come. where is for the message: "FILE, line 3" or "EMULATOR_SET".
static bool set_one(Reader *reader, const char *text, const char *where) {
  char name[64], rest[2];
  double value;
  if (sscanf(text, " %63[a-z0-9_] = %lf %1s", name, &value, rest) != 2) {
    snprintf(reader->message, reader->message_size, "%s: \"%s\" is not of the form NAME = VALUE",
             where, text);
    return false;
  }
  for (int i = 0; i < ROWS; i++) {
    if (strcmp(name, row[i].name) != 0)
      continue;
    if (!(value >= row[i].least && value <= row[i].most)) {
      snprintf(reader->message, reader->message_size,
               "%s: %s = %g is out of range; %g to %g is allowed", where, name, value, row[i].least,
               row[i].most);
      return false;
    }
    *(double *)((char *)reader->parameters + row[i].offset) = value;
    reader->seen[i] = true;
    return true;
  }
  snprintf(reader->message, reader->message_size,
           "%s: the device has no parameter \"%s\"; mi250x.ini lists them", where, name);
  return false;
}

static bool blank(const char *text) { return text[strspn(text, " \t\r")] == 0; }

static bool read_ini(Reader *reader, const char *text, const char *source) {
  for (int line = 1; *text; line++) {
    char copy[512], where[320];
    size_t length = strcspn(text, "\n");
    snprintf(copy, sizeof copy, "%.*s", (int)length, text);
    snprintf(where, sizeof where, "%s, line %d", source, line);
    copy[strcspn(copy, ";#")] = 0;
    if (!blank(copy) && copy[strspn(copy, " \t")] != '[' && !set_one(reader, copy, where))
      return false;
    text += length + (text[length] == '\n');
  }
  return true;
}

static bool read_file(Reader *reader, const char *path) {
  enum { LARGEST = 65536 };
  FILE *file = fopen(path, "r");
  char *text = calloc(1, LARGEST);
  bool read = file && text && fread(text, 1, LARGEST - 1, file) > 0;
  if (!read)
    snprintf(reader->message, reader->message_size,
             "EMULATOR_DEVICE names %s, which cannot be read or is empty", path);
  bool valid = read && read_ini(reader, text, path);
  if (file)
    fclose(file);
  free(text);
  return valid;
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
  enum { L1_LINE = 64, L2_LINE = 128 };
  const char *wrong = NULL;
  if (!whole(p->compute_units) || !whole(p->shader_engines) || !whole(p->l1_outstanding))
    wrong = "compute_units, shader_engines and l1_outstanding must be whole numbers";
  else if (!whole(p->l1_ways) || !whole(p->l1_bytes / L1_LINE / p->l1_ways))
    wrong = "l1_bytes must be a whole number of sets of l1_ways lines of 64 bytes";
  else if (!whole(p->l2_ways) || !whole(p->l2_channels) ||
           !whole(p->l2_bytes / L2_LINE / p->l2_ways / p->l2_channels))
    wrong = "l2_bytes must be a whole number of sets of l2_ways lines of 128 bytes in each of "
            "l2_channels channels";
  else if (!whole(p->l2_page_bytes) ||
           ((uint64_t)p->l2_page_bytes & ((uint64_t)p->l2_page_bytes - 1)))
    wrong = "l2_page_bytes must be a power of two";
  else if (!whole(p->hbm_banks) || !whole(p->hbm_row_bytes / L2_LINE))
    wrong = "hbm_banks must be whole and hbm_row_bytes a multiple of 128";
  if (wrong)
    snprintf(reader->message, reader->message_size, "the device's geometry does not work out: %s",
             wrong);
  return !wrong;
}

bool parameters_read(Parameters *parameters, char *message, size_t message_size) {
  Reader reader = {.parameters = parameters, .message = message, .message_size = message_size};
  const char *file = getenv("EMULATOR_DEVICE"), *pairs = getenv("EMULATOR_SET");
  if (!read_ini(&reader, mi250x_ini, "mi250x.ini"))
    return false;
  for (int i = 0; i < ROWS; i++)
    if (!reader.seen[i]) {
      snprintf(message, message_size, "mi250x.ini has no line for %s", row[i].name);
      return false;
    }
  return (!file || !*file || read_file(&reader, file)) && (!pairs || read_pairs(&reader, pairs)) &&
         check_geometry(&reader);
}
