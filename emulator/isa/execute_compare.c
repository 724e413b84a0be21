// Vector compares: 64 lanes to one lane mask. Rows in instructions_compare.def.
#include "instruction_table.h"
#include "vector_math.h"

// v_cmp writes 0 for lanes outside EXEC; v_cmpx makes the mask the new EXEC, too.
static void write_mask(Wavefront *w, const Instruction *in, const uint8_t *truth, bool and_exec) {
  u64 mask = mask_of_bytes(truth) & w->exec;
  set_scalar_u64(w, &in->m, mask);
  if (and_exec)
    w->exec = mask;
}

#define COMPARE_WITH(RELATION, T, B, TRUTH)                                                        \
  static inline void RELATION##_##T(Wavefront *w, const Instruction *in, bool and_exec) {          \
    Row ra, rb;                                                                                    \
    const u32 *pa = source(w, in, &in->a, TYPE_##T, &ra),                                          \
              *pb = source(w, in, &in->b, TYPE_##B, &rb);                                          \
    uint8_t truth[LANES];                                                                          \
    FOR_LANES {                                                                                    \
      T a = get_##T(pa, lane);                                                                     \
      B b = get_##B(pb, lane);                                                                     \
      (void)a, (void)b;                                                                            \
      truth[lane] = TRUTH;                                                                         \
    }                                                                                              \
    write_mask(w, in, truth, and_exec);                                                            \
  }                                                                                                \
  static void do_v_cmp_##RELATION##_##T(Wavefront *w, const Instruction *in) {                     \
    RELATION##_##T(w, in, false);                                                                  \
  }                                                                                                \
  static void do_v_cmpx_##RELATION##_##T(Wavefront *w, const Instruction *in) {                    \
    RELATION##_##T(w, in, true);                                                                   \
  }
#define COMPARE(RELATION, T, TRUTH) COMPARE_WITH(RELATION, T, T, TRUTH)
#define CLASS(T) COMPARE_WITH(class, T, u32, (class_of_##T(bits_of_##T(a)) & b) != 0)
#include "instructions_compare.def"

#define ROW(NAME, T, B, COUNTER)                                                                   \
  {#NAME,     do_##NAME, "mab",          TYPE_u64,    TYPE_##T, TYPE_##B, TYPE_NONE,               \
   UNIT_VALU, FULL_RATE, PARTS_SELECTED, MEMORY_NONE, false,    COUNTER},
#define ROWS(RELATION, T, COUNTER)                                                                 \
  ROW(v_cmp_##RELATION##_##T, T, T, COUNTER) ROW(v_cmpx_##RELATION##_##T, T, T, COUNTER)
#define INTEGER(RELATION, TRUTH)                                                                   \
  ROWS(RELATION, u16, SQ_INSTS)                                                                    \
  ROWS(RELATION, i16, SQ_INSTS)                                                                    \
  ROWS(RELATION, u32, SQ_INSTS_VALU_INT32)                                                         \
  ROWS(RELATION, i32, SQ_INSTS_VALU_INT32)                                                         \
  ROWS(RELATION, u64, SQ_INSTS_VALU_INT64)                                                         \
  ROWS(RELATION, i64, SQ_INSTS_VALU_INT64)
#define FLOAT(RELATION, TRUTH)                                                                     \
  ROWS(RELATION, f16, SQ_INSTS) ROWS(RELATION, f32, SQ_INSTS) ROWS(RELATION, f64, SQ_INSTS)
#define CLASS(T) ROW(v_cmp_class_##T, T, u32, SQ_INSTS) ROW(v_cmpx_class_##T, T, u32, SQ_INSTS)
const InstructionInfo compare_instructions[] = {
#include "instructions_compare.def"
};
const size_t compare_instruction_count = sizeof compare_instructions / sizeof *compare_instructions;
