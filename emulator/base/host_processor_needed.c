// The instructions that this library was built with: see host_processor.h. Data alone, since it is compiled with them.
#include "host_processor.h"

const uint32_t host_processor_needed = 0
#ifdef __SSE4_2__
                                       | 1u << 0
#endif
#ifdef __POPCNT__
                                       | 1u << 1
#endif
#ifdef __AVX__
                                       | 1u << 2
#endif
#ifdef __AVX2__
                                       | 1u << 3
#endif
#ifdef __FMA__
                                       | 1u << 4
#endif
#ifdef __BMI__
                                       | 1u << 5
#endif
#ifdef __BMI2__
                                       | 1u << 6
#endif
#ifdef __F16C__
                                       | 1u << 7
#endif
#ifdef __AVX512F__
                                       | 1u << 8
#endif
#ifdef __AVX512BW__
                                       | 1u << 9
#endif
#ifdef __AVX512DQ__
                                       | 1u << 10
#endif
#ifdef __AVX512VL__
                                       | 1u << 11
#endif
#ifdef __AVX512VBMI__
                                       | 1u << 12
#endif
#ifdef __AVX512VBMI2__
                                       | 1u << 13
#endif
#ifdef __AVX512VPOPCNTDQ__
                                       | 1u << 14
#endif
#ifdef __AVX512BITALG__
                                       | 1u << 15
#endif
#ifdef __AVX512FP16__
                                       | 1u << 16
#endif
#ifdef __GFNI__
                                       | 1u << 17
#endif
    ;
