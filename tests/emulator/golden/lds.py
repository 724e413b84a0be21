"""Reference model and golden cases of LDS instructions and of those that move data across lanes.

Lanes take effect in ascending order. Meaning: CDNA2 ISA guide, chapters 10 and 12.
"""

import exact
from casefile import FULL, LANES, lanes_of, registers, under
from exact import add
from memory import FEW, INTEGER_ATOMICS, M32, Memory, float_operation, operand_values, pairs_of, stored_values
from values import scramble
from vector import binary, signed
from vector_cases import HOLES

PERMUTED = [lane * 37 % 64 for lane in range(LANES)]


def places(file, step, shift=0):
    """Address register: a distinct place for each lane, `step` bytes apart, `shift` before the place."""
    return file.named("places.%d.%x" % (step, shift), [0x400 + p * step - shift for p in PERMUTED])


def place(lane, step):
    return 0x400 + PERMUTED[lane] * step


def busy(exec_mask, size, *accesses):
    """Time of accesses of `size` bytes a lane, each a list of lane addresses. 32 banks of 4 B serve 32 lanes of up to 4 B,
    16 of 8 B or 8 of more at once, with or without active lanes among them; different words of one bank take turns, a clk
    each. A misaligned lane counts as many words as an aligned one, from that of its first byte on."""
    together = {1: 32, 2: 32, 4: 32, 8: 16, 12: 8, 16: 8}[size]
    total = fewest = 0
    for addresses in accesses:
        for first in range(0, LANES, together):
            words = {addresses[lane] // 4 + i for lane in range(first, first + together) if exec_mask >> lane & 1
                     for i in range(max(1, size // 4))}
            total += max([1] + [sum(w % 32 == bank for w in words) for bank in range(32)])
            fewest += 1
    return {"lds_clk": total, "conflicts": total - fewest} if total > fewest else {"lds_clk": total}


# mnemonic: (bytes, function(value, register before))
READS = {
    "u8": (1, lambda m, old: m), "i8": (1, lambda m, old: signed(m, 8)), "u16": (2, lambda m, old: m),
    "i16": (2, lambda m, old: signed(m, 16)),
    "u8_d16": (1, lambda m, old: old & 0xFFFF0000 | m), "u8_d16_hi": (1, lambda m, old: old & 0xFFFF | m << 16),
    "i8_d16": (1, lambda m, old: old & 0xFFFF0000 | signed(m, 8) & 0xFFFF),
    "i8_d16_hi": (1, lambda m, old: old & 0xFFFF | (signed(m, 8) & 0xFFFF) << 16),
    "u16_d16": (2, lambda m, old: old & 0xFFFF0000 | m), "u16_d16_hi": (2, lambda m, old: old & 0xFFFF | m << 16),
    "b32": (4, lambda m, old: m), "b64": (8, lambda m, old: m), "b96": (12, lambda m, old: m),
    "b128": (16, lambda m, old: m)}
WRITES = {"b8": (1, 0), "b8_d16_hi": (1, 16), "b16": (2, 0), "b16_d16_hi": (2, 16), "b32": (4, 0), "b64": (8, 0),
          "b96": (12, 0), "b128": (16, 0)}


def read_cases(file):
    file.comment("reads; b64 and wider at any byte")
    memory, old = Memory("lds", 4096), [scramble(lane, 9) & M32 for lane in range(LANES)]
    for i, (name, (size, function)) in enumerate(READS.items()):
        count, step = max(1, size // 4), 16 if size < 16 else 32
        for j, offset in enumerate((0, 5 if size == 1 or size > 4 else 4 * size)):
            exec_mask = HOLES[(i + j) % len(HOLES)]
            values = [function(memory.read(place(lane, step) + offset, size), old[lane]) for lane in range(LANES)]
            before = {"exec": exec_mask, "v10": places(file, step)}
            if "d16" in name:
                before["v40"] = file.named("old", old)
            after = pairs_of(40, count, under(exec_mask, [v & ((1 << 32 * count) - 1) for v in values]))
            file.case("ds_read_%s %s, v10%s" % (name, registers("v", 40, count), " offset:%d" % offset if offset else ""),
                      before, dict(after, **busy(exec_mask, size, [place(lane, step) + offset for lane in range(LANES)])))
    for suffix, unit in (("", 1), ("st64", 64)):
        for bits in (32, 64):
            size, count = bits // 8, bits // 32
            for offsets in ((0, 1), (3, 2)):
                at = [o * size * unit for o in offsets]
                values = [memory.read(place(lane, 8) + at[0], size) | memory.read(place(lane, 8) + at[1], size) << bits
                          for lane in range(LANES)]
                file.case("ds_read2%s_b%d %s, v10 offset0:%d offset1:%d" % (suffix, bits, registers("v", 40, 2 * count),
                                                                            *offsets),
                          {"exec": HOLES[3], "v10": places(file, 8)},
                          dict(pairs_of(40, 2 * count, under(HOLES[3], values)),
                               **busy(HOLES[3], size, *([place(lane, 8) + o for lane in range(LANES)] for o in at))))
    file.case("ds_read_addtid_b32 v40 offset:16", {"exec": HOLES[3], "m0": 0xABCD0100},
              {"v40": under(HOLES[3], [memory.read(0x110 + 4 * lane, 4) for lane in range(LANES)])})
    for text in ("ds_read_b32 v40, v10", "ds_write_b32 v10, v40", "ds_add_u32 v10, v40", "ds_read_u8 v40, v10 offset:3"):
        file.case(text, {"exec": 2, "v10": [0, 0xFFD], "group": 0x1000 - 16 if "offset" in text else 0x1000},
                  {"fault": "lds"})
    file.case("ds_read_b32 v40, v10", {"exec": 1, "v10": [0x200], "group": 0x200}, {"fault": "lds"})
    file.case("ds_add_u32 v10, v40", {"exec": 1, "v10": [2]}, {"fault": "lds"})
    file.case("ds_read_b32 v40, v10", {"exec": 1, "v10": [0, 0x2000]},
              {"v40": [memory.read(0, 4)] + ["-"] * 63, "lds_clk": 2})
    file.case("ds_read_b32 v40, v10", {"exec": 0, "v10": [0x2000]}, {"lds_clk": 2})
    file.case("ds_nop", {"exec": FULL}, {})


def write_cases(file):
    file.comment("writes; where lanes meet the last one wins")
    for name, (size, shift) in WRITES.items():
        count, step = max(1, size // 4), 16 if size < 16 else 32
        values = stored_values(count)
        data = {r: file.named("store." + r.strip("v").replace(":", "."), lanes)
                for r, lanes in pairs_of(20, count, values).items()}
        for offset, meeting in ((0, False), (5 if size == 1 or size > 4 else 4 * size, False), (0, True)):
            memory = Memory("lds", 4096)
            at = [(0x40 if meeting else place(lane, step)) + offset for lane in range(LANES)]
            for lane in lanes_of(FEW):
                memory.write(at[lane], values[lane] >> shift, size)
            file.case("ds_write_%s v10, %s%s" % (name, registers("v", 20, count), " offset:%d" % offset if offset else ""),
                      dict({"exec": FEW, "v10": [0x40] if meeting else places(file, step)}, **data),
                      dict(memory.after(), **busy(FEW, size, at)))
    for suffix, unit in (("", 1), ("st64", 64)):
        for bits in (32, 64):
            size, count, memory = bits // 8, bits // 32, Memory("lds", 4096)
            values = stored_values(2 * count)
            for lane in lanes_of(FEW):
                memory.write(place(lane, 8) + 3 * size * unit, values[lane], size)
            for lane in lanes_of(FEW):
                memory.write(place(lane, 8) + 1 * size * unit, values[lane] >> bits, size)
            before = {"exec": FEW, "v10": places(file, 8),
                      registers("v", 20, count): [v & ((1 << bits) - 1) for v in values],
                      registers("v", 30, count): [v >> bits for v in values]}
            low, high = registers("v", 20, count), registers("v", 30, count)
            file.case("ds_write2%s_b%d v10, %s, %s offset0:3 offset1:1" % (suffix, bits, low, high), before,
                      dict(memory.after(), **busy(FEW, size, *(
                          [place(lane, 8) + o * size * unit for lane in range(LANES)] for o in (3, 1)))))
    memory, values = Memory("lds", 4096), stored_values(1)
    for lane in lanes_of(FEW):
        memory.write(0x110 + 4 * lane, values[lane], 4)
    file.case("ds_write_addtid_b32 v20 offset:16", {"exec": FEW, "m0": 0xABCD0100, "v20": file.named("store.20", values)},
              memory.after())


def exchanged_halves(m, d):
    halves = [(d >> s & 0x7FFFFFFF) if d >> (s + 31) & 1 else m >> s & M32 for s in (0, 32)]
    return halves[0] | halves[1] << 32


def equal_floats(form):
    return lambda m, d, e: e if exact.compare(exact.decode(m, form), exact.decode(d, form)) == 0 else m


def atomics():
    """(name, type suffix, bytes, function(memory, data0, data1), kind of values, data operands, forms)"""
    both = (False, True)
    for bits in (32, 64):
        size = bits // 8
        for name, function in INTEGER_ATOMICS.items():
            if name == "swap":
                continue
            if name in ("smin", "smax"):
                yield name[1:], "i%d" % bits, size, lambda m, d, e, f=function, n=bits: f(signed(m, n),
                                                                                          signed(d, n)), None, 1, both
            else:
                suffix = ("b%d" if name in ("and", "or", "xor") else "u%d") % bits
                yield name[1:] if name[0] == "u" else name, suffix, size, lambda m, d, e, f=function: f(m, d), None, 1, both
        yield "rsub", "u%d" % bits, size, lambda m, d, e: d - m, None, 1, both
        form = "f%d" % bits
        yield "add", form, size, lambda m, d, e, f=float_operation(form, add): f(m, d), form, 1, both
        yield "min", form, size, lambda m, d, e, f=float_operation(form, exact.smaller): f(m, d), form, 1, both
        yield "max", form, size, lambda m, d, e, f=float_operation(form, exact.larger): f(m, d), form, 1, both
        yield "mskor", "b%d" % bits, size, lambda m, d, e: m & ~d | e, None, 2, both
        yield "cmpst", "b%d" % bits, size, lambda m, d, e: e if m == d else m, None, 2, both
        yield "cmpst", form, size, equal_floats(form), form, 2, both
        yield "wrxchg", "b%d" % bits, size, lambda m, d, e: d, None, 1, (True,)
    yield "wrap", "b32", 4, lambda m, d, e: m - d if m >= d else m + e, None, 2, (True,)
    yield "condxchg32", "b64", 8, lambda m, d, e: exchanged_halves(m, d), None, 1, (True,)


def atomic_case(file, name, suffix, size, function, kind, operands, returns, meeting):
    """meeting: the lanes that do, at one place; 0: others, each at its own."""
    count, mask = size // 4, (1 << 8 * size) - 1
    words, data = operand_values(size, kind)
    if operands == 2:
        data = [words[lane] if lane % 3 == 0 else data[lane] for lane in range(LANES)]  # cmpst: a third are equal
    third = [scramble(lane, 60) & mask for lane in range(LANES)]
    memory, old = Memory("lds", 4096), ["-"] * LANES
    exec_mask = meeting or FEW

    def at(lane):
        return 0x40 if meeting else place(lane, 16) + 8

    for lane in lanes_of(exec_mask):
        memory.write(at(lane), words[lane], size)
    before = {"exec": exec_mask, "v10": [0x38] if meeting else places(file, 16)}
    before.update({key: ",".join("%x" % w for w in value) for key, value in memory.after().items()})
    for lane in lanes_of(exec_mask):
        old[lane] = memory.read(at(lane), size)
        memory.write(at(lane), function(old[lane], data[lane], third[lane]) & mask, size)
    label = "%s.%d.%d" % (kind or "integer", size, operands)
    before[registers("v", 20, count)] = file.named(label + ".data", data)
    text = registers("v", 20, count)
    if operands == 2:
        before[registers("v", 30, count)] = file.named("third.%d" % size, third)
        text += ", " + registers("v", 30, count)
    after = memory.after()
    if returns:
        after[registers("v", 40, count)] = old
        text = "ds_%s_rtn_%s %s, v10, %s offset:8" % (name, suffix, registers("v", 40, count), text)
    else:
        text = "ds_%s_%s v10, %s offset:8" % (name, suffix, text)
    file.case(text, before, dict(after, **busy(exec_mask, size, [at(lane) for lane in range(LANES)])))


def atomic_cases(file):
    file.comment("atomics")
    for name, suffix, size, function, kind, operands, forms in atomics():
        for returns in forms:
            for meeting in (0, 0x8000000000000027, FULL ^ 6):
                atomic_case(file, name, suffix, size, function, kind, operands, returns, meeting)
    for suffix, unit in (("", 1), ("st64", 64)):
        for bits in (32, 64):
            size, count, memory = bits // 8, bits // 32, Memory("lds", 4096)
            values, old = stored_values(2 * count), ["-"] * LANES
            for lane in lanes_of(FEW):
                at = [place(lane, 8) + o * size * unit for o in (3, 1)]
                old[lane] = memory.read(at[0], size) | memory.read(at[1], size) << bits
                memory.write(at[0], values[lane], size)
                memory.write(at[1], values[lane] >> bits, size)
            before = {"exec": FEW, "v10": places(file, 8),
                      registers("v", 20, count): [v & ((1 << bits) - 1) for v in values],
                      registers("v", 30, count): [v >> bits for v in values]}
            file.case("ds_wrxchg2%s_rtn_b%d %s, v10, %s, %s offset0:3 offset1:1" % (
                suffix, bits, registers("v", 40, 2 * count), registers("v", 20, count), registers("v", 30, count)), before,
                dict(memory.after(), **pairs_of(40, 2 * count, old), **busy(FEW, size, *(
                    [place(lane, 8) + o * size * unit for lane in range(LANES)] for o in (3, 1)))))
    for name, sign in (("append", 1), ("consume", -1)):
        memory = Memory("lds", 4096)
        first = memory.read(0x24, 4)
        memory.write(0x24, first + sign * len(lanes_of(FEW)), 4)
        file.case("ds_%s v40 offset:4" % name, {"exec": FEW, "m0": 0x20},
                  dict(memory.after(), v40=under(FEW, [first] * LANES)))
    file.comment("global wave sync: the barrier of cooperative launches (grid.sync()), no semaphores; no GDS")
    file.case("ds_gws_init v10 gds", {"exec": 1, "v10": [3]}, {})
    file.case("ds_gws_barrier v10 gds", {"exec": 1, "v10": [3], "cooperative": 1}, {"state": "grid"})
    file.case("ds_gws_barrier v10 gds", {"exec": 1, "v10": [3]}, {"fault": "barrier"})
    for text in ("ds_gws_sema_v gds", "ds_gws_sema_p gds", "ds_gws_sema_br v10 gds", "ds_gws_sema_release_all gds",
                 "ds_add_u32 v10, v20 gds"):
        file.case(text, {"exec": 1, "v10": [0]}, {"fault": "gap"})


def extreme_cases(file):
    file.comment("least and greatest f32: NaN that are quiet lose, others win; -0 is below +0")
    quiet, loud, one, minus_zero = 0x7FC00000, 0x7F800001, 0x3F800000, 0x80000000
    for name, place, data, result in (
            ("max", quiet, one, one), ("min", quiet, one, one), ("max", one, quiet, one),
            ("max", loud, one, loud | 0x400000),
            ("min", one, loud, loud | 0x400000), ("max", minus_zero, 0, 0), ("min", 0, minus_zero, minus_zero)):
        file.case("ds_%s_rtn_f32 v40, v10, v20" % name,
                  {"exec": 1, "v10": [0x40], "v20": [data], "lds@40": "%x" % place},
                  {"lds@40": result, "v40": under(1, [place] * LANES), "lds_clk": 2})


# ---- across lanes ----

def lane_cases(file):
    file.comment("readlane, writelane, mbcnt: the first two do not ask EXEC")
    values = [scramble(lane, 77) & M32 for lane in range(LANES)]
    before = {"v10": file.named("lanes", values)}
    for exec_mask, first in ((0x10, 4), (FULL, 0), (1 << 63, 63), (0, 0)):
        file.case("v_readfirstlane_b32 s40, v10", dict(before, exec=exec_mask), {"s40": values[first]})
    for lane in (0, 5, 63, 64 + 7, 0xFFFFFFFF):
        file.case("v_readlane_b32 s40, v10, s20", dict(before, exec=0, s20=lane), {"s40": values[lane & 63]})
        after = ["-"] * LANES
        after[lane & 63] = 17
        file.case("v_writelane_b32 v40, 17, s20", {"exec": 0, "s20": lane}, {"v40": after})
    file.case("v_readlane_b32 s40, v10, 33", dict(before, exec=1), {"s40": values[33]})
    file.case("v_readlane_b32 vcc_hi, v10, m0", dict(before, exec=1, m0=9, vcc=5), {"vcc": values[9] << 32 | 5})
    file.case("v_writelane_b32 v40, s10, 2", {"exec": 0, "s10": 0xABCD}, {"v40": ["-", "-", 0xABCD] + ["-"] * 61})
    for mnemonic, shift in (("v_mbcnt_lo_u32_b32", 0), ("v_mbcnt_hi_u32_b32", 32)):
        for mask in (FULL >> 32, 0x5A0F00F1):
            below = [binary((mask << shift) & ((1 << lane) - 1), 64).count("1") for lane in range(LANES)]
            file.case("%s v40, s10, v10" % mnemonic, dict(before, exec=HOLES[3], s10=mask),
                      {"v40": under(HOLES[3], [b + v & M32 for b, v in zip(below, values)])})
    file.case("v_mbcnt_lo_u32_b32 v40, -1, 0", {"exec": FULL}, {"v40": [min(lane, 32) for lane in range(LANES)]})


def conflict_cases(file):
    file.comment("bank conflicts: lanes that need different words of one bank take turns, equal words are read once")
    memory = Memory("lds", 4096)
    everywhere = [4 * lane for lane in range(LANES)]
    patterns = [("one word", [0x80] * LANES)] + [("stride %d" % stride, [stride * lane % 4096 for lane in range(LANES)])
                                                 for stride in (4, 8, 12, 16, 32, 64, 68, 128, 132, 256)]
    patterns += [("pairs", [4 * (lane // 2) for lane in range(LANES)]), ("reversed", everywhere[::-1]),
                 ("halves apart", everywhere[:32] + [128 * lane for lane in range(32)])]
    for size in (4, 8, 16):
        count = size // 4
        for name, pattern in patterns:
            at = [a // size * size for a in pattern] if name == "one word" else [a * count % 4096 for a in pattern]
            for exec_mask in (FULL, 0x5555555555555555):
                values = [memory.read(a, size) for a in at]
                file.case("ds_read_b%d %s, v10" % (8 * size, registers("v", 40, count)),
                          {"exec": exec_mask, "v10": file.named("banks.%d.%s" % (size, name.replace(" ", ".")), at)},
                          dict(pairs_of(40, count, under(exec_mask, values)), **busy(exec_mask, size, at)))
    # As measured on an MI250 (ROCm Compute Profiler, LDS examples): k lanes, k + 1 clk, k - 1 conflicts.
    for lanes in (1, 2, 3, 32):
        exec_mask = (1 << lanes) - 1
        after = {"v40": under(exec_mask, [memory.read(128 * lane, 4) if lane < 32 else 0 for lane in range(LANES)]),
                 "lds_clk": lanes + 1}
        if lanes > 1:
            after["conflicts"] = lanes - 1
        file.case("ds_read_b32 v40, v10", {"exec": exec_mask, "v10": "@banks.4.stride.128"}, after)


# A part of the first span of 16 lanes, all of the second and the last.
PARTS = 0xFFFF0000FFFF7FF1


def lying(size):
    """Lanes as kernels have them: (name, the address of each)."""
    yield "behind", [0x100 + size * lane for lane in range(LANES)]
    yield "over", [0x100 + size * (lane % 16 + lane // 16) for lane in range(LANES)]  # each span an element further
    yield "apart", [0x100 + size * (lane % 16) + 0x180 * (lane // 16) for lane in range(LANES)]
    yield "rows", [0x100 + 0x210 * (lane // 32) for lane in range(LANES)]
    yield "columns", [0x100 + size * (lane % 32) for lane in range(LANES)]
    yield "backwards", [0x700 - size * lane for lane in range(LANES)]


def lying_at(file, size, name, at):
    return file.named("lie.%d.%s" % (size, name), at)


def pattern_reads(file):
    memory, old = Memory("lds", 4096), [scramble(lane, 9) & M32 for lane in range(LANES)]
    for instruction, (size, function) in READS.items():
        count = max(1, size // 4)
        for name, at in lying(size):
            for exec_mask in (FULL, PARTS):
                values = [function(memory.read(a, size), o) & ((1 << 32 * count) - 1) for a, o in zip(at, old)]
                before = {"exec": exec_mask, "v10": lying_at(file, size, name, at)}
                if "d16" in instruction:
                    before["v40"] = file.named("old", old)
                file.case("ds_read_%s %s, v10" % (instruction, registers("v", 40, count)), before,
                          dict(pairs_of(40, count, under(exec_mask, values)), **busy(exec_mask, size, at)))
    for size in (4, 8):
        count = size // 4
        for name, at in lying(size):
            for exec_mask in (FULL, PARTS, 0x11):  # over its own addresses
                both = [[a + size * o for a in at] for o in (0, 33)]
                values = [memory.read(a, size) | memory.read(b, size) << 8 * size for a, b in zip(*both)]
                before = lying_at(file, size, name, at)
                after = pairs_of(10, 2 * count, under(exec_mask, values))
                after = {key: [at[lane] if word == "-" and key == "v10" else word for lane, word in enumerate(row)]
                         for key, row in after.items()}
                file.case("ds_read2_b%d %s, v10 offset0:0 offset1:33" % (8 * size, registers("v", 10, 2 * count)),
                          {"exec": exec_mask, "v10": before}, dict(after, **busy(exec_mask, size, *both)))


def pattern_writes(file):
    for instruction, (size, shift) in WRITES.items():
        count = max(1, size // 4)
        values = stored_values(count)
        data = {r: file.named("store." + r.strip("v").replace(":", "."), lanes)
                for r, lanes in pairs_of(20, count, values).items()}
        for name, at in lying(size):
            for exec_mask in (FULL, PARTS):
                memory = Memory("lds", 4096)
                for lane in lanes_of(exec_mask):
                    memory.write(at[lane], values[lane] >> shift, size)
                file.case("ds_write_%s v10, %s" % (instruction, registers("v", 20, count)),
                          dict({"exec": exec_mask, "v10": lying_at(file, size, name, at)}, **data),
                          dict(memory.after(), **busy(exec_mask, size, at)))


def pattern_cases(file):
    file.comment("lanes as kernels have them, each pattern at more than one place")
    memory = Memory("lds", 4096)
    pattern_reads(file)
    pattern_writes(file)
    strides = [stride for stride in range(2, 64, 2)
               if len({str(busy(FULL, 2, [p + stride * lane for lane in range(LANES)])) for p in (0, 2)}) > 1]
    for at in ([p + strides[0] * lane for lane in range(LANES)] for p in (0, 2, 8, 130)):
        file.case("ds_read_u16 v40, v10", {"exec": FULL, "v10": lying_at(file, 2, "phase.%d" % at[0], at)},
                  dict({"v40": [memory.read(a, 2) for a in at]}, **busy(FULL, 2, at)))
    apart = [0x100 + 0x80 * (lane // 8) + 4 * (lane % 3) for lane in range(LANES)]
    for size, exec_mask in ((4, 1 | 1 << 40), (8, 1 << 3 | 1 << 20 | 1 << 63), (16, 3 | 1 << 40), (4, 9), (4, 1 | 1 << 8)):
        values = [memory.read(a, size) for a in apart]  # of few lanes: at once, or one after the other
        file.case("ds_read_b%d %s, v10" % (8 * size, registers("v", 40, size // 4)),
                  {"exec": exec_mask, "v10": file.named("few.apart", apart)},
                  dict(pairs_of(40, size // 4, under(exec_mask, values)), **busy(exec_mask, size, apart)))
    file.comment("a known pattern whose first or last lane is outside")
    inside = dict(lying(4))
    for name, group in (("behind", 0x1FF), ("columns", 0x17F), ("over", 0x14B)):
        for text in ("ds_read_b32 v40, v10", "ds_write_b32 v10, v40", "ds_read2_b32 v[40:41], v10 offset0:0 offset1:0"):
            file.case(text, {"exec": FULL, "v10": lying_at(file, 4, name, inside[name]), "group": group}, {"fault": "lds"})
    for text in ("ds_read2_b32 v[40:41], v10 offset0:0 offset1:1", "ds_read2_b32 v[40:41], v10 offset0:1 offset1:0"):
        file.case(text, {"exec": FULL, "v10": lying_at(file, 4, "behind", inside["behind"]), "group": 0x200},
                  {"fault": "lds"})
    below = [a - 0x700 + 4 * 62 & M32 for a in inside["backwards"]]
    for text in ("ds_read_b32 v40, v10", "ds_write_b32 v10, v40", "ds_add_u32 v10, v40"):
        file.case(text, {"exec": FULL, "v10": lying_at(file, 4, "below", below)}, {"fault": "lds"})


def permute_cases(file):
    file.comment("permutes: an inactive lane gives 0; ds_permute's highest pushing lane wins")
    values = [scramble(lane, 77) & M32 for lane in range(LANES)]
    addresses = [scramble(lane, 78) & 0x3FF for lane in range(LANES)]
    before = {"v10": file.named("permute.addresses", addresses), "v20": file.named("lanes", values)}
    for offset in (0, 8):
        for exec_mask in (FULL, HOLES[3]):
            sources = [(a + offset) // 4 % 64 for a in addresses]
            tail = " offset:%d" % offset if offset else ""
            file.case("ds_bpermute_b32 v40, v10, v20" + tail, dict(before, exec=exec_mask),
                      {"v40": under(exec_mask, [values[s] if exec_mask >> s & 1 else 0 for s in sources])})
            pushed = [0] * LANES
            for lane in lanes_of(exec_mask):
                pushed[sources[lane]] = values[lane]
            file.case("ds_permute_b32 v40, v10, v20" + tail, dict(before, exec=exec_mask), {"v40": under(exec_mask, pushed)})
    patterns = {"swizzle(QUAD_PERM,1,0,3,2)": lambda i: i & ~3 | (1, 0, 3, 2)[i & 3],
                "swizzle(SWAP,1)": lambda i: i ^ 1, "swizzle(SWAP,16)": lambda i: i ^ 16,
                "swizzle(REVERSE,32)": lambda i: i ^ 31, "swizzle(BROADCAST,8,3)": lambda i: i & 24 | 3,
                'swizzle(BITMASK_PERM,"01pi0")': lambda i: (i & 6 | 8) ^ 2}
    for text, function in patterns.items():
        for exec_mask in (FULL, HOLES[3]):
            sources = [lane & 32 | function(lane & 31) for lane in range(LANES)]
            file.case("ds_swizzle_b32 v40, v20 offset:" + text, {"exec": exec_mask, "v20": "@lanes"},
                      {"v40": under(exec_mask, [values[s] if exec_mask >> s & 1 else 0 for s in sources])})


def all_cases(file):
    for cases in (read_cases, write_cases, atomic_cases, extreme_cases, conflict_cases, pattern_cases, lane_cases,
                  permute_cases):
        cases(file)
