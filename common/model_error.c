// Errors of modelled figures by kind of run. See model_error.h.
#include "model_error.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define SMALL 10 // percent, what a reader may take for exact enough

static const ModelErrorRow FOUND[] = {
#include "model_errors.inc"
};

static bool is_like(const ModelErrorRow *row, const char *family, char axis, int window,
                    double plane_mb) {
  return strcmp(row->family, family) == 0 && (!row->axis || row->axis == axis) &&
         (row->window < 0 || row->window == (window > 0)) && plane_mb >= row->from_mb &&
         plane_mb < row->below_mb;
}

ModelError model_error_in(const ModelErrorRow *rows, size_t count, const char *family, char axis,
                          int window, double plane_mb) {
  for (size_t n = 0; n < count; n++)
    if (is_like(&rows[n], family, axis, window, plane_mb))
      return rows[n].error;
  return (ModelError){0};
}

ModelError model_error(const char *family, char axis, int window, double plane_mb) {
  return model_error_in(FOUND, sizeof FOUND / sizeof *FOUND, family, axis, window, plane_mb);
}

int model_error_to_tell(double percent) { return percent > SMALL ? (int)lround(percent) : 0; }

EvidenceWord evidence_word(const char *evidence, double percent) {
  EvidenceWord word;
  const int told = strcmp(evidence, "modelled") == 0 ? model_error_to_tell(percent) : 0;
  if (strcmp(evidence, "modelled") == 0 && percent == NOT_VALIDATED)
    snprintf(word.text, sizeof word.text, "%s, not validated", evidence);
  else if (told)
    snprintf(word.text, sizeof word.text, "%s, +-%d %%", evidence, told);
  else
    snprintf(word.text, sizeof word.text, "%s", evidence);
  return word;
}
