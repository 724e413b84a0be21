// Registration: what the constructors that hipcc adds to a program tell the runtime, and the
// loading of its code at first use.
//
// In: __hipRegister* calls before main. Out: for the host address of a kernel or variable, the
// loaded kernel or its address. The fat binary is not looked at before a kernel or variable of it
// is used, so a program without code for the device gets its sentence at the first launch (ROCm aborts in a
// constructor).
#define _GNU_SOURCE
#include "registration.h"

#include "device_memory.h"
#include "devices.h"
#include "loaded_object.h"
#include "program_abi.h"
#include "queue.h"
#include "runtime.h"
#include "settings.h"
#include "unawaited.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

enum { FAT_BINARY_MAGIC = 0x48495046 }; // "HIPF", clang CGCUDANV.cpp

typedef struct {
  uint32_t magic, version;
  const void *image;
  void *unused;
} FatBinaryWrapper;

typedef struct ManagedVariable {
  struct ManagedVariable *next;
  const char *name;
  void *memory;
} ManagedVariable;

typedef struct FatBinary {
  struct FatBinary *next;
  const void *image;
  ManagedVariable *managed;
  struct {
    bool tried; // loading was attempted
    hipError_t error;
    CodeObject *object;
  } on[SETTINGS_MOST_DEVICES]; // each device has its own variables
} FatBinary;

typedef struct Symbol {
  const void *host;  // address that stands for the kernel or variable in host code
  const char *name;  // in the code object
  FatBinary *binary; // NULL: it was unregistered, and nobody else has the address
  struct Symbol *
      next; // of a library that registered the same address later: a template in a header that both use
} Symbol;

static FatBinary *binaries;
static void *kernels, *variables; // trees of Symbol, ordered by host address

static int compare_symbols(const void *a, const void *b) {
  const Symbol *x = a, *y = b;
  return x->host < y->host ? -1 : x->host > y->host;
}

static void add_symbol(void **tree, const void *host, const char *name, FatBinary *binary) {
  Symbol *symbol = malloc(sizeof *symbol);
  if (!symbol || !binary)
    return; // its use will report that it is unknown
  *symbol = (Symbol){host, name, binary, NULL};
  Symbol **found = tsearch(symbol, tree, compare_symbols);
  if (!found || *found == symbol)
    return;
  Symbol *last = *found;
  if (!last->binary) { // a library was unloaded and another took its place
    *last = *symbol;
    free(symbol);
    return;
  }
  while (last->next)
    last = last->next;
  last->next = symbol;
}

// Of several the one that was first (hipamd 5.2, StatCO::registerStatFunction).
static const Symbol *find_symbol(void *const *tree, const void *host) {
  Symbol **found = tfind(&(Symbol){.host = host}, tree, compare_symbols);
  return found ? *found : NULL;
}

// On ROCm two libraries would be there, each with its own state.
static void tell_of_newcomer(void) {
  static bool told;
  const int newest = told ? 0 : program_abi_of_newcomer();
  if (newest)
    runtime_say("note: this process has called libamdhip64.so.%d, and now loads what was built for "
                "libamdhip64.so.%d: all its calls are served as those of ROCm %d. EMULATOR_ROCM=%d "
                "in the environment makes them those of ROCm %d.",
                program_abi(), newest, program_abi(), newest, newest);
  told = told || newest;
}

EXPORT void **__hipRegisterFatBinary(const void *data) {
  const FatBinaryWrapper *wrapper = data;
  runtime_enter(__func__, CALL_NEEDS_NOTHING);
  FatBinary *binary = NULL;
  tell_of_newcomer();
  if (!wrapper || wrapper->magic != FAT_BINARY_MAGIC || wrapper->version != 1)
    runtime_say("the program's fat binary has magic 0x%x and version %u instead of 0x%x and 1; "
                "rebuild it with hipcc.",
                wrapper ? wrapper->magic : 0, wrapper ? wrapper->version : 0, FAT_BINARY_MAGIC);
  else if ((binary = calloc(1, sizeof *binary)))
    *binary = (FatBinary){.next = binaries, .image = wrapper->image}, binaries = binary;
  runtime_leave(CALL_NEEDS_NOTHING, hipSuccess);
  return (void **)binary;
}

EXPORT void __hipRegisterFunction(void **module, const void *host, char *device_function,
                                  const char *name, unsigned thread_limit, void *thread,
                                  void *block, dim3 *block_dim, dim3 *grid_dim, int *wavefront) {
  (void)device_function, (void)thread_limit, (void)thread, (void)block, (void)block_dim,
      (void)grid_dim, (void)wavefront;
  runtime_enter(__func__, CALL_NEEDS_NOTHING);
  add_symbol(&kernels, host, name, (FatBinary *)module);
  runtime_leave(CALL_NEEDS_NOTHING, hipSuccess);
}

EXPORT void __hipRegisterVar(void **module, void *host, char *host_name, char *name, int external,
                             size_t size, int constant, int global) {
  (void)host_name, (void)external, (void)size, (void)constant, (void)global;
  runtime_enter(__func__, CALL_NEEDS_NOTHING);
  add_symbol(&variables, host, name, (FatBinary *)module);
  runtime_leave(CALL_NEEDS_NOTHING, hipSuccess);
}

// A __managed__ variable is memory that host and device share; the code object holds a pointer to
// it, set when it is loaded.
EXPORT void __hipRegisterManagedVar(void *module, void **pointer, void *initial, const char *name,
                                    size_t size, unsigned align) {
  (void)align; // pages are aligned enough
  runtime_enter(__func__, CALL_NEEDS_NOTHING);
  FatBinary *binary = module;
  ManagedVariable *variable = calloc(1, sizeof *variable);
  if (binary && variable && device_memory_allocate(size, MEMORY_MANAGED, 0, pointer) == MEMORY_OK) {
    memcpy(*pointer, initial, size);
    *variable = (ManagedVariable){binary->managed, name, *pointer};
    binary->managed = variable;
  } else {
    runtime_say("no memory for the %zu bytes of the managed variable %s.", size, name);
    free(variable);
  }
  runtime_leave(CALL_NEEDS_NOTHING, hipSuccess);
}

// A texture reference is a variable of the device, too: a pointer to what it is bound to.
EXPORT void __hipRegisterTexture(void **module, void *host, char *host_name, char *name, int type,
                                 int normalized, int external) {
  (void)host_name, (void)type, (void)normalized, (void)external;
  runtime_enter(__func__, CALL_NEEDS_NOTHING);
  add_symbol(&variables, host, name, (FatBinary *)module);
  runtime_leave(CALL_NEEDS_NOTHING, hipSuccess);
}

// Surface references are registered; nothing binds them.

EXPORT void __hipRegisterSurface(void **module, void *host, char *host_name, char *name, int type,
                                 int external) {
  (void)module, (void)host, (void)host_name, (void)name, (void)type, (void)external;
}

static const FatBinary *leaving; // argument of forget_symbol, which twalk gives none

static void forget_symbol(const void *node, VISIT visit, int depth) {
  (void)depth;
  Symbol **first = (Symbol **)node, **link = first;
  while ((visit == preorder || visit == leaf) && *link) {
    Symbol *symbol = *link;
    if (symbol->binary != leaving) {
      link = &symbol->next;
    } else if (link == first && !symbol->next) { // so that its use can be told
      symbol->binary = NULL;
    } else {
      *link = symbol->next;
      free(symbol);
    }
  }
}

// Nothing finds the binary from now on; whether it was there.
static bool unlink_binary(FatBinary *binary) {
  for (FatBinary **link = &binaries; binary && *link; link = &(*link)->next)
    if (*link == binary) {
      *link = binary->next;
      leaving = binary;
      twalk(kernels, forget_symbol);
      twalk(variables, forget_symbol);
      return true;
    }
  return false;
}

static void close_binary(FatBinary *binary) {
  for (int device = 0; device < SETTINGS_MOST_DEVICES; device++)
    if (binary->on[device].object)
      loaded_object_close(binary->on[device].object);
  while (binary->managed) { // the memory stays: destructors of the program may still read it
    ManagedVariable *variable = binary->managed;
    binary->managed = variable->next;
    free(variable);
  }
  free(binary);
}

// Threads that go on while the process ends may launch until the kernels are forgotten; what they
// have launched by then uses the binary.
EXPORT void __hipUnregisterFatBinary(void **module) {
  FatBinary *binary = (FatBinary *)module;
  runtime_enter(__func__, CALL_NEEDS_NOTHING);
  const bool known = unlink_binary(binary);
  runtime_leave(CALL_NEEDS_NOTHING, hipSuccess);
  if (!known)
    return;
  queue_wait_all();
  runtime_enter(__func__, CALL_NEEDS_NOTHING);
  unawaited_tell("its end");
  close_binary(binary);
  runtime_leave(CALL_NEEDS_NOTHING, hipSuccess);
}

// The code object of a fat binary on a device, loaded when first asked for.
static CodeObject *load_binary(FatBinary *binary, int device, hipError_t *error) {
  __typeof__(binary->on[0]) *loaded = &binary->on[device];
  if (!loaded->tried) {
    loaded->tried = true;
    device_memory_choose(device);
    loaded->object = loaded_object_open(binary->image, 0, &loaded->error);
    device_memory_choose(device_current());
    for (ManagedVariable *m = loaded->object ? binary->managed : NULL; m; m = m->next) {
      const DeviceVariable *pointer = code_object_variable(loaded->object, m->name);
      if (!pointer || pointer->size < sizeof m->memory)
        continue;
      memcpy((void *)pointer->address, &m->memory, sizeof m->memory);
      loaded->object->has_managed_variable = true;
    }
  }
  *error = loaded->error;
  return loaded->object;
}

// The compiler leaves out what no kernel can see change; else the program's object files were linked for the host alone, as
// those in an archive that -l names.
static void tell_missing(const char *what, const char *symbol) {
  char *name = code_object_name(symbol);
  const bool unnamed = strstr(symbol, "_GLOBAL__N_") != NULL;
  runtime_say("the program's code for the device holds no %s %s. %s", what, name ? name : symbol,
              unnamed ? "Compilers leave out what stands in an unnamed namespace if only the host "
                        "writes it: make it static instead, or give the namespace a name."
                      : "Object files of -fgpu-rdc must all be linked by hipcc, with -fgpu-rdc and "
                        "--offload-arch; it looks for code of the device in an archive that is "
                        "named as a file (libmine.a), and in none that is named by -lmine.");
  free(name);
}

hipError_t registered_kernel(const void *host_function, int device, const Kernel **kernel) {
  const Symbol *symbol = find_symbol(&kernels, host_function);
  if (!symbol) {
    *kernel = loaded_kernel((hipFunction_t)host_function);
    if (*kernel)
      return hipSuccess;
    runtime_say("%p is not the address of a __global__ function of this program, or a constructor "
                "launches it before the program has registered its kernels.",
                host_function);
    return hipErrorInvalidDeviceFunction;
  }
  if (!symbol->binary) {
    runtime_say("the program, or the library that has the kernel at %p, has ended: a destructor or "
                "a thread that goes on launches it.",
                host_function); // the name may be gone with its library
    return hipErrorInvalidDeviceFunction;
  }
  hipError_t error;
  CodeObject *object = load_binary(symbol->binary, device, &error);
  if (!object)
    return error;
  *kernel = code_object_kernel(object, symbol->name);
  if (*kernel)
    return hipSuccess;
  tell_missing("kernel", symbol->name);
  return hipErrorInvalidDeviceFunction;
}

hipError_t registered_variable(const void *host_variable, uint64_t *address, size_t *size) {
  const Symbol *symbol = find_symbol(&variables, host_variable);
  if (!symbol || !symbol->binary) {
    runtime_say("%p is not a __device__ or __constant__ variable of this program; pass the "
                "variable itself.",
                host_variable);
    return hipErrorInvalidSymbol;
  }
  hipError_t error;
  CodeObject *object = load_binary(symbol->binary, device_current(), &error);
  if (!object)
    return error;
  const DeviceVariable *variable = code_object_variable(object, symbol->name);
  if (!variable) {
    tell_missing("variable", symbol->name);
    return hipErrorInvalidSymbol;
  }
  *address = variable->address;
  *size = variable->size;
  return hipSuccess;
}

hipError_t registered_variable_part(const void *symbol, size_t size, size_t offset, void **part) {
  uint64_t address = 0;
  size_t whole = 0;
  hipError_t error = registered_variable(symbol, &address, &whole);
  if (error != hipSuccess)
    return error;
  if (offset > whole || size > whole - offset) {
    runtime_say("%zu bytes at offset %zu exceed the variable's %zu bytes.", size, offset, whole);
    return hipErrorInvalidValue;
  }
  *part = (void *)(address + offset);
  return hipSuccess;
}

// kernel<<<grid, block, lds, stream>>>(...) pushes the configuration; the stub that hipcc generates
// pops it.
typedef struct CallConfiguration {
  struct CallConfiguration *next;
  dim3 grid, block;
  size_t dynamic_lds_bytes;
  hipStream_t stream;
} CallConfiguration;

static _Thread_local CallConfiguration *configurations;

hipError_t __hipPushCallConfiguration(dim3 grid, dim3 block, size_t dynamic_lds_bytes,
                                      hipStream_t stream) {
  CallConfiguration *configuration = malloc(sizeof *configuration);
  if (!configuration)
    return hipErrorOutOfMemory;
  *configuration = (CallConfiguration){configurations, grid, block, dynamic_lds_bytes, stream};
  configurations = configuration;
  return hipSuccess;
}

hipError_t __hipPopCallConfiguration(dim3 *grid, dim3 *block, size_t *dynamic_lds_bytes,
                                     hipStream_t *stream) {
  CallConfiguration *configuration = configurations;
  if (!configuration)
    return hipErrorMissingConfiguration;
  *grid = configuration->grid;
  *block = configuration->block;
  *dynamic_lds_bytes = configuration->dynamic_lds_bytes;
  *stream = configuration->stream;
  configurations = configuration->next;
  free(configuration);
  return hipSuccess;
}
