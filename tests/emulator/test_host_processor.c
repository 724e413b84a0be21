// Whether a processor that lacks what the library was built with is found, and which it lacks.
#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#include "host_processor.h"

#define ANY UINT32_MAX

Test(host_processor, names_the_first_that_is_needed_and_not_there) {
  cr_assert(eq(str, (char *)host_processor_lacks(ANY, 0), "sse4.2"));
  cr_assert(eq(str, (char *)host_processor_lacks(ANY, 0xff), "avx512f"));
  cr_assert(eq(str, (char *)host_processor_lacks(1u << 17, ANY ^ 1u << 17), "gfni"));
}

Test(host_processor, lacks_nothing_that_is_not_needed) {
  cr_assert(eq(ptr, (void *)host_processor_lacks(0, 0), NULL));
  cr_assert(eq(ptr, (void *)host_processor_lacks(0xf0, 0xff), NULL));
  cr_assert(eq(ptr, (void *)host_processor_lacks(ANY, ANY), NULL));
}
