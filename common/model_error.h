// How far the model was from published figures of runs like this one, for the evidence words.
//
// In:  what marks the kind of run; model_errors.inc, which `make validate` writes.
// Out: percent, and the evidence word that carries them where they are large: "modelled, +-15 %".
#ifndef MODEL_ERROR_H
#define MODEL_ERROR_H

#include <stddef.h>

typedef struct {
  double time, memory; // mean absolute error in percent, 0 if nothing like it was published
} ModelError;

typedef struct {
  const char *family;
  char axis;                // '\0': any
  int window;               // 1: with one, 0: without, -1: either
  double from_mb, below_mb; // size of a plane, 10^6 B
  ModelError error;
} ModelErrorRow;

// Of the first row that is like the run; axis and window (its points, 0 for none) as in Result.
ModelError model_error_in(const ModelErrorRow *rows, size_t count, const char *family, char axis,
                          int window, double plane_mb);

// The same from what validation found.
ModelError model_error(const char *family, char axis, int window, double plane_mb);

// What a reader must be told of an error, in whole percent; 0 for one that is small.
int model_error_to_tell(double percent);

// Instead of an error: of a device whose modelled figures nobody has compared with measured ones.
#define NOT_VALIDATED -1.0

typedef struct {
  char text[32];
} EvidenceWord;

// The word alone unless it is "modelled" and the error large or the device not validated.
EvidenceWord evidence_word(const char *evidence, double percent);

#endif
