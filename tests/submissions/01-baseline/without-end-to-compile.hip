// Takes the compiler more memory than it may have.
#include "lab.h"

#include <hip/hip_runtime.h>

template <int N> struct Twice {
  static constexpr unsigned long value = Twice<N - 1>::value + sizeof(Twice<N - 1>);
  char room[N];
};
template <> struct Twice<0> { static constexpr unsigned long value = 1; };
constexpr unsigned long endless(unsigned long n) { return n ? endless(n + 1) : 0; }
static_assert(endless(1) == 0, "");
#include "skeleton.h"
