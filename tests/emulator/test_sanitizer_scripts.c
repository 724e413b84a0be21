// Random scripts of accesses to LDS and memory, in launches with EMULATOR_SANITIZE=1: what is told, of which
// thread and which dword, must be what a model here finds that looks at every dword on its own.
//
// In: build/tests/emulator/played.hsaco. Out: the same finding for each script, or none, interpreted and translated.
#include "code_object_load.h"
#include "device_memory.h"
#include "dispatch.h"
#include "faults/played.h"
#include "launch_plan.h"
#include "program.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SCRIPTS = 600, STEPS = 20, BLOCKS = 3, WAVES = PLAYED_BLOCK / PLAYED_WAVE };
enum {
  PART = 352,
  LDS = WAVES * PART,
  MEMORY = BLOCKS * LDS
};                  // dwords; a part is as far as a step reaches
enum { SHOWN = 5 }; // differences

static uint64_t random_state;
static int below(int limit) {
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return (int)((random_state >> 33) % (uint64_t)limit);
}
static int one_of(const int *numbers, int count) { return numbers[below(count)]; }

// ---- scripts ----

static int dword_of(const Step *step, int lane) {
  return step->base + lane % PLAYED_ROW * step->step + lane / PLAYED_ROW * step->row;
}

// Rows of lanes become columns, or the last lane comes first.
static void turn(Step *step) {
  if (below(2)) {
    step->step = step->dwords * (4 + below(2));
    step->row = step->dwords;
  } else {
    step->base += step->dwords * (PLAYED_WAVE - 1);
    step->step = -step->dwords;
    step->row = -step->dwords * PLAYED_ROW;
  }
}

// Each wave works on a part of its own, so that many scripts have no race, and now and then elsewhere.
static Step random_step(int wave, bool right, bool stores) {
  static const int kinds[] = {STEP_READ, STEP_READ, STEP_WRITE, STEP_WRITE,
                              STEP_ADD,  STEP_USE,  STEP_STORE};
  static const int widths[] = {1, 1, 2, 4}, rows[] = {16, 16, 16, 17, 1, 0};
  Step step = {
      .kind = stores ? STEP_STORE : one_of(kinds, 7), .wave = wave, .last = PLAYED_WAVE - 1};
  step.dwords = step.kind == STEP_ADD || step.kind == STEP_USE ? 1 : one_of(widths, 4);
  step.step = step.dwords * (below(6) ? 1 : below(3));
  step.row = one_of(rows, 6) * step.dwords;
  if (step.kind == STEP_STORE && below(4) == 0) {
    step.dwords = 3;
    step.step = 2 + below(5); // 2: the next lane's first dword is the last of this one
    step.row = step.step < 4 ? step.step * PLAYED_ROW : 3;
  }
  if (below(3) == 0) {
    step.first = below(PLAYED_WAVE);
    step.last = step.first + below(PLAYED_WAVE - step.first);
  }
  step.base = (right || below(8) ? wave : below(WAVES)) * PART;
  if (below(4) == 0)
    turn(&step);
  step.base += below(3) ? 0 : step.dwords * below(4);
  if (wave && below(16) == 0) { // whose last dword is the first of the wave's part
    step.dwords = step.step = 1;
    step.row = PLAYED_ROW;
    step.base = wave * PART - step.last;
    step.wave = wave - 1;
  }
  step.value = 1 + below(3);
  step.by_lane = below(3) == 0;
  return step;
}

// One half of a wave's part, of which lanes of the last wave may leave out theirs.
static Step first_step(int wave, int half, bool whole) {
  enum { HALF = PART / 2, LANES_OF_HALF = HALF / 4 };
  const bool last = wave + 1 == WAVES && !half;
  return (Step){.kind = STEP_WRITE,
                .wave = wave,
                .last = last && !whole ? 9 : LANES_OF_HALF - 1,
                .base = wave * PART + half * HALF,
                .step = 4,
                .row = 4 * PLAYED_ROW,
                .dwords = 4,
                .value = 9};
}

// The first steps write LDS, but where all of them store to memory.
static void write_script(Step *steps, uint64_t seed) {
  random_state = seed;
  const bool right = below(2), whole = below(3), stores = below(3) == 0;
  for (int block = 0; block < BLOCKS; block++)
    for (int i = 0; i < STEPS; i++) {
      Step *step = &steps[block * STEPS + i];
      if (stores)
        *step = random_step(below(WAVES), right, true);
      else if (i < 2 * WAVES)
        *step = first_step(i / 2, i % 2, whole);
      else if (i == 2 * WAVES || below(4) == 0)
        *step = (Step){.kind = STEP_BARRIER};
      else
        *step = random_step(below(WAVES), right, false);
      if (step->kind == STEP_STORE)
        step->base = (right || below(6) ? block * LDS : 0) + step->base % LDS;
    }
}

// ---- the model ----

typedef struct {
  bool happened;
  int wave, thread, epoch;
} Event;
// The latest of a kind, and of reads the latest of each wave: no two waves are in order between barriers.
typedef struct {
  Event write, update, read[WAVES];
  bool written;
  int value;
} Dword;
typedef struct {
  bool happened;
  int block, thread, value;
} Stored;

typedef struct {
  Dword lds[LDS];
  Stored memory[MEMORY];
  int block, epoch;
  char finding[256], other[128]; // empty: none so far
} Model;

static bool meets(const Model *model, const Event *event, int wave) {
  return event->happened && event->epoch == model->epoch && event->wave != wave;
}

// What a lane does to a dword of LDS, after the whole wave has done so.
static void look_at(Model *model, const Step *step, int lane, int at, bool changed) {
  Dword *dword = &model->lds[at];
  const int thread = step->wave * PLAYED_WAVE + lane;
  const bool reads = step->kind == STEP_READ || step->kind == STEP_USE,
             updates = step->kind == STEP_ADD;
  const Event *own = &dword->read[step->wave]; // what it has read or left it reads again
  bool race = meets(model, &dword->write, step->wave) ||
              (!updates && meets(model, &dword->update, step->wave));
  if (reads && own->happened && own->epoch == model->epoch)
    return;
  for (int wave = 0; !reads && wave < WAVES; wave++)
    race = race || meets(model, &dword->read[wave], step->wave);
  if (step->kind == STEP_WRITE && !changed) // as one that reads what it leaves
    dword->read[step->wave] = (Event){true, step->wave, thread, model->epoch};
  if (!reads && !changed)
    return;
  if (race && !*model->finding)
    snprintf(model->finding, sizeof model->finding,
             "block (%d, 0, 0), thread (%d, 0, 0): %s LDS byte %d, which", model->block, thread,
             reads                    ? "reads"
             : step->kind == STEP_ADD ? "updates"
                                      : "writes",
             4 * at);
  *(reads     ? &dword->read[step->wave]
    : updates ? &dword->update
              : &dword->write) = (Event){true, step->wave, thread, model->epoch};
}

static void tell(Model *model, const Step *step, int lane, const char *what) {
  if (!*model->finding)
    snprintf(model->finding, sizeof model->finding, "block (%d, 0, 0), thread (%d, 0, 0): %s",
             model->block, step->wave * PLAYED_WAVE + lane, what);
}

static void play_in_lds(Model *model, const Step *step) {
  static int before[LDS];
  for (int i = 0; i < LDS; i++)
    before[i] = model->lds[i].value;
  for (int lane = step->first; step->kind == STEP_ADD && lane <= step->last; lane++)
    if (!model->lds[dword_of(step, lane)].written)
      tell(model, step, lane, "updates atomically");
  for (int lane = step->first; lane <= step->last; lane++)
    for (int i = 0; i < step->dwords; i++) {
      Dword *dword = &model->lds[dword_of(step, lane) + i];
      const int value = step->value + lane * step->by_lane;
      if (step->kind == STEP_WRITE)
        dword->value = value;
      if (step->kind == STEP_ADD)
        dword->value += value;
      dword->written = dword->written || step->kind == STEP_WRITE;
    }
  for (int lane = step->first; lane <= step->last; lane++)
    for (int i = 0; i < step->dwords; i++) {
      const int at = dword_of(step, lane) + i;
      look_at(model, step, lane, at, model->lds[at].value != before[at]);
    }
  for (int lane = step->first; step->kind == STEP_USE && lane <= step->last; lane++)
    if (!model->lds[dword_of(step, lane)].written)
      tell(model, step, lane, "stores to global memory");
}

static void play_store(Model *model, const Step *step) {
  static Stored before[MEMORY];
  memcpy(before, model->memory, sizeof before);
  for (int lane = step->first; lane <= step->last; lane++)
    for (int i = 0; i < step->dwords; i++)
      model->memory[dword_of(step, lane) + i].value = step->value + lane * step->by_lane;
  for (int lane = step->first; lane <= step->last; lane++)
    for (int i = 0; i < step->dwords; i++) {
      const int at = dword_of(step, lane) + i;
      Stored *place = &model->memory[at];
      if (place->value == before[at].value)
        continue;
      if (before[at].happened && before[at].block != model->block && !*model->finding) {
        tell(model, step, lane, "writes to address");
        snprintf(model->other, sizeof model->other, "where block (%d, 0, 0), thread (%d, 0, 0)",
                 before[at].block, before[at].thread);
      }
      *place = (Stored){true, model->block, step->wave * PLAYED_WAVE + lane, place->value};
    }
}

// Blocks run one after the other, and between two barriers waves, too.
static void play_block(Model *model, const Step *steps) {
  enum { UNWRITTEN = -1 }; // LDS_POISON
  for (int i = 0; i < LDS; i++)
    model->lds[i] = (Dword){.value = UNWRITTEN};
  for (int begin = 0, end; begin < STEPS; begin = end + 1, model->epoch++) {
    end = begin;
    while (end < STEPS && steps[end].kind != STEP_BARRIER)
      end++;
    for (int wave = 0; wave < WAVES; wave++)
      for (int i = begin; i < end; i++)
        if (steps[i].wave == wave && !*model->finding)
          (steps[i].kind == STEP_STORE ? play_store : play_in_lds)(model, &steps[i]);
  }
}

static const Model *modelled(const Step *steps) {
  static Model model;
  memset(&model, 0, sizeof model);
  for (model.block = 0; model.block < BLOCKS; model.block++)
    play_block(&model, steps + model.block * STEPS);
  return &model;
}

// ---- the device ----

static CodeObject *load(void) {
  static uint8_t bytes[1 << 20];
  char message[512];
  bool no_binary;
  FILE *file = fopen("build/tests/emulator/played.hsaco", "rb");
  cr_assert(ne(ptr, file, NULL));
  const size_t size = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  CodeObject *object = code_object_load(bytes, size, message, sizeof message, &no_binary);
  cr_assert(ne(ptr, object, NULL), "%s", message);
  return object;
}

static void *memory(size_t size, MemoryKind kind) {
  void *block;
  cr_assert(eq(int, device_memory_allocate(size, kind, 0, &block), MEMORY_OK));
  return block;
}

typedef struct {
  Step *steps;
  int64_t count;
  int *to, *own;
} Arguments;

// "" if nothing was told.
static const char *played(const CodeObject *object, const Arguments *arguments) {
  static Counters counters;
  static Fault fault;
  Launch asked = {.kernel = code_object_kernel(object, "plays"),
                  .traffic_unwanted = below(2),
                  .grid = {BLOCKS, 1, 1},
                  .block = {PLAYED_BLOCK, 1, 1},
                  .dynamic_lds_bytes = LDS * 4,
                  .kernarg = arguments};
  memset(&fault, 0, sizeof fault);
  memset(arguments->to, 0, MEMORY * 4);
  launch_plan(&asked);
  return dispatch_run(&asked, &counters, &fault, NULL) ? "" : fault.text;
}

static void play_all(const char *translate) {
  setenv("EMULATOR_SANITIZE", "1", 1);
  setenv("EMULATOR_TRANSLATE", translate, 1);
  setenv("EMULATOR_THREADS", "1", 1);
  CodeObject *object = load();
  Arguments *arguments = memory(sizeof *arguments, MEMORY_RUNTIME);
  arguments->steps = memory(BLOCKS * STEPS * sizeof(Step), MEMORY_HOST);
  arguments->count = STEPS;
  arguments->to = memory(MEMORY * 4, MEMORY_DEVICE);
  arguments->own = memory(BLOCKS * PLAYED_BLOCK * 4, MEMORY_DEVICE);
  size_t different = 0, told = 0;
  for (uint64_t seed = 1; seed <= SCRIPTS && different < SHOWN; seed++) {
    write_script(arguments->steps, seed);
    const Model *model = modelled(arguments->steps);
    const char *expected = model->finding, *found = played(object, arguments);
    told += *expected != 0;
    if (*expected ? !strstr(found, expected) || !strstr(found, model->other) : *found) {
      different++;
      fprintf(stderr, "script %llu: expected '%s' and '%s', told '%s'\n", (unsigned long long)seed,
              expected, model->other, found);
    }
  }
  program_close(object);
  code_object_unload(object);
  cr_assert(zero(sz, different), "of %d scripts", SCRIPTS);
  cr_assert(lt(sz, SCRIPTS / 5, told), "and most scripts race");
  cr_assert(lt(sz, told, SCRIPTS * 3 / 4), "or none does");
}

Test(sanitizer_scripts, interpreted) { play_all("0"); }
Test(sanitizer_scripts, translated) { play_all("1"); }
