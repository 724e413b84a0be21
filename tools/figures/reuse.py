"""Draws reuse.svg of lab 02: how often each value is loaded for four rows, by four threads and by one.

In:  nothing; the counts follow from the seven-point stencil.
Out: draw(path) writes it.
"""
from tools.figures.svg import GREY, LIGHT_ORANGE, ORANGE, PALE_BLUE, rect, text, write

ROWS = 4  # of one tile, m
CELL, PITCH, TOP = 44, 50, 92
SHADES = {1: PALE_BLUE, 2: LIGHT_ORANGE, 3: ORANGE}  # by times loaded
COLUMNS = ["k-1", "i-1", "i", "i+1", "k+1"]  # neighbours in z, in x, the column itself


def times_loaded(shared):
    """Column and row of each value, rows counted from the tile's first -> how many loads it takes."""
    times = {}
    for row in range(ROWS):
        for value in [("i", row - 1), ("i", row), ("i", row + 1), *((side, row) for side in COLUMNS if side != "i")]:
            times[value] = 1 if shared else times.get(value, 0) + 1
    return times


def height(row):
    """y of a row's boxes, the highest row on top."""
    return TOP + (ROWS - row) * PITCH


def panel(left, title, shared):
    times = times_loaded(shared)
    middle = left + len(COLUMNS) * PITCH / 2
    yield text(middle, 28, title, 16)
    yield text(middle, 50, f"{sum(times.values())} loads", 14)
    for at, column in enumerate(COLUMNS):
        yield text(left + at * PITCH + CELL / 2, TOP - 12, column, colour=GREY)
    for (column, row), count in times.items():
        x = left + COLUMNS.index(column) * PITCH
        yield rect(x, height(row), CELL, CELL, SHADES[count], radius=4)
        yield text(x + CELL / 2, height(row) + CELL / 2 + 6, count, 18)


def row_names(left):
    for row in range(-1, ROWS + 1):
        yield text(left, height(row) + CELL / 2 + 5, f"j{row:+d}" if row else "j", anchor="end", colour=GREY)


def draw(path):
    below = height(-2) + 18
    words = "Each box is a value of u; the number says how often it is loaded. Rows j to j+3 are computed."
    write(path, 720, below + 20, [*row_names(58), *panel(70, "four threads, a row each", False),
                                  *panel(400, "one thread, four rows", True), text(360, below, words)])
