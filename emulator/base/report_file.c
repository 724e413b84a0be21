// Report files: see report_file.h.
#include "report_file.h"

#include "c_locale.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

bool report_file_wanted(const ReportFile *report) {
  const char *path = getenv(report->variable);
  return path && *path && !report->broken;
}

static void give_up(ReportFile *report, const char *why) {
  report->broken = true;
  fprintf(stderr, "emulator: %s cannot be written to %s (%s): %s. The program goes on without.\n",
          report->content, getenv(report->variable), report->variable, why);
}

// The name of the process's own file, where the variable's value says %p.
static void name_file(const char *value, char *path, size_t size) {
  const char *at = strstr(value, "%p");
  if (at)
    snprintf(path, size, "%.*s%ld%s", (int)(at - value), value, (long)getpid(), at + 2);
  else
    snprintf(path, size, "%s", value);
}

// The file is locked, and emptied only then: who writes it already may be another report, or a process beside this one. The
// lock stays with what fork() makes of this process. Some file systems have no locks.
static FILE *open_alone(const char *path, bool *taken) {
  const int descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0)
    return NULL;
  struct stat file;
  const bool regular = fstat(descriptor, &file) == 0 && S_ISREG(file.st_mode);
  *taken = regular && flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  if (*taken || (regular && ftruncate(descriptor, 0) != 0)) {
    close(descriptor);
    return NULL;
  }
  return fdopen(descriptor, "w");
}

static void open_report(ReportFile *report) {
  const char *value = getenv(report->variable);
  char path[4096];
  bool taken = false;
  name_file(value, path, sizeof path);
  report->file = strcmp(value, "-") ? open_alone(path, &taken) : stderr;
  if (!report->file)
    give_up(report, taken ? "another variable, or another process at the same time, writes that "
                            "file; %p in a name becomes the number of the process"
                          : strerror(errno));
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
    give_up(report, strerror(errno));
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
