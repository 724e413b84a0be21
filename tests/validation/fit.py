"""make fit: finds the calibrated parameters of the memory model anew, from the fitted half of the published cells.

In:  emulator/base/mi250x.ini, whose lines marked CALIBRATED say what is fitted and where the search begins; published.json,
     in which a table that says "fit" has figures that the memory model decides; the kept traces of traces.py.
Out: each step of the search, then both halves' errors with what it found, the blind half first. It writes no parameter.

"fit" of a table says what makes its evaluation cheap: "sizes", which are smaller than those of make validate; "every": N,
of N pairs of rows only one, a row of either half. A row that says "compute" is left out: no memory decides it.
"""
import concurrent.futures
import math
import re
import shutil
import sys
import time

import compare
import descent
import document
import errors
import halves
import run
import traces
import validate

DEVICE = f"{run.DEVICES}/mi250x.ini"
AT_MOST = 6  # so few parameters cannot learn so many cells by heart
# What one step changes, the least and the most. All of them are read as whole numbers where the step is whole.
STEPS = {
    "l1_outstanding": descent.Step(40, 40, 4096),
    "l2_unused_ways": descent.Step(1, 0, 15),
    "hbm_open_rows": descent.Step(1, 1, 64),
    "hbm_row_miss_clk": descent.Step(0.5, 0, 100),
    "group_launch_clk": descent.Step(0.25, 0.25, 100),
}
TRAFFIC_UNITS = ("MB", "GB")
WORST = 10  # what a figure counts that is wrong by a factor of 1000 or has no logarithm


def calibrated(text):
    """{name: value} of the lines of an .ini file that are marked CALIBRATED."""
    found = {name: float(value) for name, value in
             re.findall(r"^(\w+) = ([0-9.]+) *;.*\bCALIBRATED\b", text, re.MULTILINE)}
    if not 1 <= len(found) <= AT_MOST:
        raise run.Failure(f"{DEVICE} marks {len(found)} parameters CALIBRATED; 1 to {AT_MOST} can be fitted.")
    unknown = sorted(set(found) - set(STEPS))
    if unknown:
        raise run.Failure(f"tests/validation/fit.py has no step for {', '.join(unknown)}: give it a row in STEPS.")
    return found


def cheap(table):
    """The table as it is evaluated here."""
    how = table["fit"]
    rows = [row for number, row in enumerate(table["rows"])
            if number // 2 % how.get("every", 1) == 0 and not row.get("compute")]
    return dict(table, rows=rows, **({"sizes": how["sizes"]} if "sizes" in how else {}))


def with_rows(tables, half, wanted):
    """The tables with the rows of these halves, without those that have none left."""
    kept = [dict(table, rows=[row for row in table["rows"] if half[table["name"], row["row"]] in wanted])
            for table in tables]
    return [table for table in kept if table["rows"]]


def is_counted(cell):
    """Whether a cell is part of the objective."""
    return cell["half"] == halves.FITTED and (errors.is_timed(cell) or
                                              cell["evidence"] == "modelled" and cell["unit"] in TRAFFIC_UNITS)


def distance(cell):
    ratio = cell["ours"] / cell["published"]
    return min(abs(math.log2(ratio)), WORST) if ratio > 0 else WORST


def objective(cells):
    """The mean over tables of the mean over their cells, so that a table with many cells counts no more than another."""
    by_table = {}
    for cell in filter(is_counted, cells):
        by_table.setdefault(cell["table"], []).append(distance(cell))
    return sum(sum(of) / len(of) for of in by_table.values()) / len(by_table)


class Evaluation:
    """All launches of some tables, with any parameters."""

    def __init__(self, tables, half):
        self.tables, self.half = tables, half
        self.jobs = sorted({job for table in tables for row in table["rows"] for job in run.jobs_of(table, row)})

    def keep_traces(self):
        writers = {program: traces.writers_hash(program) for program in {job[0] for job in self.jobs}}
        missing = [job for job in self.jobs if not traces.is_kept(job, writers[job[0]])]
        with concurrent.futures.ThreadPoolExecutor(run.AT_ONCE) as pool:
            running = [pool.submit(traces.keep, job, writers[job[0]]) for job in missing]
            for number, done in enumerate(concurrent.futures.as_completed(running), 1):
                if done.exception():
                    pool.shutdown(cancel_futures=True)
                done.result()
                validate.show_progress(f"traces: {number} of {len(missing)} kept")

    def cells(self, parameters):
        jobs = sorted(self.jobs, key=lambda job: (-traces.size(job), job))
        with concurrent.futures.ThreadPoolExecutor(run.AT_ONCE) as pool:
            results = dict(zip(jobs, pool.map(lambda job: traces.replay(job, parameters), jobs)))
        figures = {table["name"]: run.figures_of(table, results) for table in self.tables}
        return [dict(cell, half=self.half[cell["table"], cell["row"]]) for cell in compare.cells(self.tables, figures)]


def show(parameters):
    return " ".join(f"{name}={value:g}" for name, value in parameters.items())


def tell(name, value, changed, before, after, is_better):
    print(f"{name} {value:g} -> {changed:g}: {before:.4f} -> {after:.4f}{', kept' if is_better else ''}", flush=True)


def report(cells, start, found):
    tables = list(dict.fromkeys(cell["table"] for cell in cells))
    for half in (halves.BLIND, halves.FITTED):
        of_half = [cell for cell in cells if cell["half"] == half]
        groups = [("all timed cells", [cell for cell in of_half if errors.is_timed(cell)]), ("all cells", of_half)]
        groups += [(table, [cell for cell in of_half if cell["table"] == table]) for table in tables]
        print(f"\nThe {half} half\n\n| table | cells | mean | worst | NRMSE | r | order |\n{'|---' * 7}|")
        print("\n".join(document.errors_line(name, of) for name, of in groups if of))
    print(f"\nFound: {show(found)}")
    other = [f"{name} = {value:g} (not {start[name]:g})" for name, value in found.items() if value != start[name]]
    print(f"{DEVICE} has these values." if not other else f"{DEVICE} has other values; edit its lines: {', '.join(other)}.")


def main():
    if not shutil.which("zstd"):
        raise run.Failure("zstd, which packs the traces, is missing: run `make setup`, which installs it.")
    with open(DEVICE, encoding="utf-8") as file:
        start = calibrated(file.read())
    published = validate.tables()
    half = halves.halves(published)
    tables = [cheap(table) for table in published if "fit" in table]
    both = Evaluation(tables, half)
    both.keep_traces()
    search = Evaluation(with_rows(tables, half, [halves.FITTED]), half)
    print(f"Mean |log2(ours / published)| over the fitted half, {len(search.jobs)} launches:")

    def score(parameters):
        began = time.monotonic()
        found = objective(search.cells(parameters))
        print(f"{found:.4f} with {show(parameters)} ({time.monotonic() - began:.0f} s)", flush=True)
        return found
    found = descent.descend(score, start, STEPS, tell)
    report(both.cells(found), start, found)


if __name__ == "__main__":
    try:
        main()
    except run.Failure as failure:
        sys.exit(f"The fit could not be done. {failure}")
