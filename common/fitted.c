// Breaks long lines. See fitted.h.
#include "fitted.h"

#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define INDENT 12

size_t fitted_columns(FILE *out) {
  struct winsize size;
  return ioctl(fileno(out), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

// How much of a line of this length goes on this one: up to its last blank within the room, or all
// of the first word.
static size_t part_that_fits(const char *line, size_t length, size_t room) {
  if (length <= room)
    return length;
  size_t end = room;
  while (end > 0 && line[end] != ' ')
    end--;
  while (end > 0 && line[end - 1] == ' ')
    end--;
  if (end > 0)
    return end;
  const char *blank = memchr(line, ' ', length);
  return blank ? (size_t)(blank - line) : length;
}

static void print_line(FILE *out, const char *line, size_t length, size_t columns) {
  size_t room = columns;
  for (;;) {
    const size_t part = part_that_fits(line, length, room);
    fprintf(out, "%.*s\n", (int)part, line);
    line += part, length -= part;
    while (length && *line == ' ')
      line++, length--;
    if (!length)
      return;
    fprintf(out, "%*s", INDENT, "");
    room = columns - INDENT;
  }
}

void fitted_print(FILE *out, const char *text, size_t columns) {
  if (columns <= 2 * INDENT) {
    fputs(text, out);
    return;
  }
  for (const char *end; (end = strchr(text, '\n')); text = end + 1)
    print_line(out, text, (size_t)(end - text), columns);
  fputs(text, out);
}
