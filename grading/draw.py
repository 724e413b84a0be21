"""Draws what a grade needs by chance: sizes that a learner cannot know. The same seed draws the same on every machine.

In:  a seed, a whole number below 2^64; ranges.
Out: whole numbers out of the ranges, one after the other.
"""
import random

MASK = 2**64 - 1
SEED_BITS = 48  # short enough to be typed; too many for a kernel to try them all and so to know its input


def splitmix64(counter):
    """common/random.h has the same function and its source; Python's own random numbers may change with its version."""
    x = counter * 0x9E3779B97F4A7C15 & MASK
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK
    return x ^ x >> 31


class Draw:
    def __init__(self, seed):
        self.state = splitmix64(seed)

    def whole(self, least, most):
        self.state = (self.state + 1) & MASK
        return least + splitmix64(self.state) % (most - least + 1)


def fresh_seed():
    return random.SystemRandom().getrandbits(SEED_BITS)


def fresh_size(wanted, draw):
    """Unequal nx, ny, nz out of the ranges, none a multiple of its block (of 2 where the block is 1); but with tiles, ny
    is a multiple of block.y * m, for whole tiles are all that the kernel promises. With a window, nz is no multiple of
    it."""
    threads = [max(2, int(n)) for n in wanted["block"].split("x")]
    threads[2] = wanted.get("window", threads[2])
    tile = int(wanted["block"].split("x")[1]) * wanted["m"] if "m" in wanted else 0
    while True:
        size = [draw.whole(*wanted[direction]) for direction in ("nx", "ny", "nz")]
        if tile:
            size[1] -= size[1] % tile
        rest = [n % t != 0 for n, t in zip(size, threads)]
        if len(set(size)) == 3 and rest[0] and rest[2] and (tile or rest[1]) and size[1] >= wanted["ny"][0]:
            return size
