// Assembly text against decoded instruction: see golden_text.h.
#include "golden_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PARTS = 16 };

typedef struct {
  char text[128];
} Part;

// Splits "v_x v[0:1], |v2|, s3 offset:4" into mnemonic and operands; what stands behind the last
// operand without a comma is dropped.
static int split(const char *text, Part parts[MAX_PARTS]) {
  int count = 1, depth = 0;
  size_t length = 0;
  memset(parts, 0, MAX_PARTS * sizeof *parts);
  const char *p = text + strcspn(text, " ");
  snprintf(parts[0].text, sizeof parts[0].text, "%.*s", (int)(p - text), text);
  for (p += strspn(p, " "); *p; p++) {
    depth += (*p == '[' || *p == '(') - (*p == ']' || *p == ')');
    if (*p == ' ' && depth == 0)
      break;
    if (*p == ',' && depth == 0) {
      p += strspn(p + 1, " ");
      length = 0;
      count++;
    } else if (count < MAX_PARTS && length + 1 < sizeof parts[0].text) {
      parts[count].text[length++] = *p;
    }
  }
  return parts[count].text[0] ? count + 1 : count;
}

static bool same_mnemonic(const char *text, const char *mnemonic) {
  static const char *const ending[] = {"", "_e32", "_e64", "_sdwa", "_dpp"};
  size_t length = strcspn(mnemonic, " "); // "v_add_u32 clamp" is a row of its own
  for (size_t i = 0; i < sizeof ending / sizeof *ending; i++)
    if (strncmp(text, mnemonic, length) == 0 && strcmp(text + length, ending[i]) == 0)
      return true;
  return false;
}

bool golden_text_names(const char *text, const char *mnemonic) {
  char word[64];
  snprintf(word, sizeof word, "%.*s", (int)strcspn(text, " "), text);
  return same_mnemonic(word, mnemonic);
}

// A register as the text names it: file, first, count. False for constants.
static bool register_of(const char *text, OperandKind *kind, unsigned *first, unsigned *count) {
  static const struct {
    const char *name;
    unsigned first, count;
  } named[] = {{"vcc", SGPR_VCC, 2},       {"exec", SGPR_EXEC, 2},
               {"m0", SGPR_M0, 1},         {"exec_hi", SGPR_EXEC + 1, 1},
               {"vcc_lo", SGPR_VCC, 1},    {"flat_scratch_hi", SGPR_FLAT_SCRATCH + 1, 1},
               {"vcc_hi", SGPR_VCC + 1, 1}};
  text += strspn(text, "-|");
  if (strncmp(text, "sext(", 5) == 0)
    text += 5;
  for (size_t i = 0; i < sizeof named / sizeof *named; i++)
    if (strcmp(text, named[i].name) == 0) {
      *kind = OPERAND_SGPR, *first = named[i].first, *count = named[i].count;
      return true;
    }
  unsigned last;
  char file;
  if (sscanf(text, "%c[%u:%u]", &file, first, &last) != 3) {
    if (sscanf(text, "%c%u", &file, first) != 2)
      return false;
    last = *first;
  }
  *kind = file == 's' ? OPERAND_SGPR : OPERAND_VGPR;
  *first += file == 'a' ? AGPR_BASE : 0;
  *count = last - *first % AGPR_BASE + 1;
  return strchr("vas", file) != NULL;
}

static const Operand *slot(const Instruction *in, char letter) {
  switch (letter) {
  case 'd':
    return &in->d;
  case 'm':
    return &in->m;
  case 'a':
    return &in->a;
  case 'b':
    return &in->b;
  case 'c':
    return &in->c;
  case 'e':
    return &in->e;
  default:
    return NULL; // x: in the encoding only
  }
}

static bool same_operand(const char *text, const Operand *operand) {
  OperandKind kind;
  unsigned first, count;
  if (strcmp(text, "off") == 0)
    return operand->kind == OPERAND_NONE;
  if (strncmp(text, "src_", 4) == 0)
    return operand->kind == OPERAND_SPECIAL;
  if (!register_of(text, &kind, &first, &count))
    return operand->kind == OPERAND_CONSTANT;
  OperandKind got = operand->kind == OPERAND_VGPR_MODIFIED ? OPERAND_VGPR : operand->kind;
  bool negative = text[0] == '-', absolute = strchr(text, '|') != NULL;
  return got == kind && operand->index == first && operand->registers == count &&
         negative == (operand->modifiers & MODIFIER_NEG) &&
         absolute == !!(operand->modifiers & MODIFIER_ABS);
}

bool golden_text_agrees(const char *text, const Instruction *in, char *message, size_t size) {
  Part parts[MAX_PARTS];
  int count = split(text, parts);
  if (!same_mnemonic(parts[0].text, in->info->mnemonic)) {
    snprintf(message, size, "decoded as %s", in->info->mnemonic);
    return false;
  }
  const char *letters = in->info->operands;
  if (*letters == 'd' && count == (int)strlen(letters) && in->info->unit != UNIT_SALU)
    letters++; // no destination: an atomic without glc
  for (int i = 1; i < count && *letters; i++, letters++) {
    const Operand *operand = slot(in, *letters);
    if (operand && !same_operand(parts[i].text, operand)) {
      snprintf(message, size, "operand %s: decoded as kind %d, register %d, count %d",
               parts[i].text, operand->kind, operand->index, operand->registers);
      return false;
    }
  }
  return true;
}
