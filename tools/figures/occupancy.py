"""Draws occupancy.svg of lab 04: how many waves a SIMD has room for at each number of VGPRs, with the kernels of labs 01
to 04.

In:  AMD's table for MI200, STEPS; what hipcc 5.2.3 says of the solutions, KERNELS (make report), which is what AMD
     published where it did: all but lab 02.
Out: draw(path) writes it.
"""
from tools.figures.svg import Axes, BLUE, RED, circle, line, polyline, text, write

STEPS = [(64, 8), (72, 7), (80, 6), (96, 5), (128, 4), (168, 3), (256, 2)]  # most VGPRs, waves a SIMD
AXES = Axes(50, 40, 640, 270, last=256, highest=9)

# Label; VGPRs; waves a SIMD; whether it spills; where the label stands from the point: anchor, dx, dy.
KERNELS = [
    ("01", 24, 8, False, "end", 3, -11),
    ("03, m=2", 28, 8, False, "start", 4, -11),
    ("03 and 04, m=4", 54, 8, False, "start", 4, -11),
    ("03, m=8", 90, 5, False, "end", -8, 16),
    ("04, m=8", 94, 5, False, "start", 9, -6),
    ("02, m=8", 104, 4, False, "middle", 0, 20),
    ("02 and 03, m=16: spill", 128, 4, True, "start", 10, -7),
    ("04, m=16: does not", 170, 2, False, "start", 9, -9),
]


def frame():
    yield from AXES.ticks([0, *(most for most, _ in STEPS)], range(1, 9), "VGPRs of a lane")
    yield line(AXES.left, AXES.y(0), AXES.x(256), AXES.y(0))
    yield line(AXES.left, AXES.y(0), AXES.left, AXES.y(9))
    yield text(AXES.left - 30, AXES.y(9) - 10, "waves a SIMD", anchor="start")


def steps():
    firsts = [0, *(most for most, _ in STEPS)]
    corners = [(vgprs, waves) for first, (most, waves) in zip(firsts, STEPS) for vgprs in (first, most)]
    yield polyline([(AXES.x(vgprs), AXES.y(waves)) for vgprs, waves in corners], BLUE, 2)


def default_limit():
    """What blocks of 1024 threads, 4 waves a SIMD, leave to each wave."""
    x = AXES.x(128)
    yield line(x, AXES.y(0), x, AXES.y(8), RED, dashed=True)
    yield text(x + 6, AXES.y(7.5), "without bounds no kernel gets more:", anchor="start", colour=RED)
    yield text(x + 6, AXES.y(6.5), "a block of 1024 must fit, 4 waves a SIMD", anchor="start", colour=RED)


def kernels():
    for label, vgprs, waves, spills, anchor, dx, dy in KERNELS:
        colour = RED if spills else BLUE
        yield circle(AXES.x(vgprs), AXES.y(waves), 5, colour)
        yield text(AXES.x(vgprs) + dx, AXES.y(waves) + dy, label, anchor=anchor, colour=colour)


def draw(path):
    write(path, 730, 360, [*frame(), *default_limit(), *steps(), *kernels()])
