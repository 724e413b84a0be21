// A store that asks the caches not to keep the value, spelled for either compiler.
//
// In:  address in global memory, value. Out: the same memory contents as *address = value.
//
// AMD: the instruction gets the bits glc and slc ("streaming": first to be evicted from L2); any
// scalar type. NVIDIA: st.global.cs ("cache streaming", likely accessed once), PTX ISA, cache
// operators.
#ifndef NONTEMPORAL_H
#define NONTEMPORAL_H

#include <hip/hip_runtime.h>

static __device__ __forceinline__ void store_nontemporal(double *address, double value) {
#ifdef __HIP_PLATFORM_AMD__
  __builtin_nontemporal_store(value, address);
#else
  __stcs(address, value);
#endif
}

#endif
