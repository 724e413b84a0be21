// LLVM's tools as programs: see linker_process.h. What hipcc would run for a device it tells when it is asked
// with -###: clang, beside which the other tools lie, and the device's libraries.
#define _GNU_SOURCE
#include "linker_process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LIBRARIES = 32 };
typedef struct {
  char folder[TOOL_FOLDER]; // all files of this run
  char said[TOOL_PATH];     // what the last program said
  char *words;              // of hipcc, which the pointers below point into
  const char *clang;
  const char *library[MOST_LIBRARIES];
  size_t libraries;
} Linker;

// The next word in quotes; *place goes behind it.
static char *next_quoted(char **place) {
  char *begin = strchr(*place, '"'), *end = begin ? strchr(begin + 1, '"') : NULL;
  if (!end)
    return NULL;
  *end = 0;
  *place = end + 1;
  return begin + 1;
}

static void understand(Linker *linker) {
  char *place = linker->words, *word, *before = NULL;
  while ((word = next_quoted(&place))) {
    if (before && strcmp(word, "-cc1") == 0)
      linker->clang = before;
    if (before && strcmp(before, "-mlink-builtin-bitcode") == 0 &&
        linker->libraries < MOST_LIBRARIES)
      linker->library[linker->libraries++] = word;
    before = word;
  }
}

static CompilerResult find_tools(Linker *linker, const char *cpu, Bytes *log) {
  Bytes words = {0};
  tool_path(linker->said, linker->folder, "log");
  const int status = compiler_look(cpu, linker->folder, linker->said);
  if (status < 0 || status == 127 || !tool_read(linker->said, &words))
    return compiler_missing(log);
  linker->words = words.bytes;
  understand(linker);
  return linker->clang && strrchr(linker->clang, '/') ? COMPILER_DONE : compiler_missing(log);
}

static CompilerResult begin(Linker *linker, const char *cpu, Bytes *log) {
  *linker = (Linker){0};
  if (!tool_folder_make(linker->folder, log))
    return COMPILER_MISSING;
  const CompilerResult result = find_tools(linker, cpu, log);
  if (result != COMPILER_DONE) {
    tool_folder_remove(linker->folder);
    free(linker->words);
  }
  return result;
}

static void end(Linker *linker, Bytes *log) {
  if (!log->bytes)
    tool_read(linker->said, log);
  tool_folder_remove(linker->folder);
  free(linker->words);
}

// arguments[0] is the name of a tool that lies beside clang.
static CompilerResult run_tool(Linker *linker, const char **arguments, Bytes *log) {
  char tool[TOOL_PATH];
  const char *name = arguments[0];
  snprintf(tool, sizeof tool, "%.*s/%s", (int)(strrchr(linker->clang, '/') - linker->clang),
           linker->clang, name);
  arguments[0] = tool;
  const int status = tool_run(arguments, linker->folder, linker->said);
  if (status >= 0 && status != 127)
    return status == 0 ? COMPILER_DONE : COMPILER_REFUSED;
  tool_say(log, tool);
  return COMPILER_MISSING;
}

// Writes the input, and takes the device's part out of a bundle. `path` gets the file to be linked.
static CompilerResult place_input(Linker *linker, const LinkerInput *input, unsigned number,
                                  const char *cpu, char path[TOOL_PATH], Bytes *log) {
  char name[24], part[24], from[TOOL_PATH + 16], to[TOOL_PATH + 16], target[96];
  const char *kind = input->type == LINKER_ARCHIVE ? "a" : "bc";
  snprintf(name, sizeof name, "%u.%s", number, kind);
  snprintf(part, sizeof part, "part-%u.%s", number, kind);
  tool_path(path, linker->folder, name);
  if (!tool_write(linker->folder, name, input->bytes.bytes, input->bytes.size)) {
    tool_say(log, path);
    return COMPILER_MISSING;
  }
  if (input->type == LINKER_BITCODE)
    return COMPILER_DONE;
  snprintf(from, sizeof from, "--input=%s", path);
  tool_path(path, linker->folder, part);
  snprintf(to, sizeof to, "--output=%s", path);
  snprintf(target, sizeof target, "--targets=hip-amdgcn-amd-amdhsa--%s", cpu);
  return run_tool(linker,
                  (const char *[]){"clang-offload-bundler", "--unbundle",
                                   input->type == LINKER_ARCHIVE ? "--type=a" : "--type=bc", target,
                                   from, to, NULL},
                  log);
}

// All inputs become one file.
static CompilerResult link_inputs(Linker *linker, const LinkerInput *inputs, const char *cpu,
                                  const char *linked, Bytes *log) {
  size_t count = 0;
  for (const LinkerInput *input = inputs; input; input = input->next)
    count++;
  char(*path)[TOOL_PATH] = calloc(count, sizeof *path);
  const char **arguments = calloc(count + 4, sizeof *arguments);
  CompilerResult result = path && arguments ? COMPILER_DONE : COMPILER_MISSING;
  unsigned number = 0;
  for (const LinkerInput *input = inputs; input && result == COMPILER_DONE; input = input->next) {
    result = place_input(linker, input, number, cpu, path[number], log);
    arguments[3 + number] = path[number];
    number++;
  }
  if (result == COMPILER_DONE) {
    arguments[0] = "llvm-link";
    arguments[1] = "-o";
    arguments[2] = linked;
    result = run_tool(linker, arguments, log);
  }
  free(arguments);
  free(path);
  return result;
}

// What the device's libraries have of what is missing, each for this code object alone.
static CompilerResult add_libraries(Linker *linker, const char *linked, const char *whole,
                                    Bytes *log) {
  const char *arguments[MOST_LIBRARIES + 7] = {"llvm-link",     linked, "--internalize",
                                               "--only-needed", "-o",   whole};
  memcpy(arguments + 6, linker->library, linker->libraries * sizeof *linker->library);
  return run_tool(linker, arguments, log);
}

// With the options that hipcc has for code generation: no calls of functions.
static CompilerResult generate(Linker *linker, const char *whole, const char *object,
                               const char *cpu, const char *const *options, size_t option_count,
                               Bytes *log) {
  char device[64];
  snprintf(device, sizeof device, "-mcpu=%s", cpu);
  const char *const fixed[] = {"clang",
                               "-target",
                               "amdgcn-amd-amdhsa",
                               device,
                               "-nogpulib",
                               "-O3",
                               "-mllvm",
                               "-amdgpu-early-inline-all=true",
                               "-mllvm",
                               "-amdgpu-function-calls=false",
                               "-Wl,--no-undefined",
                               "-x",
                               "ir",
                               whole,
                               "-o",
                               object};
  enum { FIXED = sizeof fixed / sizeof *fixed };
  const char **arguments = calloc(FIXED + option_count + 1, sizeof *arguments);
  if (!arguments)
    return COMPILER_MISSING;
  memcpy(arguments, fixed, sizeof fixed);
  if (option_count)
    memcpy(arguments + FIXED, options, option_count * sizeof *options);
  const CompilerResult result = run_tool(linker, arguments, log);
  free(arguments);
  return result;
}

CompilerResult linker_run(const LinkerInput *inputs, const char *cpu, const char *const *options,
                          size_t option_count, Bytes *code, Bytes *log) {
  Linker linker;
  char linked[TOOL_PATH], whole[TOOL_PATH], object[TOOL_PATH];
  *code = *log = (Bytes){0};
  CompilerResult result = begin(&linker, cpu, log);
  if (result != COMPILER_DONE)
    return result;
  tool_path(linked, linker.folder, "linked");
  tool_path(whole, linker.folder, "whole");
  tool_path(object, linker.folder, "code");
  result = link_inputs(&linker, inputs, cpu, linked, log);
  if (result == COMPILER_DONE)
    result = add_libraries(&linker, linked, whole, log);
  if (result == COMPILER_DONE)
    result = generate(&linker, whole, object, cpu, options, option_count, log);
  if (result == COMPILER_DONE && !tool_read(object, code))
    result = COMPILER_REFUSED;
  end(&linker, log);
  return result;
}

// ---- what bitcode names ----

CompilerResult linker_disassemble(const Bytes *bitcode, const char *cpu, Bytes *assembly,
                                  Bytes *log) {
  Linker linker;
  char from[TOOL_PATH], to[TOOL_PATH];
  *assembly = (Bytes){0};
  CompilerResult result = begin(&linker, cpu, log);
  if (result != COMPILER_DONE)
    return result;
  tool_path(from, linker.folder, "in");
  tool_path(to, linker.folder, "out");
  result = COMPILER_MISSING;
  if (tool_write(linker.folder, "in", bitcode->bytes, bitcode->size))
    result = run_tool(&linker, (const char *[]){"llvm-dis", from, "-o", to, NULL}, log);
  if (result == COMPILER_DONE && !tool_read(to, assembly))
    result = COMPILER_REFUSED;
  end(&linker, log);
  return result;
}

// The last name on the variable's line: what stands before it are its type and casts.
char *linker_pointed_to(const Bytes *assembly, const char *variable) {
  char begin[64];
  snprintf(begin, sizeof begin, "\n@%s = ", variable);
  const char *line = strstr(assembly->bytes, begin);
  if (!line)
    return NULL;
  line += strlen(begin);
  const char *name = memrchr(line, '@', strcspn(line, "\n"));
  if (!name++)
    return NULL;
  return *name == '"' ? strndup(name + 1, strcspn(name + 1, "\"\n"))
                      : strndup(name, strcspn(name, " ,)\n"));
}
