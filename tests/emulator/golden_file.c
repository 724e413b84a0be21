// Reader of golden case files: see golden_file.h.
#include "golden_file.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_text(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file)
    cr_fatal("cannot open %s: tests run from the repository's root after make built them", path);
  fseek(file, 0, SEEK_END);
  size_t size = (size_t)ftell(file);
  rewind(file);
  char *text = malloc(size + 1);
  if (!text || fread(text, 1, size, file) != size)
    cr_fatal("cannot read %s", path);
  text[size] = 0;
  fclose(file);
  return text;
}

static void *grow(void *array, size_t count, size_t element) {
  if (count & (count - 1)) // full only at powers of two
    return array;
  array = realloc(array, (count ? 2 * count : 1) * element);
  if (!array)
    cr_fatal("out of memory");
  return array;
}

// "a=1 b=2" in place.
static GoldenItem *read_items(char *text, size_t *count) {
  GoldenItem *items = NULL;
  char *rest = NULL;
  for (char *token = strtok_r(text, " ", &rest); token; token = strtok_r(NULL, " ", &rest)) {
    char *equals = strchr(token, '=');
    if (!equals)
      cr_fatal("\"%s\" is no KEY=VALUE", token);
    *equals = 0;
    items = grow(items, *count, sizeof *items);
    items[(*count)++] = (GoldenItem){token, equals + 1};
  }
  return items;
}

static void read_line(GoldenFile *file, char *line, int number) {
  if (!*line || *line == '#')
    return;
  char *equals = strstr(line, " = ");
  if (*line == '@' && equals) {
    *equals = 0;
    file->lists = grow(file->lists, file->list_count, sizeof *file->lists);
    file->lists[file->list_count++] = (GoldenItem){line, equals + 3};
    return;
  }
  char *before = strstr(line, " | "), *after = strstr(line, " =>");
  if (!before || !after)
    cr_fatal("%s:%d: neither list nor case", file->path, number);
  *before = *after = 0;
  GoldenCase one = {.line = number, .instruction = line};
  one.before = read_items(before + 2, &one.before_count);
  one.after = read_items(after + 3, &one.after_count);
  file->cases = grow(file->cases, file->count, sizeof *file->cases);
  file->cases[file->count++] = one;
}

size_t golden_read_encodings(const char *path, uint8_t (*code)[INSTRUCTION_BYTES], size_t *size,
                             size_t limit) {
  static const char mark[] = "encoding: [";
  char *text = read_text(path);
  size_t count = 0;
  for (char *p = strstr(text, mark); p; p = strstr(p, mark), count++) {
    p += sizeof mark - 1;
    if (count >= limit)
      continue;
    for (size[count] = 0; *p != ']' && size[count] < INSTRUCTION_BYTES; p += *p == ',')
      code[count][size[count]++] = (uint8_t)strtoul(p, &p, 16);
  }
  free(text);
  return count;
}

static void read_codes(GoldenFile *file, const char *name) {
  char path[256];
  snprintf(path, sizeof path, "build/tests/emulator/golden/%s.encoding", name);
  uint8_t(*code)[INSTRUCTION_BYTES] = calloc(file->count + 1, sizeof *code);
  size_t *size = calloc(file->count + 1, sizeof *size);
  size_t found = golden_read_encodings(path, code, size, file->count);
  if (found != file->count)
    cr_fatal("%s has %zu instructions for the %zu cases of %s", path, found, file->count,
             file->path);
  for (size_t i = 0; i < found; i++) {
    memcpy(file->cases[i].code, code[i], INSTRUCTION_BYTES);
    file->cases[i].code_size = size[i];
  }
  free(code);
  free(size);
}

// Files of other devices: what LLVM 15 calls their architecture.
static const struct {
  const char *file, *device, *cpu;
} others[] = {{"gfx942", "mi300x", "gfx940"}, {"gfx908", "mi100", "gfx908"}};
enum { OTHERS = sizeof others / sizeof *others };

static int other(const char *name) {
  int i = 0;
  while (i < OTHERS && strcmp(name, others[i].file) != 0)
    i++;
  return i;
}

bool golden_of_another_device(const char *name) { return other(name) < OTHERS; }

const char *golden_cpu(const char *name) {
  return golden_of_another_device(name) ? others[other(name)].cpu : "gfx90a";
}

GoldenFile golden_read(const char *name) {
  char path[256];
  if (golden_of_another_device(name))
    setenv("EMULATOR_DEVICE", others[other(name)].device,
           1); // it is read once a process, so once a test
  snprintf(path, sizeof path, "tests/emulator/golden/%s.txt", name);
  GoldenFile file = {.path = strdup(path)};
  file.text = read_text(path);
  int number = 1;
  for (char *line = file.text, *end; line; line = end, number++) {
    end = strchr(line, '\n');
    if (end)
      *end++ = 0;
    read_line(&file, line, number);
  }
  read_codes(&file, name);
  return file;
}

void golden_free(GoldenFile *file) {
  for (size_t i = 0; i < file->count; i++) {
    free(file->cases[i].before);
    free(file->cases[i].after);
  }
  free(file->cases);
  free(file->lists);
  free(file->text);
  free(file->path);
}

const char *golden_list(const GoldenFile *file, const char *value) {
  if (*value != '@')
    return value;
  for (size_t i = 0; i < file->list_count; i++)
    if (strcmp(file->lists[i].key, value) == 0)
      return file->lists[i].value;
  cr_fatal("%s: the list %s is not declared", file->path, value);
  return NULL;
}
