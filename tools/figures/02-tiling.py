"""Draws reuse.svg: how often each value is loaded for four rows, by four threads and by one.

In:  nothing; the counts follow from the seven-point stencil.
Out: reuse.svg beside this file; the same bytes on every run.
"""
import os

HERE = os.path.dirname(os.path.abspath(__file__))
ROWS = 4  # of one tile, m
CELL, GAP, TOP = 44, 6, 92
SHADES = {1: "#dbe7f5", 2: "#f6c38f", 3: "#e8793b"}  # by times loaded
COLUMNS = ["k-1", "i-1", "i", "i+1", "k+1"]  # neighbours in z, in x, the column itself


def text(x, y, words, size=13, anchor="middle", colour="#000000"):
    return f'<text x="{x}" y="{y}" font-size="{size}" text-anchor="{anchor}" fill="{colour}">{words}</text>'


def times_loaded(shared):
    """Column and row of each value, rows counted from the tile's first -> how many loads it takes."""
    times = {}
    for row in range(ROWS):
        for value in [("i", row - 1), ("i", row), ("i", row + 1), *((side, row) for side in COLUMNS if side != "i")]:
            times[value] = 1 if shared else times.get(value, 0) + 1
    return times


def panel(left, title, shared):
    times = times_loaded(shared)
    width = len(COLUMNS) * (CELL + GAP)
    yield text(left + width / 2, 28, title, 16)
    yield text(left + width / 2, 50, f"{sum(times.values())} loads", 14)
    for at, column in enumerate(COLUMNS):
        x = left + at * (CELL + GAP)
        yield text(x + CELL / 2, TOP - 12, column, 13, colour="#444444")
        for row in range(-1, ROWS + 1):
            if (column, row) in times:
                y = TOP + (ROWS - row) * (CELL + GAP)  # the highest row on top
                count = times[column, row]
                yield f'<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" rx="4" fill="{SHADES[count]}"/>'
                yield text(x + CELL / 2, y + CELL / 2 + 6, count, 18)


def row_names(left):
    for row in range(-1, ROWS + 1):
        name = f"j{row:+d}" if row else "j"
        yield text(left, TOP + (ROWS - row) * (CELL + GAP) + CELL / 2 + 5, name, 13, "end", "#444444")


def main():
    parts = [*row_names(58), *panel(70, "four threads, a row each", False),
             *panel(400, "one thread, four rows", True)]
    below = TOP + (ROWS + 2) * (CELL + GAP) + 18
    parts.append(text(360, below, "Each box is a value of u; the number says how often it is loaded. Rows j to j+3 are computed."))
    with open(os.path.join(HERE, "reuse.svg"), "w", encoding="utf-8") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 {below + 20}" font-family="sans-serif">\n'
                   f'<rect width="720" height="{below + 20}" fill="#ffffff"/>\n' + "\n".join(parts) + "\n</svg>\n")


if __name__ == "__main__":
    main()
