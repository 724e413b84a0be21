// Numbers in files and in code, which have a point in every country: a program that calls setlocale
// may have made it a comma for all that the C library reads and prints.
#ifndef EMULATOR_C_LOCALE_H
#define EMULATOR_C_LOCALE_H

#include <locale.h>

// The locale of which a C program begins. It needs no memory and no freelocale (glibc newlocale(3)).
static inline locale_t c_locale(void) { return newlocale(LC_ALL_MASK, "C", (locale_t)0); }

#endif
