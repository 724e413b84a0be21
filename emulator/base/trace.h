// Traces: what one wavefront did, for the memory model.
//
// In: the interpreter appends events as it executes. Out: the memory model replays them in device
// time. The trace is all that the two share: it names no opcode, and it has no time but counts of
// issued instructions. An event begins with a header of 64 bits: kind (4), instructions issued
// since the event before (20), quad-cycles of the vector ALU among them (20), payload (20). A
// memory event goes on with one TraceAccess and one word for each 64 B line it touches.
#ifndef EMULATOR_TRACE_H
#define EMULATOR_TRACE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum {
  EVENT_ISSUE,   // only instructions
  EVENT_MEMORY,  // vector memory; payload: number of lines
  EVENT_SCALAR,  // scalar load
  EVENT_LDS,     // payload: clk that the LDS is occupied
  EVENT_WAIT,    // s_waitcnt; payload: vmcnt (6 bits), lgkmcnt (4 bits)
  EVENT_BARRIER, // s_barrier
  EVENT_END,
} EventKind;

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

static inline EventKind trace_kind(uint64_t header) { return header & 15; }
static inline uint32_t trace_issued(uint64_t header) { return header >> 4 & 0xfffff; }
static inline uint32_t trace_valu(uint64_t header) { return header >> 24 & 0xfffff; }
static inline uint32_t trace_payload(uint64_t header) { return (uint32_t)(header >> 44); }

typedef struct {
  uint64_t *word;
  uint32_t count, capacity;
  bool off;              // nothing is recorded: the launch is not modelled
  bool exhausted;        // the host had no memory for a word: the trace is worthless
  uint32_t issued, valu; // not yet told by a header
} Trace;

// Appends an event with all that was issued before it.
void trace_event(Trace *trace, EventKind kind, uint32_t payload);
// Appends one further word of the event.
void trace_word(Trace *trace, uint64_t word);
void trace_access(Trace *trace, TraceAccess access);

#endif
