"""Reference model and golden cases of vector memory: GLOBAL, FLAT and BUFFER loads, stores and atomics.

Lanes of one instruction take effect in ascending order (the device leaves the order open). Meaning: CDNA2 ISA guide,
chapters 9 and 12; operand order of cmpswap: data[0] is the new value, data[1] the compared one.
"""

import operator

from casefile import FULL, LANES, lanes_of, memory_byte, registers, under
from exact import add, decode, encode, smaller, larger
from values import ordinary_lanes, scramble
from vector import signed
from vector_cases import HOLES

M32 = 2**32 - 1
FEW = 0x8100400A00010421  # EXEC of stores: the words that change are listed in full


class Memory:
    """Bytes that begin with the test's pattern and remember which dwords were written."""

    def __init__(self, name, size):
        self.name, self.bytes, self.written = name, bytearray(map(memory_byte, range(size))), set()

    def read(self, offset, count):
        return int.from_bytes(self.bytes[offset:offset + count], "little")

    def write(self, offset, value, count):
        self.bytes[offset:offset + count] = (value & ((1 << 8 * count) - 1)).to_bytes(count, "little")
        self.written.update(range(offset // 4, (offset + count - 1) // 4 + 1))

    def after(self):
        """Items of the state after: runs of written dwords."""
        items, start = {}, None
        for word in sorted(self.written):
            if word - 1 not in self.written:
                start = word
            items.setdefault("%s@%x" % (self.name, 4 * start), []).append(self.read(4 * word, 4))
        return items


def scattered(lane, size):
    """Distinct places for the lanes, 32 bytes apart, naturally aligned for parts of a dword."""
    return 0x80 + lane * 37 % 64 * 32 + (lane * size & 3 if size < 4 else 0)


def pairs_of(first, count, lanes):
    """Register items for `count` registers: 64-bit pairs, then a single one. lanes: one integer per lane."""
    items = {}
    for i in range(0, count, 2):
        step = min(2, count - i)
        items[registers("v", first + i, step)] = [
            v if v == "-" else v >> 32 * i & ((1 << 32 * step) - 1) for v in lanes]
    return items


def stored_values(count):
    return [sum((scramble(lane, 50 + i) & M32) << 32 * i for i in range(count)) for lane in range(LANES)]


class Form:
    """How an instruction names its addresses: operand text, state before, and the offset in memory of each lane."""

    def __init__(self, prefix, address, suffix, before, offset_of):
        self.prefix, self.address, self.suffix, self.before, self.offset_of = prefix, address, suffix, before, offset_of

    def text(self, mnemonic, data=None, destination=None, flags=""):
        """Global and flat: destination, address, data; buffer: data first."""
        if self.prefix == "buffer_":
            parts = [data or destination] + self.address
        elif self.prefix == "global_":
            parts = [destination, self.address[0], data, self.address[1]]
        else:
            parts = [destination, self.address[0], data]
        return " ".join(("%s%s %s %s %s" % (self.prefix, mnemonic, ", ".join(p for p in parts if p), self.suffix,
                                            flags)).split())


def forms(file, size):
    """Address forms for elements of `size` bytes."""

    def relative(base, shift=0):
        return file.named("%s.%d.%x" % (base, min(size, 4), shift),
                          [("mem+%x" if base == "address" else "%x") % (scattered(lane, size) - shift)
                           for lane in range(LANES)])

    def place(lane):
        return scattered(lane, size)

    yield Form("global_", ["v[10:11]", "off"], "", {"v[10:11]": relative("address")}, place)
    yield Form("global_", ["v[10:11]", "off"], "offset:-64", {"v[10:11]": relative("address", -64)}, place)
    yield Form("global_", ["v10", "s[12:13]"], "offset:64", {"v10": relative("index", 0x70), "s[12:13]": "mem+30"}, place)
    yield Form("flat_", ["v[10:11]"], "", {"v[10:11]": relative("address")}, place)
    yield Form("flat_", ["v[10:11]"], "offset:96", {"v[10:11]": relative("address", 96)}, place)


def buffer_forms(file, size):
    """Linear descriptors: base mem+20, 0x900 bytes of records."""
    linear = {"s[12:13]": "mem+20", "s14": 0x900, "s15": 0x27000}
    index = file.named("buffer.%d" % min(size, 4), [scattered(lane, size) - 0x40 for lane in range(LANES)])
    yield Form("buffer_", ["v10", "s[12:15]", "0"], "offen offset:32", dict(linear, v10=index),
               lambda lane: scattered(lane, size))
    yield Form("buffer_", ["v10", "s[12:15]", "s20"], "offen", dict(linear, v10=index, s20=32),
               lambda lane: scattered(lane, size))
    strided = {"s[12:13]": "mem+20000000000020", "s14": 0x40, "s15": 0x27000}  # stride 32 in bits 48 to 61
    records = file.named("records", [lane * 5 % 64 for lane in range(LANES)])
    yield Form("buffer_", ["v10", "s[12:15]", "0"], "idxen offset:8", dict(strided, v10=records),
               lambda lane: 0x28 + 32 * (lane * 5 % 64))
    both = file.named("records.and.offsets", [lane * 5 % 64 | 8 << 32 for lane in range(LANES)])
    yield Form("buffer_", ["v[10:11]", "s[12:15]", "0"], "idxen offen", {**strided, "v[10:11]": both},
               lambda lane: 0x28 + 32 * (lane * 5 % 64))


# ---- loads ----

# mnemonic: (bytes, function(value in memory, register before))
LOADS = {
    "load_ubyte": (1, lambda m, old: m), "load_sbyte": (1, lambda m, old: signed(m, 8)),
    "load_ushort": (2, lambda m, old: m), "load_sshort": (2, lambda m, old: signed(m, 16)),
    "load_ubyte_d16": (1, lambda m, old: old & 0xFFFF0000 | m),
    "load_ubyte_d16_hi": (1, lambda m, old: old & 0xFFFF | m << 16),
    "load_sbyte_d16": (1, lambda m, old: old & 0xFFFF0000 | signed(m, 8) & 0xFFFF),
    "load_sbyte_d16_hi": (1, lambda m, old: old & 0xFFFF | (signed(m, 8) & 0xFFFF) << 16),
    "load_short_d16": (2, lambda m, old: old & 0xFFFF0000 | m),
    "load_short_d16_hi": (2, lambda m, old: old & 0xFFFF | m << 16), "load_dword": (4, lambda m, old: m),
    "load_dwordx2": (8, lambda m, old: m), "load_dwordx3": (12, lambda m, old: m), "load_dwordx4": (16, lambda m, old: m),
}


def load_case(file, form, mnemonic, exec_mask, flags=""):
    size, function = LOADS[mnemonic]
    count = max(1, size // 4)
    memory, old = Memory("mem", 4096), [scramble(lane, 9) & M32 for lane in range(LANES)]
    results = [function(memory.read(form.offset_of(lane), size), old[lane]) for lane in range(LANES)]
    before = dict({"exec": exec_mask}, **form.before)
    if "d16" in mnemonic:
        before["v40"] = file.named("old", old)
    file.case(form.text(mnemonic, destination=registers("v", 40, count), flags=flags), before,
              pairs_of(40, count, under(exec_mask, [r & ((1 << 32 * count) - 1) for r in results])))


def load_cases(file):
    file.comment("loads")
    for i, (mnemonic, (size, _)) in enumerate(LOADS.items()):
        for j, form in enumerate(list(forms(file, size)) + list(buffer_forms(file, size))):
            load_case(file, form, mnemonic, HOLES[(i + j) % len(HOLES)], ["", "glc", "glc slc"][(i + j) % 3])
        side_by_side = Form("global_", ["v10", "s[12:13]"], "", {
            "v10": file.named("contiguous.%d" % size, [size * lane for lane in range(LANES)]), "s[12:13]": "mem+100"},
            lambda lane: 0x100 + size * lane)
        load_case(file, side_by_side, mnemonic, FULL)
        load_case(file, side_by_side, mnemonic, HOLES[3])
    same = Form("global_", ["v10", "s[12:13]"], "", {"v10": [0], "s[12:13]": "mem+100"}, lambda lane: 0x100)
    load_case(file, same, "load_dword", FULL)
    file.comment("beyond a buffer's records lanes read 0 and store nothing; no lane active; misses")
    linear = {"s[12:13]": "mem+20", "s14": 0x40, "s15": 0x27000,
              "v10": file.named("fours", [4 * lane for lane in range(LANES)])}
    memory = Memory("mem", 4096)
    file.case("buffer_load_dword v40, v10, s[12:15], 0 offen", dict(linear, exec=FULL),
              {"v40": [memory.read(0x20 + 4 * lane, 4) if lane < 16 else 0 for lane in range(LANES)]})
    file.case("buffer_store_dword v20, v10, s[12:15], 0 offen", dict(linear, exec=0x38000, v20=[5]), {"mem@5c": 5})
    file.case("buffer_load_dword v40, v10, s[12:15], 0 offen", dict(linear, **{"s[12:13]": "mem+8000000000000020"}),
              {"fault": "gap"})  # swizzled
    file.case("buffer_load_dword v40, off, s[12:15], 0 offset:12", dict(linear, exec=7),
              {"v40": under(7, [memory.read(0x2C, 4)] * LANES)})
    file.case("global_load_dword v40, v[10:11], off", {"exec": 0, "v[10:11]": [0]}, {})
    for text in ("global_load_dword v40, v[10:11], off", "global_store_dword v[10:11], v40, off",
                 "global_atomic_add v[10:11], v40, off", "flat_load_dword v40, v[10:11]"):
        file.case(text, {"exec": 4, "v[10:11]": ["mem+0", "mem+0", "mem+1000"]}, {"fault": "address"})
        file.case(text, {"exec": 4, "v[10:11]": [0]}, {"fault": "address"})
    file.case("global_atomic_add v[10:11], v40, off", {"exec": 1, "v[10:11]": ["mem+2"]}, {"fault": "address"})
    file.case("global_atomic_add_x2 v[10:11], v[40:41], off", {"exec": 1, "v[10:11]": ["mem+4"]}, {"fault": "address"})
    for text in ("buffer_wbinvl1", "buffer_wbinvl1_vol", "buffer_wbl2", "buffer_invl2"):
        file.case(text, {"exec": FULL}, {})


# ---- stores ----

# mnemonic: (bytes, shift of the stored part)
STORES = {"store_byte": (1, 0), "store_byte_d16_hi": (1, 16), "store_short": (2, 0), "store_short_d16_hi": (2, 16),
          "store_dword": (4, 0), "store_dwordx2": (8, 0), "store_dwordx3": (12, 0), "store_dwordx4": (16, 0)}


def store_case(file, form, mnemonic, exec_mask):
    size, shift = STORES[mnemonic]
    count = max(1, size // 4)
    values, memory = stored_values(count), Memory("mem", 4096)
    for lane in lanes_of(exec_mask):
        memory.write(form.offset_of(lane), values[lane] >> shift, size)
    before = dict({"exec": exec_mask}, **form.before)
    for register, lanes in pairs_of(20, count, values).items():
        before[register] = file.named("store." + register.strip("v").replace(":", "."), lanes)
    file.case(form.text(mnemonic, data=registers("v", 20, count)), before, memory.after())


def store_cases(file):
    file.comment("stores; where lanes meet the last one wins")
    for mnemonic, (size, _) in STORES.items():
        for form in list(forms(file, size)) + list(buffer_forms(file, size)):
            store_case(file, form, mnemonic, FEW)
        side_by_side = Form("global_", ["v10", "s[12:13]"], "", {
            "v10": file.named("contiguous.%d" % size, [size * lane for lane in range(LANES)]), "s[12:13]": "mem+100"},
            lambda lane: 0x100 + size * lane)
        store_case(file, side_by_side, mnemonic, FULL)
        store_case(file, side_by_side, mnemonic, FEW)
        meeting = Form("global_", ["v10", "s[12:13]"], "", {"v10": [0], "s[12:13]": "mem+100"}, lambda lane: 0x100)
        store_case(file, meeting, mnemonic, FEW)


# ---- apertures and scratch ----

def swizzled(offset, lane):
    return offset // 4 * 256 + 4 * lane + offset % 4


def aperture_cases(file):
    file.comment("generic addresses: LDS, private memory and global memory in one instruction")
    shared, private = 1 << 48, 2 << 48
    lanes = [[shared + 0x40 + 4 * lane, private + 8 + 4 * (lane % 4), "mem+%x" % (0x200 + 4 * lane)][lane % 3]
             for lane in range(LANES)]
    before = {"exec": HOLES[1], "v[10:11]": file.named("generic", lanes), "flat_scratch": "scratch+0"}
    memory = {0: Memory("lds", 4096), 1: Memory("scratch", 4096), 2: Memory("mem", 4096)}

    def offset_of(lane):
        return [0x40 + 4 * lane, swizzled(8 + 4 * (lane % 4), lane), 0x200 + 4 * lane][lane % 3]

    file.case("flat_load_dword v40, v[10:11]", before,
              {"v40": under(HOLES[1], [memory[lane % 3].read(offset_of(lane), 4) for lane in range(LANES)])})
    file.case("flat_load_ubyte v40, v[10:11] offset:1", before,
              {"v40": under(HOLES[1], [memory[lane % 3].read(offset_of(lane) + 1, 1) for lane in range(LANES)])})
    values = stored_values(1)
    for lane in lanes_of(FEW):
        memory[lane % 3].write(offset_of(lane), values[lane], 4)
    after = {key: value for m in memory.values() for key, value in m.after().items()}
    file.case("flat_store_dword v[10:11], v20", dict(before, exec=FEW, v20=file.named("store.20", values)), after)
    two = Memory("scratch", 4096)
    pair = stored_values(2)
    file.case("flat_load_dwordx2 v[40:41], v[10:11]",
              {"exec": FEW, "v[10:11]": [private + 12], "flat_scratch": "scratch+0"},
              {"v[40:41]": under(FEW, [two.read(swizzled(12, lane), 4) | two.read(swizzled(16, lane), 4) << 32
                                       for lane in range(LANES)])})
    for lane in lanes_of(FEW):
        two.write(swizzled(12, lane), pair[lane], 4)
        two.write(swizzled(16, lane), pair[lane] >> 32, 4)
    file.case("flat_store_dwordx2 v[10:11], v[20:21]",
              {"exec": FEW, "v[10:11]": [private + 12], "flat_scratch": "scratch+0",
               "v[20:21]": file.named("store.[20.21]", pair)}, two.after())
    add = Memory("lds", 4096)
    old = [add.read(0x40 + 4 * lane, 4) for lane in range(LANES)]
    for lane in lanes_of(FEW):
        add.write(0x40 + 4 * lane, old[lane] + values[lane], 4)
    file.case("flat_atomic_add v40, v[10:11], v20 glc",
              {"exec": FEW, "v[10:11]": [shared + 0x40 + 4 * lane for lane in range(LANES)], "v20": "@store.20"},
              dict(add.after(), v40=under(FEW, old)))
    private_cases(file, private)
    file.case("flat_load_dword v40, v[10:11]", {"exec": 1, "v[10:11]": [shared + 0x1000]}, {"fault": "lds"})
    file.case("flat_load_dword v40, v[10:11]", {"exec": 1, "v[10:11]": [private + 64], "flat_scratch": "scratch+0"},
              {"fault": "scratch"})


def private_cases(file, private):
    file.comment("generic addresses of private memory alone: one place of all lanes, or each lane's own")
    values, own = stored_values(4), [4 * (lane * 5 % 11) for lane in range(LANES)]
    for mnemonic, count in (("dword", 1), ("dwordx2", 2), ("dwordx3", 3), ("dwordx4", 4)):
        for name, places in (("one", [8] * LANES), ("own", own)):
            lanes = file.named("private." + name, [private + place for place in places])
            before = {"v[10:11]": lanes, "flat_scratch": "scratch+0"}
            memory = Memory("scratch", 4096)

            def whole(lane):
                return sum(memory.read(swizzled(places[lane] + 4 + 4 * i, lane), 4) << 32 * i for i in range(count))

            for exec_mask in (FEW, FULL):
                file.case("flat_load_%s %s, v[10:11] offset:4" % (mnemonic, registers("v", 40, count)),
                          dict(before, exec=exec_mask),
                          pairs_of(40, count, under(exec_mask, [whole(lane) for lane in range(LANES)])))
            for lane in lanes_of(FEW):
                for i in range(count):
                    memory.write(swizzled(places[lane] + 4 + 4 * i, lane), values[lane] >> 32 * i, 4)
            data = {r: file.named("private." + r.strip("v").replace(":", "."), lanes)
                    for r, lanes in pairs_of(20, count, values).items()}
            file.case("flat_store_%s v[10:11], %s offset:4" % (mnemonic, registers("v", 20, count)),
                      {**before, "exec": FEW, **data}, memory.after())
    memory, lds = Memory("scratch", 4096), Memory("lds", 4096)
    mixed = file.named("private.mixed", [(1 << 48 if lane % 5 == 1 else private) + 8 for lane in range(LANES)])
    file.case("flat_load_dword v40, v[10:11]", {"exec": FULL, "v[10:11]": mixed, "flat_scratch": "scratch+0"},
              {"v40": [lds.read(8, 4) if lane % 5 == 1 else memory.read(swizzled(8, lane), 4)
                       for lane in range(LANES)]})
    misaligned_private_cases(file, private)
    file.case("flat_load_dwordx2 v[40:41], v[10:11]",
              {"exec": FEW, "v[10:11]": [private + 60], "flat_scratch": "scratch+0"}, {"fault": "scratch"})


def misaligned_private_cases(file, private):
    file.comment("generic addresses of private memory over the end of a dword: the next one lies a row further on")
    memory = Memory("scratch", 4096)
    begin = [8 + lane % 4 for lane in range(LANES)]

    def bytes_of(lane, count):
        return sum(memory.read(swizzled(begin[lane] + i, lane), 1) << 8 * i for i in range(count))

    odd = file.named("private.odd", [private + at for at in begin])
    before = {"exec": FEW, "v[10:11]": odd, "flat_scratch": "scratch+0"}
    for mnemonic, count, size in (("ushort", 1, 2), ("dword", 1, 4), ("dwordx2", 2, 8), ("dwordx4", 4, 16)):
        file.case("flat_load_%s %s, v[10:11]" % (mnemonic, registers("v", 40, count)), before,
                  pairs_of(40, count, under(FEW, [bytes_of(lane, size) for lane in range(LANES)])))
    for mnemonic, count, size in (("short", 1, 2), ("dword", 1, 4), ("dwordx3", 3, 12)):
        memory, values = Memory("scratch", 4096), stored_values(count)
        for lane in lanes_of(FEW):
            for i in range(size):
                memory.write(swizzled(begin[lane] + i, lane), values[lane] >> 8 * i & 0xff, 1)
        data = {r: file.named("odd.%d.%s" % (count, r.strip("v").replace(":", ".")), lanes)
                for r, lanes in pairs_of(20, count, values).items()}
        file.case("flat_store_%s v[10:11], %s" % (mnemonic, registers("v", 20, count)), {**before, **data}, memory.after())


def lone_cases(file):
    file.comment("lanes in one place, with others off between them, and all but the last of them")
    memory = Memory("mem", 4096)
    for name, places in (("one", [0x200] * LANES), ("last", [0x200 + 8 * (lane == 63) for lane in range(LANES)])):
        lanes = file.named("place." + name, ["mem+%x" % place for place in places])
        for unit in ("flat_load_dwordx2 v[40:41], v[10:11]", "global_load_dwordx2 v[40:41], v[10:11], off"):
            file.case(unit, {"exec": FEW, "v[10:11]": lanes},
                      {"v[40:41]": under(FEW, [memory.read(place, 8) for place in places])})


def scratch_cases(file):
    file.comment("private memory through the swizzled descriptor that the runtime builds")
    descriptor = {"s[0:1]": "scratch+8000000000000000", "s2": 4096, "s3": 0x00E80000 | 4 << 12 | 4 << 15}
    values = stored_values(4)
    for exec_mask in (FEW, FULL):
        for size, mnemonic in ((4, "dword"), (8, "dwordx2"), (12, "dwordx3"), (16, "dwordx4")):
            count, memory = size // 4, Memory("scratch", 4096)

            def whole(lane):
                return sum(memory.read(swizzled(8 + 4 * i, lane), 4) << 32 * i for i in range(count))

            loaded = pairs_of(40, count, under(exec_mask, [whole(lane) for lane in range(LANES)]))
            file.case("buffer_load_%s %s, off, s[0:3], 0 offset:8" % (mnemonic, registers("v", 40, count)),
                      dict(descriptor, exec=exec_mask), loaded)
            if exec_mask == FULL:
                continue
            for lane in lanes_of(exec_mask):
                for i in range(count):
                    memory.write(swizzled(8 + 4 * i, lane), values[lane] >> 32 * i, 4)
            data = pairs_of(20, count, values)
            names = {r: file.named("scratch." + r.strip("v").replace(":", "."), lanes) for r, lanes in data.items()}
            file.case("buffer_store_%s %s, v10, s[0:3], s20 offen offset:4" % (mnemonic, registers("v", 20, count)),
                      {**descriptor, "exec": exec_mask, "v10": [4], "s20": 0, **names}, memory.after())
    offsets = [lane * 7 % 60 for lane in range(LANES)]
    memory = Memory("scratch", 4096)
    file.case("buffer_load_ubyte v40, v10, s[0:3], 0 offen offset:1",
              dict(descriptor, exec=HOLES[3], v10=file.named("stack", offsets)),
              {"v40": under(HOLES[3], [memory.read(swizzled(o + 1, lane), 1) for lane, o in enumerate(offsets)])})
    for name, places in (("one", [12] * LANES), ("own", [4 * (lane * 5 % 11) for lane in range(LANES)])):
        places = [place + 4 for place in places]
        file.case("buffer_load_dword v40, v10, s[0:3], 0 offen offset:4",
                  dict(descriptor, exec=FEW, v10=file.named("stack." + name, [place - 4 for place in places])),
                  {"v40": under(FEW, [memory.read(swizzled(place, lane), 4) for lane, place in enumerate(places)])})
        mixed = Memory("scratch", 4096)
        for lane in lanes_of(FEW):
            mixed.write(swizzled(places[lane], lane), values[lane], 4)
        file.case("buffer_store_dword v20, v10, s[0:3], 0 offen offset:4",
                  dict(descriptor, exec=FEW, v10="@stack." + name, v20="@scratch.20"), mixed.after())
    file.case("buffer_load_dword v40, off, s[0:3], s20 offset:4", dict(descriptor, exec=FEW, s20=0x400),
              {"v40": under(FEW, [memory.read(0x400 + swizzled(4, lane), 4) for lane in range(LANES)])})
    file.case("buffer_store_dword v40, off, s[0:3], 0 offset:64", dict(descriptor, exec=FEW), {"fault": "scratch"})


# ---- atomics ----

def float_operation(form, function):
    def result(m, d):
        return encode(function(decode(m, form), decode(d, form)), form)

    return result


def packed_add(m, d):
    halves = [encode(add(decode(m >> s & 0xFFFF, "f16"), decode(d >> s & 0xFFFF, "f16")), "f16") for s in (0, 16)]
    return halves[0] | halves[1] << 16


# name: function(memory, data), both unsigned; "s" operations get signed values
INTEGER_ATOMICS = {
    "swap": lambda m, d: d, "add": operator.add, "sub": operator.sub, "smin": min, "umin": min, "smax": max, "umax": max,
    "and": operator.and_, "or": operator.or_, "xor": operator.xor, "inc": lambda m, d: 0 if m >= d else m + 1,
    "dec": lambda m, d: d if m == 0 or m > d else m - 1}
FLOAT_ATOMICS = {
    "add_f32": ("f32", 4, float_operation("f32", add)), "add_f64": ("f64", 8, float_operation("f64", add)),
    "min_f64": ("f64", 8, float_operation("f64", smaller)), "max_f64": ("f64", 8, float_operation("f64", larger)),
    "pk_add_f16": ("f16", 4, packed_add)}
GLOBAL_ONLY = ("add_f32", "pk_add_f16")  # gfx90a has no flat form


def atomics():
    """(name, bytes, function(memory, data, compare), kind of ordinary values, number of data operands)"""
    for size, suffix in ((4, ""), (8, "_x2")):
        for name, function in INTEGER_ATOMICS.items():
            if name in ("smin", "smax"):
                yield name + suffix, size, lambda m, d, c, f=function, n=8 * size: f(signed(m, n), signed(d, n)), None, 1
            else:
                yield name + suffix, size, lambda m, d, c, f=function: f(m, d), None, 1
        yield "cmpswap" + suffix, size, lambda m, d, c: d if m == c else m, None, 2
    for name, (form, size, function) in FLOAT_ATOMICS.items():
        yield name, size, lambda m, d, c, f=function: f(m, d), form, 1


def operand_values(size, kind):
    """Memory words and lane data that meet at equality, order and wrap-around."""
    if kind in ("f32", "f64"):
        return ordinary_lanes(kind, 0), ordinary_lanes(kind, 1)
    if kind == "f16":
        halves = [[v & 0xFFFF for v in ordinary_lanes("f16", i)] for i in range(4)]
        return [a | b << 16 for a, b in zip(halves[0], halves[1])], [a | b << 16 for a, b in zip(halves[2], halves[3])]
    top = 1 << (8 * size - 1)
    few = [0, 1, top - 1, top, 2 * top - 1, 5, top + 5, 0x12345678]
    return [few[lane % 8] for lane in range(LANES)], [few[lane * 3 // 8 % 8] for lane in range(LANES)]


def atomic_case(file, form, name, size, function, kind, operands, exec_mask, returns, glc="glc"):
    count, mask = size // 4, (1 << 8 * size) - 1
    words, data = operand_values(size, kind)
    memory, old = Memory("mem", 4096), ["-"] * LANES
    before = dict({"exec": exec_mask}, **form.before)
    for lane in lanes_of(exec_mask):
        memory.write(form.offset_of(lane), words[lane], size)
    before.update({key: ",".join("%x" % w for w in value) for key, value in memory.after().items()})
    compared = [words[lane] if lane % 2 else data[lane] for lane in range(LANES)]
    for lane in lanes_of(exec_mask):
        m = memory.read(form.offset_of(lane), size)
        old[lane] = m
        memory.write(form.offset_of(lane), function(m, data[lane], compared[lane]) & mask, size)
    label = kind or "integer"
    before[registers("v", 20, count)] = file.named("%s.%d.data" % (label, size), data)
    if operands == 2:
        before[registers("v", 20 + count, count)] = file.named("%s.%d.compared" % (label, size), compared)
    text = form.text("atomic_" + name, data=registers("v", 20, count * operands),
                     destination=registers("v", 40, count) if returns else None, flags=glc if returns else "")
    after = memory.after()
    if returns:
        after[registers("v", 20 if form.prefix == "buffer_" else 40, count)] = old
    file.case(text, before, after)


def atomic_cases(file):
    file.comment("atomics; the value before is returned under glc")
    for i, (name, size, function, kind, operands) in enumerate(atomics()):
        usable = [f for f in forms(file, size) if not (name in GLOBAL_ONLY and f.prefix == "flat_")]
        for j, form in enumerate(usable):
            atomic_case(file, form, name, size, function, kind, operands, FEW << j & FULL, (i + j) % 2 == 0)
        for j, form in enumerate(buffer_forms(file, size)):
            atomic_case(file, form, name, size, function, kind, operands, FEW << j & FULL, (i + j) % 2 == 0)
        meeting = Form("global_", ["v10", "s[12:13]"], "", {"v10": [0], "s[12:13]": "mem+100"}, lambda lane: 0x100)
        atomic_case(file, meeting, name, size, function, kind, operands, FEW, True)
    file.comment("sums of f32 flush denormals")
    denormal_sums(file, False)
    file.comment("all lanes add to one place")
    first = Memory("mem", 4096).read(0x100, 4)
    file.case("global_atomic_add v10, v20, s[12:13]", {"exec": FULL, "v10": [0], "s[12:13]": "mem+100", "v20": [3]},
              {"mem@100": first + 192 & M32})


def denormal_sums(file, kept, glc="glc"):
    """Sums of f32 in memory, with denormals or zeros in their place: of two, of one and the least normal number, of what
    leaves one."""
    for place, data, flushed in ((5, 3, 0), (7, 0x800000, 0x800000), (0x80000005, 0, 0), (0x800001, 0x80800000, 0)):
        before = {"exec": 1, "v10": [0], "s[12:13]": "mem+100", "mem@100": "%x" % place, "v20": [data]}
        total = encode(add(decode(place, "f32"), decode(data, "f32")), "f32") if kept else flushed
        file.case("global_atomic_add_f32 v40, v10, v20, s[12:13] " + glc, before,
                  {"mem@100": total, "v40": under(1, [place] * LANES)})


def beyond_records(file):
    file.comment("an atomic beyond a buffer's records changes nothing and returns 0")
    memory = Memory("mem", 4096)
    old = [memory.read(0x20 + 4 * lane, 4) for lane in range(LANES)]
    for lane in range(16):
        memory.write(0x20 + 4 * lane, old[lane] + 5, 4)
    file.case("buffer_atomic_add v20, v10, s[12:15], 0 offen glc",
              {"exec": FULL, "s[12:13]": "mem+20", "s14": 0x40, "s15": 0x27000, "v20": [5],
               "v10": file.named("fours", [4 * lane for lane in range(LANES)])},
              dict(memory.after(), v20=[v if lane < 16 else 0 for lane, v in enumerate(old)]))


def partly_beyond(file):
    file.comment("dwords are checked against a buffer's records one by one, an index in records, an offset in bytes")
    old = Memory("mem", 4096)
    linear = {"exec": FULL, "s[12:13]": "mem+20", "s14": 0x3E, "s15": 0x27000,  # 15 dwords and a half
              "v10": file.named("fours", [4 * lane for lane in range(LANES)])}
    strided = dict(linear, **{"s[12:13]": "mem+20000000000020"})
    wrapped = dict(linear, v10=file.named("wrapped", [4 * lane - 0x20 & M32 for lane in range(LANES)]))
    for count in (2, 3, 4):
        loaded = [sum(old.read(0x20 + 4 * (lane + i), 4) << 32 * i for i in range(count) if lane + i < 15)
                  for lane in range(LANES)]
        for before, suffix in ((linear, ""), (strided, ""), (wrapped, " offset:32")):
            file.case("buffer_load_dwordx%d %s, v10, s[12:15], 0 offen%s" % (count, registers("v", 40, count), suffix),
                      before, pairs_of(40, count, loaded))
        file.case("buffer_store_dwordx%d %s, v10, s[12:15], 0 offen" % (count, registers("v", 20, count)),
                  dict(linear, exec=1 << 14 | 1 << 30, v20=7, v21=8), {"mem@58": 7})
    file.case("buffer_load_dwordx2 v[40:41], v10, s[12:15], 0 idxen", dict(strided, s14=2, v10=[0, 1, 2], exec=7),
              {"v[40:41]": under(7, [old.read(0x20, 8), old.read(0x40, 8)] + [0] * 62)})
    file.case("buffer_atomic_add_x2 v[20:21], v10, s[12:15], 0 offen glc",
              {**linear, "exec": 1, "v10": [0x38], "v[20:21]": [5]}, {"v[20:21]": under(1, [0] * LANES)})


# ---- loads into LDS ----

def lds_load_case(file, text, before, exec_mask, offset, size, signed_, place):
    """A dword of LDS for each lane, from M0 and the instruction's offset on."""
    memory, lds = Memory("mem", 4096), Memory("lds", 4096)
    for lane in lanes_of(exec_mask):
        value = memory.read(place(lane), size)
        lds.write(0x100 + offset + 4 * lane, signed(value, 8 * size) if signed_ else value, 4)
    file.case(text, dict(before, exec=exec_mask, m0=0xABC00100), lds.after())


LDS_LOADS = {"ubyte": (1, False), "sbyte": (1, True), "ushort": (2, False), "sshort": (2, True), "dword": (4, False)}


def lds_load_cases(file):
    file.comment("loads into LDS")
    for i, (name, (size, signed_)) in enumerate(LDS_LOADS.items()):
        for j, form in enumerate(buffer_forms(file, size)):
            offset = int(form.suffix.partition("offset:")[2] or 0)
            lds_load_case(file, "buffer_load_%s %s %s lds" % (name, ", ".join(form.address), form.suffix), form.before,
                          HOLES[(i + j) % len(HOLES)], offset, size, signed_, form.offset_of)
        for form in forms(file, size):
            if form.prefix == "global_" and "-" not in form.suffix:
                offset = int(form.suffix.partition("offset:")[2] or 0)
                lds_load_case(file, "global_load_%s %s %s lds" % (name, ", ".join(form.address), form.suffix), form.before,
                              HOLES[i % len(HOLES)], offset, size, signed_, form.offset_of)
    beyond, place = {"s[12:13]": "mem+20", "s14": 0x900, "s15": 0x27000, "v10": [0]}, {"exec": 1, "m0": 0xFFFC}
    file.case("buffer_load_dword v10, s[12:15], 0 offen offset:4 lds", dict(beyond, **place), {"fault": "lds"})


def all_cases(file):
    for cases in (load_cases, store_cases, aperture_cases, lone_cases, scratch_cases, atomic_cases, beyond_records,
                  partly_beyond, lds_load_cases):
        cases(file)
