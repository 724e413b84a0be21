// L2 and HBM: see model_l2.h. Rules: docs/memory-model.md; hit, miss and request counts as AMD's
// runs of vcopy on an MI210 show them.
#include "model_l2.h"

#include "ways.h"
#include "zeroed.h"

enum { SECTOR = 32, SECTORS = 4 }; // bytes; of a line

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
             .state = 0x9e3779b97f4a7c15ull,
             .count = count};
  const double per_byte_of_infinity =
      p->engine_mhz * 1e-3 / (p->infinity_gbs / p->l2_channels) * TICKS_PER_CLOCK;
  l2->infinity_latency = (Ticks)(p->infinity_latency_clk * TICKS_PER_CLOCK);
  l2->by_channels = divisor(l2->channels);
  l2->by_sets = divisor(l2->sets);
  for (uint32_t sectors = 0; sectors <= SECTORS; sectors++) {
    l2->hbm_sectors[sectors] = (Ticks)(per_byte * (sectors * SECTOR));
    l2->infinity_sectors[sectors] = (Ticks)(per_byte_of_infinity * (sectors * SECTOR));
  }
  l2->padded = ways_padded(l2->ways);
  l2->order_bytes = order_bytes(l2->ways);
  l2->set_bytes = (uint32_t)sizeof(L2Set) + l2->order_bytes + l2->padded;
  size_t sets = (size_t)l2->channels * l2->sets;
  l2->tag = zeroed(sets * l2->padded * sizeof *l2->tag);
  l2->ready = zeroed(sets * l2->padded * sizeof *l2->ready);
  l2->set = zeroed(sets * l2->set_bytes);
  l2->channel_free = calloc(l2->channels, sizeof *l2->channel_free);
  l2->hbm_free = calloc(l2->channels, sizeof *l2->hbm_free);
  l2->infinity_free = calloc(l2->channels, sizeof *l2->infinity_free);
  l2->open_row = calloc((size_t)l2->channels * l2->by_rows.by, sizeof *l2->open_row);
  return infinity_create(&l2->infinity, p) && l2->tag && l2->ready && l2->set && l2->channel_free &&
         l2->hbm_free && l2->infinity_free && l2->open_row;
}

void l2_destroy(L2 *l2) {
  free(l2->tag);
  free(l2->ready);
  free(l2->set);
  free(l2->channel_free);
  free(l2->hbm_free);
  free(l2->infinity_free);
  infinity_destroy(&l2->infinity);
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
static uint32_t index_of(const L2 *l2, uint64_t line, uint32_t *channel) {
  uint64_t page = mix(quotient(line, l2->by_page));
  uint32_t inside = (uint32_t)rest(line, l2->by_page),
           chunk = (uint32_t)quotient(inside, l2->by_chunk);
  *channel = (uint32_t)rest(chunk + (uint32_t)page, l2->by_channels);
  uint32_t of_channel =
      (uint32_t)(quotient(chunk, l2->by_channels) * l2->by_chunk.by + rest(inside, l2->by_chunk));
  return (uint32_t)rest((uint32_t)(page >> 32) + of_channel, l2->by_sets);
}

// One set, where a request finds it.
typedef struct {
  uint64_t *tag;
  Ticks *ready;
  L2Set *set;
  uint8_t *sectors;
  uint32_t channel;
} Place;

static L2Set *set_at(const L2 *l2, size_t index) {
  return (L2Set *)(l2->set + index * l2->set_bytes);
}
static uint8_t *sectors_of(const L2 *l2, L2Set *set) {
  return (uint8_t *)set->order + l2->order_bytes;
}

static Place place_of(const L2 *l2, uint64_t line) {
  uint32_t channel, in_channel = index_of(l2, line, &channel);
  size_t index = (size_t)channel * l2->sets + in_channel;
  L2Set *set = set_at(l2, index);
  if (!set->order[0])
    order_begin(set->order, l2->ways);
  return (Place){.tag = l2->tag + index * l2->padded,
                 .ready = l2->ready + index * l2->padded,
                 .set = set,
                 .sectors = sectors_of(l2, set),
                 .channel = channel};
}

void l2_expect(const L2 *l2, uint64_t line) {
  uint32_t channel, in_channel = index_of(l2, line, &channel);
  size_t index = (size_t)channel * l2->sets + in_channel;
  __builtin_prefetch(l2->tag + index * l2->padded, 1);
  __builtin_prefetch(l2->tag + index * l2->padded + WAYS_AT_ONCE, 1);
  __builtin_prefetch(l2->set + index * l2->set_bytes, 1);
  __builtin_prefetch(l2->ready + index * l2->padded, 1);
  __builtin_prefetch(l2->ready + index * l2->padded + WAYS_AT_ONCE, 1);
}

static Ticks later(Ticks a, Ticks b) { return a > b ? a : b; }

// Takes the HBM channel for so many sectors. Returns when it begins.
static Ticks take_hbm(L2 *l2, uint32_t channel, Ticks at, uint32_t sectors) {
  Ticks begin = later(at, l2->hbm_free[channel]);
  l2->hbm_free[channel] = begin + l2->hbm_sectors[sectors];
  return begin;
}

// The same of the Infinity Cache, which the channels share alike. A line that was written and leaves it
// goes to HBM whole. *found: whether the line is there.
static Ticks take_infinity(L2 *l2, uint32_t channel, uint64_t line, Ticks at, uint32_t sectors,
                           bool written, bool *found) {
  bool leaves_dirty;
  const Ticks begin = later(at, l2->infinity_free[channel]);
  l2->infinity_free[channel] = begin + l2->infinity_sectors[sectors];
  *found = infinity_access(&l2->infinity, line, mix(line), written, &leaves_dirty);
  if (leaves_dirty)
    take_hbm(l2, channel, begin, SECTORS);
  return begin;
}

static void write_memory(L2 *l2, uint32_t channel, uint64_t line, Ticks at, uint32_t sectors) {
  bool found;
  if (l2->infinity.sets)
    take_infinity(l2, channel, line, at, sectors, true, &found);
  else
    take_hbm(l2, channel, at, sectors);
}

// Write requests to HBM for the dirty sectors of a line: one of 64 B for a half of which both
// sectors are dirty, one of 32 B where only one is. Returns the sectors. A sector written in part
// counts whole, as the published WRITE_SIZE of the Laplacian shows, whose rows begin and end with
// such lines.
static uint32_t count_writes(uint32_t dirty, uint64_t *requests, uint64_t *requests_64b) {
  uint32_t sectors = 0;
  for (int half = 0; half < 2; half++) {
    uint32_t of_half = (uint32_t)__builtin_popcount(dirty >> (2 * half) & 3);
    *requests += of_half != 0;
    *requests_64b += of_half == 2;
    sectors += of_half;
  }
  return sectors;
}

static uint32_t valid(Place p, uint32_t way) { return p.sectors[way] & L2_ALL_SECTORS; }
static uint32_t dirty(const uint8_t *sectors, uint32_t way) { return sectors[way] >> SECTORS; }

static void write_back(L2 *l2, Place p, uint32_t way, Ticks at) {
  uint32_t written = dirty(p.sectors, way);
  if (!written)
    return;
  l2->count->tcc_normal_writeback++;
  write_memory(l2, p.channel, p.tag[way] - 1, at,
               count_writes(written, &l2->count->tcc_ea_wrreq, &l2->count->tcc_ea_wrreq_64b));
  p.sectors[way] &= L2_ALL_SECTORS;
}

// The way that holds the line, or -1.
static int find(const L2 *l2, Place p, uint64_t line) {
  uint64_t found = ways_with(p.tag, l2->padded, line + 1);
  return found ? __builtin_ctzll(found) : -1;
}

static void use(const L2 *l2, Place p, uint32_t way) { order_use(p.set->order, l2->ways, way); }

static uint32_t choose_victim(L2 *l2, Place p) {
  uint32_t oldest = order_at(p.set->order, l2->ways, l2->ways - 1);
  if (!p.tag[oldest])
    return oldest;
  for (uint32_t i = l2->ways; p.set->leaves && i-- > 0;) {
    uint32_t way = order_at(p.set->order, l2->ways, i);
    if (p.set->leaves >> way & 1)
      return way;
  }
  if (!l2->random)
    return oldest;
  l2->state = mix(l2->state);
  return (uint32_t)(l2->state % l2->ways);
}

static void set_bit(uint32_t *bits, uint32_t way, bool value) {
  *bits = (*bits & ~(1u << way)) | (uint32_t)value << way;
}

static bool has_dirty(const L2 *l2, Place p) {
  uint64_t all = 0, some;
  for (uint32_t i = 0; i < l2->padded; i += (uint32_t)sizeof some) {
    memcpy(&some, p.sectors + i, sizeof some);
    all |= some;
  }
  return all & 0xf0f0f0f0f0f0f0f0ull;
}

// Dirty lines that have become older than clean_age places of the set's order are written back
// before they must leave. What nobody has read by then is the first to go.
static void clean_old(L2 *l2, Place p, Ticks at) {
  if (!has_dirty(l2, p))
    return;
  for (uint32_t younger = l2->clean_age; younger < l2->ways; younger++) {
    uint32_t way = order_at(p.set->order, l2->ways, younger);
    if (!dirty(p.sectors, way))
      continue;
    write_back(l2, p, way, at);
    set_bit(&p.set->leaves, way, !(p.set->read >> way & 1));
  }
}

// Whether what is accessed so is the first to go. A device without nontemporal lines makes no
// difference.
static bool passes_through(const L2 *l2, bool stream) { return stream && l2->nontemporal; }

static uint32_t allocate(L2 *l2, Place p, uint64_t line, bool stream, Ticks at) {
  uint32_t way = choose_victim(l2, p);
  l2->count->tcc_normal_evict += p.tag[way] != 0;
  write_back(l2, p, way, at);
  p.tag[way] = line + 1;
  p.sectors[way] = 0;
  p.ready[way] = 0;
  set_bit(&p.set->leaves, way, passes_through(l2, stream));
  set_bit(&p.set->read, way, false);
  use(l2, p, way);
  clean_old(l2, p, at);
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

// Reads sectors of a line from HBM. Few rows of a channel are open, and a read from another makes it
// wait. Writes are gathered by the memory controller, which sorts them by row, so they pay nothing.
// Returns when the data leaves HBM.
static Ticks read_hbm(L2 *l2, uint32_t channel, uint64_t line, uint32_t sectors, Ticks at) {
  uint64_t row = quotient(line, l2->by_row);
  uint64_t *open = &l2->open_row[channel * l2->by_rows.by + rest(mix(row), l2->by_rows)];
  if (*open != row + 1) {
    *open = row + 1;
    l2->hbm_free[channel] = later(at, l2->hbm_free[channel]) + l2->row_miss;
  }
  return take_hbm(l2, channel, at, sectors) + l2->hbm_latency;
}

// The Infinity Cache takes whole lines.
static Ticks read_memory(L2 *l2, uint32_t channel, uint64_t line, uint32_t sectors, Ticks at) {
  if (!l2->infinity.sets)
    return read_hbm(l2, channel, line, sectors, at);
  bool found;
  const Ticks begin = take_infinity(l2, channel, line, at, sectors, false, &found);
  return found ? begin + l2->infinity_latency : read_hbm(l2, channel, line, SECTORS, begin);
}

// The halves of a line, 64 B each, of which sectors are among these.
static uint32_t halves_of(uint32_t sectors) { return ((sectors | sectors >> 1) & 5) * 3; }

// Brings in what is missing of sectors, in halves of a line, and makes them dirty if they are written.
// Returns when they are there. The TCC counts a hit where it finds the line, even one that is still
// on its way or valid in part.
static Ticks fetch(L2 *l2, Place p, uint64_t line, uint32_t sectors, bool written, bool stream,
                   Ticks begin, bool *hit, uint32_t *fetched) {
  enum { EA_READ = 64 / SECTOR };
  int found = find(l2, p, line);
  *hit = found >= 0;
  l2->count->tcc_hit += *hit;
  l2->count->tcc_miss += !*hit;
  uint32_t way = *hit ? (uint32_t)found : allocate(l2, p, line, stream, begin);
  if (*hit && !passes_through(l2, stream))
    set_bit(&p.set->leaves, way, false);
  set_bit(&p.set->read, way, true);
  use(l2, p, way);
  uint32_t missing = halves_of(sectors & ~valid(p, way)),
           count = (uint32_t)__builtin_popcount(missing);
  *fetched = count * SECTOR;
  p.sectors[way] |= (uint8_t)(missing | (written ? sectors << SECTORS : 0));
  if (missing) {
    l2->count->tcc_ea_rdreq += count / EA_READ;
    p.ready[way] = read_memory(l2, p.channel, line, count, begin) + l2->latency;
  }
  return later(begin + l2->latency, p.ready[way]);
}

Ticks l2_read(L2 *l2, uint64_t line, uint32_t sectors, bool stream, Ticks at, bool *hit,
              uint32_t *fetched) {
  Place p = place_of(l2, line);
  Ticks begin = accept(l2, p.channel, stream, at);
  l2->count->tcc_read++;
  return fetch(l2, p, line, sectors, false, stream, begin, hit, fetched);
}

Ticks l2_write(L2 *l2, uint64_t line, uint32_t touched, uint32_t full, bool stream, Ticks at,
               bool *hit) {
  Place p = place_of(l2, line);
  Ticks begin = accept(l2, p.channel, stream, at);
  l2->count->tcc_write++;
  int way = find(l2, p, line);
  *hit = way >= 0;
  if (*hit) {
    l2->count->tcc_hit++;
    set_bit(&p.set->leaves, (uint32_t)way, passes_through(l2, stream));
  } else {
    l2->count->tcc_miss++;
    if (l2->hbm_free[p.channel] > begin + l2->hbm_queue) // no room for one more write-back
      begin = l2->hbm_free[p.channel] - l2->hbm_queue;
    way = (int)allocate(l2, p, line, stream, begin);
  }
  use(l2, p, (uint32_t)way);
  p.sectors[way] |= (uint8_t)(full | touched << SECTORS);
  return begin + l2->latency;
}

Ticks l2_atomic(L2 *l2, uint64_t line, uint32_t sectors, Ticks at, bool *hit, uint32_t *fetched) {
  Place p = place_of(l2, line);
  Ticks begin = accept(l2, p.channel, false, at);
  l2->count->tcc_atomic++;
  return fetch(l2, p, line, sectors, true, false, begin, hit, fetched);
}

void l2_flush(L2 *l2) {
  for (size_t i = 0; i < (size_t)l2->channels * l2->sets; i++) {
    const uint8_t *sectors = sectors_of(l2, set_at(l2, i));
    for (uint32_t way = 0; way < l2->ways; way++) {
      l2->count->flushed_lines += dirty(sectors, way) != 0;
      count_writes(dirty(sectors, way), &l2->count->flushed_wrreq, &l2->count->flushed_wrreq_64b);
    }
  }
}
