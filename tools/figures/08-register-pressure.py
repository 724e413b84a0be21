"""Draws lattice.svg: the directions of D3Q7 and D3Q19 with their names.

In:  nothing; the names say where they point, as in common/families/lbm.c.
Out: lattice.svg beside this file; the same bytes on every run.
"""
import os

HERE = os.path.dirname(os.path.abspath(__file__))
AXES = ["e", "w", "n", "s", "t", "b"]
DIAGONALS = ["tn", "bs", "bn", "ts", "te", "bw", "be", "tw", "ne", "sw", "se", "nw"]
STEP = {"e": (1, 0, 0), "w": (-1, 0, 0), "n": (0, 1, 0), "s": (0, -1, 0), "t": (0, 0, 1), "b": (0, 0, -1)}
CENTRES = {"D3Q7": (175, 165), "D3Q19": (535, 165)}
BLUE, RED, GREY = "#1f5fa8", "#b3261e", "#b8b8b8"


def direction(name):
    return tuple(sum(STEP[letter][axis] for letter in name) for axis in range(3))


def place(lattice, point, scale=1.0):
    """Where a point of the unit cube around the centre lies: x to the right, y into the page, z up."""
    x, y, z = (scale * value for value in point)
    left, top = CENTRES[lattice]
    return left + 105 * x + 42 * y, top - 105 * z - 30 * y


def line(start, end, colour, more=""):
    return f'<line x1="{start[0]:.1f}" y1="{start[1]:.1f}" x2="{end[0]:.1f}" y2="{end[1]:.1f}" stroke="{colour}" {more}/>'


def text(at, words, colour="#000000", more=""):
    return f'<text x="{at[0]:.1f}" y="{at[1]:.1f}" text-anchor="middle" fill="{colour}" {more}>{words}</text>'


def cube(lattice):
    corners = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
    for a in corners:
        for b in corners:
            if a < b and sum(p != q for p, q in zip(a, b)) == 1:
                yield line(place(lattice, a), place(lattice, b), GREY)


def arrow(lattice, name, colour):
    end = direction(name)
    yield line(place(lattice, (0, 0, 0)), place(lattice, end), colour, f'stroke-width="2" marker-end="url(#{colour[1:]})"')
    x, y = place(lattice, end, 1.14)
    yield text((x, y + 4), name, colour)


def lattice(name, arrows, below):
    yield from cube(name)
    for names, colour in arrows:
        for direction_name in names:
            yield from arrow(name, direction_name, colour)
    x, y = place(name, (0, 0, 0))
    yield f'<circle cx="{x}" cy="{y}" r="5" fill="#000000"/>'
    yield text((x, 350), f"{name}: {below}")


def head(colour):
    return (f'<marker id="{colour[1:]}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="6" markerHeight="6" orient="auto">'
            f'<path d="M0 0 L10 5 L0 10 z" fill="{colour}"/></marker>')


def main():
    parts = [f"<defs>{head(BLUE)}{head(RED)}</defs>",
             *lattice("D3Q7", [(AXES, BLUE)], "f, at rest and 6 axes"),
             *lattice("D3Q19", [(DIAGONALS, RED), (AXES, BLUE)], "g, these and 12 diagonals")]
    with open(os.path.join(HERE, "lattice.svg"), "w", encoding="utf-8") as file:
        file.write('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 365" font-family="sans-serif" font-size="14">\n'
                   '<rect width="720" height="365" fill="#ffffff"/>\n' + "\n".join(parts) + "\n</svg>\n")


if __name__ == "__main__":
    main()
