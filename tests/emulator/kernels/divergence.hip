// Divergent control flow: Collatz lengths, Mandelbrot in float and double, switches, early exits.
#include "check.h"

__host__ __device__ static int collatz(unsigned long long n) {
  int steps = 0;
  while (n != 1) {
    n = n & 1 ? 3 * n + 1 : n / 2;
    steps++;
  }
  return steps;
}

template <typename T> __host__ __device__ static int escape_time(T x, T y) {
  T zx = 0, zy = 0;
  int i = 0;
  while (i < 200 && zx * zx + zy * zy < 4) {
    T next = zx * zx - zy * zy + x;
    zy = 2 * zx * zy + y;
    zx = next;
    i++;
  }
  return i;
}

__host__ __device__ static int maze(int n) {
  int sum = 0;
  for (int i = 0; i < n % 23; i++) {
    if (i == n % 7)
      continue;
    for (int j = i; j < 40; j++) {
      if ((j ^ n) % 11 == 3)
        break;
      switch ((j + n) % 6) {
      case 0:
        sum += 7;
        break;
      case 1:
        sum ^= j;
        // fall through
      case 2:
        sum += i;
        break;
      case 3:
        if (sum > 500)
          return sum;
        sum *= 2;
        break;
      default:
        sum -= 3;
      }
    }
  }
  return sum;
}

__global__ void everything(int *steps, int *single, int *twice, int *mazes, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  steps[i] = collatz(i + 1);
  single[i] = escape_time<float>(-2 + 0.04f * (i % 64), -1.25f + 0.04f * (i / 64));
  twice[i] = escape_time<double>(-2 + 0.04 * (i % 64), -1.25 + 0.04 * (i / 64));
  mazes[i] = maze(i);
}

int main(void) {
  enum { N = 4001 };
  static int got[4][N];
  int *device[4];
  for (int a = 0; a < 4; a++)
    device[a] = (int *)to_device(NULL, sizeof got[a]);
  everything<<<(N + 99) / 100, 100>>>(device[0], device[1], device[2], device[3], N);
  for (int a = 0; a < 4; a++)
    to_host(got[a], device[a], sizeof got[a]);
  int orbits_apart = 0;
  for (int i = 0; i < N; i++) {
    if (got[0][i] != collatz(i + 1))
      DIFFERS("collatz(%d) is %d, not %d", i + 1, got[0][i], collatz(i + 1));
    if (got[3][i] != maze(i))
      DIFFERS("maze(%d) is %d, not %d", i, got[3][i], maze(i));
    // Host and device contract differently, so chaotic orbits may part late; most must agree.
    orbits_apart +=
        got[1][i] != escape_time<float>(-2 + 0.04f * (i % 64), -1.25f + 0.04f * (i / 64));
    orbits_apart += got[2][i] != escape_time<double>(-2 + 0.04 * (i % 64), -1.25 + 0.04 * (i / 64));
  }
  if (orbits_apart > N / 50)
    DIFFERS("%d of %d Mandelbrot points differ from the host", orbits_apart, 2 * N);
  return verdict();
}
