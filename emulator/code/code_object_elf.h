// The ELF file of a code object: checked, then laid out in device memory.
#ifndef EMULATOR_CODE_OBJECT_ELF_H
#define EMULATOR_CODE_OBJECT_ELF_H

#include "code_object.h"
#include "code_object_error.h"

#include <gelf.h>

typedef struct ElfFile {
  uint8_t *bytes; // our own copy, so the caller's may go
  size_t size;
  Elf *elf;
  Elf_Data *symbols; // .dynsym
  size_t symbol_count;
  size_t names; // index of the section with the symbols' names
} ElfFile;

// Checks header, tables, sections and segments and copies the file. On failure nothing is left to
// close.
bool elf_open(ElfFile *file, const uint8_t *bytes, size_t size, LoadError *error);
void elf_close(ElfFile *file);

// Name of dynamic symbol i, or NULL if its name is broken.
const char *elf_symbol(const ElfFile *file, size_t i, GElf_Sym *symbol);

// Has the MessagePack of each AMDGPU metadata note read, of which there is one for each object that was linked (as of the
// kernels in assembly of rocBLAS); false if there is none, or one cannot be read.
typedef bool ReadMetadata(const char *bytes, size_t size, CodeObject *object, LoadError *error);
bool elf_metadata(const ElfFile *file, ReadMetadata *read, CodeObject *object, LoadError *error);

// Lays the segments out in device memory and applies the relocations: fills image, image_size,
// text_address and text_size.
bool elf_load(const ElfFile *file, CodeObject *object, LoadError *error);

#endif
