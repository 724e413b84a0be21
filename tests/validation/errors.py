"""Errors of many cells in figures that others print about their simulators, too.

In:  cells of compare.py.
Out: {"cells", "mean", "worst", "worst_at", "nrmse", "r", "pairs", "ordered"}: how many cells; mean of the absolute
     errors; the largest; root of the mean squared error over the mean of the published; Pearson's correlation; pairs of
     cells of one column that were published more than 5 % apart, and how many of them ours puts in the same order.

Columns have different units. For NRMSE and r each is divided by the mean of what was published in it, which changes neither
where there is one column. What cannot be known (r of one cell) is None.
"""
import math

APART = 0.05
# A column is timed if its unit's first word is one of these: its figure is a time or was divided by one.
TIMED_UNITS = ("ms", "us", "ns", "clk", "cycles", "times", "GB/s", "TFLOP/s", "TOP/s", "IPC")


def relative(cell):
    """A percentage's error is in points, here as a fraction; where 0 was published, anything else is an error of 100 %."""
    if cell["unit"] == "%":
        return (cell["ours"] - cell["published"]) / 100
    if cell["published"] == 0:
        return 0.0 if cell["ours"] == 0 else 1.0
    return cell["ours"] / cell["published"] - 1


def is_timed(cell):
    return cell["unit"].split(" ")[0] in TIMED_UNITS and cell["evidence"] == "modelled"


def by_column(cells):
    found = {}
    for cell in cells:
        found.setdefault((cell["table"], cell["column"]), []).append(cell)
    return found


def _scaled(cells):
    """[(published, ours)], each column over the mean of what was published in it."""
    pairs = []
    for column in by_column(cells).values():
        mean = sum(cell["published"] for cell in column) / len(column)
        if mean != 0:
            pairs += [(cell["published"] / mean, cell["ours"] / mean) for cell in column]
    return pairs


def _nrmse(pairs):
    """Of pairs whose published mean is 1."""
    return math.sqrt(sum((ours - published) ** 2 for published, ours in pairs) / len(pairs)) if pairs else None


def correlation(pairs):
    if len(pairs) < 2:
        return None
    x_mean, y_mean = (sum(values) / len(pairs) for values in zip(*pairs))
    x, y = [a - x_mean for a, _ in pairs], [b - y_mean for _, b in pairs]
    length = math.sqrt(sum(a * a for a in x) * sum(b * b for b in y))
    return sum(a * b for a, b in zip(x, y)) / length if length > 0 else None


def misplaced(column, apart):
    """(how many pairs were published more than `apart` from each other, [(smaller, larger)] that ours does not put so)."""
    pairs = [(a, b) for a in column for b in column if b["published"] > a["published"] * (1 + apart)]
    return len(pairs), [(a, b) for a, b in pairs if b["ours"] <= a["ours"]]


def summary(cells):
    if not cells:
        return None
    worst = max(cells, key=lambda cell: abs(relative(cell)))
    orders = [misplaced(column, APART) for column in by_column(cells).values()]
    scaled = _scaled(cells)
    return {"cells": len(cells), "mean": sum(abs(relative(cell)) for cell in cells) / len(cells), "worst": relative(worst),
            "worst_at": (worst["table"], worst["row"], worst["column"]), "nrmse": _nrmse(scaled), "r": correlation(scaled),
            "pairs": sum(count for count, _ in orders), "ordered": sum(count - len(wrong) for count, wrong in orders)}
