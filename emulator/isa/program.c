// The decoded instructions of one code object: see program.h.
#include "program.h"

#include "block.h"
#include "decoder.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { REASON_SIZE = 512 };

// What is found out about a kernel once.
typedef struct {
  uint8_t asked, answers; // a bit for each question
  void *note;
} Known;

struct Program {
  CodeObject *object;
  Instruction *slots; // one per 4 bytes of code; execute == NULL until decoded
  size_t slot_count;
  const Instruction **by_id;
  bool *noticed; // by id
  bool zeros;    // reads that bring 0 by design were told
  Known *known;  // by kernel
  uint32_t decoded;
};

static pthread_mutex_t filling = PTHREAD_MUTEX_INITIALIZER;

static size_t index_of(const Program *program, const Instruction *in) {
  return (size_t)(in - program->slots);
}

// A branch that leaves the code leads to the slot behind it, where nothing can be decoded.
static void keep_inside(const Program *program, size_t index, Instruction *branch) {
  const int64_t next = (int64_t)index + branch->words, target = next + branch->offset;
  if (target < 0 || target > (int64_t)program->slot_count)
    branch->offset = (int32_t)((int64_t)program->slot_count - next);
}

static bool fill_slot(Program *program, size_t index, char *message, size_t message_size) {
  Instruction *slot = &program->slots[index], decoded;
  const uint8_t *code = (const uint8_t *)program->object->text_address + 4 * index;
  bool known = true;
  pthread_mutex_lock(&filling);
  if (!slot->execute) {
    known = decoder_decode(code, program->object->text_size - 4 * index, &decoded, message,
                           message_size);
    if (known) {
      decoded.id = program->decoded;
      if (decoded.info->unit == UNIT_BRANCH)
        keep_inside(program, index, &decoded);
      enum { FIRST = sizeof slot->execute }; // which other threads may look at meanwhile
      _Static_assert(offsetof(Instruction, execute) == 0, "all behind it is copied");
      memcpy((uint8_t *)slot + FIRST, (const uint8_t *)&decoded + FIRST, sizeof decoded - FIRST);
      program->by_id[program->decoded++] = slot;
      __atomic_store_n(&slot->execute, decoded.execute,
                       __ATOMIC_RELEASE); // other threads see the slot complete
    }
  }
  pthread_mutex_unlock(&filling);
  return known;
}

bool program_decode(Program *program, const Instruction *in, char *message, size_t message_size) {
  return fill_slot(program, index_of(program, in), message, message_size);
}

bool program_open(CodeObject *object) {
  if (!decoder_start())
    return false;
  Program *program = calloc(1, sizeof *program);
  size_t count = object->text_size / 4;
  // Of large code, pages appear as they are written. One slot more than the code: running off its end
  // decodes no bytes and faults.
  Instruction *slots = calloc(count + 1, sizeof *slots);
  const Instruction **by_id = calloc(count + 1, sizeof *by_id);
  bool *noticed = calloc(count + 1, sizeof *noticed);
  Known *known = calloc(object->kernel_count + 1, sizeof *known);
  if (!program || !slots || !by_id || !noticed || !known) {
    free(slots);
    free(by_id);
    free(noticed);
    free(known);
    free(program);
    return false;
  }
  *program = (Program){.object = object,
                       .slots = slots,
                       .slot_count = count,
                       .by_id = by_id,
                       .noticed = noticed,
                       .known = known};
  object->program = program;
  return true;
}

void program_close(CodeObject *object) {
  Program *program = object->program;
  if (!program)
    return;
  for (uint32_t id = 0; id < program->decoded; id++)
    block_free(program->by_id[id]->block);
  free(program->slots);
  free(program->by_id);
  free(program->noticed);
  for (size_t i = 0; i < object->kernel_count; i++)
    free(program->known[i].note);
  free(program->known);
  free(program);
  object->program = NULL;
}

Instruction *program_slot(Program *program, const Instruction *in) {
  return &program->slots[index_of(program, in)];
}

uint64_t program_address(const Program *program, const Instruction *in) {
  return program->object->text_address + 4 * index_of(program, in);
}

const Instruction *program_at(const Program *program, uint64_t address) {
  uint64_t offset = address - program->object->text_address;
  return offset % 4 == 0 && offset / 4 < program->slot_count ? &program->slots[offset / 4] : NULL;
}

static Known *known_of(Program *program, const Kernel *kernel) {
  const CodeObject *object = program->object;
  const bool own = kernel >= object->kernels && kernel < object->kernels + object->kernel_count;
  return own ? &program->known[kernel - object->kernels] : NULL;
}

void **program_note(Program *program, const Kernel *kernel) {
  Known *known = known_of(program, kernel);
  return known ? &known->note : NULL;
}

uint32_t program_instruction_count(const Program *program) { return program->decoded; }
const Instruction *program_instruction(const Program *program, uint32_t id) {
  return program->by_id[id];
}
bool program_first_notice(Program *program, uint32_t id) {
  return !__atomic_exchange_n(&program->noticed[id], true, __ATOMIC_RELAXED);
}
bool program_first_zeros(Program *program) {
  return !__atomic_exchange_n(&program->zeros, true, __ATOMIC_RELAXED);
}
size_t program_slots(const Program *program) { return program->slot_count; }

static bool is_shared(const Instruction *in) {
  return in->info->unit == UNIT_GLOBAL || in->info->unit == UNIT_FLAT ||
         in->info->unit == UNIT_BUFFER;
}
static bool orders(const Instruction *in) {
  return in->info->calls || (is_shared(in) && in->info->action == MEMORY_ATOMIC);
}
static bool hands_on(const Instruction *in) { // with glc it returns what was there
  return orders(in) && (in->info->calls || in->glc);
}
static bool watches(const Instruction *in) { // with slc it is a nontemporal load
  return is_shared(in) && in->info->action == MEMORY_LOAD && in->glc && !in->slc;
}

static bool has(Program *program, const Kernel *kernel, bool (*wanted)(const Instruction *)) {
  char message[REASON_SIZE];
  uint64_t begin = kernel->entry - program->object->text_address;
  for (uint64_t offset = begin;
       offset < begin + kernel->code_size && offset / 4 < program->slot_count;) {
    if (!fill_slot(program, offset / 4, message, sizeof message))
      return false; // execution will say so if it gets there
    const Instruction *in = &program->slots[offset / 4];
    if (wanted(in))
      return true;
    offset += 4u * in->words;
  }
  return false;
}

// The code is looked at once: a kernel may be launched a million times.
static bool answer(Program *program, const Kernel *kernel, uint8_t question,
                   bool (*wanted)(const Instruction *)) {
  Known *known = known_of(program, kernel);
  if (!known)
    return has(program, kernel, wanted);
  if (!(known->asked & question))
    known->answers |= has(program, kernel, wanted) ? question : 0;
  known->asked |= question;
  return known->answers & question;
}

enum { ORDERS = 1, WATCHES = 2, HANDS_ON = 4 };

bool program_needs_order(Program *program, const Kernel *kernel) {
  return answer(program, kernel, ORDERS, orders);
}

bool program_watches_memory(Program *program, const Kernel *kernel) {
  return answer(program, kernel, WATCHES, watches);
}

bool program_hands_on(Program *program, const Kernel *kernel) {
  return answer(program, kernel, HANDS_ON, hands_on);
}
