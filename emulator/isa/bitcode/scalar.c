// What the rows of scalar instructions compute, for translation: a function for each row.
//
// In: the table, as execute_scalar.c reads it. Out: LLVM bitcode, which lane_function.c reads at run
// time. A function has a pointer for each letter of its row's operands, in their order, one to SCC, and
// if it changes EXEC a last one to that. Rows that need more of the wave have none.
#include "scalar_math.h"

// The only thing of the wave that rows ask for by name: what the destination held.
#define scalar_u32(WAVE, DESTINATION) ((u32)*pd)
#define scalar_u64(WAVE, DESTINATION) ((u64)*pd)

#define S1(NAME, D, A, RESULT, SCC)                                                                \
  void NAME(D *restrict pd, const A *restrict pa, u8 *restrict pscc) {                             \
    bool scc = *pscc;                                                                              \
    A a = *pa;                                                                                     \
    D d = RESULT;                                                                                  \
    (void)scc;                                                                                     \
    *pd = d;                                                                                       \
    *pscc = (bool)(SCC);                                                                           \
  }
#define S2(NAME, D, A, B, RESULT, SCC)                                                             \
  void NAME(D *restrict pd, const A *restrict pa, const B *restrict pb, u8 *restrict pscc) {       \
    bool scc = *pscc;                                                                              \
    A a = *pa;                                                                                     \
    B b = *pb;                                                                                     \
    D d = RESULT;                                                                                  \
    (void)scc;                                                                                     \
    *pd = d;                                                                                       \
    *pscc = (bool)(SCC);                                                                           \
  }
#define SCMP(NAME, A, B, SCC)                                                                      \
  void NAME(const A *restrict pa, const B *restrict pb, u8 *restrict pscc) {                       \
    A a = *pa;                                                                                     \
    B b = *pb;                                                                                     \
    *pscc = (bool)(SCC);                                                                           \
  }
#define SK(NAME, RESULT, SCC)                                                                      \
  void NAME(u32 *restrict pd, const i32 *restrict px, u8 *restrict pscc) {                         \
    bool scc = *pscc;                                                                              \
    u32 a = *pd;                                                                                   \
    i32 k = *px;                                                                                   \
    u32 d = RESULT;                                                                                \
    (void)scc, (void)a;                                                                            \
    *pd = d;                                                                                       \
    *pscc = (bool)(SCC);                                                                           \
  }
#define SKCMP(NAME, SCC)                                                                           \
  void NAME(const u32 *restrict pa, const i32 *restrict px, u8 *restrict pscc) {                   \
    u32 a = *pa;                                                                                   \
    i32 k = *px;                                                                                   \
    *pscc = (bool)(SCC);                                                                           \
  }
#define SAVEEXEC(NAME, EXEC)                                                                       \
  void NAME(u64 *restrict pd, const u64 *restrict pa, u8 *restrict pscc, u64 *restrict pexec) {    \
    u64 a = *pa, x = *pexec, exec = EXEC;                                                          \
    *pd = x;                                                                                       \
    *pexec = exec;                                                                                 \
    *pscc = exec != 0;                                                                             \
  }
#define BRANCH(NAME, TAKEN)
#define JUMP(NAME, OPERANDS, CALLS)
#define CALL(NAME, OPERANDS, UNIT)
#define NOTHING(NAME, OPERANDS, UNIT)                                                              \
  void NAME(void) {}
#include "instructions_scalar.def"
