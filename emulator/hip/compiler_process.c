// hipcc as a program: see compiler_process.h. All it reads and writes lies in a folder of its own
// below TMPDIR, which is removed afterwards.
#define _GNU_SOURCE
#include "compiler_process.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH_ROOM = PATH_MAX + 16 }; // for a folder and a short name in it

static bool read_bytes(const char *path, Bytes *bytes) {
  FILE *file = fopen(path, "rb");
  struct stat status;
  if (!file)
    return false;
  if (fstat(fileno(file), &status) == 0 && (bytes->bytes = calloc(1, (size_t)status.st_size + 1)))
    bytes->size = fread(bytes->bytes, 1, (size_t)status.st_size, file);
  fclose(file);
  return bytes->bytes;
}

// The folders on the way are made. Names that lead out of the folder are refused.
static bool write_text(const char *folder, const char *name, const char *text) {
  char path[PATH_MAX];
  if (strstr(name, "..") || name[0] == '/' ||
      snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
    return false;
  for (char *slash = strchr(path + strlen(folder) + 1, '/'); slash;
       slash = strchr(slash + 1, '/')) {
    *slash = 0;
    mkdir(path, 0700);
    *slash = '/';
  }
  FILE *file = fopen(path, "w");
  bool written = file && fputs(text, file) >= 0;
  return file && fclose(file) == 0 && written;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place) {
  (void)status, (void)kind, (void)place;
  return remove(path);
}

extern char **environ;

// The child's environment: ours, with its own folder for temporary files, and for AMD.
static char **child_environment(char *temporary) {
  static char platform[] = "HIP_PLATFORM=amd";
  size_t count = 0, kept = 0;
  while (environ[count])
    count++;
  char **entries = calloc(count + 3, sizeof *entries);
  for (size_t i = 0; entries && i < count; i++)
    if (strncmp(environ[i], "TMPDIR=", 7) != 0 && strncmp(environ[i], "HIP_PLATFORM=", 13) != 0)
      entries[kept++] = environ[i];
  if (entries) {
    entries[kept++] = temporary;
    entries[kept] = platform;
  }
  return entries;
}

// The exit status, -1 if it could not be run.
static int run(char *const *arguments, const char *folder, const char *log) {
  char temporary[PATH_ROOM];
  snprintf(temporary, sizeof temporary, "TMPDIR=%s", folder);
  char **entries = child_environment(temporary);
  posix_spawn_file_actions_t actions;
  pid_t child;
  int status = 0;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  const int error =
      entries ? posix_spawnp(&child, arguments[0], &actions, NULL, arguments, entries) : ENOMEM;
  posix_spawn_file_actions_destroy(&actions);
  free(entries);
  errno = error;
  while (!error && waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return -1;
  return error || !WIFEXITED(status) ? -1 : WEXITSTATUS(status);
}

static void say(Bytes *log, const char *what) {
  free(log->bytes);
  const int length = asprintf(&log->bytes, "%s: %s\n", what, strerror(errno));
  log->bytes = length < 0 ? NULL : log->bytes;
  log->size = length < 0 ? 0 : (size_t)length;
}

static CompilerResult compile(const char *folder, const char *const *options, size_t option_count,
                              Bytes *code, Bytes *log) {
  char source[PATH_ROOM], object[PATH_ROOM], said[PATH_ROOM];
  const char *compiler = getenv("HIPCC") && *getenv("HIPCC") ? getenv("HIPCC") : "hipcc";
  const char *const fixed[] = {
      compiler,   "--genco",           "-x", "hip",  "-std=c++14", "-O3",  "-D__HIPCC_RTC__",
      "-include", "hip/hip_runtime.h", "-I", folder, "-o",         object, source};
  enum { FIXED = sizeof fixed / sizeof *fixed };
  const char **arguments = calloc(FIXED + option_count + 1, sizeof *arguments);
  snprintf(source, sizeof source, "%s/source.hip", folder);
  snprintf(object, sizeof object, "%s/code", folder);
  snprintf(said, sizeof said, "%s/log", folder);
  if (!arguments)
    return COMPILER_MISSING;
  memcpy(arguments, fixed, sizeof fixed);
  if (option_count)
    memcpy(arguments + FIXED, options, option_count * sizeof *options);
  const int status = run((char *const *)arguments, folder, said);
  free(arguments);
  if (status < 0 || status == 127 || !read_bytes(said, log)) {
    say(log, "hipcc cannot be run; put it into PATH, or its path into HIPCC");
    return COMPILER_MISSING;
  }
  return status == 0 && read_bytes(object, code) ? COMPILER_DONE : COMPILER_REFUSED;
}

CompilerResult compiler_run(const char *source, const SourceFile *headers, size_t header_count,
                            const char *const *options, size_t option_count, Bytes *code,
                            Bytes *log) {
  enum { DESCRIPTORS = 8 };
  char folder[PATH_MAX];
  snprintf(folder, sizeof folder, "%s/hiprtc-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
  *code = *log = (Bytes){0};
  if (!mkdtemp(folder)) {
    say(log, "no folder for temporary files can be made in TMPDIR");
    return COMPILER_MISSING;
  }
  bool written = write_text(folder, "source.hip", source);
  for (size_t i = 0; i < header_count && written; i++)
    written = write_text(folder, headers[i].name, headers[i].text);
  CompilerResult result = COMPILER_MISSING;
  if (written)
    result = compile(folder, options, option_count, code, log);
  else
    say(log, "source or headers cannot be written; a header's name must stay in its folder");
  nftw(folder, remove_one, DESCRIPTORS, FTW_DEPTH | FTW_PHYS);
  return result;
}
