// Calls of the device library, printf() and malloc(), in kernels of a program with line tables: the
// library's own instructions have no source line. Every report can be asked for, and those of the
// program keep their line.
//
// In: each form of EMULATOR_LINES beside EMULATOR_COUNTERS. Out: the kernels' results, and for each
// report the rows that must be there.
#include "check.h"

#include <unistd.h>

enum { ITEMS = 128, TEXT = 1 << 17 };

enum { PRINT_STORE = __LINE__ + 2 };
__global__ void print(int *out) {
  out[threadIdx.x] = (int)threadIdx.x;
  if (threadIdx.x == 70)
    printf("item %d prints\n", (int)threadIdx.x);
}

enum { HEAP_STORE = __LINE__ + 5 };
__global__ void heap(int *out) {
  int *own = (int *)malloc(sizeof *own);
  *own = (int)threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = *own;
  free(own);
}

static void launch_both(void) {
  static const char *const name[] = {"print", "heap"};
  static void (*const kernel[])(int *) = {print, heap};
  for (int k = 0; k < 2; k++) {
    int got[ITEMS], *out = (int *)to_device(NULL, sizeof got);
    kernel[k]<<<1, ITEMS>>>(out);
    to_host(got, out, sizeof got);
    for (int i = 0; i < ITEMS; i++)
      if (got[i] != i)
        DIFFERS("%s: item %d is %d", name[k], i, got[i]);
  }
}

static char text[TEXT];

// What one launch of both kernels writes to the stream while EMULATOR_LINES is `lines`.
static void collect(const char *lines, int stream) {
  FILE *file = tmpfile();
  int terminal = dup(stream);
  setenv("EMULATOR_LINES", lines, 1);
  fflush(NULL);
  dup2(fileno(file), stream);
  launch_both();
  fflush(NULL);
  dup2(terminal, stream);
  close(terminal);
  rewind(file);
  text[fread(text, 1, TEXT - 1, file)] = 0;
  fclose(file);
}

static void read_text(const char *path) {
  FILE *file = fopen(path, "r");
  text[file ? fread(text, 1, TEXT - 1, file) : 0] = 0;
  if (file)
    fclose(file);
}

static void expect(const char *where, const char *part) {
  if (!strstr(text, part))
    DIFFERS("%s lacks \"%s\":\n%s", where, part, text);
}

// The place of a line of this file as a report writes it, e.g. "library_calls.hip:14".
static const char *place(const char *form, int line) {
  static char written[64];
  snprintf(written, sizeof written, form, line);
  return written;
}

int main(void) {
  char lines[] = "/tmp/library-lines-XXXXXX", counters[] = "/tmp/library-counters-XXXXXX";
  if (mkstemp(lines) < 0 || mkstemp(counters) < 0)
    return 1;
  setenv("EMULATOR_COUNTERS", counters, 1);

  collect("", 1);
  expect("stdout", "item 70 prints\n");

  collect("-", 2);
  expect("the table", "memory by source line: kernel print(int*), launch 0\n");
  expect("the table", place("library_calls.hip:%d ", PRINT_STORE));
  expect("the table", "memory by source line: kernel heap(int*), launch 1\n");
  expect("the table", place("library_calls.hip:%d ", HEAP_STORE));
  expect("the table", "\n  offset +0x"); // of the library's functions
  if (strstr(text, "\n  offset +0x") < strstr(text, place("library_calls.hip:%d ", PRINT_STORE)))
    DIFFERS("what has no source line does not come last:\n%s", text);

  collect(lines, 1);
  read_text(lines);
  expect("the CSV", place("library_calls.hip\",%d,0x", PRINT_STORE));
  expect("the CSV", place("library_calls.hip\",%d,0x", HEAP_STORE));
  expect("the CSV", ",\"heap(int*)\",\"\",,+0x");

  read_text(counters);
  expect("the counters", "\n0,\"print(int*) [clone .kd]\",");
  expect("the counters", "\n5,\"heap(int*) [clone .kd]\",");
  remove(lines);
  remove(counters);
  return verdict();
}
