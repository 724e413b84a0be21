// Text of faults: see fault.h.
#include "fault.h"

#include <stdio.h>
#include <string.h>

void fault_append(Fault *fault, const char *format, ...) {
  size_t used = strlen(fault->text);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(fault->text + used, sizeof fault->text - used, format, arguments);
  va_end(arguments);
}
