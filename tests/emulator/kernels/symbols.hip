// __device__ and __constant__ variables of many shapes, read and written from both sides.
#include "check.h"

typedef struct {
  char tag;
  double weight;
  short pair[3];
} Record;

__device__ int counter = 41;
__device__ double table[64];
__device__ Record record = {'a', 2.5, {1, -2, 3}};
__constant__ float weights[5] = {0.5f, 1.5f, 2.5f, 3.5f, 4.5f};
__constant__ Record fixed = {'z', -1.25, {-7, 8, -9}};
__device__ const char text[] = "constant text";
static __device__ int hidden[3] = {10, 20, 30};

__global__ void use(double *out, char *letters) {
  int i = threadIdx.x;
  table[i] = table[i] * 2 + weights[i % 5] + hidden[i % 3] + fixed.pair[i % 3];
  if (i == 0) {
    counter += 1;
    record.weight += fixed.weight;
    record.pair[1] = 99;
  }
  out[i] = table[63 - i]; // within one wave: written above
  letters[i] = text[i % sizeof text];
}

int main(void) {
  double in[64], out[64], back[64];
  char letters[64];
  const float fresh[5] = {1, 2, 3, 4, 5};
  for (int i = 0; i < 64; i++)
    in[i] = i * 1.5;
  HIP(hipMemcpyToSymbol(HIP_SYMBOL(table), in, sizeof in));
  HIP(hipMemcpyToSymbol(HIP_SYMBOL(weights), fresh + 2, 2 * sizeof(float), 2 * sizeof(float)));
  const float weight[5] = {0.5f, 1.5f, 3, 4, 4.5f};
  const int ten[3] = {10, 20, 30}, pair[3] = {-7, 8, -9};
  double *dout = (double *)to_device(NULL, sizeof out);
  char *dletters = (char *)to_device(NULL, sizeof letters);
  use<<<1, 64>>>(dout, dletters);
  to_host(out, dout, sizeof out);
  to_host(letters, dletters, sizeof letters);
  HIP(hipMemcpyFromSymbol(back, HIP_SYMBOL(table), sizeof back));
  for (int i = 0; i < 64; i++) {
    double want = in[i] * 2 + weight[i % 5] + ten[i % 3] + pair[i % 3];
    if (back[i] != want || out[63 - i] != want)
      DIFFERS("table[%d] is %g and %g, not %g", i, back[i], out[63 - i], want);
    if (letters[i] != "constant text"[i % 14])
      DIFFERS("letter %d is %d", i, letters[i]);
  }
  int count;
  Record got;
  HIP(hipMemcpyFromSymbol(&count, HIP_SYMBOL(counter), sizeof count));
  HIP(hipMemcpyFromSymbol(&got, HIP_SYMBOL(record), sizeof got));
  if (count != 42 || got.tag != 'a' || got.weight != 1.25 || got.pair[1] != 99 || got.pair[2] != 3)
    DIFFERS("counter %d, record %c %g %d", count, got.tag, got.weight, got.pair[1]);
  void *address;
  size_t size;
  HIP(hipGetSymbolAddress(&address, HIP_SYMBOL(table)));
  HIP(hipGetSymbolSize(&size, HIP_SYMBOL(table)));
  HIP(hipMemcpy(back, address, sizeof back, hipMemcpyDeviceToHost));
  if (size != sizeof in || back[5] != out[58])
    DIFFERS("table has %zu bytes, element 5 is %g", size, back[5]);
  return verdict();
}
