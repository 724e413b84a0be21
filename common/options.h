// Command line of a lab program.
//
// In:  argv. Out: Options, or the sentence that says what is wrong with which option.
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
  int nx, ny, nz;     // points, boundary included; default 512 x 512 x 32
  unsigned block[3];  // threads per workgroup in x, y, z; default 256x1x1
  int iterations;     // timed launches; default 0, which leaves it to the device
  uint64_t seed;      // of the random input; default 1
  const char *json;   // file for the result, or NULL
  const char *kernel; // name of the kernel to run, or NULL for the lab's first
} Options;

typedef enum { OPTIONS_RUN, OPTIONS_HELP, OPTIONS_BAD } OptionsOutcome;

// Fills options with the defaults and then from argv. OPTIONS_BAD leaves a sentence in error.
OptionsOutcome options_parse(Options *options, int argc, char **argv, char *error,
                             size_t error_size);

// The text of --help.
extern const char OPTIONS_HELP_TEXT[];

#endif
