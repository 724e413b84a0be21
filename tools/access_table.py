"""The loads and stores of a launch as a table: one row for a source line and what it accesses, "u, plane k+1".

In:  rows of the emulated device's report (emulator/counters/line_report.h), the run's result (grading/results.py).
Out: lines of text; groups() for who compares two runs.
"""
import dataclasses
import os
import re

from grading.words import shown
from tools.aligned import aligned

EXPLAINED = """\
  which:   plane k and point i are the thread's own, of what it stores first;
           "i-1, i" is a wide load; rows of one plane are added up
  instr:   load or store instructions of the kernel that are added up here
  exec.:   how often wavefronts executed them
  lines:   lines of 64 B that a wavefront touches with one of them, mean
  fewest:  as many lines would hold the same bytes
  asked:   MB that lanes ask for, each byte counted once an instruction
  fetched: MB of it that came from HBM (modelled)
  L1, L2:  % of the requests to this cache that it answered itself (modelled)"""
NO_LINE = '  line:    "-" is code without a line of its own, "lib." code of the device library'
AXES = (("plane", "k"), ("row", "j"), ("point", "i"))


@dataclasses.dataclass
class Group:
    """Accesses that are shown as one."""
    place: str
    what: str
    which: str
    instructions: int = 0
    executions: int = 0
    lines: float = 0
    fewest: float = 0
    asked: int = 0
    fetched: int = 0
    l1: list = dataclasses.field(default_factory=lambda: [0, 0])  # hits, look-ups
    l2: list = dataclasses.field(default_factory=lambda: [0, 0])

    def add(self, row):
        executions = int(row["executions"])
        self.instructions += 1
        self.executions += executions
        self.lines += float(row["lines"]) * executions
        self.fewest += float(row["fewest_lines"]) * executions
        self.asked += int(row["requested_bytes"])
        self.fetched += int(row["fetched_bytes"] or 0)
        for kept, hit, all_ in ((self.l1, "l1_hit_percent", "l1_lookups"), (self.l2, "l2_hit_percent", "l2_requests")):
            if row[hit]:
                kept[0] += float(row[hit]) / 100 * int(row[all_])
                kept[1] += int(row[all_])


def is_spill(row):
    return row["instruction"].startswith(("buffer_", "scratch_"))


def is_lds(row):
    return row["instruction"].startswith("ds_")


def width(row, element):
    """How many elements side by side a lane loads or stores."""
    found = re.search(r"dwordx(\d)", row["instruction"])
    return max(1, 4 * int(found[1]) // element) if found else 1


def neighbour(letter, number):
    return letter + (f"{number:+d}" if number else "")


def span(letter, covered):
    """"i+1", "i-1, i", "i-4 to i-1\""""
    ends = [neighbour(letter, point) for point in (covered[0], covered[-1])]
    return ends[0] if len(covered) == 1 else (", " if len(covered) == 2 else " to ").join(ends)


class Arrays:
    """Which array an access is of, and where in it. The first store's is f; what is left, in the order of memory, u."""

    def __init__(self, rows, result):
        stores = [row for row in rows if row["action"] == "store" and row["allocation"]]
        self.origin = stores[0] if stores else None
        others = sorted({row["allocation"] for row in rows if row["allocation"]} - {self._of_origin()})
        self.names = {self._of_origin(): "f" if others else "the array",
                      **{other: "u" if len(others) == 1 else f"array {n}" for n, other in enumerate(others, 1)}}
        self.steps = steps_of(result) if others else ()
        self.element = result["element_bytes"]

    def _of_origin(self):
        return self.origin["allocation"] if self.origin else None

    def which(self, row):
        """"u, plane k+1", or the array alone where there are no planes."""
        if not row["allocation"]:  # a flat instruction's lanes may differ
            return "LDS or memory" if row["instruction"].startswith("flat_") else ""
        name = self.names[row["allocation"]]
        if not self.steps or not self.origin:
            return name
        away, parts = (int(row["byte"]) - int(self.origin["byte"])) // self.element, []
        for (axis, letter), step in zip(AXES, self.steps):
            number = round(away / step)
            away -= number * step
            # Rows of a tile are alike; planes and neighbours along x are what makes a difference.
            if axis == "plane":
                parts.append(axis + " " + neighbour(letter, number))
            elif axis == "point":
                covered = range(number, number + max(1, width(row, self.element) - width(self.origin, self.element) + 1))
                if len(covered) > 1 or number:
                    parts.append(span(letter, covered))
        return ", ".join([name, *parts])


def steps_of(result):
    """Elements from plane to plane, row to row, point to point; () where u and f are not laid out so."""
    layout = result["layout"]
    if not layout.get("ld") or layout.get("radius") is None:
        return ()
    halo = 2 * layout["radius"]
    inside = 1
    for direction in ("nx", "ny", "nz"):
        inside *= result[direction] - halo
    rows = result["ny"] + (0 if inside == result["interior_points"] else halo)
    return layout["ld"] * rows, layout["ld"], 1


def place_of(row, source):
    """Code of headers, as spills have it, is the kernel's; without a line it is the device library's."""
    if not row["line"] and not is_spill(row):
        return "device library"
    if is_spill(row) or not same_folder(row["file"], source):
        return "the kernel"
    return f"{os.path.basename(shown(row['file']))}:{row['line']}"


def same_folder(file, source):
    """By its name: a program may have been built elsewhere."""
    return os.path.basename(os.path.dirname(file)) == os.path.basename(os.path.dirname(source))


def groups(rows, result):
    """In the order of the source; what has no line of its own comes last."""
    arrays, found = Arrays(rows, result), {}
    for row in rows:
        place = place_of(row, result["source"])
        which = "spilled registers" if is_spill(row) else "LDS" if is_lds(row) else arrays.which(row)
        found.setdefault((place, row["action"], which), Group(place, row["action"], which)).add(row)
    return sorted(found.values(), key=lambda group: ":" not in group.place)


def total(parts, place, what):
    """Of all that is loaded, stored, ..., or of both."""
    chosen = [part for part in parts if what in ("both", part.what)]
    whole = Group(place, what, "")
    for part in chosen:
        for name in ("instructions", "executions", "lines", "fewest", "asked", "fetched"):
            setattr(whole, name, getattr(whole, name) + getattr(part, name))
        whole.l1 = [a + b for a, b in zip(whole.l1, part.l1)]
        whole.l2 = [a + b for a, b in zip(whole.l2, part.l2)]
    return whole


def share(hits_of_all):
    return f"{100 * hits_of_all[0] / hits_of_all[1]:.0f}" if hits_of_all[1] else "-"


def short(number, decimals):
    """In at most six columns: 122400, 1.2M, 62.4, 1064."""
    return f"{number * 1e-6:.1f}M" if number >= 1e6 else f"{number:.{decimals if number < 1000 else 0}f}"


def line_in(place, source):
    """Of the learner's own file the number alone."""
    return {"the kernel": "-", "device library": "lib."}.get(place, place.removeprefix(os.path.basename(source) + ":"))


def cells_of(group, source, modelled):
    means = [f"{value / group.executions:.2f}" if group.executions and value else "-"
             for value in (group.lines, group.fewest)]
    fetched = short(group.fetched * 1e-6, 1) if modelled and group.which != "LDS" else "-"
    return (line_in(group.place, source), group.what, group.which, str(group.instructions), short(group.executions, 0),
            *means, short(group.asked * 1e-6, 1), fetched, share(group.l1), share(group.l2))


def with_rule(lines, before):
    """A rule above the last lines, which are sums."""
    return [*lines[:-before], "  " + "-" * (max(map(len, lines)) - 2), *lines[-before:]]


def table(rows, result):
    if not rows:
        return ["memory by source line: no load or store was executed"]
    modelled = any(row["fetched_bytes"] for row in rows)
    parts = groups(rows, result)
    sums = [*(total(parts, "all", what) for what in sorted({part.what for part in parts})), total(parts, "all", "both")]
    heading = ("line", "what", "which", "instr", "exec.", "lines", "fewest", "asked", "fetched", "L1", "L2")
    lines = list(aligned([heading, *(cells_of(part, result["source"], modelled) for part in [*parts, *sums])], left=3))
    return [f"memory by source line: kernel {result['kernel']}, {shown(result['source'])}",
            *with_rule(lines, len(sums)), *([NO_LINE] if any(":" not in part.place for part in parts) else ()), EXPLAINED,
            "  make profile with FULL=1 has a row for each instruction"]


def full_table(rows, result):
    """Each instruction."""
    arrays = Arrays(rows, result)
    cells = [("line", "which", "exec.", "lines", "fewest", "asked", "fetched")]
    for row in rows:
        place = f"{os.path.basename(shown(row['file']))}:{row['line']}" if row["line"] else f"offset {row['offset']}"
        fetched = short(int(row["fetched_bytes"]) * 1e-6, 1) if row["fetched_bytes"] else "-"
        cells.append((line_in(place, result["source"]), arrays.which(row), row["executions"], f"{float(row['lines']):.2f}",
                      f"{float(row['fewest_lines']):.2f}", short(int(row["requested_bytes"]) * 1e-6, 1), fetched))
    heading, *lines = aligned(cells, left=2, gap=2)
    below = [text for line, row in zip(lines, rows) for text in (line, f"      {shown(row['instruction'])}")]
    return [f"memory by source line: kernel {result['kernel']}, every instruction, below its row", heading, *below,
            EXPLAINED]
