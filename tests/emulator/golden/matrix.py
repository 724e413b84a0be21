"""Reference model and golden cases of the matrix instructions (MFMA): D = A * B + C.

Inputs are mostly zero with a few small whole numbers and fractions, so that sums are exact in any order and the case shows
where each element lies. Layouts: AMD Matrix Instruction Calculator, architecture CDNA2. With K the products in one lane's
registers and M = N rows and columns: lane = row + M * (block + blocks * (k // pack)), element k % pack. A 32-bit D: register
group g of 4 holds rows 4 * (lane // N) + 4 * (64 // N) * g and the following ones. D of f64: see place_of_double. EXEC is
ignored.
"""

import exact
from casefile import FULL, LANES, MATRIX_CYCLES, QUAD_CYCLES, registers
from values import scramble

# mnemonic: (type of A and B, M = N, K, blocks, elements per lane, passes: quad-cycles on the vector ALU)
SHAPES = {
    "f32_32x32x1f32": ("f32", 32, 1, 2, 1, 16), "f32_16x16x1f32": ("f32", 16, 1, 4, 1, 8),
    "f32_4x4x1f32": ("f32", 4, 1, 16, 1, 2), "f32_32x32x2f32": ("f32", 32, 2, 1, 1, 16),
    "f32_16x16x4f32": ("f32", 16, 4, 1, 1, 8), "f32_32x32x4f16": ("f16", 32, 4, 2, 4, 16),
    "f32_16x16x4f16": ("f16", 16, 4, 4, 4, 8), "f32_4x4x4f16": ("f16", 4, 4, 16, 4, 2),
    "f32_32x32x8f16": ("f16", 32, 8, 1, 4, 16), "f32_16x16x16f16": ("f16", 16, 16, 1, 4, 8),
    "f32_32x32x2bf16": ("bf16", 32, 2, 2, 2, 16), "f32_16x16x2bf16": ("bf16", 16, 2, 4, 2, 8),
    "f32_4x4x2bf16": ("bf16", 4, 2, 16, 2, 2), "f32_32x32x4bf16": ("bf16", 32, 4, 1, 2, 16),
    "f32_16x16x8bf16": ("bf16", 16, 8, 1, 2, 8), "f32_32x32x4bf16_1k": ("bf16", 32, 4, 2, 4, 16),
    "f32_16x16x4bf16_1k": ("bf16", 16, 4, 4, 4, 8), "f32_4x4x4bf16_1k": ("bf16", 4, 4, 16, 4, 2),
    "f32_32x32x8bf16_1k": ("bf16", 32, 8, 1, 4, 16), "f32_16x16x16bf16_1k": ("bf16", 16, 16, 1, 4, 8),
    "i32_32x32x4i8": ("i8", 32, 4, 2, 4, 16), "i32_16x16x4i8": ("i8", 16, 4, 4, 4, 8), "i32_4x4x4i8": ("i8", 4, 4, 16, 4, 2),
    "i32_32x32x8i8": ("i8", 32, 8, 1, 4, 16), "i32_16x16x16i8": ("i8", 16, 16, 1, 4, 8),
    "f64_16x16x4f64": ("f64", 16, 4, 1, 1, 8), "f64_4x4x4f64": ("f64", 4, 4, 4, 1, 4)}
ELEMENT_BITS = {"f32": 32, "f16": 16, "bf16": 16, "i8": 8, "f64": 64, "fp8": 8, "bf8": 8}
ELEMENT_CODES = {}  # kind: {value: bits}, of kinds that exact does not know


def element_bits(kind, value):
    if kind in ELEMENT_CODES:
        return ELEMENT_CODES[kind][value]
    if kind == "i8":
        return value & 0xFF
    if kind == "bf16":
        return exact.encode(exact.number(value), "f32") >> 16
    return exact.encode(exact.number(value), kind)


def result_bits(kind, value):
    if kind == "i8":
        return value & 0xFFFFFFFF
    return exact.encode(exact.number(value), "f64" if kind == "f64" else "f32")


def place_of(kind, size, block, i, j):
    """(first register, lane) of element [i][j] of C and D."""
    if kind == "f64" and size == 16:
        return i // 4 * 2, j + 16 * (i % 4)
    if kind == "f64":
        return 0, j + 4 * block + 16 * i
    lanes_per_row_group = LANES // size
    if size == 4:
        return i, j + 4 * block
    if size == 16 and lanes_per_row_group == 4:
        return 4 * block + i % 4, j + 16 * (i // 4)
    return 16 * block + i // 8 * 4 + i % 4, j + 32 * (i // 4 % 2)


class Operands:
    """Sparse A and B of all blocks as lists of element values by (block, row or column, k)."""

    def __init__(self, kind, size, depth, blocks, pack, salt):
        self.kind, self.size, self.depth, self.blocks, self.pack = kind, size, depth, blocks, pack
        self.elements = {}
        for i in range(6):
            r = scramble(i, salt)
            key = (r % blocks, (r >> 8) % size, (r >> 16) % depth)
            self.elements[key] = [1, -2, 3, -5, 7, 4][i]

    def lane(self, block, row, k):
        return row + self.size * (block + self.blocks * (k // self.pack))

    def packed(self):
        """One integer per lane."""
        lanes = [0] * LANES
        for (block, row, k), value in self.elements.items():
            lanes[self.lane(block, row, k)] |= element_bits(self.kind, value) << ELEMENT_BITS[self.kind] * (k % self.pack)
        return lanes


def register_items(letter, first, count, lanes_by_register):
    """Pairs of registers from 32-bit register lists."""
    items = {}
    for r in range(0, count, 2):
        if count == 1:
            items[registers(letter, first, 1)] = lanes_by_register[0]
        else:
            items[registers(letter, first + r, 2)] = [a | b << 32
                                                      for a, b in zip(lanes_by_register[r], lanes_by_register[r + 1])]
    return items


def matrix_case(file, mnemonic, shape, salt, letter, source_letter, a_block=lambda block: block, b_lane=None, modifiers=""):
    kind, size, depth, blocks, pack, passes = shape
    kind, kind_b = (kind + " " + kind).split()[:2]  # A and B may be of two kinds
    (QUAD_CYCLES if kind == "f64" else MATRIX_CYCLES)["v_mfma_" + mnemonic] = passes
    source_count = max(1, ELEMENT_BITS[kind] * pack // 32)
    result_words = 2 if kind == "f64" else 1
    count = max(1, size * size * blocks // LANES) * result_words
    a = Operands(kind, size, depth, blocks, pack, salt)
    b = Operands(kind_b, size, depth, blocks, pack, salt + 100)
    for (block, row, k) in list(a.elements)[:4]:  # make A and B meet
        b.elements[(block, (row * 3 + 1) % size, k)] = 6
    c = {(scramble(i, salt + 7) % blocks, scramble(i, salt + 8) % size, scramble(i, salt + 9) % size): i + 10
         for i in range(3)}
    d = dict(c)
    b_packed = b.packed()
    b_seen = dict(b.elements)
    if b_lane:  # blgp: each lane's B comes from another lane
        b_seen = {}
        home = {b.lane(*key): [] for key in b.elements}
        for key in b.elements:
            home[b.lane(*key)].append(key)
        for block in range(blocks):
            for row in range(size):
                for k in range(depth):
                    for key in home.get(b_lane(b.lane(block, row, k)), []):
                        if key[2] % pack == k % pack:
                            b_seen[(block, row, k)] = b.elements[key]
    for block in range(blocks):
        for (from_block, i, k), x in a.elements.items():
            if from_block != a_block(block):
                continue
            for (b_block, j, b_k), y in b_seen.items():
                if b_block == block and b_k == k:
                    d[(block, i, j)] = d.get((block, i, j), 0) + x * y
    zero = [[0] * LANES for _ in range(count)]
    before_c, after_d = [row[:] for row in zero], [row[:] for row in zero]
    for rows, elements in ((before_c, c), (after_d, d)):
        for (block, i, j), value in elements.items():
            register, lane = place_of(kind, size, block, i, j)
            bits = result_bits(kind, value)
            rows[register][lane] = bits & 0xFFFFFFFF
            if result_words == 2:
                rows[register + 1][lane] = bits >> 32
    a_name, b_name = registers(source_letter, 10, source_count), registers(source_letter, 20, source_count)
    before = {"exec": FULL if salt % 2 else 0x00F0}
    before.update({a_name: a.packed(), b_name: b_packed})
    names = {r: file.named("zero", [0]) if not any(lanes) else lanes
             for r, lanes in register_items(letter, 100, count, before_c).items()}
    before.update(names)
    d_name, c_name = registers(letter, 140, count), registers(letter, 100, count)
    file.case("v_mfma_%s %s, %s, %s, %s%s" % (mnemonic, d_name, a_name, b_name, c_name, modifiers), before,
              register_items(letter, 140, count, after_d))


def all_cases(file):
    for index, (mnemonic, shape) in enumerate(SHAPES.items()):
        matrix_case(file, mnemonic, shape, 1000 + index, "v", "v")
        matrix_case(file, mnemonic, shape, 1050 + index, "a", "v")
    matrix_case(file, "f32_16x16x4f16", SHAPES["f32_16x16x4f16"], 1200, "a", "a")
    file.comment("C as a constant, D over C")
    file.case("v_mfma_f32_4x4x1f32 v[140:143], v10, v20, 1.0", {"exec": 1, "v10": [0], "v20": [0]},
              {"v[140:141]": [0x3F8000003F800000] * LANES, "v[142:143]": [0x3F8000003F800000] * LANES})
    file.case("v_mfma_i32_4x4x4i8 a[0:3], v10, v20, a[0:3]",
              {"exec": 1, "v10": [0x01010101], "v20": [0x02FF0303], "a[0:1]": [5], "a[2:3]": [6]},
              {"a[0:1]": [0x70000000C] * LANES, "a[2:3]": [0x70000000D] * LANES})
    file.comment("broadcasts: cbsz and abid share a block of A, blgp moves B between lanes")
    shape = SHAPES["f32_4x4x1f32"]
    for cbsz, abid in ((1, 0), (1, 1), (2, 3), (4, 9)):
        group = 1 << cbsz
        matrix_case(file, "f32_4x4x1f32", shape, 1300 + abid, "v", "v", a_block=lambda block: block // group * group + abid,
                    modifiers=" cbsz:%d%s" % (cbsz, " abid:%d" % abid if abid else ""))
    moves = {1: lambda lane: lane % 32, 2: lambda lane: lane % 32 + 32, 3: lambda lane: (lane + 16) % 64,
             4: lambda lane: lane % 16, 5: lambda lane: lane % 16 + 16, 6: lambda lane: lane % 16 + 32,
             7: lambda lane: lane % 16 + 48}
    for blgp, move in moves.items():
        for mnemonic in ("f32_16x16x1f32", "f32_32x32x1f32"):
            matrix_case(file, mnemonic, SHAPES[mnemonic], 1400 + blgp, "v", "v", b_lane=move, modifiers=" blgp:%d" % blgp)
