// Source lines: which line of the program an instruction came from.
//
// In: a code object built with -gline-tables-only or -g. Out: file and line of an instruction
// address. The tables are decoded at the first question, which is normally a fault, so loading
// stays quick.
#include <elfutils/libdw.h>
#include <pthread.h>
#include <stdlib.h>

#include "code_object_parts.h"

typedef struct {
  ElfFile file;
  Dwarf *dwarf;
} Lines;

void *lines_open(ElfFile *file) {
  Lines *lines = malloc(sizeof *lines);
  Dwarf *dwarf = lines ? dwarf_begin_elf(file->elf, DWARF_C_READ, NULL) : NULL;
  if (!dwarf) {
    free(lines);
    elf_close(file);
    return NULL;
  }
  *lines = (Lines){*file, dwarf};
  return lines;
}

void lines_close(void *handle) {
  Lines *lines = handle;
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

bool code_object_line(CodeObject *object, uint64_t address, const char **file, int *line) {
  static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER; // libdw fills caches
  Lines *lines = object->debug_lines;
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
    *file = row ? dwarf_linesrc(row, NULL, NULL) : NULL;
    found = *file && !dwarf_lineno(row, line) && *line > 0; // 0: made up by the compiler
  }
  pthread_mutex_unlock(&one_at_a_time);
  return found;
}
