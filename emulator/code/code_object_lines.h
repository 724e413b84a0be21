// Source lines: which line of the program an instruction came from.
//
// In: a code object built with -gline-tables-only or -g. Out: file and line of an instruction
// address. The tables are decoded at the first question, which is normally a fault, so loading
// stays quick.
#ifndef EMULATOR_CODE_OBJECT_LINES_H
#define EMULATOR_CODE_OBJECT_LINES_H

#include "code_object.h"

// Source position of a loaded instruction address; *file lasts until the unload. False without line
// tables, and for instructions that the compiler attributes to no line, such as those of the device
// library behind printf and malloc; *file and *line then stay as they are. May be called from
// several threads.
bool code_object_line(CodeObject *object, uint64_t address, const char **file, int *line);

struct ElfFile;
// Takes the file over; NULL, with the file closed, if it has no line tables.
struct SourceLines *lines_open(struct ElfFile *file);
void lines_close(struct SourceLines *lines); // NULL too

#endif
