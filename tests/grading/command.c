// Runs commands and keeps what they say. See command.h.
#define _GNU_SOURCE
#include "command.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

const char *output = "";
static char *said, *command;

// Reads the stream to its end into said.
static void read_all(FILE *stream) {
  size_t size = 0, room = 0, got;
  do {
    if (room - size < 4096) {
      said = realloc(said, room += 65536);
      cr_assert(said, "no memory for the output of %s", command);
    }
    got = fread(said + size, 1, room - size - 1, stream);
    size += got;
  } while (got);
  said[size] = '\0';
  output = said;
}

int run(const char *format, ...) {
  free(command);
  va_list arguments;
  va_start(arguments, format);
  cr_assert(vasprintf(&command, format, arguments) >= 0, "no memory for a command");
  va_end(arguments);
  char *line;
  cr_assert(asprintf(&line, "{ %s\n} 2>&1", command) >= 0, "no memory for a command");
  FILE *pipe = popen(line, "r");
  cr_assert(pipe, "no shell for %s", command);
  read_all(pipe);
  const int status = pclose(pipe);
  free(line);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

const char *last_command(void) { return command; }
