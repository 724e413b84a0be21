// Source lines: see code_object_lines.h.
#include "code_object_lines.h"

#include "code_object_elf.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct SourceLines {
  ElfFile file;
  Dwarf *dwarf;
} SourceLines;

SourceLines *lines_open(ElfFile *file) {
  SourceLines *lines = malloc(sizeof *lines);
  Dwarf *dwarf = lines ? dwarf_begin_elf(file->elf, DWARF_C_READ, NULL) : NULL;
  if (!dwarf) {
    free(lines);
    elf_close(file);
    return NULL;
  }
  *lines = (SourceLines){*file, dwarf};
  return lines;
}

void lines_close(SourceLines *lines) {
  if (!lines)
    return;
  dwarf_end(lines->dwarf);
  elf_close(&lines->file);
  free(lines);
}

// The row of one compilation unit's table that covers address (as in the ELF file), or NULL.
static Dwarf_Line *row_for(Dwarf_Lines *rows, size_t count, Dwarf_Addr address) {
  for (size_t i = 0; i + 1 < count; i++) {
    Dwarf_Line *row = dwarf_onesrcline(rows, i), *next = dwarf_onesrcline(rows, i + 1);
    Dwarf_Addr begin, end;
    bool gap;
    if (row && next && !dwarf_lineaddr(row, &begin) && !dwarf_lineaddr(next, &end) &&
        begin <= address && address < end && !dwarf_lineendsequence(row, &gap) && !gap)
      return row;
  }
  return NULL;
}

static bool in_system_header(const char *file) { return strncmp(file, "/usr/", 5) == 0; }

static bool number_of(Dwarf_Die *die, unsigned name, Dwarf_Word *value) {
  Dwarf_Attribute attribute;
  return dwarf_attr(die, name, &attribute) && dwarf_formudata(&attribute, value) == 0;
}

// Code of a system header (atomicAdd, __syncthreads) was inlined into somebody's line: that one is
// worth naming. Replaces the position by the innermost call site outside system headers.
static void leave_system_headers(Dwarf_Die *unit, Dwarf_Addr address, const char **file,
                                 int *line) {
  Dwarf_Die *innermost = NULL, *scopes = NULL;
  Dwarf_Files *files;
  // Behind the innermost come the scopes of the function that was inlined; those of its callers enclose it.
  const bool known = dwarf_getscopes(unit, address, &innermost) > 0;
  const int count = known ? dwarf_getscopes_die(innermost, &scopes) : 0;
  if (count > 0 && dwarf_getsrcfiles(unit, &files, NULL) == 0)
    for (int i = 0; i < count && in_system_header(*file); i++) {
      Dwarf_Word number, call_line;
      const char *call_file = NULL;
      if (dwarf_tag(&scopes[i]) == DW_TAG_inlined_subroutine &&
          number_of(&scopes[i], DW_AT_call_file, &number) &&
          number_of(&scopes[i], DW_AT_call_line, &call_line))
        call_file = dwarf_filesrc(files, number, NULL, NULL);
      if (call_file) {
        *file = call_file;
        *line = (int)call_line;
      }
    }
  free(scopes);
  free(innermost);
}

bool code_object_line(CodeObject *object, uint64_t address, const char **file, int *line) {
  static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER; // libdw fills caches
  SourceLines *lines = object->lines;
  if (!lines || address < object->text_address ||
      address - object->text_address >= object->text_size)
    return false;
  bool found = false;
  pthread_mutex_lock(&one_at_a_time);
  Dwarf_CU *unit = NULL;
  Dwarf_Die die;
  while (!found && !dwarf_get_units(lines->dwarf, unit, &unit, NULL, NULL, &die, NULL)) {
    Dwarf_Lines *rows;
    size_t count;
    if (dwarf_getsrclines(&die, &rows, &count))
      continue;
    Dwarf_Line *row = row_for(rows, count, address - (uint64_t)object->image);
    const char *source = row ? dwarf_linesrc(row, NULL, NULL) : NULL;
    int number = 0; // stays 0 where the compiler made the instruction up
    found = source && !dwarf_lineno(row, &number) && number > 0;
    if (found) {
      *file = source;
      *line = number;
      leave_system_headers(&die, address - (uint64_t)object->image, file, line);
    }
  }
  pthread_mutex_unlock(&one_at_a_time);
  return found;
}
