// Command line of a lab program.
//
// In:  argv. Out: Options, or the sentence that says what is wrong with which option.
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  int nx, ny, nz;    // points; whether the boundary counts is up to the lab; default 512 x 512 x 32
  unsigned block[3]; // threads per workgroup in x, y, z; default 0, which leaves it to the kernel
  int iterations;    // timed launches; default 0, which leaves it to the device
  uint64_t seed;     // of the random input; default 1
  const char *json;  // file for the result, or NULL
  const char *kernel; // name of the kernel to run, or NULL for the lab's first
  int window;         // points along z that a thread slides over; default 0: the kernel's own
  bool packed;        // rows without padding, whatever the lab's layout says; default false
} Options;

typedef enum { OPTIONS_RUN, OPTIONS_HELP, OPTIONS_BAD } OptionsOutcome;

// Fills options with the defaults and then from argv. OPTIONS_BAD leaves a sentence in error.
OptionsOutcome options_parse(Options *options, int argc, char **argv, char *error,
                             size_t error_size);

// The same, but what argv does not name stays as it is in options.
OptionsOutcome options_read(Options *options, int argc, char **argv, char *error,
                            size_t error_size);

// The text of --help.
extern const char OPTIONS_HELP_TEXT[];

#endif
