// hiprtc: kernels that are compiled while the program runs, by the hipcc that is in PATH.
#include "runtime_test.h"

#include <hip/hiprtc.h>
#include <signal.h>

static void expect(hiprtcResult got, hiprtcResult wanted) {
  cr_assert(eq(str, (char *)hiprtcGetErrorString(got), (char *)hiprtcGetErrorString(wanted)));
}

static hiprtcProgram program_of(const char *source) {
  hiprtcProgram program = NULL;
  expect(hiprtcCreateProgram(&program, source, "here.cu", 0, NULL, NULL), HIPRTC_SUCCESS);
  return program;
}

static char *log_of(hiprtcProgram program) {
  size_t size = 0;
  expect(hiprtcGetProgramLogSize(program, &size), HIPRTC_SUCCESS);
  char *log = calloc(1, size + 1);
  expect(hiprtcGetProgramLog(program, log), HIPRTC_SUCCESS);
  return log;
}

static hipModule_t module_of(hiprtcProgram program) {
  hipModule_t module = NULL;
  size_t size = 0;
  expect(hiprtcGetCodeSize(program, &size), HIPRTC_SUCCESS);
  char *code = malloc(size);
  expect(hiprtcGetCode(program, code), HIPRTC_SUCCESS);
  SUCCEEDS(hipModuleLoadData(&module, code));
  free(code);
  return module;
}

Test(runtime_compiler, what_it_compiles_runs) {
  static const char source[] = "#include \"parts/factor.h\"\n"
                               "template <class T> __global__ void scale(T *values) { "
                               "values[threadIdx.x] *= FACTOR + MORE; }\n"
                               "namespace inner { __device__ int counter = 7; }\n";
  const char *headers[] = {"#define FACTOR 3\n"}, *names[] = {"parts/factor.h"};
  const char *options[] = {"-DMORE=1",   "--gpu-architecture=gfx90a",
                           "",           "-nocudainc",
                           "-nocudalib", "-flegacy-pass-manager",
                           "-hip-pch",   "-nogpuinc",
                           "-nogpulib",  "-lineinfo",
                           "-lm",        "-Wl,--no-undefined",
                           "-mllvm",     "-amdgpu-early-inline-all=true",
                           "-mllvm",     "--amdgpu-function-calls=false"};
  const char *kernel_name, *variable_name;
  hiprtcProgram program = NULL;
  expect(hiprtcCreateProgram(&program, source, NULL, 1, headers, names), HIPRTC_SUCCESS);
  expect(hiprtcAddNameExpression(program, "scale<int>"), HIPRTC_SUCCESS);
  expect(hiprtcAddNameExpression(program, "&inner::counter"), HIPRTC_SUCCESS);
  expect(hiprtcGetLoweredName(program, "scale<int>", &kernel_name),
         HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION);
  expect(hiprtcCompileProgram(program, sizeof options / sizeof *options, options), HIPRTC_SUCCESS);
  expect(hiprtcAddNameExpression(program, "scale<float>"),
         HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION);
  expect(hiprtcGetLoweredName(program, "scale<int>", &kernel_name), HIPRTC_SUCCESS);
  expect(hiprtcGetLoweredName(program, "&inner::counter", &variable_name), HIPRTC_SUCCESS);
  expect(hiprtcGetLoweredName(program, "other", &kernel_name),
         HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID);

  hipModule_t module = module_of(program);
  hipFunction_t kernel = NULL;
  hipDeviceptr_t counter = NULL;
  size_t size = 0;
  int values[2] = {5, 6}, count = 0;
  SUCCEEDS(hipModuleGetFunction(&kernel, module, kernel_name));
  SUCCEEDS(hipModuleGetGlobal(&counter, &size, module, variable_name));
  SUCCEEDS(hipMemcpyDtoH(&count, counter, sizeof count));
  void *memory = device_allocation(sizeof values);
  SUCCEEDS(hipMemcpy(memory, values, sizeof values, hipMemcpyHostToDevice));
  SUCCEEDS(launch(kernel, 1, 2, 0, (void *[]){&memory}));
  SUCCEEDS(hipMemcpy(values, memory, sizeof values, hipMemcpyDeviceToHost));
  cr_assert(all(eq(int, values[0], 20), eq(int, values[1], 24), eq(int, count, 7)));
  expect(hiprtcDestroyProgram(&program), HIPRTC_SUCCESS);
  cr_assert(zero(ptr, program));
}

Test(runtime_compiler, errors_are_in_the_log_with_their_line) {
  hiprtcProgram program = program_of("\n__global__ void wrong() { nonsense; }\n");
  expect(hiprtcCompileProgram(program, 0, NULL), HIPRTC_ERROR_COMPILATION);
  char *log = log_of(program);
  SAYS(log, "here.cu:2:");
  SAYS(log, "'nonsense'");
  free(log);
  expect(hiprtcDestroyProgram(&program), HIPRTC_SUCCESS);
}

Test(runtime_compiler, says_what_it_refuses) {
  cr_redirect_stderr();
  const char *none[] = {NULL}, *nothing[] = {""}, *outside[] = {"../header.h"};
  hiprtcProgram program = program_of("__global__ void empty() {}\n"), leaves = NULL, gone = program;
  expect(hiprtcCompileProgram(program, 1, none), HIPRTC_ERROR_INVALID_OPTION);
  setenv("HIPCC", "/no/such/hipcc", 1);
  expect(hiprtcCompileProgram(program, 0, NULL), HIPRTC_ERROR_COMPILATION);
  expect(hiprtcCreateProgram(&leaves, "", "x", 1, nothing, outside), HIPRTC_SUCCESS);
  expect(hiprtcCompileProgram(leaves, 0, NULL), HIPRTC_ERROR_COMPILATION);
  expect(hiprtcDestroyProgram(&program), HIPRTC_SUCCESS);
  expect(hiprtcDestroyProgram(&gone), HIPRTC_ERROR_INVALID_PROGRAM);
  expect(hiprtcDestroyProgram(NULL), HIPRTC_ERROR_INVALID_INPUT);
  expect(hiprtcCompileProgram(gone, 0, NULL), HIPRTC_ERROR_INVALID_PROGRAM);
  expect(hiprtcCreateProgram(NULL, "", "x", 0, NULL, NULL), HIPRTC_ERROR_INVALID_PROGRAM);
  expect(hiprtcCreateProgram(&leaves, "", "x", 1, NULL, NULL), HIPRTC_ERROR_INVALID_INPUT);
  expect(hiprtcCreateProgram(&leaves, "", "x", 1, none, outside), HIPRTC_ERROR_INVALID_INPUT);
  expect(hiprtcCreateProgram(&leaves, "", "x", 1, nothing, none), HIPRTC_ERROR_INVALID_INPUT);
  const char *text = said();
  SAYS(text, "hipcc cannot be run; put it into PATH, or its path into HIPCC");
  SAYS(text, "a header's name must stay in its folder");
}

Test(runtime_compiler, programs_and_headers_may_have_any_name) {
  const char *texts[] = {"#define V 7\n", "#define W V\n"}, *names[] = {"log", "code"};
  hiprtcProgram program = NULL;
  expect(hiprtcCreateProgram(&program,
                             "#include \"log\"\n#include \"code\"\n"
                             "__device__ int seven = W;\nnonsense;\n",
                             "C:\\x \"new\".cu", 2, texts, names),
         HIPRTC_SUCCESS);
  expect(hiprtcCompileProgram(program, 0, NULL), HIPRTC_ERROR_COMPILATION);
  char *log = log_of(program);
  cr_assert(ne(ptr, strstr(log, "C:\\x \"new\".cu:4:"), NULL), "%s", log);
  cr_assert(zero(ptr, strstr(log, ".cu:3:")), "%s", log);
  free(log);
  expect(hiprtcDestroyProgram(&program), HIPRTC_SUCCESS);
}

Test(runtime_compiler, a_program_may_ignore_its_children) {
  signal(SIGCHLD, SIG_IGN);
  hiprtcProgram right = program_of("__global__ void empty() {}\n"),
                wrong = program_of("nonsense;\n");
  expect(hiprtcCompileProgram(right, 0, NULL), HIPRTC_SUCCESS);
  module_of(right);
  expect(hiprtcCompileProgram(wrong, 0, NULL), HIPRTC_ERROR_COMPILATION);
  char *log = log_of(wrong);
  cr_assert(ne(ptr, strstr(log, "nonsense"), NULL), "%s", log);
}

// As hiprtc knows them, though hip_runtime.h of ROCm 5.2 does not: warpSize, shuffles, ptrdiff_t. And a
// folder of headers behind a space.
Test(runtime_compiler, names_that_need_no_header) {
  hiprtcProgram program =
      program_of("extern \"C\" __global__ void swap(int *out) { ptrdiff_t i = threadIdx.x; "
                 "out[i] = __shfl_xor((int)i, 1) + 100 * warpSize; }\n");
  const char *options[] = {"-I  emulator/hip"};
  int *out = device_allocation(64 * 4), back[64];
  void *arguments[] = {&out};
  hipFunction_t kernel = NULL;
  expect(hiprtcCompileProgram(program, 1, options), HIPRTC_SUCCESS);
  SUCCEEDS(hipModuleGetFunction(&kernel, module_of(program), "swap"));
  SUCCEEDS(launch(kernel, 1, 64, 0, arguments));
  SUCCEEDS(hipMemcpy(back, out, sizeof back, hipMemcpyDeviceToHost));
  for (int i = 0; i < 64; i++)
    cr_assert(eq(int, back[i], 6400 + (i ^ 1)));
  expect(hiprtcDestroyProgram(&program), HIPRTC_SUCCESS);
  program = program_of("#include \"stream.h\"\n"); // which it finds, and which is none for kernels
  expect(hiprtcCompileProgram(program, 1, options), HIPRTC_ERROR_COMPILATION);
  char *log = log_of(program);
  cr_assert(ne(ptr, strstr(log, "emulator/hip/stream.h"), NULL), "%s", log);
  free(log);
}

static hiprtcProgram compiled(const char *source, int count, const char **options) {
  hiprtcProgram program = program_of(source);
  const hiprtcResult result = hiprtcCompileProgram(program, count, options);
  cr_assert(eq(int, (int)result, HIPRTC_SUCCESS), "%s", log_of(program));
  return program;
}

// What the program's kernel k puts there.
static void run(hiprtcProgram program, float *results, int count) {
  hipFunction_t kernel = NULL;
  const size_t size = (size_t)count * sizeof *results;
  float *out = device_allocation(size);
  SUCCEEDS(hipModuleGetFunction(&kernel, module_of(program), "k"));
  SUCCEEDS(launch(kernel, 1, 1, 0, (void *[]){&out}));
  SUCCEEDS(hipMemcpy(results, out, size, hipMemcpyDeviceToHost));
}

// clang's header has no malloc for kernels of a HIP that does not tell its version.
Test(runtime_compiler, kernels_have_malloc_and_the_version) {
  float results[2];
  run(compiled("extern \"C\" __global__ void k(float *out) {\n"
               "  float *own = (float *)malloc(8);\n"
               "  own[1] = HIP_VERSION_MAJOR; out[0] = own[1]; out[1] = HIP_VERSION_MINOR;\n"
               "  free(own); }",
               0, NULL),
      results, 2);
  cr_assert(all(eq(flt, results[0], HIP_VERSION_MAJOR), eq(flt, results[1], HIP_VERSION_MINOR)));
}

Test(runtime_compiler, a_version_among_the_options_is_the_one) {
  const char *options[] = {"-Werror", "-DHIP_VERSION_MAJOR=4", "-D", "HIP_VERSION_MINOR=1"};
  compiled("", 4, options);
}

// Of the headers that programs need not include, or may.
static const char HEADERS[] = "#include <hip/hip_fp16.h>\n"
                              "#include <hip/hip_complex.h>\n"
                              "#include <hip/hip_cooperative_groups.h>\n";
static const char WITH_THEIR_NAMES[] =
    "__device__ __half half_of(__half x) { return x * __half(0.5f); }\n"
    "extern \"C\" __global__ void k(float *out) {\n"
    "  out[0] = __half2float(half_of(3));\n"
    "  hipFloatComplex i = make_hipFloatComplex(0, 1);\n"
    "  out[1] = hipCrealf(hipCmulf(i, i));\n"
    "  out[2] = cooperative_groups::this_thread_block().size();\n"
    "  unsafeAtomicAdd(out + 2, 1.0f); }\n";

Test(runtime_compiler, headers_that_need_not_be_included, .timeout = 60) {
  char included[sizeof HEADERS + sizeof WITH_THEIR_NAMES];
  snprintf(included, sizeof included, "%s%s", HEADERS, WITH_THEIR_NAMES);
  const char *const sources[] = {WITH_THEIR_NAMES, included};
  const char *options[] = {"-Wall", "-Werror"};
  for (int i = 0; i < 2; i++) {
    float results[3];
    run(compiled(sources[i], 2, options), results, 3);
    cr_assert(all(eq(flt, results[0], 1.5f), eq(flt, results[1], -1), eq(flt, results[2], 2)));
  }
}

// hip_complex.h of ROCm 5.2 has a product of float2, which else is that of each element.
Test(runtime_compiler, names_of_the_programs_own) {
  float results[3];
  run(compiled("struct complex { float x, y; };\n"
               "__device__ float2 operator-(const float2 &a) { return float2{7, 7}; }\n"
               "extern \"C\" __global__ void k(float *out) {\n"
               "  complex own = {2, 3}; float2 pair = {own.x, own.y}, minus = -pair;\n"
               "  pair = pair * pair; out[0] = pair.x; out[1] = pair.y; out[2] = minus.x; }\n",
               0, NULL),
      results, 3);
  cr_assert(all(eq(flt, results[0], 4), eq(flt, results[1], 9), eq(flt, results[2], 7)));
}

Test(runtime_compiler, names_that_are_not_in_the_source, .timeout = 60) {
  const char *texts[] = {"__device__ int size() { "
                         "return cooperative_groups::this_thread_block().size(); }\n"},
             *names[] = {"size.h"}, *options[] = {"-DNUMBER=hipComplex"};
  hiprtcProgram program = NULL;
  expect(hiprtcCreateProgram(&program,
                             "#include \"size.h\"\n"
                             "__global__ void k(NUMBER *out) { out->x = size(); }\n",
                             "here.cu", 1, texts, names),
         HIPRTC_SUCCESS);
  expect(hiprtcCompileProgram(program, 1, options), HIPRTC_SUCCESS);
  program = program_of("template <class T> __global__ void k(T *out) {}\n");
  expect(hiprtcAddNameExpression(program, "k<hipDoubleComplex>"), HIPRTC_SUCCESS);
  expect(hiprtcCompileProgram(program, 0, NULL), HIPRTC_SUCCESS);
}

// ROCm's hiprtc is in the process, and so is what its LLVM prints on stderr.
Test(runtime_compiler, what_llvm_is_asked_to_print_is_on_stderr, .timeout = 60) {
  static const char source[] = "extern \"C\" __global__ void k(float *out) { *out = 1; }\n";
  cr_redirect_stderr();
  const char *ways[][2] = {{"-mllvm", "-print-after=constmerge"},
                           {"-mllvm", "--print-before=constmerge"}};
  compiled(source, 2, ways[0]);
  compiled(source, 2, ways[1]);
  const char *text = said();
  SAYS(text, "IR Dump After ConstantMergePass");
  SAYS(text, "IR Dump Before ConstantMergePass");
}

Test(runtime_compiler, what_is_said_otherwise_is_in_the_log_alone) {
  cr_redirect_stderr();
  const char *options[] = {"-mllvm", "-inline-threshold=1", "-I", "print-folder"};
  char *log = log_of(compiled("#warning heard\n", 4, options));
  SAYS(log, "heard");
  cr_assert(eq(str, (char *)said(), ""));
  free(log);
}

// As programs do that fill their caches ahead.
Test(runtime_compiler, compiles_for_other_devices_too) {
  static const char source[] =
      "template <class T> __global__ void scale(T *values) { *values *= 2; }\n"
      "namespace inner { __device__ int counter = 7; }\n";
  const char *options[] = {"--gpu-architecture=gfx908"}, *name;
  hiprtcProgram program = NULL;
  hipModule_t module;
  size_t size = 0;
  cr_redirect_stderr();
  expect(hiprtcCreateProgram(&program, source, NULL, 0, NULL, NULL), HIPRTC_SUCCESS);
  expect(hiprtcAddNameExpression(program, "scale<int>"), HIPRTC_SUCCESS);
  expect(hiprtcAddNameExpression(program, "&inner::counter"), HIPRTC_SUCCESS);
  expect(hiprtcCompileProgram(program, 1, options), HIPRTC_SUCCESS);
  expect(hiprtcGetLoweredName(program, "scale<int>", &name), HIPRTC_SUCCESS);
  cr_assert(eq(str, (char *)name, "_Z5scaleIiEvPT_"));
  expect(hiprtcGetLoweredName(program, "&inner::counter", &name), HIPRTC_SUCCESS);
  cr_assert(eq(str, (char *)name, "_ZN5inner7counterE"));
  expect(hiprtcGetCodeSize(program, &size), HIPRTC_SUCCESS);
  char *code = malloc(size);
  expect(hiprtcGetCode(program, code), HIPRTC_SUCCESS);
  GIVES(hipErrorNoBinaryForGpu, hipModuleLoadData(&module, code));
  free(code);
}

// Which hipcc of ROCm 5 has another name for.
Test(runtime_compiler, compiles_for_the_device_by_all_its_names) {
  static const char *const name[] = {"--gpu-architecture=gfx942:sramecc+:xnack-",
                                     "--offload-arch=gfx942", "--gpu-architecture=gfx940", NULL};
  static const char source[] =
      "extern \"C\" __global__ void set(int *to) { *to = __AMDGCN_WAVEFRONT_SIZE; }\n";
  setenv("EMULATOR_DEVICE", "mi300x", 1);
  for (int i = 0; i < 4; i++) {
    const char *options[] = {"-O2", name[i]};
    int count = name[i] ? 2 : 1, value = 0;
    hiprtcProgram program = NULL;
    hipFunction_t kernel;
    expect(hiprtcCreateProgram(&program, source, NULL, 0, NULL, NULL), HIPRTC_SUCCESS);
    expect(hiprtcCompileProgram(program, count, options), HIPRTC_SUCCESS);
    SUCCEEDS(hipModuleGetFunction(&kernel, module_of(program), "set"));
    void *memory = device_allocation(sizeof value);
    SUCCEEDS(launch(kernel, 1, 1, 0, (void *[]){&memory}));
    SUCCEEDS(hipMemcpy(&value, memory, sizeof value, hipMemcpyDeviceToHost));
    cr_assert(eq(int, value, 64));
  }
}

// As daemons do.
Test(runtime_compiler, compiles_without_an_environment) {
  hiprtcProgram program = NULL;
  cr_assert(zero(int, clearenv()));
  expect(hiprtcCreateProgram(&program, "__global__ void nothing() {}\n", NULL, 0, NULL, NULL),
         HIPRTC_SUCCESS);
  expect(hiprtcCompileProgram(program, 0, NULL), HIPRTC_SUCCESS);
}
