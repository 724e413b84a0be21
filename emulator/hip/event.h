// Events: points in the order of work, and the time between two of them.
//
// In: the HIP event calls. Out: between two events lies the modelled time of the kernels launched
// there, or the host's time if there were none.
#ifndef EMULATOR_EVENT_H
#define EMULATOR_EVENT_H

#include <hip/hip_runtime_api.h>

hipError_t event_record(hipEvent_t event, hipStream_t stream);

#endif
