"""Two runs side by side, by figure and by source line: what a change did.

In:  diff_runs.py BEFORE NOW   paths without their ends: .json is a run's result (grading/results.py), .lines.csv the
     emulated device's report of it, if there is one. make run keeps the run before the last; make diff WITH=starter makes
     a run of the lab's first version.
Out: what differs; what is the same is left out. Status 1, with a sentence, where there are no two runs to compare.
"""
import os
import sys

from grading.accesses import read_accesses
from grading.results import NoResult, load, look_up
from grading.tables.columns import rows_of
from grading.words import shown
from tools.access_table import groups

SAME_SHARE = 0.0005      # beyond which figures differ
SAME_ACCESSES = 0.01     # and what an access did: who loads what at an edge of the grid is up to the compiler
# What is summed of accesses that are alike, as make profile heads it; its unit, and how many of that one is.
SUMS = (("executions", "thousand", 1e-3), ("lines", "million", 1e-6), ("asked", "MB", 1e-6), ("fetched", "MB", 1e-6))


class Stop(Exception):
    """There is nothing to compare; the sentence says why."""


def differ(a, b, share=SAME_SHARE):
    return abs(a - b) > share * max(abs(a), abs(b))


def change(before, now):
    return f"{100 * (now / before - 1):+.1f} %" if before else ""


def head(result):
    choices = f", window {result['window']}" if result["window"] else ""
    rows = f"{result['rows']} row{'s' if result['rows'] != 1 else ''} a thread"
    return (f"{shown(result['source'])}, kernel {result['kernel']}, {rows}{choices}, "
            f"{result['nx']} x {result['ny']} x {result['nz']}" + ("" if result["verified"] else ", NOT RIGHT"))


def figures(before, now):
    for row, _, path, _, _ in rows_of(now):
        pair = look_up(before, path), look_up(now, path)
        if None not in pair and differ(*pair):
            yield f"  {row:<34} {pair[0]:>12.5g} {pair[1]:>12.5g}  {change(*pair)}"


def by_line(rows, result):
    """{(what, which): sums of all accesses that are alike}. Lines move when a file is edited, so they are no key."""
    found = {}
    for group in groups(rows, result):
        sums, places = found.setdefault((group.what, group.which), ([0] * len(SUMS), []))
        places.append(group.place)
        for n, (name, _, times) in enumerate(SUMS):
            sums[n] += getattr(group, name) * times
    return found


def cell(old, new):
    """"105 -> 69", or the one number that both have."""
    return f"{old:.4g} -> {new:.4g}" if differ(old, new, SAME_ACCESSES) else f"{new:.4g}"


def accesses(before, now):
    """before, now: (rows, result). Lines of what differs, below a heading."""
    a, b = by_line(*before), by_line(*now)
    for key in dict.fromkeys([*b, *a]):
        old, new = (side.get(key, ([0] * len(SUMS), [])) for side in (a, b))
        if any(differ(*pair, SAME_ACCESSES) for pair in zip(old[0], new[0])):
            cells = "".join(f"{cell(*pair):>20}" for pair in zip(old[0], new[0]))
            yield f"  {key[0]:<6} {key[1]:<24}{cells}  {' '.join(dict.fromkeys(new[1] or old[1]))}"


def compare(before, now):
    """before, now: (result, rows)"""
    yield f"before: {head(before[0])}"
    yield f"now:    {head(now[0])}"
    told = list(figures(before[0], now[0]))
    yield from [f"  {'':<34} {'before':>12} {'now':>12}", *told] if told else ["  no figure differs by 0.05 % or more"]
    if before[1] and now[1]:
        told = list(accesses(before[::-1], now[::-1]))
        heads = "".join(f"{f'{name}, {unit}':>20}" for name, unit, _ in SUMS)
        yield from [f"  {'by what is accessed':<31}{heads}", *told] if told else \
            ["every load and store did what it did before"]


def read(path):
    try:
        return load(f"{path}.json"), read_accesses(f"{path}.lines.csv", 1)
    except NoResult:
        raise Stop(f"there are no two runs to compare: {os.path.basename(path)}.json is missing. make run keeps the last "
                   "two: run, change something, run again") from None


def main():
    for line in compare(*map(read, sys.argv[1:])):
        print(line)


if __name__ == "__main__":
    try:
        main()
    except (Stop, OSError) as stop:
        sys.exit(f"diff: {stop}")
