// Hostcalls: see hostcall.h.
//
// The buffer holds packets: a header, and a payload of 8 words for each lane. A wave takes a packet
// from the free stack, fills it, pushes it on the ready stack, rings the doorbell, and waits until
// the host clears the packet's ready flag. Words 0 and 1 of each lane then hold the answer.
// Layouts: __ockl_hostcall_internal in ockl.bc of ROCm-Device-Libs 5.2 (source hostcall_impl.cl),
// ROCclr devhostcall.cpp; the doorbell is an HSA signal (ROCr amd_hsa_signal.h).
#include "hostcall.h"

#include "device_memory.h"
#include "gfx90a.h"
#include "printf_message.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  HEAP_BYTES = 128 << 10, // ROCclr
  PACKETS = 4096, // a power of two, no fewer than the waves in flight, as each holds one at most
  LANE_WORDS = 8,
  READY_FLAG = 1, // in Header.control
};

typedef enum { SERVICE_FUNCTION_CALL = 1, SERVICE_PRINTF = 2, SERVICE_DEVICE_MEMORY = 3 } Service;

typedef struct {
  uint64_t next; // packet below on the stack: index, and a tag that changes with every use
  uint64_t lanes;
  uint32_t service, control;
} Header;

typedef struct {
  uint64_t word[DEVICE_WAVEFRONT_SIZE][LANE_WORDS];
} Payload;

typedef struct {
  int64_t kind, value;
  uint64_t *mailbox; // the device sends MSG_INTERRUPT only if there is one
  uint32_t event, reserved0;
  uint64_t reserved[4];
} Signal;

typedef struct {
  Header *headers;
  Payload *payloads;
  Signal *doorbell;
  uint64_t free_stack, ready_stack;
  uint64_t index_mask; // what of a stack entry is the packet's index
} Buffer;

// All of it lies in one allocation that the device may access.
typedef struct {
  Buffer buffer;
  Signal doorbell;
  uint64_t mailbox;
  Header header[PACKETS];
  Payload payload[PACKETS];
  _Alignas(4096) uint8_t heap[HEAP_BYTES]; // see hostcall_heap
  uint32_t no_room[2];
} Memory;

// A printf of one lane, collected from several packets; the device names it by its index.
typedef struct {
  uint64_t *words;
  size_t count, capacity;
  bool live;
} Message;

enum { MESSAGE_WORDS = 1 << 20 }; // no printf is longer

static pthread_mutex_t serving = PTHREAD_MUTEX_INITIALIZER; // guards all that follows
static Memory *memory;
static Message *messages;
static size_t message_count;

// The free stack holds all packets. Index 0 at the bottom carries tag 1, because an entry of 0 ends
// a stack.
static void fill_free_stack(void) {
  uint64_t next = PACKETS;
  for (uint64_t i = 1; i < PACKETS; i++) {
    memory->header[i].next = next;
    next = i;
  }
  memory->buffer.free_stack = next;
}

void *hostcall_buffer(void) {
  void *address;
  pthread_mutex_lock(&serving);
  if (!memory && device_memory_allocate(sizeof *memory, MEMORY_RUNTIME, 0, &address) == MEMORY_OK) {
    memory = address;
    memory->buffer = (Buffer){.headers = memory->header,
                              .payloads = memory->payload,
                              .doorbell = &memory->doorbell,
                              .index_mask = PACKETS - 1};
    memory->doorbell.mailbox = &memory->mailbox;
    fill_free_stack();
  }
  pthread_mutex_unlock(&serving);
  return memory;
}

// The lists of slabs by which the device library shares out memory: all zero at first. Before version
// 5 of code objects each has its own.
void *hostcall_heap(void) { return hostcall_buffer() ? memory->heap : NULL; }

void hostcall_before_fork(void) { pthread_mutex_lock(&serving); }
void hostcall_after_fork(void) { pthread_mutex_unlock(&serving); }

void *hostcall_full_buffer(void) { return hostcall_buffer() ? memory->no_room : NULL; }

bool hostcall_has(uint64_t address) {
  const Memory *known = __atomic_load_n(&memory, __ATOMIC_RELAXED);
  return known && address - (uint64_t)known < sizeof *known;
}

// ---- messages ----

// A message's descriptor, word 0 of its packets: begin, end, number of words, index of the message.
enum {
  MESSAGE_BEGIN = 1,
  MESSAGE_END = 2,
  MESSAGE_LENGTH_SHIFT = 5,
  MESSAGE_LENGTH_MASK = 7,
  MESSAGE_INDEX_SHIFT = 8
};

// Index of an unused message, SIZE_MAX if memory is short.
static size_t new_message(void) {
  size_t i = 0;
  while (i < message_count && messages[i].live)
    i++;
  if (i == message_count) {
    Message *grown = realloc(messages, (message_count + 64) * sizeof *messages);
    if (!grown)
      return SIZE_MAX;
    memset(grown + message_count, 0, 64 * sizeof *grown);
    messages = grown;
    message_count += 64;
  }
  messages[i].live = true;
  messages[i].count = 0;
  return i;
}

// Adds words, with a zero behind the last.
static bool extend(Message *message, const uint64_t *words, size_t count) {
  if (message->count + count >= message->capacity) {
    size_t capacity = 2 * message->capacity + 64;
    uint64_t *grown =
        capacity <= MESSAGE_WORDS ? realloc(message->words, capacity * sizeof *grown) : NULL;
    if (!grown)
      return false;
    message->words = grown;
    message->capacity = capacity;
  }
  memcpy(message->words + message->count, words, count * sizeof *words);
  message->count += count;
  message->words[message->count] = 0;
  return true;
}

// One packet's share of a lane's printf. False if it belongs to no message or there is no memory
// for it.
static bool serve_printf(uint64_t *words) {
  uint64_t descriptor = words[0];
  bool begins = descriptor & MESSAGE_BEGIN;
  size_t index = begins ? new_message() : descriptor >> MESSAGE_INDEX_SHIFT;
  if (index >= message_count || !messages[index].live)
    return false;
  Message *message = &messages[index];
  if (!extend(message, words + 1, descriptor >> MESSAGE_LENGTH_SHIFT & MESSAGE_LENGTH_MASK))
    return message->live = false;
  if (descriptor & MESSAGE_END) {
    words[0] = (uint64_t)printf_message(message->words, message->count);
    message->live = false;
  } else if (begins) {
    words[0] = (descriptor & 0xff & ~(uint64_t)MESSAGE_BEGIN) | (uint64_t)index
                                                                    << MESSAGE_INDEX_SHIFT;
  }
  return true;
}

// ---- memory ----

// malloc() and free() of kernels. The device library divides slabs of 2 MiB among its lanes itself
// (ockl dm.cl); what comes here are slabs, and allocations of more than 3072 bytes: word 0 is the
// address to free, or 0 and word 1 the bytes to allocate. The answer is an address, or 0. A kernel
// that calls functions or has atomics runs on one host thread, so nobody looks addresses up
// meanwhile.
static void serve_memory(uint64_t *words) {
  uint64_t address = words[0], bytes = words[1];
  void *allocated = NULL;
  words[0] = 0;
  if (address && !device_memory_free((void *)address, MEMORY_HEAP))
    fprintf(stderr,
            "emulator: a kernel frees 0x%llx, which is no live allocation of malloc() in a kernel; "
            "nothing is freed.\n",
            (unsigned long long)address);
  if (address || !bytes) // free(NULL)
    return;
  if (device_memory_allocate(bytes, MEMORY_HEAP, 0, &allocated) == MEMORY_OK)
    words[0] = (uint64_t)allocated;
  else
    fprintf(stderr,
            "emulator: no room for the %llu bytes that malloc() of a kernel asks for; it returns "
            "NULL.\n",
            (unsigned long long)bytes);
}

// ---- packets ----

static void serve_lane(Service service, uint64_t *words) {
  if (service == SERVICE_PRINTF) {
    if (!serve_printf(words))
      fprintf(stderr,
              "emulator: part of a kernel's printf is lost: its host-side message is damaged or "
              "longer than %d MiB.\n",
              MESSAGE_WORDS >> 17);
    return;
  }
  if (service == SERVICE_DEVICE_MEMORY) {
    serve_memory(words);
    return;
  }
  fprintf(stderr,
          "emulator: a kernel asks the host to %s. The emulator serves printf, assert, malloc and "
          "free of kernels, and answers 0.\n",
          service == SERVICE_FUNCTION_CALL ? "call a function of the host program"
                                           : "do something that ROCm 5.2 has no service for");
  words[0] = words[1] = 0;
}

void hostcall_serve(void) {
  device_memory_lock(&serving);
  uint64_t top = memory ? __atomic_exchange_n(&memory->buffer.ready_stack, 0, __ATOMIC_ACQUIRE) : 0;
  for (int served = 0; top && served < PACKETS; served++) { // a damaged stack might have no end
    Header *header = &memory->header[top & (PACKETS - 1)];
    Payload *payload = &memory->payload[top & (PACKETS - 1)];
    for (int lane = 0; lane < DEVICE_WAVEFRONT_SIZE; lane++)
      if (header->lanes >> lane & 1)
        serve_lane((Service)header->service, payload->word[lane]);
    top = header->next; // once the flag is down the packet is the device's again
    __atomic_and_fetch(&header->control, ~(uint32_t)READY_FLAG, __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&serving);
}
