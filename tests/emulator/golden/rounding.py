"""Reference model and golden cases of rounding that is not to nearest: MODE bits 0 and 1 of f32, 2 and 3 of f16 and f64.

1 rounds up, 2 down, 3 toward zero (CDNA2 ISA guide, "MODE register"). The type of the result decides which field counts; the
other field holds another mode here, which must not matter.
"""

from math import ceil, floor

import exact
from casefile import LANES, under
from exact import NUMBER, Float, add, decode, encode, multiply, negate, number, scale
from packed import joined, pair_lanes, part
from values import boundary_lanes, ordinary_lanes
from vector import clamp, read
from vector_cases import HOLES, emit, register_of, source_states
from vector_special import MASK_IN, QUOTIENTS, halfway_lanes
from vector_table import ROWS

UP, DOWN, TO_ZERO = MODES = (1, 2, 3)


def bits_of(x, form, mode):
    away = mode == (DOWN if x.sign else UP)
    bits = encode(x, form, ceil if away else floor)
    return "nan16" if bits == "nan" and form == "f16" else bits


def rounded(x, form, mode):
    bits = bits_of(x, form, mode)
    return exact.NAN if isinstance(bits, str) else decode(bits, form)


def total(x, y, mode):
    """A sum that is exactly 0 is -0 if it rounds down, but of +0 and +0."""
    result = add(x, y)
    if result.zero and mode == DOWN and not (x.zero and y.zero and not x.sign and not y.sign):
        return Float(NUMBER, 1)
    return result


def fused(x, y, z, mode):
    return total(multiply(x, y), z, mode)


def twice_rounded(form):
    def result(x, y, z, mode):
        product = rounded(multiply(x, y), form, mode)
        found = total(product, z, mode)
        tiny = [v for v in (x, y, z, product, rounded(found, form, mode)) if exact.denormal(v, form)]
        return None if tiny and form == "f32" else found

    return result


# mnemonic: (result, sources, function of these and the mode)
BY_MODE = {"v_cvt_f32_f64_e32": ("f32", ["f64"], lambda x, mode: x),
           "v_cvt_f16_f32_e32": ("f16", ["f32"], lambda x, mode: x),
           "v_cvt_f32_u32_e32": ("f32", ["u32"], lambda x, mode: number(x)),
           "v_cvt_f32_i32_e32": ("f32", ["i32"], lambda x, mode: number(x)),
           "v_cvt_f16_u16_e32": ("f16", ["u16"], lambda x, mode: number(x)),
           "v_ldexp_f32": ("f32", ["f32", "exponent"], lambda x, n, mode: scale(x, clamp(n, -4000, 4000))),
           "v_ldexp_f64": ("f64", ["f64", "exponent"], lambda x, n, mode: scale(x, clamp(n, -4000, 4000))),
           "v_mad_f32": ("f32", ["f32"] * 3, twice_rounded("f32")), "v_mad_f16": ("f16", ["f16"] * 3, twice_rounded("f16"))}
for form in ("f16", "f32", "f64"):
    suffix = "" if form == "f64" else "_e32"
    BY_MODE.update({"v_add_%s%s" % (form, suffix): (form, [form] * 2, total), "v_fma_" + form: (form, [form] * 3, fused),
                    "v_mul_%s%s" % (form, suffix): (form, [form] * 2, lambda x, y, mode: multiply(x, y))})
    if form != "f64":
        BY_MODE["v_sub_%s_e32" % form] = (form, [form] * 2, lambda x, y, mode: total(x, negate(y), mode))
# These have a rounding of their own.
NOT_BY_MODE = ("v_rndne_f32", "v_rndne_f64", "v_rndne_f16", "v_sqrt_f32", "v_sqrt_f64", "v_rcp_f32", "v_rcp_f64",
               "v_exp_f32", "v_log_f32", "v_sin_f32", "v_cvt_i32_f32", "v_cvt_u32_f64", "v_cvt_flr_i32_f32",
               "v_cvt_rpi_i32_f32",
               "v_cvt_pkrtz_f16_f32", "v_cvt_pknorm_i16_f32", "v_div_fixup_f32", "v_frexp_mant_f64", "v_cvt_f64_f32")


def mode_of(form, mode):
    other = mode % 3 + 1
    return 0xF0 | (mode | other << 2 if form == "f32" else other | mode << 2)


def mode_cases(file):
    file.comment("sums, products and conversions round by the mode")
    for index, (mnemonic, (form, kinds, function)) in enumerate(BY_MODE.items()):
        for mode in MODES:
            label, lanes_function = (("ordinary", ordinary_lanes), ("boundary", boundary_lanes))[(index + mode) % 2]
            states = source_states(kinds, lanes_function, label)
            found = [function(*(read(k, s[1][lane]) for k, s in zip(kinds, states)), mode) for lane in range(LANES)]
            results = [x if x is None else bits_of(x, form, mode) for x in found]
            text = "%s %s, %s" % (mnemonic, register_of(form, 40), ", ".join(s[0] for s in states))
            emit(file, text, states, HOLES[index % 6], 40, "u%s" % form[1:], results, {"mode": mode_of(form, mode)})


def other_cases(file):
    file.comment("transcendental functions, whole numbers and what names its rounding do not")
    for index, (mnemonic, encoding, destination, kinds, function) in enumerate(ROWS):
        if mnemonic not in NOT_BY_MODE:
            continue
        states = source_states(kinds, ordinary_lanes, "ordinary")
        results = [function(*(read(k, s[1][lane]) for k, s in zip(kinds, states))) for lane in range(LANES)]
        text = "%s%s %s, %s" % (mnemonic, "_e32" if encoding != "vop3" else "", register_of(destination, 40),
                                ", ".join(s[0] for s in states))
        mode = MODES[index % 3]
        emit(file, text, states, HOLES[index % len(HOLES)], 40, destination, results, {"mode": 0xF0 | mode | mode << 2})


def special_cases(file):
    file.comment("accumulators, packed and mixed operands, a quotient's last step")
    for mnemonic, form in (("v_fmac_f32_e32", "f32"), ("v_fmac_f64_e32", "f64")):
        for mode in MODES:
            states, old = source_states([form] * 2, ordinary_lanes, "ordinary"), ordinary_lanes(form, 2)
            lanes = states[0][1], states[1][1], old
            found = [fused(*(decode(v[lane], form) for v in lanes), mode) for lane in range(LANES)]
            results = [bits_of(x, form, mode) for x in found]
            emit(file, "%s %s, %s, %s" % (mnemonic, register_of(form, 40), states[0][0], states[1][0]), states, HOLES[1], 40,
                 "u%s" % form[1:], results, {"mode": mode_of(form, mode)}, old=file.named("ordinary.%s.2" % form, old))
    for mnemonic, form, count, function in (("v_pk_fma_f16", "f16", 3, fused), ("v_pk_fma_f32", "f32", 3, fused),
                                            ("v_pk_mul_f32", "f32", 2, lambda x, y, mode: multiply(x, y))):
        for mode in MODES:
            pairs = [pair_lanes(form, i, ordinary_lanes) for i in range(count)]
            results = []
            for lane in range(LANES):
                halves = [function(*(decode(part(p[lane], form, half), form) for p in pairs), mode) for half in (0, 1)]
                results.append(joined(form, [rounded(x, form, mode) for x in halves]))
            size = 2 if form == "f32" else 1
            names = ["v[%d:%d]" % (r, r + 1) if size == 2 else "v%d" % r for r in (10, 20, 30, 40)]
            before = {"exec": HOLES[2], "mode": mode_of(form, mode)}
            before.update({n: file.named("ordinary.%s.pair.%d" % (form, i), p)
                           for i, (n, p) in enumerate(zip(names, pairs))})
            file.case("%s %s, %s" % (mnemonic, names[3], ", ".join(names[:count])), before,
                      {names[3]: under(HOLES[2], results)})
    for mnemonic, form in (("v_fma_mix_f32", "f32"), ("v_fma_mixlo_f16", "f16")):
        for mode in MODES:
            states = source_states(["f32"] * 3, ordinary_lanes, "ordinary")
            found = [fused(*(decode(s[1][lane], "f32") for s in states), mode) for lane in range(LANES)]
            emit(file, "%s v40, v10, v20, v30" % mnemonic, states, HOLES[3], 40, "u32",
                 [bits_of(x, form, mode) for x in found], {"mode": mode_of(form, mode), "v40": [0]})
    for form, mode, lanes, label in [(form, mode, lanes, label) for form in QUOTIENTS for mode in MODES
                                     for lanes, label in ((ordinary_lanes, "ordinary"), (halfway_lanes, "halfway"))]:
        step, states = QUOTIENTS[form][0], source_states([form] * 3, lanes, label)
        middle = (1 << exact.FORMATS[form][0] - 1) - 1
        found = []
        for lane in range(LANES):
            values = [s[1][lane] for s in states]
            x = fused(*(decode(v, form) for v in values), mode)
            up = exact.exponent_field(values[2], form) > middle
            found.append(scale(x, step if up else -step) if MASK_IN >> lane & 1 else x)
        emit(file, "v_div_fmas_%s %s, %s" % (form, register_of(form, 40), ", ".join(s[0] for s in states)), states,
             HOLES[4], 40, "u%s" % form[1:], [bits_of(x, form, mode) for x in found],
             {"mode": mode_of(form, mode), "vcc": MASK_IN})
    file.comment("what the emulator does not know: modes without denormals of f16 or f64, and infinite f16 in one without")
    for mode in (0x70, 0xB0, 0x30):
        file.case("v_add_f32_e32 v40, v10, v20", {"mode": mode}, {"fault": "gap"})
    limits = {"exec": 1, "mode": 0x8000F0}
    for text, v10, v20, result in (("v_add_f32_e32 v40, v10, v20", 0x7F7FFFFF, 0x7F7FFFFF, 0x7F800000),
                                   ("v_add_f16_e32 v40, v10, v20", 0x7BFF, 0x7BFF, None),
                                   ("v_pk_mul_f16 v40, v10, v20", 0x7BFF0000, 0x40000000, None),
                                   ("v_cvt_f16_f32_e32 v40, v10", 0x47800000, 0, None),
                                   ("v_fma_mixlo_f16 v40, v10, v20, v20", 0x47800000, 0x3F800000, None),
                                   ("v_add_f16_e32 v40, v10, v20", 0x3C00, 0x3C00, 0x4000),
                                   ("v_cvt_pkrtz_f16_f32 v40, v10, v20", 0, 0x7F800000, 0x7C000000),
                                   ("v_rcp_f16_e32 v40, v10", 0, 0, 0x7C00)):
        after = {"fault": "gap"} if result is None else {"v40": under(1, [result] * LANES)}
        file.case(text, dict(limits, v10=[v10], v20=[v20]), after)


def all_cases(file):
    mode_cases(file)
    other_cases(file)
    special_cases(file)
