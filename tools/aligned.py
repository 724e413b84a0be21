"""Rows of cells as lines, each column as wide as it must be: a table has to fit into a terminal of 80 columns.

In:  rows, each a sequence of texts. Out: lines.
"""
from grading.words import shown


def aligned(rows, left=1, gap=1):
    """The first `left` columns begin at their left edge, the others end at their right one."""
    widths = [max(len(row[n]) for row in rows) for n in range(len(rows[0]))]
    for row in rows:
        cells = [f"{cell:<{width}}" if n < left else f"{cell:>{width}}" for n, (cell, width) in enumerate(zip(row, widths))]
        yield "  " + (" " * gap).join(shown(cell) for cell in cells).rstrip()
