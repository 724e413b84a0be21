"""What the loads and stores of one launch did, out of the emulated device's report by source line.

In:  the CSV that EMULATOR_LINES=FILE makes it write; emulator/counters/line_report.h has the columns.
Out: its rows, and a sentence for the grader.
"""
import csv
import os


def read_accesses(path, launches):
    """The rows of the last so many launches, [] if there is no report."""
    if not os.path.exists(path):
        return []
    with open(path, newline="", encoding="utf-8", errors="replace") as file:
        rows = list(csv.DictReader(file))
    return [row for row in rows if int(row["Index"]) > int(rows[-1]["Index"]) - launches]


def worst_access(accesses):
    """A sentence on the access that touches most lines in vain or, if none does, fetches most; None without any."""
    if not accesses:
        return None

    def in_vain(row):
        return round((float(row["lines"]) - float(row["fewest_lines"])) * int(row["executions"]))

    row = max(accesses, key=lambda row: (in_vain(row), float(row["fetched_bytes"] or 0)))
    fetched = f", {float(row['fetched_bytes']) * 1e-6:.1f} MB fetched (modelled)" if row["fetched_bytes"] else ""
    return (f"{row['file']}:{row['line']}, {row['action']}: {float(row['lines']):.1f} lines a wavefront where "
            f"{float(row['fewest_lines']):.1f} would hold the bytes; {float(row['requested_bytes']) * 1e-6:.1f} MB "
            f"requested{fetched}")
