// A decoded instruction, and the row of the instruction table that gives it its meaning
// (instruction_table.h).
//
// In: the decoder fills Instruction once per code address from LLVM's disassembly. Out: the
// wavefront loop calls in->execute(w, in); everything that can be known before execution is in
// here.
#ifndef EMULATOR_INSTRUCTION_H
#define EMULATOR_INSTRUCTION_H

#include "counter.h"
#include "trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Wavefront Wavefront;
typedef struct Instruction Instruction;
typedef struct Block Block;
typedef void Execute(Wavefront *w, const Instruction *in);

// What the bits of an operand mean. It decides register count, float constants, modifiers and the
// table's C types.
typedef enum {
  TYPE_NONE,
  TYPE_u16,
  TYPE_i16,
  TYPE_f16,
  TYPE_u32,
  TYPE_i32,
  TYPE_f32,
  TYPE_u64,
  TYPE_i64,
  TYPE_f64,
} Type;

typedef enum {
  OPERAND_NONE,
  OPERAND_VGPR,          // VGPR read as it is: index 0..255, or 256 + n for AccVGPR n
  OPERAND_VGPR_MODIFIED, // VGPR behind neg, abs, sext, an SDWA selection or DPP
  OPERAND_SGPR,          // index 0..127 as in the encoding: 106 VCC, 124 M0, 126 EXEC
  OPERAND_CONSTANT, // value: inline constant or literal, already converted to the operand's type
  OPERAND_SPECIAL,  // index: SPECIAL_*
} OperandKind;

enum { AGPR_BASE = 256 };
enum {
  SGPR_FLAT_SCRATCH = 102,
  SGPR_VCC = 106,
  SGPR_TTMP0 = 108,
  SGPR_M0 = 124,
  SGPR_EXEC = 126,
  SGPR_COUNT = 128
};

typedef enum {
  SPECIAL_VCCZ,
  SPECIAL_EXECZ,
  SPECIAL_SCC,
  SPECIAL_SHARED_BASE,
  SPECIAL_SHARED_LIMIT,
  SPECIAL_PRIVATE_BASE,
  SPECIAL_PRIVATE_LIMIT,
  SPECIAL_POPS, // src_pops_exiting_wave_id: reads 0 in compute
} Special;

enum { MODIFIER_NEG = 1, MODIFIER_ABS = 2, MODIFIER_SEXT = 4 };

typedef enum { OMOD_NONE, OMOD_TIMES_2, OMOD_TIMES_4, OMOD_HALF } Omod;

typedef enum {
  SELECT_DWORD,
  SELECT_BYTE_0,
  SELECT_BYTE_1,
  SELECT_BYTE_2,
  SELECT_BYTE_3,
  SELECT_WORD_0,
  SELECT_WORD_1
} Select;

typedef struct {
  uint8_t kind;      // OperandKind
  uint8_t modifiers; // MODIFIER_*
  uint8_t select;    // Select, SDWA
  uint8_t registers; // consecutive 32-bit registers
  uint16_t index;    // first register
  uint64_t value;    // of a constant
} Operand;

typedef enum {
  UNIT_SALU,
  UNIT_BRANCH,   // s_branch, s_cbranch_*
  UNIT_MESSAGE,  // s_sendmsg, s_endpgm
  UNIT_INTERNAL, // s_waitcnt, s_nop, s_barrier, s_sleep: issued but sent to no unit
  UNIT_SMEM,
  UNIT_VALU,
  UNIT_MFMA,
  UNIT_GLOBAL, // counted as FLAT by the hardware
  UNIT_FLAT,
  UNIT_SCRATCH, // counted as FLAT, too
  UNIT_BUFFER,
  UNIT_IMAGE,
  UNIT_LDS,
} Unit;

typedef enum { MEMORY_NONE, MEMORY_LOAD, MEMORY_STORE, MEMORY_ATOMIC } MemoryAction;

// What op_sel, op_sel_hi, neg_lo and neg_hi choose.
typedef enum {
  PARTS_SELECTED, // op_sel: a half of each 16-bit operand, as SDWA does (VOP3)
  PARTS_PACKED,   // op_sel: a part of each operand for the low result, op_sel_hi: for the high one;
                  // unless given, low and high. neg_lo and neg_hi alike (VOP3P)
  PARTS_MIXED,    // op_sel_hi: which operands are f16, op_sel: which half (v_fma_mix)
  PARTS_FIXED,    // the encoding has none of them: low for low, high for high (VOP2 dot products)
} Parts;

enum { FULL_RATE = 1 }; // quad-cycles of most vector ALU instructions

// One row of the table: all that the emulator knows of an instruction before it meets one. A row
// spells the operands of the disassembly in their order, a letter each for the slot they go to:
//
//                      letters               d      m      a      b      c      e      x
//   SOP1, SOP2         d a da dab            sdst          ssrc0  ssrc1
//   SOPC               ab ax                               ssrc0  ssrc1                simm16
//   SOPK, SOPP         dx ax xa x            sdst          sdst                        simm16
//   SMEM               d dab                 sdst          sbase  offset
//   VOP1, VOP2, VOP3   da dab dabc           vdst          src0   src1   src2
//     with lane masks  dmab dmabc dmabe      vdst   out    src0   src1   src2   in
//     v_cndmask_b32    dabe                  vdst          src0   src1          in
//   VOPC               mab                          sdst   src0   src1
//   VOP3P, MFMA        dab dabc              vdst          src0   src1   src2
//   DS                 d da ac dac ace dace  vdst          addr          data0  data1
//   GLOBAL             dab acb dacb          vdst          vaddr  saddr  vdata
//   FLAT               da ac dac             vdst          vaddr         vdata
//   BUFFER             dabe cabe abe         vdst          vaddr  srsrc  vdata  soffset
//   IMAGE              dab cab dabe          vdst          vaddr  srsrc  vdata  ssamp
//
// x has no slot: what the disassembly names in words is read from the encoding, into `offset`. The
// first letter is skipped where it is a d and the disassembly has one operand less: an atomic that
// returns nothing. s_getpc_b64 has an a that the disassembly does not name: the address behind it. m is 64 bits,
// e 32; a row gives the types of the others.
typedef struct {
  const char *mnemonic; // without _e32, _e64, _dpp, _sdwa; "v_add_u32 clamp" is a row of its own
  Execute *execute;
  const char *operands;
  uint8_t type_d, type_a, type_b, type_c; // Type
  uint8_t unit;                           // Unit
  uint8_t quads;    // quad-cycles on its SIMD's vector ALU or matrix unit, 0 of other units
  uint8_t parts;    // Parts
  uint8_t action;   // MemoryAction
  bool calls;       // goes to other code and comes back
  uint16_t counter; // CounterName of the VALU sub-class, SQ_INSTS if none
} InstructionInfo;

enum { DPP_NONE = 0xffff }; // dpp_control of an instruction without DPP

// How all lanes of an instruction lay in memory whenever there were all: span by span at one place, side by side, of loads
// of more, as a window that slides by a dword or two from lane to lane, or near to the first and the last of the span
// (block_windows.h).
enum {
  LANES_AT_ONE = 1,
  LANES_FOLLOW = 2,
  LANES_OTHER = 4,
  LANES_SLIDE = 8,
  LANES_SLIDE_BY_PAIRS = 16,
  LANES_NEAR = 32,
  LANES_WAYS = 6
};
// Bytes that lanes near to the first or to the last lie in: a vector register of the host.
enum { WINDOW = 64 };

struct Instruction {
  Execute *execute;
  const InstructionInfo *info;
  Block *block;         // that begins here, NULL until it is hot
  uint64_t interpreted; // instructions, from here to the next jump, since the last translation
  uint32_t id;          // dense number in the order of decoding: index into profiles
  int32_t offset;       // bytes (memory), the low 16 bits of the encoding (scalar, with sign; DS)
  Uses uses;            // what it takes: the instruction loop adds it up
  uint8_t words;        // encoding length in 4-byte words
  bool clamp, glc, slc, offen, idxen, gds;
  uint8_t lanes_met;               // loads: how lanes were met to lie, LANES_*, all that ever were
  uint8_t sampled[LANES_WAYS];     // global loads: how often so, of those that were looked at
  uint8_t some_follow, some_apart; // the same of waves that had lanes off
  uint8_t load_role;               // what flag_load.c has found out, 0: nothing yet
  uint8_t copies;                  // what undefined_trial.c has found out, 0: nothing yet
  uint8_t update;                  // what lost_update.c has found out, 0: nothing yet
  bool unorm;                      // images: coordinates count texels
  uint8_t dmask;                   // images: channels
  uint8_t data_format, number_format; // typed buffers
  uint8_t omod;                       // Omod
  bool plain;                         // destination needs no clamp, omod, SDWA or DPP masks
  uint8_t dst_select;                 // Select, SDWA
  bool dst_preserve;                  // SDWA dst_unused:UNUSED_PRESERVE
  bool dst_sext;                      // SDWA dst_unused:UNUSED_SEXT
  uint16_t dpp_control;               // 9-bit dpp_ctrl of the encoding, or DPP_NONE
  uint8_t row_mask, bank_mask;
  bool bound_ctrl; // DPP: lanes without a source read 0 instead of being disabled
  uint8_t op_sel, op_sel_hi, neg_lo,
      neg_hi;               // bit i for source i (VOP3P; bit 3 of op_sel: destination)
  uint8_t cbsz, abid, blgp; // MFMA broadcast controls
  Operand d, m, a, b, c, e;
};

#endif
