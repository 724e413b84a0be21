// The sentence that ends a wavefront when something is wrong. See wavefront.h.
#include "wavefront.h"

#include "decoder.h"
#include "source_line.h"

#include <stdio.h>
#include <string.h>

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
  CodeObject *object = program_object(program, in);
  char text[256];
  decoder_disassemble((const uint8_t *)address, object->text_address + object->text_size - address,
                      text, sizeof text);
  char line[300];
  if (source_line(w->thread->program, w->thread->launch->kernel, in, line, sizeof line))
    fault_append(fault, "\n  at %s", line);
  else
    fault_append(fault, "\n  at an unknown source line%s",
                 object->lines ? "" : " (compile with -gline-tables-only to see it)");
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

void wavefront_note_fault(const Wavefront *w, FaultKind kind, const char *format, ...) {
  Fault *fault = &w->thread->fault;
  char what[768];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  *fault = (Fault){.kind = kind};
  fault_append(fault, "kernel %s, ", w->thread->launch->kernel->name);
  append_threads(w, -1, fault);
  fault_append(fault, ": %s.", what);
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
