"""Reference model and golden cases of how gfx908's matrix unit rounds sums of f16 and bf16.

The products that one lane holds are added to C exactly, four of f16 and two of bf16; then the sum is rounded to nearest
(MMA-Sim, arXiv 2511.10909). Subnormals count.
"""

import math

import matrix
from casefile import FULL, LANES, MATRIX_CYCLES, registers
from exact import decode, encode, number
from gfx942_matrix import element, special_case, words_of
from values import scramble

# mnemonic: (kind, M = N, K, blocks, products at once, passes)
SHAPES = {"f32_16x16x16f16": ("f16", 16, 16, 1, 4, 8), "f32_32x32x8f16": ("f16", 32, 8, 1, 4, 16),
          "f32_4x4x4f16": ("f16", 4, 4, 16, 4, 2), "f32_16x16x8bf16": ("bf16", 16, 8, 1, 2, 8),
          "f32_32x32x2bf16": ("bf16", 32, 2, 2, 2, 16)}


def rounding_case(file, mnemonic, kind, size, depth, blocks, pack, passes, salt):
    MATRIX_CYCLES["v_mfma_" + mnemonic] = passes
    count, results = 16 * pack // 32, size * size * blocks // LANES
    a, a_words = words_of(kind, count, salt)
    b, b_words = words_of(kind, count, salt + 1)
    low = 90 if kind == "bf16" else 100
    rows = [[scramble(lane, salt + r) & 0x807FFFFF | (low + scramble(lane, r) % 70) << 23 for lane in range(LANES)]
            for r in range(results)]
    after = [row[:] for row in rows]
    for block in range(blocks):
        for i in range(size):
            for j in range(size):
                register, lane = matrix.place_of("f32", size, block, i, j)
                for first in range(0, depth, pack):
                    group = size * (block + blocks * (first // pack))
                    total = decode(after[register][lane], "f32").value
                    for k in range(pack):
                        total += element(kind, a[i + group][k]) * element(kind, b[j + group][k])
                    after[register][lane] = encode(number(total), "f32")
    before = {"exec": FULL, registers("v", 10, count): a_words, registers("v", 20, count): b_words}
    before.update(matrix.register_items("a", 100, results, rows))
    name = registers("a", 100, results)
    file.case("v_mfma_%s %s, %s, %s, %s" % (mnemonic, name, registers("v", 10, count), registers("v", 20, count), name),
              before, matrix.register_items("a", 100, results, after))


def all_cases(file):
    file.comment("what sums of products round to")
    for n, (mnemonic, shape) in enumerate(SHAPES.items()):
        rounding_case(file, mnemonic, *shape, 5000 + 10 * n)
    file.comment("sums that are not finite")
    for mnemonic, kind, pack in (("f32_16x16x16f16", "f16", 4), ("f32_16x16x8bf16", "bf16", 2)):
        special_case(file, mnemonic, kind, 16, pack, "a", math.inf,
                     lambda pairs: encode(number(sum(x * y for x, y in pairs)), "f32"))
