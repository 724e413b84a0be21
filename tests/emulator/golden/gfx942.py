"""Reference model and golden cases of what gfx942 has and gfx90a has not.

8-bit floating point is taken from its definition: a table of all 256 values, of which conversions choose the nearest. bf8
has 5 bits of exponent and 2 of fraction, bias 16; fp8 has 4 and 3, bias 8; 0x80 is NaN, and there is neither infinity nor
-0. bf16 is an f32 without its lower half. Private memory: as in memory.scratch_cases, by an offset of 32 bits.
"""

from fractions import Fraction

import exact
import gfx942_matrix
import matrix
from casefile import FULL, LANES, lanes_of, registers, under
from exact import add, decode, encode, fused
from lds import busy, place, places
from memory import (FEW, FLOAT_ATOMICS, LDS_LOADS, LOADS, STORES, Form, Memory, atomic_case, buffer_forms,
                    denormal_sums, forms, lds_load_case, operand_values, pairs_of, stored_values, swizzled)
from values import boundary_lanes, ordinary_lanes, scramble
from vector_cases import HOLES

M32 = 2**32 - 1


# ---- 8-bit and 16-bit floating point ----

def values_of(exponent_bits, fraction_bits, bias):
    """{code: value} of the codes that are numbers."""
    found = {}
    for code in range(256):
        exponent, fraction = code >> fraction_bits & ((1 << exponent_bits) - 1), code & ((1 << fraction_bits) - 1)
        size = Fraction(fraction, 1 << fraction_bits) + (exponent > 0)
        found[code] = (-1 if code >> 7 else 1) * size * Fraction(2) ** (max(exponent, 1) - bias)
    del found[0x80]
    return found


VALUES = {"fp8": values_of(4, 3, 8), "bf8": values_of(5, 2, 16)}


def widen(kind, code):
    return "nan" if code == 0x80 else encode(exact.number(VALUES[kind][code]), "f32")


def narrow(kind, x):
    """The nearest code; of two the even one. Beyond the largest as far as half a unit is still that."""
    largest = max(VALUES[kind].values())
    step = largest - max(v for v in VALUES[kind].values() if v < largest)
    if x.kind != exact.NUMBER or x.size >= largest + step / 2:
        return 0x80
    return min(VALUES[kind], key=lambda code: (abs(VALUES[kind][code] - x.value), code & 1, code >> 7))


def add_bf16(m, d):
    return encode(add(decode(m << 16, "f32"), decode(d << 16, "f32")), "f32", exact.nearest_even)


def rounded_bf16(m, d):
    """The sum in f32 and that to the nearest bf16."""
    bits = add_bf16(m, d)
    low, high = bits & 0xFFFF, bits >> 16
    return (high + (low > 0x8000 or (low == 0x8000 and high & 1))) & 0xFFFF


def packed_add_bf16(m, d):
    return rounded_bf16(m & 0xFFFF, d & 0xFFFF) | rounded_bf16(m >> 16, d >> 16) << 16


def conversion_cases(file):
    file.comment("8-bit floating point")
    every = [[(4 * lane + k) % 256 for k in range(4)] for lane in range(LANES)]
    words = [sum(byte << 8 * k for k, byte in enumerate(bytes_)) for bytes_ in every]
    before = {"exec": HOLES[1], "v10": file.named("codes", words)}
    for kind in ("fp8", "bf8"):
        for k in range(4):
            text = "v_cvt_f32_%s_sdwa v40, v10 src0_sel:BYTE_%d" if k else "v_cvt_f32_%s v40, v10"
            after = {"v40": under(HOLES[1], [widen(kind, b[k]) for b in every])}
            file.case(text % ((kind, k) if k else kind), before, after)
        for k in (0, 2):
            text = "v_cvt_pk_f32_%s_sdwa v[40:41], v10 src0_sel:WORD_1" if k else "v_cvt_pk_f32_%s v[40:41], v10"
            usable = [sum(0x77 << 8 * i if b == 0x80 else b << 8 * i for i, b in enumerate(bytes_)) for bytes_ in every]
            pairs = [widen(kind, w >> 8 * k & 0xFF) | widen(kind, w >> 8 * k + 8 & 0xFF) << 32 for w in usable]
            file.case(text % kind, {"exec": HOLES[2], "v10": file.named("numbers", usable)},
                      {"v[40:41]": under(HOLES[2], pairs)})
        for lanes_function, half, exec_mask in ((boundary_lanes, 0, FULL), (ordinary_lanes, 0, HOLES[3]),
                                                (ordinary_lanes, 1, HOLES[0]), (halfway, 0, FULL)):
            a, b = lanes_function("f32", 0), lanes_function("f32", 1)
            old = [scramble(lane, 9) & M32 for lane in range(LANES)]
            pair = [narrow(kind, decode(x, "f32")) | narrow(kind, decode(y, "f32")) << 8 for x, y in zip(a, b)]
            kept = [o & 0xFFFF | p << 16 if half else o & 0xFFFF0000 | p for o, p in zip(old, pair)]
            file.case("v_cvt_pk_%s_f32 v40, v10, v20%s" % (kind, " op_sel:[0,0,1]" if half else ""),
                      {"exec": exec_mask, "v10": a, "v20": b, "v40": file.named("old", old)},
                      {"v40": under(exec_mask, kept)})


def narrow_randomly(kind, x, random):
    """The random number's high bits are added below the last bit that stays, and the rest is cut off."""
    fraction_bits, lowest = {"fp8": (3, -7), "bf8": (2, -15)}[kind]
    if x.kind != exact.NUMBER:
        return 0x80
    exponent = max(exact.floor_log2(x.size), lowest) if x.size else lowest
    fine = x.size // Fraction(2) ** (exponent - 23) + (random >> 9 + fraction_bits)
    value = (fine >> 23 - fraction_bits) * Fraction(2) ** (exponent - fraction_bits) * (-1 if x.sign else 1)
    codes = [code for code, v in VALUES[kind].items() if v == value]
    return codes[0] if codes else 0x80


def random_rounding_cases(file):
    file.comment("stochastic rounding into one byte of the destination")
    old = [scramble(lane, 9) & M32 for lane in range(LANES)]
    some = [scramble(lane, 12) & M32 for lane in range(LANES)]
    for i, kind in enumerate(("fp8", "bf8")):
        for byte, lanes_function, random in ((0, boundary_lanes, some), (1, ordinary_lanes, some), (2, halfway, some),
                                             (3, halfway, [0]), (0, halfway, [M32]), (1, boundary_lanes, [M32]),
                                             (2, subnormals, some)):
            exec_mask, a = HOLES[byte + i], lanes_function("f32", byte)
            seeds = random if len(random) > 1 else random * LANES
            results = [o & ~(0xFF << 8 * byte) | narrow_randomly(kind, exact.negate(decode(x, "f32")), s) << 8 * byte
                       for o, x, s in zip(old, a, seeds)]
            op_sel = " op_sel:[0,0,%d,%d]" % (byte & 1, byte >> 1) if byte else ""
            file.case("v_cvt_sr_%s_f32 v40, -v10, v20%s" % (kind, op_sel),
                      {"exec": exec_mask, "v10": a, "v20": random, "v40": file.named("old", old)},
                      {"v40": under(exec_mask, results)})


def subnormals(_, salt):
    return [encode(exact.number(Fraction(scramble(lane, salt) % 2**24, 2**24) / 2**(5 + lane % 14)), "f32")
            for lane in range(LANES)]


def halfway(_, salt):
    """Values in the middle between two codes, and close to it."""
    found = []
    for lane in range(LANES):
        numbers = sorted(v for v in VALUES["fp8" if lane % 2 else "bf8"].values() if v >= 0)
        i = scramble(lane, salt) % (len(numbers) - 1)
        middle = encode(exact.number((numbers[i] + numbers[i + 1]) / 2), "f32")
        found.append(middle + (lane % 3) - 1 | (lane & 4) << 29)
    return found


# ---- 64-bit moves and sums, multiply-adds with a constant ----

def vector_cases(file):
    file.comment("64-bit integers; multiply-adds with a constant")
    a, c = ([scramble(lane, salt) for lane in range(LANES)] for salt in (1, 2))
    count = [scramble(lane, 3) % 70 for lane in range(LANES)]
    wide = {"v[10:11]": file.named("wide.a", a), "v[30:31]": file.named("wide.c", c)}
    file.case("v_mov_b64 v[40:41], v[10:11]", dict(wide, exec=HOLES[1]), {"v[40:41]": under(HOLES[1], a)})
    file.case("v_mov_b64 v[40:41], s[4:5]", {"exec": HOLES[1], "s[4:5]": a[5]},
              {"v[40:41]": under(HOLES[1], [a[5]] * LANES)})
    file.case("v_lshl_add_u64 v[40:41], v[10:11], v20, v[30:31]", dict(wide, exec=HOLES[2], v20=file.named("counts", count)),
              {"v[40:41]": under(HOLES[2], [((x << n % 64) + y) & FULL for x, n, y in zip(a, count, c)])})
    file.case("v_lshl_add_u64 v[40:41], s[4:5], 3, v[30:31]", dict(wide, exec=FULL, **{"s[4:5]": a[7]}),
              {"v[40:41]": [((a[7] << 3) + y) & FULL for y in c]})
    x, y, k = ordinary_lanes("f32", 0), ordinary_lanes("f32", 1), decode(0x40490FDB, "f32")
    before = {"exec": HOLES[3], "v10": file.named("ordinary.f32.0", x), "v20": file.named("ordinary.f32.1", y)}
    for text, function in (("v_fmamk_f32 v40, v10, 0x40490fdb, v20", lambda p, q: fused(p, k, q)),
                           ("v_fmaak_f32 v40, v10, v20, 0x40490fdb", lambda p, q: fused(p, q, k))):
        results = [encode(function(decode(p, "f32"), decode(q, "f32")), "f32") for p, q in zip(x, y)]
        file.case(text, before, {"v40": under(HOLES[3], results)})


# ---- memory ----

def scratch_forms(file):
    """(operand text of the address with %s for data, suffix, state before, offset of each lane)"""
    offsets = [lane * 12 % 40 for lane in range(LANES)]
    named = file.named("offsets", offsets)
    yield ["v10", "off"], "offset:4", {"v10": named}, lambda lane: offsets[lane] + 4
    yield ["off", "s6"], "offset:8", {"s6": 12}, lambda lane: 20
    yield ["off", "off"], "offset:24", {}, lambda lane: 24
    yield ["v10", "s6"], "", {"v10": named, "s6": 4}, lambda lane: offsets[lane] + 4
    wrapped = file.named("negative", [(o - 64) & M32 for o in offsets])
    yield ["v10", "off"], "offset:68", {"v10": wrapped}, lambda lane: offsets[lane] + 4


def scratch_cases(file):
    file.comment("private memory by offset")
    base = {"flat_scratch": "scratch+0"}
    for i, (mnemonic, (size, function)) in enumerate(LOADS.items()):
        count, memory = max(1, size // 4), Memory("scratch", 4096)
        old = [scramble(lane, 9) & M32 for lane in range(LANES)]
        for j, (address, suffix, before, offset_of) in enumerate(scratch_forms(file)):
            def read(lane):
                return sum(memory.read(swizzled(offset_of(lane) + 4 * k, lane), min(size, 4)) << 32 * k
                           for k in range(count))

            exec_mask = HOLES[(i + j) % len(HOLES)]
            text = "scratch_%s %s, %s %s %s" % (mnemonic, registers("v", 40, count), ", ".join(address), suffix,
                                                ["", "sc0 nt", "sc1"][j % 3])
            state = dict(base, exec=exec_mask, **before)
            if "d16" in mnemonic:
                state["v40"] = file.named("old", old)
            loaded = [function(read(lane), old[lane]) & ((1 << 32 * count) - 1) for lane in range(LANES)]
            file.case(" ".join(text.split()), state, pairs_of(40, count, under(exec_mask, loaded)))
    for mnemonic, (size, shift) in STORES.items():
        count, values = max(1, size // 4), stored_values(max(1, size // 4))
        for address, suffix, before, offset_of in scratch_forms(file):
            memory = Memory("scratch", 4096)
            for lane in lanes_of(FEW):
                for k in range(count):
                    memory.write(swizzled(offset_of(lane) + 4 * k, lane), values[lane] >> (32 * k + shift), min(size, 4))
            names = {r: file.named("store." + r.strip("v").replace(":", "."), lanes)
                     for r, lanes in pairs_of(20, count, values).items()}
            text = "scratch_%s %s, %s, %s %s" % (mnemonic, address[0], registers("v", 20, count), address[1], suffix)
            file.case(" ".join(text.split()), {**base, "exec": FEW, **before, **names}, memory.after())
    file.case("scratch_load_dword v40, off, off offset:64", dict(base, exec=1), {"fault": "scratch"})


def memory_cases(file):
    file.comment("its words for coherence; cache maintenance")
    memory = Memory("mem", 4096)
    for flags in ("sc0", "sc1", "nt", "sc0 nt sc1"):
        file.case("global_load_dword v40, v10, s[12:13] " + flags, {"exec": 5, "v10": [8], "s[12:13]": "mem+20"},
                  {"v40": under(5, [memory.read(0x28, 4)] * LANES)})
    for text in ("buffer_inv sc1", "buffer_inv sc0 sc1", "buffer_wbl2 sc1"):
        file.case(text, {"exec": FULL}, {})
    file.comment("atomics without a form on gfx90a")
    for name in ("add_f32", "pk_add_f16", "pk_add_bf16"):
        form, size, function = FLOAT_ATOMICS.get(name, ("bf16", 4, packed_add_bf16))
        for i, address in enumerate(forms(file, size)):
            if address.prefix == "flat_" or name == "pk_add_bf16":
                ours = Form(address.prefix, address.address, address.suffix, address.before, address.offset_of)
                atomic_case(file, ours, name, size, lambda m, d, c, f=function: f(m, d),
                            "f16" if form == "bf16" else form, 1, FEW, i % 2 == 0, glc="sc0")
    for j, form in enumerate(buffer_forms(file, 4)):
        atomic_case(file, form, "add", 4, lambda m, d, c: m + d, None, 1, FEW, j % 2 == 0, glc="sc0")
    file.comment("sums of f32 keep denormals")
    denormal_sums(file, True, "sc0")
    file.comment("loads into LDS")
    for i, (name, (size, signed_)) in enumerate(LDS_LOADS.items()):
        for form in forms(file, size):
            if form.prefix == "global_" and "-" not in form.suffix:
                offset = int(form.suffix.partition("offset:")[2] or 0)
                text = "global_load_lds_%s %s %s" % (name, ", ".join(form.address), form.suffix)
                lds_load_case(file, text, form.before, HOLES[i % len(HOLES)], offset, size, signed_, form.offset_of)
        scratch, lds = Memory("scratch", 4096), Memory("lds", 4096)
        for lane in lanes_of(FEW):
            value = scratch.read(swizzled(8, lane), size)
            lds.write(0x108 + 4 * lane, value - (signed_ and value >> 8 * size - 1) * (1 << 8 * size), 4)
        file.case("scratch_load_lds_%s off, s20 offset:8" % name,
                  {"exec": FEW, "s20": 0, "flat_scratch": "scratch+0", "m0": 0x100}, lds.after())
    file.case("global_load_lds_dword v[10:11], off offset:-4", {"exec": 3, "v[10:11]": "mem+40", "m0": 0}, {"fault": "lds"})


def lds_cases(file):
    file.comment("packed sums in LDS")
    for name, function in (("f16", FLOAT_ATOMICS["pk_add_f16"][2]), ("bf16", packed_add_bf16)):
        words, data = operand_values(4, "f16")
        for returns in (False, True):
            memory, old = Memory("lds", 4096), ["-"] * LANES
            before = {"exec": FEW, "v10": places(file, 16), "v20": file.named("pairs", data)}
            for lane in lanes_of(FEW):
                memory.write(place(lane, 16) + 8, words[lane], 4)
            before.update({key: ",".join("%x" % w for w in value) for key, value in memory.after().items()})
            for lane in lanes_of(FEW):
                old[lane] = memory.read(place(lane, 16) + 8, 4)
                memory.write(place(lane, 16) + 8, function(old[lane], data[lane]), 4)
            after = dict(memory.after(), **busy(FEW, 4, [place(lane, 16) + 8 for lane in range(LANES)]))
            if returns:
                after["v40"] = old
            file.case("ds_pk_add_%s%s v10, v20 offset:8" % ("rtn_" if returns else "", name + (" v40," if returns else "")),
                      before, after)


# ---- matrices ----

# As matrix.SHAPES. Passes: LLVM's scheduling model (SISchedule.td), as `llvm-mca -mcpu=gfx940` prints it (resource pressure
# of HWXDL); of f64 from the data sheet's 163.4 TFLOP/s at 2100 MHz and 304 compute units, 256 a clk and compute unit.
SHAPES = {
    "f32_32x32x1_2b_f32": ("f32", 32, 1, 2, 1, 16), "f32_16x16x1_4b_f32": ("f32", 16, 1, 4, 1, 8),
    "f32_4x4x1_16b_f32": ("f32", 4, 1, 16, 1, 2), "f32_32x32x2_f32": ("f32", 32, 2, 1, 1, 16),
    "f32_16x16x4_f32": ("f32", 16, 4, 1, 1, 8), "f32_32x32x4_2b_f16": ("f16", 32, 4, 2, 4, 16),
    "f32_16x16x4_4b_f16": ("f16", 16, 4, 4, 4, 8), "f32_4x4x4_16b_f16": ("f16", 4, 4, 16, 4, 2),
    "f32_32x32x8_f16": ("f16", 32, 8, 1, 4, 8), "f32_16x16x16_f16": ("f16", 16, 16, 1, 4, 4),
    "f32_32x32x4_2b_bf16": ("bf16", 32, 4, 2, 4, 16), "f32_16x16x4_4b_bf16": ("bf16", 16, 4, 4, 4, 8),
    "f32_4x4x4_16b_bf16": ("bf16", 4, 4, 16, 4, 2), "f32_32x32x8_bf16": ("bf16", 32, 8, 1, 4, 8),
    "f32_16x16x16_bf16": ("bf16", 16, 16, 1, 4, 4), "i32_32x32x4_2b_i8": ("i8", 32, 4, 2, 4, 16),
    "i32_16x16x4_4b_i8": ("i8", 16, 4, 4, 4, 8), "i32_4x4x4_16b_i8": ("i8", 4, 4, 16, 4, 2),
    "i32_32x32x16_i8": ("i8", 32, 16, 1, 8, 8), "i32_16x16x32_i8": ("i8", 16, 32, 1, 8, 4),
    "f64_16x16x4_f64": ("f64", 16, 4, 1, 1, 8), "f64_4x4x4_4b_f64": ("f64", 4, 4, 4, 1, 4)}
for left in ("fp8", "bf8"):
    for right in ("fp8", "bf8"):
        SHAPES["f32_32x32x16_%s_%s" % (left, right)] = ("%s %s" % (left, right), 32, 16, 1, 8, 8)
        SHAPES["f32_16x16x32_%s_%s" % (left, right)] = ("%s %s" % (left, right), 16, 32, 1, 8, 4)


def matrix_cases(file):
    file.comment("matrices")
    for kind in VALUES:
        matrix.ELEMENT_CODES[kind] = {value: code for code, value in VALUES[kind].items()}
    for index, (mnemonic, shape) in enumerate(SHAPES.items()):
        matrix.matrix_case(file, mnemonic, shape, 2000 + index, "v", "v")
        matrix.matrix_case(file, mnemonic, shape, 2050 + index, "a", "v")
    file.comment("subnormals count")
    tiny = 2**-24  # the smallest f16
    file.case("v_mfma_f32_16x16x16_f16 v[140:143], v[10:11], v[20:21], 0",
              {"exec": FULL, "v[10:11]": [1], "v[20:21]": [0x3C00]},
              {pair: [encode(exact.number(4 * Fraction(tiny)), "f32") * (1 + 2**32)] * LANES
               for pair in ("v[140:141]", "v[142:143]")})


def all_cases(file):
    for cases in (vector_cases, conversion_cases, random_rounding_cases, scratch_cases, memory_cases, lds_cases,
                  matrix_cases, gfx942_matrix.all_cases):
        cases(file)
