"""Golden cases of the vector compares: v_cmp, v_cmpx and v_cmp_class of every type."""

import exact
from casefile import LANES
from values import BITS, boundary_lanes
from vector import read
from vector_cases import HOLES, NAMES, select, source_states

INTEGER = {"f": lambda o: False, "lt": lambda o: o < 0, "eq": lambda o: o == 0, "le": lambda o: o <= 0,
           "gt": lambda o: o > 0, "ne": lambda o: o != 0, "ge": lambda o: o >= 0, "t": lambda o: True}
# o is None for unordered operands.
FLOAT = {"f": lambda o: False, "lt": lambda o: o == -1, "eq": lambda o: o == 0, "le": lambda o: o in (-1, 0),
         "gt": lambda o: o == 1, "lg": lambda o: o in (-1, 1), "ge": lambda o: o in (0, 1), "o": lambda o: o is not None,
         "u": lambda o: o is None, "nge": lambda o: o not in (0, 1), "nlg": lambda o: o not in (-1, 1),
         "ngt": lambda o: o != 1, "nle": lambda o: o not in (-1, 0), "neq": lambda o: o != 0, "nlt": lambda o: o != -1,
         "tru": lambda o: True}


def order(a, b):
    return exact.compare(a, b) if isinstance(a, exact.Float) else (a > b) - (a < b)


def class_bit(bits, form):
    """Number of the class: signalling NaN, quiet NaN, then -infinity up to +infinity."""
    x = exact.decode(bits, form)
    if x.nan:
        return 0 if x.kind == exact.SIGNALLING else 1
    steps = 4 if x.kind == exact.INFINITE else 1 if x.zero else 2 if exact.denormal(x, form) else 3
    return {4: 2, 3: 3, 2: 4, 1: 5}[steps] if x.sign else {1: 6, 2: 7, 3: 8, 4: 9}[steps]


def emit(file, mnemonic, states, truth, index):
    """The forms of one compare, each in turn over the rows: e32 to VCC, e64 to SGPRs; v_cmpx also writes EXEC."""
    exec_mask = HOLES[index % len(HOLES)]
    mask = sum(1 << lane for lane in range(LANES) if truth[lane]) & exec_mask
    for suffix, target in (("_e32", "vcc"), ("_e64", "s[40:41]")):
        for form in ("v_cmp_", "v_cmpx_"):
            before = {"exec": exec_mask, target: 0x5A5A5A5AA5A5A5A5}
            before.update({reg: file.named(name, lanes) for reg, lanes, name in states})
            after = {target: mask}
            if form == "v_cmpx_":
                after["exec"] = mask
            text = "%s%s%s %s, %s" % (form, mnemonic, suffix, target, ", ".join(s[0] for s in states))
            file.case(text, before, after)


def sdwa(file, mnemonic, kind, relation, index):
    parts = [NAMES[(index + i) % len(NAMES)] for i in range(2)]
    states = source_states([kind, kind], boundary_lanes, "boundary")
    truth = [relation(order(*(read(kind, select(s[1][lane], part, kind[0] == "i")) for s, part in zip(states, parts))))
             for lane in range(LANES)]
    exec_mask = HOLES[(index + 1) % len(HOLES)]
    mask = sum(1 << lane for lane in range(LANES) if truth[lane]) & exec_mask
    before = {"exec": exec_mask, "vcc": 0}
    before.update({reg: file.named(name, lanes) for reg, lanes, name in states})
    shown = ["sext(%s)" % s[0] if kind[0] == "i" else s[0] for s in states]
    file.case("v_cmp_%s_sdwa vcc, %s src0_sel:%s src1_sel:%s" % (mnemonic, ", ".join(shown), *parts), before, {"vcc": mask})


def all_cases(file):
    index = 0
    for kinds, relations in ((("u16", "i16", "u32", "i32", "u64", "i64"), INTEGER), (("f16", "f32", "f64"), FLOAT)):
        for kind in kinds:
            for name, relation in relations.items():
                states = source_states([kind, kind], boundary_lanes, "boundary")
                truth = [relation(order(*(read(kind, s[1][lane]) for s in states))) for lane in range(LANES)]
                emit(file, "%s_%s" % (name, kind), states, truth, index)
                if BITS[kind] < 64:
                    sdwa(file, "%s_%s" % (name, kind), kind, relation, index)
                index += 1
    for form in ("f16", "f32", "f64"):
        states = source_states([form, "class"], boundary_lanes, "boundary")
        bits = (1 << BITS[form]) - 1
        truth = [states[1][1][lane] >> class_bit(states[0][1][lane] & bits, form) & 1 for lane in range(LANES)]
        emit(file, "class_" + form, states, truth, index)
        index += 1
