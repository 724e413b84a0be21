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

SAME_SHARE = 0.0005  # beyond which figures differ
SUMS = (("instructions", "{:.0f}", 1), ("executions", "{:.0f}", 1), ("lines", "{:.3g} million", 1e-6),
        ("asked", "{:.1f} MB", 1e-6), ("fetched", "{:.1f} MB", 1e-6))


class Stop(Exception):
    """There is nothing to compare; the sentence says why."""


def differ(a, b):
    return abs(a - b) > SAME_SHARE * max(abs(a), abs(b))


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


def accesses(before, now):
    """before, now: (rows, result)."""
    a, b = by_line(*before), by_line(*now)
    for key in dict.fromkeys([*b, *a]):
        old, new = (side.get(key, ([0] * len(SUMS), [])) for side in (a, b))
        told = [f"{name} {spelled.format(x)} -> {spelled.format(y)}"
                for (name, spelled, _), x, y in zip(SUMS, old[0], new[0]) if differ(x, y)]
        if told:
            places = " ".join(dict.fromkeys(new[1] or old[1]))
            yield f"  {key[0]:<6} {key[1]:<26} {', '.join(told)}  ({places})"


def compare(before, now):
    """before, now: (result, rows)"""
    yield f"before: {head(before[0])}"
    yield f"now:    {head(now[0])}"
    told = list(figures(before[0], now[0]))
    yield from [f"  {'':<34} {'before':>12} {'now':>12}", *told] if told else ["  no figure differs by 0.05 % or more"]
    if before[1] and now[1]:
        told = list(accesses(before[::-1], now[::-1]))
        yield from ["by what is accessed:", *told] if told else ["every load and store did what it did before"]


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
