// Kernel metadata: what the compiler wrote down about each kernel.
//
// In: the MessagePack of the AMDGPU note. Out: per kernel its symbol, register counts, segment
// sizes and argument layout.
//
// Keys and value kinds: LLVM AMDGPUUsage.rst, "Code Object V3/V4/V5 Metadata".
#include "code_object_metadata.h"

#include "gfx90a.h"

#include <msgpack.h>
#include <stdlib.h>
#include <string.h>

// Keys of a kernel whose values are counts or bytes.
static const struct {
  const char *key;
  size_t field;
  bool required;
} kernel_numbers[] = {
    {".kernarg_segment_size", offsetof(Kernel, kernarg_size), true},
    {".kernarg_segment_align", offsetof(Kernel, kernarg_align), true},
    {".group_segment_fixed_size", offsetof(Kernel, group_segment_size), true},
    {".private_segment_fixed_size", offsetof(Kernel, private_segment_size), true},
    {".max_flat_workgroup_size", offsetof(Kernel, max_workgroup_size), true},
    {".sgpr_count", offsetof(Kernel, sgpr_count), true},
    {".vgpr_count", offsetof(Kernel, vgpr_count), true},
    {".agpr_count", offsetof(Kernel, agpr_count), false},
};

static const struct {
  const char *name;
  ArgumentKind kind;
} value_kinds[] = {
    {"by_value", ARGUMENT_EXPLICIT},
    {"global_buffer", ARGUMENT_EXPLICIT},
    {"dynamic_shared_pointer", ARGUMENT_EXPLICIT},
    {"hidden_hostcall_buffer", ARGUMENT_HIDDEN_HOSTCALL_BUFFER},
    {"hidden_printf_buffer", ARGUMENT_HIDDEN_PRINTF_BUFFER},
    {"hidden_multigrid_sync_arg", ARGUMENT_HIDDEN_MULTIGRID_SYNC},
    {"hidden_block_count_x", ARGUMENT_HIDDEN_BLOCK_COUNT_X},
    {"hidden_block_count_y", ARGUMENT_HIDDEN_BLOCK_COUNT_Y},
    {"hidden_block_count_z", ARGUMENT_HIDDEN_BLOCK_COUNT_Z},
    {"hidden_group_size_x", ARGUMENT_HIDDEN_GROUP_SIZE_X},
    {"hidden_group_size_y", ARGUMENT_HIDDEN_GROUP_SIZE_Y},
    {"hidden_group_size_z", ARGUMENT_HIDDEN_GROUP_SIZE_Z},
    {"hidden_remainder_x", ARGUMENT_HIDDEN_REMAINDER_X},
    {"hidden_remainder_y", ARGUMENT_HIDDEN_REMAINDER_Y},
    {"hidden_remainder_z", ARGUMENT_HIDDEN_REMAINDER_Z},
    {"hidden_grid_dims", ARGUMENT_HIDDEN_GRID_DIMS},
    {"hidden_heap_v1", ARGUMENT_HIDDEN_HEAP},
    {"hidden_dynamic_lds_size", ARGUMENT_HIDDEN_DYNAMIC_LDS_SIZE},
};

static bool is_text(const msgpack_object *object, const char *text) {
  return object->type == MSGPACK_OBJECT_STR && object->via.str.size == strlen(text) &&
         !memcmp(object->via.str.ptr, text, strlen(text));
}

static const msgpack_object *map_get(const msgpack_object *map, const char *key) {
  for (uint32_t i = 0; map->type == MSGPACK_OBJECT_MAP && i < map->via.map.size; i++)
    if (is_text(&map->via.map.ptr[i].key, key))
      return &map->via.map.ptr[i].val;
  return NULL;
}

// The map's number under key; *number stays as it is if the key is absent and need not be there.
static bool map_number(const msgpack_object *map, const char *key, bool required,
                       uint32_t *number) {
  const msgpack_object *value = map_get(map, key);
  if (!value)
    return !required;
  if (value->type != MSGPACK_OBJECT_POSITIVE_INTEGER || value->via.u64 > UINT32_MAX)
    return false;
  *number = (uint32_t)value->via.u64;
  return true;
}

static bool read_kind(const msgpack_object *value, ArgumentKind *kind) {
  static const char hidden[] = "hidden_";
  if (!value || value->type != MSGPACK_OBJECT_STR)
    return false;
  for (size_t i = 0; i < sizeof value_kinds / sizeof *value_kinds; i++) {
    if (is_text(value, value_kinds[i].name)) {
      *kind = value_kinds[i].kind;
      return true;
    }
  }
  *kind = ARGUMENT_HIDDEN_ZERO;
  return value->via.str.size >= strlen(hidden) &&
         !memcmp(value->via.str.ptr, hidden, strlen(hidden));
}

static bool read_arguments(const msgpack_object *list, Kernel *kernel, LoadError *error) {
  if (!list)
    return true; // a kernel without arguments
  if (list->type != MSGPACK_OBJECT_ARRAY)
    return load_error(error, "The metadata of kernel %s is corrupt: .args is no list.",
                      kernel->name);
  kernel->arguments = calloc((size_t)list->via.array.size + 1, sizeof *kernel->arguments);
  if (!kernel->arguments)
    return load_error(error, "No host memory is left for the arguments of kernel %s.",
                      kernel->name);
  for (uint32_t i = 0; i < list->via.array.size; i++) {
    const msgpack_object *map = &list->via.array.ptr[i];
    KernelArgument *argument = &kernel->arguments[i];
    if (!map_number(map, ".offset", true, &argument->offset) ||
        !map_number(map, ".size", true, &argument->size) ||
        (uint64_t)argument->offset + argument->size > kernel->kernarg_size)
      return load_error(error,
                        "The metadata of kernel %s is corrupt: argument %u lies outside its %u "
                        "bytes of arguments.",
                        kernel->name, i, kernel->kernarg_size);
    const msgpack_object *kind = map_get(map, ".value_kind");
    argument->is_pointer = kind && is_text(kind, "global_buffer");
    if (!read_kind(kind, &argument->kind))
      return load_error(
          error,
          "Argument %u of kernel %s is of a kind that HIP does not use, such as an OpenCL image.",
          i, kernel->name);
    if (argument->kind == ARGUMENT_EXPLICIT) {
      if (kernel->explicit_count != i)
        return load_error(error,
                          "The metadata of kernel %s is corrupt: argument %u follows hidden ones.",
                          kernel->name, i);
      kernel->explicit_count++;
    }
    kernel->argument_count++;
  }
  return true;
}

// The kernel's symbol is that of its descriptor without ".kd".
static bool read_symbol(const msgpack_object *map, Kernel *kernel) {
  static const char suffix[] = ".kd";
  const msgpack_object *symbol = map_get(map, ".symbol");
  if (!symbol || symbol->type != MSGPACK_OBJECT_STR || symbol->via.str.size <= strlen(suffix))
    return false;
  const size_t length = symbol->via.str.size - strlen(suffix);
  if (memcmp(symbol->via.str.ptr + length, suffix, strlen(suffix)))
    return false;
  kernel->symbol = strndup(symbol->via.str.ptr, length);
  kernel->name = kernel->symbol; // until it is demangled
  return kernel->symbol;
}

static bool read_kernel(const msgpack_object *map, uint32_t index, Kernel *kernel,
                        LoadError *error) {
  if (!read_symbol(map, kernel))
    return load_error(error, "The code object's metadata is corrupt: kernel %u has no symbol.",
                      index);
  for (size_t i = 0; i < sizeof kernel_numbers / sizeof *kernel_numbers; i++) {
    uint32_t *field = (uint32_t *)((char *)kernel + kernel_numbers[i].field);
    if (!map_number(map, kernel_numbers[i].key, kernel_numbers[i].required, field))
      return load_error(error,
                        "The metadata of kernel %s is corrupt: %s is missing or no 32-bit number.",
                        kernel->name, kernel_numbers[i].key);
  }
  uint32_t lanes = 0;
  if (!map_number(map, ".wavefront_size", true, &lanes))
    return load_error(error, "The metadata of kernel %s is corrupt: .wavefront_size is missing.",
                      kernel->name);
  if (lanes != DEVICE_WAVEFRONT_SIZE)
    return load_error(error,
                      "Kernel %s is built for wavefronts of %u lanes, but the device has %d.",
                      kernel->name, lanes, DEVICE_WAVEFRONT_SIZE);
  const uint32_t align = kernel->kernarg_align;
  if (align == 0 || (align & (align - 1)) || align > 4096)
    return load_error(error, "The metadata of kernel %s is corrupt: arguments aligned to %u bytes.",
                      kernel->name, align);
  const msgpack_object *dynamic = map_get(map, ".uses_dynamic_stack");
  kernel->dynamic_stack =
      dynamic && dynamic->type == MSGPACK_OBJECT_BOOLEAN && dynamic->via.boolean;
  return read_arguments(map_get(map, ".args"), kernel, error);
}

static bool read_kernels(const msgpack_object *root, CodeObject *object, LoadError *error) {
  const msgpack_object *list = map_get(root, "amdhsa.kernels");
  if (!list)
    return true; // variables only
  if (list->type != MSGPACK_OBJECT_ARRAY)
    return load_error(error, "The code object's metadata is corrupt: amdhsa.kernels is no list.");
  const uint32_t count = list->via.array.size;
  Kernel *kernels =
      reallocarray(object->kernels, object->kernel_count + count + 1, sizeof *kernels);
  if (!kernels)
    return load_error(error, "No host memory is left for %u kernels.", count);
  object->kernels = kernels;
  memset(kernels + object->kernel_count, 0, (count + (size_t)1) * sizeof *kernels);
  for (uint32_t i = 0; i < count; i++) {
    Kernel *kernel = &object->kernels[object->kernel_count++];
    kernel->object = object;
    if (!read_kernel(&list->via.array.ptr[i], i, kernel, error))
      return false;
  }
  return true;
}

bool metadata_read(const char *bytes, size_t size, CodeObject *object, LoadError *error) {
  msgpack_unpacked unpacked;
  msgpack_unpacked_init(&unpacked);
  size_t end = 0;
  const bool read = msgpack_unpack_next(&unpacked, bytes, size, &end) == MSGPACK_UNPACK_SUCCESS &&
                    unpacked.data.type == MSGPACK_OBJECT_MAP;
  const bool good = read ? read_kernels(&unpacked.data, object, error)
                         : load_error(error,
                                      "The code object's metadata, a note of %zu bytes, is "
                                      "corrupt: it is not a MessagePack map.",
                                      size);
  msgpack_unpacked_destroy(&unpacked);
  return good;
}
