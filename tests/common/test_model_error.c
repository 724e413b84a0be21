// Which kind a run is of, and when its error is told.
#include "model_error.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static const ModelErrorRow ROWS[] = {
    {"laplacian", '\0', -1, 0, 2.2, {1, 2}}, {"laplacian", '\0', -1, 2.2, 6.5, {3, 4}},
    {"derivative", 'z', 0, 0, 1e9, {5, 6}},  {"derivative", 'z', 1, 0, 1e9, {7, 8}},
    {"derivative", 'z', 0, 0, 1e9, {9, 10}},
};

static ModelError found(const char *family, char axis, int window, double plane_mb) {
  return model_error_in(ROWS, sizeof ROWS / sizeof *ROWS, family, axis, window, plane_mb);
}

Test(model_error, is_of_the_first_row_that_is_like_the_run) {
  cr_assert(eq(dbl, found("laplacian", '\0', 0, 2.1).time, 1));
  cr_assert(eq(dbl, found("laplacian", '\0', 0, 2.2).time, 3));
  cr_assert(eq(dbl, found("derivative", 'z', 0, 1).memory, 6));
  cr_assert(eq(dbl, found("derivative", 'z', 32, 1).memory, 8));
}

Test(model_error, is_0_of_a_run_that_is_like_none) {
  cr_assert(eq(dbl, found("laplacian", '\0', 0, 7).time, 0));
  cr_assert(eq(dbl, found("derivative", 'x', 0, 1).time, 0));
  cr_assert(eq(dbl, found("lattice_boltzmann", '\0', 0, 1).time, 0));
}

Test(model_error, of_every_family_is_in_what_validation_wrote) {
  cr_assert(lt(dbl, 0, model_error("laplacian", '\0', 0, 2.1).time));
  cr_assert(lt(dbl, 0, model_error("derivative", 'x', 0, 1).time));
  cr_assert(lt(dbl, 0, model_error("lattice_boltzmann", '\0', 0, 1).time));
}

Test(model_error, is_told_from_10_percent_on_in_whole_percent) {
  cr_assert(eq(int, model_error_to_tell(10), 0));
  cr_assert(eq(int, model_error_to_tell(10.1), 10));
  cr_assert(eq(int, model_error_to_tell(14.6), 15));
}

Test(model_error, stands_behind_modelled_alone) {
  cr_assert(eq(str, evidence_word("modelled", 14.6).text, "modelled, +-15 %"));
  cr_assert(eq(str, evidence_word("modelled", 9.9).text, "modelled"));
  cr_assert(eq(str, evidence_word("measured", 14.6).text, "measured"));
  cr_assert(eq(str, evidence_word("emulated", 14.6).text, "emulated"));
}

Test(model_error, of_a_device_that_nobody_compared_is_not_a_number) {
  cr_assert(eq(int, model_error_to_tell(NOT_VALIDATED), 0));
  cr_assert(eq(str, evidence_word("modelled", NOT_VALIDATED).text, "modelled, not validated"));
  cr_assert(eq(str, evidence_word("measured", NOT_VALIDATED).text, "measured"));
}
