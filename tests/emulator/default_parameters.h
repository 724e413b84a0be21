// The parameters of the device that the process plays: mi250x.ini, unless EMULATOR_SET says otherwise.
#ifndef TESTS_DEFAULT_PARAMETERS_H
#define TESTS_DEFAULT_PARAMETERS_H

#include "parameters.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static inline Parameters defaults(void) {
  Parameters p;
  char message[512];
  cr_assert(parameters_read(&p, message, sizeof message), "%s", message);
  return p;
}

#endif
