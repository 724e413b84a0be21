"""The loads and stores of a launch as a table: one row for a source line and what it accesses, "u, plane k+1".

In:  rows of the emulated device's report (emulator/counters/line_report.h), the run's result (grading/results.py).
Out: lines of text; groups() for who compares two runs.
"""
import dataclasses
import os
import re

from grading.words import shown

EXPLAINED = """\
  lines:   lines of 64 B that a wavefront touches with one instruction, mean; fewest: as many would hold the same bytes
  asked:   bytes that lanes ask for, each counted once an instruction; fetched: what of it came from HBM (modelled)
  L1 hit:  look-ups that found their line in L1; L2 hit: requests of L1 that found theirs in L2 (both modelled)
  which:   plane k and point i are those of the point that the thread stores first; rows of one plane are added up;
           a wide load has several points, "points i-1, i\""""
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
        if not row["allocation"]:
            return ""
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
                if len(covered) > 1:
                    parts.append("points " + ", ".join(neighbour(letter, point) for point in covered))
                elif number:
                    parts.append("point " + neighbour(letter, number))
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


def total(parts, place, what=None):
    chosen = [part for part in parts if what in (None, part.what)]
    whole = Group(place, what or "", "")
    for part in chosen:
        for name in ("instructions", "executions", "lines", "fewest", "asked", "fetched"):
            setattr(whole, name, getattr(whole, name) + getattr(part, name))
        whole.l1 = [a + b for a, b in zip(whole.l1, part.l1)]
        whole.l2 = [a + b for a, b in zip(whole.l2, part.l2)]
    return whole


def share(hits_of_all):
    return f"{100 * hits_of_all[0] / hits_of_all[1]:5.1f}%" if hits_of_all[1] else "     -"


def line_of(group, modelled):
    mean = [f"{value / group.executions:7.2f}" if group.executions and value else f"{'-':>7}"
            for value in (group.lines, group.fewest)]
    fetched = f"{group.fetched * 1e-6:6.1f} MB" if modelled and group.which != "LDS" else f"{'-':>9}"
    return (f"  {group.place:<20} {group.what:<6} {group.which:<28} {group.instructions:>6} {group.executions:>11} "
            f"{mean[0]} {mean[1]} {group.asked * 1e-6:7.1f} MB {fetched} {share(group.l1)} {share(group.l2)}").rstrip()


def table(rows, result):
    if not rows:
        return ["memory by source line: no load or store was executed"]
    modelled = any(row["fetched_bytes"] for row in rows)
    parts = groups(rows, result)
    sums = [total(parts, "all", what) for what in sorted({part.what for part in parts})]
    heading = (f"  {'source line':<20} {'what':<6} {'which':<28} {'instr.':>6} {'executions':>11} {'lines':>7} "
               f"{'fewest':>7} {'asked':>10} {'fetched':>9} {'L1 hit':>6} {'L2 hit':>6}")
    return [f"memory by source line: kernel {result['kernel']}, {shown(result['source'])}; FULL=1 lists each instruction",
            heading, *(line_of(part, modelled) for part in parts), "  " + "-" * (len(heading) - 2),
            *(line_of(part, modelled) for part in (*sums, total(parts, "together"))), EXPLAINED]


def full_table(rows, result):
    """Each instruction."""
    arrays = Arrays(rows, result)
    lines = [f"  {'source line':<20} {'which':<28} {'executions':>10} {'lines':>7} {'fewest':>7} {'asked':>9} "
             f"{'fetched':>9}"]
    for row in rows:
        place = f"{os.path.basename(shown(row['file']))}:{row['line']}" if row["line"] else f"offset {row['offset']}"
        fetched = f"{int(row['fetched_bytes']) * 1e-6:6.1f} MB" if row["fetched_bytes"] else f"{'-':>9}"
        lines.append(f"  {place:<20} {arrays.which(row):<28} {row['executions']:>10} {float(row['lines']):7.2f} "
                     f"{float(row['fewest_lines']):7.2f} {int(row['requested_bytes']) * 1e-6:6.1f} MB {fetched}")
        lines.append(f"      {shown(row['instruction'])}")
    return [f"memory by source line: kernel {result['kernel']}, every instruction, below its row", *lines, EXPLAINED]
