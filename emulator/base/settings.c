// Settings: see settings.h.
#include "settings.h"

#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static bool whole_number(const char *text, uint64_t *value) {
  char *end;
  errno = 0;
  *value = strtoull(text, &end, 10);
  return errno == 0 && *end == 0 && strspn(text, "0123456789") == strlen(text);
}

static void read_once(void) {
  for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
    const char *text = getenv(row[i].variable);
    uint64_t value;
    if (!text || !*text)
      continue;
    if (whole_number(text, &value) && value >= row[i].least && value <= row[i].most)
      memcpy((char *)&values + row[i].offset, &value, sizeof value);
    else if (!*refused)
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
