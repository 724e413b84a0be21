// Initial state: see initial_state.h (AMDGPUUsage.rst, "Initial Kernel Execution State").
#include "initial_state.h"

#include "code_object.h"
#include "first_reads.h"
#include "launch_memory.h"
#include "parameters.h"
#include "program.h"
#include "shadow.h"

#include <string.h>

// AQL kernel dispatch packet, HSA Platform System Architecture 1.2, section 2.9.6.
typedef struct {
  uint16_t header, setup, workgroup_size[3], reserved0;
  uint32_t grid_size[3]; // work-items
  uint32_t private_segment_size, group_segment_size;
  uint64_t kernel_object, kernarg_address, reserved1, completion_signal;
} DispatchPacket;

static void push_u64(Wavefront *w, int *next, uint64_t value) {
  w->sgpr[(*next)++] = (uint32_t)value;
  w->sgpr[(*next)++] = (uint32_t)(value >> 32);
}

// Buffer descriptor of the private segment, as ROCr's FillBufRsrcWord0 to 3 build it: swizzled,
// lane id added, 4 B elements, 64 lanes.
static void push_private_buffer(Wavefront *w, int *next) {
  enum {
    SWIZZLE = 1u << 31,
    ADD_LANE_INDEX_64_ELEMENT_4 = 0x00e00000 | 1u << 19,
    FORMAT_UINT32 = 4u << 12 | 4u << 15
  };
  push_u64(w, next, ((uint64_t)w->scratch & 0xffffffffffffull) | (uint64_t)SWIZZLE << 32);
  w->sgpr[(*next)++] = (uint32_t)w->scratch_bytes;
  w->sgpr[(*next)++] = ADD_LANE_INDEX_64_ELEMENT_4 | FORMAT_UINT32;
}

// Of code_properties.
enum {
  PRIVATE_BUFFER = 1,
  DISPATCH_PTR = 2,
  QUEUE_PTR = 4,
  KERNARG_PTR = 8,
  DISPATCH_ID = 16,
  FLAT_SCRATCH_INIT = 32,
  PRIVATE_SIZE = 64
};

// COMPUTE_PGM_RSRC2 bits 7 to 9.
static bool wants_group_id(const Kernel *kernel, int axis) {
  return kernel->rsrc2 >> (7 + axis) & 1;
}

// In the order of set_scalars.
ScalarPlaces initial_scalar_places(const Kernel *kernel) {
  static const uint8_t registers[] = {4, 2, 2, 2, 2, 2, 1}; // by the bit that asks for them
  ScalarPlaces places = {-1, -1, {-1, -1, -1}};
  int next = 0;
  for (int bit = 0; bit < 7; bit++)
    if (kernel->code_properties >> bit & 1) {
      if (1 << bit == KERNARG_PTR)
        places.kernarg = next;
      if (1 << bit == DISPATCH_PTR)
        places.packet = next;
      next += registers[bit];
    }
  next += kernel->kernarg_preload & 127;
  for (int axis = 0; axis < 3; axis++)
    if (wants_group_id(kernel, axis))
      places.id[axis] = next++;
  return places;
}

// Returns how many are set up.
static int set_scalars(const Launch *launch, Wavefront *w) {
  const Kernel *kernel = launch->kernel;
  uint16_t wanted = kernel->code_properties;
  int next = 0;
  if (wanted & PRIVATE_BUFFER)
    push_private_buffer(w, &next);
  if (wanted & DISPATCH_PTR)
    push_u64(w, &next, launch->packet);
  if (wanted & QUEUE_PTR)
    push_u64(w, &next, launch->queue);
  if (wanted & KERNARG_PTR)
    push_u64(w, &next, (uint64_t)launch->kernarg);
  if (wanted & DISPATCH_ID)
    push_u64(w, &next, 0);
  if (wanted & FLAT_SCRATCH_INIT)
    push_u64(w, &next, (uint64_t)w->scratch);
  if (wanted & PRIVATE_SIZE)
    w->sgpr[next++] = kernel->private_segment_size;
  const uint32_t preloaded = kernel->kernarg_preload & 127, from = kernel->kernarg_preload >> 7;
  if (preloaded)
    memcpy(&w->sgpr[next], (const uint32_t *)launch->kernarg + from, 4 * preloaded);
  next += (int)preloaded;
  for (int axis = 0; axis < 3; axis++)
    if (wants_group_id(kernel, axis))
      w->sgpr[next++] = w->group->id[axis];
  if (kernel->rsrc2 >> 10 & 1) // workgroup info: whether it is the first wave, and of how many
    w->sgpr[next++] = (uint32_t)!w->number << 31 | (w->group->wave_count & 63);
  if (kernel->rsrc2 &
      1) // private segment wave byte offset: each wave's descriptor begins at its own scratch
    w->sgpr[next++] = 0;
  return next;
}

// ENABLE_VGPR_WORKITEM_ID: x alone, x and y, or all three.
static int id_registers(const Kernel *kernel) {
  const int last = (int)(kernel->rsrc2 >> 11 & 3);
  return last < 2 ? last + 1 : 3;
}

void initial_state_plan(Launch *launch) {
  const Kernel *kernel = launch->kernel;
  const Architecture *architecture = parameters_device()->architecture;
  const bool preloads = kernel->kernarg_preload & 127;
  launch->entry =
      program_at(kernel->object->program, kernel->entry + (preloads ? CODE_PRELOAD_BYTES : 0));
  launch->packed_ids = architecture->packed_ids;
  launch->sets_scratch = architecture->sets_scratch;
  launch->first_reads = first_reads(kernel->object->program, kernel, launch->entry,
                                    launch->packed_ids ? 1 : (uint32_t)id_registers(kernel));
}

// Work-item ids of neighbours along x are packed into v0, 10 bits each for x, y and z, or go to v0, v1
// and v2.
static inline void set_ids(Wavefront *w, bool packed, uint32_t lane, uint32_t end, uint32_t x,
                           uint32_t y, uint32_t z) {
  const int ids = id_registers(w->thread->launch->kernel);
  const uint32_t beside = packed ? y << 10 | z << 20 : 0;
  for (uint32_t i = lane; i < end; i++)
    w->vgpr[0][i] = (x + i - lane) | beside;
  for (uint32_t i = lane; i < end && !packed && ids > 1; i++)
    w->vgpr[1][i] = y;
  for (uint32_t i = lane; i < end && !packed && ids > 2; i++)
    w->vgpr[2][i] = z;
}

// Of a whole wave over rows of 32, 16, 8 ... work-items: most tiles of two dimensions.
static void set_short_rows(Wavefront *w, bool packed, uint32_t row, uint32_t first) {
  const int shift = __builtin_ctz(row), ids = id_registers(w->thread->launch->kernel);
  for (uint32_t i = 0; i < LANES; i++) {
    const uint32_t y = (first + i) >> shift;
    w->vgpr[0][i] = ((first + i) & (row - 1)) | (packed ? y << 10 : 0);
  }
  for (uint32_t i = 0; i < LANES && !packed && ids > 1; i++)
    w->vgpr[1][i] = (first + i) >> shift;
  for (uint32_t i = 0; i < LANES && !packed && ids > 2; i++)
    w->vgpr[2][i] = 0;
}

static void set_rows(Wavefront *w, bool packed, uint32_t first, uint32_t lanes) {
  const uint32_t *block = w->group->size;
  uint32_t x = first, y = 0, z = 0;
  if (first >= block[0]) { // divisions take long
    x = first % block[0];
    y = first / block[0] % block[1];
    z = first / block[0] / block[1];
  }
  for (uint32_t lane = 0, end; lane < lanes; lane = end) {
    end = lanes - lane < block[0] - x ? lanes : lane + block[0] - x;
    if (end - lane == LANES) // which the compiler then knows
      set_ids(w, packed, 0, LANES, x, y, z);
    else
      set_ids(w, packed, lane, end, x, y, z);
    x = 0;
    if (++y == block[1]) {
      y = 0;
      z++;
    }
  }
}

static void set_lanes(Wavefront *w) {
  const bool packed = w->thread->launch->packed_ids;
  const uint32_t *block = w->group->size;
  const uint32_t items = block[0] * block[1] * block[2], first = w->number * LANES;
  const uint32_t lanes = items - first >= LANES ? LANES : items - first;
  const bool short_rows = block[0] < LANES && !(block[0] & (block[0] - 1));
  w->exec = ~0ull >> (LANES - lanes);
  if (short_rows && block[2] == 1 && lanes == LANES)
    set_short_rows(w, packed, block[0], first);
  else
    set_rows(w, packed, first, lanes);
}

// What memset does for every wave, in half of its time: it does not know that all begins and ends at
// eight words of the host.
static void clear(void *begin, const void *end) {
  typedef uint32_t Words __attribute__((vector_size(32), may_alias));
  for (Words *to = begin; to < (const Words *)end; to += 8)
    to[0] = to[1] = to[2] = to[3] = to[4] = to[5] = to[6] = to[7] = (Words){0};
}

static void clear_registers(Wavefront *w, uint32_t first, uint32_t count) {
  clear(w->vgpr[first], w->vgpr[first + count]);
}

static void clear_all_registers(Wavefront *w, const Kernel *kernel) {
  const uint32_t all = kernel->allocated_vgprs,
                 arch = kernel->accum_offset < all ? kernel->accum_offset : all,
                 accum = all - arch; // the granule may reach beyond the last AccVGPR
  clear_registers(w, 0, arch);
  clear_registers(w, AGPR_BASE, accum < AGPR_BASE ? accum : AGPR_BASE);
}

static void clear_registers_of(Wavefront *w, const RegisterList *list) {
  for (uint32_t i = 0; i < list->count; i++)
    clear_registers(w, list->number[i], 1);
}

// What stands before the lanes of EXEC, which stay those of expanded_exec.
static void clear_scalars(Wavefront *w) {
  _Static_assert(offsetof(Wavefront, exec_lanes) % 256 == 0, "eight words of 32 bytes");
  const uint64_t expanded = w->expanded_exec;
  clear(w, w->exec_lanes);
  w->expanded_exec = expanded;
}

// FLOAT_MODE, DX10_CLAMP, IEEE and FP16_OVFL: where a kernel descriptor has them, and where the mode register (LLVM
// AMDGPUUsage.rst, "compute_pgm_rsrc1").
static uint32_t mode_of(uint32_t rsrc1) {
  return (rsrc1 >> 12 & 0xff) | (rsrc1 >> 21 & 1) << 8 | (rsrc1 >> 23 & 1) << 9 |
         (rsrc1 >> 26 & 1) << 23;
}

void wave_start(const Launch *launch, HostThread *thread, Workgroup *group, uint32_t number,
                Wavefront *w) {
  const Kernel *kernel = launch->kernel;
  const uint32_t *size = group->size, items = size[0] * size[1] * size[2];
  uint8_t *scratch = w->scratch;
  if (w->scratch_used) // memset of nothing takes long where a page was never touched
    memset(scratch, 0, w->scratch_used);
  Shadow *shadow = w->shadow;
  Trace trace = {.word = w->trace.word, .capacity = w->trace.capacity, .off = !launch->traced};
  clear_scalars(w);
  if (shadow || !launch->first_reads || (number + 1) * LANES > items)
    clear_all_registers(w, kernel);
  else
    clear_registers_of(w, launch->first_reads);
  w->thread = thread;
  w->group = group;
  w->number = number;
  w->scratch = scratch;
  w->shadow = shadow;
  w->trace = trace;
  w->scratch_bytes = launch->scratch_bytes;
  w->mode = mode_of(kernel->rsrc1);
  w->next = launch->entry;
  const int scalars = set_scalars(launch, w);
  if (launch->sets_scratch) {
    int flat_scratch = SGPR_FLAT_SCRATCH;
    push_u64(w, &flat_scratch, (uint64_t)scratch);
  }
  if (number * LANES < items) {
    set_lanes(w);
  } else { // the workgroup has fewer items than others: the wave does not exist
    w->state = WAVE_DONE;
    trace_event(&w->trace, EVENT_END, 0);
  }
  if (shadow)
    shadow_start_wave(w, scalars, launch->packed_ids ? 1 : id_registers(kernel));
}

// Packet and queue live in one page.
bool packet_write(Launch *launch) {
  enum { QUEUE_OFFSET = 2048, PAGE = 4096 };
  uint8_t *page = launch_memory_take(PAGE);
  if (!page)
    return false;
  DispatchPacket packet = {.setup = 3,
                           .private_segment_size = launch->kernel->private_segment_size,
                           .group_segment_size = launch->lds_bytes,
                           .kernel_object = launch->kernel->descriptor,
                           .kernarg_address = (uint64_t)launch->kernarg};
  for (int axis = 0; axis < 3; axis++) {
    packet.workgroup_size[axis] = (uint16_t)launch->block[axis];
    packet.grid_size[axis] = launch->grid[axis] * launch->block[axis] - launch->cut[axis];
  }
  memcpy(page, &packet, sizeof packet);
  launch->packet = (uint64_t)page;
  launch->queue = (uint64_t)(page + QUEUE_OFFSET);
  return true;
}

void packet_give_back(const Launch *launch) { launch_memory_give((void *)launch->packet); }
