// The L2 (TCC) with its channels, the Infinity Cache if there is one, and the HBM behind it.
//
// In: requests of compute units at their time. Out: when the answer leaves L2, and the TCC
// counters. Lines of 128 B hold four sectors of 32 B. A write miss allocates without fetching and a
// read fetches the 64 B halves that it misses, so a line may be valid in part.
#ifndef EMULATOR_MODEL_L2_H
#define EMULATOR_MODEL_L2_H

#include "division.h"
#include "model_infinity.h"
#include "model_result.h"
#include "parameters.h"
#include "ticks.h"

enum { L2_ALL_SECTORS = 15 };

// What a set knows besides its tags, in few bytes: sets are many, and each request goes to another.
typedef struct {
  uint32_t leaves, read; // ways, a bit each: the first to go; read since they came
  uint64_t order[]; // ways.h; behind it, a byte for each way, sectors: those that are readable,
                    // and from bit 4 on those to be written back
} L2Set;

typedef struct {
  uint64_t *tag; // of each set, `padded` places: line number + 1; 0 is empty
  Ticks *ready;  // of the same places: when fetched data is there
  char *set;     // L2Set of `set_bytes`, channels * sets of them
  Ticks *channel_free, *hbm_free, *infinity_free;
  Infinity infinity;
  uint64_t *open_row; // channels * open_rows: row number + 1
  uint32_t channels, sets, ways, padded, clean_age, set_bytes, order_bytes;
  Divisor by_channels, by_sets, by_page, by_chunk, by_rows, by_row; // lines of a page, chunk, row
  bool random, nontemporal;
  Ticks request, latency, hbm_latency, hbm_queue,
      row_miss; // latency: from L2's input to its output
  Ticks infinity_latency;
  Ticks infinity_sectors[L2_ALL_SECTORS + 1], // that so many of them take one channel
      hbm_sectors[L2_ALL_SECTORS + 1];
  uint64_t state; // of the random generator
  ModelResult *count;
} L2;

bool l2_create(L2 *l2, const Parameters *parameters, ModelResult *count);
void l2_destroy(L2 *l2);

// Tells the host that a request for the line will come soon.
void l2_expect(const L2 *l2, uint64_t line);

// One request for sectors (bits) of a 128 B line, arriving at `at`. Returns when the answer leaves
// L2; *hit and *fetched (bytes from HBM) tell how.
Ticks l2_read(L2 *l2, uint64_t line, uint32_t sectors, bool stream, Ticks at, bool *hit,
              uint32_t *fetched);
// One write request: sectors touched, and those of them that are wholly written.
Ticks l2_write(L2 *l2, uint64_t line, uint32_t touched, uint32_t full, bool stream, Ticks at,
               bool *hit);
// One atomic operation on a sector.
Ticks l2_atomic(L2 *l2, uint64_t line, uint32_t sectors, Ticks at, bool *hit, uint32_t *fetched);
// Counts the dirty lines that remain, which the release at the kernel's end writes back.
void l2_flush(L2 *l2);

#endif
