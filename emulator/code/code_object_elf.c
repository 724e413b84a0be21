// The ELF file of a code object: checked, then laid out in device memory.
//
// In: the bytes of one AMDGPU ELF, from anywhere. Out: an ElfFile whose tables, sections and
// segments all lie within the bytes; its symbols and metadata note; its segments loaded and
// relocated. Format: LLVM AMDGPUUsage.rst, "ELF Code Object" (header flags, note, relocation
// records).
#include "code_object_elf.h"

#include "device_memory.h"
#include "parameters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { // AMDGPUUsage.rst, tables "AMDGPU ELF Header" and "AMDGPU ELF Note Records"
  OSABI_AMDGPU_HSA = 64,
  ABI_VERSION_V3 = 1,
  ABI_VERSION_V6 = 4,
  MACHINE_MASK = 0xff,
  NOTE_METADATA = 32,
};

// Names of the machine flags from MACHINE_FIRST on, AMDGPUUsage.rst "AMDGPU e_flags", LLVM 20.
static const char *const machines[] = {"gfx600",
                                       "gfx601",
                                       "gfx700",
                                       "gfx701",
                                       "gfx702",
                                       "gfx703",
                                       "gfx704",
                                       NULL,
                                       "gfx801",
                                       "gfx802",
                                       "gfx803",
                                       "gfx810",
                                       "gfx900",
                                       "gfx902",
                                       "gfx904",
                                       "gfx906",
                                       "gfx908",
                                       "gfx909",
                                       "gfx90c",
                                       "gfx1010",
                                       "gfx1011",
                                       "gfx1012",
                                       "gfx1030",
                                       "gfx1031",
                                       "gfx1032",
                                       "gfx1033",
                                       "gfx602",
                                       "gfx705",
                                       "gfx805",
                                       "gfx1035",
                                       "gfx1034",
                                       "gfx90a",
                                       "gfx940",
                                       "gfx1100",
                                       "gfx1013",
                                       "gfx1150",
                                       "gfx1103",
                                       "gfx1036",
                                       "gfx1101",
                                       "gfx1102",
                                       "gfx1200",
                                       NULL,
                                       "gfx1151",
                                       "gfx941",
                                       "gfx942",
                                       NULL,
                                       "gfx1201",
                                       "gfx950",
                                       NULL,
                                       "gfx9-generic",
                                       "gfx10-1-generic",
                                       "gfx10-3-generic",
                                       "gfx11-generic",
                                       "gfx1152",
                                       NULL,
                                       NULL,
                                       "gfx1153",
                                       "gfx12-generic",
                                       NULL,
                                       NULL,
                                       NULL,
                                       NULL,
                                       NULL,
                                       "gfx9-4-generic"};
enum { MACHINE_FIRST = 0x20 };

static const char *machine_name(uint32_t flag) {
  const uint32_t index = flag - MACHINE_FIRST;
  const bool known = index < sizeof machines / sizeof *machines && machines[index];
  return known ? machines[index] : "an unknown GPU";
}

// The file as far as it has been checked.
typedef struct {
  const uint8_t *bytes;
  size_t size;   // bytes that are there
  size_t extent; // bytes that the file's own tables reach
  GElf_Ehdr header;
} Outline;

// Notes that the file reaches over [offset, offset + size).
static bool reach(Outline *outline, uint64_t offset, uint64_t size, const char *what,
                  LoadError *error) {
  if (offset > outline->size || size > outline->size - offset)
    return load_error(error,
                      "The code object is cut off or corrupt: its %s spans %llu bytes from byte "
                      "%llu, but only %zu bytes are there.",
                      what, (unsigned long long)size, (unsigned long long)offset, outline->size);
  if (offset + size > outline->extent)
    outline->extent = offset + size;
  return true;
}

static bool runs_code_of(const Architecture *architecture, const char *target) {
  bool same = false;
  for (int i = 0; i < ARCHITECTURE_TARGETS && architecture->target[i]; i++)
    same = same || strcmp(architecture->target[i], target) == 0;
  return same;
}

static bool check_header(Outline *outline, LoadError *error) {
  const Architecture *architecture = parameters_device()->architecture;
  GElf_Ehdr *header = &outline->header;
  if (!reach(outline, 0, sizeof *header, "header", error))
    return false;
  memcpy(header, outline->bytes, sizeof *header);
  const uint8_t *ident = header->e_ident;
  if (memcmp(ident, ELFMAG, SELFMAG) || ident[EI_CLASS] != ELFCLASS64 ||
      ident[EI_DATA] != ELFDATA2LSB || ident[EI_VERSION] != EV_CURRENT)
    return load_error(
        error, "The code object's first 7 bytes are not those of a 64-bit little-endian ELF file.");
  if (header->e_machine != EM_AMDGPU) {
    error->no_binary = true;
    return load_error(error,
                      "The ELF file is for machine %u (byte 18), not for an AMD GPU (%u): compile "
                      "with hipcc --offload-arch=%s.",
                      header->e_machine, EM_AMDGPU, architecture->target[0]);
  }
  const uint32_t machine = header->e_flags & MACHINE_MASK;
  if (!runs_code_of(architecture, machine_name(machine))) {
    error->no_binary = true;
    return load_error(error,
                      "The code object is for %s (machine flag 0x%02x at byte 48), the emulated "
                      "device is %s: compile with %s.",
                      machine_name(machine), machine, architecture->target[0],
                      architecture->option);
  }
  if (ident[EI_OSABI] != OSABI_AMDGPU_HSA || ident[EI_ABIVERSION] < ABI_VERSION_V3 ||
      ident[EI_ABIVERSION] > ABI_VERSION_V6)
    return load_error(
        error,
        "The code object's ABI is %u.%u (bytes 7 and 8); the emulated device runs the HSA ABI, "
        "code object versions 3 to 6 (%u.%u to %u.%u): compile with -mcode-object-version=4.",
        ident[EI_OSABI], ident[EI_ABIVERSION], OSABI_AMDGPU_HSA, ABI_VERSION_V3, OSABI_AMDGPU_HSA,
        ABI_VERSION_V6);
  if (header->e_type != ET_DYN)
    return load_error(error,
                      "The code object is not linked (ELF type %u at byte 16 instead of %u): let "
                      "hipcc link it.",
                      header->e_type, ET_DYN);
  if (header->e_ehsize != sizeof(Elf64_Ehdr) || header->e_phentsize != sizeof(Elf64_Phdr) ||
      header->e_shentsize != sizeof(Elf64_Shdr) || header->e_phnum == 0 || header->e_shnum == 0)
    return load_error(error, "The code object's ELF header is corrupt: sizes and counts of its "
                             "tables at bytes 52 to 61 are wrong.");
  return true;
}

static bool check_tables(Outline *outline, LoadError *error) {
  const GElf_Ehdr *header = &outline->header;
  if (!reach(outline, header->e_phoff, (uint64_t)header->e_phnum * sizeof(Elf64_Phdr),
             "program header table", error) ||
      !reach(outline, header->e_shoff, (uint64_t)header->e_shnum * sizeof(Elf64_Shdr),
             "section header table", error))
    return false;
  char what[32];
  for (unsigned i = 0; i < header->e_phnum; i++) {
    Elf64_Phdr segment;
    memcpy(&segment, outline->bytes + header->e_phoff + i * sizeof segment, sizeof segment);
    snprintf(what, sizeof what, "segment %u", i);
    if (!reach(outline, segment.p_offset, segment.p_filesz, what, error))
      return false;
  }
  for (unsigned i = 1; i < header->e_shnum; i++) {
    Elf64_Shdr section;
    memcpy(&section, outline->bytes + header->e_shoff + i * sizeof section, sizeof section);
    snprintf(what, sizeof what, "section %u", i);
    if (section.sh_type != SHT_NOBITS &&
        !reach(outline, section.sh_offset, section.sh_size, what, error))
      return false;
  }
  return true;
}

static bool find_symbols(ElfFile *file, LoadError *error) {
  for (Elf_Scn *section = NULL; (section = elf_nextscn(file->elf, section));) {
    GElf_Shdr header;
    if (!gelf_getshdr(section, &header) || header.sh_type != SHT_DYNSYM)
      continue;
    file->symbols = elf_getdata(section, NULL);
    if (!file->symbols || file->symbols->d_type != ELF_T_SYM)
      return load_error(error,
                        "The code object is corrupt: its dynamic symbol table at byte %llu cannot "
                        "be read (%s).",
                        (unsigned long long)header.sh_offset, elf_errmsg(-1));
    file->symbol_count = file->symbols->d_size / sizeof(Elf64_Sym);
    file->names = header.sh_link;
    return true;
  }
  return load_error(error, "The code object is corrupt: it has no dynamic symbol table.");
}

bool elf_open(ElfFile *file, const uint8_t *bytes, size_t size, LoadError *error) {
  Outline outline = {.bytes = bytes, .size = size};
  *file = (ElfFile){0};
  if (!check_header(&outline, error) || !check_tables(&outline, error))
    return false;
  file->size = outline.extent;
  file->bytes = malloc(file->size);
  if (!file->bytes)
    return load_error(error, "No host memory is left for a code object of %zu bytes.", file->size);
  memcpy(file->bytes, bytes, file->size);
  elf_version(EV_CURRENT);
  file->elf = elf_memory((char *)file->bytes, file->size);
  bool good = file->elf ? find_symbols(file, error)
                        : load_error(error, "The code object cannot be read: %s.", elf_errmsg(-1));
  if (!good)
    elf_close(file);
  return good;
}

void elf_close(ElfFile *file) {
  elf_end(file->elf);
  free(file->bytes);
  *file = (ElfFile){0};
}

const char *elf_symbol(const ElfFile *file, size_t i, GElf_Sym *symbol) {
  if (i >= file->symbol_count || !gelf_getsym(file->symbols, (int)i, symbol))
    return NULL;
  return elf_strptr(file->elf, file->names, symbol->st_name);
}

static bool is_metadata(const GElf_Nhdr *note, const char *name) {
  static const char owner[] = "AMDGPU";
  return note->n_type == NOTE_METADATA && note->n_namesz == sizeof owner &&
         !memcmp(name, owner, sizeof owner);
}

bool elf_metadata(const ElfFile *file, ReadMetadata *read, CodeObject *object, LoadError *error) {
  bool found = false;
  for (Elf_Scn *section = NULL; (section = elf_nextscn(file->elf, section));) {
    GElf_Shdr header;
    Elf_Data *data;
    if (!gelf_getshdr(section, &header) || header.sh_type != SHT_NOTE ||
        !(data = elf_getdata(section, NULL)))
      continue;
    GElf_Nhdr note;
    size_t name, text;
    for (size_t at = 0; (at = gelf_getnote(data, at, &note, &name, &text)) > 0;) {
      const char *bytes = data->d_buf;
      if (!is_metadata(&note, bytes + name))
        continue;
      if (!read(bytes + text, note.n_descsz, object, error))
        return false;
      found = true;
    }
  }
  return found ||
         load_error(error,
                    "The code object is corrupt: it has no metadata note (owner AMDGPU, type %d).",
                    NOTE_METADATA);
}

// Bytes of memory that the segments span, from virtual address 0 on.
static bool measure_image(const ElfFile *file, CodeObject *object, LoadError *error) {
  GElf_Phdr segment;
  for (int i = 0; gelf_getphdr(file->elf, i, &segment); i++) {
    if (segment.p_type != PT_LOAD)
      continue;
    const uint64_t end = segment.p_vaddr + segment.p_memsz;
    if (end < segment.p_vaddr || segment.p_filesz > segment.p_memsz)
      return load_error(error,
                        "The code object is corrupt: segment %d has %llu bytes in the file and "
                        "%llu in memory at address 0x%llx.",
                        i, (unsigned long long)segment.p_filesz,
                        (unsigned long long)segment.p_memsz, (unsigned long long)segment.p_vaddr);
    if (end > object->image_size)
      object->image_size = end;
  }
  return object->image_size > 0 ||
         load_error(error, "The code object is corrupt: it has nothing to load.");
}

static bool load_segments(const ElfFile *file, CodeObject *object, LoadError *error) {
  void *image;
  if (!measure_image(file, object, error))
    return false;
  if (device_memory_allocate(object->image_size, MEMORY_CODE, 0, &image) != MEMORY_OK)
    return load_error(error,
                      "The code object needs %llu bytes of device memory, more than there are.",
                      (unsigned long long)object->image_size);
  object->image = image;
  GElf_Phdr segment;
  for (int i = 0; gelf_getphdr(file->elf, i, &segment); i++) {
    if (segment.p_type != PT_LOAD)
      continue;
    memcpy(object->image + segment.p_vaddr, file->bytes + segment.p_offset, segment.p_filesz);
    if (segment.p_flags & PF_X && object->text_size == 0) {
      object->text_address = (uint64_t)object->image + segment.p_vaddr;
      object->text_size = segment.p_filesz; // behind what the file has is no code
    }
  }
  return true;
}

// Relocation types, AMDGPUUsage.rst "Relocation Records". A width in bytes marks those that ROCm's
// loader resolves at load time; the linker resolves the others.
static const struct {
  const char *name;
  unsigned width;
} relocations[] = {
    {"R_AMDGPU_NONE", 0},          {"R_AMDGPU_ABS32_LO", 4},   {"R_AMDGPU_ABS32_HI", 4},
    {"R_AMDGPU_ABS64", 8},         {"R_AMDGPU_REL32", 0},      {"R_AMDGPU_REL64", 0},
    {"R_AMDGPU_ABS32", 0},         {"R_AMDGPU_GOTPCREL", 0},   {"R_AMDGPU_GOTPCREL32_LO", 0},
    {"R_AMDGPU_GOTPCREL32_HI", 0}, {"R_AMDGPU_REL32_LO", 0},   {"R_AMDGPU_REL32_HI", 0},
    {"type 12, unassigned", 0},    {"R_AMDGPU_RELATIVE64", 8}, {"R_AMDGPU_REL16", 0},
};
enum { ABS32_HI = 2, RELATIVE64 = 13 };

// Loaded address of symbol i. A weak symbol that nobody defines is at 0.
static bool symbol_address(const ElfFile *file, const CodeObject *object, size_t i,
                           uint64_t *address, LoadError *error) {
  GElf_Sym symbol;
  const char *name = elf_symbol(file, i, &symbol);
  *address = 0;
  if (name && symbol.st_shndx != SHN_UNDEF) {
    *address = symbol.st_value + (symbol.st_shndx == SHN_ABS ? 0 : (uint64_t)object->image);
    return true;
  }
  return (name && GELF_ST_BIND(symbol.st_info) == STB_WEAK) ||
         load_error(error,
                    "The code object refers to %s, which it does not define: link the definition "
                    "into the same program.",
                    name ? name : "a symbol without a valid name");
}

static bool relocate(const ElfFile *file, CodeObject *object, const GElf_Rela *rela,
                     LoadError *error) {
  const uint64_t type = GELF_R_TYPE(rela->r_info), offset = rela->r_offset;
  const bool known = type < sizeof relocations / sizeof *relocations;
  const unsigned width = known ? relocations[type].width : 0;
  if (width == 0)
    return load_error(error,
                      "The code object needs relocation %llu (%s) at load time, which ROCm's "
                      "loader does not do either.",
                      (unsigned long long)type, known ? relocations[type].name : "unassigned");
  if (offset > object->image_size || width > object->image_size - offset)
    return load_error(
        error,
        "The code object is corrupt: a relocation at address 0x%llx lies outside its %llu bytes.",
        (unsigned long long)offset, (unsigned long long)object->image_size);
  uint64_t value = (uint64_t)object->image;
  if (type != RELATIVE64 && !symbol_address(file, object, GELF_R_SYM(rela->r_info), &value, error))
    return false;
  value += (uint64_t)rela->r_addend;
  if (type == ABS32_HI)
    value >>= 32;
  memcpy(object->image + offset, &value, width);
  return true;
}

static bool relocate_all(const ElfFile *file, CodeObject *object, LoadError *error) {
  for (Elf_Scn *section = NULL; (section = elf_nextscn(file->elf, section));) {
    GElf_Shdr header;
    if (!gelf_getshdr(section, &header) || header.sh_type != SHT_RELA ||
        !(header.sh_flags & SHF_ALLOC))
      continue;
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Rela rela;
    for (int i = 0; data && gelf_getrela(data, i, &rela); i++)
      if (!relocate(file, object, &rela, error))
        return false;
  }
  return true;
}

bool elf_load(const ElfFile *file, CodeObject *object, LoadError *error) {
  return load_segments(file, object, error) && relocate_all(file, object, error);
}
