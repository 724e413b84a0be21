// Remainders and quotients by constants, as generators of random numbers take them. The compiler makes them of a long
// chain of instructions of which the first ones have constant operands alone.
#include "check.h"

enum { THREADS = 64, STEPS = 4 };

template <unsigned long long DIVISOR, typename T> __global__ void step(T *last, int steps) {
  T state = (T)(threadIdx.x * 7919 + 1);
  for (int i = 0; i < steps; i++)
    state = (T)((unsigned long long)state * 48271 % DIVISOR +
                (unsigned long long)state / (DIVISOR >> 4));
  last[threadIdx.x] = state;
}

template <unsigned long long DIVISOR, typename T> static void run(void) {
  static T last[THREADS];
  for (int steps = 1; steps <= STEPS; steps++) {
    T *d_last = (T *)to_device(NULL, sizeof last);
    step<DIVISOR, T><<<1, THREADS>>>(d_last, steps);
    to_host(last, d_last, sizeof last);
    for (int i = 0; i < THREADS; i++) {
      T state = (T)(i * 7919 + 1);
      for (int j = 0; j < steps; j++)
        state = (T)((unsigned long long)state * 48271 % DIVISOR +
                    (unsigned long long)state / (DIVISOR >> 4));
      if (last[i] != state)
        DIFFERS("divisor %llu, thread %d, %d steps: %llx, not %llx", DIVISOR, i, steps,
                (unsigned long long)last[i], (unsigned long long)state);
    }
  }
}

int main(void) {
  run<2147483647, unsigned>();
  run<2147483647, unsigned long long>();
  run<1000000007, unsigned long long>();
  run<0xfffffffbull, unsigned>();
  run<0x1fffffffffffffffull, unsigned long long>();
  run<10000000000000061ull, unsigned long long>();
  return verdict();
}
