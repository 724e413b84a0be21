// hipcc as a program: see compiler_process.h.
#define _GNU_SOURCE
#include "compiler_process.h"

#include "parameters.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *compiler_name(void) {
  return getenv("HIPCC") && *getenv("HIPCC") ? getenv("HIPCC") : "hipcc";
}

CompilerResult compiler_missing(Bytes *log) {
  tool_say(log, "hipcc cannot be run; put it into PATH, or its path into HIPCC");
  return COMPILER_MISSING;
}

int compiler_look(const char *device, const char *folder, const char *said) {
  char option[64];
  snprintf(option, sizeof option, "--offload-arch=%s", device);
  const char *const arguments[] = {
      compiler_name(), option, "--cuda-device-only", "-c", "-###", "-x", "hip", "/dev/null", NULL};
  return tool_run(arguments, folder, said);
}

static bool knows_device(const char *name) {
  char folder[TOOL_FOLDER], said[TOOL_PATH];
  Bytes log = {0};
  if (!tool_folder_make(folder, &log)) {
    free(log.bytes);
    return false;
  }
  tool_path(said, folder, "log");
  const int status = compiler_look(name, folder, said);
  tool_folder_remove(folder);
  return status == 0;
}

static const char *device_name;
static void find_device_name(void) {
  const Architecture *architecture = parameters_device()->architecture;
  const char *own = architecture->target[0], *old = architecture->cpu;
  device_name = strcmp(own, old) && knows_device(own) ? own : old;
}

const char *compiler_device(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, find_device_name);
  return device_name;
}

// The options of the program come behind ours, those of the output last.
static const char **arguments_of(const char *const *fixed, size_t fixed_count,
                                 const char *const *options, size_t option_count,
                                 CompilerOutput output) {
  static const char *const of_bitcode[] = {"--cuda-device-only", "-c", "-emit-llvm"};
  enum { MOST = sizeof of_bitcode / sizeof *of_bitcode };
  const char **arguments = calloc(fixed_count + option_count + MOST + 1, sizeof *arguments);
  if (!arguments)
    return NULL;
  memcpy(arguments, fixed, fixed_count * sizeof *fixed);
  if (option_count)
    memcpy(arguments + fixed_count, options, option_count * sizeof *options);
  if (output == COMPILER_BITCODE)
    memcpy(arguments + fixed_count + option_count, of_bitcode, sizeof of_bitcode);
  else
    arguments[fixed_count + option_count] = "--genco";
  return arguments;
}

// Apart from each other and from what the compiler writes: a header may have any name but the source's.
#define SOURCE "source/hiprtc-source.hip"
#define HEADERS "headers"

static CompilerResult compile(const char *folder, const char *const *options, size_t option_count,
                              CompilerOutput output, Bytes *code, Bytes *log) {
  char source[TOOL_PATH], object[TOOL_PATH], said[TOOL_PATH], headers[TOOL_PATH];
  const char *const fixed[] = {compiler_name(),
                               "-x",
                               "hip",
                               "-std=c++14",
                               "-O3",
                               "-D__HIPCC_RTC__",
                               "-include",
                               "hip/hip_runtime.h",
                               "-I",
                               headers,
                               "-o",
                               object,
                               source};
  const char **arguments =
      arguments_of(fixed, sizeof fixed / sizeof *fixed, options, option_count, output);
  tool_path(source, folder, SOURCE);
  tool_path(object, folder, "code");
  tool_path(said, folder, "log");
  tool_path(headers, folder, HEADERS);
  if (!arguments)
    return COMPILER_MISSING;
  const int status = tool_run(arguments, folder, said);
  free(arguments);
  if (status < 0 || !tool_read(said, log))
    return compiler_missing(log);
  return status == 0 && tool_read(object, code) ? COMPILER_DONE : COMPILER_REFUSED;
}

CompilerResult compiler_run(const char *source, const SourceFile *headers, size_t header_count,
                            const char *const *options, size_t option_count, CompilerOutput output,
                            Bytes *code, Bytes *log) {
  char folder[TOOL_FOLDER], inside[TOOL_PATH];
  *code = *log = (Bytes){0};
  if (!tool_folder_make(folder, log))
    return COMPILER_MISSING;
  tool_path(inside, folder, HEADERS);
  bool written = mkdir(inside, 0700) == 0 && tool_write(folder, SOURCE, source, strlen(source));
  for (size_t i = 0; i < header_count && written; i++)
    written = tool_write(inside, headers[i].name, headers[i].text, strlen(headers[i].text));
  CompilerResult result = COMPILER_MISSING;
  if (written)
    result = compile(folder, options, option_count, output, code, log);
  else
    tool_say(log, "source or headers cannot be written; a header's name must stay in its folder");
  tool_folder_remove(folder);
  return result;
}
