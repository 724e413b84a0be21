// Report files: see report_file.h.
#include "report_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool report_file_wanted(const ReportFile *report) {
  const char *path = getenv(report->variable);
  return path && *path && !report->broken;
}

static void give_up(ReportFile *report) {
  report->broken = true;
  fprintf(stderr, "emulator: %s cannot be written to %s (%s): %s. The program goes on without.\n",
          report->content, getenv(report->variable), report->variable, strerror(errno));
}

FILE *report_file_begin(ReportFile *report, bool *fresh) {
  errno = 0;
  *fresh = !report->file;
  const char *path = getenv(report->variable);
  if (!report->file)
    report->file = strcmp(path, "-") ? fopen(path, "w") : stderr;
  if (!report->file)
    give_up(report);
  return report->file;
}

void report_file_end(ReportFile *report) {
  if (fflush(report->file) || ferror(report->file))
    give_up(report);
}

void csv_field(FILE *file, const char *text, const char *suffix) {
  fputc('"', file);
  for (const char *c = text; *c; c++) {
    if (*c == '"')
      fputc('"', file);
    fputc(*c, file);
  }
  fprintf(file, "%s\"", suffix);
}
