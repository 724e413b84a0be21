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
  printf("%lld %llu %ld %hd %'d %d\n", -123456789012345ll, 18446744073709551615ull, 42l, (short)-7,
         1234567, base);
}

// The buffer that workgroups hand on to each other is the runtime's business, not a race.
enum { GROUPS = 20, ITEMS = 64, ALL = GROUPS * ITEMS };
__global__ void count() { printf("%d\n", (int)(blockIdx.x * blockDim.x + threadIdx.x)); }

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
    fprintf(file, "%lld %llu %ld %hd %'d %d\n", -123456789012345ll, 18446744073709551615ull, 42l,
            (short)-7, 1234567, base);
}

static void read_all(FILE *file, char *text, size_t size) {
  rewind(file);
  text[fread(text, 1, size - 1, file)] = 0;
  fclose(file);
}

// What the kernel prints.
template <class Launch> static void text_of(Launch launch, char *text, size_t size) {
  FILE *file = tmpfile();
  int terminal = dup(1);
  dup2(fileno(file), 1);
  launch();
  HIP(hipDeviceSynchronize());
  fflush(stdout);
  dup2(terminal, 1);
  close(terminal);
  read_all(file, text, size);
}

static void check_lines() {
  static char got[4096], want[4096];
  FILE *file = tmpfile();
  text_of([] { print<<<1, 64>>>(77); }, got, sizeof got);
  expect(file, 77);
  read_all(file, want, sizeof want);
  if (strcmp(got, want) != 0)
    DIFFERS("the kernel printed\n%s, not\n%s", got, want);
}

static void check_many() {
  static char got[8 * ALL];
  int seen[ALL] = {0}, number, length, others = 0;
  text_of([] { count<<<GROUPS, ITEMS>>>(); }, got, sizeof got);
  for (const char *at = got; sscanf(at, "%d\n%n", &number, &length) == 1; at += length)
    if (number < 0 || number >= ALL || seen[number]++)
      others++;
  for (int i = 0; i < ALL; i++)
    others += !seen[i];
  if (others)
    DIFFERS("%d numbers of many workgroups are not printed once", others);
}

int main(void) {
  check_lines();
  check_many();
  return verdict();
}
