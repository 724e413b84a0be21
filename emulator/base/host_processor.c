// Whether the processor has what the library needs: see host_processor.h. Compiled for any x86-64 (emulator/Makefile).
#include "host_processor.h"

#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

const char *host_processor_lacks(uint32_t needed, uint32_t there) {
#define X(NAME, BIT)                                                                               \
  if (needed & ~there & 1u << BIT)                                                                 \
    return NAME;
  HOST_FEATURES(X)
#undef X
  return NULL;
}

static uint32_t what_is_there(void) {
  uint32_t there = 0;
  __builtin_cpu_init();
#define X(NAME, BIT) there |= __builtin_cpu_supports(NAME) ? 1u << BIT : 0;
  HOST_FEATURES(X)
#undef X
  return there;
}

// Before all other constructors, which may use what is not there.
__attribute__((constructor(101))) static void check(void) {
  const char *lacking = host_processor_lacks(host_processor_needed, what_is_there());
  if (!lacking)
    return;
  fprintf(stderr,
          "emulator: libamdhip64 was built for a processor with %s, which this one, or a tool such "
          "as valgrind that the program runs in, does not have. Build it for any: make emulator "
          "MARCH=x86-64-v2\n",
          lacking);
  _exit(1);
}
