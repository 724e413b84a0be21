// Source lines of instructions: see source_line.h.
#include "source_line.h"

#include "code_object_lines.h"

#include <stdio.h>
#include <string.h>

static bool own_line(CodeObject *object, uint64_t address, const char **file, int *line) {
  return code_object_line(object, address, file, line) && !strstr(*file, "/amd_detail/");
}

bool source_line(const Program *program, const Kernel *kernel, const Instruction *in, char *text,
                 size_t size) {
  enum { FARTHEST = 64 * 4 };
  const uint64_t address = program_address(program, in);
  CodeObject *object = program_object(program, in);
  const char *file;
  int line;
  uint64_t back = 0;
  while (back < FARTHEST && address - back > kernel->entry &&
         !own_line(object, address - back, &file, &line))
    back += 4;
  bool known = own_line(object, address - back, &file, &line);
  if (!known) { // that of HIP's header says more than none
    known = code_object_line(object, address, &file, &line);
    back = 0;
  }
  if (known)
    snprintf(text, size, "%s:%d%s", file, line, back ? " or near it" : "");
  else
    snprintf(text, size, "an unknown line (%s)", in->info ? in->info->mnemonic : "unknown code");
  return known;
}
