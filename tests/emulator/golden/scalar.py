"""Reference model and golden cases of the scalar unit: SOP1, SOP2, SOPC, SOPK, SOPP and scalar loads.

Meaning: CDNA2 ISA guide, chapter 12 (instructions) and 8 (scalar memory).
"""

import operator

from casefile import memory_value, registers
from values import SHIFT, U32, U64, scramble
from vector import binary, leading_equal_bits, signed

KEEP = None  # SCC as before
M32, M64 = 2**32 - 1, 2**64 - 1


def nonzero(result, *_):
    return int(result != 0)


def reverse(value, bits):
    return int(binary(value, bits)[::-1], 2)


def quads(value, bits):
    return [value >> i & 15 for i in range(0, bits, 4)]


def whole_quads(value, bits):
    return sum(15 << 4 * i for i, q in enumerate(quads(value, bits)) if q)


def quad_mask(value, bits):
    return sum(1 << i for i, q in enumerate(quads(value, bits)) if q)


def field(value, selector, bits):
    offset, width = selector & (bits - 1), selector >> 16 & 127
    return value >> offset & ((1 << width) - 1)


def signed_field(value, selector, bits):
    """A field that reaches beyond the top repeats the sign; value is signed."""
    offset, width = selector & (bits - 1), selector >> 16 & 127
    return signed(value >> offset & ((1 << width) - 1), width) if width else 0


# mnemonic: (bits of d, kind of a, function(a), SCC). Kinds: u32, i32, u64, i64.
ONE = {}
for bits, kind in ((32, "b32"), (64, "b64")):
    u = "u%d" % bits
    ONE.update({
        "s_mov_" + kind: (bits, u, lambda a: a, KEEP),
        "s_not_" + kind: (bits, u, operator.invert, nonzero),
        "s_wqm_" + kind: (bits, u, lambda a, n=bits: whole_quads(a, n), nonzero),
        "s_quadmask_" + kind: (bits, u, lambda a, n=bits: quad_mask(a, n), nonzero),
        "s_brev_" + kind: (bits, u, lambda a, n=bits: reverse(a, n), KEEP),
        "s_bcnt0_i32_" + kind: (32, u, lambda a, n=bits: binary(a, n).count("0"), nonzero),
        "s_bcnt1_i32_" + kind: (32, u, lambda a, n=bits: binary(a, n).count("1"), nonzero),
        "s_ff0_i32_" + kind: (32, u, lambda a, n=bits: binary(a, n)[::-1].find("0"), KEEP),
        "s_ff1_i32_" + kind: (32, u, lambda a, n=bits: binary(a, n)[::-1].find("1"), KEEP),
        "s_flbit_i32_" + kind: (32, u, lambda a, n=bits: binary(a, n).find("1"), KEEP),
    })
ONE.update({
    "s_flbit_i32": (32, "u32", lambda a: leading_equal_bits(a, 32), KEEP),
    "s_flbit_i32_i64": (32, "u64", lambda a: leading_equal_bits(a, 64), KEEP),
    "s_sext_i32_i8": (32, "u32", lambda a: signed(a, 8), KEEP),
    "s_sext_i32_i16": (32, "u32", lambda a: signed(a, 16), KEEP),
    "s_abs_i32": (32, "i32", abs, nonzero),
    "s_bitreplicate_b64_b32": (64, "u32", lambda a: int("".join(c * 2 for c in binary(a)), 2), KEEP),
})


def carry(result, *_):
    return int(not 0 <= result <= M32)


def overflow(result, *_):
    return int(not -(2**31) <= result < 2**31)


def first_taken(result, a, b):
    return int(result == a and a != b)


def wrapped_distance(a, b):
    """The subtraction wraps before the sign is taken away."""
    return abs(signed(a - b, 32))


# mnemonic: (bits of d, kinds of a and b, function(a, b, scc), SCC(result, a, b))
TWO = {
    "s_add_u32": (32, "u32 u32", lambda a, b, s: a + b, carry),
    "s_sub_u32": (32, "u32 u32", lambda a, b, s: a - b, carry),
    "s_addc_u32": (32, "u32 u32", lambda a, b, s: a + b + s, carry),
    "s_subb_u32": (32, "u32 u32", lambda a, b, s: a - b - s, carry),
    "s_add_i32": (32, "i32 i32", lambda a, b, s: a + b, overflow),
    "s_sub_i32": (32, "i32 i32", lambda a, b, s: a - b, overflow),
    "s_min_i32": (32, "i32 i32", lambda a, b, s: min(a, b), lambda r, a, b: int(a < b)),
    "s_min_u32": (32, "u32 u32", lambda a, b, s: min(a, b), lambda r, a, b: int(a < b)),
    "s_max_i32": (32, "i32 i32", lambda a, b, s: max(a, b), lambda r, a, b: int(a > b)),
    "s_max_u32": (32, "u32 u32", lambda a, b, s: max(a, b), lambda r, a, b: int(a > b)),
    "s_mul_i32": (32, "u32 u32", lambda a, b, s: a * b, KEEP),
    "s_mul_hi_u32": (32, "u32 u32", lambda a, b, s: a * b >> 32, KEEP),
    "s_mul_hi_i32": (32, "i32 i32", lambda a, b, s: a * b >> 32, KEEP),
    "s_absdiff_i32": (32, "i32 i32", lambda a, b, s: wrapped_distance(a, b), nonzero),
    "s_ashr_i32": (32, "i32 shift", lambda a, b, s: a >> (b & 31), nonzero),
    "s_ashr_i64": (64, "i64 shift", lambda a, b, s: a >> (b & 63), nonzero),
    "s_bfe_u32": (32, "u32 field", lambda a, b, s: field(a, b, 32), nonzero),
    "s_bfe_i32": (32, "i32 field", lambda a, b, s: signed_field(a, b, 32), nonzero),
    "s_bfe_u64": (64, "u64 field", lambda a, b, s: field(a, b, 64), nonzero),
    "s_bfe_i64": (64, "i64 field", lambda a, b, s: signed_field(a, b, 64), nonzero),
    "s_bfm_b32": (32, "shift shift", lambda a, b, s: ((1 << (a & 31)) - 1) << (b & 31), KEEP),
    "s_bfm_b64": (64, "shift shift", lambda a, b, s: ((1 << (a & 63)) - 1) << (b & 63), KEEP),
    "s_pack_ll_b32_b16": (32, "u32 u32", lambda a, b, s: a & 0xFFFF | (b & 0xFFFF) << 16, KEEP),
    "s_pack_lh_b32_b16": (32, "u32 u32", lambda a, b, s: a & 0xFFFF | b >> 16 << 16, KEEP),
    "s_pack_hh_b32_b16": (32, "u32 u32", lambda a, b, s: a >> 16 | b >> 16 << 16, KEEP),
}
for n in (1, 2, 3, 4):
    TWO["s_lshl%d_add_u32" % n] = (32, "u32 u32", lambda a, b, s, n=n: (a << n) + b, carry)
for bits in (32, 64):
    kinds = "u%d u%d" % (bits, bits)
    for name, function in (("and", lambda a, b: a & b), ("or", lambda a, b: a | b), ("xor", lambda a, b: a ^ b),
                           ("andn2", lambda a, b: a & ~b), ("orn2", lambda a, b: a | ~b), ("nand", lambda a, b: ~(a & b)),
                           ("nor", lambda a, b: ~(a | b)), ("xnor", lambda a, b: ~(a ^ b))):
        TWO["s_%s_b%d" % (name, bits)] = (bits, kinds, lambda a, b, s, f=function: f(a, b), nonzero)
    TWO["s_cselect_b%d" % bits] = (bits, kinds, lambda a, b, s: a if s else b, KEEP)
    TWO["s_lshl_b%d" % bits] = (bits, "u%d shift" % bits, lambda a, b, s, m=bits - 1: a << (b & m), nonzero)
    TWO["s_lshr_b%d" % bits] = (bits, "u%d shift" % bits, lambda a, b, s, m=bits - 1: a >> (b & m), nonzero)

RELATIONS = {"eq": operator.eq, "lg": operator.ne, "gt": operator.gt, "ge": operator.ge, "lt": operator.lt,
             "le": operator.le}
COMPARE = {"s_cmp_%s_%s32" % (name, sign): ("%s32 %s32" % (sign, sign), function) for name, function in RELATIONS.items()
           for sign in "iu"}
COMPARE.update({"s_cmp_%s_u64" % name: ("u64 u64", RELATIONS[name]) for name in ("eq", "lg")})
for bits in (32, 64):
    for wanted in (0, 1):
        COMPARE["s_bitcmp%d_b%d" % (wanted, bits)] = ("u%d shift" % bits,
                                                      lambda a, b, n=bits, v=wanted: (a >> (b % n) & 1) == v)

FIELDS = [0x00000000, 0x00010000, 0x00080004, 0x00100010, 0x0020001F, 0x00200000, 0x001F0001, 0x00400000, 0x00400020,
          0x007F0000, 0x0010003C, 0x00050003]
POOL = {"u32": U32, "i32": U32, "u64": U64, "i64": U64, "shift": SHIFT, "field": FIELDS}
WIDE = ("u64", "i64")


def value_of(kind, bits):
    return signed(bits, int(kind[1:])) if kind[0] == "i" else bits


def pick(kind, i, salt):
    return POOL[kind][scramble(i, salt) % len(POOL[kind])]


def scalar(kind, first):
    return registers("s", first, 2 if kind in WIDE else 1)


def after_state(destination, bits, result, scc, old_scc):
    after = {destination: result & ((1 << bits) - 1)}
    if scc is not KEEP and scc != old_scc:
        after["scc"] = scc
    return after


def one_source_cases(file):
    file.comment("SOP1")
    for mnemonic, (bits, kind, function, scc) in ONE.items():
        destination = registers("s", 40, bits // 32)
        for i, value in enumerate(POOL[kind][:14]):
            result = function(value_of(kind, value)) & ((1 << bits) - 1)
            old = i & 1
            file.case("%s %s, %s" % (mnemonic, destination, scalar(kind, 10)), {scalar(kind, 10): value, "scc": old},
                      after_state(destination, bits, result, scc and scc(result), old))
    file.case("s_mov_b32 s40, 0xdeadbeef", {}, {"s40": 0xDEADBEEF})
    file.case("s_mov_b64 s[40:41], -16", {}, {"s[40:41]": M64 - 15})
    file.case("s_mov_b64 s[40:41], 0.5", {}, {"s[40:41]": 0x3FE0000000000000})
    file.case("s_mov_b64 s[40:41], 0x80000000", {}, {"s[40:41]": 0x80000000})
    file.case("s_mov_b64 vcc, exec", {"exec": 0xF0F0}, {"vcc": 0xF0F0})
    file.case("s_mov_b64 exec, s[10:11]", {"s[10:11]": 0xAAAA5555AAAA5555, "exec": 1}, {"exec": 0xAAAA5555AAAA5555})
    file.case("s_mov_b32 exec_hi, 3", {"exec": 0xFFFFFFFF0000FFFF}, {"exec": 0x30000FFFF})
    file.case("s_mov_b64 s[40:41], src_shared_base", {}, {"s[40:41]": 1 << 48})
    file.case("s_mov_b64 s[40:41], src_private_base", {}, {"s[40:41]": 2 << 48})
    file.case("s_mov_b32 m0, 0x10000", {"m0": 5}, {"m0": 0x10000})
    file.case("s_mov_b32 s40, src_vccz", {"vcc": 0}, {"s40": 1})
    file.case("s_mov_b32 s40, src_execz", {"exec": 2}, {"s40": 0})
    file.case("s_mov_b32 flat_scratch_hi, s10", {"s10": 77, "flat_scratch": 5}, {"flat_scratch": 77 << 32 | 5})


def conditional_cases(file):
    file.comment("conditional moves, bit sets, relative moves: the destination is a source too")
    for scc in (0, 1):
        file.case("s_cmov_b32 s40, s10", {"s10": 7, "s40": 9, "scc": scc}, {"s40": 7 if scc else 9})
        file.case("s_cmov_b64 s[40:41], s[10:11]", {"s[10:11]": 1 << 40, "s[40:41]": 9, "scc": scc},
                  {"s[40:41]": 1 << 40 if scc else 9})
        file.case("s_cmovk_i32 s40, 0x8000", {"s40": 9, "scc": scc}, {"s40": 0xFFFF8000 if scc else 9})
    for bits in (32, 64):
        for bit in (0, 5, 31, 32, 63, 64):
            for old in (0, (1 << bits) - 1):
                reg, mask = registers("s", 40, bits // 32), 1 << bit % bits
                file.case("s_bitset0_b%d %s, s10" % (bits, reg), {reg: old, "s10": bit}, {reg: old & ~mask})
                file.case("s_bitset1_b%d %s, s10" % (bits, reg), {reg: old, "s10": bit}, {reg: old | mask})
    file.case("s_movrels_b32 s40, s10", {"m0": 5, "s15": 0x1234}, {"s40": 0x1234})
    file.case("s_movrels_b64 s[40:41], s[10:11]", {"m0": 4, "s[14:15]": 0x123456789}, {"s[40:41]": 0x123456789})
    file.case("s_movreld_b32 s40, s10", {"m0": 3, "s10": 0x1234, "s43": 0}, {"s43": 0x1234})
    file.case("s_movreld_b64 s[40:41], s[10:11]", {"m0": 2, "s[10:11]": 0x123456789}, {"s[42:43]": 0x123456789})
    file.case("s_movrels_b32 s40, s90", {"m0": 0xFFFFFF00}, {"fault": "instruction"})


def exec_cases(file):
    file.comment("instructions on EXEC: SCC is EXEC != 0")
    operations = {"and": lambda a, x: a & x, "or": lambda a, x: a | x, "xor": lambda a, x: a ^ x,
                  "andn2": lambda a, x: a & ~x, "orn2": lambda a, x: a | ~x, "nand": lambda a, x: ~(a & x),
                  "nor": lambda a, x: ~(a | x), "xnor": lambda a, x: ~(a ^ x), "andn1": lambda a, x: ~a & x,
                  "orn1": lambda a, x: ~a | x}
    pairs = [(0xFFFF0000FFFF0000, 0x00FF00FF00FF00FF), (0, M64), (M64, 0), (0x8000000000000001, 0x8000000000000001)]
    for name, function in operations.items():
        for i, (a, x) in enumerate(pairs):
            result = function(a, x) & M64
            file.case("s_%s_saveexec_b64 s[40:41], s[10:11]" % name, {"s[10:11]": a, "exec": x, "scc": i & 1},
                      {"s[40:41]": x, "exec": result, "scc": int(result != 0)})
    for name in ("andn1", "andn2"):
        for a, x in pairs:
            result = (~a & x if name == "andn1" else a & ~x) & M64
            file.case("s_%s_wrexec_b64 s[40:41], s[10:11]" % name, {"s[10:11]": a, "exec": x, "scc": 0},
                      {"s[40:41]": result, "exec": result, "scc": int(result != 0)})
    file.case("s_and_saveexec_b64 vcc, vcc", {"vcc": 0xF0, "exec": 0x3C, "scc": 0}, {"vcc": 0x3C, "exec": 0x30, "scc": 1})


def two_source_cases(file):
    file.comment("SOP2")
    for mnemonic, (bits, kinds, function, scc) in TWO.items():
        kind_a, kind_b = kinds.split()
        destination = registers("s", 40, bits // 32)
        for i in range(20):
            a, b, old = pick(kind_a, i, 31), pick(kind_b, i, 37), i & 1
            if i % 6 == 5 and kind_a == kind_b:
                b = a
            values = value_of(kind_a, a), value_of(kind_b, b)
            result = function(*values, old)
            flag = scc and scc(result if scc in (carry, overflow) else result & ((1 << bits) - 1), *values)
            file.case("%s %s, %s, %s" % (mnemonic, destination, scalar(kind_a, 10), scalar(kind_b, 20)),
                      {scalar(kind_a, 10): a, scalar(kind_b, 20): b, "scc": old},
                      after_state(destination, bits, result, flag, old))
    file.comment("the last results without and the first with carry or overflow")
    for mnemonic, (bits, kinds, function, scc) in TWO.items():
        if scc not in (carry, overflow):
            continue
        for old in (0, 1):
            for target in (0, -1, M32, M32 + 1) if scc is carry else (2**31 - 1, 2**31, -(2**31), -(2**31) - 1):
                a = value_of(kinds[:3], 0x01234567 if target >= 0 else 3)
                rest = function(a, 0, old)
                b = (target - rest) * (-1 if "sub" in mnemonic else 1)
                low, high = (0, M32) if scc is carry else (-(2**31), 2**31 - 1)
                if not low <= b <= high:
                    continue
                file.case("%s s40, s10, s20" % mnemonic, {"s10": a & M32, "s20": b & M32, "scc": old},
                          after_state("s40", 32, target, scc(target), old))
    file.comment("values that AMD's guide gives for s_absdiff_i32, and constants")
    for a, b, result in ((2, 5, 3), (0xFFFFFFFF, 0, 1), (0x80000000, 0, 0x80000000), (0x80000000, 1, 0x7FFFFFFF),
                         (0x80000000, 0xFFFFFFFF, 0x7FFFFFFF), (0x80000000, 0xFFFFFFFE, 0x7FFFFFFE)):
        file.case("s_absdiff_i32 s40, s10, s20", {"s10": a, "s20": b, "scc": 0}, {"s40": result, "scc": 1})
    file.case("s_add_u32 s40, s10, 0xffffff94", {"s10": 0x100, "scc": 0}, {"s40": 0x94, "scc": 1})
    file.case("s_addc_u32 s40, s10, -1", {"s10": 1, "scc": 1}, {"s40": 1})
    file.case("s_and_b64 s[40:41], s[10:11], 0xf0f0f0f0", {"s[10:11]": M64, "scc": 0}, {"s[40:41]": 0xF0F0F0F0, "scc": 1})
    file.case("s_and_b64 s[40:41], s[10:11], -2", {"s[10:11]": M64, "scc": 0}, {"s[40:41]": M64 - 1, "scc": 1})
    file.case("s_ashr_i64 s[40:41], 0x80000000, 4", {"scc": 0}, {"s[40:41]": 0xFFFFFFFFF8000000, "scc": 1})


def compare_cases(file):
    file.comment("SOPC")
    for mnemonic, (kinds, function) in COMPARE.items():
        kind_a, kind_b = kinds.split()
        for i in range(12):
            a, b, old = pick(kind_a, i, 41), pick(kind_b, i, 43), i & 1
            if i % 4 == 3 and kind_a == kind_b:
                b = a
            result = int(function(value_of(kind_a, a), value_of(kind_b, b)))
            file.case("%s %s, %s" % (mnemonic, scalar(kind_a, 10), scalar(kind_b, 20)),
                      {scalar(kind_a, 10): a, scalar(kind_b, 20): b, "scc": old}, {"scc": result})


def immediate_cases(file):
    file.comment("SOPK: the immediate is sign-extended, zero-extended for unsigned compares")
    immediates = [0, 1, 0x7FFF, 0x8000, 0xFFFF]
    for k in immediates:
        file.case("s_movk_i32 s40, 0x%x" % k, {}, {"s40": signed(k, 16) & M32})
        for a in (0, 5, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF):
            total = signed(a, 32) + signed(k, 16)
            file.case("s_addk_i32 s40, 0x%x" % k, {"s40": a, "scc": 0}, {"s40": total & M32, "scc": overflow(total)})
            file.case("s_mulk_i32 s40, 0x%x" % k, {"s40": a}, {"s40": a * signed(k, 16) & M32})
    for name, function in RELATIONS.items():
        for k in immediates:
            for a in (k, signed(k, 16) & M32, (k + 1) & M32, 0x80000000):
                result = int(function(signed(a, 32), signed(k, 16)))
                file.case("s_cmpk_%s_i32 s10, 0x%x" % (name, k), {"s10": a, "scc": 1 - result}, {"scc": result})
                result = int(function(a, k))
                file.case("s_cmpk_%s_u32 s10, 0x%x" % (name, k), {"s10": a, "scc": 1 - result}, {"scc": result})


def flow_cases(file):
    file.comment("branches, jumps and calls; pc counts words behind the instruction")
    for offset, pc in ((5, 5), (65532, -4), (0, 0)):
        file.case("s_branch %d" % offset, {}, {"pc": str(pc)})
    conditions = {"scc0": ("scc", {0: 1, 1: 0}), "scc1": ("scc", {0: 0, 1: 1}), "vccz": ("vcc", {0: 1, 1 << 63: 0}),
                  "vccnz": ("vcc", {0: 0, 1 << 63: 1}), "execz": ("exec", {0: 1, 1 << 32: 0}),
                  "execnz": ("exec", {0: 0, 1 << 32: 1})}
    for name, (state, outcomes) in conditions.items():
        for value, taken in outcomes.items():
            file.case("s_cbranch_%s 3" % name, {state: value}, {"pc": "3" if taken else "0"})
    file.case("s_getpc_b64 s[40:41]", {}, {"s[40:41]": "pc+4"})
    file.case("s_setpc_b64 s[10:11]", {"s[10:11]": "pc+c"}, {"pc": "2"})
    file.case("s_swappc_b64 s[40:41], s[10:11]", {"s[10:11]": "pc+10"}, {"s[40:41]": "pc+4", "pc": "3"})
    file.case("s_swappc_b64 s[10:11], s[10:11]", {"s[10:11]": "pc+10"}, {"s[10:11]": "pc+4", "pc": "3"})
    file.case("s_setpc_b64 s[10:11]", {"s[10:11]": 0x1000}, {"fault": "instruction"})
    file.case("s_call_b64 s[40:41], 2", {}, {"s[40:41]": "pc+4", "pc": "2"})
    file.case("s_endpgm", {}, {"state": "done"})
    file.case("s_barrier", {}, {"state": "barrier"})
    file.case("s_trap 2", {}, {"fault": "trap"})
    file.case("s_sendmsg sendmsg(MSG_GS_DONE, GS_OP_NOP)", {}, {"fault": "gap"})
    for text in ("s_sendmsg sendmsg(MSG_INTERRUPT)", "s_nop 0", "s_nop 7", "s_waitcnt vmcnt(0)",
                 "s_waitcnt vmcnt(3) lgkmcnt(0)", "s_waitcnt 0", "s_setprio 1", "s_sethalt 0", "s_setkill 0", "s_icache_inv",
                 "s_incperflevel 1", "s_decperflevel 1", "s_ttracedata", "s_sleep 1", "s_dcache_inv", "s_dcache_inv_vol",
                 "s_dcache_wb", "s_dcache_wb_vol", "s_wakeup", "s_dcache_discard s[10:11], 0x10",
                 "s_dcache_discard_x2 s[10:11], 0x10", "s_atc_probe 7, s[10:11], 0x10",
                 "s_atc_probe_buffer 7, s[12:15], 0x10"):
        file.case(text, {}, {})
    file.case("s_sethalt 1", {}, {"fault": "trap"})
    for name in ("sys", "user", "sys_or_user", "sys_and_user"):  # no debugger is attached
        file.case("s_cbranch_cdbg%s 3" % name, {}, {"pc": "0"})


def hardware_register_cases(file):
    file.comment("hardware registers: MODE, and the aperture bases; VGPR index mode")
    file.case("s_getreg_b32 s40, hwreg(HW_REG_SH_MEM_BASES)", {}, {"s40": 0x00010002})
    file.case("s_getreg_b32 s40, hwreg(HW_REG_SH_MEM_BASES, 16, 16)", {}, {"s40": 1})
    file.case("s_getreg_b32 s40, hwreg(HW_REG_SH_MEM_BASES, 0, 16)", {}, {"s40": 2})
    file.case("s_getreg_b32 s40, hwreg(HW_REG_MODE, 4, 4)", {}, {"s40": 0xF})
    file.case("s_setreg_b32 hwreg(HW_REG_MODE, 4, 4), s10", {"s10": 0xF}, {})
    file.case("s_setreg_b32 hwreg(HW_REG_MODE, 0, 2), s10", {"s10": 0x13}, {"mode": 0xF3})
    file.case("s_setreg_b32 hwreg(HW_REG_MODE, 2, 2), s10", {"s10": 2, "mode": 0xC1}, {"mode": 0xC9})
    file.case("s_getreg_b32 s40, hwreg(HW_REG_MODE, 0, 4)", {"mode": 0xF9}, {"s40": 9})
    file.case("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 23, 1), 1", {}, {"mode": 0x8000F0})  # FP16_OVFL
    file.case("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 9, 1), 1", {}, {"mode": 0x2F0})  # IEEE
    file.case("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 8, 1), 1", {}, {"mode": 0x1F0})  # DX10_CLAMP
    file.case("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 8, 1), 0", {}, {"fault": "gap"})
    file.case("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 12, 7), 1", {}, {"fault": "gap"})  # an exception traps
    file.case("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 28, 1), 1", {}, {"fault": "gap"})  # VSKIP
    file.case("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 12, 7), 0", {}, {})
    file.case("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 0xff", {}, {})
    file.case("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 0", {}, {"fault": "gap"})
    file.case("s_set_gpr_idx_on s10, gpr_idx(SRC0,DST)", {"s10": 0xFFFFFF07, "m0": 0x12345600},
              {"m0": 0x12345607, "index": 9})
    file.case("s_set_gpr_idx_off", {"index": 9}, {"index": 0})
    file.case("s_set_gpr_idx_idx s10", {"s10": 0x0108, "m0": 0xABCD0099}, {"m0": 0xABCD0008})
    file.case("s_set_gpr_idx_mode gpr_idx(SRC1,SRC2)", {"index": 1}, {"index": 6})


def load_cases(file):
    file.comment("scalar loads; the lowest two address bits are ignored")
    for n in (1, 2, 4, 8, 16):
        suffix = "" if n == 1 else "x%d" % n
        destination = registers("s", 40, n)

        def loaded(offset):
            if n <= 2:
                return {destination: memory_value(offset, 4 * n)}
            return {"s[%d:%d]" % (40 + i, 41 + i): memory_value(offset + 4 * i, 8) for i in range(0, n, 2)}

        zeros = dict.fromkeys(loaded(0), 0)
        file.case("s_load_dword%s %s, s[10:11], 0x20" % (suffix, destination), {"s[10:11]": "mem+10"}, loaded(0x30))
        file.case("s_load_dword%s %s, s[10:11], s20" % (suffix, destination), {"s[10:11]": "mem+11", "s20": 0x42},
                  loaded(0x50))
        file.case("s_load_dword%s %s, s[10:11], -0x10" % (suffix, destination), {"s[10:11]": "mem+40"}, loaded(0x30))
        file.case("s_load_dword%s %s, s[10:11], s20 offset:0x10" % (suffix, destination),
                  {"s[10:11]": "mem+20", "s20": 0x40}, loaded(0x70))
        file.case("s_buffer_load_dword%s %s, s[12:15], s20 offset:0x8" % (suffix, destination),
                  {"s[12:13]": "mem+20", "s14": 0x400, "s15": 0x27000, "s20": 0x10}, loaded(0x38))
        file.case("s_load_dword%s %s, s[10:11], 0x0" % (suffix, destination), {"s[10:11]": 8}, {"fault": "address"})
        file.case("s_buffer_load_dword%s %s, s[12:15], 0x8" % (suffix, destination),
                  {"s[12:13]": "mem+20", "s14": 0x400, "s15": 0x27000}, loaded(0x28))
        file.case("s_buffer_load_dword%s %s, s[12:15], 0x8" % (suffix, destination),
                  {"s[12:13]": "mem+20", "s14": 0x8, "s15": 0x27000}, zeros)
        if n > 2:
            file.case("s_buffer_load_dword%s %s, s[12:15], 0x18" % (suffix, destination),
                      {"s[12:13]": "mem+20000000000020", "s14": 1, "s15": 0x27000},  # one record of 32 bytes
                      dict(zeros, **{"s[40:41]": memory_value(0x38, 8)}))
    file.case("s_load_dwordx2 vcc, s[10:11], 0x0", {"s[10:11]": "mem+8"}, {"vcc": memory_value(8, 8)})
    file.case("s_memtime s[40:41]", {}, {"s[40:41]": "any"})
    file.case("s_memrealtime s[40:41]", {}, {"s[40:41]": "any"})


def all_cases(file):
    for cases in (one_source_cases, conditional_cases, exec_cases, two_source_cases, compare_cases, immediate_cases,
                  flow_cases, hardware_register_cases, load_cases):
        cases(file)
