// A program that ends without having waited for a kernel, which writes a variable in managed memory: no argument tells that.
//
// In: nothing. Out: what the emulated device says; exit status 0.
#include <hip/hip_runtime.h>

__managed__ int number;

__global__ void set_number() { number = 5; }

int main() {
  set_number<<<1, 1>>>();
  return number == 7;
}
