"""make validate: every published table beside ours, with the error of every cell.

In:  published.json, bounds.json, others.json, kinds.json, the programs in build/tests/validation, the emulated device in
     build/emulator. "validate.py render" runs nothing: it writes anew what follows from measured.json, after published
     figures, bounds or kinds have been edited.
Out: docs/validation.md, tests/validation/measured.json and common/model_errors.inc, by which evidence words carry large
     errors (all committed); build/results/validation.json, and the tables on standard output. Status 1 if a figure that
     met its bound in the last commit no longer does.
"""
import hashlib
import glob
import json
import os
import subprocess
import sys
import time

import document
import kinds
import run

HERE = "tests/validation"
DOCUMENT, MEASURED, CELLS = "docs/validation.md", f"{HERE}/measured.json", "build/results/validation.json"
MODEL_ERRORS = "common/model_errors.inc"
# What decides the figures. Replay (below) notices what else might.
SOURCES = ["emulator/base/*.ini", "emulator/model/model*.[ch]", f"{HERE}/*.hip", f"{HERE}/*.h",
           f"{HERE}/run.py"]
# Fields of published.json that decide what is run.
HOW_TO_RUN = ["program", "sizes", "full", "device", "compiled", "row", "run", "counter", "launch"]
# Launches that make test repeats, and the counters that must come out the same to the last digit.
REPLAY = [("laplacian", ("baseline", "16"), ""), ("laplacian", ("reordered_16", "8"), ""),
          ("laplacian", ("bounded_nontemporal_8", "16"), ""), ("seismic", ("y", "unaligned", "8"), ""),
          ("seismic", ("window16", "aligned", "32"), ""), ("vcopy", (), "mi210"),
          ("yax", ("unit_stride", "64"), "mi210"), ("curves", ("latency", "18"), "mi210"),
          ("curves", ("stride", "float", "3"), "mi210")]
REPLAYED = ["time", "GRBM_COUNT", "SQ_INSTS", "TCP_TOTAL_CACHE_ACCESSES_sum", "TCP_TCC_READ_REQ_sum", "TCC_HIT_sum",
            "TCC_MISS_sum", "FETCH_SIZE", "WRITE_SIZE"]
# One launch at full size, to see what carrying the others on from reduced sizes costs in accuracy.
FULL = ("laplacian", ("baseline", "512"), "")


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def tables():
    """The published tables whose program is there."""
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


def render(measured):
    """(document, cells, misses) from nothing but committed files."""
    unknown = [table["name"] for table in tables() if any(
        column not in measured["figures"].get(table["name"], {}).get(row["row"], {})
        for row in table["rows"] for column in row["published"])]
    if unknown:
        raise run.Failure(f"{MEASURED} lacks figures of {', '.join(unknown)}: run `make validate`.")
    return document.render(tables(), measured, load(f"{HERE}/bounds.json")["bounds"],
                           load(f"{HERE}/others.json")["others"], load(f"{HERE}/gpus.json"))


def model_errors(all_cells):
    return kinds.render(load(f"{HERE}/kinds.json")["kinds"], tables(), all_cells)


def beyond(checked):
    return {(str(bound.get("table", "all")), bound["what"], what) for bound, _, missed in checked for _, what, _ in missed}


def committed():
    """measured.json of the last commit, or None."""
    shown = subprocess.run(["git", "show", f"HEAD:{MEASURED}"], capture_output=True, text=True)
    return json.loads(shown.stdout) if shown.returncode == 0 else None


def write(measured):
    """Writes the document and the cells. Returns status 1 if something got worse than in the last commit."""
    text, all_cells, checked = render(measured)
    print(text)
    os.makedirs(os.path.dirname(CELLS), exist_ok=True)
    for path, content in ((DOCUMENT, text), (CELLS, json.dumps(all_cells, indent=1) + "\n"),
                          (MODEL_ERRORS, model_errors(all_cells))):
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)
    misses = sum(len(rows) for _, _, rows in checked)
    print(f"{len(all_cells)} cells, {misses} beyond a bound; written to {DOCUMENT}, {MODEL_ERRORS} and {CELLS}.")
    before = committed()
    try:
        lost = beyond(checked) - beyond(render(before)[2]) if before else set()
    except run.Failure:  # the last commit had other tables or rows
        lost = set()
    for table, what, row in sorted(lost):
        print(f"{table}, {row}: met its bound ({what}) in the last commit and no longer does.", file=sys.stderr)
    return 1 if lost else 0


def show_progress(text):
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr)


def measure():
    """Runs everything and keeps the figures in measured.json."""
    began = time.monotonic()
    figures = run.measure(tables(), show_progress)
    (full,), _ = run.launches(*FULL)
    measured = {"sources": sources_hash(), "figures": figures, "replay": replay(),
                "full_size": {column: float(f"{run.COLUMNS['laplacian', column](full, None):.10g}")
                              for column in ("time", "FETCH_SIZE", "WRITE_SIZE", "L2CacheHit")}}
    with open(MEASURED, "w", encoding="utf-8") as file:
        file.write(json.dumps(measured, indent=1) + "\n")
    print(f"\nRan for {time.monotonic() - began:.0f} s.", file=sys.stderr)
    return measured


if __name__ == "__main__":
    try:
        sys.exit(write(load(MEASURED) if sys.argv[1:] == ["render"] else measure()))
    except run.Failure as failure:
        sys.exit(f"Validation could not be done. {failure}")
