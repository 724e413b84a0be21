"""Reference model of the vector ALU (VOP1, VOP2, VOP3): one entry per instruction.

An entry maps exact operands to the exact result. Operand kinds choose how bits are read (u: unsigned, i: signed, f:
exact.Float, b: bits) and which boundary values are tried. Meaning: CDNA2 ISA guide, chapter 12.
"""

from fractions import Fraction
from math import copysign, exp2, floor, log2, pi

import exact
from exact import (NAN, Float, decode, divide, encode, fused, infinity, larger, multiply, number, rounded, scale,
                   smaller, to_integer)
from values import BITS

M32 = 0xFFFFFFFF


def signed(value, bits):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def read(kind, bits):
    """The value of an operand from the bits of its register(s)."""
    bits &= (1 << BITS[kind]) - 1
    if kind[0] == "f":
        return decode(bits, kind)
    if kind[0] == "i" or kind.startswith("exponent"):
        return signed(bits, BITS[kind])
    return bits


def write(kind, result):
    """Register bits of a result: an int, a Float, or a ready text such as "~3f800000"."""
    if isinstance(result, str):
        return result
    if isinstance(result, Float):
        bits = encode(result, kind)
        return "nan16" if bits == "nan" and kind == "f16" else bits
    return result & ((1 << BITS[kind]) - 1)


def clamp(value, low, high):
    return min(max(value, low), high)


def bytes_of(value):
    return [value >> s & 0xFF for s in (0, 8, 16, 24)]


def from_bytes(parts):
    return sum(b << 8 * i for i, b in enumerate(parts))


def median(a, b, c):
    return sorted((a, b, c))[1]


def float_median(a, b, c):
    if a.nan or b.nan or c.nan:
        return smaller(smaller(a, b), c)
    return larger(smaller(a, b), smaller(larger(a, b), c))


def legacy_product(a, b):
    return number(0) if a.zero or b.zero else multiply(a, b)


def leading_equal_bits(value, bits):
    """Length of the run of bits equal to the sign from the top; -1 if all are equal."""
    text = format(value & ((1 << bits) - 1), "0%db" % bits)
    run = len(text) - len(text.lstrip(text[0]))
    return -1 if run == bits else run


def find_first(text, digit):
    return text.find(digit)


def binary(value, bits=32):
    return format(value & ((1 << bits) - 1), "0%db" % bits)


def permute(a, b, selector):
    pool = bytes_of(b) + bytes_of(a)

    def pick(s):
        if s <= 7:
            return pool[s]
        if s <= 11:
            return 0xFF if pool[2 * (s - 8) + 1] & 0x80 else 0
        return 0 if s == 12 else 0xFF

    return from_bytes([pick(s) for s in bytes_of(selector)])


def bit_field(value, offset, width):
    """value is a Python integer, so a signed one extends without end."""
    return value >> offset & ((1 << width) - 1)


def fraction_part(x, form):
    if x.kind != exact.NUMBER:
        return NAN
    below_one = Fraction(1) - Fraction(1, 2 ** (exact.FORMATS[form][1] + 1))
    part = rounded(number(x.value - floor(x.value)), form)
    return number(min(part.value, below_one))


def mantissa(x):
    if x.kind != exact.NUMBER or x.zero:
        return x
    return Float(exact.NUMBER, x.sign, x.size / Fraction(2) ** (exact.floor_log2(x.size) + 1))


def exponent(x):
    return exact.floor_log2(x.size) + 1 if x.kind == exact.NUMBER and x.size else 0


def approximately(function, form, accepts=lambda x: True, flushes=False):
    """Transcendental functions are compared within 1 unit in the last place; None where the value is not specified."""

    def result(x):
        if x.nan:
            return NAN
        if flushes:
            x = exact.flushed(x, form)
        if exact.denormal(x, form) and form != "f16":
            return None
        value = copysign(float(x.size) if x.kind == exact.NUMBER else float("inf"), -x.sign or 1)
        if not accepts(value):
            return None
        y = function(value)
        if y != y:
            return NAN
        if y in (float("inf"), float("-inf")):
            return infinity(int(y < 0))
        rounded_y = number(Fraction(y), int(str(y).startswith("-")))
        if flushes:
            rounded_y = exact.flushed(rounded_y, form)
        if exact.denormal(rounded_y, form) and form != "f16":
            return None
        return ("~16:" if form == "f16" else "~") + "%x" % encode(rounded_y, form)

    return result


def exponential(x):
    return exp2(x) if x < 1024 else float("inf")


def logarithm(x):
    if x == 0:
        return float("-inf")
    return log2(x) if x > 0 else float("nan")


def reciprocal_root(x):
    if x == 0:
        return float("-inf") if str(x)[0] == "-" else float("inf")
    return x ** -0.5 if x > 0 else float("nan")


def turns(function):
    return lambda x: function(2 * pi * (x - round(x)))


def near_zero_turns(x):
    return abs(x) <= 256 and abs(x * 4 - round(x * 4)) > 1e-3  # elsewhere the argument's rounding decides


def truncated_f16(x):
    bits = encode(x, "f16", rounding=lambda size: size.numerator // size.denominator)
    return 0x7E00 if bits == "nan" else bits


def normalise(x, limit, low):
    """Rounded to nearest; how ties round is not specified: None."""
    if x.nan:
        return 0
    if x.kind == exact.INFINITE:
        return low * limit if x.sign else limit
    value = clamp(x.value, low, 1) * limit
    return None if (2 * value) % 2 == 1 else floor(value + Fraction(1, 2))


def normalised_pair(limit, low):
    def result(a, b):
        pair = normalise(a, limit, low), normalise(b, limit, low)
        return None if None in pair else pair[0] & 0xFFFF | (pair[1] & 0xFFFF) << 16

    return result


def byte_of_float(x):
    """Saturating; how a fraction rounds is not specified: None."""
    if x.kind == exact.NUMBER and 0 < x.value < 255 and x.value.denominator != 1:
        return None
    return to_integer(x, 0, 255)


def pack_byte(a, b, c):
    byte = byte_of_float(a)
    shift = 8 * (b & 3)
    return None if byte is None else c & ~(0xFF << shift) | byte << shift


def arctan_inverse(n, bits):
    """atan(1/n) scaled by 2^bits (Taylor series)."""
    total, term, k = 0, (1 << bits) // n, 1
    while term:
        total += term // k if k % 4 == 1 else -(term // k)
        term //= n * n
        k += 2
    return total


PI_BITS = 1400
PI = 4 * (4 * arctan_inverse(5, PI_BITS) - arctan_inverse(239, PI_BITS))  # Machin's formula
TWO_OVER_PI = (2 << (1201 + PI_BITS)) // PI  # 1201 bits behind the binary point


def pi_segment(bits, segment):
    """53 bits of 2/pi from bit 53 * segment on, later for arguments of 2^54 and above."""
    exponent_bits = exact.exponent_field(bits, "f64")
    shift = 53 * (segment & 31) + max(exponent_bits - 1077, 0)
    part = TWO_OVER_PI << shift >> (1201 - 53) & ((1 << 53) - 1)
    return scale(number(part), -53 - shift + (128 if exponent_bits >= 1968 else 0))


def division_scale(form, near_overflow, tiny, step):
    """v_div_scale: (result, VCC bit) from the bits of value, denominator, numerator. CDNA2 ISA guide, V_DIV_SCALE."""

    def result(s0, s1, s2):
        value, denominator, numerator = (decode(s, form) for s in (s0, s1, s2))
        if denominator.nan or numerator.nan or exact.INFINITE in (denominator.kind, numerator.kind):
            return None  # the scaled value is thrown away by v_div_fixup
        if denominator.zero or numerator.zero:
            return NAN, 0
        fields = [exact.exponent_field(s, form) for s in (s0, s1, s2)]
        if fields[2] - fields[1] >= near_overflow:
            return (scale(value, step) if s0 == s1 else value), 1
        if exact.denormal(denominator, form):
            return scale(value, step), 0
        inverse_tiny = exact.denormal(divide(number(1), denominator), form)
        quotient = divide(numerator, denominator)
        quotient_tiny = exact.denormal(quotient, form)
        if quotient_tiny and rounded(quotient, form).zero:
            return None  # v_div_fixup makes it 0
        if inverse_tiny and quotient_tiny:
            return None  # covered by the division kernels
        if inverse_tiny:
            return scale(value, -step), 0
        if quotient_tiny:
            return (scale(value, step) if s0 == s2 else value), 1
        return (scale(value, step) if fields[2] <= tiny else value), 0

    return result


def division_fixup(form, underflow):
    bias_field = (1 << exact.FORMATS[form][0]) - 1

    def result(s0, s1, s2):
        quotient, denominator, numerator = (decode(s, form) for s in (s0, s1, s2))
        sign = denominator.sign ^ numerator.sign
        if numerator.nan or denominator.nan:
            return NAN
        if (denominator.zero and numerator.zero) or denominator.kind == numerator.kind == exact.INFINITE:
            return NAN
        if denominator.zero or numerator.kind == exact.INFINITE:
            return infinity(sign)
        if numerator.zero or denominator.kind == exact.INFINITE:
            return Float(exact.NUMBER, sign)
        fields = [exact.exponent_field(s, form) for s in (s1, s2)]
        if fields[1] - fields[0] < underflow:
            return Float(exact.NUMBER, sign)
        assert fields[0] != bias_field
        return infinity(sign) if quotient.nan else Float(quotient.kind, sign, quotient.size)  # NaN: the iteration overflowed

    return result


def division_fmas(form, step):
    middle = (1 << (exact.FORMATS[form][0] - 1)) - 1

    def result(s0, s1, s2, scaled):
        total = fused(*(decode(s, form) for s in (s0, s1, s2)))  # rounded once, after scaling
        if not scaled:
            return total
        return scale(total, step if exact.exponent_field(s2, form) > middle else -step)

    return result
