"""Reference model and golden cases of samples that choose a level of a mipmap: gfx908 has them, gfx90a and gfx942 have not.
What else is gfx908's own, how sums of its matrices round, is gfx908_matrix.py's.

Level i has half the extent of level i - 1, at least one element, and stands behind it; its rows begin 256 bytes apart, or a
multiple. A level between two is mixed of both. What a sample of one level is, image.py says. Meaning: Vega ISA, "Image
sampler" (MIN_LOD, MAX_LOD, LOD_BIAS, MIP_FILTER).
"""

import math

import gfx908_matrix
import image
from casefile import LANES, under
from image import AXES, CLAMPS, f32_bits
from values import scramble
from vector_cases import HOLES

FIRST, NEAREST, BETWEEN = 0, 1, 2  # MIP_FILTER
SHAPES = {"1d": (64, 1, 1), "2d": (8, 4, 1), "3d": (8, 4, 2), "2d layers": (8, 4, 2)}


class Level(image.Picture):
    def __init__(self, kind, number, extent, base):
        size = 2
        super().__init__(kind, 1, 8 * size, number, extent, -(-extent[0] * size // 256) * 256 // size)
        self.base, self.size = base, self.pitch * size * extent[1] * extent[2]

    def place(self, at):
        return super().place(at) - image.PLACE + self.base


def levels_of(kind, number, count):
    found, extent, base = [], list(SHAPES[kind]), image.PLACE
    for _ in range(count):
        found.append(Level(kind, number, extent, base))
        base += found[-1].size
        extent = [n if axis == 2 and "layers" in kind else max(n // 2, 1) for axis, n in enumerate(extent)]
    return found


def state(levels, clamp, linear, levels_filter, bias, least, most):
    before = levels[0].words()
    before["s[14:15]"] |= len(levels) - 1 << 48
    before["s[20:21]"] = clamp * 0o111 | (int(least * 256) | int(most * 256) << 12) << 32
    before["s[22:23]"] = int(bias * 256) & 0x3FFF | linear * 5 << 20 | levels_filter << 26
    return before


def numbers(level, clamp, linear, point):
    """The four channels of a sample of one level."""
    if linear:
        return image.sampled(level, clamp, True, point)
    at = [image.inside(math.floor(p), n, clamp) for p, n in zip(point, level.extent)]
    raw = level.raw(at) or [0]
    return [level.fraction(raw[s - 4]) if s >= 4 else s for s in level.select()]


def mixed(levels, clamp, linear, levels_filter, asked, place):
    """place: along each axis as a part of the extent, of layers which one."""
    def one(number):
        level = levels[number]
        layered = "layers" in level.kind
        return numbers(level, clamp, linear, [p if axis == 2 and layered else p * n
                                              for axis, (p, n) in enumerate(zip(place, level.extent))])

    if levels_filter == FIRST:
        return one(0)
    if levels_filter == NEAREST:
        return one(math.floor(asked + 0.5))
    lower = math.floor(asked)
    share = asked - lower
    return [a * (1 - share) + (b * share if share else 0) for a, b in zip(one(lower), one(min(lower + 1, len(levels) - 1)))]


def places(kind):
    """Where the lanes look, in 256ths of the extent, and what stands in their registers."""
    at = [[0.5 if axis in AXES[kind] else 0.0 for axis in range(3)] for _ in range(LANES)]
    given = []
    for axis in AXES[kind]:
        lanes = []
        for lane in range(LANES):
            if axis == 2 and "layers" in kind:
                value = lane % SHAPES[kind][2]
            else:
                value = (scramble(lane, 70 + axis) % 384 - 64) / 256
            at[lane][axis] = value
            lanes.append(f32_bits(value))
        given.append(lanes)
    return at, given


def put(file, mnemonic, kind, before, registers_, expected, number):
    before = dict(before, exec=HOLES[number % len(HOLES)])
    for n, lanes in enumerate(registers_):
        before["v%d" % (10 + n)] = lanes
    after = {"v%d" % (40 + i): under(before["exec"], ["~%x" % f32_bits(e[i]) for e in expected]) for i in range(4)}
    address = "v[10:11]" if mnemonic.endswith("_d") else "v10"  # as LLVM's disassembler has it
    layers = " da" * ("layers" in kind)
    file.case("%s v[40:43], %s, s[12:19], s[20:23] dmask:0xf%s" % (mnemonic, address, layers), before, after)


def clamped(value, bias, least, most, count):
    return min(max(value + bias, least), most, count - 1)


def level_cases(file):
    file.comment("a level that is asked for: filters within levels and between them, bias and limits")
    number = 0
    for kind in SHAPES:
        for linear in (False, True):
            for levels_filter in (FIRST, NEAREST, BETWEEN):
                number += 1
                clamp = CLAMPS[number % 4]
                bias, least, most = [(0, 0, 14), (0.75, 0.5, 14), (-1.25, 0, 1.5)][number % 3]
                levels = levels_of(kind, image.UNORM, 3 if kind != "1d" else 5)
                at, registers_ = places(kind)
                asked = [(scramble(lane, 90 + number) % 64 - 12) / 8 + 1 / 16 for lane in range(LANES)]
                expected = [mixed(levels, clamp, linear, levels_filter, clamped(a, bias, least, most, len(levels)), p)
                            for a, p in zip(asked, at)]
                put(file, "image_sample_l", kind, state(levels, clamp, linear, levels_filter, bias, least, most),
                    registers_ + [[f32_bits(a) for a in asked]], expected, number)


def first_cases(file):
    file.comment("the first level, whatever the sampler says of levels")
    for number, kind in enumerate(SHAPES):
        levels = levels_of(kind, image.UNORM, 3)
        at, registers_ = places(kind)
        put(file, "image_sample_lz", kind, state(levels, image.WRAP, number % 2, BETWEEN, 1, 1, 2), registers_,
            [numbers(levels[0], image.WRAP, number % 2, [p if axis == 2 and "layers" in kind else p * n for axis, (p, n)
                                                         in enumerate(zip(place, levels[0].extent))]) for place in at],
            number)


def gradient_cases(file):
    file.comment("the level at which neighbours are one texel apart: of powers of two exact, of slanted ones the nearest")
    for number, kind in enumerate(SHAPES):
        for levels_filter in (NEAREST, BETWEEN):
            levels = levels_of(kind, image.UNORM, 3)
            axes = [axis for axis in AXES[kind] if axis != 2 or kind == "3d"]
            at, registers_ = places(kind)
            gradients, asked = [[0.0] * LANES for _ in range(2 * len(axes))], []
            for lane in range(LANES):
                texels = 2.0 ** (lane % 5 - 1) * (1.3 if levels_filter == NEAREST else 1)
                main, neighbour = lane // 5 % len(axes), lane // 3 % 2
                steps = [[texels / 8] * len(axes), [texels / 8] * len(axes)]
                if levels_filter == BETWEEN:
                    steps = [[0.0] * len(axes), [0.0] * len(axes)]
                    steps[1 - neighbour][0] = texels / 4
                steps[neighbour][main] = -texels if lane % 2 else texels
                asked.append(math.log2(max(math.hypot(*step) for step in steps)))
                for i in range(2):
                    for j, axis in enumerate(axes):
                        gradients[i * len(axes) + j][lane] = f32_bits(steps[i][j] / levels[0].extent[axis])
            expected = [mixed(levels, image.EDGE, True, levels_filter, clamped(a, 0, 0, 14, 3), p)
                        for a, p in zip(asked, at)]
            put(file, "image_sample_d", kind, state(levels, image.EDGE, True, levels_filter, 0, 0, 14),
                gradients + registers_, expected, number)


def all_cases(file):
    for cases in (level_cases, first_cases, gradient_cases, gfx908_matrix.all_cases):
        cases(file)
