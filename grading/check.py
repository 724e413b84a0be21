"""Grades lab sources and says what came of it.

In:  check.py DEVICE [--seed N] [--lab NN-name] [--json FILE] FILE.hip...   (run from the repository root)
     --lab: of files that lie in no folder of the lab's name; labs/NN-name/expected.json: criteria, thresholds, runs
Out: one line for each criterion and a verdict; for what failed the command that makes the run again. The seed decides
     sizes and inputs: the same one gives the same verdict. With --json the same of the last file as data.
     Status 0: all passed; 1: something is not right yet; 2: the grader itself could not work.
"""
import argparse
import dataclasses
import json
import os
import signal
import subprocess
import sys

from grading.building import compiler_words, files_of, hash_of, place_of
from grading.draw import MASK, fresh_seed
from grading.expected import load_expected
from grading.sandbox import why_not
from grading.scoring import BEYOND, OPEN, grade
from grading.statuses import GraderTrouble, NotYet
from grading.words import points_text, shown

STATUS = {"passed": 0, "not yet": 1, "trouble": 2}


def ignored():
    """Settings of the emulated device: they would change what is graded, so a check does without."""
    return {name: value for name, value in sorted(os.environ.items()) if name.startswith("EMULATOR_")}


def print_heading(source, lab, device, seed):
    print(f"lab {lab}: {shown(source)} on device {device}; SEED={seed} draws these sizes and inputs again")
    for name, value in ignored().items():
        print(f"  {name}={shown(value)} is ignored: a grade is of the device as it is")
    if why_not():
        print(f"  without a sandbox: {why_not()}")
    print(f"  {'':<5} {'what':<54} {'evidence':<16} {'value':>8} {'full .. zero':>12} {'points':>7}", flush=True)


def print_line(line):
    number = "none" if line.value is None else f"{line.value:.4g}"
    bounds = f"{line.full_at:g} .. {line.zero_at:g}" if line.full_at is not None else ""
    score = f"{points_text(line.points)}/{points_text(line.possible)}" if line.possible else "-"
    print(f"  {line.verdict:<5} {line.name:<54} {line.evidence:<16} {number if bounds else '':>8} {bounds:>12} {score:>7}")
    for told in line.feedback:
        print(f"        {told}")
    sys.stdout.flush()


def edit_next(source, lab):
    """The place to edit, as a sentence."""
    with open(source, encoding="utf-8", errors="replace") as file:
        todo = next((f", line {number}" for number, line in enumerate(file, 1) if "// TODO" in line), "")
    return f"Next: edit {shown(place_of(source, lab))}{todo}."


def print_verdict(result):
    if result.trouble:
        print(f"The grader could not work, which says nothing about your code: {result.trouble}", file=sys.stderr)
        return
    if result.stopped:
        print(f"{result.stopped}")
        if result.repeat:
            print(f"Repeat: {result.repeat}")
    passed = result.status == "passed"
    print(f"{'PASSED' if passed else 'NOT YET'}: {points_text(result.points)} of {points_text(result.possible)} points")
    if not passed:
        print(edit_next(result.source, result.lab))


def commit():
    """Of this repository, "-dirty" behind it if files of it were changed; "" where there is none."""
    done = subprocess.run(["git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"], capture_output=True,
                          text=True, check=False)
    return done.stdout.strip()


def as_data(result):
    lines = [dataclasses.asdict(line) for line in result.lines if line.verdict not in (BEYOND, OPEN)]
    try:
        sha256 = hash_of(files_of(result.source))
    except (NotYet, OSError):
        sha256 = None
    provenance = {"device": result.device, "compiler": compiler_words(), "commit": commit(),
                  "sandbox": "none" if why_not() else "bubblewrap", "ignored": ignored(), "sha256": sha256}
    return {"lab": result.lab, "source": result.source, "device": result.device, "seed": result.seed,
            "status": result.status, "points": result.points, "possible": result.possible, "criteria": lines,
            "stopped": result.stopped, "repeat": result.repeat, "trouble": result.trouble, "provenance": provenance}


def check(source, lab, device, seed):
    """Grades and prints. Returns the Grade."""
    expected = load_expected(lab)
    print_heading(source, lab, device, seed)
    result = grade(source, lab, expected, device, seed, print_line)
    print_verdict(result)
    return result


def read_seed(text):
    if text.isascii() and text.isdigit() and int(text) <= MASK:
        return int(text)
    raise GraderTrouble(f"SEED={text} is no seed: a whole number from 0 to {MASK} is")


def main():
    parser = argparse.ArgumentParser(prog="check.py")
    parser.add_argument("device")
    parser.add_argument("--seed")
    parser.add_argument("--lab")
    parser.add_argument("--json")
    parser.add_argument("sources", nargs="*")
    asked = parser.parse_intermixed_args()
    if not asked.sources:
        raise GraderTrouble("LAB names no lab; see the folders of labs/, for example make check LAB=01")
    seed = fresh_seed() if asked.seed is None else read_seed(asked.seed)
    results = [check(source, asked.lab or os.path.basename(os.path.dirname(os.path.abspath(source))), asked.device, seed)
               for source in asked.sources]
    if asked.json:
        with open(asked.json, "w", encoding="utf-8") as file:
            json.dump(as_data(results[-1]), file, indent=1)
    return max(STATUS[result.status] for result in results)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(STATUS["trouble"]))  # by way of all that cleans up
    try:
        sys.exit(main())
    except (GraderTrouble, OSError, ValueError, KeyError, subprocess.SubprocessError) as trouble:
        print(f"The grader could not work, which says nothing about your code: {trouble}", file=sys.stderr)
        sys.exit(2)
