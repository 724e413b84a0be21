// Translated code against the interpreter: every golden case, and random blocks of instructions.
//
// In: golden/*.txt. Out: the cases hold for machine code, too; after a block both engines have left
// the same registers, counts and trace; and with EMULATOR_SANITIZE=1 the same sentence, or the same registers,
// memory and undefined bits.
#include "block.h"
#include "decoder.h"
#include "defined_memory.h"
#include "device_memory.h"
#include "golden_machine.h"
#include "jit.h"
#include "lane_function.h"
#include "run.h"
#include "shadow.h"
#include "translator.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 20 }; // differences reported per file

// The first run has the interpreter, and makes the block; the second runs that.
#define X(NAME)                                                                                    \
  Test(translated, NAME) {                                                                         \
    GoldenFile file = golden_read(#NAME);                                                          \
    GoldenMachine *machine = golden_machine_new(&file);                                            \
    machine->thread.hot = 1;                                                                       \
    size_t failed = 0;                                                                             \
    for (size_t i = 0; i < file.count && failed < SHOWN; i++)                                      \
      failed += !golden_run(machine, i) || !golden_run(machine, i);                                \
    size_t count = file.count;                                                                     \
    golden_machine_free(machine);                                                                  \
    golden_free(&file);                                                                            \
    cr_assert(zero(sz, failed), "of %zu cases", count);                                            \
  }
GOLDEN_FILES(X)
#undef X

// ---- random blocks ----

#ifdef __SANITIZE_ADDRESS__
enum { PART = 4 }; // of the blocks: the other build has compared what they compute
#else
enum { PART = 1 };
#endif

enum {
  BLOCKS = 100 / PART,
  FULL_BLOCKS = 3 * BLOCKS, // by make test FULL=1
  CHAINS = 100 / PART,
  WAYS_TRIED = 2 * CHAINS,
  LENGTH = 24,
  PASSES = 12,
  MAX_TRACE = 256
};

// What a block leaves behind.
typedef struct {
  uint32_t vgpr[512][LANES], sgpr[SGPR_COUNT];
  bool scc;
  uint64_t issued, next;
  Uses used;
  InstructionProfile profile[2 * LENGTH + 4]; // by place in the block
} Result;

// Which instructions a block has. Chains are of one type, so that a NaN stays one and is told from no
// other, and of few registers and constants, so that results are read, overwritten and merged. Ways are
// chains of integers, parted by branches to each other.
typedef enum { ANY_TYPE, CHAIN_OF_INTEGERS, CHAIN_OF_F32, CHAIN_OF_F64, WAYS } Choice;

typedef struct {
  CodeObject object;
  Kernel kernel;
  Launch launch;
  HostThread thread;
  Workgroup group;
  Wavefront wave;
  Choice choice;
  Result interpreted, translated;
} Machine;

static uint64_t random_state;
static uint32_t random_word(void) {
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(random_state >> 32);
}

// As a float of any size it is below 2, so that no sum or product is infinite or NaN: which NaN comes
// out of two is left to the compiler.
static uint32_t random_number(void) { return random_word() & ~0x40004000u; }

static bool is_float(uint8_t type) {
  return type == TYPE_f16 || type == TYPE_f32 || type == TYPE_f64;
}

// Parts of a NaN are no NaN.
static bool takes_parts(const Instruction *in) {
  return in->d.select != SELECT_DWORD || in->a.select != SELECT_DWORD ||
         in->b.select != SELECT_DWORD;
}

static bool fits_chain(const Instruction *in, Choice choice) {
  const InstructionInfo *info = in->info;
  if (choice != CHAIN_OF_INTEGERS && takes_parts(in))
    return false;
  if (choice == CHAIN_OF_F32 && strcmp(info->mnemonic, "v_cndmask_b32") == 0)
    return true;
  const uint8_t type[] = {info->type_d, info->type_a, info->type_b, info->type_c};
  const bool packed = info->parts == PARTS_PACKED || info->parts == PARTS_MIXED ||
                      strncmp(info->mnemonic, "v_pk_", strlen("v_pk_")) == 0;
  for (int i = 0; i < 4; i++) {
    if (!strchr(info->operands, "dabc"[i]))
      continue;
    if (choice == CHAIN_OF_INTEGERS || choice == WAYS
            ? is_float(type[i]) || packed
            : type[i] != (choice == CHAIN_OF_F32 ? TYPE_f32 : TYPE_f64))
      return false;
  }
  return true;
}

// A pair of VGPRs begins at an even one. Encodings: CDNA2 ISA guide, 13.
static uint32_t few_vgprs(void) { return random_word() % 6 * 2; }
static uint32_t few_sources(void) {
  const uint32_t kind = random_word() % 8;
  return kind < 5    ? 256 + few_vgprs()
         : kind == 5 ? 240 + random_word() % 8
                     : 128 + random_word() % 81;
}

static void use_few_registers(uint8_t *code) {
  enum { SDWA = 249, DPP = 250, LITERAL = 255, VOPC = 0x3e, VOP1 = 0x3f, VOP3 = 0x34 };
  uint32_t word[2];
  memcpy(word, code, sizeof word);
  const uint32_t source = word[0] & 0x1ff, group = word[0] >> 25;
  if (!(word[0] >> 31) && source != SDWA && source != DPP) {
    word[0] = (word[0] & ~0x1ffu) | (source == LITERAL ? LITERAL : few_sources());
    if (group != VOP1)
      word[0] = (word[0] & ~(0xffu << 9)) | few_vgprs() << 9;
    if (group != VOPC)
      word[0] = (word[0] & ~(0xffu << 17)) | few_vgprs() << 17;
  } else if (word[0] >> 26 == VOP3) {
    if (word[0] >> 16 & 0x300) // others are compares, whose result is a scalar
      word[0] = (word[0] & ~0xffu) | few_vgprs();
    word[1] = (word[1] & ~0x7ffffffu) | few_sources() | few_sources() << 9 | few_sources() << 18;
  }
  memcpy(code, word, sizeof word);
}

// Instructions that only compute, and go on with the next.
static bool only_computes(const GoldenCase *one, Choice choice) {
  static const char *const other[] = {"s_set", "s_get", "s_mov", "s_swap", "s_call", "s_wait"};
  Instruction in;
  char message[512];
  if (!decoder_decode(one->code, one->code_size, &in, message, sizeof message))
    return false;
  if (choice != ANY_TYPE && !fits_chain(&in, choice))
    return false;
  for (size_t i = 0; i < sizeof other / sizeof *other; i++)
    if (strncmp(in.info->mnemonic, other[i], strlen(other[i])) == 0)
      return strncmp(in.info->mnemonic, "s_mov_", 6) == 0;
  return in.info->unit == UNIT_VALU || in.info->unit == UNIT_SALU || in.info->unit == UNIT_MFMA;
}

// Some instructions, at most, as the choice has them. Returns their bytes.
static size_t write_some(const GoldenFile *files, size_t count, Choice choice, int length,
                         uint8_t *code) {
  size_t size = 0;
  for (int i = 0; i < length;) {
    const GoldenFile *file = &files[random_word() % count];
    GoldenCase one = file->cases[random_word() % file->count];
    if (choice != ANY_TYPE)
      use_few_registers(one.code);
    if (!only_computes(&one, choice))
      continue;
    memcpy(code + size, one.code, one.code_size);
    size += one.code_size;
    i++;
  }
  return size;
}

// SOPP: CDNA2 ISA guide, 13.1.6. s_branch, s_cbranch_scc0, _scc1, _vccz, _vccnz, _execz, _execnz.
static uint32_t branch_word(size_t from, size_t to) {
  static const uint32_t operation[] = {2, 4, 5, 6, 7, 8, 9};
  const int64_t words = ((int64_t)to - (int64_t)from - 4) / 4;
  return 0xbf800000 | operation[random_word() % 7] << 16 | ((uint32_t)words & 0xffff);
}

// Pieces of code that lead to each other, and seldom to the end.
static size_t write_ways(const GoldenFile *files, size_t count, uint8_t *code) {
  enum { PIECES = 6 };
  size_t begin[PIECES + 1], branch[PIECES], size = 0;
  for (int i = 0; i < PIECES; i++) {
    begin[i] = size;
    size += write_some(files, count, WAYS, (int)(random_word() % 4), code + size);
    branch[i] = size;
    size += 4;
  }
  begin[PIECES] = size;
  for (int i = 0; i < PIECES; i++) {
    const uint32_t word = branch_word(branch[i], begin[random_word() % PIECES]);
    memcpy(code + branch[i], &word, 4);
  }
  const uint32_t endpgm = 0xbf810000;
  memcpy(code + size, &endpgm, 4);
  return size + 4;
}

static size_t write_block(const GoldenFile *files, size_t count, Choice choice, uint8_t *code) {
  if (choice == WAYS)
    return write_ways(files, count, code);
  size_t size = write_some(files, count, choice, LENGTH, code);
  // The end of the wave is a block of its own, which needs no registers: so all of them are looked at.
  const uint32_t branch_to_next = 0xbf820000, endpgm = 0xbf810000;
  memcpy(code + size, &branch_to_next, 4);
  memcpy(code + size + 4, &endpgm, 4);
  return size + 8;
}

static void fill_registers(Wavefront *w, uint64_t seed, bool all_lanes) {
  random_state = seed;
  for (int r = 0; r < 512; r++)
    for (int lane = 0; lane < LANES; lane++)
      w->vgpr[r][lane] = random_number();
  for (int r = 0; r < SGPR_COUNT; r++)
    w->sgpr[r] = random_number();
  static const uint64_t spans[] = {~0ull, 0xffffull, 0xffff00000000ull, 0xffff0000ffff0000ull};
  w->exec = all_lanes ? ~0ull
                      : (random_word() | (uint64_t)random_word() << 32) & spans[random_word() % 4];
  w->scc = random_word() & 1;
}

static bool run(Machine *machine, uint64_t seed, bool all_lanes, bool traced, Result *result) {
  Wavefront *w = &machine->wave;
  const Program *program = machine->object.program;
  fill_registers(w, seed, all_lanes);
  w->state = WAVE_RUNNING;
  w->issued = 0;
  w->mode = 0xf0;
  w->gpr_index_mode = 0;
  w->trace.off = !traced;
  w->trace.count = 0;
  w->trace.used = (Uses){0};
  w->next = program_at(program, machine->object.text_address);
  memset(machine->thread.profile, 0,
         (program_slots(program) + 1) * sizeof *machine->thread.profile);
  if (setjmp(machine->thread.on_fault))
    return false;
  if (machine->choice == WAYS) // both engines stop at the same jump
    wavefront_run_to_jump(w, random_word() % 500);
  if (w->state == WAVE_RUNNING)
    wavefront_run(w, 1000);
  profile_share_blocks(program, machine->thread.profile);
  memset(result, 0, sizeof *result);
  memcpy(result->vgpr, w->vgpr, sizeof w->vgpr);
  memcpy(result->sgpr, w->sgpr, sizeof w->sgpr);
  result->scc = w->scc;
  result->issued = w->issued;
  result->next = program_address(program, w->next);
  if (traced && w->state == WAVE_RUNNING)
    result->used = w->trace.used;
  else if (traced)
    memcpy(&result->used, &w->trace.word[0], sizeof *w->trace.word); // of s_endpgm's event
  for (uint32_t id = 0; id < program_instruction_count(program); id++)
    result->profile[program_instruction(program, id) -
                    program_at(program, machine->object.text_address)] =
        machine->thread.profile[id];
  return true;
}

static void name_difference(const Machine *machine, const char *what, int number) {
  char text[256];
  fprintf(stderr, "%s %d differs after\n", what, number);
  for (uint64_t at = 0; at < machine->object.text_size;) {
    const uint8_t *code = (const uint8_t *)machine->object.text_address + at;
    Instruction in;
    decoder_disassemble(code, machine->object.text_size - at, text, sizeof text);
    decoder_decode(code, machine->object.text_size - at, &in, text + 128, 128);
    fprintf(stderr, "  %s\n", text);
    at += 4u * in.words;
  }
}

static bool nan_of_f32(uint32_t bits) { return (bits & 0x7fffffff) > 0x7f800000; }
static bool nan_of_f64(uint32_t low, uint32_t high) {
  return (high & 0x7fffffff) > 0x7ff00000 || ((high & 0x7fffffff) == 0x7ff00000 && low);
}

// One NaN is as good as another.
static void forget_nans(Choice choice, Result *result) {
  for (int r = 0; r < 512; r += 1 + (choice == CHAIN_OF_F64))
    for (int lane = 0; lane < LANES; lane++) {
      uint32_t *low = &result->vgpr[r][lane], *high = low + LANES;
      if (choice == CHAIN_OF_F32 && nan_of_f32(*low))
        *low = 0x7fc00000;
      if (choice == CHAIN_OF_F64 && nan_of_f64(*low, *high))
        *low = *high = 0x7ff80000;
    }
}

static bool same(Machine *machine) {
  const Result *a = &machine->interpreted, *b = &machine->translated;
  forget_nans(machine->choice, &machine->interpreted);
  forget_nans(machine->choice, &machine->translated);
  for (int r = 0; r < 512; r++)
    for (int lane = 0; lane < LANES; lane++)
      if (a->vgpr[r][lane] != b->vgpr[r][lane]) {
        fprintf(stderr, "lane %d: %08x, translated %08x: ", lane, a->vgpr[r][lane],
                b->vgpr[r][lane]);
        name_difference(machine, "v", r);
        return false;
      }
  for (int r = 0; r < SGPR_COUNT; r++)
    if (a->sgpr[r] != b->sgpr[r]) {
      fprintf(stderr, "%08x, translated %08x: ", a->sgpr[r], b->sgpr[r]);
      name_difference(machine, "s", r);
      return false;
    }
  if (memcmp(a, b, sizeof *a) != 0) {
    name_difference(machine, "scc, a count or the trace of block", 0);
    return false;
  }
  return true;
}

static size_t best;     // blocks that ran so often that they got better code
static size_t together; // of them those whose code is that of another

static bool run_block(Machine *machine, uint64_t seed, bool all_lanes, bool traced) {
  machine->thread.hot = 0;
  if (!run(machine, seed, all_lanes, traced, &machine->interpreted))
    return true; // it faults
  machine->thread.hot = 1;
  for (int pass = 0; pass < PASSES; pass++)
    if (!run(machine, seed, all_lanes, traced, &machine->translated) || !same(machine))
      return false;
  const Instruction *first = program_at(machine->object.program, machine->object.text_address);
  cr_assert(ne(ptr, first->block, NULL), "nothing was translated");
  for (int variant = 0; variant < BLOCK_VARIANTS; variant++)
    best += first->block->code[variant][JIT_BEST].address != NULL;
  for (uint32_t id = 0; id < program_instruction_count(machine->object.program); id++) {
    const Block *block = program_instruction(machine->object.program, id)->block;
    for (int variant = 0; block && variant < BLOCK_VARIANTS; variant++)
      together += block->code[variant][JIT_BEST].address && !block->code[variant][JIT_BEST].owner;
  }
  return true;
}

// A wave that runs the code.
static void begin_wave(Machine *machine, void *code) {
  cr_assert(program_open(&machine->object));
  machine->kernel = (Kernel){.object = &machine->object, .name = "random", .entry = (uint64_t)code};
  machine->launch = (Launch){.kernel = &machine->kernel, .block = {LANES, 1, 1}};
  machine->thread =
      (HostThread){.launch = &machine->launch, .program = machine->object.program, .budget = 10000};
  machine->thread.profile =
      calloc(program_slots(machine->object.program) + 1, sizeof *machine->thread.profile);
  machine->wave.thread = &machine->thread;
  machine->wave.group = &machine->group;
}

static void begin(Machine *machine, const GoldenFile *files, size_t count, Choice choice,
                  void *code, uint64_t seed) {
  memset(machine, 0, sizeof *machine);
  machine->choice = choice;
  random_state = seed;
  machine->object = (CodeObject){.text_address = (uint64_t)code,
                                 .text_size = write_block(files, count, choice, code)};
  begin_wave(machine, code);
}

static void end(Machine *machine) {
  free(machine->wave.trace.word);
  free(machine->thread.profile);
  program_close(&machine->object);
}

static void run_random_blocks(Choice choice, bool all_lanes, bool traced) {
  static const char *const names[] = {"scalar", "vector", "vector", "compare", "packed"};
  enum { FILES = sizeof names / sizeof *names };
  GoldenFile files[FILES];
  for (size_t i = 0; i < FILES; i++)
    files[i] = golden_read(names[i]);
  Machine *machine = aligned_alloc(_Alignof(Machine), sizeof *machine);
  void *code;
  cr_assert(eq(int, device_memory_allocate(8 * LENGTH + 8, MEMORY_CODE, 0, &code), MEMORY_OK));
  size_t failed = 0;
  const char *wanted = getenv("RANDOM_BLOCKS"); // to look for longer than a test may take
  const char *full = getenv("FULL");
  const uint64_t blocks = wanted               ? strtoull(wanted, NULL, 10)
                          : choice == ANY_TYPE ? full && *full ? FULL_BLOCKS : BLOCKS
                          : choice == WAYS     ? WAYS_TRIED
                                               : CHAINS;
  for (uint64_t seed = 1; seed <= blocks && failed < 3; seed++) {
    begin(machine, files, FILES, choice, code, seed + 1000 * (uint64_t)(all_lanes + 2 * traced));
    failed += !run_block(machine, seed, all_lanes, traced);
    end(machine);
  }
  free(machine);
  for (size_t i = 0; i < FILES; i++)
    golden_free(&files[i]);
  cr_assert(zero(sz, failed), "of %zu blocks", (size_t)blocks);
}

Test(random_blocks, all_lanes) { run_random_blocks(ANY_TYPE, true, false); }
Test(random_blocks, some_lanes) { run_random_blocks(ANY_TYPE, false, false); }
Test(random_blocks, all_lanes_traced) { run_random_blocks(ANY_TYPE, true, true); }
Test(random_blocks, some_lanes_traced) { run_random_blocks(ANY_TYPE, false, true); }
Test(random_blocks, chains_of_integers) { run_random_blocks(CHAIN_OF_INTEGERS, false, false); }
Test(random_blocks, chains_of_f32) { run_random_blocks(CHAIN_OF_F32, false, false); }
Test(random_blocks, chains_of_f64) { run_random_blocks(CHAIN_OF_F64, false, false); }
Test(random_blocks, that_lead_to_each_other) {
  run_random_blocks(WAYS, false, false);
  cr_assert(lt(sz, CHAINS, together), "blocks share machine code");
}
Test(random_blocks, that_lead_to_each_other_traced) { run_random_blocks(WAYS, true, true); }

// A call or a branch in the expression of a row, and clang makes no run of vector instructions of it:
// the row is then interpreted without a word. These make up square roots, powers and exponentials.
Test(lane_functions, of_what_mathematical_functions_are_made_of_are_translated) {
  static const char *const name[] = {
      "v_ldexp_f16",      "v_ldexp_f32",         "v_ldexp_f64",         "v_frexp_mant_f32",
      "v_frexp_mant_f64", "v_frexp_exp_i32_f32", "v_frexp_exp_i32_f64", "v_cmp_class_f16",
      "v_cmp_class_f32",  "v_cmp_class_f64",     "v_div_scale_f32",     "v_div_fixup_f64"};
  cr_assert(jit_start() && lane_functions_start());
  for (size_t i = 0; i < sizeof name / sizeof *name; i++)
    cr_expect(lane_function(instruction_find(name[i])) != NULL, "%s", name[i]);
}

// Waves with all lanes, whose machine code there is, come in turns with others, whose there is not yet.
Test(variants, are_translated_each_when_it_pays) {
  enum { TURNS = 40, HOT = LENGTH * TURNS / 16 }; // eight times as much starts LLVM
  GoldenFile file = golden_read("vector");
  Machine *machine = aligned_alloc(_Alignof(Machine), sizeof *machine);
  void *code;
  cr_assert(eq(int, device_memory_allocate(8 * LENGTH + 8, MEMORY_CODE, 0, &code), MEMORY_OK));
  begin(machine, &file, 1, ANY_TYPE, code, 1);
  machine->thread.hot = HOT;
  const Instruction *first = program_at(machine->object.program, machine->object.text_address);
  for (int i = 0; i < TURNS; i++)
    cr_assert(run(machine, 1, true, false, &machine->translated));
  translator_finish();
  cr_assert(ne(ptr, first->block, NULL));
  for (int i = 0; i < TURNS; i++)
    for (int all = 0; all < 2; all++)
      cr_assert(run(machine, 1, all, false, &machine->translated));
  translator_finish();
  cr_assert(ne(ptr, (void *)first->block->run[BLOCK_ALL_LANES], NULL));
  cr_assert(ne(ptr, (void *)first->block->run[BLOCK_ANY_LANES], NULL), "for some of the lanes");
  end(machine);
  free(machine);
  golden_free(&file);
}

// Behind a change of EXEC the same block goes on with scalar instructions, but not with vector ones, whose
// lanes are counted by block. Memory is asked for where a sanitized block begins.
Test(blocks, go_on_behind_other_lanes_with_what_knows_none) {
  static const uint32_t words[] = {0xbe80206a,             // s_and_saveexec_b64 s[0:1], vcc
                                   0x8880007e,             // s_xor_b64 s[0:1], exec, s[0:1]
                                   0xc0020280, 0x00000000, // s_load_dword s10, s[0:1], 0x0
                                   0x87fe007e,             // s_or_b64 exec, exec, s[0:1]
                                   0x7e000300,             // v_mov_b32_e32 v0, v0
                                   0xbf810000};            // s_endpgm
  Machine *machine = aligned_alloc(_Alignof(Machine), sizeof *machine);
  void *code;
  char message[512];
  cr_assert(eq(int, device_memory_allocate(sizeof words, MEMORY_CODE, 0, &code), MEMORY_OK));
  memcpy(code, words, sizeof words);
  memset(machine, 0, sizeof *machine);
  machine->object = (CodeObject){.text_address = (uint64_t)code, .text_size = sizeof words};
  begin_wave(machine, code);
  cr_assert(jit_start() && lane_functions_start());
  const Instruction *first = program_at(machine->object.program, machine->object.text_address);
  for (const Instruction *in = first; in < first + sizeof words / 4; in += in->words)
    cr_assert(program_decode(machine->object.program, in, message, sizeof message), "%s", message);
  cr_expect(eq(u32, block_length(first, false), 4), "all but the vector instruction and the end");
  cr_expect(eq(u32, block_length(first, true), 2), "up to the load");
  end(machine);
  free(machine);
}

// Register numbers that M0 moves are for the interpreter; behind them there are blocks again.
Test(blocks, begin_where_register_numbers_are_what_they_were) {
  static const uint32_t words[] = {0xbf110100,  // s_set_gpr_idx_on s0, gpr_idx(SRC0)
                                   0x7e020302,  // v_mov_b32 v1, v2
                                   0xbf9c0000,  // s_set_gpr_idx_off
                                   0x68020202,  // v_add_u32 v1, s2, v1
                                   0x68020203,  // v_add_u32 v1, s3, v1
                                   0xbf810000}; // s_endpgm
  enum { PASSES_ENOUGH = 40, BEHIND = 3 };
  Machine *machine = aligned_alloc(_Alignof(Machine), sizeof *machine);
  void *code;
  cr_assert(eq(int, device_memory_allocate(sizeof words, MEMORY_CODE, 0, &code), MEMORY_OK));
  memcpy(code, words, sizeof words);
  memset(machine, 0, sizeof *machine);
  machine->object = (CodeObject){.text_address = (uint64_t)code, .text_size = sizeof words};
  begin_wave(machine, code);
  machine->thread.hot = 1;
  for (int i = 0; i < PASSES_ENOUGH; i++)
    cr_assert(run(machine, 1, true, false, &machine->translated));
  translator_finish();
  const Instruction *behind =
      program_at(machine->object.program, machine->object.text_address) + BEHIND;
  cr_assert(ne(ptr, (void *)behind->block, NULL));
  cr_expect(ne(ptr, (void *)behind->block->run[BLOCK_ALL_LANES], NULL));
  end(machine);
  free(machine);
}

// ---- what instructions add to, or leave a half of ----

typedef struct {
  uint32_t word[2];
  int words;
} Encoded;

static void compare_added(const Encoded *last, bool all_lanes, void *code) {
  static const uint32_t before[] = {0x68525328,  // v_add_u32 v41, v40, v41
                                    0x7e28052a}, // v_readfirstlane_b32 s20, v42: ends the loop
      after[] = {0xbf820000, 0xbf810000};        // s_branch to the next, s_endpgm
  uint32_t *at = code;
  memcpy(at, before, sizeof before);
  memcpy(at += 2, last->word, sizeof last->word);
  memcpy(at += last->words, after, sizeof after);
  Machine *machine = aligned_alloc(_Alignof(Machine), sizeof *machine);
  memset(machine, 0, sizeof *machine);
  machine->object = (CodeObject){.text_address = (uint64_t)code,
                                 .text_size = (size_t)(4 + last->words) * sizeof *at};
  begin_wave(machine, code);
  cr_assert(run(machine, 1, all_lanes, false, &machine->interpreted));
  machine->thread.hot = 1;
  for (int pass = 0; pass < PASSES; pass++) {
    cr_assert(run(machine, 1, all_lanes, false, &machine->translated));
    cr_assert(same(machine), "instruction %x", last->word[0]);
  }
  end(machine);
  free(machine);
}

Test(results, are_added_to_what_was_computed_before_or_leave_a_part_of_it) {
  static const Encoded last[] = {
      {{0x7852572a}, 1},             // v_pk_fmac_f16 v41, v42, v43
      {{0xd3a10029, 0x04b2572a}, 2}, // v_fma_mixlo_f16 v41, v42, v43, v44
      {{0xd3a20029, 0x04b2572a}, 2}, // v_fma_mixhi_f16 v41, v42, v43, v44
      {{0x7652572a}, 1},             // v_fmac_f32 v41, v42, v43
      {{0xd38a4029, 0x3802572a}, 2}, // v_pk_add_u16 v41, v42, v43 with signs
      {{0xd3a00029, 0x1bca572a}, 2}, // v_fma_mix_f32 v41, v42, v43, 1.0
      {{0x7e5202f9, 0x0006152a}, 2}, // v_mov_b32 v41, v42 dst_sel:WORD_1, the rest stays
      {{0x685256f9, 0x0606092a}, 2}, // v_add_u32 v41, v42, v43 dst_sel:BYTE_1, with its sign
      {{0x4c5256f9, 0x0606022a}, 2}, // v_add_u16 v41, v42, v43 dst_sel:BYTE_2, else 0
      {{0xd2044029, 0x04b2572a}, 2}, // v_mad_u16 v41, v42, v43, v44 op_sel:[0,0,0,1]
      {{0xd1018029, 0x0802572a}, 2}, // v_add_f32 v41, v42, v43 clamp mul:2
  };
  void *code;
  cr_assert(eq(int, device_memory_allocate(256, MEMORY_CODE, 0, &code), MEMORY_OK));
  for (size_t i = 0; i < sizeof last / sizeof *last; i++)
    for (int all_lanes = 0; all_lanes < 2; all_lanes++)
      compare_added(&last[i], all_lanes, code);
}

// ---- what loads leave of the registers before ----

// Registers are changed, a load ends the loop, and another one may overwrite them: whole, in part, or where lanes are on.
enum { LOADED = 10, LOAD_ADDRESS = 12, LOADS_BASE = 90, LOAD_BYTES = 8192, LOAD_PASSES = 40 };

// Encodings: CDNA2 ISA guide, 13.
typedef struct {
  bool lds;
  uint8_t operation;
  bool scalar_base; // else a pair of VGPRs is the address, of which the load takes the low one
} Overwriting;

static const Overwriting overwriting[] = {
    {false, 16, true}, {false, 20, true}, {false, 21, true},  {false, 23, true}, {false, 32, true},
    {false, 36, true}, {false, 37, true}, {false, 20, false}, {true, 54, true},  {true, 118, true},
    {true, 58, true},  {true, 119, true}, {true, 90, true},   {true, 91, true},  {true, 255, true}};

static size_t write_loads(const Overwriting *load, uint32_t to, uint64_t memory, uint32_t *code) {
  uint32_t *at = code;
  for (uint32_t i = 0; i < 2; i++) { // s_mov_b32
    *at++ = 0xbe8000ff | (LOADS_BASE + i) << 16;
    *at++ = (uint32_t)(memory >> 32 * i);
  }
  *at++ = 19u << 25 | LOAD_ADDRESS << 17 | LOAD_ADDRESS << 9 | 255; // v_and_b32
  *at++ = 0xff0;
  for (uint32_t r = LOADED; r < LOADED + 6; r++) // v_add_u32
    if (r != LOAD_ADDRESS)
      *at++ = 0x34u << 25 | r << 17 | r << 9 | (256 + 40);
  if (!load->scalar_base) {
    *at++ = 0x34u << 25 | LOAD_ADDRESS << 17 | LOAD_ADDRESS << 9 | LOADS_BASE;
    *at++ = 0x3fu << 25 | (LOAD_ADDRESS + 1) << 17 | 1 << 9 | (LOADS_BASE + 1); // v_mov_b32
  }
  if (to != LOAD_ADDRESS) {         // else the other load itself ends the loop
    *at++ = 0xdc008000 | 20u << 18; // global_load_dword v30
    *at++ = LOAD_ADDRESS | 30u << 24 | (load->scalar_base ? LOADS_BASE : 0x7f) << 16;
  }
  *at++ = load->lds ? 0xd8000000 | (uint32_t)load->operation << 17
                    : 0xdc008000 | (uint32_t)load->operation << 18;
  *at++ = LOAD_ADDRESS | to << 24 | (load->lds ? 0 : (load->scalar_base ? LOADS_BASE : 0x7f) << 16);
  *at++ = 0x34u << 25 | 41u << 17 | 41u << 9 | (256 + to); // v_add_u32 v41
  *at++ = 0xbf820000;
  *at++ = 0xbf810000;
  return (size_t)(at - code) * sizeof *code;
}

static void compare_loads(const Overwriting *load, uint32_t to, bool all_lanes, void *code,
                          void *memory, uint8_t *lds) {
  Machine *machine = aligned_alloc(_Alignof(Machine), sizeof *machine);
  memset(machine, 0, sizeof *machine);
  machine->object = (CodeObject){.text_address = (uint64_t)code,
                                 .text_size = write_loads(load, to, (uint64_t)memory, code)};
  begin_wave(machine, code);
  machine->launch.lds_bytes = machine->group.lds_bytes = LOAD_BYTES;
  machine->group.lds = lds;
  cr_assert(run(machine, 1, all_lanes, false, &machine->interpreted));
  machine->thread.hot = 1;
  for (int pass = 0; pass < LOAD_PASSES; pass++) {
    cr_assert(run(machine, 1, all_lanes, false, &machine->translated));
    cr_assert(same(machine), "operation %d of %s, to v%u", load->operation,
              load->lds ? "LDS" : "global memory", to);
  }
  free(machine->thread.footprints);
  free(machine->thread.lds_patterns);
  end(machine);
  free(machine);
}

Test(loads, leave_what_they_do_not_overwrite) {
  void *code, *memory;
  cr_assert(eq(int, device_memory_allocate(256, MEMORY_CODE, 0, &code), MEMORY_OK));
  cr_assert(eq(int, device_memory_allocate(LOAD_BYTES, MEMORY_DEVICE, 0, &memory), MEMORY_OK));
  uint8_t *lds = calloc(1, DEVICE_LDS_BYTES + 64);
  random_state = 1;
  for (int i = 0; i < LOAD_BYTES; i++)
    lds[i] = ((uint8_t *)memory)[i] = (uint8_t)random_word();
  for (size_t i = 0; i < sizeof overwriting / sizeof *overwriting; i++)
    for (uint32_t to = LOADED; to <= LOAD_ADDRESS; to += 2)
      for (int all_lanes = 0; all_lanes < 2; all_lanes++)
        compare_loads(&overwriting[i], to, all_lanes, code, memory, lds);
  free(lds);
}

// ---- ifs in loops ----

// Lanes that are on change twice a round: what is between belongs to the code for all lanes or to that for some, or to either.
// body: two words, in the `if`.
static size_t write_if_in_loop(const uint32_t *body, uint32_t *code) {
  const uint32_t words[] = {0xbe940094,                     // s_mov_b32 s20, 20
                            0x261414ff, 0xff0,              // v_and_b32 v10, 0xff0, v10
                            0x2a141490,                     // v_xor_b32 v10, 16, v10
                            0x681a1b0b,                     // v_add_u32 v13, v11, v13
                            0xbe80206a,                     // s_and_saveexec_b64 s[0:1], vcc
                            0xbf880002, body[0],   body[1], // s_cbranch_execz behind the body
                            0x87fe007e,                     // s_or_b64 exec, exec, s[0:1]
                            0xbeea056a,                     // s_not_b64 vcc, vcc
                            0x80948114,                     // s_sub_u32 s20, s20, 1
                            0xbf078014,                     // s_cmp_lg_u32 s20, 0
                            0xbf85fff5,                     // s_cbranch_scc1 to the v_xor_b32
                            0xbf820000, 0xbf810000};        // s_branch to s_endpgm
  memcpy(code, words, sizeof words);
  return sizeof words;
}

static void compare_ifs(const uint32_t *body, bool counted, void *code, uint8_t *lds) {
  enum { PASSES = 40 };
  Machine *machine = aligned_alloc(_Alignof(Machine), sizeof *machine);
  memset(machine, 0, sizeof *machine);
  machine->object =
      (CodeObject){.text_address = (uint64_t)code, .text_size = write_if_in_loop(body, code)};
  begin_wave(machine, code);
  machine->launch.lds_bytes = machine->group.lds_bytes = LOAD_BYTES;
  machine->launch.traffic_unwanted = !counted;
  machine->group.lds = lds;
  for (uint64_t seed = 1; seed <= 2 * PASSES; seed++)
    for (uint32_t hot = 0; hot < 2; hot++) {
      machine->thread.hot = hot;
      cr_assert(
          run(machine, seed, seed % 2, false, hot ? &machine->translated : &machine->interpreted));
      cr_assert(hot == 0 || same(machine), "body %x, seed %llu", body[0], (unsigned long long)seed);
    }
  free(machine->thread.footprints);
  free(machine->thread.lds_patterns);
  end(machine);
  free(machine);
}

Test(blocks, of_ifs_in_loops_go_on_with_the_lanes_that_are_on) {
  static const uint32_t body[][2] = {
      {0xd86c0000, 0x0c00000a},  // ds_read_b32 v12, v10
      {0x6818190b, 0x68181b0c},  // v_add_u32 v12, v11, v12 and v12, v12, v13
      {0x80158115, 0x80158115}}; // s_add_u32 s21, s21, 1, twice
  void *code;
  uint8_t *lds = calloc(1, DEVICE_LDS_BYTES + 64);
  cr_assert(eq(int, device_memory_allocate(256, MEMORY_CODE, 0, &code), MEMORY_OK));
  for (int i = 0; i < LOAD_BYTES; i++)
    lds[i] = (uint8_t)random_word();
  for (size_t i = 0; i < sizeof body / sizeof *body; i++)
    for (int counted = 0; counted < 2; counted++)
      compare_ifs(body[i], counted, code, lds);
  free(lds);
}

// ---- sanitized blocks ----

// Between instructions of registers stand loads and stores, with waits or without, of memory that is written in part.
enum {
  MEMORY = 4096,
  ADDRESS = 240,
  POINTER = 90
}; // bytes; a VGPR and an SGPR that golden cases leave alone

typedef struct {
  Machine machine;
  uint8_t lds[DEVICE_LDS_BYTES + 16];
  Shadow *shadow;
  uint8_t *memory;
} Sanitized;

typedef struct {
  char told[sizeof((Fault *)0)->text];
  uint32_t vgpr[512][LANES], sgpr[SGPR_COUNT], undefined_sgpr[SGPR_COUNT], bits[512][LANES];
  uint64_t undefined[512];
  bool scc, undefined_scc;
  uint32_t issued, left[2];
  uint8_t lds[MEMORY], memory[MEMORY], written[MEMORY / 8];
} Traces;

static void put_word(uint8_t *code, size_t *size, uint32_t word) {
  memcpy(code + *size, &word, sizeof word);
  *size += sizeof word;
}

// Encodings: CDNA2 ISA guide, 13. What is not used must be 0.
typedef struct {
  uint8_t operation;
  bool loads;
} MemoryCode;

static uint32_t data_of(const MemoryCode *access, uint32_t data) {
  return ADDRESS | data << (access->loads ? 24 : 8);
}

static void put_memory(uint8_t *code, size_t *size) {
  static const uint8_t registers[] = {10, 20, 20, 30, 40}; // as golden cases have them
  // ds_read_b32, _b64, ds_write_b32, _b64, ds_add_u32; global_load_dword, x2, global_store_dword, x2
  static const MemoryCode lds[] = {{54, true}, {118, true}, {13, false}, {77, false}, {0, false}},
                          global[] = {{20, true}, {21, true}, {28, false}, {29, false}};
  const uint32_t data = registers[random_word() % sizeof registers],
                 offset = random_word() % 64 * 8, kind = random_word() % 5;
  const MemoryCode *access = kind < 2 ? &lds[random_word() % 5] : &global[random_word() % 4];
  if (kind == 4) {
    put_word(code, size, 0xc0020000 | data << 6 | POINTER / 2); // s_load_dword
    put_word(code, size, offset);
  } else if (kind < 2) {
    put_word(code, size, 0xd8000000 | access->operation << 17 | offset);
    put_word(code, size, data_of(access, data));
  } else {
    put_word(code, size, 0xdc008000 | access->operation << 18 | offset);
    put_word(code, size, data_of(access, data) | POINTER << 16);
  }
}

// Some wait for less than all, or not at all.
static void put_wait(uint8_t *code, size_t *size) {
  const uint32_t some = 0xbf8c0f70, all = 0xbf8c0070, choice = random_word() % 16;
  if (choice > 4)
    put_word(code, size, all);
  else if (choice)
    put_word(code, size, some + choice - 1);
}

static size_t write_sanitized(const GoldenFile *files, size_t count, uint8_t *code) {
  size_t size = 0;
  for (int i = 0; i < LENGTH; i++) {
    const GoldenFile *file = &files[random_word() % count];
    const GoldenCase *one = &file->cases[random_word() % file->count];
    if (random_word() % 3 == 0) {
      for (uint32_t k = random_word() % 2 + 1; k--; i++)
        put_memory(code, &size);
      put_wait(code, &size);
    } else if (only_computes(one, ANY_TYPE)) {
      memcpy(code + size, one->code, one->code_size);
      size += one->code_size;
    }
    if (random_word() % 4 == 0)
      put_word(code, &size, 0xbf8c0f71); // s_waitcnt vmcnt(1)
  }
  put_word(code, &size, 0xbf820000); // as above
  put_word(code, &size, 0xbf810000);
  return size;
}

static void start_sanitized(Sanitized *s, uint64_t seed) {
  Wavefront *w = &s->machine.wave;
  fill_registers(w, seed, seed % 2);
  for (int lane = 0; lane < LANES; lane++)
    w->vgpr[ADDRESS][lane] = 8u * (uint32_t)lane;
  w->sgpr[POINTER] = (uint32_t)(uint64_t)s->memory;
  w->sgpr[POINTER + 1] = (uint32_t)((uint64_t)s->memory >> 32);
  const uint64_t exec = w->exec;
  shadow_start_group(&s->machine.group);
  shadow_start_wave(w, SGPR_COUNT, 512);
  w->exec = exec;
  for (int i = 0; i < 2 && seed % 3 == 0; i++) { // some that nobody wrote
    const uint32_t r = 10 + 10 * (random_word() % 4);
    s->shadow->undefined[r] = s->shadow->whole[r] = 1ull << random_word() % LANES;
  }
  memset(s->lds, 1, MEMORY);
  memset(s->memory, 0, MEMORY);
  memset(s->machine.group.shadow->written, 0xff, MEMORY / 8);
  defined_memory_written(s->memory, MEMORY);
  for (int i = 0; i < 2 && seed % 4 == 0; i++) {
    s->machine.group.shadow->written[random_word() % (MEMORY / 8)] = 0;
    defined_memory_forget((uint64_t)s->memory + random_word() % MEMORY / 8 * 8, 0xff);
  }
}

static void run_sanitized(Sanitized *s, uint64_t seed, uint32_t hot, Traces *traces) {
  Machine *machine = &s->machine;
  Wavefront *w = &machine->wave;
  start_sanitized(s, seed);
  machine->thread.hot = hot;
  w->state = WAVE_RUNNING;
  w->issued = 0;
  w->mode = 0xf0;
  w->trace.off = true;
  w->next = program_at(machine->object.program, machine->object.text_address);
  memset(traces, 0, sizeof *traces);
  memset(&machine->thread.fault, 0, sizeof machine->thread.fault);
  if (!setjmp(machine->thread.on_fault))
    wavefront_run(w, 1000);
  strcpy(traces->told, machine->thread.fault.text);
  if (*traces->told)
    return; // what a block had not stored yet is nobody's business
  memcpy(traces->vgpr, w->vgpr, sizeof traces->vgpr);
  memcpy(traces->sgpr, w->sgpr, sizeof traces->sgpr);
  memcpy(traces->undefined_sgpr, s->shadow->sgpr, sizeof traces->undefined_sgpr);
  memcpy(traces->undefined, s->shadow->undefined, sizeof traces->undefined);
  for (int r = 0; r < 512; r++)
    for (int lane = 0; lane < LANES; lane++)
      if (s->shadow->undefined[r] >> lane & 1)
        traces->bits[r][lane] = shadow_bits(s->shadow, r, lane);
  traces->scc = w->scc;
  traces->undefined_scc = s->shadow->scc;
  traces->issued = (uint32_t)w->issued;
  traces->left[0] = s->shadow->vm.issued - s->shadow->vm.done;
  traces->left[1] = s->shadow->lgkm.issued - s->shadow->lgkm.done;
  memcpy(traces->lds, s->lds, MEMORY);
  memcpy(traces->memory, s->memory, MEMORY);
  memcpy(traces->written, machine->group.shadow->written, MEMORY / 8);
}

static void begin_sanitized(Sanitized *s, const GoldenFile *files, size_t count, void *code,
                            void *memory, uint64_t seed) {
  Machine *machine = &s->machine;
  memset(s, 0, sizeof *s);
  random_state = seed;
  s->memory = memory;
  machine->object = (CodeObject){.text_address = (uint64_t)code,
                                 .text_size = write_sanitized(files, count, code)};
  begin_wave(machine, code);
  machine->kernel.accum_offset = AGPR_BASE;
  machine->kernel.allocated_vgprs = ALL_VGPRS;
  machine->launch.lds_bytes = MEMORY;
  machine->group = (Workgroup){.size = {LANES, 1, 1},
                               .lds = s->lds,
                               .lds_bytes = MEMORY,
                               .wave_count = 1,
                               .waves = &machine->wave};
  cr_assert(shadow_allocate(&machine->launch, &machine->group));
  s->shadow = machine->wave.shadow;
}

static size_t told;

static bool engines_agree(Sanitized *s, uint64_t seed) {
  static Traces interpreted, translated;
  run_sanitized(s, seed, 0, &interpreted);
  told += *interpreted.told != 0;
  for (int pass = 0; pass < 4; pass++) {
    run_sanitized(s, seed, 1, &translated);
    if (memcmp(&interpreted, &translated, sizeof interpreted) != 0) {
      fprintf(stderr, "block %llu: told '%s', translated '%s'; ", (unsigned long long)seed,
              interpreted.told, translated.told);
      name_difference(&s->machine, "what a sanitized wave leaves of block", (int)seed);
      return false;
    }
  }
  return true;
}

Test(sanitized_blocks, tell_and_leave_what_the_interpreter_does) {
  static const char *const names[] = {"scalar", "vector", "vector", "compare"};
  enum { FILES = sizeof names / sizeof *names, SANITIZED = 3 * BLOCKS };
  setenv("EMULATOR_SANITIZE", "1", 1);
  GoldenFile files[FILES];
  for (size_t i = 0; i < FILES; i++)
    files[i] = golden_read(names[i]);
  Sanitized *s = aligned_alloc(_Alignof(Sanitized), sizeof *s);
  void *code, *memory;
  cr_assert(eq(int, device_memory_allocate(16 * LENGTH, MEMORY_CODE, 0, &code), MEMORY_OK));
  cr_assert(eq(int, device_memory_allocate(MEMORY, MEMORY_DEVICE, 0, &memory), MEMORY_OK));
  size_t failed = 0;
  for (uint64_t seed = 1; seed <= SANITIZED && failed < 3; seed++) {
    begin_sanitized(s, files, FILES, code, memory, seed);
    failed += !engines_agree(s, seed);
    shadow_free(&s->machine.group);
    free(s->machine.thread.footprints);
    free(s->machine.thread.lds_patterns);
    end(&s->machine);
  }
  cr_assert(zero(sz, failed), "of %d blocks", SANITIZED);
  cr_assert(lt(sz, SANITIZED / 10, told), "some blocks go wrong");
  cr_assert(lt(sz, told, SANITIZED * 9 / 10), "and some do not");
  free(s);
  for (size_t i = 0; i < FILES; i++)
    golden_free(&files[i]);
}
