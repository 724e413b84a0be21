"""Keeps the figures of our own that labs/*/expected.json records ("ours") what the programs really give.

In:  record.py         LD_LIBRARY_PATH set to the emulated device, run from the repository root
     record.py --record [LAB...]
Out: without --record, runs each row of the thin grid and names every figure that is off by more than 1 %, with status 1.
     With it, runs all rows (512 x 512 x 512 takes up to a minute each), rewrites the figures and draws a lab's plot.
"""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

from grading.programs import BUILD, RUN, label, make, options, program_path
from grading.results import load, look_up
from grading.statuses import Status
from grading.tables.columns import FIGURES
from grading.tables.plot import draw_recorded

CHOICES = (*BUILD, *RUN, "size")  # what a row asks for
TOLERANCE = 0.01  # recorded figures have four digits; what matters to a reader is more than this


def measure(lab, row):
    """The row with the figures of a solution's run that its family records, and their evidence."""
    source = glob.glob(f"solutions/{lab}/*.hip")[0]
    program = program_path(source, row)
    worked, said = make([program], row)
    if not worked:
        sys.exit(f"{source} does not build:\n{said}")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "result.json")
        done = subprocess.run([program, *options(row), "--json", path], check=False, stdout=subprocess.DEVNULL)
        if done.returncode != Status.VERIFIED:
            sys.exit(f"{' '.join([program, *options(row)])} ended with status {done.returncode}, see above: nothing to "
                     "record")
        result = load(path)
    figures = {key: value for key, value in row.items() if key in CHOICES}
    figures["evidence"] = result["time_evidence"]
    for name in result["tables"]["recorded"]:
        value = look_up(result, FIGURES[name].path)
        if value is None:
            sys.exit(f"{program}: its result has no {name}; is the memory model switched off (EMULATOR_MODEL=0)?")
        figures[name] = float(f"{value:.4g}")
    return figures


def record(path, lab, expected):
    lines = ",\n".join("    " + json.dumps(measure(lab, row)) for row in expected["ours"])
    with open(path, encoding="utf-8") as file:
        text = file.read()  # only now: it may have been edited during the minutes of the runs
    with open(path, "w", encoding="utf-8") as file:
        file.write(re.sub(r'"ours": \[.*?\n  \]', lambda _: f'"ours": [\n{lines}\n  ]', text, flags=re.DOTALL))
    if "plot" in expected:
        draw_recorded(path, os.path.join(os.path.dirname(path), f"{expected['plot']}.svg"))


def stale(lab, recorded):
    """Sentences on the figures that a run does not confirm."""
    fresh = measure(lab, recorded)
    return [f"{lab} {label(recorded)}: {name} is recorded as {recorded.get(name)}, a run gives {fresh[name]}; 'make record' "
            "writes it anew"
            for name in fresh if name in FIGURES and abs(recorded.get(name, 0) - fresh[name]) > TOLERANCE * abs(fresh[name])]


def main():
    wrong, recording = [], sys.argv[1:2] == ["--record"]
    for path in sorted(glob.glob("labs/*/expected.json")):
        lab = os.path.basename(os.path.dirname(path))
        if recording and sys.argv[2:] and lab not in sys.argv[2:]:
            continue
        with open(path, encoding="utf-8") as file:
            expected = json.load(file)
        if recording:
            record(path, lab, expected)
        else:
            thin = min(row["size"] for row in expected["ours"])
            for row in expected["ours"]:
                wrong += stale(lab, row) if row["size"] == thin else []
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
