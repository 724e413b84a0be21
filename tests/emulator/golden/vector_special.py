"""Golden cases of vector instructions with lane masks, accumulators, several destinations or none."""

from fractions import Fraction

import exact
from casefile import FULL, LANES, QUAD_CYCLES, under
from exact import decode, fused
from values import BITS, boundary_lanes, ordinary_lanes
from vector import bytes_of, division_fixup, division_fmas, division_scale, pack_byte, pi_segment, write
from vector_cases import DESTINATION, HOLES, compute, emit, register_of, source_states, specified
from vector_table import twice_rounded

MASK_IN = 0x6996A55AC33C0FF1  # lane mask as a source


def mask_of(bits):
    return sum(1 << lane for lane in range(LANES) if bits[lane])


def limit_lanes(mnemonic, carry_in):
    """(values, name) of both sources: lanes in turn reach the last sum without and the first with carry."""
    first = [v & 0x7FFFFFFF | 1 for v in ordinary_lanes("u32", 0)]
    second = []
    for lane, a in enumerate(first):
        c = MASK_IN >> lane & 1 if carry_in else 0
        second.append(2**32 - 1 + lane // 2 % 2 - a - c if "add" in mnemonic else a - c + lane // 2 % 2)
    kind = "carry" if "add" in mnemonic else "borrow"
    name = "%s%s" % (kind, ".in" if carry_in else "")
    sources = [(first, "limit.0"), (second, "limit." + name)]
    return sources[::-1] if "rev" in mnemonic else sources


def carry_cases(file):
    file.comment("carries: the mask is 0 for inactive lanes, the carry in is read per lane")
    operations = {
        "v_add_co_u32": (lambda a, b, c: a + b, False), "v_sub_co_u32": (lambda a, b, c: a - b, False),
        "v_subrev_co_u32": (lambda a, b, c: b - a, False), "v_addc_co_u32": (lambda a, b, c: a + b + c, True),
        "v_subb_co_u32": (lambda a, b, c: a - b - c, True), "v_subbrev_co_u32": (lambda a, b, c: b - a - c, True)}
    for index, (mnemonic, (function, carry_in)) in enumerate(operations.items()):
        for suffix, mask_out, mask_in in (("_e32", "vcc", "vcc"), ("_e64", "s[4:5]", "s[8:9]"), ("_e64", "vcc", "s[8:9]")):
            states = source_states(["u32", "u32"], boundary_lanes, "boundary")
            if suffix == "_e64" and mask_out == "vcc":
                states = [("v10", *limit_lanes(mnemonic, carry_in)[0]), ("v20", *limit_lanes(mnemonic, carry_in)[1])]
            exec_mask = HOLES[(index + len(suffix + mask_out)) % len(HOLES)]
            sums = [function(states[0][1][i], states[1][1][i], MASK_IN >> i & 1 if carry_in else 0) for i in range(LANES)]
            text = "%s%s v40, %s, v10, v20%s" % (mnemonic, suffix, mask_out, ", " + mask_in if carry_in else "")
            before = {"exec": exec_mask, mask_out: 0x123456789ABCDEF0}
            before.update({reg: file.named(name, lanes) for reg, lanes, name in states})
            if carry_in:
                before[mask_in] = MASK_IN
            carries = mask_of([not 0 <= s < 2**32 for s in sums]) & exec_mask
            file.case(text, before, {"v40": under(exec_mask, [s & 0xFFFFFFFF for s in sums]), mask_out: carries})


def select_cases(file):
    file.comment("v_cndmask_b32: lane mask selects; e64 knows neg and abs")
    states = source_states(["u32", "u32"], boundary_lanes, "boundary")
    a, b = states[0][1], states[1][1]
    for text, mask, change in (("v_cndmask_b32_e32 v40, v10, v20, vcc", "vcc", (0, 0)),
                               ("v_cndmask_b32_e64 v40, v10, v20, s[6:7]", "s[6:7]", (0, 0)),
                               ("v_cndmask_b32_e64 v40, -v10, |v20|, s[6:7]", "s[6:7]", (1, 2))):
        left = [x ^ 0x80000000 for x in a] if change[0] else a
        right = [x & 0x7FFFFFFF for x in b] if change[1] else b
        emit(file, text, states, HOLES[3], DESTINATION, "u32",
             [right[i] if MASK_IN >> i & 1 else left[i] for i in range(LANES)], {mask: MASK_IN})


def wide_multiply_cases(file):
    file.comment("64-bit multiply-add: the mask is bit 64 of the sum")
    for mnemonic, kinds in (("v_mad_u64_u32", ["u32", "u32", "u64"]), ("v_mad_i64_i32", ["i32", "i32", "i64"])):
        QUAD_CYCLES[mnemonic] = 4
        for mask, lanes_function in (("vcc", boundary_lanes), ("s[4:5]", ordinary_lanes)):
            states = source_states(kinds, lanes_function, lanes_function.__name__.split("_")[0])
            sums = compute(lambda a, b, c: a * b + c, kinds, [s[1] for s in states])
            exec_mask = HOLES[1]
            before = {"exec": exec_mask}
            before.update({reg: file.named(name, lanes) for reg, lanes, name in states})
            file.case("%s v[40:41], %s, v10, v20, v[30:31]" % (mnemonic, mask), before,
                      {"v[40:41]": under(exec_mask, [s & FULL for s in sums]),
                       mask: mask_of([s >> 64 & 1 for s in sums]) & exec_mask})


def accumulate_cases(file):
    file.comment("accumulators: the destination is the third source")
    operations = {"v_fmac_f32": ("f32", fused), "v_fmac_f64": ("f64", fused), "v_mac_f32": ("f32", twice_rounded("f32")),
                  "v_mac_f16": ("f16", twice_rounded("f16"))}
    for mnemonic, (form, function) in operations.items():
        for suffix, lanes_function in (("_e32", boundary_lanes), ("_e64", ordinary_lanes)):
            label = lanes_function.__name__.split("_")[0]
            states = source_states([form, form], lanes_function, label)
            old = [v & 0xFFFF for v in lanes_function(form, 2)] if form == "f16" else lanes_function(form, 2)
            results = compute(function, [form] * 3, [s[1] for s in states] + [old])
            emit(file, "%s%s %s, %s, %s" % (mnemonic, suffix, register_of(form, 40), states[0][0], states[1][0]), states,
                 HOLES[3], 40, form, results, old=file.named("%s.%s.old" % (label, form), old))
    for form, constant, bits in (("f32", "0x40490fdb", 0x40490FDB), ("f16", "0x4248", 0x4248)):
        k = decode(bits, form)
        states = source_states([form, form], ordinary_lanes, "ordinary")
        both = [s[1] for s in states]
        mk = compute(lambda a, b: twice_rounded(form)(a, k, b), [form] * 2, both)
        ak = compute(lambda a, b: twice_rounded(form)(a, b, k), [form] * 2, both)
        emit(file, "v_madmk_%s v40, v10, %s, v20" % (form, constant), states, HOLES[2], 40, form, mk)
        emit(file, "v_madak_%s v40, v10, v20, %s" % (form, constant), states, HOLES[4], 40, form, ak)


def sums_of_bytes_cases(file):
    file.comment("four sums of differences with a register each; a byte into the destination")
    pools = boundary_lanes("u64", 0), boundary_lanes("u32", 1), ordinary_lanes("u64", 2), ordinary_lanes("u64", 1)
    a, b, low, high = pools
    before = {"v[10:11]": file.named("sums.a", a), "v20": file.named("sums.b", b), "v[30:31]": file.named("sums.low", low),
              "v[32:33]": file.named("sums.high", high)}

    def result(lane, i):
        differences = [abs(x - y) for x, y in zip(bytes_of(a[lane] >> 8 * i), bytes_of(b[lane])) if y]
        return (sum(differences) + ((low[lane] | high[lane] << 64) >> 32 * i)) & 0xFFFFFFFF

    results = [sum(result(lane, i) << 32 * i for i in range(4)) for lane in range(LANES)]
    for exec_mask in (FULL, HOLES[2]):
        file.case("v_mqsad_u32_u8 v[40:43], v[10:11], v20, v[30:33]", dict(before, exec=exec_mask),
                  {"v[40:41]": under(exec_mask, [r & FULL for r in results]),
                   "v[42:43]": under(exec_mask, [r >> 64 for r in results])})
    states = [("v10", boundary_lanes("f32", 0), "boundary.f32.0"), ("v20", ordinary_lanes("u32", 1), "ordinary.u32.1")]
    old = ordinary_lanes("u32", 2)
    packed = compute(pack_byte, ["f32", "u32", "u32"], [states[0][1], states[1][1], old])
    emit(file, "v_cvt_pkaccum_u8_f32 v40, v10, v20", states, HOLES[4], 40, "u32", packed,
         old=file.named("ordinary.u32.2", old))


def near_halfway(form):
    """Per lane a, b and c, where c + a * b lies between two neighbours, the square of the last place from the middle."""
    exponents, fraction = {"f16": ((13, 15, 16, 18, 20), 10), "f32": ((120, 130, 66, 64, 50), 23),
                           "f64": ((1020, 1030, 130, 128, 100), 52)}[form]
    sign = BITS[form] - 1
    middle = (1 << sign - fraction - 1) - 1
    places = [exponents[lane % 5] for lane in range(LANES)]
    a = [lane % 2 << sign | (place - fraction - 1) << fraction | 1 for lane, place in enumerate(places)]
    b = [(middle << fraction) - 2] * LANES  # a * b is a half of c's last place times (1 + u) * (1 - u)
    c = [(lane // 2 & 1) << sign | place << fraction | lane // 2 for lane, place in enumerate(places)]
    return [(register_of(form, 10 * i + 10), lanes, "near_halfway.%s.%d" % (form, i)) for i, lanes in enumerate((a, b, c))]


def fused_half_cases(file):
    file.comment("f16 sums that a second rounding would spoil")
    states = near_halfway("f16")
    results = compute(fused, ["f16"] * 3, [lanes for _, lanes, _ in states])
    emit(file, "v_fma_f16 v40, v10, v20, v30", states, HOLES[1], 40, "f16", results)


# Scaled by a power of 2; the least denormal; what little is added, as the product of a with 1 or with something less.
QUOTIENTS = {"f32": (64, -149, -120, -20), "f64": (128, -1074, -1003, -450)}


def halfway_lanes(form, position):
    """a * b + c is just off the middle between two denormals, once it is scaled down."""
    step, least, little, less = QUOTIENTS[form]
    results = []
    for lane in range(LANES):
        exponent = (little, less * (lane >> 1 & 1), least - 1 + step)[position]
        size = (1, 1, 2 * (lane >> 3) + 1)[position] * Fraction(2) ** exponent
        results.append(exact.encode(exact.Float(exact.NUMBER, lane >> position & 1 if position != 1 else 0, size), form))
    return results


def least_lanes(form, position):
    """Denominators, or numerators, whose quotients lie around the least normal number, and their reciprocals, too."""
    exponent_bits, fraction = exact.FORMATS[form]
    middle = (1 << exponent_bits - 1) - 1
    one = (middle, 2 * middle - 1, middle)[position] << fraction
    return [one + lane // (5 if position == 2 else 1) % 5 - 2 for lane in range(LANES)]


def scale_cases(file, form, limits, states):
    function = division_scale(form, *limits)
    for source in (1, 2):  # value is the denominator, or the numerator
        operands = [states[source - 1], states[0], states[1]]
        results = [function(*(s[1][lane] for s in operands)) for lane in range(LANES)]
        exec_mask = specified(HOLES[source], results)
        for mask in ("vcc", "s[4:5]"):
            before = {"exec": exec_mask}
            before.update({reg: file.named(name, lanes) for reg, lanes, name in states})
            name = register_of(form, 40)
            file.case("v_div_scale_%s %s, %s, %s" % (form, name, mask, ", ".join(s[0] for s in operands)), before,
                      {name: under(exec_mask, [r and write(form, r[0]) for r in results]),
                       mask: mask_of([r is not None and r[1] for r in results]) & exec_mask})


def division_cases(file):
    file.comment("division support; the whole sequences are checked by kernels/division.hip")
    for form, limits in (("f32", (96, 23, 64)), ("f64", (768, 53, 128))):
        scale_cases(file, form, limits, source_states([form] * 3, boundary_lanes, "boundary")[1:])
        scale_cases(file, form, limits, source_states([form] * 3, least_lanes, "least")[1:])
        for states in (source_states([form] * 3, boundary_lanes, "boundary"),
                       source_states([form] * 3, ordinary_lanes, "ordinary"), near_halfway(form),
                       source_states([form] * 3, halfway_lanes, "halfway")):
            names = ", ".join(s[0] for s in states)
            fmas = division_fmas(form, limits[2])
            results = [fmas(*(s[1][lane] for s in states), MASK_IN >> lane & 1) for lane in range(LANES)]
            emit(file, "v_div_fmas_%s %s, %s" % (form, register_of(form, 40), names), states, HOLES[3], 40, form, results,
                 {"vcc": MASK_IN})
    for mnemonic, form, underflow in (("v_div_fixup_f32", "f32", -150), ("v_div_fixup_f64", "f64", -1075),
                                      ("v_div_fixup_f16", "f16", -1000), ("v_div_fixup_legacy_f16", "f16", -1000)):
        for lanes_function in (boundary_lanes, ordinary_lanes):
            states = source_states([form] * 3, lanes_function, lanes_function.__name__.split("_")[0])
            function = division_fixup(form, underflow)
            bits = (1 << exact.FORMATS[form][0] + exact.FORMATS[form][1] + 1) - 1
            results = [function(*(s[1][lane] & bits for s in states)) for lane in range(LANES)]
            emit(file, "%s %s, %s" % (mnemonic, register_of(form, 40), ", ".join(s[0] for s in states)), states, HOLES[1],
                 40, form, results)


def pi_cases(file):
    file.comment("v_trig_preop_f64: pieces of 2/pi")
    arguments = [0x3FF0000000000000, 0x4340000000000000, 0x4350000000000000, 0x7FEFFFFFFFFFFFFF, 0x7B00000000000000,
                 0x7AF0000000000000, 0x4560000000000000, 0x0000000000000001]
    lanes = [arguments[i % 8] for i in range(LANES)]
    states = [("v[10:11]", lanes, "pi.arguments")]
    for segment in (0, 1, 2, 5):
        emit(file, "v_trig_preop_f64 v[40:41], v[10:11], %d" % segment, states, HOLES[1], 40, "f64",
             [pi_segment(bits, segment) for bits in lanes])
    segments = [i // 8 for i in range(LANES)]
    states.append(("v20", segments, "pi.segments"))
    emit(file, "v_trig_preop_f64 v[40:41], v[10:11], v20", states, HOLES[3], 40, "f64",
         [pi_segment(bits, s) for bits, s in zip(lanes, segments)])


def move_cases(file):
    file.comment("moves between register files, swap, nothing")
    a, b = boundary_lanes("u32", 0), boundary_lanes("u32", 1)
    exec_mask = HOLES[3]
    before = {"exec": exec_mask, "v10": file.named("boundary.u32.0", a)}
    file.case("v_accvgpr_write_b32 a7, v10", before, {"a7": under(exec_mask, a)})
    file.case("v_accvgpr_write_b32 a255, 1.0", {"exec": exec_mask}, {"a255": under(exec_mask, [0x3F800000] * LANES)})
    before = {"exec": exec_mask, "a9": "@boundary.u32.0"}
    file.case("v_accvgpr_read_b32 v255, a9", before, {"v255": under(exec_mask, a)})
    file.case("v_accvgpr_mov_b32 a4, a9", before, {"a4": under(exec_mask, a)})
    file.case("v_swap_b32 v10, v20", {"exec": exec_mask, "v10": "@boundary.u32.0", "v20": file.named("boundary.u32.1", b)},
              {"v10": under(exec_mask, b), "v20": under(exec_mask, a)})
    file.case("v_mov_b32_e32 v40, src_scc", {"exec": exec_mask, "scc": 1}, {"v40": under(exec_mask, [1] * LANES)})
    file.case("v_mov_b32_e32 v40, m0", {"exec": exec_mask, "m0": 0xCAFE}, {"v40": under(exec_mask, [0xCAFE] * LANES)})
    file.case("v_mov_b32_e32 v40, v10", {"exec": 0, "v10": "@boundary.u32.0"}, {})
    file.case("v_nop", {"exec": exec_mask}, {})
    file.case("v_clrexcp", {"exec": exec_mask}, {})


SRC0, SRC1, SRC2, DST = 1, 2, 4, 8  # index mode: which operands M0 moves


def indexed(register, m0, size=256, count=1):
    """The register that M0 makes of this one, None if it or one of the `count` from it on is none of the wave's `size`.

    CDNA2 ISA guide, 3.6.1: a source out of range reads v0, a destination out of range makes the instruction a no-op. M0
    counts as 8 bits without sign, and the sum does not wrap."""
    moved = register + (m0 & 0xFF)
    return moved if moved + count <= size else None


def index_cases(file):
    file.comment("VGPR indexing (s_set_gpr_idx_on) by M0, inside the wave's VGPRs and outside")
    value = {r: [(r << 8 | lane) for lane in range(LANES)] for r in range(256)}  # what the sources hold
    exec_mask = HOLES[3]

    def source_case(text, position, m0, size=256):
        """A sum of three: source `position` is moved, the others are not."""
        sources = [10, 20, 30]
        sources[position] = indexed(sources[position], m0, size) or 0
        before = {"exec": exec_mask, "index": 1 << position, "m0": m0, "vgprs": size}
        before.update({"v%d" % r: value[r] for r in sources})
        file.case(text, before, {"v40": under(exec_mask, [sum(value[r][lane] for r in sources) for lane in range(LANES)])})

    for position, register in enumerate((10, 20, 30)):
        for m0, size in ((5, 256), (255 - register, 256), (256 - register, 256), (47 - register, 48), (48 - register, 48),
                         (0xFFFFFFFF, 256), (0xABCDEF05, 256)):
            source_case("v_add3_u32 v40, v10, v20, v30", position, m0, size)
    for m0, size in ((2, 256), (215, 256), (216, 256), (1, 42), (2, 42), (0xFFFFFFFE, 256), (0xFFFFFF02, 256)):
        before = {"exec": exec_mask, "index": DST, "m0": m0, "vgprs": size, "v10": value[10]}
        moved = indexed(40, m0, size)
        file.case("v_mov_b32_e32 v40, v10", before, {"v%d" % moved: under(exec_mask, value[10])} if moved else {})
    file.comment("operands of two registers: out of range if either is; no lane mask is written either")
    for m0, size in ((2, 44), (3, 44), (4, 44), (0xFFFFFFFE, 256)):
        first = indexed(40, m0, size, 2)
        wide = [value[10][lane] << 8 | lane << 32 for lane in range(LANES)]
        before = {"exec": exec_mask, "index": DST, "m0": m0, "vgprs": size, "v[10:11]": wide}
        file.case("v_lshlrev_b64 v[40:41], 0, v[10:11]", before,
                  {"v[%d:%d]" % (first, first + 1): under(exec_mask, wide)} if first else {})
        first = indexed(40, m0, size, 2) or 0
        before = {"exec": exec_mask, "index": SRC1, "m0": m0, "vgprs": size, "v[%d:%d]" % (first, first + 1): wide}
        file.case("v_lshlrev_b64 v[20:21], 0, v[40:41]", before, {"v[20:21]": under(exec_mask, wide)})
    before = {"exec": FULL, "index": DST, "m0": 0xFF, "vcc": 0x123456789ABCDEF0, "v10": [0xFFFFFFFF]}
    file.case("v_add_co_u32_e32 v40, vcc, v10, v10", before, {})
    file.case("v_add_co_u32_e32 v40, vcc, v10, v10", dict(before, m0=1), {"v41": [0xFFFFFFFE] * LANES, "vcc": FULL})
    file.comment("AccVGPRs are a file of their own; scalars and constants have no index")
    for m0, moved in ((2, 11), (0xFF, 0)):
        file.case("v_accvgpr_read_b32 v40, a9", {"exec": exec_mask, "index": SRC0, "m0": m0, "a%d" % moved: value[10]},
                  {"v40": under(exec_mask, value[10])})
    file.case("v_add_u32_e32 v40, s10, v20", {"exec": exec_mask, "index": SRC0, "m0": 0xFF, "s10": 7, "v20": value[20]},
              {"v40": under(exec_mask, [v + 7 for v in value[20]])})


def sign_cases(file):
    """Examples of the ISA guide: signs of zeros and of what is not a number."""
    file.comment("signs of zeros and NaN")
    log, cos, sin = ("v_%s_f32_e32 v40, v10" % name for name in ("log", "cos", "sin"))
    median = "v_med3_f32 v40, v10, v20, v30"
    for text, v10, v20, v30, result in (
            (log, 0xBF800000, 0, 0, 0xFFC00000), (log, 0xFF800000, 0, 0, 0xFFC00000), (cos, 0x7F800000, 0, 0, 0xFFC00000),
            (cos, 0xFF800000, 0, 0, 0xFFC00000), (sin, 0x80000000, 0, 0, 0x80000000), (sin, 0, 0, 0, 0),
            ("v_sin_f16_e32 v40, v10", 0x8000, 0, 0, 0x8000), ("v_log_f16_e32 v40, v10", 0xBC00, 0, 0, 0xFE00),
            (median, 0xBF800000, 0x80000000, 0, 0), (median, 0x80000000, 0x80000000, 0, 0),
            (median, 0x3F800000, 0x80000000, 0, 0), (median, 0x80000000, 0x80000000, 0x80000000, 0x80000000),
            ("v_div_fixup_f32 v40, v10, v20, v30", 0x3F800000, 0x7F800001, 0x40000000, 0x7FC00001),
            ("v_div_fixup_f32 v40, v10, v20, v30", 0x3F800000, 0x40000000, 0xFF800001, 0xFFC00001)):
        file.case(text, {"exec": 1, "v10": [v10], "v20": [v20], "v30": [v30]}, {"v40": under(1, [result] * LANES)})


def all_cases(file):
    for cases in (carry_cases, select_cases, wide_multiply_cases, accumulate_cases, sums_of_bytes_cases, fused_half_cases,
                  division_cases, pi_cases, move_cases, index_cases, sign_cases):
        cases(file)
