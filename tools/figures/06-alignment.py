"""Draws lines.svg: the cache lines under the 64 values of a wavefront, aligned and not.

In:  nothing; the counts follow from 4 B a value and 64 B a line.
Out: lines.svg beside this file; the same bytes on every run.
"""
import os

HERE = os.path.dirname(os.path.abspath(__file__))
LINE, LANES = 16, 64  # values in a line, in a wavefront
CELL, LEFT = 8, 20


def text(x, y, words, size=14):
    return f'<text x="{x}" y="{y}" font-size="{size}">{words}</text>'


def panel(top, first, title):
    """Five lines, and the wavefront whose first value is element number first of the first line."""
    yield text(LEFT, top, title)
    for line in range(5):
        touched = line * LINE < first + LANES
        yield (f'<rect x="{LEFT + line * LINE * CELL}" y="{top + 14}" width="{LINE * CELL - 3}" height="34" rx="3" '
               f'fill="{"#dbe7f5" if touched else "#f2f2f2"}" stroke="#8aa4c4"/>')
    for lane in range(LANES):
        shade = "#e8793b" if lane // LINE % 2 else "#f6c38f"  # sixteen lanes a step of L1
        yield (f'<rect x="{LEFT + (first + lane) * CELL}" y="{top + 22}" width="{CELL - 2}" height="18" '
               f'fill="{shade}"/>')


def main():
    parts = [*panel(28, 0, "aligned: 4 lines; each group of 16 lanes, one step of L1, touches 1"),
             *panel(118, 4, "not aligned: 5 lines; each group of 16 lanes touches 2, so L1 looks at 8")]
    with open(os.path.join(HERE, "lines.svg"), "w", encoding="utf-8") as file:
        file.write('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 680 190" font-family="sans-serif">\n'
                   '<rect width="680" height="190" fill="#ffffff"/>\n' + "\n".join(parts) + "\n</svg>\n")


if __name__ == "__main__":
    main()
