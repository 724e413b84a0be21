"""Grades lab sources: builds each, passes it through the symbol gate, runs it on fresh inputs, scores the criteria.

In:  check.py DEVICE FILE.hip...   (run from the repository root; LD_LIBRARY_PATH already set for the device)
     labs/NN-name/expected.json    (criteria, thresholds, the runs that correctness takes)
Out: one line for each criterion and a verdict. Status 0: all passed; 1: something is not right yet; 2: the grader
     itself could not work.
"""
import csv
import json
import os
import random
import signal
import subprocess
import sys
import tempfile

from gate import refusals

DEVICE_TROUBLE = 3  # a program's exit status when HIP refused something: device.h


class NotYet(Exception):
    """The learner's program cannot be graded further, for the reason given."""


class GraderTrouble(Exception):
    """The grade would say nothing about the learner."""


def build(source):
    """Compiles, applies the gate, links. Returns the program."""
    program = "build/" + os.path.splitext(source)[0]
    environment = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}

    def make(target):
        done = subprocess.run(["make", "-s", "--no-print-directory", target], env=environment, capture_output=True,
                              text=True)
        if done.returncode != 0:
            raise NotYet(f"{source} does not build; the compiler says:\n{done.stderr.rstrip()}")

    make(program + ".o")
    refused = refusals(program + ".o")
    if refused:
        raise NotYet(f"{source} was refused before it ran: {refused[0]}")
    make(program)
    return program


def run(program, size, block, seed, timeout_s):
    """Runs the program in a process group of its own. Returns the result it wrote, with the emulated device's report
    on the last launch's loads and stores as "accesses"."""
    with tempfile.TemporaryDirectory() as folder:
        path, accesses = os.path.join(folder, "result.json"), os.path.join(folder, "accesses.csv")
        command = [program, "--block", block, "--seed", str(seed), "--json", path]
        for option, points in zip(("--nx", "--ny", "--nz"), size):
            command += [option, str(points)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   errors="replace", start_new_session=True,
                                   env={**os.environ, "EMULATOR_LINES": accesses})
        where = f"at {size[0]} x {size[1]} x {size[2]}, block {block}"
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
    asked = {"nx": size[0], "ny": size[1], "nz": size[2], "seed": seed}
    if any(result[key] != value for key, value in asked.items()):
        raise NotYet(f"{where} the result is not for the grid and seed that were asked for")
    if result["device"] == "emulated" and not result["counters"]:
        raise NotYet(f"{where} no kernel was launched: the kernel itself must do the work")
    return result


def read_accesses(path):
    """The rows of the last launch; common/emulator/line_report.h has the columns."""
    if not os.path.exists(path):
        return []
    with open(path, newline="", encoding="utf-8", errors="replace") as file:
        rows = list(csv.DictReader(file))
    return [row for row in rows if row["Index"] == rows[-1]["Index"]]


def worst_access(accesses):
    """A sentence on the access that touches most lines in vain or, if none does, fetches most."""
    if not accesses:
        return None

    def in_vain(row):
        return round((float(row["lines"]) - float(row["fewest_lines"])) * int(row["executions"]))

    row = max(accesses, key=lambda row: (in_vain(row), float(row["fetched_bytes"] or 0)))
    fetched = f", {float(row['fetched_bytes']) * 1e-6:.1f} MB fetched (modelled)" if row["fetched_bytes"] else ""
    return (f"{row['file']}:{row['line']}, {row['action']}: {float(row['lines']):.1f} lines a wavefront where "
            f"{float(row['fewest_lines']):.1f} would hold the bytes; {float(row['requested_bytes']) * 1e-6:.1f} MB "
            f"requested{fetched}")


def fresh_size(ranges, block):
    """Unequal nx, ny, nz out of the ranges, none a multiple of its block (of 2 where the block is 1)."""
    threads = [max(2, int(n)) for n in block.split("x")]
    while True:
        size = [random.SystemRandom().randint(*ranges[direction]) for direction in ("nx", "ny", "nz")]
        if len(set(size)) == 3 and all(n % t for n, t in zip(size, threads)):
            return size


def correctness(program, expected):
    """Runs the program on fresh inputs. Returns (share of points right in the worst run, the first thing wrong)."""
    worst, reason = 1.0, ""
    for wanted in expected["correctness"]["runs"]:
        size = fresh_size(wanted, wanted["block"])
        result = run(program, size, wanted["block"], random.SystemRandom().getrandbits(63), expected["timeout_s"])
        interior = (size[0] - 2) * (size[1] - 2) * (size[2] - 2)
        for check in result["checks"]:
            right = 1 - check["points_wrong"] / interior
            if check["points_checked"] != interior or (not check["passed"] and right == 1):
                right = 0.0  # every interior point is right, but points outside were overwritten
            worst = min(worst, right)
            if right < 1 and not reason:
                reason = f"At {size[0]} x {size[1]} x {size[2]}, block {wanted['block']}, {check['sentence']}."
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
        todo = next((f", line {number}" for number, line in enumerate(file, 1) if "TODO" in line), "")
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


def grade_figures(program, expected, device):
    """Scores the criteria after correctness. Returns [(points, all of them, possible)] of those graded here."""
    results, scores = {}, []
    for criterion in expected["criteria"]:
        if device not in criterion["devices"]:
            print_line("later", criterion, criterion["evidence"], None, "-")
            print(f"        (needs DEVICE={' or '.join(criterion['devices'])}: neither points nor a failure here)")
            continue
        size = tuple(criterion["size"])
        if size not in results:
            results[size] = run(program, size, criterion["block"], 1, expected["timeout_s"])
        result = results[size]
        scores.append((*score(criterion, criterion["evidence"], value_of(criterion, result), result["accesses"]),
                       criterion["points"]))
    return scores


def grade(source, device):
    """Grades one file. Returns whether everything passed."""
    lab = os.path.basename(os.path.dirname(source))
    with open(f"labs/{lab}/expected.json", encoding="utf-8") as file:
        expected = json.load(file)
    print(f"lab {lab}: {source} on device {device}")
    print(f"  {'':<5} {'what':<54} {'evidence':<9} {'value':>8} {'full .. zero':>12} {'points':>7}")
    try:
        program = build(source)
        right, reason = correctness(program, expected)
        first = score(expected["correctness"], "emulated" if device == "emulated" else "measured", right)
        if not first[1]:
            raise NotYet(f"{reason}\nThe other criteria are graded once every point is right.")
        scores = [(*first, expected["correctness"]["points"]), *grade_figures(program, expected, device)]
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
