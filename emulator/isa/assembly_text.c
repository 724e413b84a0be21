// The text of LLVM's disassembly: see assembly_text.h.
#define _GNU_SOURCE // strtod_l
#include "assembly_text.h"

#include "c_locale.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    double value = strtod_l(text, &end, c_locale());
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

bool assembly_text_operand(char *text, Type type, Operand *operand) {
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

static uint8_t small_number(const char *text) { return (uint8_t)strtol(text, NULL, 0); }
static uint8_t factor_of(const char *text) { return text[0] == '2' ? OMOD_TIMES_2 : OMOD_TIMES_4; }
static uint8_t half_of(const char *text) { return (void)text, OMOD_HALF; }

typedef uint8_t Read(const char *text);

bool assembly_text_modifier(char *text, Instruction *in) {
  static const struct {
    const char *name;
    size_t field; // bool
  } flag[] = {{"glc", offsetof(Instruction, glc)},     {"slc", offsetof(Instruction, slc)},
              {"clamp", offsetof(Instruction, clamp)}, {"offen", offsetof(Instruction, offen)},
              {"idxen", offsetof(Instruction, idxen)}, {"gds", offsetof(Instruction, gds)},
              {"unorm", offsetof(Instruction, unorm)}};
  static const struct {
    const char *name;
    Read *read;
    size_t field; // uint8_t
  } valued[] = {{"dst_sel", select_of, offsetof(Instruction, dst_select)},
                {"src0_sel", select_of, offsetof(Instruction, a.select)},
                {"src1_sel", select_of, offsetof(Instruction, b.select)},
                {"mul", factor_of, offsetof(Instruction, omod)},
                {"div", half_of, offsetof(Instruction, omod)},
                {"op_sel", bit_list, offsetof(Instruction, op_sel)},
                {"op_sel_hi", bit_list, offsetof(Instruction, op_sel_hi)},
                {"neg", bit_list, offsetof(Instruction, neg_lo)}, // of whole matrices
                {"neg_lo", bit_list, offsetof(Instruction, neg_lo)},
                {"neg_hi", bit_list, offsetof(Instruction, neg_hi)},
                {"dmask", small_number, offsetof(Instruction, dmask)},
                {"cbsz", small_number, offsetof(Instruction, cbsz)},
                {"abid", small_number, offsetof(Instruction, abid)},
                {"blgp", small_number, offsetof(Instruction, blgp)}};
  char *value = strchr(text, ':');
  if (value)
    *value++ = 0;
  for (size_t i = 0; i < sizeof flag / sizeof *flag && !value; i++)
    if (strcmp(text, flag[i].name) == 0) {
      *(bool *)((char *)in + flag[i].field) = true;
      return true;
    }
  if (strcmp(text, "nt") == 0) // gfx942's word for both
    return in->glc = in->slc = true;
  if (strcmp(text, "sc0") == 0 ||
      strcmp(text, "sc1") == 0) // its words for accesses that others see
    return in->glc = true;
  if (!value)
    return strcmp(text, "scc") == 0 || // system coherence: no other agent is modelled
           strcmp(text, "da") == 0;    // layers: the image's descriptor says so, too
  for (size_t i = 0; i < sizeof valued / sizeof *valued; i++)
    if (strcmp(text, valued[i].name) == 0) {
      *((uint8_t *)in + valued[i].field) = valued[i].read(value);
      return true;
    }
  if (strcmp(text, "format") == 0) // from the encoding
    return true;
  if (strcmp(text, "offset") == 0)
    in->offset = (int32_t)strtol(value, NULL, 0);
  else if (strcmp(text, "dst_unused") == 0) {
    in->dst_preserve = strcmp(value, "UNUSED_PRESERVE") == 0;
    in->dst_sext = strcmp(value, "UNUSED_SEXT") == 0;
  } else {
    return strcmp(text, "offset0") == 0 || strcmp(text, "offset1") == 0; // DS: from the encoding
  }
  return true;
}

// ---- the line ----

int assembly_text_split(char *text, char *operand[MAX_OPERANDS], char **modifiers) {
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
