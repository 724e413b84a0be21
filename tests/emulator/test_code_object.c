// Code objects: what hipcc makes is loaded right, and nothing else is loaded at all.
//
// In: a kernel file and an assembly file, compiled into a temporary folder before the first test.
// Out: loaded kernels compared with the source; damaged and foreign files refused with a sentence.
#define _GNU_SOURCE // memmem
#include <criterion/criterion.h>
#include <criterion/hooks.h>
#include <criterion/new/assert.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "code_object_lines.h"
#include "code_object_load.h"
#include "device_memory.h"

#ifdef __SANITIZE_ADDRESS__
// A corrupt count makes msgpack-c ask for gigabytes, which malloc may refuse.
const char *__asan_default_options(void) {
  return "max_allocation_size_mb=1024:allocator_may_return_null=1";
}
#endif

static const char kernel_source[] = // line numbers matter: axpy's body is line 6
    "#include <hip/hip_runtime.h>\n"
    "__device__ double gvar[100];\n"
    "__device__ int table[4] = {1, 2, 3, 4};\n"
    "__device__ int *pointer = table + 2;\n"
    "extern \"C\" __global__ __launch_bounds__(256) void axpy(double a, const double *x, double "
    "*y, int n) {\n"
    "  __shared__ double tile[32]; int i = blockIdx.x * blockDim.x + threadIdx.x; tile[threadIdx.x "
    "% 32] = x[i]; __syncthreads(); if (i < n) y[i] += a * tile[(i + 1) % 32] + gvar[i % 100] + "
    "*pointer;\n"
    "}\n"
    "template <typename T> __global__ void scale(T *p, T f) { p[threadIdx.x] *= f; }\n"
    "template __global__ void scale<float>(float *, float);\n"
    "__global__ void print(int x) { printf(\"%d\", x); }\n";

static const char assembly_v5[] =
    "  .amdgcn_target \"amdgcn-amd-amdhsa--gfx90a\"\n"
    "  .text\n  .globl k5\n  .p2align 8\n  .type k5,@function\n"
    "k5:\n  s_nop 0\n  s_endpgm\n.Lend:\n  .size k5, .Lend-k5\n"
    "  .section .rodata,\"a\",@progbits\n  .p2align 6\n"
    "  .amdhsa_kernel k5\n    .amdhsa_kernarg_size 264\n    .amdhsa_next_free_vgpr 9\n"
    "    .amdhsa_next_free_sgpr 40\n    .amdhsa_accum_offset 4\n  .end_amdhsa_kernel\n"
    "  .data\n  .p2align 3\n"
    "  .globl near\n  .type near,@object\n  .size near, 8\nnear:\n  .quad value+4\n"
    "  .globl far\n  .type far,@object\n  .size far, 8\nfar:\n  .weak nobody\n  .quad nobody\n"
    "  .globl value\n  .type value,@object\n  .size value, 8\nvalue:\n  .quad 0x1122334455667788\n"
    "  .amdgpu_metadata\n---\n"
    "amdhsa.kernels:\n"
    "  - .args:\n"
    "      - {.offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}\n"
    "      - {.offset: 8, .size: 4, .value_kind: hidden_block_count_x}\n"
    "      - {.offset: 20, .size: 2, .value_kind: hidden_group_size_x}\n"
    "      - {.offset: 26, .size: 2, .value_kind: hidden_remainder_x}\n"
    "      - {.offset: 72, .size: 2, .value_kind: hidden_grid_dims}\n"
    "      - {.offset: 104, .size: 8, .value_kind: hidden_heap_v1}\n"
    "    .group_segment_fixed_size: 0\n    .kernarg_segment_align: 8\n"
    "    .kernarg_segment_size: 264\n    .max_flat_workgroup_size: 1024\n    .name: k5\n"
    "    .private_segment_fixed_size: 0\n    .sgpr_count: 46\n    .symbol: k5.kd\n"
    "    .vgpr_count: 9\n    .wavefront_size: 64\n"
    "amdhsa.target: amdgcn-amd-amdhsa--gfx90a\namdhsa.version: [1, 2]\n...\n"
    "  .end_amdgpu_metadata\n";

// Each test runs in a process of its own, started afresh: the environment tells it the folder.
static const char folder_variable[] = "CODE_OBJECT_TEST_FOLDER";
static const char *folder(void) { return getenv(folder_variable); }

static void write_text(const char *name, const char *text) {
  char path[64];
  snprintf(path, sizeof path, "%s/%s", folder(), name);
  FILE *file = fopen(path, "w");
  fputs(text, file);
  fclose(file);
}

static void in_folder(const char *command) {
  char line[512];
  snprintf(line, sizeof line, "cd %s && (%s) >log 2>&1 || (cat log >&2; exit 1)", folder(),
           command);
  if (system(line))
    fprintf(stderr, "test_code_object: this failed, so its tests will: %s\n", command);
}

ReportHook(PRE_ALL)(struct criterion_test_set *tests) {
  (void)tests;
  char path[] = "/tmp/code-object-XXXXXX";
  if (!mkdtemp(path)) {
    perror("test_code_object: no temporary folder");
    exit(1);
  }
  setenv(folder_variable, path, 1);
  setenv("TMPDIR", path, 1); // hipcc forgets temporary folders
  write_text("kernel.hip", kernel_source);
  write_text("v5.s", assembly_v5);
  in_folder("hipcc --offload-arch=gfx90a -O3 -gline-tables-only --cuda-device-only -c kernel.hip "
            "-o lines");
  in_folder("hipcc --offload-arch=gfx90a -O3 --cuda-device-only -c kernel.hip -o plain");
  in_folder("hipcc --offload-arch=gfx906 --offload-arch=gfx1030 --cuda-device-only -c kernel.hip "
            "-o foreign");
  in_folder("llvm-mc-15 --triple=amdgcn-amd-amdhsa --mcpu=gfx90a --amdhsa-code-object-version=5 "
            "--filetype=obj "
            "v5.s -o v5.o && ld.lld-15 -shared v5.o -o v5");
}

ReportHook(POST_ALL)(struct criterion_global_stats *stats) {
  (void)stats;
  in_folder("rm -r $PWD");
}

typedef struct {
  uint8_t *bytes;
  size_t size;
} File;

// Zeroed bytes that stay until the test's process ends.
static uint8_t *new_bytes(size_t size) {
  typedef struct Block Block;
  struct Block {
    Block *previous;
    uint8_t bytes[];
  };
  static Block *last;
  Block *block = calloc(1, sizeof *block + size);
  block->previous = last;
  last = block;
  return block->bytes;
}

static File read_file(const char *name) {
  char path[64];
  snprintf(path, sizeof path, "%s/%s", folder(), name);
  FILE *file = fopen(path, "rb");
  cr_assert(ne(ptr, file, NULL), "%s is missing", path);
  File content = {new_bytes(1 << 20), 0};
  content.size = fread(content.bytes, 1, 1 << 20, file);
  fclose(file);
  return content;
}

// The gfx90a ELF of a bundle that hipcc made, which aligns it to 4096 bytes.
static File read_elf(const char *name) {
  File file = read_file(name);
  file.bytes += 4096;
  file.size -= 4096;
  return file;
}

static char message[512];
static bool no_binary;

static CodeObject *try_load(const void *bytes, size_t size) {
  strcpy(message, "");
  CodeObject *object = code_object_load(bytes, size, message, sizeof message, &no_binary);
  const size_t length = strlen(message);
  if (object)
    cr_assert(zero(sz, length), "%s", message);
  else
    cr_assert(length > 20 && message[length - 1] == '.', "no sentence: '%s'", message);
  return object;
}

static CodeObject *load(File file) {
  CodeObject *object = try_load(file.bytes, file.size);
  cr_assert(ne(ptr, object, NULL), "%s", message);
  return object;
}

static void expect_refusal(File file, bool well_formed, const char *part) {
  cr_assert(eq(ptr, try_load(file.bytes, file.size), NULL), "expected: %s", part);
  cr_assert(ne(ptr, strstr(message, part), NULL), "expected '%s' in: %s", part, message);
  cr_assert(eq(int, no_binary, well_formed), "%s", message);
}

Test(code_object, kernel_is_bound_to_its_code) {
  File file = read_file("lines");
  CodeObject *object = load(file);
  cr_assert(eq(sz, object->kernel_count, 3));
  const Kernel *kernel = code_object_kernel(object, "axpy");
  cr_assert(ne(ptr, (void *)kernel, NULL));
  cr_assert(eq(str, (char *)kernel->name, "axpy"));
  cr_assert(eq(u32, kernel->max_workgroup_size, 256));
  cr_assert(eq(u32, kernel->group_segment_size, 32 * 8));
  cr_assert(eq(u32, kernel->private_segment_size, 0));
  cr_assert(eq(u32, kernel->kernarg_size, 28));
  cr_assert(eq(u32, kernel->kernarg_align, 8));
  static const KernelArgument expected[] = {{ARGUMENT_EXPLICIT, 0, 8, false},
                                            {ARGUMENT_EXPLICIT, 8, 8, true},
                                            {ARGUMENT_EXPLICIT, 16, 8, true},
                                            {ARGUMENT_EXPLICIT, 24, 4, false}};
  cr_assert(eq(sz, kernel->argument_count, 4));
  cr_assert(eq(sz, kernel->explicit_count, 4));
  for (int i = 0; i < 4; i++) {
    cr_assert(eq(int, kernel->arguments[i].kind, expected[i].kind));
    cr_assert(eq(u32, kernel->arguments[i].offset, expected[i].offset));
    cr_assert(eq(u32, kernel->arguments[i].size, expected[i].size));
    cr_assert(eq(int, kernel->arguments[i].is_pointer, expected[i].is_pointer));
  }
  cr_assert(zero(u64, kernel->entry % 256));
  cr_assert(ge(u64, kernel->entry, object->text_address));
  cr_assert(le(u64, kernel->entry + kernel->code_size, object->text_address + object->text_size));
  const uint32_t s_endpgm = 0xbf810000;
  cr_assert(eq(u32, *(uint32_t *)(kernel->entry + kernel->code_size - 4), s_endpgm));
  cr_assert(ne(ptr, memmem(file.bytes, file.size, (void *)kernel->entry, kernel->code_size), NULL));
  cr_assert(ne(ptr, (void *)device_memory_find(kernel->entry, kernel->code_size), NULL));
  cr_assert(eq(ptr, (void *)code_object_kernel(object, "axp"), NULL));
  cr_assert(eq(ptr, (void *)code_object_kernel(object, "axpy.kd"), NULL));
  code_object_unload(object);
}

// The descriptor's granules against the counts in the metadata, by the rule of LLVM's SIProgramInfo
// for gfx90a.
Test(code_object, descriptor_agrees_with_register_counts) {
  CodeObject *object = load(read_file("lines"));
  for (size_t i = 0; i < object->kernel_count; i++) {
    const Kernel *kernel = &object->kernels[i];
    const uint32_t accum =
        (kernel->vgpr_count + 3) / 4 * 4; // .vgpr_count holds both kinds if AGPRs are used
    const uint32_t total = kernel->vgpr_count ? kernel->vgpr_count : 1;
    cr_assert(eq(u32, kernel->accum_offset, accum ? accum : 4), "%s", kernel->name);
    cr_assert(eq(u32, kernel->allocated_vgprs, (total + 7) / 8 * 8), "%s", kernel->name);
    cr_assert(eq(u32, kernel->allocated_sgprs, (kernel->sgpr_count + 15) / 16 * 16), "%s",
              kernel->name);
    cr_assert(ne(u32, kernel->code_properties & 1 << 3, 0), "kernarg_segment_ptr of %s",
              kernel->name);
  }
  code_object_unload(object);
}

Test(code_object, names_are_demangled_and_hidden_arguments_follow) {
  CodeObject *object = load(read_file("lines"));
  cr_assert(eq(str, (char *)code_object_kernel(object, "_Z5scaleIfEvPT_S0_")->name,
               "void scale<float>(float*, float)"));
  const Kernel *print = code_object_kernel(object, "_Z5printi");
  cr_assert(eq(str, (char *)print->name, "print(int)"));
  cr_assert(eq(sz, print->explicit_count, 1));
  static const ArgumentKind kinds[] = {ARGUMENT_EXPLICIT,
                                       ARGUMENT_HIDDEN_ZERO,
                                       ARGUMENT_HIDDEN_ZERO,
                                       ARGUMENT_HIDDEN_ZERO,
                                       ARGUMENT_HIDDEN_HOSTCALL_BUFFER,
                                       ARGUMENT_HIDDEN_ZERO,
                                       ARGUMENT_HIDDEN_ZERO,
                                       ARGUMENT_HIDDEN_MULTIGRID_SYNC};
  cr_assert(eq(sz, print->argument_count, sizeof kinds / sizeof *kinds));
  for (size_t i = 0; i < print->argument_count; i++)
    cr_assert(eq(int, print->arguments[i].kind, kinds[i]), "argument %zu", i);
  cr_assert(eq(u32, print->arguments[4].offset, 32));
  cr_assert(lt(u32, 0, print->private_segment_size));
  code_object_unload(object);
}

Test(code_object, variables_are_initialised_and_relocated) {
  CodeObject *object = load(read_file("lines"));
  const DeviceVariable *table = code_object_variable(object, "table");
  const DeviceVariable *pointer = code_object_variable(object, "pointer");
  const DeviceVariable *gvar = code_object_variable(object, "gvar");
  cr_assert(eq(u64, table->size, 16));
  for (int i = 0; i < 4; i++)
    cr_assert(eq(int, ((int *)table->address)[i], i + 1));
  cr_assert(eq(u64, *(uint64_t *)pointer->address, table->address + 8));
  cr_assert(eq(u64, gvar->size, 800));
  for (int i = 0; i < 100; i++)
    cr_assert(eq(dbl, ((double *)gvar->address)[i], 0.0));
  cr_assert(eq(ptr, (void *)code_object_variable(object, "axpy.kd"), NULL));
  code_object_unload(object);
}

Test(code_object, unload_gives_the_memory_back) {
  CodeObject *object = load(read_file("lines"));
  const uint64_t entry = object->kernels[0].entry;
  cr_assert(eq(str, (char *)device_memory_find(entry, 4)->name,
               "program's code and __device__ variables"));
  code_object_unload(object);
  cr_assert(eq(ptr, (void *)device_memory_find(entry, 4), NULL));
}

Test(code_object, lines_where_there_are_tables) {
  File bundle = read_file("lines");
  CodeObject *object = load(bundle), *plain = load(read_file("plain"));
  memset(bundle.bytes, 0, bundle.size); // the caller's bytes may go
  const Kernel *kernel = code_object_kernel(object, "axpy");
  const char *file = NULL;
  int line = 0, in_body = 0;
  for (uint64_t pc = kernel->entry; pc < kernel->entry + kernel->code_size; pc += 4)
    if (code_object_line(object, pc, &file, &line) && strstr(file, "/kernel.hip")) {
      cr_assert(ge(int, line, 5));
      cr_assert(le(int, line, 7));
      in_body += line == 6;
    }
  cr_assert(lt(int, 10, in_body));
  cr_assert(code_object_line(object, code_object_kernel(object, "_Z5scaleIfEvPT_S0_")->entry, &file,
                             &line));
  cr_assert(not(code_object_line(object, object->text_address + object->text_size, &file, &line)));
  cr_assert(not(code_object_line(object, 0, &file, &line)));
  cr_assert(not(code_object_line(plain, plain->kernels[0].entry, &file, &line)));
  code_object_unload(object);
  code_object_unload(plain);
}

Test(code_object, version_5_with_symbol_relocations) {
  CodeObject *object = load(read_file("v5"));
  const Kernel *kernel = code_object_kernel(object, "k5");
  static const KernelArgument expected[] = {{ARGUMENT_EXPLICIT, 0, 8, true},
                                            {ARGUMENT_HIDDEN_BLOCK_COUNT_X, 8, 4, false},
                                            {ARGUMENT_HIDDEN_GROUP_SIZE_X, 20, 2, false},
                                            {ARGUMENT_HIDDEN_REMAINDER_X, 26, 2, false},
                                            {ARGUMENT_HIDDEN_GRID_DIMS, 72, 2, false},
                                            {ARGUMENT_HIDDEN_HEAP, 104, 8, false}};
  cr_assert(eq(sz, kernel->explicit_count, 1));
  cr_assert(eq(sz, kernel->argument_count, 6));
  for (int i = 0; i < 6; i++) {
    cr_assert(eq(int, kernel->arguments[i].kind, expected[i].kind), "argument %d", i);
    cr_assert(eq(u32, kernel->arguments[i].offset, expected[i].offset));
    cr_assert(eq(u32, kernel->arguments[i].size, expected[i].size));
    cr_assert(eq(int, kernel->arguments[i].is_pointer, expected[i].is_pointer));
  }
  cr_assert(eq(u32, kernel->accum_offset, 4));
  cr_assert(eq(u32, kernel->allocated_vgprs, 16));
  const DeviceVariable *value = code_object_variable(object, "value");
  cr_assert(eq(u64, *(uint64_t *)value->address, 0x1122334455667788));
  cr_assert(
      eq(u64, *(uint64_t *)code_object_variable(object, "near")->address, value->address + 4));
  cr_assert(zero(u64, *(uint64_t *)code_object_variable(object, "far")->address), "weak");
  code_object_unload(object);
}

Test(code_object, other_devices_are_listed) {
  File foreign = read_file("foreign");
  expect_refusal(foreign, true, "for gfx1030, gfx906, but none for gfx90a");
  expect_refusal(foreign, true, "--offload-arch=gfx90a");
  expect_refusal(read_elf("foreign"), true, "is for gfx1030 (machine flag 0x36");
}

Test(code_object, other_formats_are_named) {
  char text[] = "hello, this is a text file";
  expect_refusal((File){(uint8_t *)text, sizeof text}, false,
                 "neither an offload bundle nor an ELF");
  char compressed[64] = "CCOB";
  expect_refusal((File){(uint8_t *)compressed, sizeof compressed}, true,
                 "compressed in version 0 of its format");
  FILE *self = fopen("/proc/self/exe", "rb");
  File program = {new_bytes(1 << 20), 0};
  program.size = fread(program.bytes, 1, 1 << 20, self);
  fclose(self);
  expect_refusal(program, true, "is for machine 62");
  File object = read_file("v5.o");
  expect_refusal(object, false, "is not linked");
}

Test(code_object, bare_elf_at_any_address) {
  File elf = read_elf("lines");
  for (size_t shift = 0; shift < 4; shift++) {
    uint8_t *bytes = malloc(elf.size + shift);
    memcpy(bytes + shift, elf.bytes, elf.size);
    CodeObject *object = try_load(bytes + shift, elf.size);
    cr_assert(ne(ptr, object, NULL), "%s", message);
    free(bytes);
    code_object_unload(object);
  }
}

// A bundle with these ids; each entry holds the ELF, or text if the id begins with '!'.
static File make_bundle(const char *const *ids, size_t count, File elf) {
  File bundle = {new_bytes(4096 + count * elf.size), 4096 + count * elf.size};
  memcpy(bundle.bytes, "__CLANG_OFFLOAD_BUNDLE__", 24);
  memcpy(bundle.bytes + 24, &(uint64_t){count}, 8);
  uint8_t *at = bundle.bytes + 32;
  for (size_t i = 0; i < count; i++) {
    const bool text = ids[i][0] == '!';
    const char *id = ids[i] + text;
    const uint64_t words[] = {4096 + i * elf.size, elf.size, strlen(id)};
    memcpy(at, words, sizeof words);
    memcpy(at + sizeof words, id, strlen(id));
    at += sizeof words + strlen(id);
    memcpy(bundle.bytes + words[0], text ? (uint8_t *)"text" : elf.bytes, text ? 4 : elf.size);
  }
  return bundle;
}

Test(code_object, the_best_entry_is_chosen) {
  File elf = read_elf("lines");
  static const char *const good[][3] = {
      {"host-x86_64-unknown-linux", "!hipv4-amdgcn-amd-amdhsa--gfx90c",
       "hip-amdgcn-amd-amdhsa-gfx90a"},
      {"!hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+", "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-",
       "!hipv4-amdgcn-amd-amdhsa--gfx90a:sramecc-:xnack-"},
      {"!hipv4-amdgcn-amd-amdhsa--gfx90", "!openmp-amdgcn-amd-amdhsa--gfx90a",
       "hipv4-amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack+"},
  };
  for (size_t i = 0; i < 3; i++)
    code_object_unload(load(make_bundle(good[i], 3, elf)));
  static const char *const bad[] = {"!hipv4-amdgcn-amd-amdhsa--gfx90a"};
  expect_refusal(make_bundle(bad, 1, elf), false, "is not an ELF file");
  static const char *const host[] = {"host-x86_64-unknown-linux"};
  expect_refusal(make_bundle(host, 1, elf), true, "no GPU at all");
}

// Copies the end of the bytes up against a page that cannot be read.
static uint8_t *before_a_wall(File file) {
  const size_t room = (file.size + 4095) / 4096 * 4096;
  uint8_t *pages =
      mmap(NULL, room + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  mprotect(pages + room, 4096, PROT_NONE);
  return memcpy(pages + room - file.size, file.bytes, file.size);
}

Test(code_object, unknown_size_ends_with_the_mapping) {
  File bundle = read_file("lines"), elf = read_elf("lines");
  code_object_unload(try_load(before_a_wall(bundle), 0));
  code_object_unload(try_load(before_a_wall(elf), 0));
  for (size_t size = 16; size < bundle.size; size += 997)
    cr_assert(eq(ptr, try_load(before_a_wall((File){bundle.bytes, size}), 0), NULL));
  for (size_t size = 16; size < elf.size; size += 997)
    cr_assert(eq(ptr, try_load(before_a_wall((File){elf.bytes, size}), 0), NULL));
  cr_assert(eq(ptr, try_load(NULL, 0), NULL));
}

Test(code_object, truncation_at_every_byte_is_refused, .timeout = 120) {
  File files[] = {read_file("lines"), read_elf("lines"), read_file("v5")};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    for (size_t size = 1; size < files[i].size; size++) {
      uint8_t *exact = malloc(size); // so that the address sanitizer sees one byte too many
      memcpy(exact, files[i].bytes, size);
      CodeObject *object = try_load(exact, size);
      free(exact);
      cr_assert(eq(ptr, object, NULL), "file %zu loads although cut at byte %zu", i, size);
      if (size > 4096)
        cr_assert(ne(ptr, strstr(message, "bytes are there"), NULL), "%s", message);
    }
    code_object_unload(load(files[i]));
  }
}

Test(code_object, flipped_bytes_never_crash, .timeout = 120) {
  File good = read_file("lines"), file = {new_bytes(good.size), good.size};
  srand(20221103);
  int refused = 0, rounds = 8000;
  for (int round = 0; round < rounds; round++) {
    memcpy(file.bytes, good.bytes, good.size);
    for (int flips = 1 + rand() % 4; flips > 0; flips--) {
      const size_t header = rand() % 3 ? 4096 : 0; // padding behind the bundle's header is long
      file.bytes[header + rand() % (header ? good.size - header : 256)] ^= 1 << rand() % 8;
    }
    CodeObject *object = try_load(file.bytes, file.size);
    refused += !object;
    if (!object)
      continue;
    const char *name;
    int line;
    for (size_t i = 0; i < object->kernel_count; i++)
      for (uint64_t at = 0; at < object->kernels[i].code_size; at += 128)
        code_object_line(object, object->kernels[i].entry + at, &name, &line);
    code_object_unload(object);
  }
  cr_assert(lt(int, rounds / 4, refused));
  cr_assert(lt(int, refused, rounds));
}

static Elf64_Shdr *section_of_type(File elf, uint32_t type) {
  Elf64_Ehdr *header = (Elf64_Ehdr *)elf.bytes;
  Elf64_Shdr *section = (Elf64_Shdr *)(elf.bytes + header->e_shoff);
  for (int i = 0; i < header->e_shnum; i++)
    if (section[i].sh_type == type)
      return &section[i];
  cr_fail("no section of type %u", type);
  return NULL;
}

static uint8_t *
descriptor_bytes(File elf) { // of the only kernel of v5; .rodata is in the first segment
  CodeObject *object = load(elf);
  const size_t offset = object->kernels[0].descriptor - (uint64_t)object->image;
  code_object_unload(object);
  return elf.bytes + offset;
}

Test(code_object, wrong_header_fields_are_named) {
  const struct {
    size_t byte;
    uint8_t value;
    const char *part;
  } cases[] = {
      {4, 1, "64-bit little-endian"},
      {7, 3, "ABI is 3.3"},
      {8, 0, "ABI is 64.0"},
      {8, 9, "ABI is 64.9"},
      {16, 1, "not linked"},
      {54, 1, "bytes 52 to 61"},
      {33, 0xff, "program header table"},
      {41, 0xff, "section header table"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    File elf = read_file("v5");
    elf.bytes[cases[i].byte] = cases[i].value;
    expect_refusal(elf, false, cases[i].part);
  }
}

Test(code_object, wrong_descriptors_are_named) {
  const struct {
    size_t byte;
    uint8_t flip;
    const char *part;
  } cases[] = {
      {18, 0x7f, "entry point of kernel k5"},
      {16, 4, "entry point of kernel k5"},
      {57, 4, "wavefronts of 32 lanes"},
      {44, 63, "contradicts itself"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    File elf = read_file("v5");
    descriptor_bytes(elf)[cases[i].byte] ^= cases[i].flip;
    expect_refusal(elf, false, cases[i].part);
  }
}

Test(code_object, relocations_low_high_and_unknown) {
  File elf = read_file("v5");
  Elf64_Rela *rela = (Elf64_Rela *)(elf.bytes + section_of_type(elf, SHT_RELA)->sh_offset);
  Elf64_Rela *near = rela[0].r_addend == 4 ? &rela[0] : &rela[1];
  const uint64_t symbol = ELF64_R_SYM(near->r_info);
  for (uint64_t type = 1; type <= 2; type++) {
    near->r_info = ELF64_R_INFO(symbol, type);
    CodeObject *object = load(elf);
    const uint64_t target = code_object_variable(object, "value")->address + 4;
    cr_assert(eq(u32, *(uint32_t *)code_object_variable(object, "near")->address,
                 (uint32_t)(type == 1 ? target : target >> 32)));
    code_object_unload(object);
  }
  near->r_info = ELF64_R_INFO(symbol, 7);
  expect_refusal(elf, false, "R_AMDGPU_GOTPCREL)");
  near->r_info = ELF64_R_INFO(symbol, 99);
  expect_refusal(elf, false, "99");
  near->r_info = ELF64_R_INFO(12345, 3);
  expect_refusal(elf, false, "refers to");
  near->r_info = ELF64_R_INFO(symbol, 3);
  near->r_offset = 1ull << 40;
  expect_refusal(elf, false, "lies outside");
}

Test(code_object, an_undefined_symbol_is_named) {
  File elf = read_file("v5");
  Elf64_Shdr *symbols = section_of_type(elf, SHT_DYNSYM);
  Elf64_Sym *symbol = (Elf64_Sym *)(elf.bytes + symbols->sh_offset);
  for (size_t i = 1; i < symbols->sh_size / sizeof *symbol; i++)
    if (symbol[i].st_shndx == SHN_UNDEF)
      symbol[i].st_info = ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE);
  expect_refusal(elf, false, "refers to nobody, which it does not define");
}
