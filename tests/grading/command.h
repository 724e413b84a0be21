// Commands as a person would type them, and what they say: for the tests of whole programs.
//
// In:  a shell command, run from the repository root.
// Out: its exit status, and all it said on stdout and stderr, in `output` until the next command. A
//      test that fails shows the command and the whole of it.
#ifndef COMMAND_H
#define COMMAND_H

#include <criterion/criterion.h>
#include <string.h>

extern const char *output;

// Runs the command that the format makes. Returns its exit status, -1 if a signal ended it.
int run(const char *format, ...) __attribute__((format(printf, 1, 2)));

// The command that ran last, for messages.
const char *last_command(void);

// Runs a command, which must end with this exit status.
#define assert_ends(status, ...)                                                                   \
  do {                                                                                             \
    const int ended = run(__VA_ARGS__);                                                            \
    cr_assert_eq(ended, status, "%s\nended with status %d, not %d:\n%s", last_command(), ended,    \
                 status, output);                                                                  \
  } while (0)

// What the last command must have said, and must not have.
#define assert_said(text)                                                                          \
  cr_assert(strstr(output, text), "%s\nlacks '%s':\n%s", last_command(), text, output)
#define assert_not_said(text)                                                                      \
  cr_assert(!strstr(output, text), "%s\nhas '%s':\n%s", last_command(), text, output)

#endif
