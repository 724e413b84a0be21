// Programs that are run: see tool_process.h.
#define _GNU_SOURCE
#include "tool_process.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

bool tool_read(const char *path, Bytes *bytes) {
  FILE *file = fopen(path, "rb");
  struct stat status;
  if (!file)
    return false;
  if (fstat(fileno(file), &status) == 0 && (bytes->bytes = calloc(1, (size_t)status.st_size + 1)))
    bytes->size = fread(bytes->bytes, 1, (size_t)status.st_size, file);
  fclose(file);
  return bytes->bytes;
}

bool tool_write(const char *folder, const char *name, const void *bytes, size_t size) {
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
  FILE *file = fopen(path, "wb");
  bool written = file && fwrite(bytes, 1, size, file) == size;
  return file && fclose(file) == 0 && written;
}

void tool_path(char path[TOOL_PATH], const char *folder, const char *name) {
  snprintf(path, TOOL_PATH, "%s/%s", folder, name);
}

bool tool_folder_make(char folder[TOOL_FOLDER], Bytes *log) {
  snprintf(folder, TOOL_FOLDER, "%s/hiprtc-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
  if (mkdtemp(folder))
    return true;
  tool_say(log, "no folder for temporary files can be made in TMPDIR");
  return false;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place) {
  (void)status, (void)kind, (void)place;
  return remove(path);
}

void tool_folder_remove(const char *folder) {
  enum { DESCRIPTORS = 8 };
  nftw(folder, remove_one, DESCRIPTORS, FTW_DEPTH | FTW_PHYS);
}

extern char **environ;

// The child's environment: ours, with its own folder for temporary files, and for AMD.
static char **child_environment(char *temporary) {
  static char platform[] = "HIP_PLATFORM=amd";
  size_t count = 0, kept = 0;
  while (environ && environ[count]) // clearenv() leaves none
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

int tool_run(const char *const *arguments, const char *folder, const char *said) {
  char temporary[TOOL_PATH];
  snprintf(temporary, sizeof temporary, "TMPDIR=%s", folder);
  char **entries = child_environment(temporary);
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes; // so that the child can wait for children of its own
  sigset_t defaults;
  pid_t child;
  int status = 0;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGCHLD);
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, said, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  const int error = entries ? posix_spawnp(&child, arguments[0], &actions, &attributes,
                                           (char *const *)arguments, entries)
                            : ENOMEM;
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  free(entries);
  errno = error;
  while (!error && waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return errno == ECHILD ? 0 : -1; // a program that ignores its children: the files tell
  return error || !WIFEXITED(status) ? -1 : WEXITSTATUS(status);
}

void tool_say(Bytes *log, const char *what) {
  free(log->bytes);
  const int length = asprintf(&log->bytes, "%s: %s\n", what, strerror(errno));
  log->bytes = length < 0 ? NULL : log->bytes;
  log->size = length < 0 ? 0 : (size_t)length;
}
