// Dispatch: see dispatch.h. Workgroups go to host threads in the order of their index; a
// workgroup's waves take turns on its thread.
#include "dispatch.h"

#include "commuting.h"
#include "compiler_defect.h"
#include "device_memory.h"
#include "group_order.h"
#include "idle_groups.h"
#include "initial_state.h"
#include "launch_pause.h"
#include "line_report.h"
#include "missing_memory.h"
#include "modelled_launch.h"
#include "occupancy.h"
#include "parameters.h"
#include "parked_threads.h"
#include "profile.h"
#include "program.h"
#include "progress.h"
#include "queue.h"
#include "run.h"
#include "running_time.h"
#include "settings.h"
#include "store_conflict.h"
#include "trace_file.h"
#include "translator.h"
#include "vector_access.h"
#include "workgroup.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  PATIENCE = 64, // turns that workgroups may use before as many again start beside them
  MAX_THREADS = PARKED_THREADS,
  CACHE_LINE = 64,      // bytes, of the host
  LONGEST_HOLD = 16384, // instructions for which calls that change memory may wait
};

// One launch, shared by its host threads.
typedef struct {
  Launch launch;
  uint64_t fault_index;    // lowest workgroup that faulted, or UINT64_MAX
  Fault *fault;            // its fault
  pthread_mutex_t lock;    // of writing the two above
  uint64_t resident_limit; // workgroups that one host thread keeps under way at once
  uint64_t budget;
  ModelledLaunch *modelled; // NULL: not modelled
  bool steps_aside;         // where other kernels could go on
  LaunchPause pause;        // while it does
  int asleep;               // host threads all of whose workgroups wait, changed atomically
  IdleGroups idle;          // workgroups that do nothing
  // Changed with every workgroup, unlike what is above.
  _Alignas(CACHE_LINE) uint64_t next; // workgroup to start, taken atomically
  _Alignas(CACHE_LINE) struct Progress progress;
} Run;

typedef struct {
  Run *run;
  HostThread thread;
  Counters waves;   // what is known at launch: SQ_WAVES..., SQ_ITEMS
  uint64_t whole;   // workgroups with all their work-items, which are not yet in `waves`
  uint64_t idle[3]; // of these, those that the axis tells to do nothing
  Workgroup **parked;
  uint64_t parked_count, patience;
  uint64_t held_for; // instructions since memory is held, 0: it is not
  bool ended;        // a workgroup has, meanwhile
  bool asleep;       // all its workgroups wait
  size_t profile_slots;
} Worker;

// ---- workgroups ----

static void count_waves(Worker *worker, uint32_t items, uint64_t groups) {
  uint64_t *count = worker->waves.value;
  for (uint32_t lanes; items; items -= lanes) {
    lanes = items < LANES ? items : LANES;
    count[SQ_WAVES] += groups;
    count[SQ_ITEMS] += lanes * groups;
    count[SQ_WAVES_EQ_64] += lanes == 64 ? groups : 0;
    count[SQ_WAVES_LT_64] += lanes < 64 ? groups : 0;
    count[SQ_WAVES_LT_48] += lanes < 48 ? groups : 0;
    count[SQ_WAVES_LT_32] += lanes < 32 ? groups : 0;
    count[SQ_WAVES_LT_16] += lanes < 16 ? groups : 0;
  }
}

// Most workgroups are whole, and these are counted at the end.
static void count_group(Worker *worker, const Workgroup *group) {
  const uint32_t items = group->size[0] * group->size[1] * group->size[2];
  if (items == worker->run->launch.items_per_workgroup)
    worker->whole++;
  else
    count_waves(worker, items, 1);
}

// A workgroup that waits for ever because the one it waits for has faulted tells nothing new.
static void note_fault(Run *run, uint64_t index, const Fault *fault) {
  pthread_mutex_lock(&run->lock);
  if (index < run->fault_index && (fault->kind != FAULT_BUDGET || run->fault_index == UINT64_MAX)) {
    __atomic_store_n(&run->fault_index, index, __ATOMIC_RELAXED);
    *run->fault = *fault;
  }
  pthread_mutex_unlock(&run->lock);
}

static uint64_t fault_index(const Run *run) {
  return __atomic_load_n(&run->fault_index, __ATOMIC_RELAXED);
}

// Memory stays held over some short workgroups: all host threads change the lock.
static void hold(Worker *worker) {
  if (!worker->held_for)
    device_memory_hold();
  worker->held_for++;
}

// Each host thread comes for one more than there are.
static uint64_t begun_workgroups(const Run *run) {
  const uint64_t next = __atomic_load_n(&run->next, __ATOMIC_RELAXED);
  return next < run->launch.workgroups ? next : run->launch.workgroups;
}

// The clock, too, is not read for each of them.
static void let_go(Worker *worker) {
  if (worker->held_for)
    device_memory_let_go();
  if (worker->ended) {
    progress_ended(&worker->run->progress);
    running_time_tell(progress_ran(&worker->run->progress), &worker->run->launch,
                      begun_workgroups(worker->run));
  }
  worker->held_for = 0;
  worker->ended = false;
}

static void note_start(Worker *worker) {
  if (!worker->held_for)
    progress_started(&worker->run->progress);
}

// ---- stepping aside ----

// Of what was known of memory nothing may be true when it goes on.
static void stop(Worker *worker) {
  let_go(worker);
  access_forget(&worker->thread);
}

// Other kernels, and copies, have a turn if there are any: this launch may wait for them. What they change decides what it does.
static void step_aside(Worker *worker) {
  Run *run = worker->run;
  if (!queue_may_do_more() || !launch_pause_begin(&run->pause))
    return;
  stop(worker);
  worker->thread.accessed.others = true;
  progress_step_aside(&run->progress, worker->asleep);
  launch_pause_end(&run->pause);
}

static void pause_if_wanted(Worker *worker) {
  if (!launch_pause_wanted(&worker->run->pause))
    return;
  stop(worker);
  launch_pause_stop(&worker->run->pause);
}

static void set_asleep(Worker *worker, bool asleep) {
  if (asleep != worker->asleep)
    __atomic_add_fetch(&worker->run->asleep, asleep ? 1 : -1, __ATOMIC_RELAXED);
  worker->asleep = asleep;
}

// What is parked may wait for something outside of the launch, or simply take long.
static bool is_to_step_aside(Worker *worker) {
  Run *run = worker->run;
  const bool all_asleep = worker->asleep && __atomic_load_n(&run->asleep, __ATOMIC_RELAXED) ==
                                                launch_pause_threads(&run->pause);
  return worker->parked_count && run->steps_aside &&
         progress_is_to_step_aside(&run->progress, all_asleep);
}

// One turn of one workgroup. True if it is over and its memory free for the next.
static bool advance(Worker *worker, Workgroup *group) {
  hold(worker);
  GroupState state = workgroup_run(&worker->thread, group);
  if (worker->thread.updates)
    updates_apply(worker->thread.updates);
  worker->held_for += workgroup_issued(group);
  worker->ended = worker->ended || state == GROUP_DONE;
  if (state == GROUP_PARKED || worker->held_for > LONGEST_HOLD || worker->run->modelled)
    let_go(worker); // before it waits for another that may wait for the lock
  if (state == GROUP_FAULTED)
    note_fault(worker->run, group->index, &worker->thread.fault);
  if (state == GROUP_DONE && worker->run->modelled)
    modelled_launch_deposit(worker->run->modelled, group);
  return state != GROUP_PARKED;
}

// Those under way double before they are waited for again: where all wait for the last one, every
// round of the waiting is lost.
static void park(Worker *worker, Workgroup *group) {
  worker->parked[worker->parked_count++] = group;
  if ((worker->parked_count & (worker->parked_count - 1)) == 0)
    worker->patience = PATIENCE;
}

// Gives every parked workgroup one turn, oldest first; finished ones are handed back through *spare
// or freed. True if all of them wait.
static bool advance_parked(Worker *worker, Workgroup **spare) {
  uint64_t kept = 0, stop = fault_index(worker->run);
  bool asleep = true;
  for (uint64_t i = 0; i < worker->parked_count; i++) {
    Workgroup *group = worker->parked[i];
    if (group->index > stop || advance(worker, group)) {
      workgroup_free(*spare);
      *spare = group;
    } else {
      worker->parked[kept++] = group;
      for (uint32_t k = 0; k < group->in_memory && !group->waiting; k++)
        asleep = asleep && (group->waves[k].state != WAVE_RUNNING || group->waves[k].yield ||
                            group->waves[k].waiting);
    }
  }
  worker->parked_count = kept;
  worker->patience = asleep || worker->patience == 0 ? 0 : worker->patience - 1;
  return asleep;
}

static bool has_running_wave(const Workgroup *group) {
  for (uint32_t i = 0; i < group->in_memory; i++)
    if (group->waves[i].state == WAVE_RUNNING)
      return true;
  return false;
}

// Lets all waves at the grid barrier go on once every participant has arrived: true then. If nobody is left
// who could arrive, the launch ends with a fault.
static bool release_grid_barrier(Worker *worker) {
  HostThread *thread = &worker->thread;
  Run *run = worker->run;
  if (!thread->at_grid_barrier || worker->parked_count == 0)
    return false;
  bool complete = thread->at_grid_barrier >= thread->grid_participants, running = false;
  for (uint64_t i = 0; i < worker->parked_count; i++) {
    Workgroup *group = worker->parked[i];
    for (uint32_t k = 0; complete && k < group->in_memory; k++)
      if (group->waves[k].state == WAVE_AT_GRID_BARRIER)
        group->waves[k].state = WAVE_RUNNING;
    running = running || has_running_wave(group);
  }
  if (complete)
    thread->at_grid_barrier = 0;
  if (running || __atomic_load_n(&run->next, __ATOMIC_RELAXED) < run->launch.workgroups)
    return complete;
  Fault fault = {.kind = FAULT_BARRIER};
  fault_append(&fault,
               "kernel %s, block %llu: %llu of %llu participants wait at a barrier across the grid "
               "(grid.sync()), and no workgroup is left that could still arrive; every workgroup "
               "must pass it.",
               run->launch.kernel->name, (unsigned long long)worker->parked[0]->index,
               (unsigned long long)thread->at_grid_barrier,
               (unsigned long long)thread->grid_participants);
  // Else those that are missing have come to an end of their own.
  if (fault_index(run) == UINT64_MAX)
    note_fault(run, 0, &fault);
  worker->parked_count = 0;
  return false;
}

// Counts the workgroup of this index, and those behind it that nobody has begun, as executed, where they do nothing.
static bool pass_over(Worker *worker, uint64_t index) {
  Run *run = worker->run;
  uint32_t id[3];
  int axis;
  workgroup_id(&run->launch, index, id);
  uint64_t count = idle_groups_from(&run->idle, &run->launch, id, &axis), next = index + 1;
  if (!count)
    return false;
  if (!__atomic_compare_exchange_n(&run->next, &next, index + count, false, __ATOMIC_RELAXED,
                                   __ATOMIC_RELAXED))
    count = 1; // others have begun some
  worker->whole += count;
  worker->idle[axis] += count;
  return true;
}

static void *work(void *argument) {
  Worker *worker = argument;
  Run *run = worker->run;
  Workgroup *spare = NULL;
  launch_pause_come(&run->pause);
  for (;;) {
    pause_if_wanted(worker);
    uint64_t stop = fault_index(run), index = run->launch.workgroups;
    bool room = worker->parked_count == 0 ||
                (worker->patience == 0 && worker->parked_count < run->resident_limit);
    if (room && __atomic_load_n(&run->next, __ATOMIC_RELAXED) < run->launch.workgroups)
      index = __atomic_fetch_add(&run->next, 1, __ATOMIC_RELAXED);
    if (index < stop && run->idle.any && index < run->launch.workgroups && pass_over(worker, index))
      continue;
    if (index < run->launch.workgroups && index < stop) {
      Workgroup *group = spare ? spare : workgroup_allocate(&run->launch);
      spare = NULL;
      if (!group) {
        Fault fault = {.kind = FAULT_HOST};
        fault_append(&fault,
                     "kernel %s, block %llu: the host has no memory for one more workgroup.",
                     run->launch.kernel->name, (unsigned long long)index);
        note_fault(run, index, &fault);
        continue;
      }
      workgroup_start(&run->launch, &worker->thread, group, index);
      count_group(worker, group);
      note_start(worker);
      if (advance(worker, group))
        spare = group;
      else
        park(worker, group);
      if (worker->patience == 0)
        continue; // more are to start
    } else if (worker->parked_count == 0)
      break;
    const bool asleep = worker->parked_count && advance_parked(worker, &spare);
    set_asleep(worker, !release_grid_barrier(worker) && asleep);
    if (is_to_step_aside(worker))
      step_aside(worker);
  }
  let_go(worker);
  set_asleep(worker, false);
  launch_pause_go(&run->pause);
  count_waves(worker, run->launch.items_per_workgroup, worker->whole);
  for (int axis = 0; run->idle.any && axis < 3; axis++)
    idle_groups_count(&run->idle.axis[axis], &run->launch, worker->idle[axis],
                      worker->thread.profile);
  if (spare && !run->launch.traced)
    workgroup_keep(spare);
  else
    workgroup_free(spare);
  progress_forget_registers();
  return NULL;
}

// ---- the launch ----

static bool sanitizes(void) { return settings()->sanitize == SANITIZE_ALL; }

static bool may_know_of_each_other(const Launch *launch) {
  return launch->cooperative ||
         group_order_by_atomics(launch->kernel->object->program, launch->kernel);
}

// The sanitizer watches atomics one by one.
static bool order_is_no_matter(const Launch *launch) {
  return !launch->cooperative && !sanitizes() &&
         atomics_commute(launch->kernel->object->program, launch->kernel, launch->kernarg);
}

// Asked once: the C library reads a file to know.
static uint64_t processors(void) {
  static uint64_t known;
  if (!known)
    known = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
  return known;
}

static uint32_t host_threads(const Run *run) {
  enum { GROUPS_WORTH_A_THREAD = 8 };
  uint64_t asked = settings()->threads, threads = asked ? asked : processors(),
           useful = run->launch.workgroups / GROUPS_WORTH_A_THREAD + 1;
  threads = threads < useful ? threads : useful;
  return (uint32_t)(threads < MAX_THREADS ? threads : MAX_THREADS);
}

// Those that run workgroups.
static uint32_t worker_count(const Run *run) {
  const Kernel *kernel = run->launch.kernel;
  if (may_know_of_each_other(&run->launch) && !order_is_no_matter(&run->launch))
    return 1; // atomics in a fixed order: the same result on every run
  if (group_order_polls(kernel->object->program, kernel))
    return 1; // as often as a wave looks for a flag: the same counts on every run
  return host_threads(run);
}

static bool prepare(Run *run, const Launch *launch, Fault *fault) {
  const Kernel *kernel = launch->kernel;
  *run = (Run){
      .launch = *launch, .fault_index = UINT64_MAX, .fault = fault, .budget = settings()->budget};
  if (run->launch.workgroups_per_cu == 0) // a block that cannot fit by its registers runs all alone
    run->launch.workgroups_per_cu = 1;
  run->resident_limit =
      (uint64_t)run->launch.workgroups_per_cu * (uint64_t)parameters_device()->compute_units;
  if (!kernel->object->program && !program_open(kernel->object)) {
    *fault = (Fault){.kind = FAULT_HOST};
    fault_append(
        fault,
        "kernel %s: LLVM's AMDGPU disassembler could not be started; is libLLVM-15 complete, and "
        "is there memory for it?",
        kernel->name);
    return false;
  }
  run->launch.instructions = (uint32_t)program_slots(kernel->object->program);
  initial_state_plan(&run->launch);
  compiler_defect_tell(kernel->object->program, kernel);
  if (!packet_write(&run->launch)) {
    *fault = (Fault){.kind = FAULT_HOST};
    fault_append(fault, "kernel %s: the host has no memory for the dispatch packet.", kernel->name);
    return false;
  }
  pthread_mutex_init(&run->lock, NULL);
  launch_pause_init(&run->pause);
  run->steps_aside = !sanitizes() && !trace_file_wanted(); // these know one launch at a time
  progress_begin(&run->progress, run->steps_aside);
  running_time_begin();
  if (sanitizes())
    store_conflict_begin(launch, launch->cooperative ||
                                     group_order_by_values(kernel->object->program, kernel));
  bool valid = modelled_launch_begin(&run->launch, &run->modelled, fault);
  run->launch.traced = run->modelled != NULL;
  if (!sanitizes())
    idle_groups_find(&run->launch, &run->idle);
  return valid;
}

// Sanitized instructions take several times as long, so the translation of a block is soon worth it.
static uint32_t hot_after(void) {
  enum { SANITIZED_COST = 4 };
  const uint32_t asked = (uint32_t)settings()->translate;
  return sanitizes() && asked >= SANITIZED_COST ? asked / SANITIZED_COST : asked;
}

// What instructions do to the address unit, the L1 and the banks of LDS does not change from one
// launch to the next. Profiles are all zeros again: those of large programs are a lot of pages, of which a
// launch touches few. A launch takes them, and one that goes on where another has stepped aside finds none.
typedef struct {
  Footprint *footprints;
  LdsPattern *lds_patterns;
  InstructionProfile *profile;
  size_t slots; // of it
} Met;
static Met met[MAX_THREADS];

static Met take_met(uint32_t number, size_t slots) {
  Met taken = met[number];
  met[number] = (Met){0};
  if (!taken.profile || taken.slots < slots) {
    free(taken.profile);
    taken.profile = calloc(slots, sizeof *taken.profile);
    taken.slots = slots;
  }
  return taken;
}

static void keep_met(uint32_t number, Met given) {
  free(met[number].footprints);
  free(met[number].lds_patterns);
  free(met[number].profile);
  met[number] = given;
}

static bool worker_init(Worker *worker, uint32_t number, Run *run, bool gathers) {
  Program *program = run->launch.kernel->object->program;
  size_t slots = program_slots(program) + 1;
  Met known = take_met(number, slots);
  *worker = (Worker){.run = run,
                     .thread = {.launch = &run->launch,
                                .program = program,
                                .budget = run->budget,
                                .hot = hot_after(),
                                .footprints = known.footprints,
                                .lds_patterns = known.lds_patterns,
                                .profile = known.profile,
                                .progress = &run->progress},
                     .profile_slots = known.slots};
  worker->thread.updates = gathers ? calloc(1, sizeof(Updates)) : NULL;
  worker->parked = malloc((run->resident_limit + 1) * sizeof *worker->parked);
  bool wanted = line_report_wanted();
  worker->thread.memory = wanted ? calloc(slots, sizeof(MemoryProfile)) : NULL;
  return worker->thread.profile && worker->parked && (worker->thread.memory || !wanted) &&
         (worker->thread.updates || !gathers);
}

static void worker_free(Worker *worker, uint32_t number) {
  HostThread *thread = &worker->thread;
  if (worker->run) { // it was reached
    if (thread->profile)
      memset(thread->profile, 0,
             program_instruction_count(thread->program) * sizeof *thread->profile);
    keep_met(number, (Met){thread->footprints, thread->lds_patterns, thread->profile,
                           worker->profile_slots});
  }
  free(thread->range_table);
  free(thread->updates);
  free(thread->memory);
  free(worker->parked);
}

// A thread that cannot be had is only slower.
static void run_on_threads(Worker *workers, uint32_t count) {
  enum { FEEDER = 0 }; // the thread of this number feeds the model, where the workers are one
  Run *run = workers[0].run;
  bool started[MAX_THREADS] = {false};
  const bool feeds = count == 1 && host_threads(run) > 1 && run->modelled &&
                     modelled_launch_worth_a_thread(run->modelled) &&
                     parked_thread_start(FEEDER, modelled_launch_feed, run->modelled);
  for (uint32_t i = 1; i < count; i++)
    started[i] = parked_thread_start(i, work, &workers[i]);
  work(&workers[0]);
  for (uint32_t i = 1; i < count; i++)
    if (started[i])
      parked_thread_join(i);
  if (feeds) {
    modelled_launch_stop_feeding(run->modelled);
    parked_thread_join(FEEDER);
  }
}

// Sums up what the host threads counted, in the first of them.
static void collect(Worker *workers, uint32_t threads, Counters *counters) {
  HostThread *all = &workers[0].thread;
  uint32_t instructions = program_instruction_count(all->program);
  for (uint32_t i = 0; i < threads; i++) {
    counters_add(counters, &workers[i].waves);
    if (workers[i].thread.clock_read > counters->clock_read)
      counters->clock_read = workers[i].thread.clock_read;
  }
  for (uint32_t i = 1; i < threads; i++) {
    profile_add(all->profile, workers[i].thread.profile, instructions);
    if (all->memory)
      profile_add_memory(all->memory, workers[i].thread.memory, instructions);
  }
  profile_share_blocks(all->program, all->profile);
  profile_count(all->program, all->profile, counters);
}

// Ends the replay of a launch that went well, and writes the report by source line if it is wanted.
static void finish(Run *run, const HostThread *all, Counters *counters) {
  InstructionTraffic *traffic =
      all->memory ? calloc(program_slots(all->program), sizeof *traffic) : NULL;
  if (run->modelled)
    modelled_launch_end(run->modelled, run->launch.kernel, counters, traffic);
  device_memory_hold();
  if (all->memory)
    line_report_write(run->launch.kernel, all->profile, all->memory,
                      counters->modelled ? traffic : NULL);
  device_memory_let_go();
  free(traffic);
}

bool dispatch_run(const Launch *launch, Counters *counters, Fault *fault,
                  AccessedMemory *accessed) {
  Run run;
  if (accessed)
    *accessed = (AccessedMemory){0};
  *counters = (Counters){.traffic_unknown = launch->traffic_unwanted};
  *fault = (Fault){.kind = FAULT_NONE};
  if (!prepare(&run, launch, fault)) {
    packet_give_back(&run.launch);
    return false;
  }
  missing_memory_begin();
  uint32_t threads = worker_count(&run);
  bool gathers = threads > 1 && may_know_of_each_other(launch);
  Worker *workers = calloc(threads, sizeof *workers);
  bool ready = workers != NULL;
  for (uint32_t i = 0; i < threads && ready; i++)
    ready = worker_init(&workers[i], i, &run, gathers);
  if (ready) {
    run_on_threads(workers, threads);
    translator_finish();
    collect(workers, threads, counters);
    for (uint32_t i = 0; i < threads && accessed; i++)
      accessed_memory_add_all(accessed, &workers[i].thread.accessed);
  } else {
    fault->kind = FAULT_HOST;
    fault_append(fault, "kernel %s: the host has no memory to run it.", launch->kernel->name);
  }
  if (fault->kind == FAULT_NONE)
    finish(&run, &workers[0].thread, counters);
  else if (run.modelled)
    modelled_launch_abandon(run.modelled);
  for (uint32_t i = 0; i < threads && workers; i++)
    worker_free(&workers[i], i);
  free(workers);
  missing_memory_end();
  running_time_end(progress_ran(&run.progress));
  packet_give_back(&run.launch);
  launch_pause_destroy(&run.pause);
  pthread_mutex_destroy(&run.lock);
  return fault->kind == FAULT_NONE;
}
