// Decoder: see decoder.h. LLVM turns bytes into text, the table names the operands, this file turns
// text into slots.
#include "decoder.h"

#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { TEXT_SIZE = 512, MAX_OPERANDS = 12 };

static pthread_mutex_t decoding =
    PTHREAD_MUTEX_INITIALIZER; // LLVM's disassembler has one internal state
static LLVMDisasmContextRef disassembler;

static bool start_llvm(void) {
  if (disassembler)
    return true;
  LLVMInitializeAMDGPUTargetInfo();
  LLVMInitializeAMDGPUTargetMC();
  LLVMInitializeAMDGPUDisassembler();
  disassembler = LLVMCreateDisasmCPU("amdgcn-amd-amdhsa", "gfx90a", NULL, 0, NULL, NULL);
  return disassembler != NULL;
}

static size_t disassemble(const uint8_t *code, size_t size, char *text, size_t text_size) {
  text[0] = 0;
  return start_llvm()
             ? LLVMDisasmInstruction(disassembler, (uint8_t *)code, size, 0, text, text_size)
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

// ---- one operand ----

static const struct {
  const char *name;
  uint8_t kind, registers;
  uint16_t index;
} named_operand[] = {
    {"vcc", OPERAND_SGPR, 2, SGPR_VCC},
    {"vcc_lo", OPERAND_SGPR, 1, SGPR_VCC},
    {"vcc_hi", OPERAND_SGPR, 1, SGPR_VCC + 1},
    {"exec", OPERAND_SGPR, 2, SGPR_EXEC},
    {"exec_lo", OPERAND_SGPR, 1, SGPR_EXEC},
    {"exec_hi", OPERAND_SGPR, 1, SGPR_EXEC + 1},
    {"m0", OPERAND_SGPR, 1, SGPR_M0},
    {"flat_scratch", OPERAND_SGPR, 2, SGPR_FLAT_SCRATCH},
    {"flat_scratch_lo", OPERAND_SGPR, 1, SGPR_FLAT_SCRATCH},
    {"flat_scratch_hi", OPERAND_SGPR, 1, SGPR_FLAT_SCRATCH + 1},
    {"xnack_mask", OPERAND_SGPR, 2, SGPR_FLAT_SCRATCH + 2},
    {"xnack_mask_lo", OPERAND_SGPR, 1, SGPR_FLAT_SCRATCH + 2},
    {"xnack_mask_hi", OPERAND_SGPR, 1, SGPR_FLAT_SCRATCH + 3},
    {"src_vccz", OPERAND_SPECIAL, 1, SPECIAL_VCCZ},
    {"src_execz", OPERAND_SPECIAL, 1, SPECIAL_EXECZ},
    {"src_scc", OPERAND_SPECIAL, 1, SPECIAL_SCC},
    {"src_shared_base", OPERAND_SPECIAL, 2, SPECIAL_SHARED_BASE},
    {"src_shared_limit", OPERAND_SPECIAL, 2, SPECIAL_SHARED_LIMIT},
    {"src_private_base", OPERAND_SPECIAL, 2, SPECIAL_PRIVATE_BASE},
    {"src_private_limit", OPERAND_SPECIAL, 2, SPECIAL_PRIVATE_LIMIT},
    {"src_pops_exiting_wave_id", OPERAND_SPECIAL, 1, SPECIAL_POPS},
    {"off", OPERAND_NONE, 0, 0},
};

// v7, v[0:1], a3, s[4:7], ttmp[2:3]: number and count of registers behind a prefix.
static bool parse_register(const char *text, Operand *operand) {
  static const struct {
    const char *prefix;
    uint8_t kind;
    uint16_t base;
  } file[] = {{"ttmp", OPERAND_SGPR, SGPR_TTMP0},
              {"v", OPERAND_VGPR, 0},
              {"a", OPERAND_VGPR, AGPR_BASE},
              {"s", OPERAND_SGPR, 0}};
  for (size_t i = 0; i < sizeof file / sizeof *file; i++) {
    size_t length = strlen(file[i].prefix);
    unsigned first, last;
    if (strncmp(text, file[i].prefix, length) != 0)
      continue;
    if (sscanf(text + length, "[%u:%u]", &first, &last) != 2) {
      if (text[length] < '0' || text[length] > '9')
        continue;
      first = last = (unsigned)strtoul(text + length, NULL, 10);
    }
    *operand = (Operand){.kind = file[i].kind,
                         .index = (uint16_t)(file[i].base + first),
                         .registers = (uint8_t)(last - first + 1)};
    return true;
  }
  return false;
}

static uint64_t float_bits(double value, Type type) {
  float single = (float)value;
  _Float16 half = (_Float16)value;
  uint64_t bits = 0;
  if (type == TYPE_u64 || type == TYPE_i64 || type == TYPE_f64)
    memcpy(&bits, &value, sizeof value);
  else if (type == TYPE_u16 || type == TYPE_i16 || type == TYPE_f16)
    memcpy(&bits, &half, sizeof half);
  else
    memcpy(&bits, &single, sizeof single);
  return bits;
}

// Inline constants (-16 to 64, 0.5, -4.0, 0.15915494...) and 32-bit literals (0x...). A literal
// fills the high word of an f64 operand, is sign-extended for i64 and zero-extended for u64 (LLVM
// AMDGPU operand syntax, "Conversion of literals").
static bool parse_constant(const char *text, Type type, Operand *operand) {
  char *end;
  bool hexadecimal = strncmp(text, "0x", 2) == 0 || strncmp(text, "-0x", 3) == 0;
  if (!hexadecimal && strpbrk(text, ".e")) {
    double value = strtod(text, &end);
    if (strncmp(text, "0.15915494", 10) == 0) // 1/(2 pi) to the operand's precision
      value = 0.15915494309189532;
    operand->value = float_bits(value, type);
  } else {
    int64_t value = strtoll(text, &end, 0);
    operand->value = (uint64_t)value;
    if (hexadecimal && type == TYPE_f64)
      operand->value = (uint64_t)value << 32;
    else if (hexadecimal && type == TYPE_i64 && text[0] != '-')
      operand->value = (uint64_t)(int64_t)(int32_t)value;
  }
  operand->kind = OPERAND_CONSTANT;
  return end != text && *end == 0;
}

// -|v1|, -v1, |v1|, sext(v1), v1, s[0:1], 1.0, 0x80, vcc, off
static bool parse_operand(char *text, Type type, Operand *operand) {
  uint8_t modifiers = 0;
  size_t length = strlen(text);
  if (strncmp(text, "sext(", 5) == 0 && text[length - 1] == ')') {
    text[length - 1] = 0;
    text += 5;
    modifiers = MODIFIER_SEXT;
  }
  if (text[0] == '-' && strchr("vas|", text[1]) && text[1]) {
    modifiers |= MODIFIER_NEG;
    text++;
  }
  length = strlen(text);
  if (length > 2 && text[0] == '|' && text[length - 1] == '|') {
    text[length - 1] = 0;
    text++;
    modifiers |= MODIFIER_ABS;
  }
  *operand = (Operand){0};
  bool known = false;
  for (size_t i = 0; i < sizeof named_operand / sizeof *named_operand && !known; i++)
    if (strcmp(text, named_operand[i].name) == 0) {
      *operand = (Operand){.kind = named_operand[i].kind,
                           .index = named_operand[i].index,
                           .registers = named_operand[i].registers};
      known = true;
    }
  known = known || parse_register(text, operand) || parse_constant(text, type, operand);
  operand->modifiers = modifiers;
  return known;
}

// ---- modifiers behind the operands ----

static uint8_t bit_list(const char *text) { // "[0,1,0]" as bits
  uint8_t bits = 0;
  int position = 0;
  for (const char *p = text; *p && *p != ']'; p++)
    if (*p == '0' || *p == '1')
      bits |= (uint8_t)((*p - '0') << position++);
  return bits;
}

static uint8_t select_of(const char *text) {
  static const char *const name[] = {"DWORD",  "BYTE_0", "BYTE_1", "BYTE_2",
                                     "BYTE_3", "WORD_0", "WORD_1"};
  for (uint8_t i = 0; i < sizeof name / sizeof *name; i++)
    if (strcmp(text, name[i]) == 0)
      return i;
  return SELECT_DWORD;
}

// Returns false for a modifier that means something the emulator would otherwise silently ignore.
static bool parse_modifier(char *text, Instruction *in) {
  char *value = strchr(text, ':');
  if (value)
    *value++ = 0;
  static const struct {
    const char *name;
    size_t field;
  } flag[] = {{"glc", offsetof(Instruction, glc)},     {"slc", offsetof(Instruction, slc)},
              {"clamp", offsetof(Instruction, clamp)}, {"offen", offsetof(Instruction, offen)},
              {"idxen", offsetof(Instruction, idxen)}, {"gds", offsetof(Instruction, gds)}};
  for (size_t i = 0; i < sizeof flag / sizeof *flag && !value; i++)
    if (strcmp(text, flag[i].name) == 0) {
      *((bool *)in + flag[i].field) = true;
      return true;
    }
  if (!value)
    return strcmp(text, "scc") == 0; // gfx90a system coherence: no other agent is modelled
  if (strcmp(text, "offset") == 0) {
    if (strncmp(value, "swizzle", 7) != 0)
      in->offset = (int32_t)strtol(value, NULL, 0);
  } else if (strcmp(text, "offset0") == 0)
    in->offset = (int32_t)strtol(value, NULL, 0);
  else if (strcmp(text, "offset1") == 0)
    in->offset1 = (uint16_t)strtol(value, NULL, 0);
  else if (strcmp(text, "dst_sel") == 0)
    in->dst_select = select_of(value);
  else if (strcmp(text, "src0_sel") == 0)
    in->a.select = select_of(value);
  else if (strcmp(text, "src1_sel") == 0)
    in->b.select = select_of(value);
  else if (strcmp(text, "dst_unused") == 0) {
    in->dst_preserve = strcmp(value, "UNUSED_PRESERVE") == 0;
    in->dst_sext = strcmp(value, "UNUSED_SEXT") == 0;
  } else if (strcmp(text, "mul") == 0)
    in->omod = value[0] == '2' ? 1 : 2;
  else if (strcmp(text, "div") == 0)
    in->omod = 3;
  else if (strcmp(text, "op_sel") == 0)
    in->op_sel = bit_list(value);
  else if (strcmp(text, "op_sel_hi") == 0)
    in->op_sel_hi = bit_list(value);
  else if (strcmp(text, "neg_lo") == 0)
    in->neg_lo = bit_list(value);
  else if (strcmp(text, "neg_hi") == 0)
    in->neg_hi = bit_list(value);
  else if (strcmp(text, "cbsz") == 0)
    in->cbsz = (uint8_t)strtol(value, NULL, 0);
  else if (strcmp(text, "abid") == 0)
    in->abid = (uint8_t)strtol(value, NULL, 0);
  else if (strcmp(text, "blgp") == 0)
    in->blgp = (uint8_t)strtol(value, NULL, 0);
  else
    return strcmp(text, "neg") ==
           0; // v_mfma_f64 neg: stands in blgp's bits, read from the encoding
  return true;
}

// ---- the line ----

static void strip_suffix(char *mnemonic) {
  static const char *const suffix[] = {"_e32", "_e64", "_dpp", "_sdwa"};
  size_t length = strlen(mnemonic);
  for (size_t i = 0; i < sizeof suffix / sizeof *suffix; i++) {
    size_t n = strlen(suffix[i]);
    if (length > n && strcmp(mnemonic + length - n, suffix[i]) == 0)
      mnemonic[length - n] = 0;
  }
}

// Cuts "v0, v[1:2], -|v3| offset:4 glc" into operands (separated by commas outside brackets) and
// the modifiers behind the last.
static int split_operands(char *text, char *operand[MAX_OPERANDS], char **modifiers) {
  int count = 0, depth = 0;
  char *p = text + strspn(text, " \t");
  *modifiers = p + strlen(p);
  if (!*p)
    return 0;
  operand[count++] = p;
  for (; *p; p++) {
    depth += (*p == '[' || *p == '(') - (*p == ']' || *p == ')');
    if (*p == ',' && depth == 0) {
      *p++ = 0;
      p += strspn(p, " ");
      if (count < MAX_OPERANDS)
        operand[count++] = p;
      p--;
    } else if (*p == ' ' && depth == 0) {
      *p = 0;
      *modifiers = p + 1;
      break;
    }
  }
  return count;
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

// Marks what needs the slow paths of lanes.h.
static void finish(Instruction *in, bool packed) {
  if (!packed && in->op_sel)
    apply_op_sel(in);
  Operand *source[] = {&in->a, &in->b, &in->c};
  for (int i = 0; i < 3; i++) {
    bool dpp = i == 0 && in->dpp_control != DPP_NONE;
    if (source[i]->kind == OPERAND_VGPR && (source[i]->modifiers || source[i]->select || dpp) &&
        !packed)
      source[i]->kind = OPERAND_VGPR_MODIFIED;
  }
  in->plain =
      !in->clamp && !in->omod && in->dst_select == SELECT_DWORD && in->dpp_control == DPP_NONE;
}

// DPP controls are read from the second word: bits 8-16 dpp_ctrl, 19 bound_ctrl, 24-27 bank_mask,
// 28-31 row_mask.
static bool read_dpp(const char *mnemonic, uint32_t word, Instruction *in) {
  size_t length = strlen(mnemonic);
  if (length < 4 || strcmp(mnemonic + length - 4, "_dpp") != 0)
    return false;
  in->dpp_control = word >> 8 & 0x1ff;
  in->bound_ctrl = word >> 19 & 1;
  in->bank_mask = word >> 24 & 15;
  in->row_mask = word >> 28;
  return true;
}

static void say_unknown(char *message, size_t size, const char *mnemonic, const char *with,
                        const char *what) {
  snprintf(message, size,
           "the emulator does not know %s%s%s. This is a gap of the emulator, not an error of the "
           "program; please report this message",
           mnemonic, with, what);
}

static bool parse_line(char *text, const uint32_t *word, Instruction *in, char *message,
                       size_t message_size) {
  char copy[TEXT_SIZE];
  snprintf(copy, sizeof copy, "%s", text + strspn(text, "\t "));
  char mnemonic[64];
  size_t length = strcspn(text + strspn(text, "\t "), " \t");
  snprintf(mnemonic, sizeof mnemonic, "%.*s", (int)length, copy);
  char *operand[MAX_OPERANDS], *modifiers;
  int count = split_operands(copy + length, operand, &modifiers);
  bool dpp = read_dpp(mnemonic, word[1], in);
  strip_suffix(mnemonic);
  bool clamp = strstr(modifiers, "clamp") != NULL;
  char clamped[80];
  snprintf(clamped, sizeof clamped, "%s clamp", mnemonic);
  const InstructionInfo *saturating = clamp ? instruction_find(clamped) : NULL;
  in->info = saturating ? saturating : instruction_find(mnemonic);
  if (!in->info) {
    say_unknown(message, message_size, mnemonic, "", "");
    return false;
  }
  in->execute = in->info->execute;
  bool accumulating =
      strncmp(mnemonic, "v_dot", 5) == 0 && mnemonic[6] == 'c'; // VOP2: may have DPP
  bool packed = strncmp(mnemonic, "v_pk_", 5) == 0 || strncmp(mnemonic, "v_fma_mix", 9) == 0 ||
                (strncmp(mnemonic, "v_dot", 5) == 0 && !accumulating);
  bool halves = accumulating || (packed && strncmp(mnemonic, "v_fma_mix", 9) != 0);
  in->op_sel_hi = halves ? 7 : 0;
  const char *letters = in->info->operands;
  if (letters[0] == 'd' && count + 1 == (int)strlen(letters))
    letters++; // an atomic that returns nothing
  for (int i = 0; i < count && letters[i]; i++) {
    Type type;
    Operand *slot = slot_of(in, letters[i], &type);
    if (letters[i] != 'x' && !parse_operand(operand[i], type, slot)) {
      say_unknown(message, message_size, mnemonic, " with operand ", operand[i]);
      return false;
    }
  }
  bool scalar = in->info->unit <= UNIT_SMEM; // these have none; s_waitcnt merely lists its counters
  char *rest = NULL;
  for (char *token = strtok_r(modifiers, " ", &rest); token && !dpp && !scalar;
       token = strtok_r(NULL, " ", &rest))
    if (!parse_modifier(token, in)) {
      say_unknown(message, message_size, mnemonic, " with modifier ", token);
      return false;
    }
  if (saturating)
    in->clamp = false;
  finish(in, packed);
  return true;
}

// Immediates that the text shows in many shapes are taken from the encoding: branch distances, SOPK
// constants, message numbers, swizzles.
static void read_immediate(const uint32_t *word, Instruction *in) {
  const char *mnemonic = in->info->mnemonic;
  if (in->info->unit <= UNIT_INTERNAL)
    in->offset = (int16_t)(word[0] & 0xffff);
  else if (strcmp(mnemonic, "ds_swizzle_b32") == 0)
    in->offset = (int32_t)(word[0] & 0xffff);
  else if (strncmp(mnemonic, "v_mfma_f64", 10) == 0)
    in->blgp = word[1] >> 29;
}

// Quad-cycles on the vector ALU: LLVM's scheduling model of gfx90a (SIDPFullSpeedModel): 1, a
// quarter of the rate for 32-bit products and transcendental functions; matrix instructions by
// their passes.
static uint8_t valu_time(const InstructionInfo *info) {
  static const struct {
    const char *prefix;
    uint8_t quad_cycles;
  } slow[] = {{"v_mul_lo_u32", 4},
              {"v_mul_hi_", 4},
              {"v_mad_u64_u32", 4},
              {"v_mad_i64_i32", 4},
              {"v_mfma_f32_32x32", 16},
              {"v_mfma_i32_32x32", 16},
              {"v_mfma_f32_16x16", 8},
              {"v_mfma_i32_16x16", 8},
              {"v_mfma_f64_16x16", 8},
              {"v_mfma_f64_4x4", 4},
              {"v_mfma_", 2}};
  if (info->unit != UNIT_VALU && info->unit != UNIT_MFMA)
    return 0;
  if (info->counter == SQ_INSTS_VALU_TRANS_F64 || info->counter == SQ_INSTS_VALU_TRANS_F32 ||
      info->counter == SQ_INSTS_VALU_TRANS_F16)
    return 4;
  for (size_t i = 0; i < sizeof slow / sizeof *slow; i++)
    if (strncmp(info->mnemonic, slow[i].prefix, strlen(slow[i].prefix)) == 0)
      return slow[i].quad_cycles;
  return 1;
}

static bool decode(const uint8_t *code, size_t size, Instruction *in, char *message,
                   size_t message_size) {
  char text[TEXT_SIZE];
  uint32_t word[2] = {0};
  memcpy(word, code, size < sizeof word ? size & ~(size_t)3 : sizeof word);
  *in = (Instruction){.dpp_control = DPP_NONE};
  size_t bytes = disassemble(code, size, text, sizeof text);
  if (bytes == 0) {
    snprintf(
        message, message_size,
        "the bytes 0x%08x are no gfx90a instruction: the kernel jumped out of its code, or the "
        "code is corrupt",
        word[0]);
    return false;
  }
  in->words = (uint8_t)(bytes / 4);
  if (!parse_line(text, word, in, message, message_size))
    return false;
  read_immediate(word, in);
  in->valu = valu_time(in->info);
  return true;
}

bool decoder_decode(const uint8_t *code, size_t size, Instruction *in, char *message,
                    size_t message_size) {
  pthread_mutex_lock(&decoding);
  bool known = decode(code, size, in, message, message_size);
  pthread_mutex_unlock(&decoding);
  return known;
}
