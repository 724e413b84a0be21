// Whether wrong code of LLVM up to 15 is known from code that looks like it.
//
// In: machine code, word by word, as LLVM 15 writes it. Out: compiler_defect_in, and which instructions look at what they divide.
#include "compiler_defect.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

static int word_of(const CodeObject *object, const Instruction *in) {
  return in ? (int)(program_address(object->program, in) - object->text_address) / 4 : -1;
}

// The first instruction that has another handler than its kind.
static const Instruction *watched(const CodeObject *object) {
  for (uint32_t id = 0; id < program_instruction_count(object->program); id++) {
    const Instruction *in = program_instruction(object->program, id);
    if (in->execute != in->info->execute)
      return in;
  }
  return NULL;
}

// The word of the instruction that is found, counted from 0, or of that which looks at what it divides; -1: none.
static int found(const uint32_t *code, size_t words, bool divides) {
  CodeObject object = {.text_address = (uint64_t)code, .text_size = 4 * words, .kernel_count = 1};
  Kernel kernel = {.object = &object, .entry = (uint64_t)code, .code_size = 4 * words};
  object.kernels = &kernel;
  cr_assert(program_open(&object), "LLVM has no AMDGPU target");
  const Instruction *in = compiler_defect_in(object.program, &kernel);
  const int word = word_of(&object, divides ? watched(&object) : in);
  program_close(&object);
  return word;
}

#define CODE(...)                                                                                  \
  (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)
#define FOUND(...) found(CODE(__VA_ARGS__), false)
#define DIVIDES(...) found(CODE(__VA_ARGS__), true)

#define BYTE_INDEX_S6 0x8e068306            // s_lshl_b32 s6, s6, 3
#define SHORT_INDEX_S6 0x8e068406           // s_lshl_b32 s6, s6, 4
#define MASK_S7 0x8e0706ff, 0x0000ffff      // s_lshl_b32 s7, 0xffff, s6
#define STORE_S7 0xd1ca0001, 0x04060607     // v_bfi_b32 v1, s7, v3, v1
#define TWO_BYTES_S4 0xbe8400ff, 0x0000ffff // s_mov_b32 s4, 0xffff
#define ONE_BYTE_S4 0xbe8400ff, 0x000000ff  // s_mov_b32 s4, 0xff
#define MASK_S8 0x8e880604                  // s_lshl_b64 s[8:9], s[4:5], s6
#define STORE_S8 0xd1ca0003, 0x040e0408     // v_bfi_b32 v3, s8, v2, v3
#define STORE_S9 0xd1ca0003, 0x040e0409     // v_bfi_b32 v3, s9, v2, v3
#define BYTE_INDEX_V2 0x24040483            // v_lshlrev_b32 v2, 3, v2
#define MASK_V2 0xd28f0002, 0x00000902      // v_lshlrev_b64 v[2:3], v2, s[4:5]
#define STORE_V3 0xd1ca0003, 0x04260903     // v_bfi_b32 v3, v3, v4, v9

Test(compiler_defect, stores_bytes_under_a_mask_of_two) {
  cr_assert(eq(int, FOUND(BYTE_INDEX_S6, MASK_S7, STORE_S7), 3));
  cr_assert(eq(int, FOUND(TWO_BYTES_S4, BYTE_INDEX_S6, MASK_S8, STORE_S8), 4));
  cr_assert(eq(int,
               FOUND(0xbe8401ff, 0x0000ffff, // s_mov_b64 s[4:5], 0xffff
                     BYTE_INDEX_S6, MASK_S8, STORE_S9),
               4));
  cr_assert(eq(int, FOUND(TWO_BYTES_S4, BYTE_INDEX_V2, MASK_V2, STORE_V3), 5));
  cr_assert(
      eq(int, FOUND(TWO_BYTES_S4, BYTE_INDEX_S6, MASK_S8, 0xbe880508), 4)); // s_not_b64 s[8:9]
  cr_assert(eq(int,
               FOUND(BYTE_INDEX_V2, 0xd12a0004, 0x00018302, // v_lshlrev_b16 v4, v2, -1
                     0x2a0a08c1),                           // v_xor_b32 v5, -1, v4
               3));
}

Test(compiler_defect, is_not_what_looks_like_it) {
  cr_assert(eq(int, FOUND(SHORT_INDEX_S6, MASK_S7, STORE_S7), -1)); // elements of two bytes
  cr_assert(eq(int, FOUND(ONE_BYTE_S4, BYTE_INDEX_S6, MASK_S8, STORE_S8), -1)); // LLVM 16
  cr_assert(eq(int, FOUND(BYTE_INDEX_S6, MASK_S7), -1));                        // and no store
  cr_assert(eq(int, FOUND(BYTE_INDEX_S6, 0xbe860080, MASK_S7, STORE_S7), -1));  // s_mov_b32 s6, 0
  cr_assert(eq(int,
               FOUND(TWO_BYTES_S4, BYTE_INDEX_V2, MASK_V2, 0x7e060280, // v_mov_b32 v3, 0
                     STORE_V3),
               -1));
  cr_assert(eq(int, FOUND(TWO_BYTES_S4, ONE_BYTE_S4, BYTE_INDEX_S6, MASK_S8, STORE_S8), -1));
}

#define RECIPROCAL 0x7e0c4704            // v_rcp_iflag_f32 v6, v4
#define PRODUCT 0x0a0c0d03               // v_mul_f32 v6, v3, v6
#define WHOLE 0x7e0c3906                 // v_trunc_f32 v6, v6
#define NUMBER 0x7e0e0f06                // v_cvt_u32_f32 v7, v6
#define REMAINDER 0xd1c10003, 0x240e0906 // v_mad_f32 v3, -v6, v4, v3

Test(compiler_defect, divides_by_way_of_f32) {
  cr_assert(eq(int, DIVIDES(RECIPROCAL, PRODUCT, WHOLE, NUMBER, REMAINDER), 4));
  cr_assert(eq(int, DIVIDES(RECIPROCAL, PRODUCT, WHOLE, 0xd1cb0003, 0x240e0906), // v_fma_f32
               3));
  // with another store that is wrong before it
  cr_assert(
      eq(int, DIVIDES(BYTE_INDEX_S6, MASK_S7, STORE_S7, RECIPROCAL, PRODUCT, WHOLE, REMAINDER), 8));
}

Test(compiler_defect, divides_otherwise) {
  cr_assert(eq(int, DIVIDES(0x7e0c4504, PRODUCT, WHOLE, REMAINDER), -1)); // v_rcp_f32
  cr_assert(eq(int, DIVIDES(RECIPROCAL, PRODUCT, REMAINDER), -1));        // not whole
  cr_assert(eq(int, DIVIDES(RECIPROCAL, WHOLE, REMAINDER), -1));          // no product
  cr_assert(eq(int,
               DIVIDES(RECIPROCAL, PRODUCT, WHOLE, 0xd1c10003, 0x040e0906), // v_mad_f32 v3, v6, ..
               -1));
}
