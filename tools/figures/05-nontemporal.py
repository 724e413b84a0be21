"""Draws l2.svg: who needs a place in L2, and what each load of the baseline fetches, with ordinary and nontemporal stores.

In:  the size of a plane of 512 x 512 doubles; what make profile LAB=05 ARGS="--kernel baseline" says is fetched at
     512 x 512 x 32 (modelled), of the starter and of the solution, FETCHED.
Out: l2.svg beside this file; the same bytes on every run.
"""
import os

HERE = os.path.dirname(os.path.abspath(__file__))
BLUE, LIGHT, ORANGE, GREY = "#1f5fa8", "#8db4dc", "#d9822b", "#555555"
TOP, BOTTOM = 70, 290

# What must stay until it is read again: label, MiB, colour; from below.
ORDINARY = [("u, plane k-1", 2, BLUE), ("u, plane k", 2, BLUE), ("u, plane k+1", 2, BLUE), ("f, plane k", 2, ORANGE)]
NONTEMPORAL = [*ORDINARY[:3], ("room to spare", 2, None)]

# Load; MB fetched with ordinary and with nontemporal stores.
FETCHED = [("k+1", 62.7, 62.7), ("k-1", 32.6, 12.2), ("own row", 16.9, 6.4), ("j-1, j+1", 2.8, 1.1)]


def text(x, y, words, anchor="middle", colour="#000000", more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}"{more}>{words}</text>'


def box(x, y, width, height, fill, stroke="#ffffff", more=""):
    return (f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{fill}" stroke="{stroke}"'
            f'{more}/>')


def line(x1, y1, x2, y2, more=""):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{GREY}"{more}/>'


def heading(x, words):
    return text(x, 24, words, "start", more=' font-weight="bold"')


def stack(x, name, parts):
    height = (BOTTOM - TOP) / 8  # of one MiB
    bottom = BOTTOM
    for label, mib, colour in parts:
        bottom -= mib * height
        if colour:
            yield box(x, bottom, 120, mib * height, colour)
        else:
            yield box(x, bottom, 120, mib * height, "none", GREY, ' stroke-dasharray="4 4"')
        yield text(x + 60, bottom + mib * height / 2 + 5, label, colour="#ffffff" if colour else GREY)
    yield text(x + 60, BOTTOM + 19, name)


def places():
    yield heading(20, "Who needs a place in L2")
    yield from stack(70, "ordinary stores", ORDINARY)
    yield from stack(210, "nontemporal stores", NONTEMPORAL)
    yield line(40, TOP, 345, TOP, ' stroke-width="2"')
    yield text(40, TOP - 8, "8 MiB: L2 is full", "start", GREY)
    yield line(40, BOTTOM, 345, BOTTOM)


def fetches():
    yield heading(390, "What each load of u fetches, MB (modelled)")
    for n, (label, before, after) in enumerate(FETCHED):
        x = 402 + 84 * n
        for place, megabytes, colour in ((x, before, LIGHT), (x + 34, after, BLUE)):
            height = 3 * megabytes
            yield box(place, BOTTOM - height, 28, height, colour)
            yield text(place + 14, BOTTOM - height - 5, megabytes)
        yield text(x + 31, BOTTOM + 19, label)
    yield line(390, BOTTOM, 725, BOTTOM)
    for y, colour, words in ((TOP - 12, LIGHT, "ordinary stores"), (TOP + 10, BLUE, "nontemporal stores")):
        yield box(560, y, 13, 13, colour)
        yield text(580, y + 12, words, "start")


def main():
    with open(os.path.join(HERE, "l2.svg"), "w", encoding="utf-8") as file:
        file.write('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 740 325" font-family="sans-serif" font-size="13">\n'
                   '<rect width="740" height="325" fill="#ffffff"/>\n' + "\n".join([*places(), *fetches()]) + "\n</svg>\n")


if __name__ == "__main__":
    main()
