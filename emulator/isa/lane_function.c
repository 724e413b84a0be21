// Functions of rows in translated code: see lane_function.h.
#include "lane_function.h"

#include "jit.h"

#include <llvm-c/BitReader.h>
#include <stdio.h>
#include <string.h>

extern const char bitcode_vector_begin[], bitcode_vector_end[];
extern const char bitcode_scalar_begin[], bitcode_scalar_end[];

static const struct {
  const char *begin, *end;
} bitcode[] = {{bitcode_vector_begin, bitcode_vector_end},
               {bitcode_scalar_begin, bitcode_scalar_end}};
enum { MODULES = sizeof bitcode / sizeof *bitcode };
enum { LONGEST = 512 }; // instructions of a function
static LLVMModuleRef modules[MODULES];

bool lane_functions_start(void) {
  for (int i = 0; i < MODULES; i++) {
    if (modules[i])
      continue;
    LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRange(
        bitcode[i].begin, (size_t)(bitcode[i].end - bitcode[i].begin), "bitcode", false);
    LLVMBool failed = LLVMParseBitcodeInContext2(jit_context(), buffer, &modules[i]);
    LLVMDisposeMemoryBuffer(buffer);
    if (failed)
      return false;
  }
  return true;
}

static bool is_argument(LLVMValueRef value) { return LLVMIsAArgument(value) != NULL; }

// A load through an argument, perhaps only of lanes that need it.
static bool is_load(LLVMValueRef instruction) {
  LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);
  size_t length;
  if (opcode == LLVMCall) {
    const char *name = LLVMGetValueName2(LLVMGetCalledValue(instruction), &length);
    if (strncmp(name, "llvm.masked.load.", strlen("llvm.masked.load.")) != 0)
      return false;
  } else if (opcode != LLVMLoad) {
    return false;
  }
  return is_argument(LLVMGetOperand(instruction, 0));
}

// Plain instructions on values, loads and stores through arguments as they are, intrinsics.
static bool can_copy(LLVMValueRef instruction) {
  int operands = LLVMGetNumOperands(instruction);
  if (is_load(instruction))
    return true;
  switch (LLVMGetInstructionOpcode(instruction)) {
  case LLVMLoad:
    return false;
  case LLVMStore:
    return is_argument(LLVMGetOperand(instruction, 1)) &&
           !is_argument(LLVMGetOperand(instruction, 0));
  case LLVMCall:
    operands--;
    if (LLVMGetIntrinsicID(LLVMGetCalledValue(instruction)) == 0)
      return false;
    break;
  default:
    break;
  }
  for (int i = 0; i < operands; i++) {
    LLVMValueRef operand = LLVMGetOperand(instruction, (unsigned)i);
    if (is_argument(operand) || LLVMIsAGlobalValue(operand) || LLVMIsAConstantExpr(operand))
      return false;
  }
  return true;
}

LLVMValueRef lane_function(const InstructionInfo *info) {
  return lane_function_named(info->mnemonic);
}

LLVMValueRef lane_function_named(const char *mnemonic) {
  char name[64];
  snprintf(name, sizeof name, "%s", mnemonic);
  for (char *space = name; (space = strchr(space, ' '));)
    *space = '_'; // "v_add_u32 clamp"
  LLVMValueRef function = NULL;
  for (int i = 0; i < MODULES && !function; i++)
    function = LLVMGetNamedFunction(modules[i], name);
  if (!function || LLVMCountBasicBlocks(function) != 1)
    return NULL;
  LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);
  int count = 0;
  for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
    if (!can_copy(i) || ++count > LONGEST)
      return NULL;
  return function;
}

static LaneArgument *argument_of(LLVMValueRef function, LLVMValueRef value,
                                 LaneArgument *arguments) {
  unsigned i = 0;
  while (LLVMGetParam(function, i) != value)
    i++;
  return &arguments[i];
}

// The intrinsic that a call names, in the module that is written.
static LLVMValueRef declared_here(LLVMBuilderRef builder, LLVMValueRef callee) {
  LLVMModuleRef module = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInsertBlock(builder)));
  size_t length;
  const char *name = LLVMGetValueName2(callee, &length);
  LLVMValueRef declared = LLVMGetNamedFunction(module, name);
  return declared ? declared : LLVMAddFunction(module, name, LLVMGlobalGetValueType(callee));
}

// Instructions of a function that were copied, and their copies.
typedef struct {
  LLVMValueRef from[LONGEST], to[LONGEST];
  int count;
} Copies;

static LLVMValueRef copy_of(const Copies *copies, LLVMValueRef value) {
  for (int i = copies->count; i-- > 0;)
    if (copies->from[i] == value)
      return copies->to[i];
  return value; // a constant
}

LLVMValueRef lane_truth(LLVMValueRef bytes) {
  LLVMValueRef truth = LLVMIsAZExtInst(bytes) ? LLVMGetOperand(bytes, 0) : NULL;
  bool single = truth && LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(truth))) == 1;
  return single ? truth : NULL;
}

// A test of truth values that were made bytes of; NULL if this is none.
static LLVMValueRef copy_of_test(LLVMBuilderRef builder, LLVMValueRef from, const Copies *copies) {
  if (LLVMGetInstructionOpcode(from) != LLVMICmp || !LLVMIsNull(LLVMGetOperand(from, 1)))
    return NULL;
  LLVMValueRef tested = copy_of(copies, LLVMGetOperand(from, 0));
  bool vector = LLVMGetTypeKind(LLVMTypeOf(tested)) == LLVMVectorTypeKind;
  LLVMValueRef truth = vector ? lane_truth(tested) : NULL;
  LLVMIntPredicate relation = LLVMGetICmpPredicate(from);
  if (!truth || (relation != LLVMIntEQ && relation != LLVMIntNE))
    return NULL;
  return relation == LLVMIntNE ? truth : LLVMBuildNot(builder, truth, "");
}

// Truth values that were made bytes and then wider; NULL if these are none.
static LLVMValueRef copy_of_wider(LLVMBuilderRef builder, LLVMValueRef from, const Copies *copies) {
  if (LLVMGetInstructionOpcode(from) != LLVMZExt)
    return NULL;
  LLVMValueRef bytes = copy_of(copies, LLVMGetOperand(from, 0));
  bool vector = LLVMGetTypeKind(LLVMTypeOf(bytes)) == LLVMVectorTypeKind;
  LLVMValueRef truth = vector ? lane_truth(bytes) : NULL;
  return truth ? LLVMBuildZExt(builder, truth, LLVMTypeOf(from), "") : NULL;
}

static LLVMValueRef as_float(LLVMBuilderRef builder, LLVMValueRef halves) {
  LLVMTypeRef type = LLVMTypeOf(halves), wide = LLVMFloatTypeInContext(jit_context());
  if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
    wide = LLVMVectorType(wide, LLVMGetVectorSize(type));
  return LLVMBuildFPExt(builder, halves, wide, "");
}

static bool is_half(LLVMValueRef value) {
  LLVMTypeRef type = LLVMTypeOf(value);
  if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
    type = LLVMGetElementType(type);
  return LLVMGetTypeKind(type) == LLVMHalfTypeKind;
}

// A comparison of halves, which floats decide alike; NULL if this is none. Where the host compares
// halves itself (AVX512-FP16), LLVM 15 takes a < b and a > b of some lanes for the same.
static LLVMValueRef copy_of_half_comparison(LLVMBuilderRef builder, LLVMValueRef from,
                                            const Copies *copies) {
  if (LLVMGetInstructionOpcode(from) != LLVMFCmp || !is_half(LLVMGetOperand(from, 0)))
    return NULL;
  return LLVMBuildFCmp(builder, LLVMGetFCmpPredicate(from),
                       as_float(builder, copy_of(copies, LLVMGetOperand(from, 0))),
                       as_float(builder, copy_of(copies, LLVMGetOperand(from, 1))), "");
}

static LLVMValueRef copy(LLVMBuilderRef builder, LLVMValueRef from, const Copies *copies) {
  LLVMValueRef half = copy_of_half_comparison(builder, from, copies);
  if (half)
    return half;
  LLVMValueRef test = copy_of_test(builder, from, copies);
  if (test)
    return test;
  LLVMValueRef wider = copy_of_wider(builder, from, copies);
  if (wider)
    return wider;
  LLVMValueRef to = LLVMInstructionClone(from);
  int operands = LLVMGetNumOperands(to);
  if (LLVMGetInstructionOpcode(from) == LLVMCall)
    LLVMSetOperand(to, (unsigned)--operands, declared_here(builder, LLVMGetCalledValue(from)));
  for (unsigned i = 0; i < (unsigned)operands; i++)
    LLVMSetOperand(to, i, copy_of(copies, LLVMGetOperand(from, i)));
  LLVMInsertIntoBuilder(builder, to);
  return to;
}

void lane_function_copy(LLVMBuilderRef builder, LLVMValueRef function, LaneArgument *arguments) {
  Copies copies;
  copies.count = 0;
  LLVMValueRef from = LLVMGetFirstInstruction(LLVMGetFirstBasicBlock(function)), to;
  for (; LLVMGetInstructionOpcode(from) != LLVMRet; from = LLVMGetNextInstruction(from)) {
    if (LLVMGetInstructionOpcode(from) == LLVMStore) {
      argument_of(function, LLVMGetOperand(from, 1), arguments)->out =
          copy_of(&copies, LLVMGetOperand(from, 0));
      continue;
    }
    if (is_load(from))
      to = LLVMBuildBitCast(builder, argument_of(function, LLVMGetOperand(from, 0), arguments)->in,
                            LLVMTypeOf(from), "");
    else
      to = copy(builder, from, &copies);
    copies.from[copies.count] = from;
    copies.to[copies.count++] = to;
  }
}
