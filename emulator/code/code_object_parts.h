// The steps of loading a code object, one file each; private to code_object*.c.
//
//   bytes -> bundle_find_gfx90a -> elf_open -> elf_load, metadata_read -> Kernel and DeviceVariable
//
// Every step checks all that it reads against the bytes that are there. A step that cannot go on
// returns false with a sentence in the LoadError.
#ifndef EMULATOR_CODE_OBJECT_PARTS_H
#define EMULATOR_CODE_OBJECT_PARTS_H

#include <gelf.h>

#include "code_object.h"

typedef struct {
  char *text; // size bytes
  size_t size;
  bool no_binary; // well-formed, but not for gfx90a
} LoadError;

// Writes the sentence and returns false, so that a failing step can `return load_error(...)`.
bool load_error(LoadError *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Finds the ELF of gfx90a in an offload bundle; a bare ELF is returned as it is. *elf_size may
// reach beyond the ELF's own end, never beyond bytes + size.
bool bundle_find_gfx90a(const uint8_t *bytes, size_t size, const uint8_t **elf, size_t *elf_size,
                        LoadError *error);

typedef struct {
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

// The MessagePack of the AMDGPU metadata note.
bool elf_metadata(const ElfFile *file, const char **bytes, size_t *size, LoadError *error);

// Lays the segments out in device memory and applies the relocations: fills image, image_size,
// text_address and text_size.
bool elf_load(const ElfFile *file, CodeObject *object, LoadError *error);

// Fills object->kernels with all that the metadata says of them.
bool metadata_read(const char *bytes, size_t size, CodeObject *object, LoadError *error);

// Line tables. Takes the file over and returns it in a new handle; NULL, with the file closed, if
// it has none.
void *lines_open(ElfFile *file);
void lines_close(void *lines);

#endif
