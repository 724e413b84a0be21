"""make validate: every published table beside ours, with the error of every cell.

In:  published.json, bounds.json, the programs in build/tests/validation, the emulated device in build/emulator.
     "validate.py render" runs nothing: it writes the document anew from measured.json, after published figures, marks of
     calibration or bounds have been edited.
Out: docs/validation.md and tests/validation/measured.json (both committed), build/results/validation.json, and the
     tables on standard output. Status 1 if a figure that met its bound in the last commit no longer does.
"""
import hashlib
import glob
import json
import os
import subprocess
import sys
import time

import compare
import run

HERE = "tests/validation"
DOCUMENT, MEASURED, CELLS = "docs/validation.md", f"{HERE}/measured.json", "build/results/validation.json"
# What decides the figures. Replay (below) notices what else might.
SOURCES = ["common/emulator/mi250x.ini", "common/emulator/model*.[ch]", f"{HERE}/*.hip", f"{HERE}/*.h", f"{HERE}/run.py"]
HOW_TO_RUN = ["program", "sizes", "full", "set", "compiled", "row", "run", "counter", "launch"]  # fields of published.json
# Launches that make test repeats, and the counters that must come out the same to the last digit.
REPLAY = [("laplacian", ("baseline", "16"), ""), ("laplacian", ("reordered_16", "8"), ""),
          ("laplacian", ("bounded_nontemporal_8", "16"), ""), ("seismic", ("y", "unaligned", "8"), ""),
          ("seismic", ("window16", "aligned", "32"), ""), ("vcopy", (), "compute_units=104"),
          ("yax", ("unit_stride", "64"), "compute_units=104"), ("curves", ("latency", "18"), "compute_units=104"),
          ("curves", ("stride", "float", "3"), "compute_units=104")]
REPLAYED = ["time", "GRBM_COUNT", "SQ_INSTS", "TCP_TOTAL_CACHE_ACCESSES_sum", "TCP_TCC_READ_REQ_sum", "TCC_HIT_sum",
            "TCC_MISS_sum", "FETCH_SIZE", "WRITE_SIZE"]
# One launch at full size, to see what carrying the others on from reduced sizes costs in accuracy.
FULL = ("laplacian", ("baseline", "512"), "")


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def tables():
    """The published tables. A table whose program is not in the repository is left out, and the document says so."""
    return [table for table in load(f"{HERE}/published.json")["tables"]
            if os.path.exists(f"{HERE}/{table['program']}.hip")]


def sources_hash():
    digest = hashlib.sha256()
    for path in sorted(path for pattern in SOURCES for path in glob.glob(pattern)):
        digest.update(path.encode() + b"\0")
        with open(path, "rb") as file:
            digest.update(file.read() + b"\0")
    for table in load(f"{HERE}/published.json")["tables"]:
        for fields in [table, *table["rows"]]:
            digest.update(json.dumps({name: fields[name] for name in HOW_TO_RUN if name in fields}).encode())
    return digest.hexdigest()


def replay():
    """{command: [{counter: value} of each launch]} of the launches that make test repeats."""
    results = run.run_jobs(REPLAY)
    return {" ".join([job[0], *job[1]]): [{name: launch[name] for name in REPLAYED} for launch in results[job][0]]
            for job in REPLAY}


# --- the document ---

def number(value):
    return f"{value:.4g}" if abs(value) < 10000 else f"{value:.0f}"


def show_error(cell, unit):
    if compare.is_difference(unit, cell["evidence"]) or cell["published"] == 0:
        return f"{cell['error']:+.3g}{' points' if unit == '%' else ''}"
    return f"{cell['error']:+.1%}".replace("%", " %")


def render_table(table, of_table, missed):
    """Markdown: in each cell published, ours and the error; * calibrated, ** beyond its bound."""
    columns = [column for column in table["columns"] if any(cell["column"] == column for cell in of_table)]
    lines = [f"## {table['title']}", "", f"Published: {table['source']}."]
    if "sizes" in table:
        a, b = table["sizes"]
        lines.append(f"Ours: run with {a} and {b} {table['scaled']}, carried on to {table['full']}.")
    if "set" in table:
        lines.append(f"Parameters: {table['set']} (an MI210).")
    heads = [f"{column}{', ' if table['columns'][column][0] else ''}{table['columns'][column][0]} "
             f"({table['columns'][column][1]})" for column in columns]
    lines += ["", "| row | " + " | ".join(heads) + " |", "|---" * (len(columns) + 1) + "|"]
    for row in table["rows"]:
        shown = []
        for column in columns:
            cell = next((c for c in of_table if c["row"] == row["row"] and c["column"] == column), None)
            if cell is None:
                shown.append("")
                continue
            error = show_error(cell, table["columns"][column][0])
            error = f"**{error}**" if (row["row"], column) in missed else error
            shown.append(f"{number(cell['published'])} -> {number(cell['ours'])} ({error})"
                         f"{' *' if cell['calibrated'] else ''}")
        lines.append(f"| {row['row']} | " + " | ".join(shown) + " |")
    spreads = [compare.spread([cell for cell in of_table if cell["column"] == column]) for column in columns]
    if any(spreads) and not table.get("compiled"):
        lines.append("| log2(ours / published), mean and spread | " +
                     " | ".join(f"{s[0]:+.3f}, {s[1]:.3f}" if s else "" for s in spreads) + " |")
    return lines + [""]


def render_bounds(checked):
    lines = ["## Bounds", "", "On cells that calibrated nothing.", "",
             "| table | bound | cells | beyond it |", "|---|---|---|---|"]
    for bound, count, missed in checked:
        lines.append(f"| {bound['table']} | {bound['what']} | {count} | {len(missed) or 'none'} |")
    lines += ["", "## Not reached", ""]
    for bound, _, missed in checked:
        if missed:
            lines.append(f"- {bound['table']}, {bound['what']}: " +
                         "; ".join(f"{row} ({amount})" for row, amount in missed))
    if lines[-1] == "":
        lines.append("Nothing: every bound holds.")
    return lines + [""]


def render_scaling(measured):
    scaled = measured["figures"]["laplacian"]["1 baseline"]
    lines = ["## Reduced sizes", "",
             "The Laplacian's baseline was run once at 512 x 512 x 512, to check what carrying on from fewer planes does:", ""]
    for column, full in measured["full_size"].items():
        lines.append(f"- {column}: {number(full)} at full size, {number(scaled[column])} carried on "
                     f"({(scaled[column] / full - 1) * 100:+.2f} %)")
    return lines + [""]


def render(measured):
    """The whole document and the cells, from nothing but committed files."""
    shown = tables()
    all_cells = compare.cells(shown, measured["figures"])
    checked = compare.misses(shown, all_cells, load(f"{HERE}/bounds.json")["bounds"])
    missed = {(row, bound["table"], bound["column"]) for bound, _, rows in checked for row, _ in rows}
    lines = ["# Validation of the emulated device", "",
             "Written by `make validate`; do not edit. Each cell: published -> ours (error). Published figures were measured by",
             "others on real hardware; ours are emulated counts, modelled times and what the compiler reports, as each column",
             "says. Nothing here was measured. An error in percent is relative; for percentages it is in points, for registers",
             "a difference. `*` marks a cell that calibrated a parameter of `common/emulator/mi250x.ini`; **bold** one",
             "beyond its bound. The spread is the standard deviation of log2(ours / published) over uncalibrated cells.", ""]
    lines += render_bounds(checked)
    for table in shown:
        of_table = [cell for cell in all_cells if cell["table"] == table["name"]]
        lines += render_table(table, of_table, {(row, column) for row, name, column in missed if name == table["name"]})
    lines += render_scaling(measured) + ["## Sources", "", f"SHA-256 of kernels, parameters and model: `{measured['sources']}`"]
    return "\n".join(lines) + "\n", all_cells, checked


# --- the command ---

def beyond(checked):
    return {(bound["table"], bound["what"], row) for bound, _, rows in checked for row, _ in rows}


def committed():
    """measured.json of the last commit, or None."""
    shown = subprocess.run(["git", "show", f"HEAD:{MEASURED}"], capture_output=True, text=True)
    return json.loads(shown.stdout) if shown.returncode == 0 else None


def write(measured):
    """Writes the document and the cells. Returns status 1 if something got worse than in the last commit."""
    text, all_cells, checked = render(measured)
    print(text)
    os.makedirs(os.path.dirname(CELLS), exist_ok=True)
    for path, content in ((DOCUMENT, text), (CELLS, json.dumps(all_cells, indent=1) + "\n")):
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)
    print(f"{len(all_cells)} cells, {sum(len(rows) for _, _, rows in checked)} beyond a bound; written to {DOCUMENT} and "
          f"{CELLS}.")
    before = committed()
    try:
        lost = beyond(checked) - beyond(render(before)[2]) if before else set()
    except KeyError:  # the last commit had other tables
        lost = set()
    for table, what, row in sorted(lost):
        print(f"{table}, {row}: met its bound ({what}) in the last commit and no longer does.", file=sys.stderr)
    return 1 if lost else 0


def measure():
    """Runs everything and keeps the figures in measured.json."""
    began = time.monotonic()
    terminal = sys.stderr.isatty()
    figures = run.measure(tables(), lambda text: print(f"\r\033[K{text}", end="", file=sys.stderr) if terminal else None)
    (full,), _ = run.launches(*FULL)
    measured = {"sources": sources_hash(), "figures": figures, "replay": replay(),
                "full_size": {column: float(f"{run.COLUMNS['laplacian', column](full, None):.10g}")
                              for column in ("time", "FETCH_SIZE", "WRITE_SIZE", "L2CacheHit")}}
    with open(MEASURED, "w", encoding="utf-8") as file:
        file.write(json.dumps(measured, indent=1) + "\n")
    print(f"Ran for {time.monotonic() - began:.0f} s.", file=sys.stderr)
    return measured


if __name__ == "__main__":
    try:
        sys.exit(write(load(MEASURED) if sys.argv[1:] == ["render"] else measure()))
    except run.Failure as failure:
        sys.exit(f"Validation could not be done. {failure}")
