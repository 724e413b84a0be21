"""Reference model and golden cases of gfx942's matrix unit: xf32, how sums round, and sparse matrices (SMFMAC).

Rounding, as MMA-Sim (arXiv 2511.10909) found it on the device: products are exact; several at once are cut off 24 binary
digits behind the point of the largest, whose exponent is the sum of those of its factors; C is cut off the same way, and
what the sum has beyond 31 digits; what is left is rounded to nearest. 8-bit products first make two sums, of even and odd
k. Here numbers are fractions, one result at a time.

Sparse: of A's row i the lane i + size * g holds, for h = 0 and, of 8-bit elements, 1, the elements that are there of k from
8 * g + h * K / 2 on, two of each four; its index says which. B's column j has all eight in lane j + size * g (AMD Matrix
Instruction Calculator, cdna3).
"""

import math
import struct
from fractions import Fraction
from math import floor, trunc

import exact
import matrix
from casefile import FULL, LANES, MATRIX_CYCLES, registers
from exact import decode, encode, number
from values import ordinary_lanes, scramble

CUT_OFF, OF_SUM = 24, 31  # binary digits behind the point
# kind: (bits, products at once, exponent of the smallest normal number)
TYPES = {"xf32": (32, 4, -126), "f16": (16, 8, -14), "bf16": (16, 8, -126), "fp8": (8, 16, -7), "bf8": (8, 16, -15)}
DENSE = {"f32_32x32x4_xf32": ("xf32", "xf32", 32, 4, 2, 8), "f32_16x16x8_xf32": ("xf32", "xf32", 16, 8, 2, 4),
         "f32_16x16x16_f16": ("f16", "f16", 16, 16, 4, 4), "f32_4x4x4_16b_f16": ("f16", "f16", 4, 4, 4, 2),
         "f32_16x16x16_bf16": ("bf16", "bf16", 16, 16, 4, 4), "f32_32x32x16_fp8_bf8": ("fp8", "bf8", 32, 16, 8, 8),
         "f32_16x16x32_bf8_fp8": ("bf8", "fp8", 16, 32, 8, 4)}
SPARSE = {"f32_32x32x16_f16": ("f16", "f16", 32, 16, 8), "f32_16x16x32_f16": ("f16", "f16", 16, 32, 4),
          "f32_32x32x16_bf16": ("bf16", "bf16", 32, 16, 8), "f32_16x16x32_bf16": ("bf16", "bf16", 16, 32, 4),
          "i32_32x32x32_i8": ("i8", "i8", 32, 32, 8), "i32_16x16x64_i8": ("i8", "i8", 16, 64, 4)}
for left in ("fp8", "bf8"):
    for right in ("fp8", "bf8"):
        SPARSE["f32_32x32x32_%s_%s" % (left, right)] = (left, right, 32, 32, 8)
        SPARSE["f32_16x16x64_%s_%s" % (left, right)] = (left, right, 16, 64, 4)


# ---- rounding ----

def power(exponent):
    return Fraction(2) ** exponent


def exponent_of(value, least):
    return max(exact.floor_log2(abs(value)), least) if value else least


def sum_of(pairs, least_a, least_b):
    """(sum, exponent) of products that are cut off where the largest leaves no room."""
    exponents = [exponent_of(a, least_a) + exponent_of(b, least_b) if a and b else -126 for a, b in pairs]
    last = power(max(exponents) - CUT_OFF)
    return sum(trunc(a * b / last) for a, b in pairs) * last, max(exponents)


def fused(kind_a, kind_b, pairs, c):
    """Bits of f32 of c and all products."""
    (_, length, least_a), (_, _, least_b) = TYPES[kind_a], TYPES[kind_b]
    for first in range(0, len(pairs), length):
        some, value = pairs[first:first + length], decode(c, "f32").value
        if kind_a in ("fp8", "bf8"):
            (even, e), (odd, f) = sum_of(some[::2], least_a, least_b), sum_of(some[1::2], least_a, least_b)
            exponent = max(e, f)
            last = power(exponent - CUT_OFF)
            total = (floor(even / last) + floor(odd / last)) * last
        else:
            total, exponent = sum_of(some, least_a, least_b)
        exponent_c = exponent_of(value, -126)
        largest = max(exponent, exponent_c)
        total = floor(total / power(largest - OF_SUM)) * power(largest - OF_SUM)
        if kind_a not in ("fp8", "bf8") or exponent_c >= largest - CUT_OFF - 1:
            total += floor(value / power(largest - CUT_OFF)) * power(largest - CUT_OFF)
        c = encode(number(total), "f32")
    return c


def element(kind, bits):
    if kind == "xf32":
        return decode(bits & 0xFFFFE000, "f32").value
    if kind == "bf16":
        return decode(bits << 16, "f32").value
    if kind == "f16":
        return decode(bits, "f16").value
    return {code: value for value, code in matrix.ELEMENT_CODES[kind].items()}[bits]


def some_bits(kind, lane, part, salt):
    """Numbers of sizes that differ by more than an f32 can hold, now and then 0 or subnormal."""
    r = scramble(lane * 16 + part, salt)
    if kind in ("xf32", "bf16"):
        bits = r & 0x807FFFFF | (100 + (r >> 32) % 50) << 23 if r >> 60 else 0
        return bits if kind == "xf32" else bits >> 16
    if kind == "f16":
        return r & (0x83FF if r >> 60 < 2 else 0xBFFF)
    return 0 if r & 0x7F == 0 else r & 0xFF


def words_of(kind, count, salt):
    """{register pair: lanes} of `count` registers with random elements, and the elements by lane."""
    bits = TYPES[kind][0]
    elements = [[some_bits(kind, lane, part, salt) for part in range(32 * count // bits)] for lane in range(LANES)]
    return elements, [sum(e << bits * part for part, e in enumerate(parts)) for parts in elements]


def rounding_case(file, mnemonic, kind_a, kind_b, size, depth, pack, passes, salt):
    MATRIX_CYCLES["v_mfma_" + mnemonic] = passes
    blocks = 1 if size > 4 else 16
    count, results = TYPES[kind_a][0] * pack // 32, max(1, size * size * blocks // LANES)
    a, a_words = words_of(kind_a, count, salt)
    b, b_words = words_of(kind_b, count, salt + 1)
    before = {"exec": FULL, registers("v", 10, count): a_words, registers("v", 20, count): b_words}
    rows = [ordinary_lanes("f32", r % 3)[r:] + ordinary_lanes("f32", r % 3)[:r] for r in range(results)]
    rows = [[c & 0x807FFFFF | (100 + scramble(lane, r) % 60) << 23 for lane, c in enumerate(row)]
            for r, row in enumerate(rows)]
    before.update(matrix.register_items("v", 100, results, rows))
    after = [row[:] for row in rows]
    for block in range(blocks):
        for i in range(size):
            for j in range(size):
                register, lane = matrix.place_of("f32", size, block, i, j)
                pairs = []
                for k in range(depth):
                    group = size * (block + blocks * (k // pack))
                    pairs.append((element(kind_a, a[i + group][k % pack]), element(kind_b, b[j + group][k % pack])))
                after[register][lane] = fused(kind_a, kind_b, pairs, rows[register][lane])
    file.case("v_mfma_%s %s, %s, %s, %s" % (mnemonic, registers("v", 100, results), registers("v", 10, count),
                                            registers("v", 20, count), registers("v", 100, results)),
              before, matrix.register_items("v", 100, results, after))


def special_case(file, mnemonic, kind, size, pack, letter, limit, finite):
    """Infinities, NaN, products that no f32 holds, and one that is 0 though a factor is large. Products from `limit` on are
    infinite. finite: the sum of others."""
    large, tiny = (math.ldexp(1, 100), math.ldexp(1, -30)) if kind == "bf16" else (60000.0, math.ldexp(1, -12))
    left = [(math.inf, 0.0), (math.nan, 0.0), (large, 0.0), (-large, 0.0), (large, tiny), (1.0, 0.0), (0.0, 0.0),
            (-math.inf, 1.0), (large, large)]
    right = [(math.inf, 0.0), (large, 1.0), (0.0, tiny), (-math.inf, 1.0), (1.0, math.inf), (0.0, -math.inf),
             (-large, large)]
    a, b = ([some[lane % len(some)] if lane < size else (0.0, 0.0) for lane in range(LANES)] for some in (left, right))
    count, results = TYPES[kind][0] * pack // 32, size * size // LANES
    words = [[sum(bits_of(kind, x) << TYPES[kind][0] * n for n, x in enumerate(pair)) for pair in some] for some in (a, b)]
    after = [[0] * LANES for _ in range(results)]
    for i in range(size):
        for j in range(size):
            register, lane = matrix.place_of("f32", size, 0, i, j)
            products = [x * y for x, y in zip(a[i], b[j])]
            signs = {math.copysign(1, p) for p in products if abs(p) >= limit}
            if any(map(math.isnan, products)) or len(signs) == 2:
                after[register][lane] = "nan"
            elif signs:
                after[register][lane] = 0x7F800000 if signs.pop() > 0 else 0xFF800000
            else:
                after[register][lane] = finite([(Fraction(x), Fraction(y)) for x, y in zip(a[i], b[j]) if x * y])
    name = registers(letter, 100, results)
    before = {"exec": FULL, registers("v", 10, count): words[0], registers("v", 20, count): words[1]}
    before.update({"%s%d" % (letter, 100 + r): [0] for r in range(results)})
    file.case("v_mfma_%s %s, %s, %s, %s" % (mnemonic, name, registers("v", 10, count), registers("v", 20, count), name),
              before, {"%s%d" % (letter, 100 + r): after[r] for r in range(results)})


def bits_of(kind, value):
    if kind == "f16":
        return int.from_bytes(struct.pack("<e", value), "little")
    return int.from_bytes(struct.pack("<f", value), "little") >> 16


# ---- sparse ----

def place_sparse(kind, size, depth, k):
    """(lanes before the row's or column's, place among the lane's elements of B) of an element at k."""
    bits = 8 if kind in ("fp8", "bf8", "i8") else 16
    half = depth // 2 if bits == 8 else depth
    return size * (k % half // 8), k // half * 8 + k % 8


def sparse_case(file, mnemonic, kind_a, kind_b, size, depth, passes, salt, letter, modifiers="", shift=0):
    """A few small whole numbers in A and B; the indices of all lanes are random."""
    MATRIX_CYCLES["v_smfmac_" + mnemonic] = passes
    results = size * size // LANES
    index = [scramble(lane, salt + 3) & 0xFFFFFFFF for lane in range(LANES)]
    a, b, d = [0] * LANES, [0] * LANES, {}
    bits = matrix.ELEMENT_BITS[kind_a]
    in_a, in_b = {}, {}
    for n in range(40):
        r = scramble(n, salt)
        i, j, k = r % size, (r >> 8) % size, (r >> 16) % depth
        lanes, place = place_sparse(kind_a, size, depth, k)
        for s in range(2):  # which of the two that are there
            there = place // 4 * 2 + s
            if place % 4 == index[i + lanes] >> shift + 2 * there & 3 and (i + lanes, there) not in in_a:
                in_a[i + lanes, there] = (i, k, [1, -2, 3, -4, 6, 7][n % 6])
                in_b[k, j] = [2, 5, -1][n % 3]
    for (lane, there), (i, k, value) in in_a.items():
        a[lane] |= matrix.element_bits(kind_a, value) << bits * there
        for (k_b, j), other in in_b.items():
            if k_b == k:
                d[i, j] = d.get((i, j), 0) + value * other
    for (k, j), value in in_b.items():
        lanes, place = place_sparse(kind_b, size, depth, k)
        b[j + lanes] |= matrix.element_bits(kind_b, value) << bits * place
    assert sum(v != 0 for v in d.values()) > 10, mnemonic
    zero = matrix.result_bits(kind_a, 0)
    after = [[zero] * LANES for _ in range(results)]
    began = matrix.result_bits(kind_a, 9)
    before_rows = [[zero] * LANES for _ in range(results)]
    d[1, 2] = d.get((1, 2), 0) + 9
    for (i, j), value in list(d.items()) + [((1, 2), d[1, 2])]:
        register, lane = matrix.place_of("f32", size, 0, i, j)
        after[register][lane] = matrix.result_bits(kind_a, value)
        if (i, j) == (1, 2):
            before_rows[register][lane] = began
    state = {"exec": FULL if salt % 2 else 0x00F0, "v[10:11]": a, "v[20:21]": [v & FULL for v in b],
             "v[22:23]": [v >> 64 for v in b], "v30": file.named("index.%d" % salt, index)}
    state.update({r: file.named("zero", [0]) if not any(lanes) else lanes
                  for r, lanes in matrix.register_items(letter, 140, results, before_rows).items()})
    file.case("v_smfmac_%s %s, v[10:11], v[20:23], v30%s" % (mnemonic, registers(letter, 140, results), modifiers), state,
              matrix.register_items(letter, 140, results, after))


def all_cases(file):
    file.comment("what sums of products round to")
    for n, (mnemonic, shape) in enumerate(DENSE.items()):
        rounding_case(file, mnemonic, *shape, 3000 + 10 * n)
    file.comment("sums that are not finite, and zeros beside large factors")
    for kind in ("f16", "bf16"):
        special_case(file, "f32_16x16x16_" + kind, kind, 16, 4, "v", 2.0 ** 128,
                     lambda pairs, kind=kind: fused(kind, kind, pairs, 0) if pairs else 0)
    file.comment("sparse matrices")
    for n, (mnemonic, shape) in enumerate(SPARSE.items()):
        for letter in "va":
            sparse_case(file, mnemonic, *shape, 4000 + 2 * n + (letter == "a"), letter)
    file.comment("cbsz and abid choose the part of the index that counts")
    for mnemonic, sets in (("f32_16x16x32_f16", 4), ("i32_32x32x32_i8", 2)):
        for abid in range(1, 4):
            sparse_case(file, mnemonic, *SPARSE[mnemonic], 4100 + abid, "v", " abid:%d" % abid, 32 // sets * (abid % sets))
        sparse_case(file, mnemonic, *SPARSE[mnemonic], 4110, "v", " cbsz:2 abid:1")
    file.comment("signs of whole f64 matrices")
    one = 0x3FF0000000000000
    for signs, result in (((1, 0, 0), 0x3FF0000000000000), ((0, 1, 0), 0x3FF0000000000000), ((0, 0, 1), 0xBFF0000000000000),
                          ((1, 1, 1), 0xBFF0000000000000), ((1, 0, 1), 0xC022000000000000)):
        file.case("v_mfma_f64_4x4x4_4b_f64 v[40:41], v[10:11], v[20:21], v[30:31] neg:[%d,%d,%d]" % signs,
                  {"exec": FULL, "v[10:11]": [one], "v[20:21]": [one], "v[30:31]": [0x4014000000000000]},
                  {"v[40:41]": [result] * LANES})
