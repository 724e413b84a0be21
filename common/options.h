// Command line of a lab program.
//
// In:  argv, defaults. Out: Options, or the sentence that says what is wrong with which option.
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef struct {
  int nx, ny, nz;     // points; whether the boundary counts is up to the family
  unsigned block[3];  // threads per workgroup in x, y, z; 0 leaves it to the kernel
  int iterations;     // timed launches; 0 leaves it to the device
  uint64_t seed;      // of the random input
  const char *json;   // file for the result, or NULL
  const char *kernel; // name of the kernel to run, or NULL for the lab's first
  int window;         // points along z that a thread slides over; 0 leaves it to the kernel
  bool packed;        // rows without padding, whatever the lab's layout says
} Options;

typedef enum { OPTIONS_RUN, OPTIONS_HELP, OPTIONS_BAD } OptionsOutcome;

// Fills options from argv; what that does not name stays as it was. OPTIONS_BAD leaves a sentence in
// error.
OptionsOutcome options_parse(Options *options, int argc, char **argv, char *error,
                             size_t error_size);

// A line or two on each option.
void options_print_help(FILE *out);

#endif
