// Beginning and end of what EMULATOR_SANITIZE=1 keeps: see shadow.h.
#include "shadow.h"

#include "settings.h"

#include <stdio.h>
#include <stdlib.h>

bool shadow_allocate(const Launch *launch, Workgroup *group) {
  if (settings()->sanitize != SANITIZE_ALL)
    return true;
  group->shadow = calloc(1, sizeof *group->shadow);
  Shadow *waves = group->shadow ? calloc(group->wave_count, sizeof *waves) : NULL;
  const size_t written = launch->scratch_bytes / 8 + 1u, computed = launch->scratch_bytes / 32 + 1u;
  u8 *scratch = waves ? calloc(group->wave_count, written + computed) : NULL;
  for (u32 i = 0; i < group->wave_count; i++) {
    group->waves[i].shadow = scratch ? &waves[i] : NULL;
    if (!scratch)
      continue;
    waves[i].scratch_written = scratch + i * (written + computed);
    waves[i].scratch_computed = waves[i].scratch_written + written;
  }
  if (!scratch)
    free(waves);
  return scratch;
}

void shadow_free(Workgroup *group) {
  if (group->shadow && group->waves[0].shadow) {
    free(group->waves[0].shadow->scratch_written);
    free(group->waves[0].shadow);
  }
  free(group->shadow);
}

void shadow_start_group(Workgroup *group) {
  GroupShadow *shadow = group->shadow;
  if (!shadow)
    return;
  if (shadow->latest > MOST_CLOCK / 2) // the clocks begin again
    memset(&shadow->write, 0, offsetof(GroupShadow, written) - offsetof(GroupShadow, write));
  shadow->begun = shadow->settled = shadow->latest++;
  memset(shadow->written, 0, group->lds_bytes / 8);
  memset(shadow->computed, 0, group->lds_bytes / 32);
  memset(shadow->released, 0, sizeof shadow->released);
  shadow->barrier = NULL;
  shadow->plain = false;
  shadow->log.closed = false;
  shadow_begin_log(&shadow->log);
}

void shadow_start_wave(Wavefront *w, int scalars, int vectors) {
  Shadow *shadow = w->shadow;
  if (!shadow)
    return;
  const Kernel *kernel = w->thread->launch->kernel;
  memset(shadow, 0, offsetof(Shadow, touched));
  memset(shadow->scratch_written, 0, w->scratch_bytes / 8 + 1);
  memset(shadow->scratch_computed, 0, w->scratch_bytes / 32 + 1);
  const u32 registers[] = {kernel->accum_offset, kernel->allocated_vgprs - kernel->accum_offset};
  for (u32 file = 0; file < 2; file++)
    for (u32 i = 0; i < registers[file] && i < AGPR_BASE; i++) {
      const u32 r = file * AGPR_BASE + i;
      shadow->undefined[r] = shadow->whole[r] = ~0ull;
      shadow->computed[r] = 0;
      shadow->origin[r] = (Origin){0};
    }
  shadow->vm.done = shadow->vm.issued;
  shadow->lgkm.done = shadow->lgkm.issued;
  memset(shadow->undefined, 0, (size_t)vectors * sizeof *shadow->undefined);
  memset(shadow->sgpr, 0xff, sizeof shadow->sgpr);
  memset(shadow->sgpr, 0, (size_t)scalars * sizeof *shadow->sgpr);
  memset(&shadow->sgpr[SGPR_EXEC], 0, 2 * sizeof *shadow->sgpr);
  shadow->scc = true;
  for (int i = 0; i < MAX_WAVES; i++)
    shadow->clock[i] = w->group->shadow->settled;
  shadow->clock[w->number]++;
  shadow->alive = w->exec;
}

void shadow_thread(const Workgroup *group, u32 wave, int lane, char *text, size_t size) {
  const u32 *block = group->size, item = wave * LANES + (u32)lane;
  snprintf(text, size, "thread (%u, %u, %u)", item % block[0], item / block[0] % block[1],
           item / block[0] / block[1]);
}
