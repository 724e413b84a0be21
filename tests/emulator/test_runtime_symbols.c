// The library's dynamic symbols: every name and version of the real one, and a stock program that
// starts.
//
// In: tests/emulator/test_symbols.sh, run in the repository's root. Out: its exit status.
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>

Test(runtime_symbols, none_is_missing, .timeout = 120) {
  cr_assert(
      zero(int, system("tests/emulator/test_symbols.sh build/emulator/libamdhip64.so.5 >&2")));
}
