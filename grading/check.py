"""Grades lab sources: builds each, passes it through the symbol gate, runs it on fresh inputs, scores the criteria.

In:  check.py DEVICE [--seed N] FILE.hip...   (run from the repository root; LD_LIBRARY_PATH already set for the device)
     labs/NN-name/expected.json    (criteria, thresholds, the runs that correctness takes)
Out: one line for each criterion and a verdict; for what failed the command that makes the run again. The seed decides
     sizes and inputs: the same one gives the same verdict. Status 0: all passed; 1: something is not right yet; 2: the
     grader itself could not work.
"""
import argparse
import json
import os
import subprocess
import sys

from grading.accesses import worst_access
from grading.draw import MASK, Draw, fresh_seed, fresh_size
from grading.predictions import grade_predictions
from grading.programs import label
from grading.results import look_up
from grading.running import GraderTrouble, NotYet, Runs, where_of

SEED_OF_FIGURES = 1  # no figure depends on the values of the input


def share_right(check, interior):
    """Of the interior points; 0 where all are right but others were overwritten, or not all were checked."""
    right = 1 - check["points_wrong"] / interior
    if check["points_checked"] != interior or (not check["passed"] and right == 1):
        return 0.0
    return right


def correctness(source, expected, runs, seed):
    """Runs the program on fresh inputs, until no points are left to lose. Returns (share of points right in the worst
    run, the first thing wrong, the command that repeats it)."""
    worst, reason, command = 1.0, "", None
    draw = Draw(seed)
    for wanted in expected["correctness"]["runs"]:
        size = fresh_size(wanted, draw)
        result = runs.fresh(source, wanted, size, seed)
        for check in result["checks"]:
            right = share_right(check, result["interior_points"])
            worst = min(worst, right)
            if right < 1 and not reason:
                reason = f"At {where_of(wanted, size)}, {check['sentence']}."
                command = runs.repeat(source, wanted, size, seed)
        if points(expected["correctness"], worst) == 0:
            break
    return worst, reason, command


def value_of(criterion, result):
    """The criterion's number out of a result."""
    value = look_up(result, criterion["value"])
    divisor = look_up(result, criterion["per"]) if "per" in criterion else 1
    if value is None or divisor is None:
        raise GraderTrouble(f"the result lacks {criterion['value']} or what it is divided by")
    if divisor == 0:
        raise NotYet(f"{criterion['per']} is 0 for the last launch: the kernel itself must do the work")
    return value / divisor


def points(criterion, value):
    """Full points at full_at or better, none at zero_at or worse, linear in between."""
    full, zero = criterion["full_at"], criterion["zero_at"]
    if full == zero:
        return float(criterion["points"]) if value >= full else 0.0
    return criterion["points"] * min(1.0, max(0.0, (value - zero) / (full - zero)))


def print_line(verdict, criterion, evidence, value, score):
    number = "none" if value is None else f"{value:.4g}"
    bounds = f"{criterion['full_at']:g} .. {criterion['zero_at']:g}"
    print(f"  {verdict:<5} {criterion['name']:<54} {evidence:<9} {number:>8} {bounds:>12} {score:>7}")


def edit_next(source):
    """The place to edit, as a sentence."""
    with open(source, encoding="utf-8", errors="replace") as file:
        todo = next((f", line {number}" for number, line in enumerate(file, 1) if "// TODO" in line), "")
    return f"Next: edit {source}{todo}."


def score(criterion, evidence, value, accesses=(), command=None):
    """Prints one criterion's line, on failure with what to look at. Returns (points, whether that is all of them)."""
    got = points(criterion, value)
    passed = got == criterion["points"]
    print_line("pass" if passed else "FAIL", criterion, evidence, value, f"{got:.3g}/{criterion['points']}")
    if passed:
        return got, passed
    worst = worst_access(accesses) if criterion.get("quotes_access") else None
    for line in (criterion.get("look_at"), worst, command and f"Repeat: {command}"):
        if line:
            print(f"        {line}")
    return got, passed


class Figures:
    """The criteria's runs, each made once, and the numbers out of them."""

    def __init__(self, runs, graded):
        self.runs, self.graded, self.results = runs, graded, {}

    def result(self, source, asked):
        key = (source, label(asked), tuple(asked["size"]), asked.get("block"))
        if key not in self.results:
            make = self.runs.fresh if source == self.graded else self.runs.reference
            result = make(source, asked, asked["size"], SEED_OF_FIGURES)
            if not result["verified"]:
                wrong = next(check["sentence"] for check in result["checks"] if not check["passed"])
                raise NotYet(f"At {where_of(asked, asked['size'])}, {result['rows']} rows a thread, {wrong}.",
                             self.repeat(source, asked))
            self.results[key] = result
        return self.results[key]

    def repeat(self, source, asked):
        return self.runs.repeat(source, asked, asked["size"], SEED_OF_FIGURES)

    def known(self, source, asked):
        """The number asked for, None where this device does not know it."""
        return look_up(self.result(source, asked), asked["value"])

    def value(self, source, criterion):
        """The criterion's number; with "over", a kernel of the solutions, how many times that one's it is."""
        value = value_of(criterion, self.result(source, criterion))
        if "over" not in criterion:
            return value
        shared = {key: criterion[key] for key in ("size", "block") if key in criterion}
        other = {**shared, **criterion["over"]}
        return value / value_of(criterion, self.result(other["source"], other))


def grade_figures(source, expected, device, figures):
    """Scores the criteria after correctness. Returns [(points, all of them, possible)] of those graded here."""
    scores = []
    for criterion in expected["criteria"]:
        if device not in criterion["devices"]:
            print_line("later", criterion, criterion["evidence"], None, "-")
            print(f"        (needs DEVICE={' or '.join(criterion['devices'])}: neither points nor a failure here)")
            continue
        value = figures.value(source, criterion)
        accesses = figures.result(source, criterion)["accesses"]
        scored = score(criterion, criterion["evidence"], value, accesses, figures.repeat(source, criterion))
        scores.append((*scored, criterion["points"]))
    return scores


def grade(source, device, seed):
    """Grades one file. Returns whether everything passed."""
    lab = os.path.basename(os.path.dirname(source))
    with open(f"labs/{lab}/expected.json", encoding="utf-8") as file:
        expected = json.load(file)
    print(f"lab {lab}: {source} on device {device}; SEED={seed} draws these sizes and inputs again")
    print(f"  {'':<5} {'what':<54} {'evidence':<9} {'value':>8} {'full .. zero':>12} {'points':>7}")
    runs = Runs(device, expected["timeout_s"])
    figures = Figures(runs, source)
    try:
        right, reason, command = correctness(source, expected, runs, seed)
        first = score(expected["correctness"], "emulated" if device == "emulated" else "measured", right)
        if not first[1]:
            raise NotYet(f"{reason}\nThe other criteria are graded once every point is right.", command)
        scores = [(*first, expected["correctness"]["points"]), *grade_figures(source, expected, device, figures)]
        scores += grade_predictions(source, expected, figures)
    except NotYet as why:
        print(f"NOT YET: {why}")
        if why.command:
            print(f"Repeat: {why.command}")
        print(edit_next(source))
        return False
    got, possible = sum(s[0] for s in scores), sum(s[2] for s in scores)
    passed = all(s[1] for s in scores)
    print(f"{'PASSED' if passed else 'NOT YET'}: {got:.3g} of {possible:g} points")
    if not passed:
        print(edit_next(source))
    return passed


def read_seed(text):
    if text.isascii() and text.isdigit() and int(text) <= MASK:
        return int(text)
    raise GraderTrouble(f"SEED={text} is no seed: a whole number from 0 to {MASK} is")


def main():
    parser = argparse.ArgumentParser(prog="check.py")
    parser.add_argument("device")
    parser.add_argument("--seed")
    parser.add_argument("sources", nargs="*")
    asked = parser.parse_intermixed_args()
    if not asked.sources:
        raise GraderTrouble("LAB names no lab; see the folders of labs/, for example make check LAB=01")
    seed = fresh_seed() if asked.seed is None else read_seed(asked.seed)
    passed = [grade(source, asked.device, seed) for source in asked.sources]
    return 0 if all(passed) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (GraderTrouble, OSError, ValueError, KeyError, subprocess.CalledProcessError) as trouble:
        print(f"The grader could not work, which says nothing about your code: {trouble}", file=sys.stderr)
        sys.exit(2)
