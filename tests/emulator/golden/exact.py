"""Exact IEEE 754 arithmetic on bit patterns, as the reference for floating-point instructions.

In: bits of a format ("f16", "f32", "f64"). Out: Float values that hold exact fractions, and their correctly rounded
(to nearest, ties to even; denormals kept) bits. Nothing here uses the host's floating point.
"""

from fractions import Fraction

FORMATS = {"f16": (5, 10), "f32": (8, 23), "f64": (11, 52)}  # exponent and fraction bits
NUMBER, INFINITE, QUIET, SIGNALLING = range(4)


class Float:
    """kind, sign (0 or 1) and, for numbers, the magnitude as a Fraction."""

    __slots__ = ("kind", "sign", "size")

    def __init__(self, kind, sign, size=Fraction(0)):
        self.kind, self.sign, self.size = kind, sign, Fraction(size)

    @property
    def nan(self):
        return self.kind in (QUIET, SIGNALLING)

    @property
    def value(self):
        """Signed Fraction; only numbers have one."""
        assert self.kind == NUMBER
        return -self.size if self.sign else self.size

    @property
    def zero(self):
        return self.kind == NUMBER and self.size == 0


NAN = Float(QUIET, 0)


def number(value, sign_of_zero=0):
    value = Fraction(value)
    return Float(NUMBER, int(value < 0) if value else sign_of_zero, abs(value))


def infinity(sign):
    return Float(INFINITE, sign)


def decode(bits, form):
    exponent_bits, fraction_bits = FORMATS[form]
    bias = (1 << (exponent_bits - 1)) - 1
    sign = bits >> (exponent_bits + fraction_bits) & 1
    exponent = bits >> fraction_bits & ((1 << exponent_bits) - 1)
    fraction = bits & ((1 << fraction_bits) - 1)
    if exponent == (1 << exponent_bits) - 1:
        if fraction == 0:
            return infinity(sign)
        return Float(QUIET if fraction >> (fraction_bits - 1) else SIGNALLING, sign)
    if exponent:
        fraction |= 1 << fraction_bits
    return Float(NUMBER, sign, Fraction(fraction) * Fraction(2) ** (max(exponent, 1) - bias - fraction_bits))


def floor_log2(size):
    estimate = size.numerator.bit_length() - size.denominator.bit_length()
    return estimate if Fraction(2) ** estimate <= size else estimate - 1


def nearest_even(size):
    whole = size.numerator // size.denominator
    rest = size - whole
    return whole + (rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole & 1))


def encode(x, form, rounding=nearest_even):
    """Bits of the value rounded to the format; "nan" for any NaN, as payloads of results are not specified."""
    exponent_bits, fraction_bits = FORMATS[form]
    bias = (1 << (exponent_bits - 1)) - 1
    sign = x.sign << (exponent_bits + fraction_bits)
    if x.nan:
        return "nan"
    if x.kind == INFINITE:
        return sign | ((1 << exponent_bits) - 1) << fraction_bits
    if x.zero:
        return sign
    exponent = max(floor_log2(x.size), 1 - bias)
    units = rounding(x.size / Fraction(2) ** (exponent - fraction_bits))
    bits = ((exponent + bias - 1) << fraction_bits) + units  # the hidden bit of normal numbers adds 1 to the exponent
    largest = ((1 << exponent_bits) - 1) << fraction_bits
    if bits >= largest:
        bits = largest if rounding is nearest_even or rounding(Fraction(1, 2)) else largest - 1
    return sign | bits


def rounded(x, form):
    bits = encode(x, form)
    return NAN if bits == "nan" else decode(bits, form)


def negate(x):
    return Float(x.kind, 1 - x.sign, x.size)


def magnitude(x):
    return Float(x.kind, 0, x.size)


def add(x, y):
    if x.nan or y.nan:
        return NAN
    if x.kind == INFINITE:
        return NAN if y.kind == INFINITE and x.sign != y.sign else x
    if y.kind == INFINITE:
        return y
    return number(x.value + y.value, x.sign & y.sign)


def multiply(x, y):
    if x.nan or y.nan:
        return NAN
    sign = x.sign ^ y.sign
    if INFINITE in (x.kind, y.kind):
        return NAN if x.zero or y.zero else infinity(sign)
    return Float(NUMBER, sign, x.size * y.size)


def fused(x, y, z):
    return add(multiply(x, y), z)


def divide(x, y):
    if x.nan or y.nan or (x.zero and y.zero) or (x.kind == INFINITE and y.kind == INFINITE):
        return NAN
    sign = x.sign ^ y.sign
    if x.kind == INFINITE or y.zero:
        return infinity(sign)
    if y.kind == INFINITE:
        return Float(NUMBER, sign)
    return Float(NUMBER, sign, x.size / y.size)


def square_root(x, form):
    """To 64 bits beyond the format, with a sticky bit: rounding it to the format is exact."""
    if x.nan or (x.sign and not x.zero):
        return NAN
    if x.kind == INFINITE or x.zero:
        return x
    scale = 2 * (FORMATS[form][1] + 64) - floor_log2(x.size)
    scale += scale & 1
    scaled = x.size * Fraction(2) ** scale
    whole = scaled.numerator // scaled.denominator
    from math import isqrt
    root = isqrt(whole)
    sticky = Fraction(1, 2) if root * root != scaled else 0
    return Float(NUMBER, 0, (root + sticky) / Fraction(2) ** (scale // 2))


def compare(x, y):
    """-1, 0, 1, or None if unordered."""
    if x.nan or y.nan:
        return None
    key = [0 if v.zero else (-1 if v.sign else 1) * (10**1000 if v.kind == INFINITE else v.size) for v in (x, y)]
    return (key[0] > key[1]) - (key[0] < key[1])


def smaller(x, y, larger=False):
    """v_min / v_max with IEEE_MODE: a signalling NaN gives NaN, a quiet one loses, -0 is below +0."""
    if SIGNALLING in (x.kind, y.kind) or (x.nan and y.nan):
        return NAN
    if x.nan or y.nan:
        return y if x.nan else x
    order = compare(x, y) or y.sign - x.sign
    return x if (order > 0) == larger else y


def larger(x, y):
    return smaller(x, y, larger=True)


def to_integral(x, how):
    """Rounds to a whole number; the sign survives a result of zero."""
    if x.kind != NUMBER:
        return x
    value = x.value
    down = value.numerator // value.denominator
    whole = {
        "floor": down,
        "ceil": down + (value != down),
        "trunc": down + (value != down and value < 0),
        "nearest": (-1 if x.sign else 1) * nearest_even(x.size),
    }[how]
    return number(whole, x.sign)


def to_integer(x, low, high, how="trunc"):
    """Saturating conversion; NaN becomes 0."""
    if x.nan:
        return 0
    if x.kind == INFINITE:
        return low if x.sign else high
    return min(max(int(to_integral(x, how).value), low), high)


def scale(x, exponent):
    return Float(x.kind, x.sign, x.size * Fraction(2) ** exponent) if x.kind == NUMBER else x


def exponent_field(bits, form):
    exponent_bits, fraction_bits = FORMATS[form]
    return bits >> fraction_bits & ((1 << exponent_bits) - 1)


def flushed(x, form):
    """Zero in the place of a denormal."""
    return Float(NUMBER, x.sign, Fraction(0)) if denormal(x, form) else x


def denormal(x, form):
    """Nonzero and below the smallest normal number, before rounding."""
    return x.kind == NUMBER and x.size != 0 and x.size < Fraction(2) ** (2 - (1 << (FORMATS[form][0] - 1)))
