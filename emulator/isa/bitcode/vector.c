// What the rows of vector instructions compute, for translation: a function for each row, of 16 lanes
// at once.
//
// In: the tables, as execute_vector.c and execute_compare.c read them. Out: LLVM bitcode, which
// lane_function.c reads at run time. A function has a pointer for each letter of its row's operands,
// in their order, to 16 values of the operand's type, or to 16 truth values; V2ACC has one more, to
// the destination before. Clang makes one run of vector instructions of each loop if it can, and
// only such functions are used.
#include "vector_math.h"

enum { SPAN = 16 }; // lanes

#define FOR_SPAN                                                                                   \
  _Pragma("clang loop vectorize_width(16) interleave_count(1) unroll(disable)") for (int lane = 0; \
                                                                                     lane < SPAN;  \
                                                                                     lane++)

#define V1(NAME, D, A, COUNTER, TIME, RESULT)                                                      \
  void NAME(D *restrict pd, const A *restrict pa) {                                                \
    FOR_SPAN {                                                                                     \
      A a = pa[lane];                                                                              \
      pd[lane] = RESULT;                                                                           \
    }                                                                                              \
  }
#define V2(NAME, D, A, B, COUNTER, TIME, RESULT)                                                   \
  void NAME(D *restrict pd, const A *restrict pa, const B *restrict pb) {                          \
    FOR_SPAN {                                                                                     \
      A a = pa[lane];                                                                              \
      B b = pb[lane];                                                                              \
      pd[lane] = RESULT;                                                                           \
    }                                                                                              \
  }
#define V2CLAMP(NAME, D, A, B, COUNTER, TIME, RESULT)                                              \
  V2(NAME##_clamp, D, A, B, COUNTER, TIME, RESULT)
#define V3(NAME, D, A, B, C, COUNTER, TIME, RESULT)                                                \
  void NAME(D *restrict pd, const A *restrict pa, const B *restrict pb, const C *restrict pc) {    \
    FOR_SPAN {                                                                                     \
      A a = pa[lane];                                                                              \
      B b = pb[lane];                                                                              \
      C c = pc[lane];                                                                              \
      pd[lane] = RESULT;                                                                           \
    }                                                                                              \
  }
#define V2ACC(NAME, D, A, B, COUNTER, TIME, RESULT) V3(NAME, D, A, B, D, COUNTER, TIME, RESULT)
#define VSELECT(NAME, RESULT)                                                                      \
  void NAME(u32 *restrict pd, const u32 *restrict pa, const u32 *restrict pb,                      \
            const u8 *restrict pe) {                                                               \
    FOR_SPAN {                                                                                     \
      u32 a = pa[lane], b = pb[lane], c = pe[lane];                                                \
      pd[lane] = RESULT;                                                                           \
    }                                                                                              \
  }
#define VCARRY(NAME, RESULT, CARRY)                                                                \
  void NAME(u32 *restrict pd, u8 *restrict pm, const u32 *restrict pa, const u32 *restrict pb) {   \
    FOR_SPAN {                                                                                     \
      u32 a = pa[lane], b = pb[lane];                                                              \
      pd[lane] = RESULT;                                                                           \
      pm[lane] = CARRY;                                                                            \
    }                                                                                              \
  }
#define VCARRY_IN(NAME, RESULT, CARRY)                                                             \
  void NAME(u32 *restrict pd, u8 *restrict pm, const u32 *restrict pa, const u32 *restrict pb,     \
            const u8 *restrict pe) {                                                               \
    FOR_SPAN {                                                                                     \
      u32 a = pa[lane], b = pb[lane], c = pe[lane];                                                \
      pd[lane] = RESULT;                                                                           \
      pm[lane] = CARRY;                                                                            \
    }                                                                                              \
  }
#define VCARRY_64(NAME, T32, T64, CARRY)                                                           \
  void NAME(T64 *restrict pd, u8 *restrict pm, const T32 *restrict pa, const T32 *restrict pb,     \
            const T64 *restrict pc) {                                                              \
    FOR_SPAN {                                                                                     \
      T64 product = (T64)pa[lane] * pb[lane], c = pc[lane];                                        \
      u64 sum = (u64)product + (u64)c;                                                             \
      pd[lane] = (T64)sum;                                                                         \
      pm[lane] = CARRY;                                                                            \
    }                                                                                              \
  }
#define VSCALE(NAME, T)                                                                            \
  void NAME(T *restrict pd, u8 *restrict pm, const T *restrict pa, const T *restrict pb,           \
            const T *restrict pc) {                                                                \
    FOR_SPAN {                                                                                     \
      bool scaled;                                                                                 \
      pd[lane] = div_scale_##T(pa[lane], pb[lane], pc[lane], &scaled);                             \
      pm[lane] = scaled;                                                                           \
    }                                                                                              \
  }
#define VCALL(NAME, OPERANDS, D, A, B, C, COUNTER, TIME)
#include "instructions_vector.def"

// One of the two results of a packed instruction.
#define PACKED2(NAME, T, COUNTER, TIME, RESULT) V2(NAME##_part, T, T, T, COUNTER, TIME, RESULT)
#define PACKED3(NAME, T, COUNTER, TIME, RESULT) V3(NAME##_part, T, T, T, T, COUNTER, TIME, RESULT)
#define PACKED2ACC(NAME, T, COUNTER, TIME, RESULT) PACKED3(NAME, T, COUNTER, TIME, RESULT)
#define PACKED2CLAMP(NAME, T, COUNTER, TIME, RESULT)
#define PACKED3CLAMP(NAME, T, COUNTER, TIME, RESULT)
#define MIX(NAME, KIND)
#define DOT(NAME, THIRD, BITS, T)
#define DOT_F16(NAME, THIRD)
#define CALL(NAME, OPERANDS)
#include "instructions_packed.def"

#define COMPARE_WITH(RELATION, T, B, TRUTH)                                                        \
  void v_cmp_##RELATION##_##T(u8 *restrict pm, const T *restrict pa, const B *restrict pb) {       \
    FOR_SPAN {                                                                                     \
      T a = pa[lane];                                                                              \
      B b = pb[lane];                                                                              \
      (void)a, (void)b;                                                                            \
      pm[lane] = TRUTH;                                                                            \
    }                                                                                              \
  }
#define COMPARE(RELATION, T, TRUTH) COMPARE_WITH(RELATION, T, T, TRUTH)
#define CLASS(T) COMPARE_WITH(class, T, u32, (class_of_##T(a) & b) != 0)
#include "instructions_compare.def"
