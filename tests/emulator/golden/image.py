"""Reference model and golden cases of images: loads, stores, samples.

A texel is looked up one at a time from its definition: format, channels, what lies outside. Meaning: Vega ISA, chapter
"Vector memory image instructions", and its tables of image and sampler resources.
"""

import math
import struct

from casefile import FULL, LANES, under
from memory import Memory, pairs_of
from values import scramble
from vector import signed
from vector_cases import HOLES

UNORM, SNORM, UINT, SINT, FLOAT = 0, 1, 4, 5, 7
CLAMPS = WRAP, MIRROR, EDGE, BORDER = 0, 1, 2, 6
# channels and bits of a channel: the hardware's number
FORMATS = {(1, 8): 1, (1, 16): 2, (2, 8): 3, (1, 32): 4, (2, 16): 5, (4, 8): 10, (2, 32): 11, (4, 16): 12, (4, 32): 14}
KINDS = {"1d": 8, "2d": 9, "3d": 10, "1d layers": 12, "2d layers": 13}
AXES = {"1d": (0,), "2d": (0, 1), "3d": (0, 1, 2), "1d layers": (0, 2), "2d layers": (0, 1, 2)}
PLACE = 0x100  # of the image in the test's memory
ADDRESS = "v10"  # and those behind it: LLVM's disassembler cannot know how many, the image says so
M32 = 2**32 - 1


def f32_bits(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


class Picture:
    def __init__(self, kind, channels, bits, number, extent, pitch):
        self.kind, self.channels, self.bits, self.number = kind, channels, bits, number
        self.extent, self.pitch, self.memory = extent, pitch, Memory("mem", 4096)

    def select(self):
        return [4 + i if i < self.channels else int(i == 3) for i in range(4)]

    def words(self):
        """State before: the image in s[12:19]."""
        width, height, depth = self.extent
        select = sum(s << 3 * i for i, s in enumerate(self.select()))
        shape = FORMATS[self.channels, self.bits] << 20 | self.number << 26
        return {"s[12:13]": "page+%x" % (shape << 32 | PLACE >> 8),
                "s[14:15]": width - 1 | height - 1 << 14 | (select | KINDS[self.kind] << 28) << 32,
                "s[16:17]": depth - 1 | self.pitch - 1 << 13, "s[18:19]": 0}

    def place(self, at):
        return PLACE + ((at[2] * self.extent[1] + at[1]) * self.pitch + at[0]) * self.channels * self.bits // 8

    def fraction(self, raw):
        if self.number == UNORM:
            return raw / (2**self.bits - 1)
        return max(-1.0, signed(raw, self.bits) / (2**(self.bits - 1) - 1))

    def channel_bits(self, raw):
        if self.number in (UNORM, SNORM):
            return f32_bits(self.fraction(raw))
        return signed(raw, self.bits) & M32 if self.number == SINT else raw

    def raw(self, at):
        """The channels in memory; None outside."""
        if any(not 0 <= i < n for i, n in zip(at, self.extent)):
            return None
        size = self.bits // 8
        return [self.memory.read(self.place(at) + i * size, size) for i in range(self.channels)]

    def load(self, at, border=None):
        """Four registers. Outside are zeros, of a sample the border: zeros in memory."""
        raw = self.raw(at) or border
        if raw is None:
            return [0] * 4
        one = 1 if self.number in (UINT, SINT) else f32_bits(1.0)
        return [self.channel_bits(raw[s - 4]) if s >= 4 else s * one for s in self.select()]


def masked(mask, values):
    """Registers as one integer: the channels of the mask, one behind the other."""
    chosen = [v for i, v in enumerate(values) if mask >> i & 1]
    return sum(v << 32 * i for i, v in enumerate(chosen))


def names(first, count):
    return "v%d" % first if count == 1 else "v[%d:%d]" % (first, first + count - 1)


def integers(lane, axis, extent):
    """Some of them outside, before and behind."""
    return (lane * (3, 5, 7)[axis] + lane // 9) % (extent + 2) - 1


def load_cases(file):
    file.comment("texels by number; outside are zeros")
    for i, (kind, channels, bits, number, mask) in enumerate(
            [("2d", 1, 32, FLOAT, 0x1), ("2d", 4, 8, UINT, 0xF), ("2d", 4, 8, SINT, 0x5), ("3d", 2, 16, SNORM, 0xB),
             ("1d", 4, 32, UINT, 0xF), ("2d layers", 1, 8, UNORM, 0x9), ("1d layers", 1, 16, SINT, 0x3),
             ("2d", 2, 32, FLOAT, 0x6), ("2d", 4, 16, UNORM, 0x8), ("2d", 2, 8, UINT, 0x3)]):
        extent = [9, 4 if 1 in AXES[kind] else 1, 3 if 2 in AXES[kind] else 1]
        picture = Picture(kind, channels, bits, number, extent, 12)
        at = [[integers(lane, axis, extent[axis]) if axis in AXES[kind] else 0 for axis in range(3)]
              for lane in range(LANES)]
        before = dict(picture.words(), exec=HOLES[i % len(HOLES)])
        for n, axis in enumerate(AXES[kind]):
            before["v%d" % (10 + n)] = [at[lane][axis] & M32 for lane in range(LANES)]
        count = bin(mask).count("1")
        text = "image_load %s, %s, s[12:19] dmask:0x%x unorm" % (names(40, count), ADDRESS, mask)
        file.case(text + " da" * ("layers" in kind), before,
                  pairs_of(40, count, under(before["exec"], [masked(mask, picture.load(a)) for a in at])))


def store_cases(file):
    file.comment("stores: outside nothing is written")
    for kind, channels, bits, number, mask in [("2d", 4, 32, FLOAT, 0xF), ("3d", 1, 32, UINT, 0xF), ("2d", 2, 16, SINT, 0x1),
                                               ("1d", 4, 8, UINT, 0xF)]:
        extent = [9, 4 if 1 in AXES[kind] else 1, 3 if 2 in AXES[kind] else 1]
        picture, lanes = Picture(kind, channels, bits, number, extent, 12), 0x8100400A00010421
        before = dict(picture.words(), exec=lanes)
        for n, axis in enumerate(AXES[kind]):
            before["v%d" % (10 + n)] = [(lane * (axis + 2) + lane // 9) % (extent[axis] + 1) for lane in range(LANES)]
        for lane in range(LANES):
            at = [0, 0, 0]
            for n, axis in enumerate(AXES[kind]):
                at[axis] = before["v%d" % (10 + n)][lane]
            if lanes >> lane & 1 and picture.raw(at) is not None:
                for i in range(channels):
                    data = 0x9E3779B1 * ((20 + bin(mask & (1 << i) - 1).count("1")) * 64 + lane + 1) & M32
                    picture.memory.write(picture.place(at) + i * bits // 8, data * (mask >> i & 1), bits // 8)
        data = names(20, bin(mask).count("1"))
        file.case("image_store %s, %s, s[12:19] dmask:0x%x unorm" % (data, ADDRESS, mask), before, picture.memory.after())


def inside(i, n, clamp):
    if clamp == EDGE:
        return min(max(i, 0), n - 1)
    if clamp == WRAP:
        return i % n
    if clamp == MIRROR:
        return min(i % (2 * n), 2 * n - 1 - i % (2 * n))
    return i


def sampled(picture, clamp, linear, point):
    """Four numbers (linear), or four registers."""
    if not linear:
        return picture.load([inside(math.floor(p), n, clamp) for p, n in zip(point, picture.extent)],
                            border=[0] * picture.channels)
    total = [0.0] * 4
    for corner in range(8):
        share, at = 1.0, []
        for axis, (p, n) in enumerate(zip(point, picture.extent)):
            flat = axis not in AXES[picture.kind] or (axis == 2 and "layers" in picture.kind)
            lower = math.floor(p) if flat else math.floor(p - 0.5)
            part = 0.0 if flat else p - 0.5 - lower
            share *= part if corner >> axis & 1 else 1 - part
            at.append(inside(lower + (corner >> axis & 1), n, EDGE if flat else clamp))
        raw = picture.raw(at) or [0] * picture.channels
        for i, s in enumerate(picture.select()):
            total[i] += share * (picture.fraction(raw[s - 4]) if s >= 4 else s)
    return total


def sample_cases(file):
    file.comment("samples: address modes, both filters, normalized coordinates and such that count texels")
    number = 0
    for kind in KINDS:
        for clamp in (WRAP, MIRROR, EDGE, BORDER):
            for linear in (False, True):
                number += 1
                normalized = clamp in (WRAP, MIRROR) or number % 3 == 0
                # powers of two, so that a normalized coordinate says exactly where the point is
                extent = [8, 4 if 1 in AXES[kind] else 1, 2 if 2 in AXES[kind] else 1]
                channels, bits = [(1, 16), (4, 8), (2, 16)][number % 3]
                picture = Picture(kind, channels, bits, (UNORM, SNORM)[number % 2], extent, 16)
                mask = (0xF, 0x8, 0x3)[number % 3]
                before = dict(picture.words(), exec=HOLES[number % len(HOLES)])
                before["s[20:21]"] = clamp * 0o111 | (not normalized) << 15
                before["s[22:23]"] = linear * 5 << 20
                points = [[0.5, 0.5, 0.5] for _ in range(LANES)]
                for n, axis in enumerate(AXES[kind]):
                    layer = axis == 2 and "layers" in kind
                    lanes = []
                    for lane in range(LANES):
                        point = scramble(lane, 60 + axis) % (48 * extent[axis]) / 16 - extent[axis] + 1 / 32
                        if layer:
                            point = scramble(lane, 60 + axis) % 5 - 1
                            points[lane][axis] = min(max(point, 0), extent[axis] - 1)
                        else:
                            points[lane][axis] = point
                        lanes.append(f32_bits(point / (extent[axis] if normalized and not layer else 1)))
                    before["v%d" % (10 + n)] = lanes
                after, count = {}, bin(mask).count("1")
                results = [sampled(picture, clamp, linear, p) for p in points]
                kept = [i for i in range(4) if mask >> i & 1]
                for n, i in enumerate(kept):
                    values = ["~%x" % f32_bits(r[i]) if linear else r[i] for r in results]
                    after["v%d" % (40 + n)] = under(before["exec"], values)
                file.case("image_sample %s, %s, s[12:19], s[20:23] dmask:0x%x%s" % (
                    names(40, count), ADDRESS, mask, " da" * ("layers" in kind)), before, after)


def gap_cases(file):
    file.comment("what the emulator does not know, and an image that is no more")
    picture = Picture("2d", 1, 32, FLOAT, [4, 4, 1], 4)
    words, one = dict(picture.words(), exec=FULL), {"v10": [0], "v11": [0]}
    tiled = dict(words, **{"s[14:15]": words["s[14:15]"] | 1 << 52})
    file.case("image_load v40, v10, s[12:19] dmask:0x1 unorm", dict(tiled, **one), {"fault": "gap"})
    sampler = {"s[20:21]": 4, "s[22:23]": 0}
    file.case("image_sample v40, v10, s[12:19], s[20:23] dmask:0x1", dict(words, **one, **sampler), {"fault": "gap"})
    file.case("image_store v40, v10, s[12:19] dmask:0x1 unorm",
              dict(Picture("2d", 1, 8, UNORM, [4, 4, 1], 4).words(), exec=FULL, **one), {"fault": "gap"})
    gone = dict(words, **{"s[12:13]": (4 << 20 | FLOAT << 26) << 32 | 0x123})
    file.case("image_load v40, v10, s[12:19] dmask:0x1 unorm", dict(gone, **one), {"fault": "address"})


def all_cases(file):
    load_cases(file)
    store_cases(file)
    sample_cases(file)
    gap_cases(file)
