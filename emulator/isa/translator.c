// When blocks are translated: see translator.h.
//
// LLVM has one state, so one block is translated at a time. Waves come to a hot block again and
// again: an order that finds the thread busy is not kept. The thread ends before the launch does,
// because LLVM takes itself down, piece by piece, when the process ends.
#include "translator.h"

#include "block_code.h"
#include "cas_loop.h"
#include "host_limits.h"
#include "lane_function.h"
#include "own_thread.h"
#include "translation.h"

#include <pthread.h>
#include <stdlib.h>

enum {
  WORTH_MORE = 64,     // times as many as are worth a translation are worth a better one
  WORTH_START = 8,     // times as many are worth the start of LLVM
  MOST_BEHIND = 32,    // blocks that are translated with the one before them
  LONGEST_CODE = 1024, // instructions of blocks that are translated together
  SELDOM = 64,         // so much less than is worth a translation leaves a block out of them
};

// What is worth a translation, in instructions executed. LLVM takes 0.2 to 0.5 ms for an instruction of a short block, and of one of
// 500 up to 2 ms, or 5 ms for the better code (measured on one host): a longer block must be worth as many times more.
enum { QUICK_LENGTH = 16, BEST_LENGTH = 48 }; // instructions of a short block
static uint64_t worth(const Block *block, uint32_t hot, JitLevel level) {
  const uint64_t once = level == JIT_BEST ? (uint64_t)WORTH_MORE * hot : hot;
  const uint32_t times =
      block ? block->count / (level == JIT_BEST ? BEST_LENGTH : QUICK_LENGTH) : 0;
  return times ? times * once : once;
}

// What is to be translated: for a wave with such an EXEC and trace.
typedef struct {
  Instruction *slot;
  int variant;
  JitLevel level;
  uint32_t hot;
  bool sanitized;
} Order;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // of all below
static Order order;                                      // of the thread, while it is busy
static pthread_t thread;
static bool started, busy;
static bool llvm_runs;

// ---- one order ----

static Block *new_block(const Instruction *in, bool sanitized) {
  Block *block = calloc(1, sizeof *block);
  if (block && jit_start() && lane_functions_start())
    block->count = block_length(in, sanitized);
  if (block && block->count && sanitized)
    block->registers = block_registers_of(in, block->count);
  if (block && block->count && !sanitized)
    block->adds = cas_loop_of(in, block->count);
  return block;
}

static bool hopeless(const Block *block) {
  return !block->count || __atomic_load_n(&block->failed, __ATOMIC_RELAXED);
}

// Whether the block has all that it will ever have of this variant at this level.
static bool settled(const Block *block, int variant, JitLevel level) {
  return block && (hopeless(block) ||
                   __atomic_load_n(&block->code[variant][level].address, __ATOMIC_ACQUIRE));
}

static Block *make_block(Instruction *slot, bool sanitized) {
  if (!slot->block)
    __atomic_store_n(&slot->block, new_block(slot, sanitized), __ATOMIC_RELEASE);
  return slot->block;
}

// Whether waves come to it so often that it belongs to what is translated with the blocks before it.
static bool belongs(const Order *this, Instruction *slot) {
  if (!__atomic_load_n(&slot->execute, __ATOMIC_ACQUIRE))
    return false;
  if (!slot->block &&
      __atomic_load_n(&slot->interpreted, __ATOMIC_RELAXED) < this->hot / SELDOM + 1)
    return false;
  const Block *block = make_block(slot, false);
  return block && !block->adds && !settled(block, this->variant, this->level);
}

// The block and those that it leads to, of which none is in other such code. Returns how many.
static uint32_t gather(const Order *this, Instruction *slot, const Instruction **first) {
  uint32_t blocks = 1, sum = slot->block->count;
  first[0] = slot;
  for (uint32_t i = 0; i < blocks; i++) {
    const Instruction *to[2];
    for (int places = block_leads_to(block_last(first[i], first[i]->block->count), to); places--;) {
      Instruction *next = slot + (to[places] - slot);
      bool known = blocks == CODE_BLOCKS;
      for (uint32_t k = 0; k < blocks; k++)
        known = known || first[k] == next;
      if (known || !belongs(this, next) || sum + next->block->count > LONGEST_CODE)
        continue;
      first[blocks++] = next;
      sum += next->block->count;
    }
  }
  return blocks;
}

// Code that waves may still be in stays.
static void use(const Order *this, Block *block, JitCode code) {
  JitCode *kept = &block->code[this->variant][this->level];
  kept->owner = code.owner;
  __atomic_store_n(&block->failed, !code.address, __ATOMIC_RELAXED);
  if (code.address)
    __atomic_store_n(&block->run[this->variant], (RunBlock *)code.address, __ATOMIC_RELEASE);
  __atomic_store_n(&kept->address, code.address, __ATOMIC_RELEASE);
}

// How long the block is shows only now.
static bool is_too_early(const Order *this, const Instruction *slot) {
  return this->level == JIT_QUICK && !this->sanitized &&
         __atomic_load_n(&slot->interpreted, __ATOMIC_RELAXED) <
             worth(slot->block, this->hot, JIT_QUICK);
}

static void translate(const Order *this, Instruction *slot) {
  const Block *block = make_block(slot, this->sanitized);
  if (!block || settled(block, this->variant, this->level) || is_too_early(this, slot))
    return;
  const Instruction *first[CODE_BLOCKS] = {slot};
  const bool together = this->level == JIT_BEST && !this->sanitized;
  const uint32_t blocks = together ? gather(this, slot, first) : 1;
  JitCode code = translation_of(first, blocks, this->variant, this->level, this->sanitized);
  use(this, first[0]->block, code);
  for (uint32_t i = 1; i < blocks && code.address; i++)
    use(this, first[i]->block, (JitCode){.address = code.address});
  __atomic_store_n(&slot->interpreted, 0,
                   __ATOMIC_RELAXED); // the next variant must be worth it, too
}

// What a wave comes to after a block that goes no further only because its waves are sanitized; NULL if
// it went on elsewhere.
static Instruction *behind(Instruction *slot) {
  uint32_t left = slot->block && slot->block->count ? slot->block->count : 1;
  bool goes_on = true;
  for (; goes_on && left; left--, slot += slot->words)
    goes_on = __atomic_load_n(&slot->execute, __ATOMIC_ACQUIRE) && !block_ends_with(slot);
  return goes_on && __atomic_load_n(&slot->execute, __ATOMIC_ACQUIRE) ? slot : NULL;
}

// LLVM ends the process where a limited address space has no room for what it is at: then all is interpreted from here on.
static bool out_of_room; // atomic
static bool llvm_has_room(void) {
  enum { ROOM = 256 << 20 }; // bytes: more than it was seen to take
  if (host_address_space_share() < ROOM / 2)
    __atomic_store_n(&out_of_room, true, __ATOMIC_RELAXED);
  return !__atomic_load_n(&out_of_room, __ATOMIC_RELAXED);
}

static void carry_out(const Order *this) {
  if (!llvm_has_room())
    return;
  __atomic_store_n(&llvm_runs, true, __ATOMIC_RELAXED);
  Instruction *slot = this->slot;
  translate(this, slot);
  for (int more = this->sanitized && this->level == JIT_QUICK ? MOST_BEHIND : 0;
       more && slot && (slot = behind(slot)); more--)
    translate(this, slot);
}

// ---- the thread ----

static void *work(void *unused) {
  (void)unused;
  carry_out(&order);
  __atomic_store_n(&busy, false, __ATOMIC_RELEASE);
  return NULL;
}

static void join(void) {
  if (started)
    pthread_join(thread, NULL);
  started = false;
}

// A process that fork() made has no such thread. If that was busy, LLVM is as it left it: busy for ever.
static void in_child(void) {
  lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  started = false;
}

static void place(const Order *wanted) {
  static bool forks;
  if (__atomic_load_n(&busy, __ATOMIC_ACQUIRE))
    return;
  if (!forks)
    forks = pthread_atfork(NULL, NULL, in_child) == 0;
  join();
  order = *wanted;
  busy = true;
  started = own_thread_start(&thread, work, NULL);
  if (!started)
    work(NULL);
}

void translator_finish(void) {
  pthread_mutex_lock(&lock);
  join();
  pthread_mutex_unlock(&lock);
}

// ---- what waves ask for ----

// True if it was carried out at once.
static bool request(const Wavefront *w, Instruction *slot, JitLevel level) {
  const uint32_t hot = w->thread->hot;
  if (__atomic_load_n(&out_of_room, __ATOMIC_RELAXED))
    return false;
  const Order wanted = {slot, translator_variant(w), level, hot, w->shadow};
  if (settled(__atomic_load_n(&slot->block, __ATOMIC_ACQUIRE), wanted.variant, level) ||
      pthread_mutex_trylock(&lock) != 0)
    return false;
  if (hot > 1)
    place(&wanted);
  else
    carry_out(&wanted);
  pthread_mutex_unlock(&lock);
  return hot == 1;
}

// Whether an instruction begins what will never be machine code. Host threads then leave its slot as it is: the
// line is in the caches of all, and to write to it takes it from them.
static bool stays_interpreted(const Instruction *in) {
  const Block *block = __atomic_load_n(&in->block, __ATOMIC_ACQUIRE);
  return block && hopeless(block);
}

// What was interpreted since the last translation was of variants that are missing, so a wave of
// another one leaves the count as it is.
bool translator_worth(const Wavefront *w, const Instruction *in) {
  if (stays_interpreted(in))
    return false;
  Instruction *slot = program_slot(w->thread->program, in);
  const uint32_t hot = w->thread->hot;
  const uint64_t interpreted = __atomic_load_n(&slot->interpreted, __ATOMIC_RELAXED);
  const bool starts = hot > 1 && !__atomic_load_n(&llvm_runs, __ATOMIC_RELAXED);
  const uint64_t least = worth(__atomic_load_n(&slot->block, __ATOMIC_ACQUIRE), hot, JIT_QUICK);
  return interpreted >= (starts ? WORTH_START * least : least) && request(w, slot, JIT_QUICK);
}

void translator_ran(const Wavefront *w, const Instruction *in, uint64_t times) {
  Instruction *slot = program_slot(w->thread->program, in);
  Block *block = slot->block;
  const uint64_t sum = __atomic_add_fetch(&block->executed, times * block->count, __ATOMIC_RELAXED);
  if (sum >= worth(block, w->thread->hot, JIT_BEST))
    request(w, slot, JIT_BEST);
}

void translator_interpreted(const Wavefront *w, const Instruction *in, uint64_t instructions) {
  if (stays_interpreted(in))
    return;
  Instruction *slot = program_slot(w->thread->program, in);
  uint64_t sum = __atomic_load_n(&slot->interpreted, __ATOMIC_RELAXED) + instructions;
  __atomic_store_n(&slot->interpreted, sum,
                   __ATOMIC_RELAXED); // what another thread adds may be lost
}
