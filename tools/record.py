"""Keeps the figures of our own that labs/*/expected.json records what the programs really give: "ours", of the solutions for
readers, and "references", of the solutions for checks.

In:  record.py         LD_LIBRARY_PATH set to the emulated device, run from the repository root
     record.py --some
     record.py --record [LAB...]    LAB: a lab's name or its number
Out: without --record, runs each row of the thin grid and names every figure that is off by more than 1 %, with status 1;
     with --some, each lab's first and last row, and of the references it asks only whether they are of today's solutions.
     With it, runs all rows (512 x 512 x 512 takes up to a minute each), rewrites the figures and draws a lab's plot. A lab
     of which one row fails keeps its file as it was; the others are recorded all the same, and the status is 1.
"""
import glob
import math
import os
import subprocess
import sys
import tempfile

from grading.expected import BadExpected, load_expected
from grading.files import write_whole
from grading.programs import BUILD, RUN, label, make, options, program_path
from grading.references import hashes, wanted
from grading.results import NoResult, load, look_up
from grading.running import Builds, Runs
from grading.statuses import GraderTrouble, NotYet, Status
from grading.tables.columns import FIGURES
from grading.tables.plot import draw_recorded
from tools.rows import text_of

CHOICES = (*BUILD, *RUN, "size")  # what a row asks for
TOLERANCE = 0.01  # recorded figures have four digits; what matters to a reader is more than this


class NotRecorded(Exception):
    """Why a lab's figures stay as they were."""


def measure(lab, row):
    """The row with the figures of a solution's run that its family records, and their evidence."""
    source = next(iter(glob.glob(f"solutions/{lab}/*.hip")), None)
    if source is None:
        raise NotRecorded(f"solutions/{lab} has no .hip file to run")
    program = program_path(source, row)
    worked, said = make([program], row)
    if not worked:
        raise NotRecorded(f"{source} does not build:\n{said}")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "result.json")
        done = subprocess.run([program, *options(row), "--json", path], check=False, stdout=subprocess.DEVNULL)
        if done.returncode != Status.VERIFIED:
            raise NotRecorded(f"{' '.join([program, *options(row)])} ended with status {done.returncode}, see above")
        result = load(path)
    figures = {**choices_of(row), "evidence": result["time_evidence"]}
    for name in result["tables"]["recorded"]:
        value = look_up(result, FIGURES[name].path)
        if value is None:
            raise NotRecorded(f"{program}: its result has no {name}; is the memory model switched off (EMULATOR_MODEL=0)?")
        figures[name] = float(f"{value:.4g}")
    return figures


def choices_of(row):
    return {key: value for key, value in row.items() if key in CHOICES}


def measure_references(lab, expected):
    """The rows of "references", each with its figure, from runs as a check makes them."""
    rows = wanted(expected)
    with tempfile.TemporaryDirectory(dir="build") as folder, Builds(os.path.abspath(folder)) as builds:
        runs = Runs("emulated", lab, expected, builds)
        for row, run in [(row, runs.figures(row["source"], row, row["size"], 1)) for row in rows]:
            row["is"] = look_up(run.result(), row["value"])
    return rows


def record(lab):
    """Writes "ours" and "references" anew into what the file is after the minutes of the runs: the rest of it may have been
    edited."""
    before = load_expected(lab)
    asked = [choices_of(row) for row in before["ours"]]
    fresh = {"ours": [measure(lab, row) for row in asked]}
    references = measure_references(lab, before)
    if references:
        fresh.update(references=references, references_from=hashes(references))
    expected = load_expected(lab)
    if [choices_of(row) for row in expected["ours"]] != asked or wanted(expected) != wanted(before):
        raise NotRecorded("other rows are asked for in \"ours\" than when the runs began: record once more")
    write_whole(f"labs/{lab}/expected.json", text_of({**expected, **fresh}))
    if "plot" in expected:
        draw_recorded(f"labs/{lab}/expected.json", f"labs/{lab}/{expected['plot']}.svg")


def stale_references(lab, expected, some):
    """Sentences."""
    known = expected.get("references", [])
    rows = known if some else measure_references(lab, expected)
    missing = [row for row in rows if not any({**one, "is": 0} == {**row, "is": 0} and
                                              math.isclose(one["is"], row["is"], rel_tol=1e-6) for one in known)]
    wrong = [f"{label(row)}: {row['value']} of {row['source']} is {row['is']:.6g}, and \"references\" do not say so; "
             "'make record' writes it" for row in missing]
    if hashes(rows) != expected.get("references_from", {}):
        wrong.append("\"references_from\" has not the hashes of today's solutions; 'make record' writes them")
    return wrong


def stale(lab, some):
    """Raises with sentences on the figures that a run does not confirm."""
    expected = load_expected(lab)
    thin = min(row["size"] for row in expected["ours"])
    rows = [row for row in expected["ours"] if row["size"] == thin]
    wrong = []
    for recorded in [rows[0], rows[-1]][:len(rows)] if some else rows:
        fresh = measure(lab, recorded)
        wrong += [f"{label(recorded)}: {name} is recorded as {recorded.get(name, 'nothing')}, a run gives {fresh[name]}; "
                  "'make record' writes it anew" for name in fresh
                  if name in FIGURES and abs(recorded.get(name, 0) - fresh[name]) > TOLERANCE * abs(fresh[name])]
    wrong += stale_references(lab, expected, some)
    if wrong:
        raise NotRecorded("\n".join(wrong))


def labs_named(names):
    """The labs that the names or numbers are of, all without names."""
    labs = sorted(path.split("/")[1] for path in glob.glob("labs/*/expected.json"))
    for name in names:
        if not any(name in (lab, lab.split("-")[0]) for lab in labs):
            raise NotRecorded(f"LAB={name} names no lab; there are: {' '.join(labs)}")
    return [lab for lab in labs if not names or lab in names or lab.split("-")[0] in names]


def main():
    recording, some, failed = sys.argv[1:2] == ["--record"], sys.argv[1:2] == ["--some"], 0
    for lab in labs_named(sys.argv[2:]):
        try:
            if recording:
                record(lab)
            else:
                stale(lab, some)
        except (NotRecorded, NoResult, BadExpected, NotYet, GraderTrouble, OSError) as why:
            failed += 1
            for line in str(why).splitlines():
                print(f"{lab}: {line}", flush=True)
            if recording:
                print(f"{lab}: nothing was recorded", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except NotRecorded as why:
        sys.exit(str(why))
