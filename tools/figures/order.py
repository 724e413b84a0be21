"""Draws order.svg of lab 03: in which order one thread asks for the values of its tile, before and after.

In:  nothing; the orders are those of the starter's source and of the solution's, for m = 4.
Out: draw(path) writes it.
"""
from tools.figures.svg import BLUE, GREY, LIGHT_GREY, RED, circle, line, polyline, text, write

ROWS = 4  # of one tile, m
LEFT, TOP, STEP, ROW_HEIGHT, PLANE_GAP = 120, 42, 11.5, 17, 14
PLANES = [("k-1", range(ROWS)), ("k", range(-1, ROWS + 1)), ("k+1", range(ROWS))]  # rows that the tile reads there


def starter():
    """Plane, row and column of each load, as the starter's loop asks for them."""
    for row in range(ROWS):
        yield from (("k", row, column) for column in (0, -1, 1))
        if row == 0:
            yield "k", -1, 0
        if row == ROWS - 1:
            yield "k", ROWS, 0
        yield "k-1", row, 0
        yield "k+1", row, 0


def ascending():
    """The same loads by address: plane before row before column."""
    planes = [name for name, _ in PLANES]
    return sorted(starter(), key=lambda load: (planes.index(load[0]), load[1], load[2]))


def heights():
    """Plane and row -> y, addresses growing upwards."""
    y, found = TOP + 14 * ROW_HEIGHT + 2 * PLANE_GAP, {}
    for plane, rows in PLANES:
        for row in rows:
            found[plane, row] = y
            y -= ROW_HEIGHT
        y -= PLANE_GAP
    return found


def addresses(left, right, name_planes):
    """A name for each row, a thin line along it."""
    for (plane, row), y in heights().items():
        yield line(left, y, right, y, LIGHT_GREY)
        yield text(left - 8, y + 4, f"j{row:+d}" if row else "j", 11, "end", GREY)
        if name_planes and row == 2:
            yield text(left - 45, y + ROW_HEIGHT / 2 + 5, f"plane {plane}", anchor="end")


def panel(left, title, loads, colour):
    points = [(left + 14 + STEP * at, heights()[plane, row] - 3 * column) for at, (plane, row, column) in enumerate(loads)]
    yield text(left + 130, 30, title, 16)
    yield polyline(points, colour)
    for x, y in points:
        yield circle(x, y, 4, colour)
    yield text(left + 130, TOP + 15 * ROW_HEIGHT + 2 * PLANE_GAP + 12, "loads, one after another", colour=GREY)


def draw(path):
    second = LEFT + 330
    write(path, 740, TOP + 16 * ROW_HEIGHT + 2 * PLANE_GAP + 14,
          [*addresses(LEFT, LEFT + 270, True), *addresses(second, second + 270, False),
           *panel(LEFT, "lab 02: row by row", starter(), RED), *panel(second, "lab 03: by address", ascending(), BLUE)])
