// Modelled launches: see modelled_launch.h.
#include "modelled_launch.h"

#include "gfx90a.h"
#include "parameters.h"
#include "trace_file.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
  FAR_AHEAD = 4096, // workgroups that may wait for the replay before their threads do
  LOOK_AGAIN = 256, // those after which these look again
  WORTH = 64,       // those for which a thread begins to replay: the host's caches must fill first
};

struct ModelledLaunch {
  Model *model;
  uint64_t workgroups, fed; // fed: in the order of their index
  uint64_t deposited;       // atomically
  GroupTrace **waiting;     // by index; pages appear as they are used
  bool feeding;             // somebody does
  bool idle, ended;         // the thread that only feeds has nothing to do; is to end
  pthread_mutex_t lock;     // of these three
  pthread_cond_t fed_some;  // or stopped feeding
  pthread_cond_t more;      // for the thread that only feeds
  bool incomplete;          // a trace could not be kept
  bool kept;                // EMULATOR_TRACES wants the traces, too
};

// Once a process: not every program shows its times with such a word.
static void say_not_validated(void) {
  fprintf(stderr,
          "emulator: note: times and cache counters of %s are modelled and not validated: nobody "
          "has compared them with the device's.\n",
          parameters_device()->name);
}

static void tell_not_validated(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  if (!parameters_device()->validated)
    pthread_once(&once, say_not_validated);
}

static bool no_memory(Fault *fault) {
  fault->kind = FAULT_HOST;
  fault_append(fault, "the host has no memory for the memory model.");
  return false;
}

bool modelled_launch_begin(const Launch *launch, ModelledLaunch **modelled, Fault *fault) {
  *modelled = NULL;
  if (!launch->modelled)
    return true;
  tell_not_validated();
  ModelledLaunch *m = calloc(1, sizeof *m);
  if (!m)
    return no_memory(fault);
  m->workgroups = launch->workgroups;
  m->model = model_begin(parameters_device(), launch);
  m->waiting = mmap(NULL, launch->workgroups * sizeof *m->waiting, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  pthread_mutex_init(&m->lock, NULL);
  pthread_cond_init(&m->fed_some, NULL);
  pthread_cond_init(&m->more, NULL);
  m->kept = trace_file_wanted();
  if (m->kept)
    trace_file_launch(launch);
  *modelled = m;
  if (m->model && m->waiting != MAP_FAILED)
    return true;
  modelled_launch_abandon(m);
  *modelled = NULL;
  return no_memory(fault);
}

// Bytes of a copy with so many words.
static size_t bytes_of(size_t words) { return sizeof(GroupTrace) + words * sizeof(uint64_t); }

static void give_room(const GroupTrace *trace) {
  trace_give_room(bytes_of(trace->begin[trace->waves]));
}

static GroupTrace *copy_traces(const Workgroup *group) {
  size_t words = 0;
  for (uint32_t i = 0; i < group->wave_count; i++) {
    words += group->waves[i].trace.count;
    if (group->waves[i].trace.exhausted)
      return NULL;
  }
  if (!trace_take_room(bytes_of(words)))
    return NULL;
  GroupTrace *trace = malloc(bytes_of(words));
  if (!trace) {
    trace_give_room(bytes_of(words));
    return NULL;
  }
  trace->waves = group->wave_count;
  trace->begin[0] = 0;
  for (uint32_t i = 0; i < group->wave_count; i++) {
    const Trace *one = &group->waves[i].trace;
    memcpy(trace->words + trace->begin[i], one->word, one->count * sizeof *one->word);
    trace->begin[i + 1] = trace->begin[i] + one->count;
  }
  return trace;
}

// The next trace, if it is there.
static GroupTrace *ready(const ModelledLaunch *m) {
  uint64_t next = __atomic_load_n(&m->fed, __ATOMIC_RELAXED);
  return next < m->workgroups ? __atomic_load_n(&m->waiting[next], __ATOMIC_ACQUIRE) : NULL;
}

static void tell_fed(ModelledLaunch *m, bool feeding) {
  pthread_mutex_lock(&m->lock);
  m->feeding = feeding;
  pthread_cond_broadcast(&m->fed_some);
  pthread_mutex_unlock(&m->lock);
}

// Feeds all that is ready in order. One thread at a time.
static void feed(ModelledLaunch *m) {
  for (GroupTrace *trace; (trace = ready(m)) && !__atomic_load_n(&m->ended, __ATOMIC_RELAXED);) {
    if (m->kept)
      trace_file_group(trace);
    give_room(trace);
    model_feed(m->model, trace);
    if (__atomic_add_fetch(&m->fed, 1, __ATOMIC_RELAXED) % LOOK_AGAIN == 0)
      tell_fed(m, true);
  }
}

static uint64_t waiting(const ModelledLaunch *m) {
  return __atomic_load_n(&m->deposited, __ATOMIC_RELAXED) -
         __atomic_load_n(&m->fed, __ATOMIC_RELAXED);
}

// Whether the caller is to feed: it is worth it, and nobody else does. Who is far ahead of the one that
// does waits for it.
static bool is_to_feed(ModelledLaunch *m) {
  pthread_mutex_lock(&m->lock);
  while (m->feeding && waiting(m) > FAR_AHEAD)
    pthread_cond_wait(&m->fed_some, &m->lock);
  bool somebody = !m->feeding && waiting(m) >= WORTH && ready(m);
  if (somebody && m->idle)
    pthread_cond_signal(&m->more);
  bool mine = somebody && (!m->idle || waiting(m) > FAR_AHEAD);
  m->feeding |= mine;
  pthread_mutex_unlock(&m->lock);
  return mine;
}

void modelled_launch_deposit(ModelledLaunch *m, const Workgroup *group) {
  GroupTrace *trace = __atomic_load_n(&m->incomplete, __ATOMIC_RELAXED) ? NULL : copy_traces(group);
  if (!trace) {
    __atomic_store_n(&m->incomplete, true, __ATOMIC_RELAXED);
    return;
  }
  __atomic_store_n(&m->waiting[group->index], trace, __ATOMIC_RELEASE);
  __atomic_add_fetch(&m->deposited, 1, __ATOMIC_RELAXED);
  if (is_to_feed(m)) {
    feed(m);
    tell_fed(m, false);
  }
}

bool modelled_launch_worth_a_thread(const ModelledLaunch *m) { return m->workgroups >= 2 * WORTH; }

void *modelled_launch_feed(void *launch) {
  ModelledLaunch *m = launch;
  pthread_mutex_lock(&m->lock);
  while (!m->ended) {
    if (m->feeding || !ready(m)) {
      m->idle = true;
      pthread_cond_wait(&m->more, &m->lock);
      m->idle = false;
      continue;
    }
    m->feeding = true;
    pthread_mutex_unlock(&m->lock);
    feed(m);
    tell_fed(m, false);
    pthread_mutex_lock(&m->lock);
  }
  pthread_mutex_unlock(&m->lock);
  return NULL;
}

void modelled_launch_stop_feeding(ModelledLaunch *m) {
  pthread_mutex_lock(&m->lock);
  __atomic_store_n(&m->ended, true, __ATOMIC_RELAXED);
  pthread_cond_signal(&m->more);
  pthread_mutex_unlock(&m->lock);
}

void modelled_launch_abandon(ModelledLaunch *m) {
  if (m->model)
    model_abandon(m->model);
  for (uint64_t i = m->fed; m->waiting != MAP_FAILED && i < m->workgroups && m->deposited; i++)
    if (m->waiting[i]) {
      give_room(m->waiting[i]);
      free(m->waiting[i]);
    }
  if (m->waiting != MAP_FAILED)
    munmap(m->waiting, m->workgroups * sizeof *m->waiting);
  pthread_mutex_destroy(&m->lock);
  pthread_cond_destroy(&m->fed_some);
  pthread_cond_destroy(&m->more);
  free(m);
}

// The engine clock that the device keeps up: from its peak while the SIMDs are busy half of the time or
// less, down to loaded_mhz where they always are. The work of vector ALU and matrix unit adds up.
static double engine_mhz(const ModelResult *r, const Parameters *p) {
  double all = (double)r->clocks * p->compute_units * DEVICE_SIMDS_PER_CU;
  double busy = all > 0 ? fmin((double)r->simd_clocks / all, 1) : 0;
  double lost = fmax(p->engine_mhz - p->loaded_mhz, 0);
  return p->engine_mhz - lost * fmax(2 * busy - 1, 0);
}

void modelled_launch_counters(const ModelResult *r, Counters *counters) {
  enum { QUAD = 4 };
  const Parameters *p = parameters_device();
  uint64_t *count = counters->value;
  count[GRBM_COUNT] = count[GRBM_GUI_ACTIVE] = r->clocks;
  count[SQ_BUSY_CYCLES] = r->clocks * (uint64_t)p->shader_engines;
  count[SQ_WAVE_CYCLES] = r->wave_clocks / QUAD;
  count[SQ_WAIT_ANY] = r->wait_clocks / QUAD;
  count[TA_TA_BUSY] = r->ta_busy;
  count[TCP_UTCL1_TRANSLATION_MISS] = r->utcl1_misses;
  count[TCP_TCC_READ_REQ] = r->tcp_read_req;
  count[TCP_TCC_READ_REQ_LATENCY] = r->tcp_read_latency;
  count[TCC_REQ] = r->tcc_req;
  count[TCC_READ] = r->tcc_read;
  count[TCC_WRITE] = r->tcc_write;
  count[TCC_ATOMIC] = r->tcc_atomic;
  count[TCC_STREAMING_REQ] = r->tcc_streaming;
  count[TCC_HIT] = r->tcc_hit;
  count[TCC_MISS] = r->tcc_miss;
  count[TCC_EA_RDREQ] = r->tcc_ea_rdreq;
  count[TCC_EA_WRREQ] = r->tcc_ea_wrreq + r->flushed_wrreq;
  count[TCC_EA_WRREQ_64B] = r->tcc_ea_wrreq_64b + r->flushed_wrreq_64b;
  count[TCC_NORMAL_WRITEBACK] = r->tcc_normal_writeback;
  count[TCC_ALL_TC_OP_WB_WRITEBACK] = r->flushed_lines;
  count[TCC_NORMAL_EVICT] = r->tcc_normal_evict;
  counters->modelled = true;
  counters->modelled_ms = (double)r->clocks / (engine_mhz(r, p) * 1e3) + p->launch_ns * 1e-6;
}

void modelled_launch_end(ModelledLaunch *m, const Kernel *kernel, Counters *counters,
                         InstructionTraffic *traffic) {
  ModelResult result;
  m->ended = false;
  feed(m);
  if (m->incomplete) {
    fprintf(
        stderr,
        "emulator: note: kernel %s: the record of what its waves did is too long for the model: "
        "256 MiB for a wave, or a quarter of this computer's memory for all that run. Its caches "
        "and time were not modelled. Counts of instructions are complete. A smaller size, or "
        "fewer rounds of its loops, can be modelled.\n",
        kernel->name);
  } else {
    model_end(m->model, &result, traffic);
    m->model = NULL;
    if (m->kept)
      trace_file_counters(counters);
    modelled_launch_counters(&result, counters);
  }
  modelled_launch_abandon(m);
}
