// Which instructions are missing: every mnemonic that LLVM's disassembler can print for an
// architecture has a row of the instruction table, or stands in missing.txt.
//
// In: missing.txt; every opcode of every encoding, with many operands. Out: what neither knows, what is
// said to be missing and is not, and counts that the README states otherwise.
#include "instruction_table.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 2048, NAME_SIZE = 64, VARIANTS = 60 };

typedef struct {
  char name[MOST][NAME_SIZE];
  size_t count;
} Names;

static bool has(const Names *names, const char *name) {
  for (size_t i = 0; i < names->count; i++)
    if (strcmp(names->name[i], name) == 0)
      return true;
  return false;
}

static void add(Names *names, const char *name) {
  if (has(names, name))
    return;
  cr_assert(lt(sz, names->count, MOST));
  snprintf(names->name[names->count++], NAME_SIZE, "%s", name);
}

// ---- what LLVM knows ----

// Encodings of gfx9: the bits that tell them, and where the opcode stands (LLVM, SIInstrFormats.td).
static const struct {
  uint32_t bits, mask;
  int first, width; // of the opcode
} encodings[] = {
    {0x80000000, 0xc0000000, 23, 7},  // SOP2
    {0xb0000000, 0xf0000000, 23, 5},  // SOPK
    {0xbe800000, 0xff800000, 8, 8},   // SOP1
    {0xbf000000, 0xff800000, 16, 7},  // SOPC
    {0xbf800000, 0xff800000, 16, 7},  // SOPP
    {0xc0000000, 0xfc000000, 18, 8},  // SMEM
    {0x00000000, 0x80000000, 25, 6},  // VOP2
    {0x7e000000, 0xfe000000, 9, 8},   // VOP1
    {0x7c000000, 0xfe000000, 17, 8},  // VOPC
    {0xd4000000, 0xfc000000, 16, 2},  // VINTRP
    {0xd0000000, 0xfc000000, 16, 10}, // VOP3
    {0xd3800000, 0xff800000, 16, 7},  // VOP3P
    {0xd8000000, 0xfc000000, 17, 8},  // DS
    {0xe0000000, 0xfc000000, 18, 7},  // MUBUF
    {0xe8000000, 0xfc000000, 15, 4},  // MTBUF
    {0xf0000000, 0xfc000000, 18, 7},  // MIMG
    {0xdc000000, 0xfc000000, 18, 7},  // FLAT
};

static uint64_t random_state = 1;
static uint32_t random_word(void) {
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(random_state >> 32);
}

static void add_mnemonic(Names *names, char *text) {
  static const char *const suffix[] = {"_e32", "_e64", "_dpp", "_sdwa"};
  char *name = text + strspn(text, "\t ");
  name[strcspn(name, " ")] = 0;
  for (size_t i = 0; i < sizeof suffix / sizeof *suffix; i++) {
    const size_t length = strlen(name), of_suffix = strlen(suffix[i]);
    if (length > of_suffix && strcmp(name + length - of_suffix, suffix[i]) == 0)
      name[length - of_suffix] = 0;
  }
  add(names, name);
}

// The first operands are all 0; then some have few bits set, as those of many registers must.
static void add_opcode(LLVMDisasmContextRef disassembler, uint32_t bits, uint32_t fixed,
                       Names *names) {
  enum { SDWA = 0xf9 }; // LLVM crashes on reserved ones; all its mnemonics have other forms
  for (int variant = 0; variant < VARIANTS; variant++) {
    const uint32_t few = variant % 3 ? 0x01fe02feu : ~0u;
    uint32_t word[5] = {bits | (variant ? random_word() & ~fixed : 0),
                        variant % 5 ? random_word() & few : 0};
    char text[512] = "";
    if (word[0] >> 31 == 0 && (word[0] & 0x1ff) == SDWA)
      continue;
    if (LLVMDisasmInstruction(disassembler, (uint8_t *)word, sizeof word, 0, text, sizeof text))
      add_mnemonic(names, text);
  }
}

static void all_mnemonics(const char *cpu, Names *names) {
  LLVMInitializeAMDGPUTargetInfo();
  LLVMInitializeAMDGPUTargetMC();
  LLVMInitializeAMDGPUDisassembler();
  LLVMDisasmContextRef disassembler =
      LLVMCreateDisasmCPU("amdgcn-amd-amdhsa", cpu, NULL, 0, NULL, NULL);
  cr_assert(ne(ptr, disassembler, NULL));
  for (size_t e = 0; e < sizeof encodings / sizeof *encodings; e++)
    for (uint32_t opcode = 0; opcode >> encodings[e].width == 0; opcode++) {
      const uint32_t at = opcode << encodings[e].first, all = ((1u << encodings[e].width) - 1)
                                                              << encodings[e].first;
      add_opcode(disassembler, encodings[e].bits | at, encodings[e].mask | all, names);
    }
  LLVMDisasmDispose(disassembler);
}

// ---- what is said to be missing ----

// Lines "target target | group", then lines of mnemonics that begin with a blank.
static void read_missing(const char *target, Names *names) {
  FILE *file = fopen("tests/emulator/missing.txt", "r");
  char line[1024];
  bool ours = false;
  cr_assert(ne(ptr, file, NULL), "tests run in the repository's root");
  while (fgets(line, sizeof line, file)) {
    line[strcspn(line, "\n")] = 0;
    if (line[0] == '#')
      continue;
    if (line[0] != ' ') {
      line[strcspn(line, "|")] = 0;
      ours = strstr(line, target) != NULL;
      continue;
    }
    for (char *name = strtok(line, " "); ours && name; name = strtok(NULL, " "))
      add(names, name);
  }
  fclose(file);
}

static void check_readme(const char *sentence) {
  static char text[1 << 17];
  FILE *file = fopen("emulator/README.md", "r");
  cr_assert(ne(ptr, file, NULL));
  text[fread(text, 1, sizeof text - 1, file)] = 0;
  fclose(file);
  cr_assert(ne(ptr, strstr(text, sentence), NULL), "emulator/README.md should say: %s", sentence);
}

static void check(const char *target, const char *cpu) {
  static Names known, missing;
  char sentence[128];
  size_t executed = 0, wrong = 0;
  all_mnemonics(cpu, &known);
  read_missing(target, &missing);
  for (size_t i = 0; i < known.count; i++) {
    const bool has_row = instruction_find(known.name[i]) != NULL;
    executed += has_row;
    if (has_row != has(&missing, known.name[i]))
      continue;
    fprintf(stderr, "%s: %s %s\n", target, known.name[i],
            has_row ? "has a row, but stands in missing.txt" : "has no row");
    wrong++;
  }
  for (size_t i = 0; i < missing.count; i++)
    if (!has(&known, missing.name[i])) {
      fprintf(stderr, "%s: missing.txt names %s, which LLVM does not know\n", target,
              missing.name[i]);
      wrong++;
    }
  cr_assert(zero(sz, wrong), "of %zu mnemonics", known.count);
  snprintf(sentence, sizeof sentence, "%zu of %zu for %s", executed, known.count, target);
  check_readme(sentence);
}

Test(coverage, gfx90a) { check("gfx90a", "gfx90a"); }
Test(coverage, gfx942) { check("gfx942", "gfx940"); } // as LLVM 15 calls it
Test(coverage, gfx908) { check("gfx908", "gfx908"); }
