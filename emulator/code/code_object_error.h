// Why a code object cannot be loaded, as a sentence.
//
// In: the step that finds the reason. Out: the text for whoever asked for the loading. Every step
// checks all that it reads against the bytes that are there; one that cannot go on returns false
// with a sentence in the LoadError.
#ifndef EMULATOR_CODE_OBJECT_ERROR_H
#define EMULATOR_CODE_OBJECT_ERROR_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
  char *text; // size bytes
  size_t size;
  bool no_binary; // well-formed, but not for the device
} LoadError;

// Writes the sentence and returns false, so that a failing step can `return load_error(...)`.
bool load_error(LoadError *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
