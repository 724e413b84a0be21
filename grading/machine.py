"""Checks lab 00: puts what the reader wrote beside what the emulated device counted of the same kernels.

In:  machine.py PROGRAM FILE.hip   PROGRAM is FILE.hip, compiled; FILE.hip has the reader's numbers as predictions have them
Out: a row for each number and a verdict. A counted number is shown only where the reader's is right: of another one the row
     says on which side it is, so that it is thought about again and not copied.
     Status 0: all are right; 1: not yet; 2: the kernels could not be run or counted. What was reached is kept (state.py).
"""
import csv
import os
import subprocess
import sys
import tempfile

from grading import state
from grading.predictions import NUMBER, answer_in

SECONDS = 60
# What a reader is asked about each kernel: rocprof's counter of it, and how many of ours one of the counter's unit is.
ASKED = {"requests": ("TCP_TCC_READ_REQ_sum", 1), "bytes": ("FETCH_SIZE", 1024)}


class Trouble(Exception):
    """Nothing could be counted; the sentence says why."""


def counted_by(program):
    """Rows of rocprof's columns, one for each kernel in the order of launches."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("EMULATOR_")}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "counters.csv")
        try:
            done = subprocess.run([program], env={**environment, "EMULATOR_COUNTERS": path}, capture_output=True, text=True,
                                  errors="replace", timeout=SECONDS, check=False)
        except subprocess.TimeoutExpired:
            raise Trouble(f"{program} did not end within {SECONDS} s: did you change its code?") from None
        if done.returncode or not os.path.exists(path):
            raise Trouble(f"{program} ended with status {done.returncode} and was not counted. It said:\n{done.stderr}")
        with open(path, newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))


def compare(text, rows):
    """For each number that is asked for: its label, the reader's answer, what was counted, and a verdict."""
    for row in rows:
        kernel = row["KernelName"].split("(")[0]
        for what, (counter, unit) in ASKED.items():
            label = f"{kernel}, {what}"
            answer, counted = answer_in(text, label), unit * float(row[counter])
            if not NUMBER.match(answer):
                yield label, answer, None, "write a number" if answer in ("?", "") else "no number like 12 or 4096"
            elif float(answer) == counted:
                yield label, answer, counted, "right"
            else:
                yield label, answer, None, "too many" if float(answer) > counted else "too few"


def line_of(text, label):
    """The number of the line where the answer stands, as words behind the file's name; none if the line is gone."""
    return next((f", line {number}" for number, line in enumerate(text.splitlines(), 1) if f"{label}:" in line),
                f": write a line \"//   {label}: \" and your number")


def check(program, source):
    """Prints the table and the verdict. Returns whether all is right."""
    with open(source, encoding="utf-8", errors="replace") as file:
        text = file.read()
    results = list(compare(text, counted_by(program)))
    print(f"lab 00: {source} on the emulated device\n  requests: TCP_TCC_READ_REQ_sum, bytes: FETCH_SIZE (modelled)")
    print(f"  {'what':<24} {'yours':>8} {'counted':>8}")
    for label, answer, counted, verdict in results:
        print(f"  {label:<24} {answer[:8]:>8} {'-' if counted is None else f'{counted:g}':>8}  {verdict}")
    wrong = [label for label, *_, verdict in results if verdict != "right"]
    print(f"{'NOT YET' if wrong else 'PASSED'}: {len(results) - len(wrong)} of {len(results)} numbers are right")
    if wrong:
        print(f"Next: edit {source}{line_of(text, wrong[0])}. Draw the lines; make hint LAB=00 helps.")
    state.keep("00-the-machine", source, len(results) - len(wrong), len(results), not wrong)
    return not wrong


def main():
    program, source = sys.argv[1:]
    return 0 if check(program, source) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Trouble, OSError, KeyError, ValueError) as trouble:
        print(f"Nothing could be counted, which says nothing about your numbers: {trouble}", file=sys.stderr)
        sys.exit(2)
