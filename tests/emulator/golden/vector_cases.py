"""Golden cases of the vector ALU: every row of vector_table in each of its encodings, and the instructions that no row
fits."""

import operator
from fractions import Fraction

import exact
from casefile import FULL, LANES, registers, under
from exact import negate, number
from values import BITS, boundary_lanes, ordinary_lanes, scramble, width
from vector import read, signed, write
from vector_table import ROWS

# EXEC masks with holes; inactive lanes must keep their destination.
HOLES = [0xFFFFFFFFFFFFFFFF, 0xFFFEFFFF7FFDFFFB, 0x7FFFFFF7FFFFFFFE, 0xF0F3FFD7BFFF6EB9, 0xFFFFFFFFFFFF0000,
         0x55D5FFFFEEFF5D5F]
DESTINATION, SOURCES = 40, (10, 20, 30)


def register_of(kind, first):
    return registers("v", first, width(kind))


def source_states(kinds, lanes_function, label):
    """Named lane lists for each source: (register, lane values, text before)."""
    states = []
    for position, kind in enumerate(kinds):
        states.append((register_of(kind, SOURCES[position]), lanes_function(kind, position),
                       "%s.%s.%d" % (label, kind, position)))
    return states


def compute(function, kinds, lanes):
    """Per lane: the function of the values read from the lanes' bits."""
    return [function(*(read(kind, column[lane]) for kind, column in zip(kinds, lanes))) for lane in range(LANES)]


def specified(mask, results):
    return mask & ~sum(1 << lane for lane in range(LANES) if results[lane] is None)


def keeps_upper_half(text):
    """Whether the 16-bit result of a VOP3-only instruction clears the upper half of the register or keeps it is not
    documented (LLVM assumes neither, GCNSubtarget::zeroesHigh16BitsOfDest): its destination begins as 0."""
    mnemonic = text.split()[0]
    return not mnemonic.endswith(("_e32", "_e64", "_dpp", "_sdwa")) and "legacy" not in mnemonic


def emit(file, text, states, exec_mask, destination, kind, results, extra_before=None, old=None):
    """One case with a vector destination. old: lane values of the destination before, where the instruction reads them."""
    exec_mask = specified(exec_mask, results)
    before = {"exec": exec_mask}
    before.update({reg: file.named(name, lanes) for reg, lanes, name in states})
    before.update(extra_before or {})
    name = register_of(kind, destination)
    if old is not None:
        before[name] = old
    elif BITS[kind] == 16 and keeps_upper_half(text):
        before[name] = [0]
    file.case(text, before, {name: under(exec_mask, [r if r is None else write(kind, r) for r in results])})


def plain_cases(file, index, mnemonic, encoding, destination, kinds, function):
    suffix = "_e32" if encoding in ("vop1", "vop2") else ""
    for label, lanes_function in (("boundary", boundary_lanes), ("ordinary", ordinary_lanes)):
        states = source_states(kinds, lanes_function, label)
        text = "%s%s %s, %s" % (mnemonic, suffix, register_of(destination, DESTINATION), ", ".join(s[0] for s in states))
        results = compute(function, kinds, [s[1] for s in states])
        emit(file, text, states, HOLES[index % len(HOLES)], DESTINATION, destination, results)
        suffix = "_e64" if suffix else suffix
        index += 1


def modified(kind, function, changes):
    """The function behind source modifiers: changes[i] is "", "-", "||" or "-||" for source i."""

    def result(*values):
        values = list(values)
        for i, change in enumerate(changes):
            if "||" in change:
                values[i] = exact.magnitude(values[i])
            if "-" in change:
                values[i] = negate(values[i])
        return function(*values)

    return result


def modifier_case(file, index, mnemonic, encoding, destination, kinds, function):
    """neg and abs on float sources, each in another place from row to row."""
    patterns = ["-", "||", "-||", ""]
    changes = [patterns[(index + 3 * i) % 4] if kind[0] == "f" else "" for i, kind in enumerate(kinds)]
    if not any(changes):
        return
    states = source_states(kinds, boundary_lanes, "boundary")
    shown = []
    for change, state in zip(changes, states):
        text = "|%s|" % state[0] if "||" in change else state[0]
        shown.append("-" + text if "-" in change else text)
    text = "%s%s %s, %s" % (mnemonic, "_e64" if encoding != "vop3" else "", register_of(destination, DESTINATION),
                            ", ".join(shown))
    results = compute(modified(destination, function, changes), kinds, [s[1] for s in states])
    emit(file, text, states, HOLES[(index + 2) % len(HOLES)], DESTINATION, destination, results)


def scalar_case(file, index, mnemonic, encoding, destination, kinds, function):
    """One source comes from SGPRs (for vop2 e32: the first), the same for all lanes."""
    lanes = [ordinary_lanes(kind, position) for position, kind in enumerate(kinds)]
    value = lanes[0][index % LANES] & ((1 << (32 * width(kinds[0]))) - 1)
    lanes[0] = [value] * LANES
    scalar = registers("s", 20, width(kinds[0]))
    states = source_states(kinds, ordinary_lanes, "ordinary")
    text = "%s%s %s, %s" % (mnemonic, "_e32" if encoding != "vop3" else "", register_of(destination, DESTINATION),
                            ", ".join([scalar] + [s[0] for s in states[1:]]))
    results = compute(function, kinds, lanes)
    if None not in results:
        emit(file, text, states[1:], HOLES[(index + 3) % len(HOLES)], DESTINATION, destination, results, {scalar: value})


# --- SDWA ---------------------------------------------------------------------------------------------------------

PARTS = {"DWORD": (0, 32), "BYTE_0": (0, 8), "BYTE_1": (8, 8), "BYTE_2": (16, 8), "BYTE_3": (24, 8), "WORD_0": (0, 16),
         "WORD_1": (16, 16)}
NAMES = list(PARTS)


def select(bits, part, sign_extend):
    shift, size = PARTS[part]
    field = bits >> shift & ((1 << size) - 1)
    return signed(field, size) & 0xFFFFFFFF if sign_extend else field


def place(result, part, unused, old):
    shift, size = PARTS[part]
    field = result & ((1 << size) - 1)
    mask = ((1 << size) - 1) << shift
    if unused == "UNUSED_PRESERVE":
        return old & ~mask | field << shift
    if unused == "UNUSED_SEXT":
        return (signed(field, size) << shift) & 0xFFFFFFFF
    return field << shift


def sdwa_case(file, index, mnemonic, encoding, destination, kinds, function):
    if encoding == "vop3" or any(width(k) > 1 for k in kinds + [destination]):
        return
    parts = [NAMES[(index + 2 * i) % len(NAMES)] for i in range(3)]
    unused = ["UNUSED_PRESERVE", "UNUSED_PAD", "UNUSED_SEXT"][index % 3]
    old = [scramble(lane, 7) & 0xFFFFFFFF for lane in range(LANES)]
    states = source_states(kinds, boundary_lanes, "boundary")
    sign_extend = [k[0] == "i" or k in ("u32", "u16") and (index + i) % 2 == 1 for i, k in enumerate(kinds)]
    lanes = [[select(bits, part, sext) for bits in state[1]] for state, part, sext in zip(states, parts[1:], sign_extend)]
    shown = ["sext(%s)" % s[0] if sext else s[0] for s, sext in zip(states, sign_extend)]
    text = "%s_sdwa v%d, %s dst_sel:%s dst_unused:%s %s" % (
        mnemonic, DESTINATION, ", ".join(shown), parts[0], unused,
        " ".join("src%d_sel:%s" % (i, parts[i + 1]) for i in range(len(kinds))))
    results = compute(function, kinds, lanes)
    written = [r if r is None else write(destination, r) for r in results]
    exact_bits = [w if isinstance(w, int) else None
                  for w in written]  # NaNs and approximate results: left to the other cases
    results = [None if b is None else place(b, parts[0], unused, o) for b, o in zip(exact_bits, old)]
    emit(file, text, states, HOLES[(index + 4) % len(HOLES)], DESTINATION, "b32", results, old=file.named("old", old))


# --- DPP ----------------------------------------------------------------------------------------------------------

def quad_perm(*order):
    return "quad_perm:[%d,%d,%d,%d]" % order, lambda lane: lane // 4 * 4 + order[lane % 4]


def in_row(name, move):
    """move: lane number in the row of 16 -> source in the row, or None."""

    def source(lane):
        column = move(lane % 16)
        return None if column is None or not 0 <= column <= 15 else lane // 16 * 16 + column

    return name, source


DPP = [
    quad_perm(1, 0, 3, 2), quad_perm(3, 3, 0, 1),
    in_row("row_shl:1", lambda c: c + 1), in_row("row_shl:15", lambda c: c + 15), in_row("row_shr:1", lambda c: c - 1),
    in_row("row_shr:8", lambda c: c - 8), in_row("row_ror:1", lambda c: (c - 1) % 16),
    in_row("row_ror:12", lambda c: (c - 12) % 16), in_row("row_mirror", lambda c: 15 - c),
    in_row("row_half_mirror", lambda c: c // 8 * 8 + 7 - c % 8),
    ("wave_shl:1", lambda lane: lane + 1 if lane < 63 else None), ("wave_rol:1", lambda lane: (lane + 1) % 64),
    ("wave_shr:1", lambda lane: lane - 1 if lane else None), ("wave_ror:1", lambda lane: (lane - 1) % 64),
    ("row_bcast:15", lambda lane: lane // 16 * 16 - 1 if lane >= 16 else None),
    ("row_bcast:31", lambda lane: 31 if lane >= 32 else None), in_row("row_newbcast:0", lambda c: 0),
    in_row("row_newbcast:9", lambda c: 9),
]
MASKS = [(15, 15), (10, 15), (15, 6), (7, 13), (12, 3)]


def dpp_source(source, lane, exec_mask):
    """The lane that is read, or None: beyond the row, or switched off by EXEC."""
    from_lane = source(lane)
    return from_lane if from_lane is not None and exec_mask >> from_lane & 1 else None


def dpp_case(file, control, masks, bound, exec_mask, mnemonic, destination, kinds, function, lanes_function=boundary_lanes):
    states = source_states(kinds, lanes_function, lanes_function.__name__.split("_")[0])
    name, source = control
    row_mask, bank_mask = masks
    text = "%s_dpp %s, %s %s row_mask:0x%x bank_mask:0x%x%s" % (
        mnemonic, register_of(destination, DESTINATION), ", ".join(s[0] for s in states), name, row_mask, bank_mask,
        " bound_ctrl:0" if bound else "")
    results = []
    for lane in range(LANES):
        enabled = row_mask >> lane // 16 & 1 and bank_mask >> lane // 4 % 4 & 1 and exec_mask >> lane & 1
        from_lane = dpp_source(source, lane, exec_mask)
        if not enabled or (from_lane is None and not bound):
            results.append(None)
            continue
        first = 0 if from_lane is None else states[0][1][from_lane]
        values = [read(kinds[0], first)] + [read(k, s[1][lane]) for k, s in zip(kinds[1:], states[1:])]
        result = function(*values)
        if result is None:
            return  # an unspecified result in an enabled lane: this row is tested elsewhere
        results.append(write(destination, result))
    before = {"exec": exec_mask}
    before.update({reg: file.named(label, lanes) for reg, lanes, label in states})
    after = ["-" if r is None else r for r in results]
    file.case(text, before, {register_of(destination, DESTINATION): after})


def row_dpp_case(file, index, mnemonic, encoding, destination, kinds, function):
    if encoding == "vop3":
        return
    wide = any(width(k) > 1 for k in kinds + [destination])
    control = DPP[-1 - index % 2] if wide else DPP[index % len(DPP)]  # 64-bit operands only know row_newbcast
    dpp_case(file, control, MASKS[index % len(MASKS)], index % 2, HOLES[index % len(HOLES)], mnemonic, destination, kinds,
             function, ordinary_lanes)


def dpp_cases(file):
    file.comment("every DPP control with v_mov_b32, with and without bound_ctrl and masks")
    for i, control in enumerate(DPP):
        for bound in (0, 1):
            dpp_case(file, control, MASKS[(i + bound) % len(MASKS)], bound, HOLES[(i + 3 * bound) % len(HOLES)], "v_mov_b32",
                     "u32", ["u32"], lambda a: a)


# --- output modifiers, constants ----------------------------------------------------------------------------------

def clamp_unit(x):
    if x.nan or x.sign:
        return number(0)
    return number(min(Fraction(1), x.size)) if x.kind == exact.NUMBER else number(1)


def output_cases(file):
    file.comment("output modifiers: clamp to [0, 1] with NaN as 0; omod, which is ignored where denormals are kept, or with "
                 "IEEE (mode 2c0); saturation of integers")
    for form, mnemonic in (("f32", "v_add_f32_e64"), ("f64", "v_add_f64"), ("f16", "v_add_f16_e64")):
        kinds = [form, form]
        flushing = (("mul:2", 0xC0, lambda x: exact.scale(x, 1)), ("mul:4", 0xC0, lambda x: exact.scale(x, 2)),
                    ("div:2", 0xC0, lambda x: exact.scale(x, -1)), ("mul:2", 0x2C0, lambda x: x),
                    ("clamp mul:4", 0xC0, lambda x: clamp_unit(exact.scale(x, 2)))) if form == "f32" else ()
        for modifier, mode, change in (("clamp", 0xF0, clamp_unit), ("mul:2", 0xF0, lambda x: x),
                                       ("div:2", 0xF0, lambda x: x), ("clamp mul:4", 0xF0, clamp_unit)) + flushing:
            states = source_states(kinds, boundary_lanes if modifier == "clamp" else ordinary_lanes,
                                   "boundary" if modifier == "clamp" else "ordinary")
            results = compute(lambda a, b: change(exact.rounded(exact.add(a, b), form)), kinds, [s[1] for s in states])
            emit(file, "%s %s, %s %s" % (mnemonic, register_of(form, DESTINATION), ", ".join(s[0] for s in states),
                                         modifier), states,
                 HOLES[1], DESTINATION, form, results, {"mode": mode} if mode != 0xF0 else None)
    for kind in ("u32", "i32", "u16", "i16"):
        bits = BITS[kind]
        low, high = (0, (1 << bits) - 1) if kind[0] == "u" else (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
        operations = {"add": operator.add, "sub": operator.sub}
        if kind[0] == "u":
            operations["subrev"] = lambda a, b: b - a
        for name, function in operations.items():
            states = source_states([kind, kind], boundary_lanes, "boundary")
            results = compute(lambda a, b: min(max(function(a, b), low), high), [kind, kind], [s[1] for s in states])
            emit(file, "v_%s_%s%s v40, v10, v20 clamp" % (name, kind, "_e64" if kind[0] == "u" else ""), states, HOLES[3],
                 DESTINATION, kind, results)


def half_cases(file):
    """op_sel of VOP3: a bit per source picks its half, the last bit the half of the destination that is written."""
    file.comment("op_sel picks halves of 16-bit operands; the other half of the destination stays")
    wanted = {"v_mad_u16", "v_mad_i16", "v_fma_f16", "v_mad_f16", "v_add_i16", "v_sub_i16", "v_max3_i16", "v_med3_f16",
              "v_mad_u32_u16", "v_pack_b32_f16"}
    old = [scramble(lane, 7) & 0xFFFFFFFF for lane in range(LANES)]
    for mnemonic, _, destination, kinds, function in ROWS:
        if mnemonic not in wanted:
            continue
        narrow = BITS[destination] == 16
        for op_sel in (1, 2, 1 << len(kinds) | 2, (2 << len(kinds)) - 1):
            to_high = op_sel >> len(kinds) & 1
            if to_high and not narrow:
                continue
            states = source_states(kinds, ordinary_lanes, "ordinary")
            lanes = [[v >> 16 if op_sel >> i & 1 and BITS[kinds[i]] == 16 else v for v in s[1]]
                     for i, s in enumerate(states)]
            results = compute(function, kinds, lanes)
            bits = [None if r is None else write(destination, r) for r in results]
            bits = [None if isinstance(b, str) else b for b in bits]
            before = file.named("old", old) if to_high else [0]
            if to_high:
                bits = [None if b is None else o & 0xFFFF | b << 16 for b, o in zip(bits, old)]
            text = "%s v40, %s op_sel:[%s]" % (mnemonic, ", ".join(s[0] for s in states),
                                               ",".join(str(op_sel >> i & 1) for i in range(len(kinds) + 1)))
            emit(file, text, states, HOLES[3], DESTINATION, "b32", bits, old=before)


FLOAT_CONSTANTS = {"0.5": Fraction(1, 2), "-0.5": Fraction(-1, 2), "1.0": 1, "-1.0": -1, "2.0": 2, "-2.0": -2, "4.0": 4,
                   "-4.0": -4}
INVERSE_TWO_PI = {"f16": 0x3118, "f32": 0x3E22F983, "f64": 0x3FC45F306DC9C882}


def constant_cases(file):
    file.comment("inline constants and literals, as each operand type reads them")
    adders = {"f16": "v_add_f16_e64", "f32": "v_add_f32_e64", "f64": "v_add_f64", "u32": "v_add_u32_e64",
              "u16": "v_add_u16_e64"}
    for form in ("f16", "f32", "f64"):
        constants = {text: exact.encode(number(value), form) for text, value in FLOAT_CONSTANTS.items()}
        constants["0.15915494309189532" if form == "f64" else "0.15915494"] = INVERSE_TWO_PI[form]
        literals = {"0x4049": 0x4049} if form == "f16" else {"0x40490fdb": 0x40490FDB} if form == "f32" else {}
        for text, bits in list(constants.items()) + list(literals.items()):
            mnemonic = adders[form].replace("_e64", "_e32") if text in literals else adders[form]
            constant_case(file, mnemonic, text, bits, form, lambda a, b: exact.add(a, b))
        # An integer inline constant stands for its bits. Sums with denormals show them.
        for value in (0, 1, 64, -1, -16):
            bits = value & ((1 << BITS[form]) - 1)
            constant_case(file, adders[form], str(value), bits, form, lambda a, b: exact.add(a, b))
    for kind in ("u32", "u16"):
        for value in (0, 1, 64, -1, -16):
            constant_case(file, adders[kind], str(value), value & ((1 << BITS[kind]) - 1), kind, operator.add)
    constant_case(file, "v_add_u32_e32", "0xdeadbeef", 0xDEADBEEF, "u32", operator.add)
    constant_case(file, "v_add_u32_e64", "1.0", 0x3F800000, "u32", operator.add)
    constant_case(file, "v_add_u16_e32", "0x3c00", 0x3C00, "u16", operator.add)
    states = source_states(["shift"], boundary_lanes, "boundary")
    for text, bits in (("1.0", 0x3FF0000000000000), ("-2", FULL - 1), ("0.15915494309189532", INVERSE_TWO_PI["f64"])):
        results = [bits << (v & 63) for v in states[0][1]]
        emit(file, "v_lshlrev_b64 v[40:41], v10, %s" % text, states, HOLES[1], DESTINATION, "u64", results)


def constant_case(file, mnemonic, text, bits, kind, function):
    lanes = ordinary_lanes(kind, 1)
    states = [(register_of(kind, 20), lanes, "ordinary.%s.1" % kind)]
    results = [function(read(kind, bits), read(kind, v)) for v in lanes]
    emit(file, "%s %s, %s, %s" % (mnemonic, register_of(kind, DESTINATION), text, states[0][0]), states, HOLES[2],
         DESTINATION, kind, results)
