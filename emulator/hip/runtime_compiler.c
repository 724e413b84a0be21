// hiprtc: code that is compiled while the program runs, by hipcc (compiler_process.h).
//
// In: source, headers, options, and expressions that name kernels or variables. Out: a code object for
// hipModuleLoadData, or with -fgpu-rdc bitcode for runtime_linker.c; the compiler's words, the names in
// them. Codes: hipamd hiprtc.cpp.
#define _GNU_SOURCE
#include "compiler_process.h"
#include "handle.h"
#include "linker_process.h"
#include "loaded_object.h"
#include "parameters.h"
#include "runtime.h"

#include <hip/hip_version.h>
#include <hip/hiprtc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  char *expression, *lowered;
} Name;

struct _hiprtcProgram {
  char *source, *file;
  SourceFile *headers;
  size_t header_count;
  Name *names;
  size_t name_count;
  Bytes code, bitcode, log;
  bool compiled;
};

// Calls need no device, and work while one does.
#define SERVE_COMPILER(BODY)                                                                       \
  do {                                                                                             \
    runtime_enter(__func__, CALL_NEEDS_NOTHING);                                                   \
    const hiprtcResult result_ = (BODY);                                                           \
    runtime_leave(CALL_NEEDS_NOTHING, hipSuccess);                                                 \
    return result_;                                                                                \
  } while (0)

static bool live(hiprtcProgram program) { return handle_live(HANDLE_COMPILATION, program); }

static void free_program(hiprtcProgram program) {
  for (size_t i = 0; i < program->header_count; i++) {
    free((char *)program->headers[i].name);
    free((char *)program->headers[i].text);
  }
  for (size_t i = 0; i < program->name_count; i++) {
    free(program->names[i].expression);
    free(program->names[i].lowered);
  }
  free(program->headers);
  free(program->names);
  free(program->source);
  free(program->file);
  free(program->code.bytes);
  free(program->bitcode.bytes);
  free(program->log.bytes);
  free(program);
}

static hiprtcResult create(hiprtcProgram *target, const char *source, const char *file, int headers,
                           const char **texts, const char **names) {
  if (!target || !source)
    return HIPRTC_ERROR_INVALID_PROGRAM;
  if (headers < 0 || (headers && (!texts || !names)))
    return HIPRTC_ERROR_INVALID_INPUT;
  for (int i = 0; i < headers; i++)
    if (!texts[i] || !names[i])
      return HIPRTC_ERROR_INVALID_INPUT;
  hiprtcProgram program = calloc(1, sizeof *program);
  if (!program)
    return HIPRTC_ERROR_OUT_OF_MEMORY;
  program->source = strdup(source);
  program->file = strdup(file && *file ? file : "program.cu");
  program->headers = calloc((size_t)headers + 1, sizeof *program->headers);
  for (int i = 0; program->headers && i < headers; i++)
    program->headers[program->header_count++] = (SourceFile){strdup(names[i]), strdup(texts[i])};
  if (!program->source || !program->file || !program->headers ||
      !handle_add(HANDLE_COMPILATION, program)) {
    free_program(program);
    return HIPRTC_ERROR_OUT_OF_MEMORY;
  }
  *target = program;
  return HIPRTC_SUCCESS;
}

static hiprtcResult destroy(hiprtcProgram *program) {
  if (!program)
    return HIPRTC_ERROR_INVALID_INPUT;
  if (!*program)
    return HIPRTC_SUCCESS;
  if (!handle_remove(HANDLE_COMPILATION, *program))
    return HIPRTC_ERROR_INVALID_PROGRAM;
  free_program(*program);
  *program = NULL;
  return HIPRTC_SUCCESS;
}

static hiprtcResult add_name(hiprtcProgram program, const char *expression) {
  if (!live(program) || !expression)
    return HIPRTC_ERROR_INVALID_INPUT;
  if (program->compiled)
    return HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
  Name *grown = realloc(program->names, (program->name_count + 1) * sizeof *grown);
  if (!grown)
    return HIPRTC_ERROR_OUT_OF_MEMORY;
  program->names = grown;
  grown[program->name_count++] = (Name){strdup(expression), NULL};
  return HIPRTC_SUCCESS;
}

// ---- names ----

// What ROCm's hiprtc knows without a header, as far as the installed HIP has it. hip_bfloat16.h of ROCm
// 5.2, which is not yet in two files, is none for hiprtc: its C++ headers contradict hip_runtime.h here.
#define INCLUDE(HEADER)                                                                            \
  "#if __has_include(<hip/" HEADER ">)\n"                                                          \
  "#include <hip/" HEADER ">\n"                                                                    \
  "#endif\n"
#define BUILT_IN                                                                                   \
  "#if HIP_VERSION < 50300000\n"                                                                   \
  "#include <hip/amd_detail/amd_warp_functions.h>\n"                                               \
  "typedef __PTRDIFF_TYPE__ ptrdiff_t;\n"                                                          \
  "#endif\n" INCLUDE("hip_fp16.h") INCLUDE("amd_detail/amd_hip_bfloat16.h")                        \
      INCLUDE("amd_detail/amd_hip_unsafe_atomics.h") INCLUDE("hip_math_constants.h")

// Only for programs that say these words: with hip_complex.h of ROCm 5.2 the product of two float2 is
// another one, and a program can have no operators of its own for them. The header of cooperative groups
// there lacks an assert, and must pass over a C++ header that it does not need.
static const struct {
  const char *word, *text;
} built_in_if_said[] = {
    {"hipComplex", INCLUDE("hip_complex.h")},
    {"hipFloatComplex", INCLUDE("hip_complex.h")},
    {"hipDoubleComplex", INCLUDE("hip_complex.h")},
    {"cooperative_groups", "#if HIP_VERSION < 50300000\n"
                           "#pragma push_macro(\"assert\")\n"
                           "#undef assert\n"
                           "#define assert(condition) ((condition) ? (void)0 : __builtin_trap())\n"
                           "#define _GLIBCXX_BITSET 1\n"
                           "#include <hip/hip_cooperative_groups.h>\n"
                           "#undef _GLIBCXX_BITSET\n"
                           "#pragma pop_macro(\"assert\")\n"
                           "#endif\n" INCLUDE("hip_cooperative_groups.h")},
};

static bool any_contains(const char *const *options, size_t count, const char *part) {
  for (size_t i = 0; i < count; i++)
    if (strstr(options[i], part))
      return true;
  return false;
}

static bool says(hiprtcProgram program, const char *const *options, size_t count,
                 const char *word) {
  bool said = strstr(program->source, word) || any_contains(options, count, word);
  for (size_t i = 0; i < program->header_count; i++)
    said = said || strstr(program->headers[i].text, word);
  for (size_t i = 0; i < program->name_count; i++)
    said = said || strstr(program->names[i].expression, word);
  return said;
}

static void put_built_in(FILE *out, hiprtcProgram program, const char *const *options,
                         size_t count) {
  fputs(BUILT_IN, out);
  for (size_t i = 0; i < sizeof built_in_if_said / sizeof *built_in_if_said; i++)
    if (says(program, options, count, built_in_if_said[i].word))
      fputs(built_in_if_said[i].text, out);
}

// A name of a file, as a string of C has it.
static void put_name(FILE *out, const char *name) {
  for (; *name; name++) {
    if (*name == '"' || *name == '\\')
      fputc('\\', out);
    fputc(*name == '\n' ? ' ' : *name, out);
  }
}

// The source, and a variable for each expression that points to what it names: templates are so made,
// and the object tells the name. It is weak, as programs that are linked may have one each.
static char *whole_source(hiprtcProgram program, const char *const *options, size_t count) {
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  if (!out)
    return NULL;
  put_built_in(out, program, options, count);
  fputs("#line 1 \"", out);
  put_name(out, program->file);
  fprintf(out, "\"\n%s\n", program->source);
  for (size_t i = 0; i < program->name_count; i++)
    fprintf(out,
            "#line 1 \"expression of hiprtcAddNameExpression\"\n"
            "extern \"C\" __device__ __attribute__((weak)) const void *hiprtc_name_%zu = "
            "(const void *)(%s);\n",
            i, program->names[i].expression);
  return fclose(out) == 0 ? text : NULL;
}

static const char *name_at(const CodeObject *object, uint64_t address) {
  for (size_t i = 0; i < object->kernel_count; i++)
    if (object->kernels[i].entry == address)
      return object->kernels[i].symbol;
  for (size_t i = 0; i < object->variable_count; i++)
    if (object->variables[i].address == address)
      return object->variables[i].symbol;
  return NULL;
}

static hiprtcResult find_names(hiprtcProgram program) {
  hipError_t error;
  CodeObject *object = loaded_object_open(program->code.bytes, program->code.size, &error);
  if (!object)
    return HIPRTC_ERROR_INTERNAL_ERROR;
  bool found = true;
  for (size_t i = 0; i < program->name_count; i++) {
    char pointer[40];
    snprintf(pointer, sizeof pointer, "hiprtc_name_%zu", i);
    const DeviceVariable *variable = code_object_variable(object, pointer);
    const char *name = variable ? name_at(object, *(const uint64_t *)variable->address) : NULL;
    found = found && name;
    free(program->names[i].lowered);
    program->names[i].lowered = name ? strdup(name) : NULL;
  }
  loaded_object_close(object);
  return found ? HIPRTC_SUCCESS : HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
}

static hiprtcResult find_names_of_bitcode(hiprtcProgram program) {
  Bytes assembly = {0}, log = {0};
  bool found =
      linker_disassemble(&program->bitcode, compiler_device(), &assembly, &log) == COMPILER_DONE;
  if (!found)
    runtime_say("%s", log.bytes ? log.bytes : "no memory for the compiler's words.");
  for (size_t i = 0; i < program->name_count && assembly.bytes; i++) {
    char pointer[40];
    snprintf(pointer, sizeof pointer, "hiprtc_name_%zu", i);
    free(program->names[i].lowered);
    program->names[i].lowered = linker_pointed_to(&assembly, pointer);
    found = found && program->names[i].lowered;
  }
  free(assembly.bytes);
  free(log.bytes);
  return found ? HIPRTC_SUCCESS : HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
}

// ---- compiling ----

// How many options from here on change nothing in ROCm's hiprtc, whose headers and device libraries are built in, and which
// links nothing. hipcc would do without those, one of another year does not know all of them, and what it tells LLVM by itself it
// must not be told twice.
static int change_nothing(const char *const *options, int count) {
  static const char *const idle[] = {"",          "-nocudainc", "-nocudalib",
                                     "-nogpuinc", "-nogpulib",  "-flegacy-pass-manager",
                                     "-hip-pch",  "-lineinfo"};
  static const char *const of_llvm[] = {"-amdgpu-early-inline-all=true",
                                        "-amdgpu-function-calls=false"};
  for (size_t i = 0; i < sizeof idle / sizeof *idle; i++)
    if (strcmp(options[0], idle[i]) == 0)
      return 1;
  for (size_t i = 0; i < sizeof of_llvm / sizeof *of_llvm; i++)
    if (count > 1 && strcmp(options[0], "-mllvm") == 0 && options[1] &&
        strcmp(options[1] + (strncmp(options[1], "--", 2) == 0), of_llvm[i]) == 0)
      return 2;
  return strncmp(options[0], "-l", 2) == 0 || strncmp(options[0], "-Wl,", 4) == 0;
}

// "-I folder" in one piece, which hipcc would take for a folder that begins with a space.
static const char *without_gap(const char *option) {
  static const char include[] = "-I ";
  const bool gap = strncmp(option, include, sizeof include - 1) == 0;
  return gap ? option + sizeof include - 1 + strspn(option + sizeof include - 1, " ") : NULL;
}

#define TEXT(VALUE) #VALUE
#define TEXT_OF(MACRO) TEXT(MACRO)
static const struct {
  const char *name, *option;
} versions[] = {
    {"HIP_VERSION_MAJOR", "-DHIP_VERSION_MAJOR=" TEXT_OF(HIP_VERSION_MAJOR)},
    {"HIP_VERSION_MINOR", "-DHIP_VERSION_MINOR=" TEXT_OF(HIP_VERSION_MINOR)},
    {"HIP_VERSION_PATCH", "-DHIP_VERSION_PATCH=" TEXT_OF(HIP_VERSION_PATCH)},
};
enum { VERSIONS = sizeof versions / sizeof *versions };

// As ROCm's hiprtc tells it: clang's header for kernels comes before HIP's, and has no malloc for them
// unless the version is known. What the program says of it holds.
static void add_version(const char **chosen, size_t *count) {
  const size_t given = *count;
  for (size_t i = 0; i < VERSIONS; i++)
    if (!any_contains(chosen, given, versions[i].name))
      chosen[(*count)++] = versions[i].option;
}

// A device by one of its names, as hipcc knows it, with what follows the name.
enum { DEVICE_OPTION = 96 };
static void name_device(char option[DEVICE_OPTION], const char *asked) {
  const size_t length = strcspn(asked, ":");
  const Architecture *own = parameters_device()->architecture;
  const char *name = asked;
  for (int i = 0; i < ARCHITECTURE_TARGETS && own->target[i]; i++)
    if (strlen(own->target[i]) == length && strncmp(own->target[i], asked, length) == 0)
      name = compiler_device();
  snprintf(option, DEVICE_OPTION, "--offload-arch=%.*s%s", name == asked ? (int)length : 32, name,
           asked + length);
}

// Options are hipcc's, but for one by which NVIDIA's compiler names the device.
static hiprtcResult choose_options(const char **chosen, size_t *count, int given,
                                   const char *const *options) {
  static const char nvidia[] = "--gpu-architecture=", amd[] = "--offload-arch=";
  enum { MOST_DEVICES = 8 };
  static char translated[MOST_DEVICES][DEVICE_OPTION];
  int devices = 0;
  *count = 0;
  for (int i = 0; i < given; i++) {
    if (!options[i])
      return HIPRTC_ERROR_INVALID_OPTION;
    const int idle = change_nothing(options + i, given - i);
    if (idle) {
      i += idle - 1;
      continue;
    }
    const size_t words = strncmp(options[i], nvidia, sizeof nvidia - 1) == 0 ? sizeof nvidia - 1
                         : strncmp(options[i], amd, sizeof amd - 1) == 0     ? sizeof amd - 1
                                                                             : 0;
    if (words && devices == MOST_DEVICES)
      return HIPRTC_ERROR_INVALID_OPTION;
    if (words)
      name_device(translated[devices++], options[i] + words);
    if (without_gap(options[i]))
      chosen[(*count)++] = "-I";
    chosen[(*count)++] = words                     ? translated[devices - 1]
                         : without_gap(options[i]) ? without_gap(options[i])
                                                   : options[i];
  }
  if (!devices) {
    static char own[32];
    snprintf(own, sizeof own, "--offload-arch=%s", compiler_device());
    chosen[(*count)++] = own;
  }
  add_version(chosen, count);
  return HIPRTC_SUCCESS;
}

// To be linked with others.
static bool is_separate(const char *const *options, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (strcmp(options[i], "-fgpu-rdc") == 0)
      return true;
  return false;
}

// As with "-mllvm -print-after=PASS". ROCm's LLVM is in the process, so this goes to the program's stderr.
static bool ask_llvm_to_print(const char *const *options, size_t count) {
  for (size_t i = 1; i < count; i++)
    if (strcmp(options[i - 1], "-mllvm") == 0 &&
        strncmp(options[i] + strspn(options[i], "-"), "print-", 6) == 0)
      return true;
  return false;
}

// Code that is compiled ahead for others is not loaded here, so it cannot be asked for its names.
static bool is_for_another_device(const char *const *options, size_t count) {
  static const char arch[] = "--offload-arch=";
  const char *own = compiler_device();
  for (size_t i = 0; i < count; i++)
    if (strncmp(options[i], arch, sizeof arch - 1) == 0 &&
        strncmp(options[i] + sizeof arch - 1, own, strlen(own)) != 0)
      return true;
  return false;
}

static hiprtcResult find_names_ahead(hiprtcProgram program, const char *source,
                                     const char *const *options, size_t count) {
  hiprtcResult result = HIPRTC_ERROR_COMPILATION;
  free(program->log.bytes); // says the same again, or what is wrong
  program->log = (Bytes){0};
  if (compiler_run(source, program->headers, program->header_count, options, count,
                   COMPILER_BITCODE, &program->bitcode, &program->log) == COMPILER_DONE)
    result = find_names_of_bitcode(program);
  free(program->bitcode.bytes);
  program->bitcode = (Bytes){0};
  return result;
}

static hiprtcResult compile_with(hiprtcProgram program, const char *const *options, size_t count) {
  char *source = whole_source(program, options, count);
  if (!source)
    return HIPRTC_ERROR_OUT_OF_MEMORY;
  free(program->code.bytes);
  free(program->bitcode.bytes);
  free(program->log.bytes);
  program->code = program->bitcode = (Bytes){0};
  const bool separate = is_separate(options, count);
  const CompilerResult result =
      compiler_run(source, program->headers, program->header_count, options, count,
                   separate ? COMPILER_BITCODE : COMPILER_CODE,
                   separate ? &program->bitcode : &program->code, &program->log);
  if (result == COMPILER_MISSING)
    runtime_say("%s",
                program->log.bytes ? program->log.bytes : "no memory for the compiler's words.");
  else if (ask_llvm_to_print(options, count))
    fwrite(program->log.bytes, 1, program->log.size, stderr);
  program->compiled = result == COMPILER_DONE;
  const hiprtcResult names = !program->compiled     ? HIPRTC_ERROR_COMPILATION
                             : !program->name_count ? HIPRTC_SUCCESS
                             : separate             ? find_names_of_bitcode(program)
                             : is_for_another_device(options, count)
                                 ? find_names_ahead(program, source, options, count)
                                 : find_names(program);
  free(source);
  return names;
}

static hiprtcResult compile(hiprtcProgram program, int given, const char *const *options) {
  if (!live(program))
    return HIPRTC_ERROR_INVALID_PROGRAM;
  if (given < 0 || (given && !options))
    return HIPRTC_ERROR_INVALID_INPUT;
  const char **chosen = calloc(2 * (size_t)given + 1 + VERSIONS, sizeof *chosen);
  size_t count = 0;
  hiprtcResult result =
      chosen ? choose_options(chosen, &count, given, options) : HIPRTC_ERROR_OUT_OF_MEMORY;
  if (result == HIPRTC_SUCCESS)
    result = compile_with(program, chosen, count);
  free(chosen);
  return result;
}

// ---- what came out ----

static hiprtcResult lowered_name(hiprtcProgram program, const char *expression, const char **name) {
  if (!live(program) || !expression || !name)
    return HIPRTC_ERROR_INVALID_INPUT;
  if (!program->compiled)
    return HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
  for (size_t i = 0; i < program->name_count; i++)
    if (strcmp(program->names[i].expression, expression) == 0 && program->names[i].lowered) {
      *name = program->names[i].lowered;
      return HIPRTC_SUCCESS;
    }
  return HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
}

static hiprtcResult size_of(hiprtcProgram program, size_t bytes, size_t *size) {
  if (!live(program) || !size)
    return HIPRTC_ERROR_INVALID_INPUT;
  *size = bytes;
  return HIPRTC_SUCCESS;
}

static hiprtcResult copy_of(hiprtcProgram program, const Bytes *bytes, size_t size, char *target) {
  if (!live(program) || !target)
    return HIPRTC_ERROR_INVALID_INPUT;
  if (bytes->bytes)
    memcpy(target, bytes->bytes, size);
  else if (size)
    *target = 0; // an empty text
  return HIPRTC_SUCCESS;
}

hiprtcResult hiprtcCreateProgram(hiprtcProgram *program, const char *source, const char *file,
                                 int headers, const char **texts, const char **names) {
  SERVE_COMPILER(create(program, source, file, headers, texts, names));
}
hiprtcResult hiprtcDestroyProgram(hiprtcProgram *program) { SERVE_COMPILER(destroy(program)); }
hiprtcResult hiprtcAddNameExpression(hiprtcProgram program, const char *expression) {
  SERVE_COMPILER(add_name(program, expression));
}
hiprtcResult hiprtcCompileProgram(hiprtcProgram program, int count, const char **options) {
  SERVE_COMPILER(compile(program, count, options));
}
hiprtcResult hiprtcGetLoweredName(hiprtcProgram program, const char *expression,
                                  const char **name) {
  SERVE_COMPILER(lowered_name(program, expression, name));
}
hiprtcResult hiprtcGetProgramLogSize(hiprtcProgram program, size_t *size) {
  SERVE_COMPILER(size_of(program, live(program) ? program->log.size + 1 : 0, size));
}
hiprtcResult hiprtcGetProgramLog(hiprtcProgram program, char *log) {
  SERVE_COMPILER(copy_of(program, &program->log, live(program) ? program->log.size + 1 : 0, log));
}
hiprtcResult hiprtcGetCodeSize(hiprtcProgram program, size_t *size) {
  SERVE_COMPILER(size_of(program, live(program) ? program->code.size : 0, size));
}
hiprtcResult hiprtcGetCode(hiprtcProgram program, char *code) {
  SERVE_COMPILER(copy_of(program, &program->code, live(program) ? program->code.size : 0, code));
}

// Of later releases.
EXPORT hiprtcResult hiprtcGetBitcodeSize(hiprtcProgram program, size_t *size);
EXPORT hiprtcResult hiprtcGetBitcode(hiprtcProgram program, char *bitcode);

static bool has_bitcode(hiprtcProgram program) { return live(program) && program->bitcode.size; }

hiprtcResult hiprtcGetBitcodeSize(hiprtcProgram program, size_t *size) {
  SERVE_COMPILER(!size                   ? HIPRTC_ERROR_INVALID_INPUT
                 : !has_bitcode(program) ? HIPRTC_ERROR_INVALID_PROGRAM
                                         : size_of(program, program->bitcode.size, size));
}
hiprtcResult hiprtcGetBitcode(hiprtcProgram program, char *bitcode) {
  SERVE_COMPILER(!bitcode ? HIPRTC_ERROR_INVALID_INPUT
                 : !has_bitcode(program)
                     ? HIPRTC_ERROR_INVALID_PROGRAM
                     : copy_of(program, &program->bitcode, program->bitcode.size, bitcode));
}

static hiprtcResult version(int *major, int *minor) {
  if (!major || !minor)
    return HIPRTC_ERROR_INVALID_INPUT;
  *major = 9; // as ROCm 5.2 says
  *minor = 0;
  return HIPRTC_SUCCESS;
}

hiprtcResult hiprtcVersion(int *major, int *minor) { SERVE_COMPILER(version(major, minor)); }

const char *hiprtcGetErrorString(hiprtcResult result) {
  static const char *const text[] = {
#define X(CODE) [CODE] = #CODE
      X(HIPRTC_SUCCESS),
      X(HIPRTC_ERROR_OUT_OF_MEMORY),
      X(HIPRTC_ERROR_PROGRAM_CREATION_FAILURE),
      X(HIPRTC_ERROR_INVALID_INPUT),
      X(HIPRTC_ERROR_INVALID_PROGRAM),
      X(HIPRTC_ERROR_INVALID_OPTION),
      X(HIPRTC_ERROR_COMPILATION),
      X(HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE),
      X(HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION),
      X(HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION),
      X(HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID),
      X(HIPRTC_ERROR_INTERNAL_ERROR)
#undef X
  };
  enum { LINKING = 100 }; // of later releases
  const unsigned code = (unsigned)result;
  if (code == LINKING)
    return "HIPRTC_ERROR_LINKING";
  return code < sizeof text / sizeof *text ? text[code] : "Invalid hiprtcResult code";
}
