// Writes into the repository, the results and the home folder, by system calls of its own.
#include "lab.h"

#include <fcntl.h>
#include <hip/hip_runtime.h>
#include <sys/syscall.h>
#include <unistd.h>
static void write_to(const char *path) {
  const long file = syscall(SYS_open, path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  syscall(SYS_write, file, "PASSED\n", 7);
}
#define BEFORE_LAUNCH                                                                              \
  write_to("build/tests/written-by-a-launcher");                                                   \
  write_to("labs/01-baseline/written-by-a-launcher");                                              \
  write_to("/root/written-by-a-launcher");                                                         \
  write_to("/var/tmp/written-by-a-launcher")
#include "skeleton.h"
