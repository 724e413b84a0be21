// Files that the user names in an environment variable and that grow by each kernel launch.
//
// In: the variable's name and what the file holds. Out: a FILE to write to. The first launch of a
// process begins the file anew, later ones append; it is flushed after each, so that a program that
// is killed leaves what it has done. %p in the name becomes the process's number. If it cannot be
// written, or another report or process writes the same file, one sentence on stderr says so and the
// program goes on.
#ifndef EMULATOR_REPORT_FILE_H
#define EMULATOR_REPORT_FILE_H

#include <locale.h>
#include <stdbool.h>
#include <stdio.h>

typedef struct {
  const char *variable; // e.g. "EMULATOR_COUNTERS"
  const char *content;  // completes "... cannot be written to": "the counters"
  FILE *file;
  bool broken;
  locale_t callers; // of the thread, while it writes
} ReportFile;

// True if the variable names a file and nothing was wrong with it so far.
bool report_file_wanted(const ReportFile *report);
// Opens it if need be; *fresh tells that nothing was written yet. NULL, with the sentence, if it
// cannot be opened. Only if wanted.
FILE *report_file_begin(ReportFile *report, bool *fresh);
void report_file_end(ReportFile *report); // by the same thread: until then its numbers have a point

// One CSV field: text and suffix in quotes, quotes inside doubled.
void csv_field(FILE *file, const char *text, const char *suffix);

#endif
