// hiprtcLink* and hipLink*: bitcode that is linked while the program runs, by the LLVM that hipcc has.
#define _GNU_SOURCE
#include "runtime_test.h"

#include <hip/hiprtc.h>
#include <unistd.h>

// Of releases after ROCm 5.2.
hiprtcResult hiprtcGetBitcodeSize(hiprtcProgram program, size_t *size);
hiprtcResult hiprtcGetBitcode(hiprtcProgram program, char *bitcode);
hiprtcResult hiprtcLinkCreate(unsigned count, int *options, void **values, void **state);
hiprtcResult hiprtcLinkAddFile(void *state, int type, const char *path, unsigned count,
                               int *options, void **values);
hiprtcResult hiprtcLinkAddData(void *state, int type, void *image, size_t size, const char *name,
                               unsigned count, int *options, void **values);
hiprtcResult hiprtcLinkComplete(void *state, void **code, size_t *size);
hiprtcResult hiprtcLinkDestroy(void *state);
hipError_t hipLinkCreate(unsigned count, int *options, void **values, void **state);
hipError_t hipLinkAddFile(void *state, int type, const char *path, unsigned count, int *options,
                          void **values);
hipError_t hipLinkAddData(void *state, int type, void *image, size_t size, const char *name,
                          unsigned count, int *options, void **values);
hipError_t hipLinkComplete(void *state, void **code, size_t *size);
hipError_t hipLinkDestroy(void *state);
enum { CUBIN = 0, PTX = 1, BITCODE = 100, BUNDLE = 101, ARCHIVE = 102, SPIRV = 103 };
enum { ERROR_LOG = 5, ERROR_LOG_SIZE = 6, CODE_GENERATION = 10000, CODE_GENERATION_COUNT = 10001 };
enum { LINKING_ERROR = 100 };

static void expect(hiprtcResult got, hiprtcResult wanted) {
  cr_assert(eq(str, (char *)hiprtcGetErrorString(got), (char *)hiprtcGetErrorString(wanted)));
}

typedef struct {
  char *bytes;
  size_t size;
} Bitcode;

static Bitcode bitcode_of(hiprtcProgram program) {
  Bitcode code = {NULL, 0};
  const char *options[] = {"-fgpu-rdc"};
  expect(hiprtcCompileProgram(program, 1, options), HIPRTC_SUCCESS);
  expect(hiprtcGetBitcodeSize(program, &code.size), HIPRTC_SUCCESS);
  code.bytes = malloc(code.size);
  expect(hiprtcGetBitcode(program, code.bytes), HIPRTC_SUCCESS);
  return code;
}

static hiprtcProgram program_of(const char *source) {
  hiprtcProgram program = NULL;
  expect(hiprtcCreateProgram(&program, source, "here.cu", 0, NULL, NULL), HIPRTC_SUCCESS);
  return program;
}

static void *new_state(void) {
  void *state = NULL;
  expect(hiprtcLinkCreate(0, NULL, NULL, &state), HIPRTC_SUCCESS);
  return state;
}

static void add(void *state, int type, Bitcode code) {
  expect(hiprtcLinkAddData(state, type, code.bytes, code.size, "part", 0, NULL, NULL),
         HIPRTC_SUCCESS);
}

// What the kernel makes of 1, 2 and 3.
static void run(void *code, const char *name, float values[3]) {
  hipModule_t module = NULL;
  hipFunction_t kernel = NULL;
  SUCCEEDS(hipModuleLoadData(&module, code));
  SUCCEEDS(hipModuleGetFunction(&kernel, module, name));
  float *memory = device_allocation(3 * sizeof *memory);
  for (int i = 0; i < 3; i++)
    values[i] = (float)(i + 1);
  SUCCEEDS(hipMemcpy(memory, values, 3 * sizeof *memory, hipMemcpyHostToDevice));
  SUCCEEDS(launch(kernel, 1, 3, 0, (void *[]){&memory}));
  SUCCEEDS(hipMemcpy(values, memory, 3 * sizeof *memory, hipMemcpyDeviceToHost));
}

// Each has a name expression, a function or variable that the other one uses, and the library's sine.
Test(runtime_linker, programs_use_each_others_functions, .timeout = 120) {
  hiprtcProgram kernels = program_of(
                    "__device__ float twice(float x); extern __device__ float factor;\n"
                    "template <class T> __global__ void scale(T *values) {\n"
                    "  values[threadIdx.x] = sinf(twice(values[threadIdx.x])) * factor; }"),
                parts = program_of("__device__ float factor = 4;\n"
                                   "__device__ float twice(float x) { return 2 * x; }\n"
                                   "__global__ void other(float *values) {}");
  const char *name = NULL, *other = NULL;
  expect(hiprtcAddNameExpression(kernels, "scale<float>"), HIPRTC_SUCCESS);
  expect(hiprtcAddNameExpression(parts, "&factor"), HIPRTC_SUCCESS);
  Bitcode first = bitcode_of(kernels), second = bitcode_of(parts);
  cr_assert(zero(int, memcmp(first.bytes, "BC", 2)));
  expect(hiprtcGetLoweredName(kernels, "scale<float>", &name), HIPRTC_SUCCESS);
  expect(hiprtcGetLoweredName(parts, "&factor", &other), HIPRTC_SUCCESS);
  cr_assert(eq(str, (char *)other, "factor"));
  size_t size = 1;
  expect(hiprtcGetCodeSize(parts, &size), HIPRTC_SUCCESS);
  cr_assert(zero(sz, size));

  const char *generation[] = {"-mllvm", "-inline-threshold=1"};
  int options[] = {CODE_GENERATION, CODE_GENERATION_COUNT};
  void *values[] = {generation, (void *)2}, *state = NULL, *code = NULL;
  expect(hiprtcLinkCreate(2, options, values, &state), HIPRTC_SUCCESS);
  add(state, BITCODE, first);
  add(state, BITCODE, second);
  expect(hiprtcLinkComplete(state, &code, &size), HIPRTC_SUCCESS);
  expect(hiprtcLinkDestroy(state), HIPRTC_SUCCESS);
  float results[3];
  run(code, name, results);
  for (int i = 0; i < 3; i++)
    cr_assert(epsilon_eq(flt, results[i], 4 * sinf(2 * (float)(i + 1)), 1e-5f));
}

static const char ASSEMBLY[] = //
    "target triple = \"amdgcn-amd-amdhsa\"\n"
    "declare i64 @__ockl_get_global_id(i32)\n"
    "declare float @__ocml_sqrt_f32(float)\n"
    "define protected amdgpu_kernel void @root(ptr addrspace(1) %values) {\n"
    "  %i = call i64 @__ockl_get_global_id(i32 0)\n"
    "  %at = getelementptr float, ptr addrspace(1) %values, i64 %i\n"
    "  %value = load float, ptr addrspace(1) %at\n"
    "  %root = call float @__ocml_sqrt_f32(float %value)\n"
    "  store float %root, ptr addrspace(1) %at\n"
    "  ret void\n"
    "}\n";

Test(runtime_linker, assembly_gets_what_it_needs_of_the_devices_libraries, .timeout = 120) {
  void *state = new_state(), *code = NULL;
  size_t size = 0;
  add(state, BITCODE, (Bitcode){(char *)ASSEMBLY, sizeof ASSEMBLY - 1});
  expect(hiprtcLinkComplete(state, &code, &size), HIPRTC_SUCCESS);
  float results[3];
  run(code, "root", results);
  cr_assert(all(eq(flt, results[0], 1), epsilon_eq(flt, results[1], sqrtf(2), 1e-6f)));
}

// Bitcode for two devices one behind the other, as clang-offload-bundler writes it. The first is none.
static Bitcode bundle_of(Bitcode code) {
  static const char *const targets[] = {"hip-amdgcn-amd-amdhsa--gfx906",
                                        "hip-amdgcn-amd-amdhsa--gfx90a"};
  const uint64_t head = 4096, count = 2;
  Bitcode bundle = {calloc(1, head + code.size), head + code.size};
  char *to = bundle.bytes;
  to = mempcpy(to, "__CLANG_OFFLOAD_BUNDLE__", 24);
  to = mempcpy(to, &count, sizeof count);
  for (int i = 0; i < 2; i++) {
    const uint64_t part[] = {head, i ? code.size : 0, strlen(targets[i])};
    to = mempcpy(to, part, sizeof part);
    to = mempcpy(to, targets[i], part[2]);
  }
  memcpy(bundle.bytes + head, code.bytes, code.size);
  return bundle;
}

static void write_file(const char *path, Bitcode code) {
  FILE *file = fopen(path, "wb");
  cr_assert(eq(sz, fwrite(code.bytes, 1, code.size, file), code.size));
  cr_assert(zero(int, fclose(file)));
}

Test(runtime_linker, bundles_and_archives_have_the_devices_part, .timeout = 120) {
  const Bitcode bundle =
      bundle_of(bitcode_of(program_of("extern \"C\" __global__ void add(float *values) {\n"
                                      "  values[threadIdx.x] += 0.5f; }")));
  char folder[] = "/tmp/runtime_linker-XXXXXX", path[64], archive[64], command[160];
  cr_assert(ne(ptr, mkdtemp(folder), NULL));
  snprintf(path, sizeof path, "%s/bundle.bc", folder);
  snprintf(archive, sizeof archive, "%s/bundles.a", folder);
  snprintf(command, sizeof command, "ar rc %s %s", archive, path);
  write_file(path, bundle);
  cr_assert(zero(int, system(command)));
  for (int type = BUNDLE; type <= ARCHIVE; type++) {
    void *state = new_state(), *code = NULL;
    size_t size = 0;
    float results[3];
    expect(hiprtcLinkAddFile(state, type, type == BUNDLE ? path : archive, 0, NULL, NULL),
           HIPRTC_SUCCESS);
    expect(hiprtcLinkComplete(state, &code, &size), HIPRTC_SUCCESS);
    run(code, "add", results);
    cr_assert(all(eq(flt, results[0], 1.5f), eq(flt, results[2], 3.5f)));
  }
  cr_assert(all(zero(int, unlink(path)), zero(int, unlink(archive)), zero(int, rmdir(folder))));
}

Test(runtime_linker, what_is_missing_is_said, .timeout = 120) {
  cr_redirect_stderr();
  char log[400] = "x";
  int options[] = {ERROR_LOG, ERROR_LOG_SIZE};
  void *values[] = {log, (void *)sizeof log}, *state = NULL, *code = NULL;
  size_t size = 0;
  hiprtcProgram program =
      program_of("__device__ void missing(); extern \"C\" __global__ void k() { missing(); }");
  expect(hiprtcLinkCreate(2, options, values, &state), HIPRTC_SUCCESS);
  expect(hiprtcLinkComplete(state, &code, &size), (hiprtcResult)LINKING_ERROR);
  add(state, BITCODE, bitcode_of(program));
  expect(hiprtcLinkComplete(state, &code, &size), (hiprtcResult)LINKING_ERROR);
  cr_assert(
      eq(str, (char *)hiprtcGetErrorString((hiprtcResult)LINKING_ERROR), "HIPRTC_ERROR_LINKING"));
  SAYS(log, "missing()");
  void *nonsense = new_state();
  add(nonsense, BITCODE, (Bitcode){"nonsense", 8});
  expect(hiprtcLinkComplete(nonsense, &code, &size), (hiprtcResult)LINKING_ERROR);
  const char *text = said();
  SAYS(text, "nothing was added that could be linked");
  SAYS(text, "undefined hidden symbol: missing()");
  SAYS(text, "expected top-level entity");
}

Test(runtime_linker, wrong_arguments_are_refused) {
  cr_redirect_stderr();
  void *state = new_state(), *code = NULL, *values[] = {NULL};
  size_t size = 0;
  int options[] = {ERROR_LOG};
  hiprtcProgram program = program_of("__global__ void empty() {}\n");
  expect(hiprtcGetBitcodeSize(program, NULL), HIPRTC_ERROR_INVALID_INPUT);
  expect(hiprtcGetBitcode(program, NULL), HIPRTC_ERROR_INVALID_INPUT);
  expect(hiprtcGetBitcodeSize(program, &size), HIPRTC_ERROR_INVALID_PROGRAM);
  expect(hiprtcLinkCreate(0, NULL, NULL, NULL), HIPRTC_ERROR_INVALID_INPUT);
  expect(hiprtcLinkCreate(1, options, NULL, &state), HIPRTC_ERROR_INVALID_INPUT);
  expect(hiprtcLinkCreate(1, options, values, &state), HIPRTC_ERROR_INVALID_OPTION);
  expect(hiprtcLinkAddData(state, BITCODE, NULL, 0, "", 0, NULL, NULL), HIPRTC_ERROR_INVALID_INPUT);
  expect(hiprtcLinkAddData(state, CUBIN, &size, 1, "", 0, NULL, NULL), HIPRTC_ERROR_INVALID_INPUT);
  expect(hiprtcLinkAddData(state, SPIRV, &size, 1, "", 0, NULL, NULL),
         HIPRTC_ERROR_PROGRAM_CREATION_FAILURE);
  expect(hiprtcLinkAddFile(state, BITCODE, "/no/such/file", 0, NULL, NULL),
         HIPRTC_ERROR_PROGRAM_CREATION_FAILURE);
  expect(hiprtcLinkComplete(state, NULL, NULL), HIPRTC_ERROR_INVALID_INPUT);
  expect(hiprtcLinkDestroy(state), HIPRTC_SUCCESS);
  expect(hiprtcLinkDestroy(state), HIPRTC_ERROR_INVALID_INPUT);
  expect(hiprtcLinkComplete(state, &code, &size), HIPRTC_ERROR_INVALID_INPUT);
  const char *text = said();
  SAYS(text, "SPIR-V cannot be linked here");
  SAYS(text, "/no/such/file cannot be read");
}

Test(runtime_linker, the_drivers_calls_do_the_same, .timeout = 120) {
  cr_redirect_stderr();
  void *state = NULL, *code = NULL, *values[] = {&state};
  size_t size = 0;
  int options[] = {ERROR_LOG};
  GIVES(hipErrorInvalidValue, hipLinkCreate(0, NULL, NULL, NULL));
  GIVES(hipErrorInvalidValue, hipLinkCreate(1, options, NULL, &state));
  GIVES(hipErrorInvalidValue, hipLinkCreate(1, options, values, &state)); // CUDA's alone
  SUCCEEDS(hipLinkCreate(0, NULL, NULL, &state));
  GIVES(hipErrorInvalidHandle, hipLinkAddFile(NULL, SPIRV, "", 0, NULL, NULL));
  GIVES(hipErrorInvalidValue, hipLinkAddFile(state, PTX, "", 0, NULL, NULL));
  GIVES(hipErrorInvalidConfiguration, hipLinkAddFile(state, SPIRV, "unknown", 0, NULL, NULL));
  GIVES(hipErrorInvalidImage, hipLinkAddData(state, BITCODE, NULL, 0, "", 0, NULL, NULL));
  GIVES(hipErrorInvalidHandle, hipLinkAddData(&size, BITCODE, &size, 1, "", 0, NULL, NULL));
  SUCCEEDS(
      hipLinkAddData(state, BITCODE, (char *)ASSEMBLY, sizeof ASSEMBLY - 1, "", 0, NULL, NULL));
  SUCCEEDS(hipLinkComplete(state, &code, &size));
  float results[3];
  run(code, "root", results);
  cr_assert(eq(flt, results[0], 1));
  GIVES(hipErrorInvalidValue, hipLinkComplete(state, NULL, &size));
  SUCCEEDS(hipLinkDestroy(state));
  GIVES(hipErrorInvalidValue, hipLinkDestroy(state));
}
