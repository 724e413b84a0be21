"""Golden case files: what a line means, and how generators write one.

A file holds lines of three kinds:
    # comment
    @name = value,value,...                      a named list of lane values
    instruction | state before => state after    a case
States are blank-separated items:
    v3=LIST v[4:5]=LIST a3=LIST    vector registers (a: AccVGPRs); pairs hold 64-bit values
    s3=X s[4:5]=X vcc=X exec=X m0=X flat_scratch=X scc=0|1
    mem@10=X,X... lds@10=... scratch@10=...  consecutive dwords from that byte offset of the test's global buffer, LDS,
                                   wave scratch
    index=X mode=X                 VGPR index mode (s_set_gpr_idx_on); HW_REG_MODE (f0)
    valu=N matrix=N scalar=N       (after only) quad-cycles on the vector ALU, the matrix unit, the scalar unit
    lds_clk=N conflicts=N          (after only) clk of the LDS, and of these lost to bank conflicts
    lds_port=N                     (after only) quad-cycles of the port to the LDS
    pc=N                           (after only) the next instruction is N words behind the instruction's end
    group=N cooperative=1 vgprs=N  (before only) bytes of LDS allocated; a cooperative launch; ArchVGPRs that the
                                   wave has (256)
    fault=KIND                     (after only) the wave ends with this fault (FAULT_KIND in fault.h)
    state=barrier|grid|done        (after only) the wave waits for its workgroup, for the grid, or has ended
LIST before: comma-separated values, repeated cyclically over the 64 lanes, or @name. LIST after: exactly 64 values, X*n
for n equal ones; "-" is a lane that must not change. Whatever the state after does not name must not change either; a
time not named is 0.
Values: hexadecimal; mem+X, pc+X, scratch+X: an address; page+X: that of mem divided by 256; any: not checked;
nan: any NaN of the register's width; nan16: NaN in the low half, zero above; ~X: an f32 (f64 for pairs) at most 1 unit in
the last place from X; ~16:X: the same for an f16 in the low half.
Registers that the state before does not name hold 0x9e3779b1 * (number * 64 + lane + 1), number 512 + n for SGPR n;
byte k of a memory is low byte of 0x9e3779b1 * (k + 1) >> 13.
"""

import re

LANES = 64
FULL = (1 << LANES) - 1


# mnemonic: quad-cycles on the vector ALU, where they are not 1, and on the matrix unit. The tables of instructions
# state them.
QUAD_CYCLES = {}
MATRIX_CYCLES = {}
# Begins of the names of scalar instructions that the scalar unit never sees.
NOT_SCALAR = ("s_branch", "s_cbranch", "s_setpc", "s_getpc", "s_swappc", "s_call", "s_rfe", "s_endpgm", "s_sendmsg",
              "s_barrier", "s_trap", "s_sleep", "s_nop", "s_waitcnt", "s_setprio", "s_sethalt", "s_setkill", "s_icache",
              "s_incperf", "s_decperf", "s_ttrace", "s_wakeup")


def port_cycles(mnemonic):
    """A quad-cycle for each dword of a lane; what goes in is preceded by its addresses. Two addresses are two accesses."""
    words = max(1, int(re.search(r"_(?:[uibf]|bf)(\d+)", mnemonic)[1]) // 32)
    twice = 2 if re.match("ds_(read|write|wrxchg)2", mnemonic) else 1
    return (words if mnemonic.startswith("ds_read") else words + 1) * twice


def times(instruction, after):
    """{item: quad-cycles} of an instruction that runs, where they are not 0."""
    mnemonic = re.sub("_(e32|e64|dpp|sdwa)$", "", instruction.split()[0])
    if mnemonic.startswith("v_"):
        found = {"valu": QUAD_CYCLES.get(mnemonic, 1), "matrix": MATRIX_CYCLES.get(mnemonic, 0)}
    else:
        found = {"scalar": int(mnemonic.startswith("s_") and not mnemonic.startswith(NOT_SCALAR)),
                 "lds_port": port_cycles(mnemonic) if "lds_clk" in after else 0}
    return {item: cycles for item, cycles in found.items() if cycles}


def memory_byte(offset):
    return (0x9E3779B1 * (offset + 1) & 0xFFFFFFFF) >> 13 & 0xFF


def memory_value(offset, count):
    return int.from_bytes(bytes(memory_byte(offset + i) for i in range(count)), "little")


def show(value):
    return value if isinstance(value, str) else "%x" % value


def run_lengths(values):
    """value*count for runs."""
    parts, i = [], 0
    while i < len(values):
        j = i
        while j < len(values) and values[j] == values[i]:
            j += 1
        parts.append(show(values[i]) + ("*%d" % (j - i) if j - i > 1 else ""))
        i = j
    return ",".join(parts)


def lanes_of(mask):
    return [lane for lane in range(LANES) if mask >> lane & 1]


def under(mask, values):
    """The list after an instruction that writes values[lane] in the lanes of the mask."""
    return [values[lane] if mask >> lane & 1 else "-" for lane in range(LANES)]


def spread(values):
    """A list before, as the 64 lanes see it."""
    return [values[lane % len(values)] for lane in range(LANES)]


def registers(letter, first, count):
    return "%s%d" % (letter, first) if count == 1 else "%s[%d:%d]" % (letter, first, first + count - 1)


class CaseFile:
    """Collects named lists and cases, and renders them."""

    def __init__(self, name, about):
        self.name, self.about, self.lists, self.lines = name, about, {}, []

    def named(self, name, values):
        """Declares a list once and returns how a state before refers to it."""
        assert self.lists.setdefault(name, list(values)) == list(values), name
        return "@" + name

    def comment(self, text):
        self.lines.append("# " + text)

    def case(self, instruction, before, after):
        def item(key, value):
            return "%s=%s" % (key, run_lengths(value) if isinstance(value, list) else show(value))

        def before_item(key, value):
            return "%s=%s" % (key, ",".join(map(show, value)) if isinstance(value, list) else show(value))

        if "fault" not in after:
            after = dict(after, **times(instruction, after))
        left = " ".join(before_item(k, v) for k, v in before.items())
        right = " ".join(item(k, v) for k, v in after.items())
        self.lines.append(" ".join(("%s | %s => %s" % (instruction, left, right)).split()))

    def render(self):
        head = ["# %s" % self.about, "# Written by generate.py; the format is described in casefile.py."]
        lists = ["@%s = %s" % (k, ",".join(map(show, v))) for k, v in self.lists.items()]
        return "\n".join(head + lists + self.lines) + "\n"
