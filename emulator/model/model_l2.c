// L2 and HBM: see model_l2.h. Rules: docs/memory-model.md; hit, miss and request counts as AMD's
// runs of vcopy on an MI210 show them.
#include "model_l2.h"

#include <stdlib.h>
#include <string.h>

bool l2_create(L2 *l2, const Parameters *p, ModelResult *count) {
  enum {
    LINE = 128,
    HBM_QUEUE_LINES = 64
  }; // of write-backs that a channel holds before writes wait: assumed
  double per_byte = p->engine_mhz * 1e-3 / (p->hbm_gbs / p->l2_channels) * TICKS_PER_CLOCK;
  *l2 = (L2){.channels = (uint32_t)p->l2_channels,
             .ways = (uint32_t)(p->l2_ways - p->l2_unused_ways),
             .sets = (uint32_t)(p->l2_bytes / LINE / p->l2_ways / p->l2_channels),
             .clean_age = (uint32_t)p->l2_clean_age,
             .by_page = divisor((uint64_t)(p->l2_page_bytes / LINE)),
             .by_chunk = divisor((uint64_t)(p->l2_interleave_bytes / LINE)),
             .by_rows = divisor((uint64_t)p->hbm_open_rows),
             .by_row = divisor((uint64_t)(p->hbm_row_bytes / LINE * p->l2_channels)),
             .row_miss = (Ticks)(p->hbm_row_miss_clk * TICKS_PER_CLOCK),
             .random = p->l2_replacement != 0,
             .nontemporal = p->nontemporal != 0,
             .request = (Ticks)(p->l2_request_clk * TICKS_PER_CLOCK),
             .latency = p->l2_latency_clk > p->l1_latency_clk
                            ? (Ticks)((p->l2_latency_clk - p->l1_latency_clk) * TICKS_PER_CLOCK)
                            : 0,
             .hbm_latency = (Ticks)(p->hbm_latency_clk * TICKS_PER_CLOCK),
             .hbm_queue = (Ticks)(per_byte * LINE * HBM_QUEUE_LINES),
             .hbm_ticks_per_byte = per_byte,
             .state = 0x9e3779b97f4a7c15ull,
             .count = count};
  l2->by_channels = divisor(l2->channels);
  l2->by_sets = divisor(l2->sets);
  l2->set = calloc((size_t)l2->channels * l2->sets, sizeof *l2->set);
  l2->channel_free = calloc(l2->channels, sizeof *l2->channel_free);
  l2->hbm_free = calloc(l2->channels, sizeof *l2->hbm_free);
  l2->open_row = calloc((size_t)l2->channels * l2->by_rows.by, sizeof *l2->open_row);
  return l2->set && l2->channel_free && l2->hbm_free && l2->open_row;
}

void l2_destroy(L2 *l2) {
  free(l2->set);
  free(l2->channel_free);
  free(l2->hbm_free);
  free(l2->open_row);
}

static uint64_t mix(uint64_t x) { // splitmix64's finaliser
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  return x ^ x >> 31;
}

// AMD's address hash is not published. Pages lie anywhere in physical memory, so each one's lines go
// to random channels and a random set; as with real pages, sets then fill unevenly, which makes the
// edge of the capacity soft. Within a page, chunks of lines go to one channel after the other.
static uint32_t place(const L2 *l2, uint64_t line, uint32_t *channel) {
  uint64_t page = mix(quotient(line, l2->by_page));
  uint32_t inside = (uint32_t)rest(line, l2->by_page),
           chunk = (uint32_t)quotient(inside, l2->by_chunk);
  *channel = (uint32_t)rest(chunk + (uint32_t)page, l2->by_channels);
  uint32_t of_channel =
      (uint32_t)(quotient(chunk, l2->by_channels) * l2->by_chunk.by + rest(inside, l2->by_chunk));
  return (uint32_t)rest((uint32_t)(page >> 32) + of_channel, l2->by_sets);
}

static void begin(const L2 *l2, L2Set *set) {
  set->begun = true;
  for (uint32_t i = 0; i < l2->ways; i++)
    set->by_use[i] = (uint8_t)(l2->ways - 1 - i); // the lowest is filled first
}

static L2Set *set_of(const L2 *l2, uint64_t line, uint32_t *channel) {
  uint32_t index = place(l2, line, channel);
  L2Set *set = &l2->set[*channel * l2->sets + index];
  if (!set->begun)
    begin(l2, set);
  return set;
}

void l2_expect(const L2 *l2, uint64_t line) {
  uint32_t channel, index = place(l2, line, &channel);
  const L2Set *set = &l2->set[channel * l2->sets + index];
  __builtin_prefetch(set->tag, 1);
  __builtin_prefetch(set->tag + 8, 1);
  __builtin_prefetch(set->by_use, 1);
  __builtin_prefetch(set->dirty, 1);
}

static void use(const L2 *l2, L2Set *set, uint32_t way) {
  uint32_t at = 0;
  while (at + 1 < l2->ways && set->by_use[at] != way)
    at++;
  memmove(set->by_use + 1, set->by_use, at);
  set->by_use[0] = (uint8_t)way;
}

static Ticks later(Ticks a, Ticks b) { return a > b ? a : b; }

// Takes the HBM channel for so many bytes. Returns when it begins.
static Ticks take_hbm(L2 *l2, uint32_t channel, Ticks at, uint32_t bytes) {
  Ticks begin = later(at, l2->hbm_free[channel]);
  l2->hbm_free[channel] = begin + (Ticks)(l2->hbm_ticks_per_byte * bytes);
  return begin;
}

// Write requests to HBM for the dirty sectors of a line: one of 64 B for a half of which both
// sectors are dirty, one of 32 B where only one is. Returns the bytes. A sector written in part
// counts whole, as the published WRITE_SIZE of the Laplacian shows, whose rows begin and end with
// such lines.
static uint32_t count_writes(uint32_t dirty, uint64_t *requests, uint64_t *requests_64b) {
  uint32_t bytes = 0;
  for (int half = 0; half < 2; half++) {
    uint32_t sectors = dirty >> (2 * half) & 3;
    if (!sectors)
      continue;
    ++*requests;
    *requests_64b += sectors == 3;
    bytes += sectors == 3 ? 64 : 32;
  }
  return bytes;
}

static void write_back(L2 *l2, L2Set *set, uint32_t way, uint32_t channel, Ticks at) {
  if (!set->dirty[way])
    return;
  uint32_t bytes =
      count_writes(set->dirty[way], &l2->count->tcc_ea_wrreq, &l2->count->tcc_ea_wrreq_64b);
  l2->count->tcc_normal_writeback++;
  take_hbm(l2, channel, at, bytes);
  set->dirty[way] = 0;
}

// The way that holds the line, or -1. All are compared without a branch: the host does several at once.
static int find(const L2 *l2, const L2Set *set, uint64_t line) {
  enum { AT_ONCE = 8 };
  uint64_t found = 0;
  for (uint32_t i = 0; i < l2->ways; i += AT_ONCE)
    for (uint32_t k = i; k < i + AT_ONCE; k++)
      found |= set->tag[k] == line + 1 ? k + 1 : 0;
  return (int)found - 1;
}

static uint32_t choose_victim(L2 *l2, const L2Set *set) {
  uint32_t oldest = set->by_use[l2->ways - 1];
  if (!set->tag[oldest])
    return oldest;
  for (uint32_t i = l2->ways; set->leaves && i-- > 0;)
    if (set->leaves >> set->by_use[i] & 1)
      return set->by_use[i];
  if (!l2->random)
    return oldest;
  l2->state = mix(l2->state);
  return (uint32_t)(l2->state % l2->ways);
}

static void set_bit(uint32_t *bits, uint32_t way, bool value) {
  *bits = (*bits & ~(1u << way)) | (uint32_t)value << way;
}

// Dirty lines that have become older than clean_age places of the set's order are written back
// before they must leave. What nobody has read by then is the first to go.
static void clean_old(L2 *l2, L2Set *set, uint32_t channel, Ticks at) {
  for (uint32_t younger = l2->clean_age; younger < l2->ways; younger++) {
    uint32_t way = set->by_use[younger];
    if (!set->dirty[way])
      continue;
    write_back(l2, set, way, channel, at);
    set_bit(&set->leaves, way, !(set->read >> way & 1));
  }
}

// Whether what is accessed so is the first to go. A device without nontemporal lines makes no
// difference.
static bool passes_through(const L2 *l2, bool stream) { return stream && l2->nontemporal; }

static uint32_t allocate(L2 *l2, L2Set *set, uint64_t line, uint32_t channel, bool stream,
                         Ticks at) {
  uint32_t way = choose_victim(l2, set);
  l2->count->tcc_normal_evict += set->tag[way] != 0;
  write_back(l2, set, way, channel, at);
  set->tag[way] = line + 1;
  set->valid[way] = set->dirty[way] = 0;
  set->ready[way] = 0;
  set_bit(&set->leaves, way, passes_through(l2, stream));
  set_bit(&set->read, way, false);
  use(l2, set, way);
  clean_old(l2, set, channel, at);
  return way;
}

// Accepts a request: the channel serves one after the other.
static Ticks accept(L2 *l2, uint32_t channel, bool stream, Ticks at) {
  Ticks begin = later(at, l2->channel_free[channel]);
  l2->channel_free[channel] = begin + l2->request;
  l2->count->tcc_req++;
  l2->count->tcc_streaming += stream;
  return begin;
}

// Reads a line or a half from HBM. Few rows of a channel are open, and a read from another makes it
// wait. Writes are gathered by the memory controller, which sorts them by row, so they pay nothing.
// Returns when the data leaves HBM.
static Ticks read_hbm(L2 *l2, uint32_t channel, uint64_t line, uint32_t bytes, Ticks at) {
  uint64_t row = quotient(line, l2->by_row);
  uint64_t *open = &l2->open_row[channel * l2->by_rows.by + rest(mix(row), l2->by_rows)];
  if (*open != row + 1) {
    *open = row + 1;
    l2->hbm_free[channel] = later(at, l2->hbm_free[channel]) + l2->row_miss;
  }
  return take_hbm(l2, channel, at, bytes) + l2->hbm_latency;
}

// The halves of a line, 64 B each, of which sectors are among these.
static uint32_t halves_of(uint32_t sectors) {
  return (sectors & 3 ? 3 : 0) | (sectors & 12 ? 12 : 0);
}

// Brings in what is missing of sectors, in halves of a line. Returns when they are there. The TCC
// counts a hit where it finds the line, even one that is still on its way or valid in part.
static Ticks fetch(L2 *l2, L2Set *set, uint64_t line, uint32_t sectors, bool stream,
                   uint32_t channel, Ticks begin, bool *hit, uint32_t *fetched) {
  enum { SECTOR = 32, EA_READ = 64 };
  int way = find(l2, set, line);
  *hit = way >= 0;
  l2->count->tcc_hit += *hit;
  l2->count->tcc_miss += !*hit;
  if (way < 0)
    way = (int)allocate(l2, set, line, channel, stream, begin);
  else if (!passes_through(l2, stream))
    set_bit(&set->leaves, (uint32_t)way, false);
  set_bit(&set->read, (uint32_t)way, true);
  use(l2, set, (uint32_t)way);
  uint32_t missing = halves_of(sectors & ~set->valid[way]);
  *fetched = (uint32_t)__builtin_popcount(missing) * SECTOR;
  if (missing) {
    l2->count->tcc_ea_rdreq += *fetched / EA_READ;
    set->valid[way] |= (uint8_t)missing;
    set->ready[way] = read_hbm(l2, channel, line, *fetched, begin) + l2->latency;
  }
  return later(begin + l2->latency, set->ready[way]);
}

Ticks l2_read(L2 *l2, uint64_t line, uint32_t sectors, bool stream, Ticks at, bool *hit,
              uint32_t *fetched) {
  uint32_t channel;
  L2Set *set = set_of(l2, line, &channel);
  Ticks begin = accept(l2, channel, stream, at);
  l2->count->tcc_read++;
  return fetch(l2, set, line, sectors, stream, channel, begin, hit, fetched);
}

Ticks l2_write(L2 *l2, uint64_t line, uint32_t touched, uint32_t full, bool stream, Ticks at,
               bool *hit) {
  uint32_t channel;
  L2Set *set = set_of(l2, line, &channel);
  Ticks begin = accept(l2, channel, stream, at);
  l2->count->tcc_write++;
  int way = find(l2, set, line);
  *hit = way >= 0;
  if (*hit) {
    l2->count->tcc_hit++;
    set_bit(&set->leaves, (uint32_t)way, passes_through(l2, stream));
  } else {
    l2->count->tcc_miss++;
    if (l2->hbm_free[channel] > begin + l2->hbm_queue) // no room for one more write-back
      begin = l2->hbm_free[channel] - l2->hbm_queue;
    way = (int)allocate(l2, set, line, channel, stream, begin);
  }
  use(l2, set, (uint32_t)way);
  set->dirty[way] |= (uint8_t)touched;
  set->valid[way] |= (uint8_t)full;
  return begin + l2->latency;
}

Ticks l2_atomic(L2 *l2, uint64_t line, uint32_t sectors, Ticks at, bool *hit, uint32_t *fetched) {
  uint32_t channel;
  L2Set *set = set_of(l2, line, &channel);
  Ticks begin = accept(l2, channel, false, at);
  l2->count->tcc_atomic++;
  Ticks done = fetch(l2, set, line, sectors, false, channel, begin, hit, fetched);
  int way = find(l2, set, line);
  set->dirty[way] |= (uint8_t)sectors;
  return done;
}

void l2_flush(L2 *l2) {
  for (size_t i = 0; i < (size_t)l2->channels * l2->sets; i++)
    for (uint32_t way = 0; way < l2->ways; way++) {
      L2Set *set = &l2->set[i];
      l2->count->flushed_lines += set->dirty[way] != 0;
      count_writes(set->dirty[way], &l2->count->flushed_wrreq, &l2->count->flushed_wrreq_64b);
    }
}
