"""Lane values at the boundaries of each operand type, in a fixed order.

Out: 64 bit patterns for a type and source position. Positions of one type are paired so that equal, opposite, huge, tiny and
special values meet; 16-bit types carry rubbish in the upper half of the register, which instructions must ignore.
"""

from casefile import LANES

# Zero, one, largest, infinity, NaN quiet and signalling, denormals, ties, values at conversion limits.
F32 = [0x00000000, 0x80000000, 0x3F800000, 0xBF800000, 0x3FC00000, 0x40200000, 0xC0200000, 0x3F000000,
       0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00001, 0xFFC12345, 0x7F800001, 0xFFA00000,
       0x00000001, 0x80000001, 0x007FFFFF, 0x00800000, 0x33800000, 0x3F800001, 0x4B000001, 0xCB000001,
       0x4EFFFFFF, 0x4F000000, 0xCF000000, 0x4F7FFFFF, 0x4F800000, 0x477FE000, 0x477FF000, 0x40490FDB]
F64 = [0x0000000000000000, 0x8000000000000000, 0x3FF0000000000000, 0xBFF0000000000000,
       0x3FF8000000000000, 0x4004000000000000, 0xC004000000000000, 0x3FE0000000000000,
       0x7FEFFFFFFFFFFFFF, 0xFFEFFFFFFFFFFFFF, 0x7FF0000000000000, 0xFFF0000000000000,
       0x7FF8000000000001, 0xFFF8123400000000, 0x7FF0000000000001, 0xFFF4000000000000,
       0x0000000000000001, 0x8000000000000001, 0x000FFFFFFFFFFFFF, 0x0010000000000000,
       0x3CA0000000000000, 0x3FF0000000000001, 0x4340000000000001, 0xC1E0000000100000,
       0x41DFFFFFFFC00000, 0x41E0000000000000, 0xC1E0000000000000, 0x41EFFFFFFFE00000,
       0x41F0000000000000, 0x47EFFFFFF0000000, 0x3FE00000000FFFFF, 0x400921FB54442D18]
F16 = [0x0000, 0x8000, 0x3C00, 0xBC00, 0x3E00, 0x4100, 0xC100, 0x3800, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00, 0x7E01, 0xFE12,
       0x7C01, 0xFD00, 0x0001, 0x8001, 0x03FF, 0x0400, 0x1400, 0x3C01, 0x6401, 0xE401, 0x77FF, 0x7800, 0xF800, 0x7BFE,
       0x3555, 0x2E66, 0x4248, 0xB800]
U32 = [0, 1, 2, 3, 0xFFFFFFFF, 0xFFFFFFFE, 0x80000000, 0x7FFFFFFF, 0x80000001, 0x0000FFFF, 0x00010000, 0xFFFF0000,
       0x00FF00FF, 0x12345678, 0xDEADBEEF, 0x55555555, 0xAAAAAAAA, 0x00800000, 0x00FFFFFF, 0x01000000, 0x7FFF8000,
       0x80007FFF, 31, 32, 33, 0x0F0F0F0F, 0x01010101, 0x80808080, 0x7F7F7F7F, 0xFF00FF00, 0x000000FF, 0x40000000]
U64 = [0, 1, 0xFFFFFFFFFFFFFFFF, 0x8000000000000000, 0x7FFFFFFFFFFFFFFF, 0x00000000FFFFFFFF, 0x0000000100000000,
       0xFFFFFFFF00000000, 0x0123456789ABCDEF, 0xFEDCBA9876543210, 0x8000000080000000, 0x7FFFFFFF80000000,
       0x5555555555555555, 0xAAAAAAAAAAAAAAAA, 0xFFFFFFFFFFFFFFFE, 2, 0x0000000080000000, 0xDEADBEEFCAFEF00D]
U16 = [0, 1, 2, 0xFFFF, 0xFFFE, 0x8000, 0x7FFF, 0x8001, 0x00FF, 0x0100, 0xFF00, 0x1234, 0xDEAD, 0x5555, 0xAAAA, 15, 16, 17,
       0x7FFE, 0x4000]
SHIFT = [0, 1, 31, 32, 33, 63, 64, 0xFFFFFFFF, 4, 15, 16, 17, 24, 5, 0x80000000, 8]
CLASSES = [1 << i for i in range(10)] + [0x3FF, 0, 0x1F8, 0x207, 0xFFFFFC00, 0x155, 0x2AA, 3]
EXPONENT = [0, 1, 0xFFFFFFFF, 127, 0xFFFFFF81, 0xFFFFFF6B, 2000, 0xFFFFF830, 24, 0xFFFFFFE8, 0x7FFFFFFF, 0x80000000, 10]
EXPONENT16 = [0, 1, 0xFFFF, 15, 0xFFF1, 0xFFE8, 40, 0xFFC0, 0x7FFF, 0x8000, 5]

BOUNDARIES = {"f32": F32, "f64": F64, "f16": F16, "u32": U32, "i32": U32, "u64": U64, "i64": U64, "u16": U16, "i16": U16,
              "shift": SHIFT, "class": CLASSES, "exponent": EXPONENT, "exponent16": EXPONENT16, "b32": U32}
BITS = {"f32": 32, "f64": 64, "f16": 16, "u32": 32, "i32": 32, "u64": 64, "i64": 64, "u16": 16, "i16": 16, "shift": 32,
        "class": 32, "exponent": 32, "exponent16": 16, "b32": 32}


def width(kind):
    """Registers of an operand of this kind."""
    return 2 if BITS[kind] == 64 else 1


def scramble(i, salt):
    """A well mixed 64-bit number (splitmix64)."""
    x = (i * 0x9E3779B97F4A7C15 + salt * 0xD1B54A32D192ED03 + 0x632BE59BD9B4E019) & (2**64 - 1)
    x = ((x ^ x >> 30) * 0xBF58476D1CE4E5B9) & (2**64 - 1)
    x = ((x ^ x >> 27) * 0x94D049BB133111EB) & (2**64 - 1)
    return x ^ x >> 31


def rubbish_above(kind, values, salt):
    """16-bit values get an arbitrary upper half."""
    if BITS[kind] != 16:
        return values
    return [v | (scramble(i, salt) & 0xFFFF) << 16 for i, v in enumerate(values)]


def boundary_lanes(kind, position):
    """Position 0 walks through the boundaries; 1 and 2 walk so that each meets itself and many others."""
    pool = BOUNDARIES[kind]
    n = len(pool)
    picks = []
    for lane in range(LANES):
        i = lane % n
        if position == 1:
            i = i if lane % 5 == 0 else scramble(lane, 1 + n) % n
        elif position == 2:
            i = i if lane % 7 == 0 else scramble(lane, 2 + n) % n
        picks.append(pool[i])
    return rubbish_above(kind, picks, position + 10)


def ordinary_lanes(kind, position):
    """Numbers of moderate size: where rounding, not overflow, decides. Integers are arbitrary."""
    picks = []
    for lane in range(LANES):
        r = scramble(lane, 100 + position)
        if kind == "f32":
            r = r & 0x807FFFFF | (120 + (r >> 32) % 16) << 23
        elif kind == "f64":
            r = r & 0x800FFFFFFFFFFFFF | (1016 + (r >> 52) % 16) << 52
        elif kind == "f16":
            r = r & 0x83FF | (12 + (r >> 32) % 6) << 10
        elif kind in ("shift", "class", "exponent", "exponent16"):
            r = r % 64
        picks.append(r & ((1 << BITS[kind]) - 1))
    return rubbish_above(kind, picks, position + 20)
