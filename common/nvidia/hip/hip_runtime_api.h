// HIP's calls without its kernel language: for NVIDIA GPUs one header has both.
#include "hip_runtime.h"
