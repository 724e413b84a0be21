"""Reference model and golden cases of typed loads and stores of buffers.

An element's channels lie one behind the other from its lowest bit on. Meaning: Vega ISA, chapter "Vector memory buffer
instructions", and its table of buffer resources; f16 from exact.
"""

import math

import exact
from casefile import LANES, lanes_of, under
from image import f32_bits
from memory import FEW, Memory, pairs_of
from values import scramble
from vector import signed
from vector_cases import HOLES

UNORM, SNORM, USCALED, SSCALED, UINT, SINT, FLOAT = 0, 1, 2, 3, 4, 5, 7
NAMES = {UNORM: "UNORM", SNORM: "SNORM", USCALED: "USCALED", SSCALED: "SSCALED", UINT: "UINT", SINT: "SINT", FLOAT: "FLOAT"}
DATA = {"8": 1, "16": 2, "8_8": 3, "32": 4, "16_16": 5, "10_10_10_2": 8, "2_10_10_10": 9, "8_8_8_8": 10, "32_32": 11,
        "16_16_16_16": 12, "32_32_32": 13, "32_32_32_32": 14}
SUFFIX = ["x", "xy", "xyz", "xyzw"]
M32 = 2**32 - 1


def widths(data):
    """Bits of the channels, the first in the lowest bits: the name begins with the highest."""
    return [int(n) for n in data.split("_")][::-1]


def as_number(number, bits, raw):
    """The number that the bits stand for."""
    if number in (UNORM, USCALED):
        return raw / (2**bits - 1) if number == UNORM else float(raw)
    value = signed(raw, bits)
    return max(-1.0, value / (2**(bits - 1) - 1)) if number == SNORM else float(value)


def channel(number, bits, raw, half):
    if number in (UINT, SINT):
        return (signed(raw, bits) if number == SINT else raw) & (0xFFFF if half else M32)
    if number == FLOAT:
        if half == (bits == 16):
            return "nan" if exact.decode(raw, "f16" if half else "f32").nan else raw
        return exact.encode(exact.decode(raw, "f16" if bits == 16 else "f32"), "f16" if half else "f32")
    single = f32_bits(as_number(number, bits, raw))
    return exact.encode(exact.decode(single, "f32"), "f16") if half else single


def stored(number, bits, value, half):
    """Bits of a channel from those of a register or half."""
    if number in (UINT, SINT):
        return value & ((1 << bits) - 1)
    x = exact.decode(value, "f16" if half else "f32")
    if number == FLOAT:
        return exact.encode(x, "f16" if bits == 16 else "f32")
    size = {UNORM: 2**bits - 1, SNORM: 2**(bits - 1) - 1, USCALED: 1, SSCALED: 1}[number]
    low, high = (0, 2**bits - 1) if number in (UNORM, USCALED) else (-(2**(bits - 1)), 2**(bits - 1) - 1)
    low = -high if number == SNORM else low
    scaled = 0 if x.nan else min(max(x.value * size, low), high)
    return (math.trunc(scaled) if number in (USCALED, SSCALED) else round(scaled)) & ((1 << bits) - 1)


def descriptor(own, select, data, number):
    """Records of 20 bytes from mem+40 on; the format, unless the instruction has one."""
    last = sum(s << 3 * i for i, s in enumerate(select)) | (0 if own else number << 12 | DATA[data] << 15)
    return {"s[12:13]": "mem+%x" % (20 << 48 | 0x40), "s14": 40, "s15": last}


INDEX = [lane * 7 % 48 for lane in range(LANES)]  # some behind the 40 records
OFFSET = [lane % 2 * 4 for lane in range(LANES)]


def places(file):
    """(operands and modifiers, state before, place of each lane's element or None)"""
    both = file.named("records.offsets", [i | o << 32 for i, o in zip(INDEX, OFFSET)])

    def place(lane, offset):
        return 0x40 + 20 * INDEX[lane] + offset if INDEX[lane] < 40 else None

    yield "v10", "0", "idxen", {"v10": file.named("records", INDEX)}, lambda lane: place(lane, 0)
    yield ("v[10:11]", "s20", "idxen offen offset:4", {"v[10:11]": both, "s20": 8},
           lambda lane: place(lane, 12 + OFFSET[lane]))


def cases_of(file, load, data, number, count, half, own, n):
    bits, (address, scalar, modifiers, before, place) = widths(data), list(places(file))[n % 2]
    if sum(bits) > 32 and n % 2:
        address, scalar, modifiers, before, place = list(places(file))[0]
    select = [4 + i if i < len(bits) else int(i == 3) for i in range(4)] if n % 3 else [7, 1, 4, 0]
    registers = (count + 1) // 2 if half else count
    text = "%s_%s_format_%s%s %s, %s, s[12:15], %s%s %s" % (
        "tbuffer" if own else "buffer", "load" if load else "store", "d16_" if half else "", SUFFIX[count - 1],
        "v[40:%d]" % (39 + registers) if registers > 1 else "v40", address, scalar,
        " format:[BUF_DATA_FORMAT_%s,BUF_NUM_FORMAT_%s]" % (data, NAMES[number]) if own else "", modifiers)
    state, memory = dict(descriptor(own, select, data, number), **before), Memory("mem", 4096)
    old = [sum((scramble(lane, 30 + r) & M32) << 32 * r for r in range(registers)) for lane in range(LANES)]
    if load:
        state["exec"] = HOLES[n % len(HOLES)]
        results = []
        for lane in range(LANES):
            at, values = place(lane), [0] * 4
            if at is not None:
                raw, first, channels = memory.read(at, sum(bits) // 8), 0, []
                for b in bits:
                    channels.append(channel(number, b, raw >> first & ((1 << b) - 1), half))
                    first += b
                one = 1 if number in (UINT, SINT) else 0x3C00 if half else 0x3F800000
                values = [channels[s - 4] if 4 <= s < 4 + len(bits) else one * (s == 1) for s in select]
            if "nan" in values:  # which one is not specified
                state["exec"] &= ~(1 << lane)
                values = [0] * 4
            size = 16 if half else 32
            kept = old[lane] >> size * count << size * count
            results.append(kept | sum(v << size * i for i, v in enumerate(values[:count])))
        if half:
            for name, lanes in pairs_of(40, registers, old).items():
                state[name] = file.named("old." + name.strip("v").replace(":", "."), lanes)
        file.case(text, state, pairs_of(40, registers, under(state["exec"], results)))
        return
    state["exec"] = FEW
    size, data_words = 16 if half else 32, []
    for lane in range(LANES):
        values = []
        for i in range(count):
            r = scramble(lane, 70 + i)
            b = bits[min(i, len(bits) - 1)]
            if number in (UINT, SINT):
                v = signed(r, b) & ((1 << size) - 1) if number == SINT else r & ((1 << b) - 1)
            else:
                limit = 2.5 if number in (UNORM, SNORM) else 2.0**(b % 12 + 1)
                x = ((r & 0xFFFF) / 32768 - 1) * limit
                v = exact.encode(exact.decode(f32_bits(x), "f32"), "f16") if half else f32_bits(x)
            values.append(v)
        data_words.append(sum(v << size * i for i, v in enumerate(values)))
    for lane in lanes_of(FEW):
        if place(lane) is None:
            continue
        element, first = 0, 0
        for i, b in enumerate(bits):
            element |= stored(number, b, data_words[lane] >> size * i & ((1 << size) - 1), half) << first
            first += b
        memory.write(place(lane), element, sum(bits) // 8)
    state.update(pairs_of(40, registers, data_words))
    file.case(text, state, memory.after())


FORMATS = [("8", UNORM), ("8", SINT), ("16", FLOAT), ("16", SNORM), ("8_8", UINT), ("32", FLOAT), ("32", UINT),
           ("16_16", SSCALED), ("16_16", FLOAT), ("10_10_10_2", UNORM), ("2_10_10_10", SNORM), ("2_10_10_10", UINT),
           ("8_8_8_8", UNORM),
           ("8_8_8_8", USCALED), ("8_8_8_8", SINT), ("32_32", SINT), ("16_16_16_16", FLOAT), ("16_16_16_16", UNORM),
           ("32_32_32", FLOAT), ("32_32_32_32", UINT)]


def all_cases(file):
    file.comment("typed loads and stores, with the descriptor's format or the instruction's own")
    n = 0
    for data, number in FORMATS:
        channels = len(widths(data))
        for own in (False, True):
            for half in (False, True):
                if half and number in (UINT, SINT) and "32" in data:
                    continue
                counts = sorted({1, 2, 3, 4} if data in ("8_8_8_8", "16") else {channels, 4})
                for count in counts:
                    n += 1
                    cases_of(file, True, data, number, count, half, own, n)
                    if count >= channels:
                        cases_of(file, False, data, number, count, half, own, n)
    file.comment("one channel in a high half")
    memory = Memory("mem", 4096)
    state = dict(descriptor(False, [4, 0, 0, 1], "16", UINT), exec=FEW, v10=[3], v40=[0x12345678])
    at = 0x40 + 60
    file.case("buffer_load_format_d16_hi_x v40, v10, s[12:15], 0 idxen", state,
              {"v40": under(FEW, [memory.read(at, 2) << 16 | 0x5678] * LANES)})
    memory.write(at, 0x1234, 2)
    file.case("buffer_store_format_d16_hi_x v40, v10, s[12:15], 0 idxen", state, memory.after())
    file.comment("what the emulator does not know: floats of 11 bits, fewer channels than the format has,"
                 " large integers, swizzled records")
    state = dict(descriptor(True, [4, 5, 6, 7], "8", UINT), exec=FEW, v10=[3], v40=[256])
    for text in ("tbuffer_load_format_x v40, v10, s[12:15], 0 format:[BUF_DATA_FORMAT_10_11_11,BUF_NUM_FORMAT_FLOAT] idxen",
                 "tbuffer_store_format_x v40, v10, s[12:15], 0 format:[BUF_DATA_FORMAT_8_8,BUF_NUM_FORMAT_UINT] idxen",
                 "tbuffer_store_format_x v40, v10, s[12:15], 0 format:[BUF_DATA_FORMAT_8,BUF_NUM_FORMAT_UINT] idxen",
                 "tbuffer_load_format_d16_x v40, v10, s[12:15], 0 format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_UINT] idxen"):
        file.case(text, state, {"fault": "gap"})
    swizzled = descriptor(False, [4, 5, 6, 7], "8", UINT)
    swizzled["s[12:13]"] = "mem+%x" % (1 << 63 | 20 << 48 | 0x40)
    file.case("buffer_load_format_x v40, v10, s[12:15], 0 idxen", dict(swizzled, exec=FEW, v10=[3]), {"fault": "gap"})
