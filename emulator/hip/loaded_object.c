// Loaded code objects: see loaded_object.h.
#define _GNU_SOURCE
#include "loaded_object.h"

#include "code_object_load.h"
#include "gfx90a.h"
#include "handle.h"
#include "program.h"
#include "program_abi.h"
#include "runtime.h"
#include "settings.h"

#include <stdlib.h>

typedef struct LoadedObject {
  struct LoadedObject *next;
  CodeObject *object;
} LoadedObject;

static LoadedObject *loaded;

// On a GPU code is found for its own settings alone. The emulated device is delivered as an MI200: with ECC, and XNACK as
// HSA_XNACK says.
static void tell_settings(const CodeObject *object) {
  static bool told;
  const char *target = object->wants_xnack && !settings()->xnack    ? "xnack+"
                       : object->refuses_xnack && settings()->xnack ? "xnack-"
                       : object->refuses_ecc                        ? "sramecc-"
                                                                    : NULL;
  if (!target || told)
    return;
  told = true;
  runtime_say("note: this code was compiled for :%s, which a GPU of this kind refuses %s. It runs "
              "here all the same. Compile without such a setting, as --offload-arch=gfx90a.",
              target,
              object->refuses_ecc   ? "as its memory has ECC"
              : object->wants_xnack ? "without HSA_XNACK=1 in the environment"
                                    : "with HSA_XNACK=1 in the environment");
}

CodeObject *loaded_object_open(const void *image, size_t size, hipError_t *error) {
  char message[512];
  bool no_binary = false;
  LoadedObject *entry = malloc(sizeof *entry);
  CodeObject *object =
      entry ? code_object_load(image, size, message, sizeof message, &no_binary) : NULL;
  if (!object) {
    if (entry)
      runtime_say("%s", message);
    free(entry);
    *error = !entry      ? hipErrorOutOfMemory
             : no_binary ? hipErrorNoBinaryForGpu
                         : hipErrorInvalidImage;
    return NULL;
  }
  *entry = (LoadedObject){loaded, object};
  loaded = entry;
  tell_settings(object);
  *error = hipSuccess;
  return object;
}

void loaded_object_close(CodeObject *object) {
  for (LoadedObject **link = &loaded; *link; link = &(*link)->next)
    if ((*link)->object == object) {
      LoadedObject *entry = *link;
      *link = entry->next;
      free(entry);
      program_close(object);
      code_object_unload(object);
      return;
    }
}

const Kernel *loaded_kernel(hipFunction_t function) {
  const Kernel *kernel = (const Kernel *)function;
  for (const LoadedObject *entry = loaded; entry; entry = entry->next)
    for (size_t i = 0; i < entry->object->kernel_count; i++)
      if (&entry->object->kernels[i] == kernel)
        return kernel;
  return NULL;
}

int loaded_kernel_most_lds(const Kernel *kernel) {
  return DEVICE_LDS_BYTES - (int)kernel->group_segment_size;
}

int loaded_kernel_told_lds(const Kernel *kernel) {
  return kernel->has_wished_lds && program_abi() >= 6 ? kernel->wished_lds
                                                      : loaded_kernel_most_lds(kernel);
}

void loaded_kernel_wish_lds(const Kernel *kernel, int bytes) {
  Kernel *own = (Kernel *)kernel;
  own->has_wished_lds = true;
  own->wished_lds = bytes;
}

const DeviceVariable *loaded_variable(hipModule_t module, const char *name) {
  return handle_live(HANDLE_MODULE, module) ? code_object_variable((const CodeObject *)module, name)
                                            : NULL;
}
