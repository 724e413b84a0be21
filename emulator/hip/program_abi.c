// The program's ABI: see program_abi.h. libamdhip64.so.5, .so.6 and .so.7 are one file, so what tells
// is the name under which an object asks for it (DT_NEEDED), or by which it was opened (dlopen).
#define _GNU_SOURCE
#include "program_abi.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void told_by(const char *name, int *newest) {
  int version;
  if (sscanf(name, "libamdhip64.so.%d", &version) == 1 && version > *newest)
    *newest = version;
}

static int look_at(struct dl_phdr_info *object, size_t size, void *data) {
  (void)size;
  const ElfW(Dyn) *dynamic = NULL, *entry;
  const char *names = NULL;
  for (int i = 0; i < object->dlpi_phnum; i++)
    if (object->dlpi_phdr[i].p_type == PT_DYNAMIC)
      dynamic = (const ElfW(Dyn) *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
  for (entry = dynamic; entry && entry->d_tag != DT_NULL; entry++)
    if (entry->d_tag == DT_STRTAB && entry->d_un.d_ptr > object->dlpi_addr) // not so of the vDSO
      names = (const char *)entry->d_un.d_ptr;
  for (entry = dynamic; names && entry->d_tag != DT_NULL; entry++)
    if (entry->d_tag == DT_NEEDED)
      told_by(names + entry->d_un.d_val, data);
  return 0;
}

// The newest release by which an object of the process asks for this library.
static int asked_for(void) {
  int newest = 5;
  Dl_info opened;
  dl_iterate_phdr(look_at, &newest);
  if (dladdr((void *)(uintptr_t)asked_for, &opened))
    told_by(basename(opened.dli_fname), &newest);
  return newest;
}

// Asked for before main begins, where settings may not be read yet: a program may set them there.
static int wanted(void) {
  const char *release = getenv("EMULATOR_ROCM");
  return release && *release ? atoi(release) : 0;
}

static int abi;

static void look(void) { abi = wanted() ? wanted() : asked_for(); }

int program_abi(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, look);
  return abi;
}

void program_abi_calls(int release, const char *call) {
  if (program_abi() >= release || wanted())
    return;
  fprintf(stderr,
          "emulator: note: the program calls %s, which is of ROCm %d, but asked for "
          "libamdhip64.so without a number, or as one of ROCm %d. From here on it gets the numbers "
          "and structs of ROCm %d; EMULATOR_ROCM=N in the environment says which they are from the "
          "begin on.\n",
          call, release, abi, release);
  abi = release;
}

int program_abi_of_newcomer(void) {
  const int now = program_abi(), newest = wanted() ? now : asked_for();
  return newest > now ? newest : 0;
}

enum { HOST_6 = 1, DEVICE_6 = 2, MANAGED_6 = 3, ARRAY_6 = 10, UNIFIED_6 = 11 };

int program_memory_type(hipMemoryType type, bool managed) {
  if (program_abi() < 6)
    return (int)type;
  if (managed)
    return MANAGED_6;
  return type == hipMemoryTypeHost     ? HOST_6
         : type == hipMemoryTypeDevice ? DEVICE_6
         : type == hipMemoryTypeArray  ? ARRAY_6
                                       : UNIFIED_6;
}

hipMemoryType known_memory_type(int of_program) {
  if (program_abi() < 6)
    return (hipMemoryType)of_program;
  return of_program <= HOST_6     ? hipMemoryTypeHost // 0 is memory that HIP does not know
         : of_program == DEVICE_6 ? hipMemoryTypeDevice
         : of_program == ARRAY_6  ? hipMemoryTypeArray
                                  : hipMemoryTypeUnified;
}

int program_node_type(hipGraphNodeType type) {
  enum { COPY_6 = 1, ALLOCATE_6 = 10, FREE_6 = 11, FROM_SYMBOL_6 = 12, TO_SYMBOL_6 = 13, BATCH_6 };
  if ((int)type >= NODE_ALLOCATE) // none of 5.2
    return (int)type == NODE_ALLOCATE ? ALLOCATE_6 : (int)type == NODE_FREE ? FREE_6 : BATCH_6;
  if (program_abi() < 6)
    return (int)type;
  return type == hipGraphNodeTypeMemcpy1D           ? COPY_6
         : type == hipGraphNodeTypeMemcpyFromSymbol ? FROM_SYMBOL_6
         : type == hipGraphNodeTypeMemcpyToSymbol   ? TO_SYMBOL_6
                                                    : (int)type - 1;
}
