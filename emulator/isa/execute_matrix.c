// Matrix fused multiply-add (MFMA), and gfx942's with a sparse A (SMFMAC). Rows in
// instructions_matrix.def.
//
// In: A, B, C spread over the registers of all 64 lanes, whatever EXEC says. Out: D, in C's layout.
// Where elements lie: AMD Matrix Instruction Calculator; for f64 also as measured on MI250X.
#include "fused_sum.h"
#include "instruction_table.h"
#include "parameters.h"
#include "vector_math.h"

typedef struct {
  int size, k, blocks, pack; // see instructions_matrix.def
} Shape;

enum {
  SOURCE_ELEMENTS = 8 * LANES,  // of A or B, at most: 8 a lane
  RESULT_ELEMENTS = 32 * LANES, // of C or D, at most: 32 a lane
};

// ---- where elements lie ----

// Lane with A[row][k] or, row being its column, B[k][row]; element k % pack of that lane.
static int source_lane(const Shape *s, int block, int row, int k) {
  return row + s->size * (block + s->blocks * (k / s->pack));
}

// The broadcast controls cbsz, abid and blgp do nothing to f64 (AMD Matrix Instruction Calculator).
static bool broadcasts(const Instruction *in) { return in->info->type_d != TYPE_f64; }

// cbsz: groups of 2^cbsz blocks share the A of the group's member abid.
static int block_of_a(const Instruction *in, const Shape *s, int block) {
  int members = broadcasts(in) ? 1 << in->cbsz : 1;
  return ((block & ~(members - 1)) + (in->abid & (members - 1))) % s->blocks;
}

// blgp: the lane whose B a lane uses. 1, 2: half of the wave for both halves; 3: rotated by 16
// lanes; 4 to 7: a quarter for all.
static int lane_of_b(const Instruction *in, int lane) {
  switch (broadcasts(in) ? in->blgp : 0) {
  case 0:
    return lane;
  case 1:
    return lane & 31;
  case 2:
    return lane | 32;
  case 3:
    return (lane + 16) & (LANES - 1);
  default:
    return (lane & 15) + 16 * (in->blgp - 4);
  }
}

// C and D: register and lane of element [i][j]. Groups of 4 rows go round the lanes, one row to a
// register.
typedef struct {
  int reg, lane;
} Place;

static Place place_32(const Shape *s, int block, int i, int j) {
  int row = block * s->size + i, groups = LANES / s->size;
  return (Place){.reg = row / (4 * groups) * 4 + row % 4, .lane = j + s->size * (row / 4 % groups)};
}

// f64: the other way round, the 4 rows of a group go to different lanes and groups to register
// pairs.
static Place place_64(const Shape *s, int block, int i, int j) {
  return (Place){.reg = i / 4 * 2, .lane = j + s->size * block + 16 * (i % 4)};
}

// ---- elements ----

static f32 element_f32(const Wavefront *w, int reg, int lane, int index) {
  (void)index; // one a lane
  return f32_of(w->vgpr[reg][lane]);
}
static f64 element_f64(const Wavefront *w, int reg, int lane, int index) {
  (void)index;
  return get_f64(w->vgpr[reg], lane);
}
static u16 half_of(const Wavefront *w, int reg, int lane, int index) {
  return (u16)(w->vgpr[reg + index / 2][lane] >> (16 * (index % 2)));
}
static f32 element_xf32(const Wavefront *w, int reg, int lane, int index) {
  enum { CUT_OFF = 0x1fff };
  const f32 value = f32_of(w->vgpr[reg + index][lane]);
  return value != value ? value : f32_of(bits_of_f32(value) & ~(u32)CUT_OFF);
}
static f32 element_f16(const Wavefront *w, int reg, int lane, int index) {
  return (f32)f16_of(half_of(w, reg, lane, index));
}
static f32 element_bf16(const Wavefront *w, int reg, int lane, int index) {
  return f32_of((u32)half_of(w, reg, lane, index) << 16);
}
static i32 element_i8(const Wavefront *w, int reg, int lane, int index) {
  return (int8_t)(w->vgpr[reg + index / 4][lane] >> (8 * (index % 4)));
}
static f32 element_fp8(const Wavefront *w, int reg, int lane, int index) {
  return f32_of_fp8((u32)element_i8(w, reg, lane, index));
}
static f32 element_bf8(const Wavefront *w, int reg, int lane, int index) {
  return f32_of_bf8((u32)element_i8(w, reg, lane, index));
}

// ---- arithmetic: D += A * B ----

// One row of D after the other: a row of A, `s->k` elements, times a block of B, dense matrices.
// Order and rounding as on MI250X (MMA-Sim, arXiv 2511.10909: bitwise equal to the device).
#define CHAIN(NAME, T, MULTIPLY_ADD)                                                               \
  static void row_##NAME(const Shape *s, const T *a, const T *b, T *d) {                           \
    for (int k = 0; k < s->k; k++)                                                                 \
      for (int j = 0; j < s->size; j++)                                                            \
        d[j] = MULTIPLY_ADD(a[k], b[k * s->size + j], d[j]);                                       \
  }
#define WRAPPING(A, B, C) ((i32)((u32)((A) * (B)) + (u32)(C)))
CHAIN(f32, f32, __builtin_fmaf)
CHAIN(f64, f64, __builtin_fma)
CHAIN(i32, i32, WRAPPING)

// As on gfx942 (MMA-Sim). How the sums of a sparse matrix round is not known: as of a dense one.
static void row_xf32(const Shape *s, const f32 *a, const f32 *b, f32 *d) {
  fused_sum_row(&fused_sum_xf32, s->k, s->size, a, b, d);
}
static void row_f16(const Shape *s, const f32 *a, const f32 *b, f32 *d) {
  fused_sum_row(&fused_sum_f16, s->k, s->size, a, b, d);
}
static void row_bf16(const Shape *s, const f32 *a, const f32 *b, f32 *d) {
  fused_sum_row(&fused_sum_bf16, s->k, s->size, a, b, d);
}
static void row_fp8_fp8(const Shape *s, const f32 *a, const f32 *b, f32 *d) {
  fused_sum_row(&fused_sum_fp8_fp8, s->k, s->size, a, b, d);
}
static void row_fp8_bf8(const Shape *s, const f32 *a, const f32 *b, f32 *d) {
  fused_sum_row(&fused_sum_fp8_bf8, s->k, s->size, a, b, d);
}
static void row_bf8_fp8(const Shape *s, const f32 *a, const f32 *b, f32 *d) {
  fused_sum_row(&fused_sum_bf8_fp8, s->k, s->size, a, b, d);
}
static void row_bf8_bf8(const Shape *s, const f32 *a, const f32 *b, f32 *d) {
  fused_sum_row(&fused_sum_bf8_bf8, s->k, s->size, a, b, d);
}

// All blocks.
#define DENSE(NAME, T, R)                                                                          \
  static void dense_##NAME(const Shape *s, const T *a, const T *b, R *d) {                         \
    for (int row = 0; row < s->blocks * s->size; row++)                                            \
      row_##NAME(s, &a[row * s->k], &b[row / s->size * s->k * s->size], &d[row * s->size]);        \
  }
DENSE(f32, f32, f32)
DENSE(f64, f64, f64)
DENSE(i32, i32, i32)
DENSE(xf32, f32, f32)
DENSE(f16, f32, f32)
DENSE(bf16, f32, f32)
DENSE(fp8_fp8, f32, f32)
DENSE(fp8_bf8, f32, f32)
DENSE(bf8_fp8, f32, f32)
DENSE(bf8_bf8, f32, f32)

static f32 flush_unsigned(f32 value, f32 smallest) {
  return fabsf(value) < smallest ? 0.0f : value;
}

// Four columns, as many as the smallest matrix has.
typedef f32 Columns __attribute__((vector_size(16), aligned(4), may_alias));
typedef i32 ColumnBits __attribute__((vector_size(16)));
enum { COLUMNS = sizeof(Columns) / sizeof(f32) };

static Columns flush(Columns value) {
  const ColumnBits bits = (ColumnBits)value, subnormal = (bits & 0x7f800000) == 0;
  return (Columns)(bits & ~(subnormal & 0x7fffffff));
}

// gfx90a, f16 and bf16: the products of one lane are summed pairwise, then added to D; subnormals become
// 0 at every step (MI200 alone does so: MIOpen, "MI200 MFMA behavior specifics").
static Columns sum_of_pair(const f32 *a, const f32 *b, int size) {
  const Columns *first = (const Columns *)b, *second = (const Columns *)(b + size);
  return flush(flush(a[0] * *first) + flush(a[1] * *second));
}
static void add_pairwise(const Shape *s, const f32 *a, const f32 *b, f32 *d) {
  for (int j = 0; j < s->size; j += COLUMNS) {
    Columns *sum = (Columns *)&d[j], part = sum_of_pair(a, b + j, s->size);
    if (s->pack == 4)
      part = flush(part + sum_of_pair(a + 2, b + 2 * s->size + j, s->size));
    *sum = flush(*sum + part);
  }
}
static void pairwise(const Shape *s, f32 *a, f32 *b, f32 *d, f32 smallest) {
  const int elements = s->blocks * s->size * s->k;
  for (int i = 0; i < elements; i++) {
    a[i] = flush_unsigned(a[i], smallest);
    b[i] = flush_unsigned(b[i], smallest);
  }
  for (int row = 0; row < s->blocks * s->size; row++) {
    const f32 *left = &a[row * s->k], *right = &b[row / s->size * s->k * s->size];
    f32 *sums = &d[row * s->size];
    for (int j = 0; j < s->size; j++)
      sums[j] = flush_unsigned(sums[j], 0x1p-126f);
    for (int k = 0; k < s->k; k += s->pack)
      add_pairwise(s, left + k, right + k * s->size, sums);
  }
}
// gfx908: the products of one lane are summed exactly.
static void exact(const Shape *s, const f32 *a, const f32 *b, f32 *d) {
  for (int row = 0; row < s->blocks * s->size; row++)
    exact_sum_row(s->pack, s->k, s->size, &a[row * s->k], &b[row / s->size * s->k * s->size],
                  &d[row * s->size]);
}
static void of_device(const Shape *s, f32 *a, f32 *b, f32 *d, f32 smallest) {
  if (parameters_device()->architecture->exact_sums)
    exact(s, a, b, d);
  else
    pairwise(s, a, b, d, smallest);
}
static void of_device_f16(const Shape *s, f32 *a, f32 *b, f32 *d) {
  of_device(s, a, b, d, 0x1p-14f);
}
static void of_device_bf16(const Shape *s, f32 *a, f32 *b, f32 *d) {
  of_device(s, a, b, d, 0x1p-126f);
}

// ---- from registers and back ----

static f32 result_f32(const Wavefront *w, int reg, int lane) { return f32_of(w->vgpr[reg][lane]); }
static i32 result_i32(const Wavefront *w, int reg, int lane) { return (i32)w->vgpr[reg][lane]; }
static f64 result_f64(const Wavefront *w, int reg, int lane) { return get_f64(w->vgpr[reg], lane); }
static f32 constant_f32(u64 bits) { return f32_of((u32)bits); }
static i32 constant_i32(u64 bits) { return (i32)bits; }
static f64 constant_f64(u64 bits) { return f64_of(bits); }
static void set_result_f32(Wavefront *w, int reg, int lane, f32 value) {
  w->vgpr[reg][lane] = bits_of_f32(value);
}
static void set_result_i32(Wavefront *w, int reg, int lane, i32 value) {
  w->vgpr[reg][lane] = (u32)value;
}
static void set_result_f64(Wavefront *w, int reg, int lane, f64 value) {
  w->vgpr[reg][lane] = (u32)bits_of_f64(value);
  w->vgpr[reg + 1][lane] = (u32)(bits_of_f64(value) >> 32);
}

// gfx942 can change the signs of whole f64 matrices.
#define NEGATED(IN, I, VALUE) ((IN)->neg_lo >> (I)&1 ? -(VALUE) : (VALUE))

// Inlined into every instruction, so that its shape is constant in here. T: type of A and B, R: of
// C and D.
#define MULTIPLY(ELEMENTS, A, B, T, R, PLACE, ACCUMULATE)                                          \
  static inline __attribute__((always_inline)) void multiply_##ELEMENTS(                           \
      Wavefront *w, const Instruction *in, Shape shape) {                                          \
    const Shape *s = &shape;                                                                       \
    T a[SOURCE_ELEMENTS], b[SOURCE_ELEMENTS];                                                      \
    R d[RESULT_ELEMENTS];                                                                          \
    for (int i = 0; i < s->blocks * s->size * s->k; i++) {                                         \
      int k = i % s->k, row = i / s->k % s->size, block = i / s->k / s->size;                      \
      int lane_a = source_lane(s, block_of_a(in, s, block), row, k);                               \
      int lane_b = lane_of_b(in, source_lane(s, block, row, k));                                   \
      a[i] = NEGATED(in, 0, element_##A(w, in->a.index, lane_a, k % s->pack));                     \
      b[(block * s->k + k) * s->size + row] =                                                      \
          NEGATED(in, 1, element_##B(w, in->b.index, lane_b, k % s->pack));                        \
    }                                                                                              \
    int results = s->blocks * s->size * s->size;                                                   \
    for (int i = 0; i < results; i++) {                                                            \
      Place p = PLACE(s, i / s->size / s->size, i / s->size % s->size, i % s->size);               \
      d[i] = NEGATED(in, 2,                                                                        \
                     in->c.kind == OPERAND_VGPR ? result_##R(w, in->c.index + p.reg, p.lane)       \
                                                : constant_##R(in->c.value));                      \
    }                                                                                              \
    ACCUMULATE(s, a, b, d);                                                                        \
    for (int i = 0; i < results; i++) {                                                            \
      Place p = PLACE(s, i / s->size / s->size, i / s->size % s->size, i % s->size);               \
      set_result_##R(w, in->d.index + p.reg, p.lane, d[i]);                                        \
    }                                                                                              \
  }
MULTIPLY(f32, f32, f32, f32, f32, place_32, dense_f32)
MULTIPLY(f16, f16, f16, f32, f32, place_32, of_device_f16)
MULTIPLY(bf16, bf16, bf16, f32, f32, place_32, of_device_bf16)
MULTIPLY(i8, i8, i8, i32, i32, place_32, dense_i32)
MULTIPLY(f64, f64, f64, f64, f64, place_64, dense_f64)
MULTIPLY(xf32, xf32, xf32, f32, f32, place_32, dense_xf32)
MULTIPLY(f16_kept, f16, f16, f32, f32, place_32, dense_f16)
MULTIPLY(bf16_kept, bf16, bf16, f32, f32, place_32, dense_bf16)
MULTIPLY(fp8_fp8, fp8, fp8, f32, f32, place_32, dense_fp8_fp8)
MULTIPLY(fp8_bf8, fp8, bf8, f32, f32, place_32, dense_fp8_bf8)
MULTIPLY(bf8_fp8, bf8, fp8, f32, f32, place_32, dense_bf8_fp8)
MULTIPLY(bf8_bf8, bf8, bf8, f32, f32, place_32, dense_bf8_bf8)

// ---- sparse matrices ----

// Of each four elements of a row of A, two are there, and the index has two bits for each of these:
// which of the four it is. They meet the four elements of B that the same lane of the other matrix holds
// at this place. Of 16-bit elements 8 bits of a lane's index register are used, of 8-bit ones 16:
// those that abid chooses, or with a cbsz the lowest (AMD Matrix Instruction Calculator).
static u32 sparse_index(const Wavefront *w, const Instruction *in, const Shape *s, int lane) {
  const int bits = 2 * s->pack, set = in->cbsz ? 0 : in->abid % (32 / bits);
  return w->vgpr[in->e.index][lane] >> (bits * set);
}

#define MULTIPLY_SPARSE(ELEMENTS, A, B, T, R, ROW)                                                 \
  static inline __attribute__((always_inline)) void sparse_##ELEMENTS(                             \
      Wavefront *w, const Instruction *in, Shape shape) {                                          \
    const Shape *s = &shape;                                                                       \
    R d[RESULT_ELEMENTS];                                                                          \
    for (int i = 0; i < s->size; i++) {                                                            \
      T a[SOURCE_ELEMENTS / 16], b[SOURCE_ELEMENTS];                                               \
      R *row = &d[i * s->size];                                                                    \
      for (int k = 0; k < s->k; k++) {                                                             \
        const int part = k % s->pack, lanes = k / s->pack * s->size;                               \
        const int chosen = sparse_index(w, in, s, i + lanes) >> (2 * part) & 3;                    \
        a[k] = element_##A(w, in->a.index, i + lanes, part);                                       \
        for (int j = 0; j < s->size; j++)                                                          \
          b[k * s->size + j] = element_##B(w, in->b.index, j + lanes, part / 2 * 4 + chosen);      \
      }                                                                                            \
      for (int j = 0; j < s->size; j++) {                                                          \
        const Place p = place_32(s, 0, i, j);                                                      \
        row[j] = result_##R(w, in->d.index + p.reg, p.lane);                                       \
      }                                                                                            \
      ROW(s, a, b, row);                                                                           \
    }                                                                                              \
    for (int i = 0; i < s->size * s->size; i++) {                                                  \
      const Place p = place_32(s, 0, i / s->size, i % s->size);                                    \
      set_result_##R(w, in->d.index + p.reg, p.lane, d[i]);                                        \
    }                                                                                              \
  }
MULTIPLY_SPARSE(f16_kept, f16, f16, f32, f32, row_f16)
MULTIPLY_SPARSE(bf16_kept, bf16, bf16, f32, f32, row_bf16)
MULTIPLY_SPARSE(i8, i8, i8, i32, i32, row_i32)
MULTIPLY_SPARSE(fp8_fp8, fp8, fp8, f32, f32, row_fp8_fp8)
MULTIPLY_SPARSE(fp8_bf8, fp8, bf8, f32, f32, row_fp8_bf8)
MULTIPLY_SPARSE(bf8_fp8, bf8, fp8, f32, f32, row_bf8_fp8)
MULTIPLY_SPARSE(bf8_bf8, bf8, bf8, f32, f32, row_bf8_bf8)

// Handlers from the table.
#define MFMA(NAME, ELEMENTS, SIZE, K, BLOCKS, PACK, PASSES)                                        \
  static void do_##NAME(Wavefront *w, const Instruction *in) {                                     \
    multiply_##ELEMENTS(w, in, (Shape){SIZE, K, BLOCKS, PACK});                                    \
  }
#define SMFMAC(NAME, ELEMENTS, SIZE, K, PACK, PASSES)                                              \
  static void do_##NAME(Wavefront *w, const Instruction *in) {                                     \
    sparse_##ELEMENTS(w, in, (Shape){SIZE, K, 1, PACK});                                           \
  }
#include "instructions_matrix.def"
#undef MFMA
#undef SMFMAC

// Types of the operands by their number of registers.
#define SOURCE_f32(PACK) TYPE_f32
#define SOURCE_f64(PACK) TYPE_f64
#define SOURCE_xf32(PACK) TYPE_u64
#define SOURCE_f16(PACK) TYPE_u64
#define SOURCE_bf16(PACK) ((PACK) == 4 ? TYPE_u64 : TYPE_u32)
#define SOURCE_i8(PACK) ((PACK) == 8 ? TYPE_u64 : TYPE_u32)
#define SOURCE_f16_kept(PACK) TYPE_u64
#define SOURCE_bf16_kept(PACK) TYPE_u64
#define SOURCE_fp8_fp8(PACK) TYPE_u64
#define SOURCE_fp8_bf8(PACK) TYPE_u64
#define SOURCE_bf8_fp8(PACK) TYPE_u64
#define SOURCE_bf8_bf8(PACK) TYPE_u64
#define RESULT_f32 TYPE_f32
#define RESULT_f64 TYPE_f64
#define RESULT_xf32 TYPE_f32
#define RESULT_f16 TYPE_f32
#define RESULT_bf16 TYPE_f32
#define RESULT_i8 TYPE_i32
#define RESULT_f16_kept TYPE_f32
#define RESULT_bf16_kept TYPE_f32
#define RESULT_fp8_fp8 TYPE_f32
#define RESULT_fp8_bf8 TYPE_f32
#define RESULT_bf8_fp8 TYPE_f32
#define RESULT_bf8_bf8 TYPE_f32
#define ROW(NAME, OPERANDS, ELEMENTS, PACK, PASSES)                                                \
  {#NAME,                                                                                          \
   do_##NAME,                                                                                      \
   OPERANDS,                                                                                       \
   RESULT_##ELEMENTS,                                                                              \
   SOURCE_##ELEMENTS(PACK),                                                                        \
   SOURCE_##ELEMENTS(PACK),                                                                        \
   RESULT_##ELEMENTS,                                                                              \
   UNIT_MFMA,                                                                                      \
   PASSES,                                                                                         \
   PARTS_SELECTED,                                                                                 \
   MEMORY_NONE,                                                                                    \
   false,                                                                                          \
   SQ_INSTS},
#define MFMA(NAME, ELEMENTS, SIZE, K, BLOCKS, PACK, PASSES)                                        \
  ROW(NAME, "dabc", ELEMENTS, PACK, PASSES)
#define SMFMAC(NAME, ELEMENTS, SIZE, K, PACK, PASSES) ROW(NAME, "dabe", ELEMENTS, PACK, PASSES)
const InstructionInfo matrix_instructions[] = {
#include "instructions_matrix.def"
};
const size_t matrix_instruction_count = sizeof matrix_instructions / sizeof *matrix_instructions;
