// The instruction loop of one wavefront, and the sentence that ends it when something is wrong. See
// wavefront.h.
#include "wavefront.h"

#include "code_object_lines.h"
#include "decoder.h"

#include <stdio.h>
#include <string.h>

// Moves the number of a vector register by M0; false if that leaves the registers of its kind that
// the wave has, and then it is register 0. The wave has ArchVGPRs up to the descriptor's
// accum_offset and AccVGPRs in the rest of its allocation, of which 256 can be named.
static bool move_operand(const Wavefront *w, Operand *operand) {
  const Kernel *kernel = w->thread->launch->kernel;
  uint32_t first = operand->index < AGPR_BASE ? 0 : AGPR_BASE;
  uint32_t count = first ? kernel->allocated_vgprs - kernel->accum_offset : kernel->accum_offset;
  uint32_t number = operand->index - first + (w->m0 & 0xff);
  bool inside = number + operand->registers <= (count < AGPR_BASE ? count : AGPR_BASE);
  operand->index = (uint16_t)(inside ? first + number : first);
  return inside;
}

// s_set_gpr_idx_on: VGPR operands are moved by M0 for as long as the mode lasts. The compiler may
// write outside an array, into a copy that it throws away: element n - 1 where n is 0. CDNA2 ISA
// guide, 3.6.1: out of range is vgpr >= vgpr_size, a source then reads VGPR 0, a destination makes
// the instruction a no-op, and no index leads from one kind of register to another. M0 counts as 8
// bits without sign and the sum does not wrap: -2 is 254, which is out of range. Of operands with
// several registers the guide says nothing; here they are out of range if any of them is.
static void execute_indexed(Wavefront *w, const Instruction *in) {
  Instruction moved = *in;
  Operand *operand[] = {&moved.a, &moved.b, &moved.c, &moved.d};
  enum { DESTINATION = 3 };
  for (int i = 0; i < 4; i++)
    if ((w->gpr_index_mode >> i & 1) && operand[i]->registers &&
        operand[i]->kind <= OPERAND_VGPR_MODIFIED && !move_operand(w, operand[i]) &&
        i == DESTINATION)
      return;
  in->execute(w, &moved);
}

// Decodes the slot that the wave is about to execute, or faults. What LLVM can name and the
// instruction table cannot is a gap of the emulator.
static void decode(Wavefront *w, const Instruction *in) {
  char message[512], text[256];
  if (program_decode(w->thread->program, in, message, sizeof message))
    return;
  const CodeObject *object = w->thread->launch->kernel->object;
  const uint64_t address = program_address(w->thread->program, in);
  decoder_disassemble((const uint8_t *)address, object->text_address + object->text_size - address,
                      text, sizeof text);
  wavefront_fault(w, text[0] ? FAULT_GAP : FAULT_INSTRUCTION, -1, "%s", message);
}

void wavefront_run(Wavefront *w, uint64_t slice) {
  InstructionProfile *profile = w->thread->profile;
  uint64_t until = w->issued + slice < w->thread->budget ? w->issued + slice : w->thread->budget;
  w->yield = false;
  while (!w->yield) {
    const Instruction *in = w->next;
    Execute *execute = __atomic_load_n(&in->execute, __ATOMIC_ACQUIRE);
    w->in = in;
    if (__builtin_expect(!execute, 0)) {
      decode(w, in);
      continue;
    }
    w->next = in + in->words;
    profile[in->id].executions++;
    profile[in->id].lanes += (uint64_t)__builtin_popcountll(w->exec);
    w->trace.used += in->uses;
    if (__builtin_expect(w->gpr_index_mode, 0) && in->info->unit == UNIT_VALU)
      execute_indexed(w, in);
    else
      execute(w, in);
    if (__builtin_expect(++w->issued >= until, 0))
      break;
  }
  if (w->issued >= w->thread->budget && w->state == WAVE_RUNNING)
    wavefront_fault(w, FAULT_BUDGET, -1,
                    "the wave has issued %llu instructions without coming to an end: an endless "
                    "loop? A kernel that really needs more runs with "
                    "EMULATOR_INSTRUCTION_BUDGET=N in the environment (instructions per wave)",
                    (unsigned long long)w->issued);
}

static void append_threads(const Wavefront *w, int lane, Fault *fault) {
  const uint32_t *block = w->group->size, *group = w->group->id;
  uint32_t first = w->number * LANES + (lane >= 0 ? (uint32_t)lane : 0);
  uint32_t x = first % block[0], y = first / block[0] % block[1], z = first / block[0] / block[1];
  fault_append(fault, "block (%u, %u, %u), ", group[0], group[1], group[2]);
  if (lane >= 0)
    fault_append(fault, "thread (%u, %u, %u)", x, y, z);
  else
    fault_append(fault, "wave %u (from thread (%u, %u, %u) on)", w->number, x, y, z);
}

static void append_position(const Wavefront *w, Fault *fault) {
  const Program *program = w->thread->program;
  const Kernel *kernel = w->thread->launch->kernel;
  const Instruction *in = w->in ? w->in : w->next;
  uint64_t address = program_address(program, in);
  CodeObject *object = kernel->object;
  char text[256];
  decoder_disassemble((const uint8_t *)address, object->text_address + object->text_size - address,
                      text, sizeof text);
  const char *file;
  int line;
  if (code_object_line(object, address, &file, &line))
    fault_append(fault, "\n  at %s:%d", file, line);
  else
    fault_append(fault,
                 "\n  at an unknown source line (compile with -gline-tables-only to see it)");
  fault_append(fault, ", instruction \"%s\" ", text[0] ? text : "?");
  if (address - kernel->entry < kernel->code_size)
    fault_append(fault, "at offset 0x%llx of the kernel", address - kernel->entry + 0ull);
  else
    fault_append(fault, "in a function that the kernel calls");
}

// The whole report: who (kernel, block, thread), what, where (source line, instruction).
static void describe(Wavefront *w, int lane, const char *format, va_list arguments, Fault *fault) {
  fault_append(fault, "kernel %s, ", w->thread->launch->kernel->name);
  append_threads(w, lane, fault);
  char what[768];
  vsnprintf(what, sizeof what, format, arguments);
  fault_append(fault, ": %s.", what);
  append_position(w, fault);
}

_Noreturn void wavefront_fault(Wavefront *w, FaultKind kind, int lane, const char *format, ...) {
  Fault *fault = &w->thread->fault;
  *fault = (Fault){.kind = kind};
  va_list arguments;
  va_start(arguments, format);
  describe(w, lane, format, arguments, fault);
  va_end(arguments);
  longjmp(w->thread->on_fault, 1);
}

bool wavefront_in_kernel(const Wavefront *w) {
  const Kernel *kernel = w->thread->launch->kernel;
  return program_address(w->thread->program, w->in) - kernel->entry < kernel->code_size;
}

static void tell(Wavefront *w, int lane, const char *format, va_list arguments) {
  Fault notice = {.kind = FAULT_NONE};
  describe(w, lane, format, arguments, &notice);
  fprintf(stderr, "emulator: note: %s\n", notice.text);
}

void wavefront_tell(Wavefront *w, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  tell(w, -1, format, arguments);
  va_end(arguments);
}

void wavefront_notice(Wavefront *w, int lane, const char *format, ...) {
  if (!program_first_notice(w->thread->program, w->in->id))
    return;
  va_list arguments;
  va_start(arguments, format);
  tell(w, lane, format, arguments);
  va_end(arguments);
}
