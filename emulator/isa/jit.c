// Machine code at run time: see jit.h.
#include "jit.h"

#include <llvm-c/LLJIT.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdio.h>
#include <string.h>

static LLVMOrcLLJITRef engine;
static LLVMTargetMachineRef machine[JIT_LEVELS];
static LLVMContextRef context;
static bool tried;

// The linker gives LLVM's archives this one in place of the C library's (Makefile), so that nothing of LLVM is taken apart when
// a program ends: a kernel may be running, and LLVM be at work for it.
int __wrap___cxa_atexit(void (*destroy)(void *), void *object, void *library);
int __wrap___cxa_atexit(void (*destroy)(void *), void *object, void *library) {
  (void)destroy, (void)object, (void)library;
  return 0;
}

// True if there was none; says nothing, because a program runs without compiled code, too.
static bool no_error(LLVMErrorRef error) {
  if (error)
    LLVMConsumeError(error);
  return !error;
}

static bool this_host(void) {
  static const LLVMCodeGenOptLevel effort[] = {
      [JIT_QUICK] = LLVMCodeGenLevelNone, [JIT_BEST] = LLVMCodeGenLevelLess};
  LLVMTargetRef target;
  char *triple = LLVMGetDefaultTargetTriple(), *error = NULL;
  char *cpu = LLVMGetHostCPUName(), *features = LLVMGetHostCPUFeatures();
  bool known = !LLVMGetTargetFromTriple(triple, &target, &error);
  for (int level = 0; known && level < JIT_LEVELS; level++) {
    machine[level] = LLVMCreateTargetMachine(target, triple, cpu, features, effort[level],
                                             LLVMRelocDefault, LLVMCodeModelJITDefault);
    known = machine[level];
  }
  if (!strstr(features, "+avx2"))
    fprintf(stderr, "emulator: note: this machine's processor has no AVX2, so that kernels take "
                    "several times as long as elsewhere.\n");
  LLVMDisposeMessage(error);
  LLVMDisposeMessage(features);
  LLVMDisposeMessage(cpu);
  LLVMDisposeMessage(triple);
  return known;
}

// Functions of libm and of the compiler's runtime that machine code may call.
static bool find_symbols_in_process(void) {
  LLVMOrcDefinitionGeneratorRef process;
  if (!no_error(LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(
          &process, LLVMOrcLLJITGetGlobalPrefix(engine), NULL, NULL)))
    return false;
  LLVMOrcJITDylibAddGenerator(LLVMOrcLLJITGetMainJITDylib(engine), process);
  return true;
}

static void stay_silent(void *unused, LLVMErrorRef error) {
  (void)unused;
  LLVMConsumeError(error);
}

bool jit_start(void) {
  if (tried)
    return engine;
  tried = true;
  if (LLVMInitializeNativeTarget() || LLVMInitializeNativeAsmPrinter())
    return false;
  if (!this_host() || !no_error(LLVMOrcCreateLLJIT(&engine, NULL))) {
    engine = NULL;
    return false;
  }
  if (!find_symbols_in_process())
    return false;
  LLVMOrcExecutionSessionSetErrorReporter(LLVMOrcLLJITGetExecutionSession(engine), stay_silent,
                                          NULL);
  context = LLVMContextCreate();
  return true;
}

LLVMContextRef jit_context(void) { return context; }

// Computes what is made of constants alone. LLVM 15's instruction selection for AVX512 leaves some results
// of such a chain undefined: v_rcp_f32, v_cvt_u32_f32 and v_mul_hi_u32 of constants, as a division by a
// constant begins, are one.
static bool fold_constants(LLVMModuleRef module, JitLevel level) {
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  bool folded = no_error(LLVMRunPasses(module, "function(instsimplify)", machine[level], options));
  LLVMDisposePassBuilderOptions(options);
  return folded;
}

// A value that is used once, or a constant, needs no second one.
static void freeze_operand(LLVMBuilderRef builder, LLVMValueRef select, unsigned i) {
  LLVMValueRef value = LLVMGetOperand(select, i);
  LLVMUseRef use = LLVMIsAInstruction(value) ? LLVMGetFirstUse(value) : NULL;
  if (!use || !LLVMGetNextUse(use))
    return;
  LLVMPositionBuilderBefore(builder, select);
  LLVMSetOperand(select, i, LLVMBuildFreeze(builder, value, ""));
}

// Gives selects of lanes values of their own. LLVM's instruction selection for AVX512 (15 and 19 do it) takes the
// operands of vpternlogd in a wrong order where one of them is also what the lanes keep that are off, as
// in v_bfi_b32 v1, 15, v2, v1 while not all lanes are on.
static void keep_selected_apart(LLVMValueRef function) {
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
       block = LLVMGetNextBasicBlock(block))
    for (LLVMValueRef in = LLVMGetFirstInstruction(block); in; in = LLVMGetNextInstruction(in))
      if (LLVMIsASelectInst(in) && LLVMGetTypeKind(LLVMTypeOf(in)) == LLVMVectorTypeKind) {
        freeze_operand(builder, in, 1);
        freeze_operand(builder, in, 2);
      }
  LLVMDisposeBuilder(builder);
}

JitCode jit_compile(LLVMModuleRef module, const char *function, JitLevel level) {
  LLVMMemoryBufferRef object = NULL;
  char *error = NULL;
  LLVMSetTarget(module, LLVMOrcLLJITGetTripleString(engine));
  LLVMSetDataLayout(module, LLVMOrcLLJITGetDataLayoutStr(engine));
  const bool folded = fold_constants(module, level);
  keep_selected_apart(LLVMGetNamedFunction(module, function));
  bool failed = !folded || LLVMTargetMachineEmitToMemoryBuffer(machine[level], module,
                                                               LLVMObjectFile, &error, &object);
  LLVMDisposeMessage(error);
  LLVMDisposeModule(module);
  if (failed)
    return (JitCode){0};
  LLVMOrcResourceTrackerRef owner =
      LLVMOrcJITDylibCreateResourceTracker(LLVMOrcLLJITGetMainJITDylib(engine));
  LLVMOrcExecutorAddress address = 0;
  if (!no_error(LLVMOrcLLJITAddObjectFileWithRT(engine, owner, object)) ||
      !no_error(LLVMOrcLLJITLookup(engine, &address, function)))
    address = 0;
  return (JitCode){(void *)address, owner};
}

void jit_free(JitCode code) {
  if (!code.owner)
    return;
  no_error(LLVMOrcResourceTrackerRemove(code.owner));
  LLVMOrcReleaseResourceTracker(code.owner);
}
