"""Draws lines.svg of lab 06: the cache lines under the 64 values of a wavefront, aligned and not.

In:  nothing; the counts follow from 4 B a value and 64 B a line.
Out: draw(path) writes it.
"""
from tools.figures.svg import LIGHT_BLUE, LIGHT_ORANGE, ORANGE, PALE_BLUE, rect, text, write

LINE, LANES = 16, 64  # values in a line, in a wavefront
CELL, LEFT = 8, 20
UNTOUCHED = "#f2f2f2"


def panel(top, first, title):
    """Five lines, and the wavefront whose first value is element number first of the first line."""
    yield text(LEFT, top, title, 14, "start")
    for line in range(5):
        touched = line * LINE < first + LANES
        yield rect(LEFT + line * LINE * CELL, top + 14, LINE * CELL - 2, 34, PALE_BLUE if touched else UNTOUCHED, LIGHT_BLUE,
                   3)
    for lane in range(LANES):
        shade = ORANGE if lane // LINE % 2 else LIGHT_ORANGE  # sixteen lanes a step of L1
        yield rect(LEFT + (first + lane) * CELL + 0.5, top + 22, CELL - 3, 18, shade)


def draw(path):
    write(path, 680, 190, [*panel(28, 0, "aligned: 4 lines; each group of 16 lanes, one step of L1, touches 1"),
                           *panel(118, 4, "not aligned: 5 lines; each group of 16 lanes touches 2, so L1 looks at 8")])
