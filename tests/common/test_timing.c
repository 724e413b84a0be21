// What times and ratios of times come to.
#include "timing.h"

#include <criterion/criterion.h>

Test(share, is_the_median_whatever_the_order) {
  const double odd[] = {0.9, 0.1, 0.5}, even[] = {0.4, 0.2, 0.8, 0.6};
  cr_assert_float_eq(timing_share(odd, 3).median, 0.5, 1e-12);
  cr_assert_float_eq(timing_share(even, 4).median, 0.5, 1e-12);
  cr_assert_float_eq(odd[0], 0.9, 1e-12, "the ratios were moved");
}

// Ranks of the 95 % interval of a median of 100, from the binomial distribution: 40 and 61.
Test(share, interval_is_that_of_order_statistics) {
  double ratios[100];
  for (int n = 0; n < 100; n++)
    ratios[n] = n + 1;
  const Share share = timing_share(ratios, 100);
  cr_assert_float_eq(share.low, 41, 1.01);
  cr_assert_float_eq(share.high, 61, 1.01);
  cr_assert_eq(share.pairs, 100);
}

Test(share, of_few_pairs_is_as_wide_as_they_are) {
  const double two[] = {0.5, 0.7}, one[] = {0.5};
  cr_assert_float_eq(timing_share(two, 2).low, 0.5, 1e-12);
  cr_assert_float_eq(timing_share(two, 2).high, 0.7, 1e-12);
  cr_assert_float_eq(timing_share(one, 1).high, 0.5, 1e-12);
}

Test(share, is_certain_from_one_percent_on) {
  const Share narrow = {.median = 0.8, .low = 0.796, .high = 0.8039};
  const Share wide = {.median = 0.8, .low = 0.796, .high = 0.8041};
  cr_assert(timing_is_certain(&narrow));
  cr_assert_not(timing_is_certain(&wide));
}

// Two kinds of launches, as of a kernel that does not always work, never become certain.
Test(share, of_two_kinds_is_not_certain) {
  double ratios[200];
  for (int n = 0; n < 200; n++)
    ratios[n] = n % 2 ? 0.8 : 0.4;
  const Share share = timing_share(ratios, 200);
  cr_assert_not(timing_is_certain(&share));
}
