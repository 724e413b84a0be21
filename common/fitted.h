// Text that fits into the terminal.
#ifndef FITTED_H
#define FITTED_H

#include <stddef.h>
#include <stdio.h>

// Columns of the terminal that out leads to; 0 where it is none, or does not say.
size_t fitted_columns(FILE *out);

// Prints the lines of a text. One that is wider than so many columns is broken at a blank and goes
// on below, behind twelve blanks, where the report has its values. 0 columns: lines stay whole.
void fitted_print(FILE *out, const char *text, size_t columns);

#endif
