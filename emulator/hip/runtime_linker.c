// Code that is linked while the program runs: hiprtcLink* of ROCm 5.3 and later, hipLink* of 6.4 and later.
//
// In: bitcode, as hiprtcGetBitcode or hipcc -fgpu-rdc gives it, from memory or files. Out: a code object for
// hipModuleLoadData (linker_process.h). Codes: hipamd hiprtc.cpp, hip_module.cpp.
#define _GNU_SOURCE
#include "handle.h"
#include "linker_process.h"
#include "parameters.h"
#include "runtime.h"

#include <hip/hiprtc.h>
#include <stdlib.h>
#include <string.h>

// What is asked of the linker. The numbers are those of hiprtcJIT_option and hipJitOption.
typedef enum {
  OPTION_INFO_LOG = 3,
  OPTION_ERROR_LOG = 5,
  OPTION_ERROR_LOG_SIZE = 6,
  OPTION_SYMBOL_NAMES = 17,
  OPTION_SYMBOL_ADDRESSES = 18,
  OPTION_LAST_OF_CUDA = 29,
  OPTION_CODE_GENERATION = 10000,
  OPTION_CODE_GENERATION_COUNT = 10001
} LinkOption;

typedef struct {
  LinkerInput *inputs, **end;
  const char *const *options; // of code generation: the program's
  size_t option_count;
  char *error_log;
  size_t error_log_size;
} Linking;

static Linking *live(void *state) { return handle_live(HANDLE_LINKING, state) ? state : NULL; }

static bool take_option(Linking *linking, LinkOption option, void *value) {
  switch (option) {
  case OPTION_INFO_LOG:
  case OPTION_SYMBOL_NAMES:
  case OPTION_SYMBOL_ADDRESSES:
    return value;
  case OPTION_ERROR_LOG:
    linking->error_log = value;
    return value;
  case OPTION_ERROR_LOG_SIZE:
    linking->error_log_size = (size_t)value;
    return true;
  case OPTION_CODE_GENERATION:
    linking->options = value;
    return value;
  case OPTION_CODE_GENERATION_COUNT:
    linking->option_count = (size_t)value;
    return true;
  default: // changes nothing in ROCm
    return true;
  }
}

typedef enum { LINK_DONE, LINK_NO_MEMORY, LINK_WRONG_OPTION } LinkBegin;

static LinkBegin begin(unsigned count, const int *options, void *const *values, void **state) {
  Linking *linking = calloc(1, sizeof *linking);
  if (!linking)
    return LINK_NO_MEMORY;
  linking->end = &linking->inputs;
  bool right = true;
  for (unsigned i = 0; i < count && right; i++)
    right = take_option(linking, (LinkOption)options[i], values[i]);
  linking->option_count = linking->options ? linking->option_count : 0;
  if (right && handle_add(HANDLE_LINKING, linking)) {
    *state = linking;
    return LINK_DONE;
  }
  free(linking);
  return right ? LINK_NO_MEMORY : LINK_WRONG_OPTION;
}

static bool add(Linking *linking, int type, const void *bytes, size_t size) {
  if (type != LINKER_BITCODE && type != LINKER_BUNDLE && type != LINKER_ARCHIVE) {
    runtime_say(
        "inputs are LLVM bitcode, bundles of it or archives of bundles; %s cannot be linked "
        "here.",
        type == LINKER_SPIRV ? "SPIR-V" : "other ones");
    return false;
  }
  LinkerInput *input = calloc(1, sizeof *input);
  char *copy = malloc(size + 1);
  if (!input || !copy) {
    free(input);
    free(copy);
    return false;
  }
  memcpy(copy, bytes, size);
  copy[size] = 0;
  *input = (LinkerInput){.type = (LinkerInputType)type, .bytes = {copy, size}};
  *linking->end = input;
  linking->end = &input->next;
  return true;
}

static bool add_file(Linking *linking, int type, const char *path) {
  Bytes bytes = {0};
  if (!path || !tool_read(path, &bytes) || !bytes.size) {
    runtime_say("%s cannot be read.", path ? path : "a file without a name");
    free(bytes.bytes);
    return false;
  }
  const bool added = add(linking, type, bytes.bytes, bytes.size);
  free(bytes.bytes);
  return added;
}

// The code stays when the linking is destroyed, as in ROCm: programs load it then.
static bool finish(const Linking *linking, void **code, size_t *size) {
  Bytes object, log;
  if (!linking->inputs) {
    runtime_say("nothing was added that could be linked.");
    return false;
  }
  const CompilerResult result = linker_run(linking->inputs, compiler_device(), linking->options,
                                           linking->option_count, &object, &log);
  const char *words = log.bytes ? log.bytes : "no memory for the linker's words.";
  if (result != COMPILER_DONE)
    runtime_say("%s", words);
  if (linking->error_log && linking->error_log_size) {
    const size_t length = result == COMPILER_DONE ? 0 : strnlen(words, linking->error_log_size - 1);
    memcpy(linking->error_log, words, length);
    linking->error_log[length] = 0;
  }
  free(log.bytes);
  if (result != COMPILER_DONE)
    return false;
  *code = object.bytes;
  *size = object.size;
  return true;
}

static void destroy(Linking *linking) {
  handle_remove(HANDLE_LINKING, linking);
  for (LinkerInput *input = linking->inputs, *next; input; input = next) {
    next = input->next;
    free(input->bytes.bytes);
    free(input);
  }
  free(linking);
}

static bool of_cuda(int type) { return type < LINKER_BITCODE; }

// ---- hiprtc ----

enum { RTC_ERROR_LINKING = 100 };

// Calls need no device, and work while one does.
#define SERVE_LINKER(BODY)                                                                         \
  do {                                                                                             \
    runtime_enter(__func__, CALL_NEEDS_NOTHING);                                                   \
    const hiprtcResult result_ = (hiprtcResult)(BODY);                                             \
    runtime_leave(CALL_NEEDS_NOTHING, hipSuccess);                                                 \
    return result_;                                                                                \
  } while (0)

EXPORT hiprtcResult hiprtcLinkCreate(unsigned count, int *options, void **values, void **state);
EXPORT hiprtcResult hiprtcLinkAddFile(void *state, int type, const char *path, unsigned count,
                                      int *options, void **values);
EXPORT hiprtcResult hiprtcLinkAddData(void *state, int type, void *image, size_t size,
                                      const char *name, unsigned count, int *options,
                                      void **values);
EXPORT hiprtcResult hiprtcLinkComplete(void *state, void **code, size_t *size);
EXPORT hiprtcResult hiprtcLinkDestroy(void *state);

static hiprtcResult rtc_begin(unsigned count, const int *options, void *const *values,
                              void **state) {
  static const hiprtcResult result[] = {[LINK_DONE] = HIPRTC_SUCCESS,
                                        [LINK_NO_MEMORY] = HIPRTC_ERROR_OUT_OF_MEMORY,
                                        [LINK_WRONG_OPTION] = HIPRTC_ERROR_INVALID_OPTION};
  if (!state || (count && (!options || !values)))
    return HIPRTC_ERROR_INVALID_INPUT;
  return result[begin(count, options, values, state)];
}

static hiprtcResult rtc_destroy(void *state) {
  if (state && !live(state))
    return HIPRTC_ERROR_INVALID_INPUT;
  if (state)
    destroy(state);
  return HIPRTC_SUCCESS;
}

// libhiprtc.so has them under hip_5.3, libamdhip64.so under hip_4.2.
#define OF_RUNTIME(NAME)                                                                           \
  EXPORT extern __typeof__(NAME) NAME##_of_runtime                                                 \
      __attribute__((alias(#NAME), symver(#NAME "@hip_4.2")))
OF_RUNTIME(hiprtcLinkCreate);
OF_RUNTIME(hiprtcLinkAddFile);
OF_RUNTIME(hiprtcLinkAddData);
OF_RUNTIME(hiprtcLinkComplete);
OF_RUNTIME(hiprtcLinkDestroy);

hiprtcResult hiprtcLinkCreate(unsigned count, int *options, void **values, void **state) {
  SERVE_LINKER(rtc_begin(count, options, values, state));
}
hiprtcResult hiprtcLinkAddFile(void *state, int type, const char *path, unsigned count,
                               int *options, void **values) {
  (void)count, (void)options, (void)values; // as in ROCm
  SERVE_LINKER(!live(state) || of_cuda(type)       ? HIPRTC_ERROR_INVALID_INPUT
               : add_file(live(state), type, path) ? HIPRTC_SUCCESS
                                                   : HIPRTC_ERROR_PROGRAM_CREATION_FAILURE);
}
hiprtcResult hiprtcLinkAddData(void *state, int type, void *image, size_t size, const char *name,
                               unsigned count, int *options, void **values) {
  (void)name, (void)count, (void)options, (void)values;
  SERVE_LINKER(!image || !size || !live(state) || of_cuda(type) ? HIPRTC_ERROR_INVALID_INPUT
               : add(live(state), type, image, size)            ? HIPRTC_SUCCESS
                                                     : HIPRTC_ERROR_PROGRAM_CREATION_FAILURE);
}
hiprtcResult hiprtcLinkComplete(void *state, void **code, size_t *size) {
  SERVE_LINKER(!code || !size || !live(state)    ? (int)HIPRTC_ERROR_INVALID_INPUT
               : finish(live(state), code, size) ? (int)HIPRTC_SUCCESS
                                                 : RTC_ERROR_LINKING);
}
hiprtcResult hiprtcLinkDestroy(void *state) { SERVE_LINKER(rtc_destroy(state)); }

// ---- the same among the driver's calls ----

EXPORT hipError_t hipLinkCreate(unsigned count, int *options, void **values, void **state);
EXPORT hipError_t hipLinkAddFile(void *state, int type, const char *path, unsigned count,
                                 int *options, void **values);
EXPORT hipError_t hipLinkAddData(void *state, int type, void *image, size_t size, const char *name,
                                 unsigned count, int *options, void **values);
EXPORT hipError_t hipLinkComplete(void *state, void **code, size_t *size);
EXPORT hipError_t hipLinkDestroy(void *state);

static hipError_t driver_begin(unsigned count, const int *options, void *const *values,
                               void **state) {
  static const hipError_t result[] = {[LINK_DONE] = hipSuccess,
                                      [LINK_NO_MEMORY] = hipErrorOutOfMemory,
                                      [LINK_WRONG_OPTION] = hipErrorInvalidConfiguration};
  if (!state || (count && (!options || !values)))
    return hipErrorInvalidValue;
  for (unsigned i = 0; i < count; i++)
    if (options[i] <= OPTION_LAST_OF_CUDA)
      return hipErrorInvalidValue;
  return result[begin(count, options, values, state)];
}

static hipError_t driver_destroy(void *state) {
  if (!live(state))
    return hipErrorInvalidValue;
  destroy(state);
  return hipSuccess;
}

hipError_t hipLinkCreate(unsigned count, int *options, void **values, void **state) {
  SERVE(driver_begin(count, options, values, state));
}
hipError_t hipLinkAddFile(void *state, int type, const char *path, unsigned count, int *options,
                          void **values) {
  (void)count, (void)options, (void)values;
  SERVE(!state                              ? hipErrorInvalidHandle
        : !live(state) || of_cuda(type)     ? hipErrorInvalidValue
        : add_file(live(state), type, path) ? hipSuccess
                                            : hipErrorInvalidConfiguration);
}
hipError_t hipLinkAddData(void *state, int type, void *image, size_t size, const char *name,
                          unsigned count, int *options, void **values) {
  (void)name, (void)count, (void)options, (void)values;
  SERVE(!image || !size                       ? hipErrorInvalidImage
        : of_cuda(type)                       ? hipErrorInvalidValue
        : !live(state)                        ? hipErrorInvalidHandle
        : add(live(state), type, image, size) ? hipSuccess
                                              : hipErrorInvalidConfiguration);
}
hipError_t hipLinkComplete(void *state, void **code, size_t *size) {
  SERVE(!code || !size || !live(state)    ? hipErrorInvalidValue
        : finish(live(state), code, size) ? hipSuccess
                                          : hipErrorInvalidConfiguration);
}
hipError_t hipLinkDestroy(void *state) { SERVE(driver_destroy(state)); }
