"""Two runs side by side, by figure and by what is accessed: what a change did.

In:  diff_runs.py BEFORE NOW WORDS   paths without their ends: .json is a run's result (grading/results.py), .lines.csv the
     emulated device's report of it, if there is one. make run keeps the run before the last; make diff WITH=starter makes
     a run of the lab's first version. WORDS: what the two are, for people
Out: what differs; of what is the same how many rows there are. Status 1, with a sentence, where there are no two runs that
     compare: a wrong result's figures say nothing, nor do two grids'.
"""
import os
import signal
import sys

from grading.accesses import read_accesses
from grading.results import NoResult, load, look_up, size_of
from grading.tables.columns import rows_of
from grading.words import shown
from tools.access_table import groups
from tools.aligned import aligned

SAME_SHARE = 0.0005      # beyond which figures differ
SAME_ACCESSES = 0.01     # and what an access did: who loads what at an edge of the grid is up to the compiler
# What is summed of accesses that are alike, nearly as make profile heads it; its unit, and how many of that one is.
SUMS = (("executions", "1000", 1e-3), ("lines", "1000", 1e-3), ("asked", "MB", 1e-6), ("fetched", "MB", 1e-6))


class Stop(Exception):
    """There is nothing to compare; the sentence says why."""


def differ(a, b, share=SAME_SHARE):
    return abs(a - b) > share * max(abs(a), abs(b))


def change(before, now):
    return f"{100 * (now / before - 1):+.1f} %" if before else ""


def digits(value, most):
    """A number in so many digits, or in as many as it has before the point."""
    return f"{value:.0f}" if abs(value) >= 10 ** most or float(value).is_integer() else f"{value:.{most}g}"


def head(result):
    choices = f", window {result['window']}" if result["window"] else ""
    rows = f"{result['rows']} row{'s' if result['rows'] != 1 else ''} a thread"
    return (f"{shown(result['source'])}, kernel {result['kernel']}, {rows}{choices}, "
            f"{result['nx']} x {result['ny']} x {result['nz']}" + ("" if result["verified"] else ", NOT RIGHT"))


def figures(before, now):
    """Lines of what differs, and how many figures are the same."""
    told, same = [], 0
    for row, _, path, _, _ in rows_of(now):
        pair = look_up(before, path), look_up(now, path)
        if None not in pair and differ(*pair):
            told.append(f"  {row:<34} {digits(pair[0], 5):>12} {digits(pair[1], 5):>12}  {change(*pair)}".rstrip())
        else:
            same += None not in pair
    return told, same


def by_line(rows, result):
    """{(what, which): sums of all accesses that are alike}. Lines move when a file is edited, so they are no key."""
    found = {}
    for group in groups(rows, result):
        sums = found.setdefault((group.what, group.which), [0] * len(SUMS))
        for n, (name, _, times) in enumerate(SUMS):
            sums[n] += getattr(group, name) * times
    return found


def cell(old, new):
    """"105->69", or the one number that both have."""
    return f"{digits(old, 3)}->{digits(new, 3)}" if differ(old, new, SAME_ACCESSES) else digits(new, 3)


def accesses(before, now):
    """before, now: (rows, result). Cells of what differs, and how many rows are the same."""
    a, b = by_line(*before), by_line(*now)
    told, same = [], 0
    for key in dict.fromkeys([*b, *a]):
        old, new = (side.get(key, [0] * len(SUMS)) for side in (a, b))
        if any(differ(*pair, SAME_ACCESSES) for pair in zip(old, new)):
            told.append((*key, *(cell(*pair) for pair in zip(old, new))))
        else:
            same += 1
    return told, same


def left_out(same, most):
    """How many rows are not told; nothing where all are."""
    return [f"  {same} row{'s are' if same != 1 else ' is'} left out: the same in both to {most:g} %"] if same else []


def must_compare(before, now):
    for name, result in (("before", before), ("now", now)):
        if not result["verified"]:
            raise Stop(f"nothing to compare yet: the run {name}, {head(result)}. Only right results compare")
    if size_of(before) != size_of(now):
        raise Stop(f"nothing to compare yet: the last two runs that were right are of two grids\n  before: {head(before)}\n"
                   f"  now:    {head(now)}\nRun both with the same --nx, --ny and --nz")


def compare(before, now, words):
    """before, now: (result, rows)"""
    must_compare(before[0], now[0])
    yield f"{words}:"
    for name, (result, _) in (("before: ", before), ("now:    ", now)):
        yield name + head(result).replace(", kernel ", ",\n        kernel ")
    told, same = figures(before[0], now[0])
    yield from [f"  {'':<34} {'before':>12} {'now':>12}", *told, *left_out(same, 100 * SAME_SHARE)] if told else \
        [f"  no figure differs by {100 * SAME_SHARE:g} % or more"]
    if before[1] and now[1]:
        told, same = accesses(before[::-1], now[::-1])
        heads = [("", "by what is accessed", *(name for name, _, _ in SUMS)), ("", "", *(unit for _, unit, _ in SUMS))]
        yield from [*aligned([*heads, *told], left=2), *left_out(same, 100 * SAME_ACCESSES)] if told else \
            ["every load and store did what it did before"]


def read(path):
    try:
        return load(f"{path}.json"), read_accesses(f"{path}.lines.csv", 1)
    except NoResult:
        raise Stop(f"there are no two runs to compare: {os.path.basename(path)}.json is missing. make run keeps the last "
                   "two that were right: run, change something, run again") from None


def main():
    before, now, words = sys.argv[1:]
    for line in compare(read(before), read(now), words):
        print(line)


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # a reader such as head may leave early
    try:
        main()
    except (Stop, OSError) as stop:
        sys.exit(f"diff: {stop}")
