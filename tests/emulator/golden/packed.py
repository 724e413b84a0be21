"""Reference model and golden cases of VOP3P: packed arithmetic, mixed precision, dot products.

op_sel and op_sel_hi pick the part of each source for the low and the high result; neg_lo and neg_hi flip the signs of
floats. Meaning: CDNA2 ISA guide, chapter VOP3P.
"""

import operator

import exact
from casefile import FULL, LANES, registers, under
from exact import add, decode, encode, fused, larger, multiply, smaller
from values import BITS, boundary_lanes, ordinary_lanes, scramble
from vector import read, signed, write
from vector_cases import HOLES, clamp_unit
from vector_table import shift

M32 = 2**32 - 1


def mad(a, b, c):
    return a * b + c


# mnemonic: (kind of a part, number of sources, function, whether clamp saturates)
PACKED = {"v_pk_fma_f32": ("f32", 3, fused, True), "v_pk_mul_f32": ("f32", 2, multiply, True),
          "v_pk_add_f32": ("f32", 2, add, True), "v_pk_fma_f16": ("f16", 3, fused, True),
          "v_pk_add_f16": ("f16", 2, add, True), "v_pk_mul_f16": ("f16", 2, multiply, True),
          "v_pk_min_f16": ("f16", 2, smaller, True), "v_pk_max_f16": ("f16", 2, larger, True),
          "v_pk_mad_i16": ("i16", 3, mad, True), "v_pk_mad_u16": ("u16", 3, mad, True),
          "v_pk_mul_lo_u16": ("u16", 2, operator.mul, True), "v_pk_add_i16": ("i16", 2, operator.add, True),
          "v_pk_sub_i16": ("i16", 2, operator.sub, True), "v_pk_add_u16": ("u16", 2, operator.add, True),
          "v_pk_sub_u16": ("u16", 2, operator.sub, True), "v_pk_min_i16": ("i16", 2, min, False),
          "v_pk_max_i16": ("i16", 2, max, False), "v_pk_min_u16": ("u16", 2, min, False),
          "v_pk_max_u16": ("u16", 2, max, False), "v_pk_lshlrev_b16": ("u16", 2, shift(operator.lshift, 15), False),
          "v_pk_lshrrev_b16": ("u16", 2, shift(operator.rshift, 15), False),
          "v_pk_ashrrev_i16": ("i16", 2, lambda a, b: b >> (a & 15), False)}


def pair_lanes(kind, position, lanes_function):
    """Two parts of the kind side by side, as one integer per lane."""
    bits = BITS[kind]
    mask = (1 << bits) - 1
    low, high = lanes_function(kind, position), lanes_function(kind, (position + 1) % 3)
    return [(a & mask) | (b & mask) << bits for a, b in zip(low, high[7:] + high[:7])]


def part(pair, kind, high):
    return pair >> BITS[kind] * high & ((1 << BITS[kind]) - 1)


def saturate(kind, result):
    if isinstance(result, exact.Float):
        return clamp_unit(exact.rounded(result, kind))
    low, high = (0, 65535) if kind == "u16" else (-32768, 32767)
    return min(max(result, low), high)


def joined(kind, results):
    """The destination of two results; NaNs in packed f16 are left out (None), in f32 the lane's registers are separate."""
    parts = [write(kind, r) for r in results]
    return None if any(isinstance(p, str) for p in parts) else parts[0] | parts[1] << BITS[kind]


def bit_list(bits, count):
    return "[%s]" % ",".join(str(bits >> i & 1) for i in range(count))


def packed_case(file, mnemonic, kind, count, function, lanes_function, op_sel, op_sel_hi, neg_lo, neg_hi, clamp, exec_mask):
    wide = BITS[kind] == 32
    label = "%s.%s.pair" % (lanes_function.__name__.split("_")[0], kind)
    pairs = [pair_lanes(kind, i, lanes_function) for i in range(count)]
    names = [registers("v", (10, 20, 30)[i], 2 if wide else 1) for i in range(count)]
    results = []
    for lane in range(LANES):
        halves = []
        for select, negative in ((op_sel, neg_lo), (op_sel_hi, neg_hi)):
            values = [read(kind, part(pairs[i][lane], kind, select >> i & 1)) for i in range(count)]
            values = [exact.negate(v) if negative >> i & 1 else v for i, v in enumerate(values)]
            result = function(*values)
            halves.append(saturate(kind, result) if clamp else result)
        results.append(joined(kind, halves))
    exec_mask &= ~sum(1 << lane for lane in range(LANES) if results[lane] is None)
    modifiers = ""
    if op_sel:
        modifiers += " op_sel:" + bit_list(op_sel, count)
    if op_sel_hi != (1 << count) - 1:
        modifiers += " op_sel_hi:" + bit_list(op_sel_hi, count)
    if neg_lo:
        modifiers += " neg_lo:" + bit_list(neg_lo, count)
    if neg_hi:
        modifiers += " neg_hi:" + bit_list(neg_hi, count)
    destination = registers("v", 40, 2 if wide else 1)
    before = {"exec": exec_mask}
    before.update({n: file.named("%s.%d" % (label, i), p) for i, (n, p) in enumerate(zip(names, pairs))})
    file.case("%s %s, %s%s%s" % (mnemonic, destination, ", ".join(names), modifiers, " clamp" if clamp else ""), before,
              {destination: under(exec_mask, results)})


def packed_cases(file):
    file.comment("packed arithmetic")
    for index, (mnemonic, (kind, count, function, saturates)) in enumerate(PACKED.items()):
        full = (1 << count) - 1
        mask = HOLES[index % len(HOLES)]

        def case(*arguments):
            packed_case(file, mnemonic, kind, count, function, *arguments)

        case(boundary_lanes, 0, full, 0, 0, False, mask)
        case(ordinary_lanes, 1 + index % full, full & ~(1 + (index + 1) % full), 0, 0, False, mask)
        if kind[0] == "f":
            case(ordinary_lanes, 0, full, 1 + index % full, full & 2, False, mask)
        if saturates:
            case(boundary_lanes, 0, full, 0, 0, True, mask)
    file.comment("register pairs are picked by op_sel; scalar pairs; constants stand in the low part")
    first, second = pair_lanes("f32", 0, ordinary_lanes), pair_lanes("f32", 1, ordinary_lanes)
    before = {"exec": HOLES[3], "v[10:11]": "@ordinary.f32.pair.0", "v[20:21]": "@ordinary.f32.pair.1"}
    for op_sel in range(4):
        results = [part(a, "f32", op_sel & 1) | part(b, "f32", op_sel >> 1) << 32 for a, b in zip(first, second)]
        file.case("v_pk_mov_b32 v[40:41], v[10:11], v[20:21] op_sel:" + bit_list(op_sel, 2), before,
                  {"v[40:41]": under(HOLES[3], results)})
    scalar = 0x4000000040400000  # 3.0 low, 2.0 high
    results = [joined("f32", [multiply(read("f32", part(p, "f32", h)), read("f32", part(scalar, "f32", h))) for h in (0, 1)])
               for p in first]
    file.case("v_pk_mul_f32 v[40:41], v[10:11], s[20:21]",
              {"exec": FULL, "v[10:11]": "@ordinary.f32.pair.0", "s[20:21]": scalar}, {"v[40:41]": results})
    for text, low, high in ((" op_sel_hi:[1,0]", 0x40000000, 0x40000000), ("", 0x40000000, 0)):  # 2.0
        results = [joined("f32", [multiply(read("f32", part(p, "f32", h)), read("f32", (low, high)[h])) for h in (0, 1)])
                   for p in first]
        file.case("v_pk_mul_f32 v[40:41], v[10:11], 2.0" + text, {"exec": FULL, "v[10:11]": "@ordinary.f32.pair.0"},
                  {"v[40:41]": results})
    halves = pair_lanes("u16", 0, boundary_lanes)
    file.case("v_pk_add_u16 v40, v10, 5 op_sel_hi:[1,0]", {"exec": FULL, "v10": "@boundary.u16.pair.0"},
              {"v40": [(h + 5 & 0xFFFF) | ((h >> 16) + 5 & 0xFFFF) << 16 for h in halves]})
    file.case("v_pk_add_u16 v40, v10, 5", {"exec": FULL, "v10": "@boundary.u16.pair.0"},
              {"v40": [(h + 5 & 0xFFFF) | h & 0xFFFF0000 for h in halves]})
    numbers = pair_lanes("f16", 0, ordinary_lanes)
    two = decode(0x4000, "f16")
    file.case("v_pk_mul_f16 v40, v10, 2.0 op_sel_hi:[1,0]", {"exec": FULL, "v10": "@ordinary.f16.pair.0"},
              {"v40": [joined("f16", [multiply(read("f16", part(p, "f16", h)), two) for h in (0, 1)]) for p in numbers]})


def accumulate_cases(file):
    file.comment("the destination is the third source")
    for lanes_function, mask in ((ordinary_lanes, HOLES[1]), (boundary_lanes, HOLES[3])):
        label = "%s.f16.pair" % lanes_function.__name__.split("_")[0]
        pairs = [pair_lanes("f16", i, lanes_function) for i in range(3)]
        results = [joined("f16", [fused(*(read("f16", part(p[lane], "f16", half)) for p in pairs)) for half in (0, 1)])
                   for lane in range(LANES)]
        mask &= ~sum(1 << lane for lane in range(LANES) if results[lane] is None)
        before = {name: file.named("%s.%d" % (label, i), pairs[i]) for i, name in enumerate(("v10", "v20", "v40"))}
        file.case("v_pk_fmac_f16_e32 v40, v10, v20", dict(before, exec=mask), {"v40": under(mask, results)})


def mixed_cases(file):
    file.comment("mixed precision: op_sel_hi makes a source f16, op_sel then picks its half; |x| and -x")
    old = [scramble(lane, 9) & M32 for lane in range(LANES)]
    singles = [ordinary_lanes("f32", i) for i in range(3)]
    doubles = [pair_lanes("f16", i, ordinary_lanes) for i in range(3)]
    for mnemonic in ("v_fma_mix_f32", "v_fma_mixlo_f16", "v_fma_mixhi_f16"):
        for op_sel, op_sel_hi, signs in ((0, 0, ("", "", "")), (2, 7, ("", "-", "")), (1, 5, ("-", "", "||")),
                                         (6, 6, ("||", "-||", "")), (0, 1, ("", "", "-"))):
            lanes, names, shown = [], [], []
            for i, sign in enumerate(signs):
                half = op_sel_hi >> i & 1
                lanes.append(doubles[i] if half else singles[i])
                names.append(file.named("ordinary.%s.%d" % ("f16.pair" if half else "f32", i), lanes[i]))
                text = "v%d" % (10 + 10 * i)
                shown.append(("-" if "-" in sign else "") + ("|%s|" % text if "||" in sign else text))

            def value(lane):
                values = []
                for i, sign in enumerate(signs):
                    bits = lanes[i][lane]
                    x = decode(part(bits, "f16", op_sel >> i & 1), "f16") if op_sel_hi >> i & 1 else decode(bits, "f32")
                    x = exact.magnitude(x) if "||" in sign else x
                    values.append(exact.negate(x) if "-" in sign else x)
                return exact.rounded(fused(*values), "f32")

            results = [value(lane) for lane in range(LANES)]
            if mnemonic == "v_fma_mix_f32":
                bits = [encode(r, "f32") for r in results]
            elif mnemonic == "v_fma_mixlo_f16":
                bits = [o & 0xFFFF0000 | encode(r, "f16") for r, o in zip(results, old)]
            else:
                bits = [o & 0xFFFF | encode(r, "f16") << 16 for r, o in zip(results, old)]
            text = "%s v40, %s" % (mnemonic, ", ".join(shown))
            text += " op_sel:" + bit_list(op_sel, 3) if op_sel else ""
            text += " op_sel_hi:" + bit_list(op_sel_hi, 3) if op_sel_hi else ""
            before = {"exec": HOLES[3], "v40": file.named("old", old)}
            before.update({"v%d" % (10 + 10 * i): name for i, name in enumerate(names)})
            file.case(text, before, {"v40": under(HOLES[3], bits)})


def dot_cases(file):
    file.comment("dot products: exact sums of integers, wrapping or, with clamp, saturating; f16 with values whose sums "
                 "are exact")
    a, b, c = (boundary_lanes("u32", i) for i in range(3))
    names = {"v10": file.named("boundary.u32.0", a), "v20": file.named("boundary.u32.1", b)}

    def dot(bits, is_signed, x, y):
        fields = [(x >> s & ((1 << bits) - 1), y >> s & ((1 << bits) - 1)) for s in range(0, 32, bits)]
        return sum(signed(p, bits) * signed(q, bits) if is_signed else p * q for p, q in fields)

    for mnemonic, bits, is_signed in (("v_dot2_i32_i16", 16, True), ("v_dot2_u32_u16", 16, False),
                                      ("v_dot4_i32_i8", 8, True), ("v_dot4_u32_u8", 8, False), ("v_dot8_i32_i4", 4, True),
                                      ("v_dot8_u32_u4", 4, False)):
        low, high = (-2**31, 2**31 - 1) if is_signed else (0, M32)
        for clamp in (False, True):
            sums = [dot(bits, is_signed, x, y) + (signed(z, 32) if is_signed else z) for x, y, z in zip(a, b, c)]
            sums = [min(max(s, low), high) if clamp else s for s in sums]
            file.case("%s v40, v10, v20, v30%s" % (mnemonic, " clamp" if clamp else ""),
                      dict(names, exec=HOLES[3], v30=file.named("boundary.u32.2", c)),
                      {"v40": under(HOLES[3], [s & M32 for s in sums])})
    for mnemonic, bits in (("v_dot2c_i32_i16", 16), ("v_dot4c_i32_i8", 8), ("v_dot8c_i32_i4", 4)):
        sums = [dot(bits, True, x, y) + z & M32 for x, y, z in zip(a, b, c)]
        file.case("%s_e32 v40, v10, v20" % mnemonic, dict(names, exec=HOLES[1], v40="@boundary.u32.2"),
                  {"v40": under(HOLES[1], sums)})
        sums = [dot(bits, True, a[lane ^ 1], b[lane]) + c[lane] & M32 for lane in range(LANES)]
        file.case("%s_dpp v40, v10, v20 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf" % mnemonic,
                  dict(names, exec=FULL, v40="@boundary.u32.2"), {"v40": sums})
    small = [0x3C00, 0xC000, 0x4200, 0x3800, 0xB400, 0x4880, 0x0000, 0x5000]  # 1 -2 3 0.5 -0.25 9 0 32
    first = [small[lane % 8] | small[lane // 8] << 16 for lane in range(LANES)]
    second = [small[(lane + 3) % 8] | small[(lane * 5 + 1) % 8] << 16 for lane in range(LANES)]
    third = [exact.encode(exact.number(lane * 4 - 100), "f32") for lane in range(LANES)]

    def exact_dot(x, y, z):
        products = [multiply(decode(x >> s & 0xFFFF, "f16"), decode(y >> s & 0xFFFF, "f16")) for s in (0, 16)]
        total = add(add(products[0], products[1]), decode(z, "f32"))
        return encode(exact.number(total.value), "f32")

    results = [exact_dot(x, y, z) for x, y, z in zip(first, second, third)]
    before = {"v10": file.named("small.0", first), "v20": file.named("small.1", second)}
    file.case("v_dot2_f32_f16 v40, v10, v20, v30", dict(before, exec=HOLES[3], v30=file.named("whole", third)),
              {"v40": under(HOLES[3], results)})
    file.case("v_dot2c_f32_f16_e32 v40, v10, v20", dict(before, exec=HOLES[1], v40="@whole"),
              {"v40": under(HOLES[1], results)})


def all_cases(file):
    for cases in (packed_cases, accumulate_cases, mixed_cases, dot_cases):
        cases(file)
