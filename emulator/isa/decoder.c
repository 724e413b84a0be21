// Decoder: see decoder.h. LLVM turns bytes into text, the row of the mnemonic says what its
// operands are, and here each goes to its slot.
#include "decoder.h"

#include "assembly_text.h"
#include "instruction_table.h"
#include "parameters.h"

#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_SIZE = 512 };

static pthread_mutex_t decoding =
    PTHREAD_MUTEX_INITIALIZER; // LLVM's disassembler has one internal state
static LLVMDisasmContextRef disassembler, matrix_disassembler;

static LLVMDisasmContextRef disassembler_of(const char *cpu) {
  return LLVMCreateDisasmCPU("amdgcn-amd-amdhsa", cpu, NULL, 0, NULL, NULL);
}

static bool start_llvm(void) {
  const Architecture *architecture = parameters_device()->architecture;
  if (disassembler)
    return true;
  LLVMInitializeAMDGPUTargetInfo();
  LLVMInitializeAMDGPUTargetMC();
  LLVMInitializeAMDGPUDisassembler();
  disassembler = disassembler_of(architecture->cpu);
  matrix_disassembler =
      architecture->matrix_cpu ? disassembler_of(architecture->matrix_cpu) : disassembler;
  return disassembler != NULL;
}

// SDWA (src0 of VOP1, VOP2, VOPC is 0xf9) with a selection that is reserved; LLVM 15 crashes on it.
static bool reserved_selection(const uint8_t *code, size_t size) {
  enum { SDWA = 0xf9, VOPC = 0x3e, RESERVED = 7 };
  uint32_t word[2];
  if (size < sizeof word)
    return false;
  memcpy(word, code, sizeof word);
  const bool compare = word[0] >> 25 == VOPC; // which has no destination to select
  if (word[0] >> 31 || (word[0] & 0x1ff) != SDWA)
    return false;
  bool source = (word[1] >> 16 & 7) == RESERVED || (word[1] >> 24 & 7) == RESERVED,
       destination = (word[1] >> 8 & 7) == RESERVED || (word[1] >> 11 & 3) == 3;
  return source || (!compare && destination);
}

// gfx942 has these matrix instructions of gfx90a under new names. LLVM 15 takes them for gfx908's, which
// have AccVGPRs alone.
static const struct {
  const char *old, *name;
} renamed[] = {
    {"v_mfma_f32_32x32x1f32", "v_mfma_f32_32x32x1_2b_f32"},
    {"v_mfma_f32_16x16x1f32", "v_mfma_f32_16x16x1_4b_f32"},
    {"v_mfma_f32_4x4x1f32", "v_mfma_f32_4x4x1_16b_f32"},
    {"v_mfma_f32_32x32x2f32", "v_mfma_f32_32x32x2_f32"},
    {"v_mfma_f32_16x16x4f32", "v_mfma_f32_16x16x4_f32"},
    {"v_mfma_f32_32x32x4f16", "v_mfma_f32_32x32x4_2b_f16"},
    {"v_mfma_f32_16x16x4f16", "v_mfma_f32_16x16x4_4b_f16"},
    {"v_mfma_f32_4x4x4f16", "v_mfma_f32_4x4x4_16b_f16"},
    {"v_mfma_f32_32x32x8f16", "v_mfma_f32_32x32x8_f16"},
    {"v_mfma_f32_16x16x16f16", "v_mfma_f32_16x16x16_f16"},
    {"v_mfma_i32_32x32x4i8", "v_mfma_i32_32x32x4_2b_i8"},
    {"v_mfma_i32_16x16x4i8", "v_mfma_i32_16x16x4_4b_i8"},
    {"v_mfma_i32_4x4x4i8", "v_mfma_i32_4x4x4_16b_i8"},
};

static const char *own_name(const char *mnemonic) {
  if (disassembler == matrix_disassembler)
    return mnemonic;
  for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++)
    if (strcmp(mnemonic, renamed[i].old) == 0)
      return renamed[i].name;
  return mnemonic;
}

static LLVMDisasmContextRef disassembler_for(const uint8_t *code, size_t size) {
  enum { VOP3P_MAI = 0x1a7, FIRST = 0x40, LAST = 0x52 };
  uint32_t word = 0;
  memcpy(&word, code, size < sizeof word ? size : sizeof word);
  const uint32_t opcode = word >> 16 & 0x7f;
  return word >> 23 == VOP3P_MAI && opcode >= FIRST && opcode <= LAST ? matrix_disassembler
                                                                      : disassembler;
}

static size_t disassemble(const uint8_t *code, size_t size, char *text, size_t text_size) {
  text[0] = 0;
  return start_llvm() && !reserved_selection(code, size)
             ? LLVMDisasmInstruction(disassembler_for(code, size), (uint8_t *)code, size, 0, text,
                                     text_size)
             : 0;
}

bool decoder_start(void) {
  pthread_mutex_lock(&decoding);
  bool started = start_llvm();
  pthread_mutex_unlock(&decoding);
  return started;
}

void decoder_disassemble(const uint8_t *code, size_t size, char *text, size_t text_size) {
  pthread_mutex_lock(&decoding);
  char line[TEXT_SIZE];
  disassemble(code, size, line, sizeof line);
  pthread_mutex_unlock(&decoding);
  snprintf(text, text_size, "%s", line + strspn(line, "\t "));
}

static void strip_suffix(char *mnemonic) {
  static const char *const suffix[] = {"_e32", "_e64", "_dpp", "_sdwa"};
  size_t length = strlen(mnemonic);
  for (size_t i = 0; i < sizeof suffix / sizeof *suffix; i++) {
    size_t n = strlen(suffix[i]);
    if (length > n && strcmp(mnemonic + length - n, suffix[i]) == 0)
      mnemonic[length - n] = 0;
  }
}

static Operand *slot_of(Instruction *in, char letter, Type *type) {
  const InstructionInfo *info = in->info;
  switch (letter) {
  case 'd':
    *type = info->type_d;
    return &in->d;
  case 'm':
    *type = TYPE_u64;
    return &in->m;
  case 'a':
    *type = info->type_a;
    return &in->a;
  case 'b':
    *type = info->type_b;
    return &in->b;
  case 'c':
    *type = info->type_c;
    return &in->c;
  default:
    *type = TYPE_u32;
    return &in->e;
  }
}

static bool is_16_bit(Type type) {
  return type == TYPE_u16 || type == TYPE_i16 || type == TYPE_f16;
}

// op_sel of a VOP3 instruction on 16-bit operands picks halves, just as SDWA's WORD_1 does.
static void apply_op_sel(Instruction *in) {
  Operand *source[] = {&in->a, &in->b, &in->c};
  Type type[] = {in->info->type_a, in->info->type_b, in->info->type_c};
  for (int i = 0; i < 3; i++)
    if (is_16_bit(type[i]) && (in->op_sel >> i & 1))
      source[i]->select = SELECT_WORD_1;
  int sources = in->c.kind != OPERAND_NONE ? 3 : 2; // the destination's bit stands behind theirs
  if (is_16_bit(in->info->type_d) && (in->op_sel >> sources & 1)) {
    in->dst_select = SELECT_WORD_1;
    in->dst_preserve = true;
  }
}

// Marks what needs the slow paths of lanes.h. Packed and mixed instructions apply their modifiers
// themselves.
static void finish(Instruction *in) {
  bool applied = in->info->parts == PARTS_PACKED || in->info->parts == PARTS_MIXED;
  if (in->info->parts == PARTS_SELECTED)
    apply_op_sel(in);
  Operand *source[] = {&in->a, &in->b, &in->c};
  for (int i = 0; i < 3 && !applied; i++) {
    bool dpp = i == 0 && in->dpp_control != DPP_NONE;
    if (source[i]->kind == OPERAND_VGPR && (source[i]->modifiers || source[i]->select || dpp))
      source[i]->kind = OPERAND_VGPR_MODIFIED;
  }
  in->plain =
      !in->clamp && !in->omod && in->dst_select == SELECT_DWORD && in->dpp_control == DPP_NONE;
}

// DPP controls are read from the second word: bits 8-16 dpp_ctrl, 19 bound_ctrl, 24-27 bank_mask,
// 28-31 row_mask.
static void read_dpp(const char *mnemonic, uint32_t word, Instruction *in) {
  size_t length = strlen(mnemonic);
  if (length < 4 || strcmp(mnemonic + length - 4, "_dpp") != 0)
    return;
  in->dpp_control = word >> 8 & 0x1ff;
  in->bound_ctrl = word >> 19 & 1;
  in->bank_mask = word >> 24 & 15;
  in->row_mask = word >> 28;
}

static void say_unknown(char *message, size_t size, const char *mnemonic, const char *with,
                        const char *what) {
  snprintf(message, size,
           "the emulator does not know %s%s%s. This is a gap of the emulator, not an error of the "
           "program; please report this message",
           mnemonic, with, what);
}

// Results of floats are limited where they are committed, those of packed and mixed operands by their
// functions. An integer's function does it in a row of its own.
static bool limits_itself(const InstructionInfo *info) {
  return info->parts != PARTS_SELECTED || info->type_d == TYPE_f16 || info->type_d == TYPE_f32 ||
         info->type_d == TYPE_f64;
}

// The row of the form with this modifier, if that is one of its own, whose function then does what it
// asks for: clamps, or loads into LDS.
static const InstructionInfo *row_of_form(const char *mnemonic, const char *modifiers,
                                          const char *form) {
  char whole[TEXT_SIZE + sizeof " clamp"];
  snprintf(whole, sizeof whole, "%s %s", mnemonic, form);
  return strstr(modifiers, form) ? instruction_find(whole) : NULL;
}

// Fills the slots that the row's letters name. Returns the operand that is unknown, or NULL.
static const char *fill_slots(Instruction *in, char *operand[], int count) {
  const char *letters = in->info->operands;
  if (letters[0] == 'd' && count + 1 == (int)strlen(letters) && in->info->unit != UNIT_SALU)
    letters++; // an atomic that returns nothing
  for (int i = 0; i < count && letters[i]; i++) {
    Type type;
    Operand *slot = slot_of(in, letters[i], &type);
    if (letters[i] != 'x' && !assembly_text_operand(operand[i], type, slot))
      return operand[i];
  }
  return NULL;
}

// Returns the modifier that is unknown, or NULL. Of scalar instructions those of memory alone have any
// (s_waitcnt merely lists its counters); those of DPP stand in the encoding.
static const char *apply_modifiers(Instruction *in, char *modifiers, bool loads_into_lds) {
  if (in->info->unit <= UNIT_INTERNAL || in->dpp_control != DPP_NONE)
    return NULL;
  char *rest = NULL;
  for (char *token = strtok_r(modifiers, " ", &rest); token; token = strtok_r(NULL, " ", &rest))
    if (!assembly_text_modifier(token, in) && !(loads_into_lds && strcmp(token, "lds") == 0))
      return token;
  return NULL;
}

// Atomics on buffers return what was there in the register of their data, the first of two, if bit 14
// (glc, sc0 of gfx942) asks for it.
static void name_result_of_atomic(uint32_t word, Instruction *in) {
  if (in->info->unit != UNIT_BUFFER || in->info->action != MEMORY_ATOMIC || !(word >> 14 & 1))
    return;
  in->d = in->c;
  if (strstr(in->info->mnemonic, "cmpswap"))
    in->d.registers /= 2;
}

// Typed accesses of buffers name a format of their own, others have their descriptor's.
static void read_format(uint32_t word, Instruction *in) {
  enum { MTBUF = 0x3a };
  if (word >> 26 != MTBUF)
    return;
  in->data_format = word >> 19 & 15;
  in->number_format = word >> 23 & 7;
}

static bool parse_line(const char *text, const uint32_t *word, Instruction *in, char *message,
                       size_t message_size) {
  char line[TEXT_SIZE], *operand[MAX_OPERANDS], *modifiers;
  snprintf(line, sizeof line, "%s", text + strspn(text, "\t "));
  char *mnemonic = line, *behind = line + strcspn(line, " \t");
  int count = assembly_text_split(behind + (*behind != 0), operand, &modifiers);
  *behind = 0;
  read_dpp(mnemonic, word[1], in);
  strip_suffix(mnemonic);
  const InstructionInfo *clamping = row_of_form(mnemonic, modifiers, "clamp"),
                        *into_lds = row_of_form(mnemonic, modifiers, "lds");
  in->info = clamping ? clamping : into_lds ? into_lds : instruction_find(own_name(mnemonic));
  if (!in->info) {
    say_unknown(message, message_size, mnemonic, "", "");
    return false;
  }
  if (in->info->parts == PARTS_PACKED || in->info->parts == PARTS_FIXED)
    in->op_sel_hi = 7; // unless the text says otherwise
  const char *unknown = fill_slots(in, operand, count);
  if (unknown) {
    say_unknown(message, message_size, mnemonic, " with operand ", unknown);
    return false;
  }
  unknown = apply_modifiers(in, modifiers, into_lds);
  if (unknown) {
    say_unknown(message, message_size, mnemonic, " with modifier ", unknown);
    return false;
  }
  in->clamp = in->clamp && !clamping;
  if (in->clamp && !limits_itself(in->info)) {
    say_unknown(message, message_size, mnemonic, " with modifier ", "clamp");
    return false;
  }
  name_result_of_atomic(word[0], in);
  read_format(word[0], in);
  finish(in);
  return true;
}

// Immediates that the text shows in many shapes are taken from the encoding: branch distances, SOPK
// constants, message numbers; of DS swizzle patterns, and one offset or two.
static void read_immediate(uint32_t word, Instruction *in) {
  if (in->info->unit <= UNIT_INTERNAL)
    in->offset = (int16_t)(word & 0xffff);
  else if (in->info->unit == UNIT_LDS)
    in->offset = (int32_t)(word & 0xffff);
}

static bool names_place(const InstructionInfo *info) {
  return strcmp(info->mnemonic, "s_getpc_b64") == 0;
}

// Where the program stands is a number: s_getpc_b64 moves the address of what follows.
static void name_place(const uint8_t *code, Instruction *in) {
  if (names_place(in->info))
    in->a = (Operand){.kind = OPERAND_CONSTANT, .value = (uint64_t)code + 4u * in->words};
}

// What the instruction takes. Matrix products of f64 are made by the vector ALU, others by the matrix
// unit, to which the vector ALU gives them in one quad-cycle (LLVM, SISchedule.td: DGEMM takes HWVALU,
// all others HWXDL). Scalar loads leave through the scalar unit. Instructions of no unit, like s_nop,
// take the wave's issue slot alone.
static Uses uses_of(const InstructionInfo *info) {
  Uses uses = {0};
  uses[USE_ISSUE] = 1;
  uses[USE_VALU] = info->quads;
  if (info->unit == UNIT_MFMA && info->type_d != TYPE_f64) {
    uses[USE_VALU] = FULL_RATE;
    uses[USE_MATRIX] = info->quads;
  }
  // The model was fitted with s_getpc_b64 outside of the scalar unit.
  uses[USE_SCALAR] = (info->unit == UNIT_SALU && !names_place(info)) || info->unit == UNIT_SMEM;
  return uses;
}

static bool decode(const uint8_t *code, size_t size, Instruction *in, char *message,
                   size_t message_size) {
  char text[TEXT_SIZE];
  uint32_t word[2] = {0};
  memcpy(word, code, size < sizeof word ? size & ~(size_t)3 : sizeof word);
  *in = (Instruction){.dpp_control = DPP_NONE};
  size_t bytes = disassemble(code, size, text, sizeof text);
  if (bytes == 0) {
    snprintf(message, message_size,
             "the bytes 0x%08x are no %s instruction: the kernel jumped out of its code, or the "
             "code is corrupt",
             word[0], parameters_device()->architecture->target[0]);
    return false;
  }
  in->words = (uint8_t)(bytes / 4);
  if (!parse_line(text, word, in, message, message_size))
    return false;
  read_immediate(word[0], in);
  name_place(code, in);
  in->execute = in->info->execute;
  in->uses = uses_of(in->info);
  return true;
}

bool decoder_decode(const uint8_t *code, size_t size, Instruction *in, char *message,
                    size_t message_size) {
  pthread_mutex_lock(&decoding);
  bool known = decode(code, size, in, message, message_size);
  pthread_mutex_unlock(&decoding);
  return known;
}
