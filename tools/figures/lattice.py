"""Draws lattice.svg of lab 08: the directions of D3Q7 and D3Q19 with their names.

In:  nothing; the names say where they point, as in common/families/lbm.c.
Out: draw(path) writes it.
"""
import math

from tools.figures.svg import BLACK, BLUE, RED, arrow_head, circle, line, text, write

AXES = ["e", "w", "n", "s", "t", "b"]
DIAGONALS = ["tn", "bs", "bn", "ts", "te", "bw", "be", "tw", "ne", "sw", "se", "nw"]
STEP = {"e": (1, 0, 0), "w": (-1, 0, 0), "n": (0, 1, 0), "s": (0, -1, 0), "t": (0, 0, 1), "b": (0, 0, -1)}
HEADS = {BLUE: "blue-head", RED: "red-head"}
EDGE = "#b8b8b8"


def projected(point):
    """Where a point of the unit cube lies from its centre: x to the right, y into the page, z up."""
    x, y, z = point
    return 105 * x + 42 * y, -105 * z - 30 * y


def edge_ends():
    corners = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    return [(a, b) for a in corners for b in corners if a < b and sum(p != q for p, q in zip(a, b)) == 1]


def arrow(left, top, name, colour):
    """From the centre to the neighbour that its letters name, and the name a little further on."""
    x, y = projected(sum(STEP[letter][axis] for letter in name) for axis in range(3))
    beyond = 1 + 16 / math.hypot(x, y)
    yield line(left, top, left + x, top + y, colour, 2, marker=HEADS[colour])
    yield text(left + beyond * x, top + beyond * y + 4, name, 14, colour=colour)


def lattice(left, top, arrows, below):
    for start, end in edge_ends():
        (x1, y1), (x2, y2) = projected(start), projected(end)
        yield line(left + x1, top + y1, left + x2, top + y2, EDGE)
    for names, colour in arrows:
        for name in names:
            yield from arrow(left, top, name, colour)
    yield circle(left, top, 5, BLACK)
    yield text(left, 350, below, 14)


def draw(path):
    write(path, 720, 365, [*(arrow_head(name, colour) for colour, name in HEADS.items()),
                           *lattice(175, 165, [(AXES, BLUE)], "D3Q7: f, at rest and 6 axes"),
                           *lattice(535, 165, [(DIAGONALS, RED), (AXES, BLUE)], "D3Q19: g, these and 12 diagonals")])
