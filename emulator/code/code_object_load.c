// Loading of code objects: see code_object_load.h. The kernels are bound to the loaded code here:
// descriptor, entry point and register allocation are checked against the image.
#include "code_object_load.h"

#include "code_object_bundle.h"
#include "code_object_compressed.h"
#include "code_object_elf.h"
#include "code_object_lines.h"
#include "code_object_metadata.h"
#include "device_memory.h"
#include "gfx90a.h"
#include "parameters.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char *__cxa_demangle(const char *name, char *buffer, size_t *length,
                            int *status); // libstdc++

// AMDGPUUsage.rst, "Kernel Descriptor".
typedef struct {
  uint32_t group_segment_size, private_segment_size, kernarg_size;
  uint8_t reserved0[4];
  int64_t entry_offset; // bytes from the descriptor
  uint8_t reserved1[20];
  uint32_t rsrc3, rsrc1, rsrc2;
  uint16_t code_properties, kernarg_preload;
  uint8_t reserved2[4];
} KernelDescriptor;
_Static_assert(sizeof(KernelDescriptor) == 64, "the layout is fixed");

enum { CODE_PROPERTY_WAVE32 = 1 << 10, ENTRY_ALIGN = 256, MOST_PRELOADED = 16 };

// Bytes that can be read from address on: the extent of the mappings it lies in. 0, with errno: unknown.
static size_t readable_bytes(const void *address) {
  const uint64_t begin = (uint64_t)address;
  uint64_t end = begin;
  errno = EFAULT; // where the file tells nothing of it
  FILE *maps = fopen("/proc/thread-self/maps", "r");
  char line[512];
  unsigned long long low, high;
  char right;
  while (maps && fgets(line, sizeof line, maps))
    if (sscanf(line, "%llx-%llx %c", &low, &high, &right) == 3 && right == 'r' && low <= end &&
        end < high)
      end = high;
  if (maps)
    fclose(maps);
  return end - begin;
}

// A kernel whose arguments the device puts into SGPRs begins behind the code that would load them.
static bool preload_fits(const Kernel *kernel) {
  const uint32_t count = kernel->kernarg_preload & 127, first = kernel->kernarg_preload >> 7;
  const CodeObject *object = kernel->object;
  return count == 0 ||
         (count <= MOST_PRELOADED && 4 * (first + count) <= kernel->kernarg_size + 3 &&
          kernel->entry + CODE_PRELOAD_BYTES < object->text_address + object->text_size);
}

static bool bind_descriptor(Kernel *kernel, const GElf_Sym *symbol, LoadError *error) {
  const CodeObject *object = kernel->object;
  KernelDescriptor descriptor;
  if (symbol->st_value > object->image_size ||
      sizeof descriptor > object->image_size - symbol->st_value)
    return load_error(error,
                      "The code object is corrupt: the descriptor of kernel %s at address 0x%llx "
                      "lies outside its %llu bytes.",
                      kernel->name, (unsigned long long)symbol->st_value,
                      (unsigned long long)object->image_size);
  memcpy(&descriptor, object->image + symbol->st_value, sizeof descriptor);
  kernel->descriptor = (uint64_t)object->image + symbol->st_value;
  kernel->entry = kernel->descriptor + (uint64_t)descriptor.entry_offset;
  kernel->rsrc1 = descriptor.rsrc1;
  kernel->rsrc2 = descriptor.rsrc2;
  kernel->code_properties = descriptor.code_properties;
  const Architecture *architecture = parameters_device()->architecture;
  const uint32_t vgprs = ((descriptor.rsrc1 & 63) + 1) * architecture->vgpr_granule;
  kernel->accum_offset = architecture->unified_vgprs ? ((descriptor.rsrc3 & 63) + 1) * 4 : vgprs;
  kernel->allocated_vgprs = architecture->unified_vgprs ? vgprs : 2 * vgprs;
  kernel->kernarg_preload = descriptor.kernarg_preload;
  // The field counts granules of 8, the device allocates 16 at a time (rocprofiler, column "sgpr").
  kernel->allocated_sgprs = ((descriptor.rsrc1 >> 6 & 15) / 2 + 1) * DEVICE_SGPR_GRANULE;

  // One without code may begin where all code ends: see bind_code.
  if (kernel->entry < object->text_address ||
      kernel->entry - object->text_address > object->text_size || kernel->entry % ENTRY_ALIGN)
    return load_error(error,
                      "The code object is corrupt: the entry point of kernel %s lies outside its "
                      "code or off a boundary of %d bytes.",
                      kernel->name, ENTRY_ALIGN);
  if (descriptor.code_properties & CODE_PROPERTY_WAVE32)
    return load_error(error,
                      "Kernel %s is built for wavefronts of 32 lanes, but the device has %d.",
                      kernel->name, DEVICE_WAVEFRONT_SIZE);
  if (!preload_fits(kernel))
    return load_error(error,
                      "The code object is corrupt: kernel %s wants more arguments in registers "
                      "than it has, or its code ends before that behind their loading.",
                      kernel->name);
  if (kernel->accum_offset > kernel->allocated_vgprs)
    return load_error(error,
                      "The code object is corrupt: the descriptor of kernel %s contradicts itself.",
                      kernel->name);
  // Launches ask for what the descriptor says (ROCclr rockernel.cpp); the metadata of kernels in
  // assembly, as some of hipBLASLt's, may say something else.
  kernel->group_segment_size = descriptor.group_segment_size;
  kernel->private_segment_size = descriptor.private_segment_size;
  return true;
}

// The compiler leaves no code of a kernel of which it finds that it always does what C++ does not define.
// Its symbol is without size then, as are those of some assembly code, which uses registers, though.
static bool left_empty(const Kernel *kernel) {
  return kernel->sgpr_count == 0 && kernel->vgpr_count == 0;
}

// Kernels by their symbols: some libraries have ten thousand in an object.
typedef struct {
  Kernel **kernel;
  size_t count;
} Index;

static int by_symbol(const void *a, const void *b) {
  return strcmp((*(Kernel *const *)a)->symbol, (*(Kernel *const *)b)->symbol);
}

static Kernel *kernel_named(const Index *index, const char *name, size_t length) {
  size_t low = 0, high = index->count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const char *symbol = index->kernel[middle]->symbol;
    const int order = strncmp(name, symbol, length);
    if (order == 0 && !symbol[length])
      return index->kernel[middle];
    if (order > 0)
      low = middle + 1;
    else
      high = middle;
  }
  return NULL;
}

static uint64_t room_of(const Kernel *kernel) {
  return kernel->object->text_address + kernel->object->text_size - kernel->entry;
}

// The kernel's code reaches to the end of its function symbol; without one, to the end of all code.
static bool bind_code(const Index *index, const ElfFile *file, LoadError *error) {
  for (size_t i = 0; i < index->count; i++)
    index->kernel[i]->code_size = room_of(index->kernel[i]);
  for (size_t i = 1; i < file->symbol_count; i++) {
    GElf_Sym symbol;
    const char *name = elf_symbol(file, i, &symbol);
    Kernel *kernel = name && GELF_ST_TYPE(symbol.st_info) == STT_FUNC
                         ? kernel_named(index, name, strlen(name))
                         : NULL;
    if (kernel && (symbol.st_size > 0 || left_empty(kernel)))
      kernel->code_size = symbol.st_size;
  }
  for (size_t i = 0; i < index->count; i++) {
    const Kernel *kernel = index->kernel[i];
    if (kernel->code_size > room_of(kernel))
      return load_error(error,
                        "The code object is corrupt: kernel %s has %llu bytes of code, but only "
                        "%llu are there.",
                        kernel->name, (unsigned long long)kernel->code_size,
                        (unsigned long long)room_of(kernel));
  }
  return true;
}

static bool add_variable(CodeObject *object, const char *name, const GElf_Sym *symbol,
                         LoadError *error) {
  if (symbol->st_value > object->image_size ||
      symbol->st_size > object->image_size - symbol->st_value)
    return load_error(error,
                      "The code object is corrupt: variable %s, %llu bytes at address 0x%llx, lies "
                      "outside its %llu bytes.",
                      name, (unsigned long long)symbol->st_size,
                      (unsigned long long)symbol->st_value, (unsigned long long)object->image_size);
  DeviceVariable *variable = &object->variables[object->variable_count];
  variable->symbol = strdup(name);
  variable->address = (uint64_t)object->image + symbol->st_value;
  variable->size = symbol->st_size;
  if (!variable->symbol)
    return load_error(error, "No host memory is left for the name of variable %s.", name);
  object->variable_count++;
  return true;
}

// The kernel that the descriptor symbol "NAME.kd" belongs to, or NULL.
// A kernel's symbol with .kd behind it.
static Kernel *kernel_of_descriptor(const Index *index, const char *name) {
  const size_t length = strlen(name), behind = strlen(".kd");
  return length > behind && !strcmp(name + length - behind, ".kd")
             ? kernel_named(index, name, length - behind)
             : NULL;
}

// Data symbols are kernel descriptors or variables.
static bool bind_data(CodeObject *object, const Index *index, const ElfFile *file,
                      LoadError *error) {
  for (size_t i = 1; i < file->symbol_count; i++) {
    GElf_Sym symbol;
    const char *name = elf_symbol(file, i, &symbol);
    if (!name)
      return load_error(error, "The code object is corrupt: dynamic symbol %zu has no valid name.",
                        i);
    if (GELF_ST_TYPE(symbol.st_info) != STT_OBJECT || symbol.st_shndx == SHN_UNDEF)
      continue;
    Kernel *kernel = kernel_of_descriptor(index, name);
    if (!(kernel ? bind_descriptor(kernel, &symbol, error)
                 : add_variable(object, name, &symbol, error)))
      return false;
  }
  for (size_t i = 0; i < object->kernel_count; i++) {
    const Kernel *kernel = &object->kernels[i];
    if (!kernel->descriptor)
      return load_error(error,
                        "The code object is corrupt: kernel %s has no descriptor symbol %s.kd.",
                        kernel->name, kernel->symbol);
  }
  return true;
}

static bool bind_symbols(CodeObject *object, const ElfFile *file, LoadError *error) {
  Index index = {calloc(object->kernel_count + 1, sizeof *index.kernel), object->kernel_count};
  object->variables = calloc(file->symbol_count + 1, sizeof *object->variables);
  const bool room = index.kernel && object->variables;
  for (size_t i = 0; room && i < index.count; i++)
    index.kernel[i] = &object->kernels[i];
  if (room)
    qsort(index.kernel, index.count, sizeof *index.kernel, by_symbol);
  const bool bound =
      room ? bind_data(object, &index, file, error) && bind_code(&index, file, error)
           : load_error(error, "No host memory is left for %zu symbols.", file->symbol_count);
  free(index.kernel);
  return bound;
}

char *code_object_name(const char *symbol) {
  return strncmp(symbol, "_Z", 2) ? NULL : __cxa_demangle(symbol, NULL, NULL, NULL);
}

static void demangle_names(CodeObject *object) {
  for (size_t i = 0; i < object->kernel_count; i++) {
    char *name = code_object_name(object->kernels[i].symbol);
    if (name)
      object->kernels[i].name = name;
  }
  device_memory_set_name(object->image, "program's code and __device__ variables");
}

static bool load_parts(CodeObject *object, const ElfFile *file, LoadError *error) {
  return elf_metadata(file, metadata_read, object, error) && elf_load(file, object, error) &&
         bind_symbols(object, file, error);
}

// From version 4 on, AMDGPUUsage.rst "AMDGPU ELF Header e_flags".
static void note_settings(CodeObject *object, const uint8_t *elf) {
  enum { XNACK = 0x300, XNACK_OFF = 0x200, XNACK_ON = 0x300, ECC = 0xc00, ECC_OFF = 0x800 };
  Elf64_Ehdr header;
  memcpy(&header, elf, sizeof header);
  const bool says = header.e_ident[EI_ABIVERSION] >= 2;
  object->wants_xnack = says && (header.e_flags & XNACK) == XNACK_ON;
  object->refuses_xnack = says && (header.e_flags & XNACK) == XNACK_OFF;
  object->refuses_ecc = says && (header.e_flags & ECC) == ECC_OFF;
}

// Of a bundle that is not compressed, or an ELF file.
static CodeObject *load_bundle(const uint8_t *bytes, size_t size, LoadError *error) {
  const uint8_t *elf;
  size_t elf_size;
  ElfFile file;
  if (!bundle_find(bytes, size, &elf, &elf_size, error) || !elf_open(&file, elf, elf_size, error))
    return NULL;
  CodeObject *object = calloc(1, sizeof *object);
  if (object && load_parts(object, &file, error)) {
    demangle_names(object);
    note_settings(object, elf);
    object->lines = lines_open(&file);
    code_object_enter(object);
    return object;
  }
  elf_close(&file);
  if (object)
    code_object_unload(object);
  else
    load_error(error, "No host memory is left for a code object.");
  return NULL;
}

CodeObject *code_object_load(const void *bytes, size_t size, char *message, size_t message_size,
                             bool *no_binary) {
  LoadError error = {.text = message, .size = message_size};
  uint8_t *unpacked = NULL;
  size_t readable = size ? size : readable_bytes(bytes);
  bool there = readable || load_error(&error,
                                      "the extent of the program's embedded code cannot be read "
                                      "from /proc/thread-self/maps: %s.",
                                      strerror(errno));
  if (there && bundle_is_compressed(bytes, readable)) {
    there = bundle_unpack(bytes, readable, &unpacked, &readable, &error);
    bytes = unpacked;
  }
  CodeObject *object = there ? load_bundle(bytes, readable, &error) : NULL;
  free(unpacked);
  *no_binary = error.no_binary;
  return object;
}

void code_object_unload(CodeObject *object) {
  code_object_leave(object);
  lines_close(object->lines);
  if (object->image)
    device_memory_free(object->image, MEMORY_CODE);
  for (size_t i = 0; i < object->kernel_count; i++) {
    Kernel *kernel = &object->kernels[i];
    if (kernel->name != kernel->symbol)
      free((char *)kernel->name);
    free((char *)kernel->symbol);
    free(kernel->arguments);
  }
  for (size_t i = 0; i < object->variable_count; i++)
    free((char *)object->variables[i].symbol);
  free(object->kernels);
  free(object->variables);
  free(object);
}
