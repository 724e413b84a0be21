"""The vector ALU instructions: encoding, operand kinds and reference function of each.

A row is (mnemonic, encoding, destination kind, source kinds, function). Encodings: vop1, vop2, vop3. A function takes the
values of the sources as vector.read gives them and returns what vector.write takes, or None where the result is not
specified. Rows that are not at full rate say how many quad-cycles they take. Durations: LLVM's scheduling models, as `llvm-
mca -mtriple=amdgcn -mcpu=gfx90a -instruction-info` prints them (latency); of 32-bit integer products -mcpu=gfx908, see
instructions_vector.def.
"""

import operator
from fractions import Fraction

import exact
from casefile import QUAD_CYCLES
from exact import (add, divide, fused, larger, multiply, negate, number, rounded, scale, smaller, square_root,
                   to_integer, to_integral)
from vector import (M32, approximately, binary, bit_field, bytes_of, clamp, exponent, exponential, find_first,
                    float_median, fraction_part, from_bytes, leading_equal_bits, legacy_product, logarithm, mantissa,
                    median, near_zero_turns, normalise, normalised_pair, pack_byte, permute, reciprocal_root, signed,
                    truncated_f16, turns)
from math import cos, sin

ROWS = []


def row(mnemonic, encoding, kinds, function):
    destination, *sources = kinds.split()
    ROWS.append((mnemonic, encoding, destination, sources, function))


def rows(encoding, kinds, quad_cycles=1, **functions):
    for mnemonic, function in functions.items():
        row(mnemonic, encoding, kinds, function)
        QUAD_CYCLES[mnemonic] = quad_cycles


def subtract(a, b):
    return add(a, negate(b))


def reverse(function):
    return lambda a, b: function(b, a)


def twice_rounded(form):
    """a * b + c with the product rounded first. On f32 the hardware flushes denormals, of a product perhaps, too."""

    def result(a, b, c):
        if form == "f32":
            a, b, c = (exact.flushed(x, form) for x in (a, b, c))
        product = rounded(multiply(a, b), form)
        total = rounded(add(product, c), form)
        if form == "f32" and exact.denormal(product, form):
            return None
        return exact.flushed(total, form) if form == "f32" else total

    return result


def legacy_twice_rounded(a, b, c):
    a, b, c = (exact.flushed(x, "f32") for x in (a, b, c))
    product = rounded(legacy_product(a, b), "f32")
    total = rounded(add(product, c), "f32")
    return None if exact.denormal(product, "f32") else exact.flushed(total, "f32")


def i24(value):
    return signed(value, 24)


def u24(value):
    return value & 0xFFFFFF


def sum_of_differences(a, b):
    return sum(abs(x - y) for x, y in zip(bytes_of(a), bytes_of(b)))


def four_sums(difference):
    def result(a, b, c):
        sums = [sum(difference(x, y) for x, y in zip(bytes_of(a >> 8 * i), bytes_of(b))) + (c >> 16 * i) for i in range(4)]
        return sum((s & 0xFFFF) << 16 * i for i, s in enumerate(sums))

    return result


def cube(along_x, along_y, along_z, backwards=None, flips=""):
    """What the face gives whose axis is the longest, z before y before x; on the negative side `backwards` is added, or the
    result has the other sign on the axes of `flips`."""

    def at_least(a, b):
        order = exact.compare(exact.magnitude(a), exact.magnitude(b))
        return order is not None and order >= 0

    def result(x, y, z):
        axis = "z" if at_least(z, x) and at_least(z, y) else "y" if at_least(y, x) else "x"
        longest, function = {"x": (x, along_x), "y": (y, along_y), "z": (z, along_z)}[axis]
        found = function(x, y, z)
        negative = longest.sign and not longest.zero and not longest.nan
        if negative and backwards:
            return add(found, backwards)
        return negate(found) if negative and axis in flips else found

    return result


def shift(function, mask):
    return lambda count, value: function(value, count & mask)


# Moves and bits
rows("vop1", "u32 u32", v_mov_b32=lambda a: a, v_not_b32=lambda a: ~a, v_bfrev_b32=lambda a: int(binary(a)[::-1], 2),
     v_ffbh_u32=lambda a: find_first(binary(a), "1"), v_ffbl_b32=lambda a: find_first(binary(a)[::-1], "1"))
rows("vop1", "u32 i32", v_ffbh_i32=lambda a: leading_equal_bits(a, 32))
rows("vop2", "u32 u32 u32", v_and_b32=operator.and_, v_or_b32=operator.or_, v_xor_b32=operator.xor,
     v_xnor_b32=lambda a, b: ~(a ^ b))
rows("vop2", "u32 shift u32", v_lshlrev_b32=shift(operator.lshift, 31), v_lshrrev_b32=shift(operator.rshift, 31))
rows("vop2", "i32 shift i32", v_ashrrev_i32=shift(operator.rshift, 31))
rows("vop3", "u64 shift u64", v_lshlrev_b64=shift(operator.lshift, 63), v_lshrrev_b64=shift(operator.rshift, 63))
rows("vop3", "i64 shift i64", v_ashrrev_i64=shift(operator.rshift, 63))
rows("vop2", "u16 u16 u16", v_lshlrev_b16=shift(operator.lshift, 15), v_lshrrev_b16=shift(operator.rshift, 15))
rows("vop2", "i16 u16 i16", v_ashrrev_i16=shift(operator.rshift, 15))
rows("vop3", "u32 u32 u32 u32", v_and_or_b32=lambda a, b, c: a & b | c, v_or3_b32=lambda a, b, c: a | b | c,
     v_bfi_b32=lambda a, b, c: a & b | ~a & c, v_perm_b32=permute,
     v_lerp_u8=lambda a, b, c: from_bytes([(x + y + (z & 1)) >> 1 for x, y, z in zip(*map(bytes_of, (a, b, c)))]))
rows("vop3", "u32 u32 shift u32", v_lshl_or_b32=lambda a, b, c: a << (b & 31) | c,
     v_lshl_add_u32=lambda a, b, c: (a << (b & 31)) + c)
rows("vop3", "u32 u32 u32 shift", v_add_lshl_u32=lambda a, b, c: a + b << (c & 31),
     v_alignbit_b32=lambda a, b, c: (a << 32 | b) >> (c & 31), v_alignbyte_b32=lambda a, b, c: (a << 32 | b) >> 8 * (c & 3))
rows("vop3", "u32 u32 shift shift", v_bfe_u32=lambda a, b, c: bit_field(a, b & 31, c & 31))
rows("vop3", "i32 i32 shift shift",
     v_bfe_i32=lambda a, b, c: signed(bit_field(a, b & 31, c & 31), c & 31) if c & 31 else 0)
rows("vop3", "u32 shift shift", v_bfm_b32=lambda a, b: ((1 << (a & 31)) - 1) << (b & 31))
rows("vop3", "u32 u32 u32", v_bcnt_u32_b32=lambda a, b: bin(a).count("1") + b)

# Integer addition and subtraction
for suffix in ("u32", "u16"):
    rows("vop2", " ".join([suffix] * 3), **{"v_add_" + suffix: operator.add, "v_sub_" + suffix: operator.sub,
                                            "v_subrev_" + suffix: reverse(operator.sub)})
for suffix in ("i32", "i16"):
    rows("vop3", " ".join([suffix] * 3), **{"v_add_" + suffix: operator.add, "v_sub_" + suffix: operator.sub})
rows("vop3", "u32 u32 u32 u32", v_add3_u32=lambda a, b, c: a + b + c, v_xad_u32=lambda a, b, c: (a ^ b) + c,
     v_sad_u8=lambda a, b, c: sum_of_differences(a, b) + c, v_sad_hi_u8=lambda a, b, c: (sum_of_differences(a, b) << 16) + c,
     v_sad_u16=lambda a, b, c: abs((a & 0xFFFF) - (b & 0xFFFF)) + abs((a >> 16) - (b >> 16)) + c,
     v_sad_u32=lambda a, b, c: abs(a - b) + c,
     v_msad_u8=lambda a, b, c: sum(abs(x - y) for x, y in zip(bytes_of(a), bytes_of(b)) if y) + c)

# Integer multiplication
rows("vop3", "u32 u32 u32", 4, v_mul_lo_u32=operator.mul, v_mul_hi_u32=lambda a, b: a * b >> 32)
rows("vop3", "i32 i32 i32", 4, v_mul_hi_i32=lambda a, b: a * b >> 32)
rows("vop2", "u32 u32 u32", v_mul_u32_u24=lambda a, b: u24(a) * u24(b), v_mul_hi_u32_u24=lambda a, b: u24(a) * u24(b) >> 32)
rows("vop2", "i32 u32 u32", v_mul_i32_i24=lambda a, b: i24(a) * i24(b), v_mul_hi_i32_i24=lambda a, b: i24(a) * i24(b) >> 32)
rows("vop3", "u32 u32 u32 u32", v_mad_u32_u24=lambda a, b, c: u24(a) * u24(b) + c)
rows("vop3", "i32 u32 u32 i32", v_mad_i32_i24=lambda a, b, c: i24(a) * i24(b) + c)
rows("vop3", "u32 u16 u16 u32", v_mad_u32_u16=lambda a, b, c: a * b + c)
rows("vop3", "i32 i16 i16 i32", v_mad_i32_i16=lambda a, b, c: a * b + c)
rows("vop2", "u16 u16 u16", v_mul_lo_u16=operator.mul)
rows("vop3", "u16 u16 u16 u16", v_mad_u16=lambda a, b, c: a * b + c, v_mad_legacy_u16=lambda a, b, c: a * b + c)
rows("vop3", "i16 i16 i16 i16", v_mad_i16=lambda a, b, c: a * b + c, v_mad_legacy_i16=lambda a, b, c: a * b + c)

# Integer minimum, maximum, median
for kind in ("u32", "i32", "u16", "i16"):
    rows("vop2", " ".join([kind] * 3), **{"v_min_" + kind: min, "v_max_" + kind: max})
    rows("vop3", " ".join([kind] * 4), **{"v_min3_" + kind: min, "v_max3_" + kind: max, "v_med3_" + kind: median})

# Floating point
for form in ("f16", "f32"):
    rows("vop2", " ".join([form] * 3), **{"v_add_" + form: add, "v_sub_" + form: subtract,
                                          "v_subrev_" + form: reverse(subtract), "v_mul_" + form: multiply,
                                          "v_min_" + form: smaller, "v_max_" + form: larger})
    rows("vop3", " ".join([form] * 4), **{
        "v_fma_" + form: fused, "v_mad_" + form: twice_rounded(form),
        "v_min3_" + form: lambda a, b, c: smaller(smaller(a, b), c),
        "v_max3_" + form: lambda a, b, c: larger(larger(a, b), c), "v_med3_" + form: float_median})
rows("vop3", "f32 f32 f32", v_mul_legacy_f32=legacy_product)
rows("vop3", "f32 f32 f32 f32", v_mad_legacy_f32=legacy_twice_rounded)
rows("vop3", "f16 f16 f16 f16", v_fma_legacy_f16=fused, v_mad_legacy_f16=twice_rounded("f16"))
rows("vop3", "f64 f64 f64", v_add_f64=add, v_mul_f64=multiply, v_min_f64=smaller, v_max_f64=larger)
rows("vop3", "f64 f64 f64 f64", v_fma_f64=fused)
for form in ("f16", "f32", "f64"):
    rows("vop1", "%s %s" % (form, form), **{
        "v_trunc_" + form: lambda a: to_integral(a, "trunc"), "v_ceil_" + form: lambda a: to_integral(a, "ceil"),
        "v_rndne_" + form: lambda a: to_integral(a, "nearest"), "v_floor_" + form: lambda a: to_integral(a, "floor"),
        "v_fract_" + form: lambda a, form=form: fraction_part(a, form), "v_frexp_mant_" + form: mantissa})
    short = form == "f16"
    rows("vop2" if short else "vop3", "%s %s %s" % (form, form, "exponent16" if short else "exponent"),
         **{"v_ldexp_" + form: lambda a, b: scale(a, clamp(b, -4000, 4000))})
rows("vop1", "i32 f32", v_frexp_exp_i32_f32=exponent)
rows("vop1", "i32 f64", v_frexp_exp_i32_f64=exponent)
rows("vop1", "i16 f16", v_frexp_exp_i16_f16=exponent)

# Transcendental functions. Reciprocal and square root are correctly rounded, the others within 1 ulp.
for form in ("f32", "f64", "f16"):
    def inverse(a, form=form):
        if form == "f32":
            return exact.flushed(divide(number(1), exact.flushed(a, form)), form)
        result = divide(number(1), a)
        return None if form == "f64" and (exact.denormal(a, form) or exact.denormal(result, form)) else result

    def root(a, form=form):
        if form == "f32":
            a = exact.flushed(a, form)
        return None if form == "f64" and exact.denormal(a, form) else square_root(a, form)

    rows("vop1", "%s %s" % (form, form), 4, **{"v_rcp_" + form: inverse, "v_sqrt_" + form: root,
                                               "v_rsq_" + form: approximately(reciprocal_root, form, flushes=form == "f32")})
    if form == "f32":
        rows("vop1", "f32 f32", 4, v_rcp_iflag_f32=inverse, v_exp_legacy_f32=approximately(exponential, form, flushes=True),
             v_log_legacy_f32=approximately(logarithm, form, flushes=True))
    if form != "f64":
        rows("vop1", "%s %s" % (form, form), 4, **{
            "v_exp_" + form: approximately(exponential, form, flushes=form == "f32"),
            "v_log_" + form: approximately(logarithm, form, flushes=form == "f32"),
            "v_sin_" + form: approximately(turns(sin), form, near_zero_turns),
            "v_cos_" + form: approximately(turns(cos), form, near_zero_turns)})

# Conversions
UNSIGNED, SIGNED = (0, M32), (-2**31, 2**31 - 1)
rows("vop1", "f32 i32", v_cvt_f32_i32=number)
rows("vop1", "f32 u32", v_cvt_f32_u32=number)
rows("vop1", "u32 f32", v_cvt_u32_f32=lambda a: to_integer(a, *UNSIGNED))
rows("vop1", "i32 f32", v_cvt_i32_f32=lambda a: to_integer(a, *SIGNED),
     v_cvt_flr_i32_f32=lambda a: to_integer(a, *SIGNED, "floor"),
     v_cvt_rpi_i32_f32=lambda a: to_integer(add(a, number(Fraction(1, 2))), *SIGNED, "floor"))
rows("vop1", "f64 i32", v_cvt_f64_i32=number)
rows("vop1", "f64 u32", v_cvt_f64_u32=number)
rows("vop1", "i32 f64", v_cvt_i32_f64=lambda a: to_integer(a, *SIGNED))
rows("vop1", "u32 f64", v_cvt_u32_f64=lambda a: to_integer(a, *UNSIGNED))
for to, source in (("f32", "f64"), ("f64", "f32"), ("f16", "f32"), ("f32", "f16")):
    row("v_cvt_%s_%s" % (to, source), "vop1", "%s %s" % (to, source), lambda a: a)
rows("vop1", "f16 u16", v_cvt_f16_u16=number)
rows("vop1", "f16 i16", v_cvt_f16_i16=number)
rows("vop1", "u16 f16", v_cvt_u16_f16=lambda a: to_integer(a, 0, 65535),
     v_cvt_norm_u16_f16=lambda a: normalise(a, 65535, 0))
rows("vop1", "i16 f16", v_cvt_i16_f16=lambda a: to_integer(a, -32768, 32767),
     v_cvt_norm_i16_f16=lambda a: normalise(a, 32767, -1))
rows("vop1", "f32 u32", v_cvt_off_f32_i4=lambda a: number(Fraction(signed(a, 4), 16)),
     **{"v_cvt_f32_ubyte%d" % i: lambda a, i=i: number(bytes_of(a)[i]) for i in range(4)})
rows("vop1", "u32 u32", v_sat_pk_u8_i16=lambda a: clamp(signed(a, 16), 0, 255) | clamp(signed(a >> 16, 16), 0, 255) << 8)
rows("vop3", "u32 f32 f32", v_cvt_pkrtz_f16_f32=lambda a, b: None if a.nan or b.nan
     else truncated_f16(a) | truncated_f16(b) << 16)
for form in ("f32", "f16"):
    rows("vop3", "u32 %s %s" % (form, form), **{
        "v_cvt_pknorm_i16_" + form: normalised_pair(32767, -1), "v_cvt_pknorm_u16_" + form: normalised_pair(65535, 0)})
rows("vop3", "u32 u32 u32", v_cvt_pk_u16_u32=lambda a, b: min(a, 65535) | min(b, 65535) << 16)
rows("vop3", "u32 i32 i32",
     v_cvt_pk_i16_i32=lambda a, b: clamp(a, -32768, 32767) & 0xFFFF | (clamp(b, -32768, 32767) & 0xFFFF) << 16)
rows("vop3", "u32 f32 u32 u32", v_cvt_pk_u8_f32=pack_byte)
rows("vop3", "u32 u16 u16", v_pack_b32_f16=lambda a, b: a | b << 16)

# Four sums side by side: the bytes of b against those of a from its byte 0, 1, 2 and 3 on
rows("vop3", "u64 u64 u32 u64", v_qsad_pk_u16_u8=four_sums(lambda x, y: abs(x - y)),
     v_mqsad_pk_u16_u8=four_sums(lambda x, y: abs(x - y) if y else 0))

# Cube maps: the face, twice the coordinate that leads to it, and where on the face
rows("vop3", "f32 f32 f32 f32",
     v_cubeid_f32=cube(lambda x, y, z: number(0), lambda x, y, z: number(2), lambda x, y, z: number(4), backwards=number(1)),
     v_cubema_f32=cube(lambda x, y, z: scale(x, 1), lambda x, y, z: scale(y, 1), lambda x, y, z: scale(z, 1)),
     v_cubesc_f32=cube(lambda x, y, z: negate(z), lambda x, y, z: x, lambda x, y, z: x, flips="xz"),
     v_cubetc_f32=cube(lambda x, y, z: negate(y), lambda x, y, z: z, lambda x, y, z: negate(y), flips="y"))
