// Occupancy: see occupancy.h.
#include "occupancy.h"

#include "gfx90a.h"
#include "parameters.h"

static uint32_t round_up(uint32_t value, uint32_t granule) {
  return (value + granule - 1) / granule * granule;
}

uint32_t occupancy_workgroups_per_cu(const Kernel *kernel, uint32_t block_size,
                                     uint32_t dynamic_lds_bytes) {
  uint32_t waves = (block_size + DEVICE_WAVEFRONT_SIZE - 1) / DEVICE_WAVEFRONT_SIZE;
  uint32_t lds = round_up(kernel->group_segment_size + dynamic_lds_bytes, DEVICE_LDS_GRANULE);
  if (block_size == 0 || block_size > kernel->max_workgroup_size || lds > DEVICE_LDS_BYTES)
    return 0;
  uint32_t per_simd = (uint32_t)parameters_device()->waves_per_simd,
           by_vgprs = DEVICE_VGPRS_PER_SIMD_LANE / kernel->allocated_vgprs;
  uint32_t by_sgprs =
      DEVICE_SGPRS_PER_SIMD / round_up(kernel->allocated_sgprs, DEVICE_SGPR_GRANULE);
  per_simd = by_vgprs < per_simd ? by_vgprs : per_simd;
  per_simd = by_sgprs < per_simd ? by_sgprs : per_simd;
  uint32_t groups = per_simd * DEVICE_SIMDS_PER_CU / waves;
  if (waves > 1 && groups > DEVICE_BARRIERS_PER_CU)
    groups = DEVICE_BARRIERS_PER_CU;
  if (lds && DEVICE_LDS_BYTES / lds < groups)
    groups = DEVICE_LDS_BYTES / lds;
  return groups;
}
