// Golden tests of the instruction table: every row executes its cases, and decoder, table, LLVM's
// assembler and disassembler agree on each of them.
//
// In: golden/*.txt (see golden/casefile.py) and what llvm-mc made of them.
#include "golden_machine.h"
#include "golden_text.h"
#include "instruction_table.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SHOWN = 20 }; // differences reported per file

#define X(NAME)                                                                                    \
  Test(golden, NAME) {                                                                             \
    GoldenFile file = golden_read(#NAME);                                                          \
    GoldenMachine *machine = golden_machine_new(&file);                                            \
    size_t failed = 0;                                                                             \
    for (size_t i = 0; i < file.count && failed < SHOWN; i++)                                      \
      failed += !golden_run(machine, i);                                                           \
    size_t count = file.count;                                                                     \
    golden_machine_free(machine);                                                                  \
    golden_free(&file);                                                                            \
    cr_assert(zero(sz, failed), "of %zu cases", count);                                            \
  }
GOLDEN_FILES(X)
#undef X

// ---- decoder ----

static void check_decoding(const GoldenFile *file) {
  size_t failed = 0;
  for (size_t i = 0; i < file->count && failed < SHOWN; i++) {
    const GoldenCase *one = &file->cases[i];
    Instruction in;
    char message[512];
    bool good = decoder_decode(one->code, one->code_size, &in, message, sizeof message) &&
                golden_text_agrees(one->instruction, &in, message, sizeof message);
    if (good && in.words * 4u != one->code_size) {
      snprintf(message, sizeof message, "decoded as %d words", in.words);
      good = false;
    }
    if (!good)
      fprintf(stderr, "%s:%d: %s: %s\n", file->path, one->line, one->instruction, message);
    failed += !good;
  }
  cr_assert(zero(sz, failed), "of %zu instructions", file->count);
}

// Writes the disassembly of every case, assembles that, and compares the bytes.
static void check_reassembly(const GoldenFile *file, const char *cpu) {
  char source[] = "/tmp/golden-XXXXXX", listing[64], command[256];
  int descriptor = mkstemp(source);
  FILE *out = descriptor < 0 ? NULL : fdopen(descriptor, "w");
  if (!out)
    cr_fatal("cannot write to /tmp");
  for (size_t i = 0; i < file->count; i++) {
    char text[512];
    decoder_disassemble(file->cases[i].code, file->cases[i].code_size, text, sizeof text);
    fprintf(out, "%s\n", text);
  }
  fclose(out);
  snprintf(listing, sizeof listing, "%s.encoding", source);
  snprintf(command, sizeof command, "llvm-mc-15 -arch=amdgcn -mcpu=%s -show-encoding -o %s %s", cpu,
           listing, source);
  cr_assert(zero(int, system(command)), "%s", command);
  uint8_t(*code)[INSTRUCTION_BYTES] = calloc(file->count, sizeof *code);
  size_t *size = calloc(file->count, sizeof *size), failed = 0;
  cr_assert(eq(sz, golden_read_encodings(listing, code, size, file->count), file->count));
  unlink(source);
  unlink(listing);
  for (size_t i = 0; i < file->count && failed < SHOWN; i++) {
    const GoldenCase *one = &file->cases[i];
    if (size[i] == one->code_size && memcmp(code[i], one->code, one->code_size) == 0)
      continue;
    fprintf(stderr, "%s:%d: %s: disassembly assembles to other bytes\n", file->path, one->line,
            one->instruction);
    failed++;
  }
  free(code);
  free(size);
  cr_assert(zero(sz, failed), "of %zu instructions", file->count);
}

#define X(NAME)                                                                                    \
  Test(decoder, NAME) {                                                                            \
    GoldenFile file = golden_read(#NAME);                                                          \
    check_decoding(&file);                                                                         \
    golden_free(&file);                                                                            \
  }                                                                                                \
  Test(reassembly, NAME) {                                                                         \
    GoldenFile file = golden_read(#NAME);                                                          \
    check_reassembly(&file, golden_cpu(#NAME));                                                    \
    golden_free(&file);                                                                            \
  }
GOLDEN_FILES(X)
#undef X

// What LLVM knows and a row would ignore is refused.
Test(decoder, refuses_modifiers_that_the_row_does_not_serve) {
  static const uint8_t sad_clamp[] = {0x00, 0x80, 0xd9, 0xd1, 0x01, 0x05, 0x0e, 0x04};
  Instruction in;
  char message[512] = "";
  cr_assert(not(decoder_decode(sad_clamp, sizeof sad_clamp, &in, message, sizeof message)));
  cr_assert(ne(ptr, strstr(message, "v_sad_u8 with modifier clamp"), NULL), "%s", message);
}

// ---- completeness ----

// This process's decoder does not know the instructions of other devices.
static void mark_mnemonics(const char *name, bool *covered) {
  GoldenFile file = golden_read(name);
  for (size_t i = 0; i < file.count; i++)
    for (size_t row = 0; row < instruction_count(); row++)
      covered[row] |= golden_text_names(file.cases[i].instruction, instruction_at(row)->mnemonic);
  golden_free(&file);
}

static void mark_rows(const char *name, bool *covered) {
  if (golden_of_another_device(name)) {
    mark_mnemonics(name, covered);
    return;
  }
  GoldenFile file = golden_read(name);
  for (size_t i = 0; i < file.count; i++) {
    Instruction in;
    char message[512];
    if (!decoder_decode(file.cases[i].code, file.cases[i].code_size, &in, message, sizeof message))
      continue; // the decoder's own test says so
    for (size_t row = 0; row < instruction_count(); row++)
      covered[row] |= instruction_at(row) == in.info;
  }
  golden_free(&file);
}

Test(golden, every_row_of_the_table_has_a_case) {
  bool *covered = calloc(instruction_count(), sizeof *covered);
#define X(NAME) mark_rows(#NAME, covered);
  GOLDEN_FILES(X)
#undef X
  size_t missing = 0;
  for (size_t row = 0; row < instruction_count(); row++)
    if (!covered[row]) {
      fprintf(stderr, "no golden case for %s\n", instruction_at(row)->mnemonic);
      missing++;
    }
  free(covered);
  cr_assert(zero(sz, missing), "of %zu rows; add them to tests/emulator/golden/*.py",
            instruction_count());
}

Test(golden, files_are_what_the_reference_models_say) {
  cr_assert(zero(int, system("python3 tests/emulator/golden/generate.py --check")));
}
