// When blocks are translated, and by whom: by a thread beside those that go on interpreting.
//
// In: where waves come to, and how much of it was interpreted. Out: machine code, once it is there.
#ifndef EMULATOR_TRANSLATOR_H
#define EMULATOR_TRANSLATOR_H

#include "block.h"
#include "wavefront.h"

// Notes how many instructions were interpreted from this one on, to which a wave had come otherwise
// than from the one before it.
void translator_interpreted(const Wavefront *w, const Instruction *in, uint64_t instructions);

// Orders the translation of what begins here for the wave as it is, if so much of it was interpreted
// that this pays. True if it is there on return: where EMULATOR_TRANSLATE=1 says that all of it pays.
bool translator_worth(const Wavefront *w, const Instruction *in);

// Notes how often the wave's block here has run since this was last told; orders better machine code
// when that pays.
void translator_ran(const Wavefront *w, const Instruction *in, uint64_t times);

// Which machine code the wave needs as it is; that of a block, or NULL.
static inline int translator_variant(const Wavefront *w) {
  return (w->exec == ~0ull ? BLOCK_ALL_LANES : BLOCK_ANY_LANES) |
         (!w->trace.off        ? BLOCK_TRACED
          : !traffic_wanted(w) ? BLOCK_UNCOUNTED
                               : 0);
}
static inline RunBlock *translator_find(const Wavefront *w, const Block *block) {
  return __atomic_load_n(&block->run[translator_variant(w)], __ATOMIC_ACQUIRE);
}

// At the end of a launch: waits for the block that is being translated.
void translator_finish(void);

#endif
