"""Grades lab sources and says what came of it.

In:  check.py DEVICE [--seed N] [--lab NN-name] [--json FILE] FILE.hip...   (run from the repository root)
     --lab: of files that lie in no folder of the lab's name; labs/NN-name/expected.json: criteria, thresholds, runs
Out: right or wrong as soon as it is known, one line for each criterion and a verdict; for what failed the command that makes
     the run again. The seed decides sizes and inputs: the same one gives the same verdict. With --json the same of the last
     file as data. On stderr, signs of life.
     Status 0: all passed; 1: something is not right yet; 2: the grader itself could not work.
"""
import argparse
import contextlib
import dataclasses
import json
import os
import signal
import subprocess
import sys
import tempfile

from grading import state
from grading.building import ask_compiler, compiler_words, files_of, hash_of, place_of
from grading.draw import MASK, fresh_seed
from grading.expected import load_expected
from grading.progress import Progress
from grading.running import Builds, Runs
from grading.sandbox import why_not
from grading.scoring import BEYOND, LATER, OPEN, PASS, begin, grade, model_of
from grading.state import is_a_learners
from grading.statuses import GraderTrouble, NotYet
from grading.words import columns, fitted, points_text, shown

STATUS = {"passed": 0, "not yet": 1, "trouble": 2}


def ignored():
    """Settings of the emulated device: they would change what is graded, so a check does without."""
    return {name: value for name, value in sorted(os.environ.items()) if name.startswith("EMULATOR_")}


def print_fitted(text, indent=0):
    print("\n".join(fitted(" " * indent + text, columns(), indent + 2)))


def print_heading(source, lab, device, seed):
    print_fitted(f"lab {lab}: {shown(source)} on device {device}; SEED={seed} draws these sizes and inputs again")
    for name, value in ignored().items():
        print(f"  {name}={shown(value)} is ignored: a grade is of the device as it is")
    if why_not():
        print(f"  without a sandbox: {why_not()}")
    sys.stdout.flush()


def number(value, bound):
    """In as few digits as tell it from the bound; of a count all."""
    if float(value).is_integer() and abs(value) < 1e9:
        return f"{value:.0f}"
    spelled = (f"{value:.{digits}g}" for digits in (4, 6, 9, 17))
    return next(text for text in spelled if value == bound or float(text) != bound)


def what_is_measured(line):
    """The criterion as a sentence: "time: at most 1.8 times lab 01's; yours 1.1"."""
    if line.value is None or line.full_at is None:
        return line.name
    if line.full_at == line.zero_at:  # a share, and all of it is asked for
        return f"{line.name}: " + ("all" if line.value >= line.full_at else f"all must be, {100 * line.value:.3g} % are")
    side = "at least" if line.full_at > line.zero_at else "at most"
    return f"{line.name}: {side} {line.full_at:g}; yours {number(line.value, line.full_at)}"


def told_of(line):
    """What stands below it."""
    told = list(line.feedback)
    if 0 < line.points < line.possible and line.full_at is not None:
        told.insert(0, f"There are points in part from {line.zero_at:g} on.")
    return told


VERDICT, SCORE = 8, 8  # columns
WIDE = 112             # of a row, where there is no terminal


def print_row(verdict, text, score=""):
    """A criterion between its verdict and its points."""
    width = columns()
    first, *rest = fitted(text, width and width - VERDICT - SCORE)
    print(f"  {verdict:<{VERDICT - 3}} {first:<{(width or WIDE) - VERDICT - SCORE}}{score:>{SCORE}}".rstrip())
    for line in rest:
        print(" " * VERDICT + line)


class Printer:
    """Prints a grade's lines as they come. What was said of a run that several lines are about is not said again."""

    def __init__(self, progress):
        self.progress, self.repeats = progress, set()

    def line(self, line):
        self.progress.clear()
        if line.verdict == LATER:
            print_row(line.verdict, f"{line.name} ({', '.join(line.feedback)})")
            return
        print_row(line.verdict, what_is_measured(line) + (f"  ({line.evidence})" if line.evidence else ""),
                  f"{points_text(line.points)}/{points_text(line.possible)}" if line.possible else "-")
        for told in told_of(line):
            if told not in self.repeats:
                print_fitted(told, VERDICT)
            if told.startswith("Repeat: "):
                self.repeats.add(told)
        sys.stdout.flush()

    def note(self, sentence):
        self.progress.clear()
        print_fitted(sentence, VERDICT)
        sys.stdout.flush()


def edit_next(result):
    """The place to edit, as a sentence."""
    place = f", {'line' if isinstance(result.at, int) else 'kernel'} {result.at}" if result.at else ""
    return f"Next: edit {shown(place_of(result.source, result.lab))}{place}."


def print_verdict(result):
    if result.trouble:
        print(f"The grader could not work, which says nothing about your code: {result.trouble}", file=sys.stderr)
        return
    if result.stopped:
        for paragraph in result.stopped.splitlines():
            print_fitted(paragraph)
        if result.repeat:
            print(f"Repeat: {result.repeat}")
    passed = result.status == "passed"
    print(f"{'PASSED' if passed else 'NOT YET'}: {points_text(result.points)} of {points_text(result.possible)} points")
    if not passed:
        print(edit_next(result))
    elif is_a_learners(result.source):
        print(f"Now: make after LAB={result.lab[:2]} says what these figures mean.")


def commit():
    """Of this repository, "-dirty" behind it if files of it were changed; "" where there is none."""
    done = subprocess.run(["git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"], capture_output=True,
                          text=True, check=False)
    return done.stdout.strip()


def as_data(result):
    # What has points and need not be done is no failure to a class's reports.
    lines = [{**dataclasses.asdict(line), "verdict": PASS if line.verdict == OPEN else line.verdict}
             for line in result.lines if line.possible or line.verdict not in (BEYOND, OPEN)]
    try:
        sha256 = hash_of(files_of(result.source))
    except (NotYet, OSError):
        sha256 = None
    provenance = {"device": result.device, "compiler": compiler_words(), "commit": commit(),
                  "sandbox": "none" if why_not() else "bubblewrap", "ignored": ignored(), "sha256": sha256}
    return {"lab": result.lab, "source": result.source, "device": result.device, "seed": result.seed,
            "status": result.status, "points": result.points, "possible": result.possible, "criteria": lines,
            "stopped": result.stopped, "repeat": result.repeat, "trouble": result.trouble, "provenance": provenance}


def check(source, runs, seed, progress):
    """Grades and prints. Returns the Grade."""
    progress.clear()
    print_heading(source, runs.lab, runs.device, seed)
    printer = Printer(progress)
    result = grade(source, runs, seed, printer.line, printer.note)
    progress.clear()
    print_verdict(result)
    sys.stdout.flush()
    if not result.trouble:
        state.keep(runs.lab, source, result.points, result.possible, result.status == "passed")
    return result


def check_all(sources, device, seed, builds, progress):
    """sources: {file: lab}. The runs of all are begun in this order, and no core waits for a lab to end. Returns the
    grades."""
    model = model_of(device)
    ask_compiler()
    with contextlib.ExitStack() as stack:
        all_runs = [(source, stack.enter_context(Runs(device, lab, load_expected(lab), builds, progress.doing)))
                    for source, lab in sources.items()]
        for source, runs in all_runs:
            begin(source, runs.expected, model, runs, seed)
        return [check(source, runs, seed, progress) for source, runs in all_runs]


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
    sources = {source: asked.lab or os.path.basename(os.path.dirname(os.path.abspath(source))) for source in asked.sources}
    with tempfile.TemporaryDirectory(dir="build") as folder, Progress() as progress, \
            Builds(os.path.abspath(folder)) as builds:
        results = check_all(sources, asked.device, seed, builds, progress)
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
