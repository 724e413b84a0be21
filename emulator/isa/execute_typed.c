// Typed buffers: loads and stores of elements with a format, through BUFFER and TBUFFER. Rows in
// instructions_typed.def.
//
// In: a buffer's descriptor in scalar registers; index and offset in vector registers. Out: an element's
// channels in as many registers, or as halves of them. A BUFFER instruction takes the format from the
// descriptor, a TBUFFER instruction names it.
#include "access_count.h"
#include "buffer.h"
#include "buffer_format.h"
#include "defined_memory.h"
#include "instruction_table.h"

// How channels lie in registers: one to each, two to each as halves, or one in a high half.
typedef enum { WHOLE, HALVES, HIGH_HALF } Packing;

// Where the elements lie. They may be touched, or there is a fault.
static void reach_elements(Wavefront *w, const Instruction *in, Packing packing,
                           BufferFormat *format, Access *access) {
  const u32 last = w->sgpr[in->b.index + 3];
  const bool own = in->data_format;
  const Buffer buffer = buffer_of(w, in);
  if (!buffer_format_of(own ? in->data_format : last >> 15 & 15,
                        own ? in->number_format : last >> 12 & 7, last, format) ||
      (packing != WHOLE && !buffer_format_has_halves(format)))
    wavefront_fault(
        w, FAULT_GAP, -1,
        "a buffer has a data or number format that the emulator does not know for typed "
        "loads and stores");
  *access = (Access){.bytes = buffer_format_bytes(format)};
  buffer_addresses(w, in, &buffer, access);
  if (!access->lanes)
    return;
  access_check(w, access, in->info->action);
  access_count(w, access, in->info->action);
}

static void load_typed(Wavefront *w, const Instruction *in, int channels, Packing packing) {
  BufferFormat format;
  Access access;
  Row result;
  reach_elements(w, in, packing, &format, &access);
  memcpy(result.word, w->vgpr[in->d.index], in->d.registers * sizeof w->vgpr[0]);
  FOR_LANES {
    u32 value[FORMAT_CHANNELS] = {0};
    if (access.lanes >> lane & 1)
      buffer_format_read(&format, (const void *)access.address[lane], value);
    for (int i = 0; i < channels; i++) {
      u32 *to = &result.word[lane + LANES * (packing == WHOLE ? i : i / 2)];
      const u32 half = packing == WHOLE ? 0 : buffer_format_half(&format, value[i]);
      *to = packing == WHOLE                ? value[i]
            : packing == HIGH_HALF || i % 2 ? (*to & 0xffff) | half << 16
                                            : (*to & 0xffff0000) | half;
    }
  }
  commit_registers(w, &in->d, in->d.registers, &result);
}

static void store_typed(Wavefront *w, const Instruction *in, int channels, Packing packing) {
  BufferFormat format;
  Access access;
  reach_elements(w, in, packing, &format, &access);
  if (format.channels > channels)
    wavefront_fault(w, FAULT_GAP, -1,
                    "a typed store has %d channels, and the buffer's format %d. The emulator does "
                    "not know what becomes of the others",
                    channels, format.channels);
  FOR_LANES if (access.lanes >> lane & 1) {
    u32 value[FORMAT_CHANNELS] = {0};
    for (int i = 0; i < format.channels; i++) {
      const u32 word = w->vgpr[in->c.index + (packing == WHOLE ? i : i / 2)][lane];
      value[i] =
          packing == WHOLE
              ? word
              : buffer_format_of_half(&format, packing == HIGH_HALF || i % 2 ? word >> 16 : word);
    }
    if (!buffer_format_write(&format, (void *)access.address[lane], value))
      wavefront_fault(w, FAULT_GAP, lane,
                      "a typed store has an integer that the buffer's format cannot hold. The "
                      "emulator does not know what becomes of it");
    defined_memory_written((const void *)access.address[lane], access.bytes);
  }
}

#define LOAD_TYPED(NAME, CHANNELS, PACKING)                                                        \
  static void do_##NAME(Wavefront *w, const Instruction *in) {                                     \
    load_typed(w, in, CHANNELS, PACKING);                                                          \
  }
#define STORE_TYPED(NAME, CHANNELS, PACKING)                                                       \
  static void do_##NAME(Wavefront *w, const Instruction *in) {                                     \
    store_typed(w, in, CHANNELS, PACKING);                                                         \
  }
#include "instructions_typed.def"
#undef LOAD_TYPED
#undef STORE_TYPED

#define ROW(NAME, OPERANDS, ACTION)                                                                \
  {#NAME,       do_##NAME, OPERANDS,       TYPE_u32, TYPE_u64, TYPE_u64, TYPE_u32,                 \
   UNIT_BUFFER, 0,         PARTS_SELECTED, ACTION,   false,    SQ_INSTS},
#define LOAD_TYPED(NAME, CHANNELS, PACKING) ROW(NAME, "dabe", MEMORY_LOAD)
#define STORE_TYPED(NAME, CHANNELS, PACKING) ROW(NAME, "cabe", MEMORY_STORE)
const InstructionInfo typed_instructions[] = {
#include "instructions_typed.def"
};
const size_t typed_instruction_count = sizeof typed_instructions / sizeof *typed_instructions;
