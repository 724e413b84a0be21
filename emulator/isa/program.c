// The decoded instructions of one code object: see program.h.
#include "program.h"

#include "block.h"
#include "decoder.h"

#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REASON_SIZE = 512 };
// Instructions of other objects. Whatever is kept by instruction, such as a launch's profile, has room for these, too.
enum { MOST_ELSEWHERE = 2048 };

// What is found out about a kernel once.
typedef struct {
  bool asked, calls;
  void *note[PROGRAM_NOTES];
} Known;

// The code of one object. It may be unloaded before the program is; its address is not used again.
typedef struct Code {
  CodeObject *object;
  uint64_t address;
  Instruction *slots; // one per 4 bytes of code; execute == NULL until decoded
  size_t slot_count;
  struct Code *next;
} Code;

struct Program {
  Code own; // and behind it that of other objects
  const Instruction **by_id;
  bool *noticed;               // by id
  bool zeros;                  // reads that bring 0 by design were told
  Known *known;                // by kernel
  uint32_t decoded, elsewhere; // of them in the code of other objects
};

static pthread_mutex_t filling = PTHREAD_MUTEX_INITIALIZER;

// Of large code, pages appear as they are written. One slot more than the code: running off its end
// decodes no bytes and faults.
static Code code_of_object(CodeObject *object) {
  const size_t count = object->text_size / 4;
  return (Code){.object = object,
                .address = object->text_address,
                .slots = calloc(count + 1, sizeof(Instruction)),
                .slot_count = count};
}

static const Code *next_code(const Code *code) {
  return __atomic_load_n(&code->next, __ATOMIC_ACQUIRE);
}

static size_t index_in(const Code *code, const Instruction *in) {
  return (size_t)(in - code->slots);
}

static const Code *code_with(const Program *program, const Instruction *in) {
  const Code *code = &program->own;
  while (in < code->slots || in > code->slots + code->slot_count)
    code = next_code(code);
  return code;
}

// A branch that leaves the code leads to the slot behind it, where nothing can be decoded.
static void keep_inside(const Code *code, size_t index, Instruction *branch) {
  const int64_t next = (int64_t)index + branch->words, target = next + branch->offset;
  if (target < 0 || target > (int64_t)code->slot_count)
    branch->offset = (int32_t)((int64_t)code->slot_count - next);
}

static bool has_number_for(const Program *program, const Code *code, char *message, size_t size) {
  const bool has = code == &program->own || program->elsewhere < MOST_ELSEWHERE;
  if (!has)
    snprintf(message, size,
             "the kernels of this module have called more than %d instructions of other modules, "
             "which the emulator does not serve",
             MOST_ELSEWHERE);
  return has;
}

void program_before_fork(void) { pthread_mutex_lock(&filling); }
void program_after_fork(void) { pthread_mutex_unlock(&filling); }

static bool fill_slot(Program *program, const Code *code, size_t index, char *message,
                      size_t message_size) {
  Instruction *slot = &code->slots[index], decoded;
  bool known = true;
  pthread_mutex_lock(&filling);
  if (!slot->execute) {
    known = has_number_for(program, code, message, message_size) &&
            decoder_decode((const uint8_t *)code->address + 4 * index,
                           code->object->text_size - 4 * index, &decoded, message, message_size);
    if (known) {
      decoded.id = program->decoded;
      program->elsewhere += code != &program->own;
      if (decoded.info->unit == UNIT_BRANCH)
        keep_inside(code, index, &decoded);
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
  const Code *code = code_with(program, in);
  return fill_slot(program, code, index_in(code, in), message, message_size);
}

bool program_open(CodeObject *object) {
  if (!decoder_start())
    return false;
  Program *program = calloc(1, sizeof *program);
  const Code own = code_of_object(object);
  const size_t count = own.slot_count + 1 + MOST_ELSEWHERE;
  const Instruction **by_id = calloc(count, sizeof *by_id);
  bool *noticed = calloc(count, sizeof *noticed);
  Known *known = calloc(object->kernel_count + 1, sizeof *known);
  if (!program || !own.slots || !by_id || !noticed || !known) {
    free(own.slots);
    free(by_id);
    free(noticed);
    free(known);
    free(program);
    return false;
  }
  *program = (Program){.own = own, .by_id = by_id, .noticed = noticed, .known = known};
  object->program = program;
  return true;
}

static void free_code(Code *own) {
  free(own->slots);
  for (Code *code = own->next, *next; code; code = next) {
    next = code->next;
    free(code->slots);
    free(code);
  }
}

void program_close(CodeObject *object) {
  Program *program = object->program;
  if (!program)
    return;
  for (uint32_t id = 0; id < program->decoded; id++)
    block_free(program->by_id[id]->block);
  free_code(&program->own);
  free(program->by_id);
  free(program->noticed);
  for (size_t i = 0; i < object->kernel_count; i++)
    for (int which = 0; which < PROGRAM_NOTES; which++)
      free(program->known[i].note[which]);
  free(program->known);
  free(program);
  object->program = NULL;
}

Instruction *program_slot(Program *program, const Instruction *in) {
  const Code *code = code_with(program, in);
  return &code->slots[index_in(code, in)];
}

uint64_t program_address(const Program *program, const Instruction *in) {
  const Code *code = code_with(program, in);
  return code->address + 4 * index_in(code, in);
}

CodeObject *program_object(const Program *program, const Instruction *in) {
  return code_with(program, in)->object;
}

static const Instruction *slot_at(const Code *code, uint64_t address) {
  const uint64_t offset = address - code->address;
  return offset % 4 == 0 && offset / 4 < code->slot_count ? &code->slots[offset / 4] : NULL;
}

const Instruction *program_at(const Program *program, uint64_t address) {
  return slot_at(&program->own, address);
}

// The object's code behind the program's own; NULL if the host has no memory.
static const Code *join(Program *program, CodeObject *object) {
  pthread_mutex_lock(&filling);
  Code *last = &program->own;
  while (last->next && last->address != object->text_address)
    last = last->next;
  if (last->address != object->text_address) {
    const Code code = code_of_object(object);
    Code *joined = code.slots ? malloc(sizeof *joined) : NULL;
    if (joined)
      *joined = code;
    else
      free(code.slots);
    __atomic_store_n(&last->next, joined, __ATOMIC_RELEASE);
    last = joined;
  }
  pthread_mutex_unlock(&filling);
  return last;
}

// Code that was joined may have been unloaded since, so this is asked each time.
const Instruction *program_elsewhere(Program *program, uint64_t address) {
  CodeObject *object = code_object_at(address);
  const Code *code = object ? join(program, object) : NULL;
  return code ? slot_at(code, address) : NULL;
}

static Known *known_of(Program *program, const Kernel *kernel) {
  const CodeObject *object = program->own.object;
  const bool own = kernel >= object->kernels && kernel < object->kernels + object->kernel_count;
  return own ? &program->known[kernel - object->kernels] : NULL;
}

void **program_note(Program *program, const Kernel *kernel, ProgramNote which) {
  Known *known = known_of(program, kernel);
  return known ? &known->note[which] : NULL;
}

uint32_t program_instruction_count(const Program *program) { return program->decoded; }
const Instruction *program_instruction(const Program *program, uint32_t id) {
  return program->by_id[id];
}
bool program_first_notice(Program *program, uint32_t id) {
  return !__atomic_exchange_n(&program->noticed[id], true, __ATOMIC_RELAXED);
}
bool program_noticed(const Program *program, uint32_t id) {
  return __atomic_load_n(&program->noticed[id], __ATOMIC_RELAXED);
}
bool program_first_zeros(Program *program) {
  return !__atomic_exchange_n(&program->zeros, true, __ATOMIC_RELAXED);
}
size_t program_slots(const Program *program) { return program->own.slot_count + MOST_ELSEWHERE; }

static bool has_calls(Program *program, const Kernel *kernel) {
  char message[REASON_SIZE];
  const Code *code = &program->own;
  const uint64_t begin = kernel->entry - code->address, end = begin + kernel->code_size;
  for (uint64_t offset = begin; offset < end && offset / 4 < code->slot_count;) {
    if (!fill_slot(program, code, offset / 4, message, sizeof message))
      return false; // execution will say so if it gets there
    const Instruction *in = &code->slots[offset / 4];
    if (in->info->calls)
      return true;
    offset += 4u * in->words;
  }
  return false;
}

// The code is looked at once: a kernel may be launched a million times.
bool program_calls(Program *program, const Kernel *kernel) {
  Known *known = known_of(program, kernel);
  if (known && known->asked)
    return known->calls;
  const bool calls = has_calls(program, kernel);
  if (known)
    known->calls = calls, known->asked = true;
  return calls;
}
