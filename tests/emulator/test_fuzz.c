// Broken files and machine code that the fuzzer found or began with: none crashes the emulated device.
//
// In: tests/fuzz/corpus; tests/fuzz/target.h says what is in them. Out: each comes to its end, under
// ASan and UBSan too.
#include "../fuzz/target.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#define CORPUS "tests/fuzz/corpus/"
enum { MOST = 1 << 16, LEAST_FILES = 12 };

#ifdef __SANITIZE_ADDRESS__
// A corrupt count asks for gigabytes, which malloc may refuse.
const char *__asan_default_options(void) {
  return "max_allocation_size_mb=1024:allocator_may_return_null=1";
}
#endif

static void feed(const char *name) {
  static uint8_t bytes[MOST];
  char path[512];
  snprintf(path, sizeof path, CORPUS "%s", name);
  FILE *file = fopen(path, "rb");
  cr_assert_not_null(file, "%s cannot be read", path);
  const size_t size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  fprintf(stderr, "%s\n", name); // the last one is what crashed
  LLVMFuzzerTestOneInput(bytes, size);
}

// A process plays one device, and each test is a process.
static void feed_all(const char *device) {
  setenv("EMULATOR_DEVICE", device, 1);
  DIR *folder = opendir(CORPUS);
  cr_assert_not_null(folder, CORPUS " is missing");
  int files = 0;
  for (struct dirent *entry; (entry = readdir(folder));)
    if (entry->d_name[0] != '.') {
      feed(entry->d_name);
      files++;
    }
  closedir(folder);
  cr_assert_geq(files, LEAST_FILES);
}

Test(fuzz, no_input_of_the_corpus_crashes, .timeout = 60) { feed_all("mi250x"); }
Test(fuzz, none_crashes_gfx942, .timeout = 60) { feed_all("mi300x"); }
Test(fuzz, none_crashes_gfx908, .timeout = 60) { feed_all("mi100"); }
