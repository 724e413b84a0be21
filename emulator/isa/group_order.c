// Order among workgroups: see group_order.h.
#include "group_order.h"

#include "block.h"
#include "flag_load.h"
#include "reached_code.h"

#include <stdlib.h>

static bool is_shared(const Instruction *in) {
  return in->info->unit == UNIT_GLOBAL || in->info->unit == UNIT_FLAT ||
         in->info->unit == UNIT_BUFFER;
}

static bool tells_of_others(Program *program, const Instruction *in) {
  if (!is_shared(in) || !in->glc || in->slc) // with slc a load is nontemporal
    return false;
  if (in->info->action == MEMORY_LOAD) // volatile or atomic, but for atomicMax() of floats
    return !flag_load_begins_sum(program, in);
  return in->info->action == MEMORY_ATOMIC && !flag_load_sums(program, in);
}

static bool waits_for_flag(Program *program, const Instruction *in) {
  return is_shared(in) && in->info->action == MEMORY_LOAD &&
         flag_load_role(NULL, program, in, 0) == LOAD_WAITS;
}

static const Instruction *decoded_at(Program *program, uint64_t address) {
  char message[512];
  const Instruction *in = program_at(program, address);
  return in && program_decode(program, in, message, sizeof message) ? in : NULL;
}

static bool kernel_has(Program *program, const Kernel *kernel, Wanted *wanted) {
  const uint64_t end = kernel->entry + kernel->code_size;
  for (uint64_t at = kernel->entry; at < end;) {
    const Instruction *in = decoded_at(program, at);
    if (in && wanted(program, in))
      return true;
    at += in ? 4u * in->words : 4;
  }
  return false;
}

static bool ends_function(const Instruction *in) {
  return begins_with(in, "s_setpc") || begins_with(in, "s_endpgm");
}

// The functions behind printf, assert and malloc wait for the host, to which they send a message, and for no workgroup.
static bool calls_the_host(const Instruction *in) { return begins_with(in, "s_sendmsg"); }

// Bytes of a kernel's code at this address; 0 if none begins there.
static uint64_t kernel_at(const CodeObject *object, uint64_t address) {
  enum { ALIGNED = 256 }; // bytes, as kernels are (AMDGPUUsage.rst, "Kernel Descriptor")
  uint64_t bytes = 0;
  for (size_t i = 0; address % ALIGNED == 0 && i < object->kernel_count; i++)
    if (object->kernels[i].entry == address)
      bytes = object->kernels[i].code_size;
  return bytes;
}

// Some function of the object, whichever of them the kernel calls, unless it calls the host. Between functions may stand anything.
static bool some_function_has(Program *program, const CodeObject *object, Wanted *wanted) {
  bool has = false, host = false;
  const uint64_t end = object->text_address + object->text_size;
  for (uint64_t at = object->text_address; at < end;) {
    const uint64_t kernel = kernel_at(object, at) / 4 * 4;
    if (kernel) {
      at += kernel;
      continue;
    }
    const Instruction *in = decoded_at(program, at);
    has = has || (in && wanted(program, in));
    host = host || (in && calls_the_host(in));
    if (in && ends_function(in)) {
      if (has && !host)
        return true;
      has = host = false;
    }
    at += in ? 4u * in->words : 4;
  }
  return false;
}

// The kernel, or what it may call.
static bool reaches(Program *program, const Kernel *kernel, Wanted *wanted) {
  enum { LARGE = 1 << 20 }; // bytes of code, which are not looked through and count as having it
  const CodeObject *object = kernel->object;
  if (!program_calls(program, kernel))
    return kernel_has(program, kernel, wanted);
  const Reaches reaches = reached_code_has(program, kernel, wanted, true);
  return reaches == REACHES_ONE ||
         (reaches == REACHES_UNKNOWN &&
          (object->text_size > LARGE || some_function_has(program, object, wanted)));
}

static bool is_shared_atomic(Program *program, const Instruction *in) {
  (void)program;
  return is_shared(in) && in->info->action == MEMORY_ATOMIC;
}

static bool has_atomics(Program *program, const Kernel *kernel) {
  return program_calls(program, kernel)
             ? reached_code_has(program, kernel, is_shared_atomic, false) != REACHES_NONE
             : kernel_has(program, kernel, is_shared_atomic);
}

static bool may_know(Program *program, const Kernel *kernel) {
  return reaches(program, kernel, tells_of_others);
}

static bool is_volatile_load(Program *program, const Instruction *in) {
  (void)program;
  return in->info->unit == UNIT_FLAT && in->info->action == MEMORY_LOAD && in->glc;
}

static bool loads_volatile(Program *program, const Kernel *kernel) {
  return reaches(program, kernel, is_volatile_load);
}

// By LDS, or by memory.
static bool hands_on_to_waves(Program *program, const Instruction *in) {
  const bool lds = in->info->unit == UNIT_LDS, loads = in->info->action == MEMORY_LOAD;
  if (!lds && !is_shared(in))
    return false;
  return (in->info->action == MEMORY_ATOMIC && in->d.kind != OPERAND_NONE) ||
         (loads && !lds && in->glc) || (loads && flag_load_in_loop(program, in));
}

static bool waves_may_know(Program *program, const Kernel *kernel) {
  return reaches(program, kernel, hands_on_to_waves);
}

// Looked at once for each kernel.
static bool known(Program *program, const Kernel *kernel, ProgramNote which,
                  bool (*look)(Program *program, const Kernel *kernel)) {
  void **note = program_note(program, kernel, which);
  if (!note)
    return look(program, kernel);
  bool *found = __atomic_load_n(note, __ATOMIC_ACQUIRE);
  if (!found && (found = malloc(sizeof *found))) {
    *found = look(program, kernel);
    void *none = NULL;
    if (!__atomic_compare_exchange_n(note, &none, found, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE)) {
      free(found);
      found = none;
    }
  }
  return found ? *found : look(program, kernel);
}

bool group_order_by_values(Program *program, const Kernel *kernel) {
  return known(program, kernel, NOTE_ORDER, may_know);
}

bool group_order_of_waves(Program *program, const Kernel *kernel) {
  return known(program, kernel, NOTE_WAVE_ORDER, waves_may_know);
}

bool group_order_has_volatile(Program *program, const Kernel *kernel) {
  return known(program, kernel, NOTE_VOLATILE, loads_volatile);
}

bool group_order_by_atomics(Program *program, const Kernel *kernel) {
  return known(program, kernel, NOTE_ATOMICS, has_atomics);
}

bool group_order_by_flags(Program *program, const Kernel *kernel) {
  return kernel_has(program, kernel, waits_for_flag);
}

static bool polls_one(Program *program, const Instruction *in) {
  return in->glc && waits_for_flag(program, in);
}

static bool polls(Program *program, const Kernel *kernel) {
  return kernel_has(program, kernel, polls_one);
}

bool group_order_polls(Program *program, const Kernel *kernel) {
  return known(program, kernel, NOTE_POLLS, polls);
}
