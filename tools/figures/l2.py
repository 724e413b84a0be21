"""Draws l2.svg of lab 05: who needs a place in L2, and what each load of the baseline fetches, with ordinary and
nontemporal stores.

In:  the size of a plane of 512 x 512 doubles; what make profile LAB=05 ARGS="--kernel baseline" says is fetched at
     512 x 512 x 32 (modelled), of the starter and of the solution, FETCHED.
Out: draw(path) writes it.
"""
from tools.figures.svg import BLUE, GREY, LIGHT_BLUE, ORANGE, WHITE, line, rect, text, write

TOP, BOTTOM = 70, 290

# What must stay until it is read again: label, MiB, colour; from below.
ORDINARY = [("u, plane k-1", 2, BLUE), ("u, plane k", 2, BLUE), ("u, plane k+1", 2, BLUE), ("f, plane k", 2, ORANGE)]
NONTEMPORAL = [*ORDINARY[:3], ("room to spare", 2, None)]

# Load; MB fetched with ordinary and with nontemporal stores.
FETCHED = [("k+1", 62.7, 62.7), ("k-1", 24.9, 14.0), ("own row", 13.6, 7.7), ("j-1, j+1", 8.3, 4.2)]


def stack(x, name, parts):
    bottom = BOTTOM
    for label, mib, colour in parts:
        height = mib * (BOTTOM - TOP) / 8  # L2 has 8 MiB
        bottom -= height
        yield rect(x, bottom, 120, height, colour or "none", WHITE if colour else GREY, dashed=not colour)
        yield text(x + 60, bottom + height / 2 + 5, label, colour=WHITE if colour else GREY)
    yield text(x + 60, BOTTOM + 19, name)


def places():
    yield text(20, 24, "Who needs a place in L2", anchor="start", bold=True)
    yield from stack(70, "ordinary stores", ORDINARY)
    yield from stack(210, "nontemporal stores", NONTEMPORAL)
    yield line(40, TOP, 345, TOP, width=2)
    yield text(40, TOP - 8, "8 MiB: L2 is full", anchor="start", colour=GREY)
    yield line(40, BOTTOM, 345, BOTTOM)


def fetches():
    yield text(390, 24, "What each load of u fetches, MB (modelled)", anchor="start", bold=True)
    for n, (label, before, after) in enumerate(FETCHED):
        x = 402 + 84 * n
        for place, megabytes, colour in ((x, before, LIGHT_BLUE), (x + 34, after, BLUE)):
            height = 3 * megabytes
            yield rect(place, BOTTOM - height, 28, height, colour)
            yield text(place + 14, BOTTOM - height - 5, megabytes)
        yield text(x + 31, BOTTOM + 19, label)
    yield line(390, BOTTOM, 725, BOTTOM)
    for y, colour, words in ((TOP - 12, LIGHT_BLUE, "ordinary stores"), (TOP + 10, BLUE, "nontemporal stores")):
        yield rect(560, y, 13, 13, colour)
        yield text(580, y + 12, words, anchor="start")


def draw(path):
    write(path, 740, 325, [*places(), *fetches()])
