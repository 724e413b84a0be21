// Traces: what one wavefront did, for the memory model.
//
// In: the interpreter appends events as it executes. Out: the memory model replays them in device
// time. The trace is all that the two share: it names no opcode, and it has no time but the
// quad-cycles of issued instructions. An event begins with a header of 64 bits: kind (3), what was
// issued since the event before (14 + 3 * 12, see Use), payload (11). A memory event goes on with
// one TraceAccess and one word for each run of 64 B lines it touches.
#ifndef EMULATOR_TRACE_H
#define EMULATOR_TRACE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum {
  EVENT_ISSUE,   // only instructions
  EVENT_MEMORY,  // vector memory; payload: runs of lines
  EVENT_SCALAR,  // scalar load
  EVENT_LDS,     // payload: clk of the LDS itself (7 bits), quad-cycles of the port to it (4 bits)
  EVENT_WAIT,    // s_waitcnt; payload: vmcnt (6 bits), lgkmcnt (4 bits)
  EVENT_BARRIER, // s_barrier
  EVENT_END,
} EventKind;

// What instructions take, in quad-cycles: of the wave's issue, of the vector ALU and the matrix unit
// of its SIMD, and of the scalar unit in its SIMD's turn. Added up as one.
typedef enum { USE_ISSUE, USE_VALU, USE_MATRIX, USE_SCALAR, USES } Use;
typedef uint32_t Uses __attribute__((vector_size(USES * sizeof(uint32_t))));

typedef enum { ACCESS_LOAD, ACCESS_STORE, ACCESS_ATOMIC } AccessKind;

typedef struct {
  uint32_t instruction; // id in the program
  uint8_t kind;         // AccessKind
  uint8_t clocks;       // that the address unit takes
  bool stream;          // nontemporal
  bool scratch;         // lines count from the begin of the wave's private segment
} TraceAccess;

// A 64 B line as the access touched it: number (44 bits), tag look-ups (7), 32 B sectors touched
// (2) and fully written (2).
static inline uint64_t trace_line(uint64_t number, uint64_t lookups, unsigned touched,
                                  unsigned full) {
  return number | lookups << 44 | (uint64_t)touched << 51 | (uint64_t)full << 53;
}
static inline uint64_t trace_line_number(uint64_t word) { return word & ((1ull << 44) - 1); }
static inline uint32_t trace_line_lookups(uint64_t word) { return word >> 44 & 127; }
static inline uint32_t trace_line_touched(uint64_t word) { return word >> 51 & 3; }
static inline uint32_t trace_line_full(uint64_t word) { return word >> 53 & 3; }

// Lines that follow each other and are touched alike are one run: the word of the first, and behind
// it how many more there are (9 bits).
enum { TRACE_MORE = 55 };
static inline uint32_t trace_line_more(uint64_t word) { return (uint32_t)(word >> TRACE_MORE); }

enum { TRACE_KIND_BITS = 3, TRACE_ISSUE_BITS = 14, TRACE_UNIT_BITS = 12 }; // of a header

static inline EventKind trace_kind(uint64_t header) {
  return header & ((1u << TRACE_KIND_BITS) - 1);
}
static inline uint32_t trace_bits(Use use) {
  return use == USE_ISSUE ? TRACE_ISSUE_BITS : TRACE_UNIT_BITS;
}
static inline uint32_t trace_shift(Use use) { // USES: of the payload
  return TRACE_KIND_BITS + (use > USE_ISSUE ? TRACE_ISSUE_BITS + (use - 1) * TRACE_UNIT_BITS : 0);
}
static inline uint32_t trace_used(uint64_t header, Use use) {
  return (uint32_t)(header >> trace_shift(use)) & ((1u << trace_bits(use)) - 1);
}
static inline uint32_t trace_lds(uint32_t clocks, uint32_t port_quads) {
  return clocks | port_quads << 7;
}
static inline uint32_t trace_lds_clocks(uint32_t payload) { return payload & 127; }
static inline uint32_t trace_lds_port(uint32_t payload) { return payload >> 7; }
static inline uint32_t trace_payload(uint64_t header) {
  return (uint32_t)(header >> trace_shift(USES));
}

typedef struct {
  uint64_t *word;
  uint32_t count, capacity;
  bool off;       // nothing is recorded: the launch is not modelled
  bool exhausted; // there was no room for a word: the trace is worthless
  Uses used;      // not yet told by a header
} Trace;

// Room for bytes of traces, of waves and of what the model has not had yet: all of them may have a quarter of the memory
// that the host had left before the first. False if there is none.
bool trace_take_room(uint64_t bytes);
void trace_give_room(uint64_t bytes);

// Frees its words.
void trace_free(Trace *trace);

// Appends an event with all that was issued before it.
void trace_event(Trace *trace, EventKind kind, uint32_t payload);
// Appends one further word of the event.
void trace_word(Trace *trace, uint64_t word);
// Appends a memory event, its lines in the order of their look-ups.
void trace_memory(Trace *trace, TraceAccess access, const uint64_t *lines, uint32_t count);

#endif
