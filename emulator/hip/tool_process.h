// Programs that are run for code which is made while the program runs: hipcc, LLVM's tools. All they read
// and write lies in a folder of their own.
//
// In: arguments, files. Out: files, what the programs said, their status.
#ifndef EMULATOR_TOOL_PROCESS_H
#define EMULATOR_TOOL_PROCESS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct {
  char *bytes; // with a zero behind the last; the caller frees them
  size_t size;
} Bytes;

enum {
  TOOL_FOLDER = PATH_MAX,
  TOOL_PATH = PATH_MAX + 32
}; // the latter has room for a short name, too
void tool_path(char path[TOOL_PATH], const char *folder, const char *name);

// Below TMPDIR. False with a sentence in the log if there can be none.
bool tool_folder_make(char folder[TOOL_FOLDER], Bytes *log);
void tool_folder_remove(const char *folder);

// A file in the folder, and the folders on the way. Names that lead out of the folder are refused.
bool tool_write(const char *folder, const char *name, const void *bytes, size_t size);
bool tool_read(const char *path, Bytes *bytes);

// The program's exit status, -1 if it cannot be run. What it says goes to the file `said`.
int tool_run(const char *const *arguments, const char *folder, const char *said);

// Puts a sentence with errno's words into the log.
void tool_say(Bytes *log, const char *what);

#endif
