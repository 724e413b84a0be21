"""Grades lab sources: builds each, passes it through the symbol gate, runs it on fresh inputs, scores the criteria.

In:  check.py DEVICE FILE.hip...   (run from the repository root; LD_LIBRARY_PATH already set for the device)
     labs/NN-name/expected.json    (criteria, thresholds, the runs that correctness takes)
Out: one line for each criterion and a verdict. Status 0: all passed; 1: something is not right yet; 2: the grader
     itself could not work.
"""
import json
import os
import random
import signal
import subprocess
import sys
import tempfile

from grading.accesses import read_accesses, worst_access
from grading.gate import refusals
from grading.predictions import grade_predictions
from grading.programs import chosen, label, make, options, program_path

DEVICE_TROUBLE = 3  # a program's exit status when HIP refused something: device.h


class NotYet(Exception):
    """The learner's program cannot be graded further, for the reason given."""


class GraderTrouble(Exception):
    """The grade would say nothing about the learner."""


def build(source, asked):
    """Compiles, applies the gate, links. Returns the program."""
    program = program_path(source, asked)

    def made(target):
        worked, said = make([target], asked)
        if not worked:
            choice = f" with {chosen(asked)}" if chosen(asked) else ""
            raise NotYet(f"{source} does not build{choice}; the compiler says:\n{said}")

    made(program + ".o")
    refused = refusals(program + ".o")
    if refused:
        raise NotYet(f"{source} was refused before it ran: {refused[0]}")
    made(program)
    return program


def where_of(asked, size):
    """The run, for people: the grid, and what was chosen about the kernel."""
    choices = [f"{key} {asked[key]}" for key in ("kernel", "block", "layout", "window") if key in asked]
    return ", ".join([f"{size[0]} x {size[1]} x {size[2]}", *choices, *([chosen(asked)] if chosen(asked) else [])])


def run(program, asked, size, seed, timeout_s):
    """Runs the program in a process group of its own. Returns the result it wrote, with the emulated device's report
    on the last launch's loads and stores as "accesses"."""
    with tempfile.TemporaryDirectory() as folder:
        path, accesses = os.path.join(folder, "result.json"), os.path.join(folder, "accesses.csv")
        command = [program, *options({**asked, "size": size}), "--seed", str(seed), "--json", path]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   errors="replace", start_new_session=True,
                                   env={**os.environ, "EMULATOR_LINES": accesses})
        where = f"at {where_of(asked, size)}"
        try:
            _, errors = process.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            raise NotYet(f"{where} the program was still running after {timeout_s} s; look for a loop that does not "
                         "end") from None
        errors = errors.rstrip()
        if process.returncode < 0:
            raise NotYet(f"{where} the program was ended by {signal.Signals(-process.returncode).name}\n{errors}")
        if process.returncode == DEVICE_TROUBLE and "kernel" not in errors:
            raise GraderTrouble(f"{where} the program could not be run: {errors}")
        if "gap of the emulator" in errors:
            raise GraderTrouble(f"{where} the emulated device met something it cannot do yet:\n{errors}")
        if not os.path.exists(path):
            raise NotYet(f"{where} the program ended with status {process.returncode} and without a result\n{errors}")
        with open(path, encoding="utf-8", errors="replace") as file:
            result = json.load(file)
        result["accesses"] = read_accesses(accesses)
    wanted = {"nx": size[0], "ny": size[1], "nz": size[2], "seed": seed}
    if any(result[key] != value for key, value in wanted.items()):
        raise NotYet(f"{where} the result is not for the grid and seed that were asked for")
    if result["device"] == "emulated" and not result["counters"]:
        raise NotYet(f"{where} no kernel was launched: the kernel itself must do the work")
    return result


def fresh_size(wanted):
    """Unequal nx, ny, nz out of the ranges, none a multiple of its block (of 2 where the block is 1); but with tiles, ny
    is a multiple of block.y * m, for whole tiles are all that the kernel promises. With a window, nz is no multiple of
    it."""
    threads = [max(2, int(n)) for n in wanted["block"].split("x")]
    threads[2] = wanted.get("window", threads[2])
    tile = int(wanted["block"].split("x")[1]) * wanted["m"] if "m" in wanted else 0
    while True:
        size = [random.SystemRandom().randint(*wanted[direction]) for direction in ("nx", "ny", "nz")]
        if tile:
            size[1] -= size[1] % tile
        rest = [n % t != 0 for n, t in zip(size, threads)]
        if len(set(size)) == 3 and rest[0] and rest[2] and (tile or rest[1]) and size[1] >= wanted["ny"][0]:
            return size


def correctness(source, expected):
    """Runs the program on fresh inputs. Returns (share of points right in the worst run, the first thing wrong)."""
    worst, reason = 1.0, ""
    for wanted in expected["correctness"]["runs"]:
        size = fresh_size(wanted)
        program = build(source, wanted)
        result = run(program, wanted, size, random.SystemRandom().getrandbits(63), expected["timeout_s"])
        interior = result["interior_points"]
        for check in result["checks"]:
            right = 1 - check["points_wrong"] / interior
            if check["points_checked"] != interior or (not check["passed"] and right == 1):
                right = 0.0  # every interior point is right, but points outside were overwritten
            worst = min(worst, right)
            if right < 1 and not reason:
                reason = f"At {where_of(wanted, size)}, {check['sentence']}."
    return worst, reason


def look_up(result, path):
    """counters.SQ_WAVES -> result["counters"]["SQ_WAVES"], None when it is not there."""
    for key in path.split("."):
        result = result.get(key) if result is not None else None
    return result


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


def score(criterion, evidence, value, accesses=()):
    """Prints one criterion's line, on failure with what to look at. Returns (points, whether that is all of them)."""
    got = points(criterion, value)
    passed = got == criterion["points"]
    print_line("pass" if passed else "FAIL", criterion, evidence, value, f"{got:.3g}/{criterion['points']}")
    if not passed and "look_at" in criterion:
        print(f"        {criterion['look_at']}")
    worst = worst_access(accesses) if criterion.get("quotes_access") and not passed else None
    if worst:
        print(f"        {worst}")
    return got, passed


class Runs:
    """The graded runs, each made once."""

    def __init__(self, timeout_s):
        self.results, self.timeout_s = {}, timeout_s

    def result(self, source, asked):
        key = (source, label(asked), tuple(asked["size"]), asked.get("block"))
        if key not in self.results:
            result = run(build(source, asked), asked, asked["size"], 1, self.timeout_s)
            if not result["verified"]:
                wrong = next(check["sentence"] for check in result["checks"] if not check["passed"])
                raise NotYet(f"At {where_of(asked, asked['size'])}, {result['rows']} rows a thread, {wrong}.")
            self.results[key] = result
        return self.results[key]

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


def grade_figures(source, expected, device, runs):
    """Scores the criteria after correctness. Returns [(points, all of them, possible)] of those graded here."""
    scores = []
    for criterion in expected["criteria"]:
        if device not in criterion["devices"]:
            print_line("later", criterion, criterion["evidence"], None, "-")
            print(f"        (needs DEVICE={' or '.join(criterion['devices'])}: neither points nor a failure here)")
            continue
        value = runs.value(source, criterion)
        accesses = runs.result(source, criterion)["accesses"]
        scores.append((*score(criterion, criterion["evidence"], value, accesses), criterion["points"]))
    return scores


def grade(source, device):
    """Grades one file. Returns whether everything passed."""
    lab = os.path.basename(os.path.dirname(source))
    with open(f"labs/{lab}/expected.json", encoding="utf-8") as file:
        expected = json.load(file)
    print(f"lab {lab}: {source} on device {device}")
    print(f"  {'':<5} {'what':<54} {'evidence':<9} {'value':>8} {'full .. zero':>12} {'points':>7}")
    runs = Runs(expected["timeout_s"])
    try:
        right, reason = correctness(source, expected)
        first = score(expected["correctness"], "emulated" if device == "emulated" else "measured", right)
        if not first[1]:
            raise NotYet(f"{reason}\nThe other criteria are graded once every point is right.")
        scores = [(*first, expected["correctness"]["points"]), *grade_figures(source, expected, device, runs)]
        scores += grade_predictions(source, expected, runs)
    except NotYet as why:
        print(f"NOT YET: {why}\n{edit_next(source)}")
        return False
    got, possible = sum(s[0] for s in scores), sum(s[2] for s in scores)
    passed = all(s[1] for s in scores)
    print(f"{'PASSED' if passed else 'NOT YET'}: {got:.3g} of {possible:g} points")
    if not passed:
        print(edit_next(source))
    return passed


def main():
    device, *sources = sys.argv[1:]
    if not sources:
        raise GraderTrouble("LAB names no lab; see the folders of labs/, for example make check LAB=01")
    passed = [grade(source, device) for source in sources]
    return 0 if all(passed) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (GraderTrouble, OSError, ValueError, KeyError, subprocess.CalledProcessError) as trouble:
        print(f"The grader could not work, which says nothing about your code: {trouble}", file=sys.stderr)
        sys.exit(2)
