// Structs of other releases: see program_structs.h.
#include "program_structs.h"

#include "program_abi.h"

#include <string.h>

DriverCopy driver_copy_of(const HIP_MEMCPY3D *p) {
  DriverCopy copy;
  if (program_abi() >= 6)
    return *(DriverCopy *)memcpy(&copy, p, sizeof copy);
  return (DriverCopy){.source = {p->srcXInBytes, p->srcY, p->srcZ, p->srcLOD, p->srcMemoryType,
                                 (void *)p->srcHost, p->srcDevice, p->srcArray, p->srcPitch,
                                 p->srcHeight},
                      .target = {p->dstXInBytes, p->dstY, p->dstZ, p->dstLOD, p->dstMemoryType,
                                 p->dstHost, p->dstDevice, p->dstArray, p->dstPitch, p->dstHeight},
                      .width_bytes = p->WidthInBytes,
                      .height = p->Height,
                      .depth = p->Depth};
}

void tell_driver_copy(HIP_MEMCPY3D *p, const DriverCopy *copy) {
  if (program_abi() >= 6) {
    memcpy((void *)p, copy, sizeof *copy);
    return;
  }
  *p = (HIP_MEMCPY3D){.srcXInBytes = (unsigned)copy->source.x_bytes,
                      .srcY = (unsigned)copy->source.y,
                      .srcZ = (unsigned)copy->source.z,
                      .srcMemoryType = copy->source.type,
                      .srcHost = copy->source.host,
                      .srcDevice = copy->source.device,
                      .srcArray = copy->source.array,
                      .srcPitch = (unsigned)copy->source.pitch,
                      .srcHeight = (unsigned)copy->source.height,
                      .dstXInBytes = (unsigned)copy->target.x_bytes,
                      .dstY = (unsigned)copy->target.y,
                      .dstZ = (unsigned)copy->target.z,
                      .dstMemoryType = copy->target.type,
                      .dstHost = copy->target.host,
                      .dstDevice = copy->target.device,
                      .dstArray = copy->target.array,
                      .dstPitch = (unsigned)copy->target.pitch,
                      .dstHeight = (unsigned)copy->target.height,
                      .WidthInBytes = (unsigned)copy->width_bytes,
                      .Height = (unsigned)copy->height,
                      .Depth = (unsigned)copy->depth};
}

hipMemsetParams driver_fill_of(const hipMemsetParams *of_program) {
  struct {
    void *dst;
    size_t pitch;
    unsigned value, element_size;
    size_t width, height;
  } of_6;
  if (program_abi() != 6)
    return *of_program;
  memcpy(&of_6, of_program, sizeof of_6);
  return (hipMemsetParams){.dst = of_6.dst,
                           .elementSize = of_6.element_size,
                           .height = of_6.height,
                           .pitch = of_6.pitch,
                           .value = of_6.value,
                           .width = of_6.width};
}
