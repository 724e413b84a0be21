// printf of kernels: what stdout receives is what the host's printf would have written.
#include "check.h"

#include <unistd.h>

__global__ void print(int base) {
  if (threadIdx.x != 3 && threadIdx.x != 22 && threadIdx.x != 60)
    return;
  printf("thread %d of %u: %5d|%-5d|%05d|%x %X %o\n", (int)threadIdx.x, (unsigned)blockDim.x, base,
         base, base, base, base, base);
  printf("%f %.3f %e %g %10.2f|%%|%c|%s|%.3s\n", base * 0.5, 3.14159265, 12345.678, 1e-7, -2.5, 'q',
         "text", "shortened");
  printf("%lld %llu %ld %hd\n", -123456789012345ll, 18446744073709551615ull, 42l, (short)-7);
}

enum { LANES = 3 };
static const int lane[LANES] = {3, 22, 60};

// One printf after the other; in each of them lane after lane.
static void expect(FILE *file, int base) {
  for (int i = 0; i < LANES; i++)
    fprintf(file, "thread %d of %u: %5d|%-5d|%05d|%x %X %o\n", lane[i], 64, base, base, base, base,
            base, base);
  for (int i = 0; i < LANES; i++)
    fprintf(file, "%f %.3f %e %g %10.2f|%%|%c|%s|%.3s\n", base * 0.5, 3.14159265, 12345.678, 1e-7,
            -2.5, 'q', "text", "shortened");
  for (int i = 0; i < LANES; i++)
    fprintf(file, "%lld %llu %ld %hd\n", -123456789012345ll, 18446744073709551615ull, 42l,
            (short)-7);
}

static void read_all(FILE *file, char *text, size_t size) {
  rewind(file);
  text[fread(text, 1, size - 1, file)] = 0;
  fclose(file);
}

int main(void) {
  char got[4096], want[4096];
  FILE *from_kernel = tmpfile(), *from_host = tmpfile();
  int terminal = dup(1);
  dup2(fileno(from_kernel), 1);
  print<<<1, 64>>>(77);
  HIP(hipDeviceSynchronize());
  fflush(stdout);
  dup2(terminal, 1);
  expect(from_host, 77);
  read_all(from_kernel, got, sizeof got);
  read_all(from_host, want, sizeof want);
  if (strcmp(got, want) != 0)
    DIFFERS("the kernel printed\n%s, not\n%s", got, want);
  return verdict();
}
