// Settings: see settings.h.
#define _GNU_SOURCE // environ
#include "settings.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
  const char *variable;
  size_t offset;
  uint64_t least, most;
} row[] = {
#define X(FIELD, VARIABLE, LEAST, MOST, DEFAULT) {VARIABLE, offsetof(Settings, FIELD), LEAST, MOST},
    SETTINGS(X)
#undef X
};

static Settings values = {
#define X(FIELD, VARIABLE, LEAST, MOST, DEFAULT) .FIELD = DEFAULT,
    SETTINGS(X)
#undef X
};
static char refused[256]; // empty: not refused

// Those that are no numbers, and are read where they are used.
static const char *const text_variable[] = {"EMULATOR_DEVICE", "EMULATOR_SET", "EMULATOR_COUNTERS",
                                            "EMULATOR_LINES", "EMULATOR_TRACES"};

static bool whole_number(const char *text, uint64_t *value) {
  char *end;
  errno = 0;
  *value = strtoull(text, &end, 10);
  return errno == 0 && *end == 0 && strspn(text, "0123456789") == strlen(text);
}

// Others are ROCm's, which ignores what they cannot be.
static bool is_ours(const char *variable) {
  return strncmp(variable, "EMULATOR_", strlen("EMULATOR_")) == 0;
}

// Whether "NAME=..." sets this variable.
static bool sets(const char *entry, const char *variable) {
  const size_t length = strlen(variable);
  return strncmp(entry, variable, length) == 0 && entry[length] == '=';
}

static bool is_known(const char *entry) {
  bool known = false;
  for (size_t i = 0; i < sizeof row / sizeof *row; i++)
    known = known || sets(entry, row[i].variable);
  for (size_t i = 0; i < sizeof text_variable / sizeof *text_variable; i++)
    known = known || sets(entry, text_variable[i]);
  return known;
}

// A name that is spelled wrongly would change nothing without a word.
static void tell_unknown(void) {
  for (char **entry = environ; entry && *entry; entry++) {
    if (!is_ours(*entry) || is_known(*entry))
      continue;
    fprintf(stderr,
            "emulator: note: %.*s is in the environment, but no setting has this name. There are",
            (int)strcspn(*entry, "="), *entry);
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
      if (is_ours(row[i].variable))
        fprintf(stderr, " %s,", row[i].variable);
    for (size_t i = 0; i < sizeof text_variable / sizeof *text_variable; i++)
      fprintf(stderr, "%s %s", i ? "," : "", text_variable[i]);
    fputc('\n', stderr);
  }
}

static void read_once(void) {
  tell_unknown();
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    const char *text = getenv(row[i].variable);
    uint64_t value;
    if (!text || !*text)
      continue;
    if (whole_number(text, &value) && value >= row[i].least && value <= row[i].most)
      memcpy((char *)&values + row[i].offset, &value, sizeof value);
    else if (!*refused && is_ours(row[i].variable))
      snprintf(refused, sizeof refused,
               "%s=%.32s is not a whole number from %llu to %llu; change it or take it out of the "
               "environment",
               row[i].variable, text, (unsigned long long)row[i].least,
               (unsigned long long)row[i].most);
  }
}

const Settings *settings(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, read_once);
  return &values;
}

const char *settings_refused(void) {
  settings();
  return *refused ? refused : NULL;
}
