"""Draws order.svg: in which order one thread asks for the values of its tile, before and after.

In:  nothing; the orders are those of the starter's source and of the solution's, for m = 4.
Out: order.svg beside this file; the same bytes on every run.
"""
import os

HERE = os.path.dirname(os.path.abspath(__file__))
ROWS = 4  # of one tile, m
LEFT, TOP, STEP, ROW_HEIGHT, PLANE_GAP = 120, 42, 11.5, 17, 14
BEFORE, AFTER, GREY = "#b3261e", "#1f5fa8", "#666666"
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


def text(x, y, words, size=13, anchor="middle", colour="#000000"):
    return f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}" fill="{colour}">{words}</text>'


def addresses(left, right, name_planes):
    """A name for each row, a thin line along it."""
    for (plane, row), y in heights().items():
        name = f"j{row:+d}" if row else "j"
        yield f'<line x1="{left}" y1="{y:g}" x2="{right}" y2="{y:g}" stroke="#e4e4e4"/>'
        yield text(left - 8, y + 4, name, 11, "end", GREY)
        if name_planes and row == 2:
            yield text(left - 45, y + ROW_HEIGHT / 2 + 5, f"plane {plane}", 13, "end")


def panel(left, title, loads, colour):
    points = [(left + 14 + STEP * at, heights()[plane, row] - 3 * column) for at, (plane, row, column) in enumerate(loads)]
    yield text(left + 130, 30, title, 16)
    yield f'<polyline fill="none" stroke="{colour}" points="' + " ".join(f"{x:g},{y:g}" for x, y in points) + '"/>'
    for x, y in points:
        yield f'<circle cx="{x:g}" cy="{y:g}" r="4" fill="{colour}"/>'
    yield text(left + 130, TOP + 15 * ROW_HEIGHT + 2 * PLANE_GAP + 12, "loads, one after another", 13, colour=GREY)


def main():
    width, height = 740, TOP + 16 * ROW_HEIGHT + 2 * PLANE_GAP + 14
    second = LEFT + 330
    parts = [*addresses(LEFT, LEFT + 270, True), *addresses(second, second + 270, False),
             *panel(LEFT, "lab 02: row by row", list(starter()), BEFORE),
             *panel(second, "lab 03: by address", ascending(), AFTER)]
    with open(os.path.join(HERE, "order.svg"), "w", encoding="utf-8") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif">\n'
                   f'<rect width="{width}" height="{height}" fill="#ffffff"/>\n' + "\n".join(parts) + "\n</svg>\n")


if __name__ == "__main__":
    main()
