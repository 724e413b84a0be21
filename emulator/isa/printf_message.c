// printf() of kernels: see printf_message.h. Each conversion is rebuilt with its width and
// precision as numbers and handed to the C library with an argument of the type that it names.
#include "printf_message.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const uint64_t *next, *end;
} Arguments;

enum {
  PREFIX_SIZE = 32, // "%-+ #0", a width, a precision, "ll" and the conversion
  WIDEST =
      4095, // characters of one conversion that C guarantees; more would only flood the terminal
};

typedef struct {
  char prefix[PREFIX_SIZE]; // "%" with flags, width and precision
  size_t length;            // of prefix
  int size;                 // -2 hh, -1 h, 0 int, 1 64-bit: l, ll, j, z, t, L
  char conversion;
} Conversion;

static void append(Conversion *conversion, const char *text) {
  size_t length = strlen(text);
  if (conversion->length + length < PREFIX_SIZE) {
    memcpy(conversion->prefix + conversion->length, text, length + 1);
    conversion->length += length;
  }
}

static bool take(Arguments *arguments, uint64_t *value) {
  if (arguments->next == arguments->end)
    return false;
  *value = *arguments->next++;
  return true;
}

// A width or precision: digits, or * for an argument. False if that argument is missing.
static bool parse_number(const char **p, Conversion *conversion, Arguments *arguments,
                         bool precision) {
  long long number;
  if (**p == '*') {
    uint64_t value;
    if (!take(arguments, &value))
      return false;
    ++*p;
    number = (int)value;
  } else {
    char *end;
    bool digits = **p >= '0' && **p <= '9';
    if (!digits && !precision)
      return true;
    number = digits ? strtoll(*p, &end, 10) : 0; // "%.f" is "%.0f"
    *p = digits ? end : *p;
  }
  if (precision && number < 0)
    return true; // as if there were none
  number = number > WIDEST ? WIDEST : number < -WIDEST ? -WIDEST : number;
  char text[16];
  snprintf(text, sizeof text, "%s%d", precision ? "." : "", (int)number);
  append(conversion, text);
  return true;
}

// Reads what stands behind a '%'. Returns the place behind it, or NULL if it is no conversion or
// lacks an argument.
static const char *parse(const char *p, Conversion *conversion, Arguments *arguments) {
  *conversion = (Conversion){0};
  append(conversion, "%");
  for (; *p && strchr("-+ #0'I", *p); p++)
    if (!strchr(conversion->prefix, *p))
      append(conversion, (char[]){*p, 0});
  if (!parse_number(&p, conversion, arguments, false))
    return NULL;
  if (*p == '.' && (p++, !parse_number(&p, conversion, arguments, true)))
    return NULL;
  for (; *p && strchr("hlLjzt", *p); p++)
    conversion->size = *p == 'h' ? conversion->size - 1 : 1;
  conversion->conversion = *p;
  return *p && strchr("diouxXcfFeEgGaAspn", *p) ? p + 1 : NULL;
}

static int64_t to_signed(uint64_t value, int size) {
  return size > 0     ? (int64_t)value
         : size == 0  ? (int32_t)value
         : size == -1 ? (int16_t)value
                      : (int8_t)value;
}
static uint64_t to_unsigned(uint64_t value, int size) {
  return size > 0     ? value
         : size == 0  ? (uint32_t)value
         : size == -1 ? (uint16_t)value
                      : (uint8_t)value;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
// Prints one conversion; the number of characters, or -1.
static int print(FILE *stream, Conversion *conversion, Arguments *arguments) {
  uint64_t value = 0;
  double number;
  const char *string = (const char *)arguments->next;
  char *format = conversion->prefix;
  char letter[] = {conversion->conversion, 0};
  if (letter[0] == 's') {
    size_t words = strlen(string) / 8 + 1, left = (size_t)(arguments->end - arguments->next);
    arguments->next += words < left ? words : left;
    append(conversion, letter);
    return fprintf(stream, format, string);
  }
  take(arguments, &value);
  switch (letter[0]) {
  case 'n':
    return 0;
  case 'd':
  case 'i':
    append(conversion, "ll");
    append(conversion, letter);
    return fprintf(stream, format, (long long)to_signed(value, conversion->size));
  case 'o':
  case 'u':
  case 'x':
  case 'X':
    append(conversion, "ll");
    append(conversion, letter);
    return fprintf(stream, format, (unsigned long long)to_unsigned(value, conversion->size));
  case 'c':
    append(conversion, letter);
    return fprintf(stream, format, (int)(unsigned char)value);
  case 'p':
    append(conversion, letter);
    return fprintf(stream, format, (void *)value);
  default:
    append(conversion, letter);
    memcpy(&number, &value, sizeof number);
    return fprintf(stream, format, number);
  }
}
#pragma GCC diagnostic pop

// Whether a write has failed is told by its own result: the stream remembers failures of earlier messages.
static int64_t print_all(FILE *stream, const char *p, Arguments *arguments) {
  int64_t total = 0;
  while (*p) {
    size_t plain = strcspn(p, "%");
    int written = 0;
    if (fwrite(p, 1, plain, stream) != plain)
      return -1;
    total += (int64_t)plain;
    p += plain;
    if (*p == '%') {
      Conversion conversion;
      const char *behind = p[1] == '%' ? NULL : parse(p + 1, &conversion, arguments);
      bool usable = behind && arguments->next < arguments->end;
      written = usable ? print(stream, &conversion, arguments) : fputc('%', stream) == EOF ? -1 : 1;
      p = usable ? behind : p[1] == '%' ? p + 2 : p + 1;
    }
    if (written < 0)
      return -1;
    total += written;
  }
  return total;
}

int64_t printf_message(const uint64_t *words, size_t count) {
  if (count < 2 || words[0] > 1)
    return -1;
  FILE *stream = words[0] ? stderr : stdout;
  const char *format = (const char *)(words + 1);
  size_t format_words = strlen(format) / 8 + 1;
  Arguments arguments = {words + 1 + format_words, words + count};
  if (format_words > count - 1)
    arguments.next = arguments.end;
  flockfile(stream); // a message is one piece, whatever other threads print
  int64_t written = print_all(stream, format, &arguments);
  funlockfile(stream);
  return written;
}
