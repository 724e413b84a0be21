// Sentences on what is wrong with a code object: see code_object_error.h.
#include "code_object_error.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>

bool load_error(LoadError *error, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error->text, error->size, format, arguments);
  va_end(arguments);
  for (char *c = error->text; error->size && *c; c++) // names may be anything in a corrupt file
    if (!isprint((unsigned char)*c))
      *c = '?';
  return false;
}
