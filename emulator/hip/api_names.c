// Names of API calls by the number that tracers know them by.
//
// In: a number. Out: its name, "unknown" for others. Source: HIP's own header of these numbers.
#define _GNU_SOURCE
#include "runtime.h"

#include <stdint.h>

#include <hip/amd_detail/hip_prof_str.h>

EXPORT const char *hipApiName(uint32_t id);
const char *hipApiName(uint32_t id) { return hip_api_name(id); }
