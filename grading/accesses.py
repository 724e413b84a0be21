"""What the loads and stores of one launch did, out of the emulated device's report by source line.

In:  the CSV that EMULATOR_LINES=FILE makes it write; emulator/counters/line_report.h has the columns.
Out: its rows, and for the grader a sentence and the line of the access that is worst.
"""
import csv
import os

from grading.words import shown

LONGEST_NAME = 200  # that a person reads; a learner's #line may say any
csv.field_size_limit(64 << 20)


def read_accesses(path, launches):
    """The rows of the last so many launches, [] if there is no report."""
    if not os.path.exists(path):
        return []
    with open(path, newline="", encoding="utf-8", errors="replace") as file:
        rows = list(csv.DictReader(file))
    return [row for row in rows if int(row["Index"]) > int(rows[-1]["Index"]) - launches]


def _worst(accesses):
    """The row that touches most lines in vain or, if none does, fetches most."""
    def in_vain(row):
        return round((float(row["lines"]) - float(row["fewest_lines"])) * int(row["executions"]))

    return max(accesses, key=lambda row: (in_vain(row), float(row["fetched_bytes"] or 0)))


def line_of(accesses, name):
    """The line of the worst access, if it is in the file of this name; None otherwise."""
    row = _worst(accesses) if accesses else None
    return int(row["line"]) if row and row["line"] and os.path.basename(row["file"]) == name else None


def worst_access(accesses):
    """A sentence on the worst access; None without any."""
    if not accesses:
        return None
    row = _worst(accesses)
    fetched = f", {float(row['fetched_bytes']) * 1e-6:.1f} MB fetched (modelled)" if row["fetched_bytes"] else ""
    place = f"{shown(row['file'])[-LONGEST_NAME:]}:{row['line']}"
    return (f"{place}, {row['action']}: {float(row['lines']):.1f} lines a wavefront where {float(row['fewest_lines']):.1f} "
            f"would hold the bytes; {float(row['requested_bytes']) * 1e-6:.1f} MB requested{fetched}")
