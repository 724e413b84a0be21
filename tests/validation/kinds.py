"""How far a learner's modelled figures are from reality, by kind of run: the blind errors of the published cells that are
most like it.

In:  kinds.json, which says for a kind what marks it (family, and where it matters axis, window, size of a plane in MB) and
     which columns of which tables speak for its time and for its caches and memory; published.json, cells of compare.py.
Out: the rows of common/model_errors.inc, which common/model_error.c includes.
"""
import re

import errors
import halves

EVERY_PLANE = (0, 1e9)  # MB
HEADING = """// Written by `make validate` from tests/validation/kinds.json and measured.json; do not edit.
// Family; axis, '\\0' for any; window, -1 for with or without; plane from and below, in MB; mean absolute error of
// time and of caches and memory over the blind cells, in percent, 0 where nothing like it was published.
"""


def is_like(cell, kind, columns, row):
    """Whether a cell speaks for the kind. A row without "mb" has the usual plane, of which its table was chosen."""
    low, high = kind.get("plane_mb", EVERY_PLANE)
    return (cell["half"] == halves.BLIND and cell["column"] in columns.get(cell["table"], ())
            and re.match(kind.get("rows", ""), cell["row"]) is not None and ("mb" not in row or low <= row["mb"] < high))


def error_percent(cells, rows, kind, figure):
    like = [cell for cell in cells if is_like(cell, kind, kind[figure], rows[cell["table"], cell["row"]])]
    return 100 * errors.summary(like)["mean"] if like else 0


def render(kinds, tables, cells):
    rows = {(table["name"], row["row"]): row for table in tables for row in table["rows"]}
    lines = []
    for kind in kinds:
        low, high = kind.get("plane_mb", EVERY_PLANE)
        window = {True: 1, False: 0, None: -1}[kind.get("window")]
        time, memory = (error_percent(cells, rows, kind, figure) for figure in ("time", "memory"))
        axis = kind.get("axis", "\\0")
        lines.append(f"{{\"{kind['family']}\", '{axis}', {window}, {low:g}, {high:g}, {{{time:.1f}, {memory:.1f}}}}},\n")
    return HEADING + "".join(lines)
