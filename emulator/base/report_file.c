// Report files: see report_file.h.
#include "report_file.h"

#include "c_locale.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool report_file_wanted(const ReportFile *report) {
  const char *path = getenv(report->variable);
  return path && *path && !report->broken;
}

static void give_up(ReportFile *report) {
  report->broken = true;
  fprintf(stderr, "emulator: %s cannot be written to %s (%s): %s. The program goes on without.\n",
          report->content, getenv(report->variable), report->variable, strerror(errno));
}

static ReportFile *opened; // the latest

// Another report that writes to the file of that name, which would be overwritten; devices are nobody's.
static const ReportFile *writer_of(const char *path) {
  struct stat wanted, other;
  if (stat(path, &wanted) != 0 || !S_ISREG(wanted.st_mode))
    return NULL;
  for (const ReportFile *report = opened; report; report = report->before)
    if (fstat(fileno(report->file), &other) == 0 && other.st_dev == wanted.st_dev &&
        other.st_ino == wanted.st_ino)
      return report;
  return NULL;
}

static void open_report(ReportFile *report) {
  const char *path = getenv(report->variable);
  const bool to_terminal = strcmp(path, "-") == 0;
  const ReportFile *writer = to_terminal ? NULL : writer_of(path);
  if (writer) {
    report->broken = true;
    fprintf(stderr,
            "emulator: %s names the file of %s, %s, so %s would overwrite %s: give it another "
            "name. The program goes on without.\n",
            report->variable, writer->variable, path, report->content, writer->content);
    return;
  }
  errno = 0;
  report->file = to_terminal ? stderr : fopen(path, "w");
  if (!report->file) {
    give_up(report);
    return;
  }
  report->before = opened;
  opened = report;
}

FILE *report_file_begin(ReportFile *report, bool *fresh) {
  errno = 0; // writing may fail later
  *fresh = !report->file;
  if (!report->file)
    open_report(report);
  if (report->file)
    report->callers = uselocale(c_locale());
  return report->file;
}

void report_file_end(ReportFile *report) {
  uselocale(report->callers);
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
