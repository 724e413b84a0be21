"""Draws occupancy.svg: how many waves a SIMD has room for at each number of VGPRs, with the kernels of labs 01 to 04.

In:  AMD's table for MI200, STEPS; what hipcc 5.2.3 says of the solutions, KERNELS (make report), which is what AMD
     published where it did: all but lab 02.
Out: occupancy.svg beside this file; the same bytes on every run.
"""
import os

HERE = os.path.dirname(os.path.abspath(__file__))
STEPS = [(64, 8), (72, 7), (80, 6), (96, 5), (128, 4), (168, 3), (256, 2)]  # most VGPRs, waves a SIMD
LEFT, BOTTOM, WIDTH, HEIGHT = 50, 310, 640, 270
BLUE, RED, GREY = "#1f5fa8", "#b3261e", "#555555"

# Label; VGPRs; waves a SIMD; whether it spills; where the label stands from the point: anchor, dx, dy.
KERNELS = [
    ("01", 24, 8, False, "middle", 0, -11),
    ("03, m=2", 28, 8, False, "start", 4, -11),
    ("03 and 04, m=4", 54, 8, False, "start", 4, -11),
    ("03, m=8", 90, 5, False, "end", -8, 15),
    ("04, m=8", 94, 5, False, "start", 9, -6),
    ("02, m=8", 104, 4, False, "middle", 0, 20),
    ("02 and 03, m=16: spill", 128, 4, True, "start", 10, -7),
    ("04, m=16: does not", 170, 2, False, "start", 9, -9),
]


def x_of(vgprs):
    return LEFT + WIDTH * vgprs / 256


def y_of(waves):
    return BOTTOM - HEIGHT * waves / 9


def text(x, y, words, anchor="middle", colour="#000000"):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{words}</text>'


def line(x1, y1, x2, y2, colour, more=""):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" {more}/>'


def axes():
    yield line(LEFT, BOTTOM, LEFT + WIDTH, BOTTOM, GREY)
    yield line(LEFT, BOTTOM, LEFT, y_of(9), GREY)
    for vgprs in (0, *(most for most, _ in STEPS)):
        yield line(x_of(vgprs), BOTTOM, x_of(vgprs), BOTTOM + 5, GREY)
        yield text(x_of(vgprs), BOTTOM + 19, vgprs)
    for waves in range(1, 9):
        yield text(LEFT - 9, y_of(waves) + 4, waves, "end")
    yield text(LEFT + WIDTH / 2, BOTTOM + 42, "VGPRs of a lane")
    yield text(LEFT - 30, y_of(9) - 10, "waves a SIMD", "start")


def steps():
    first, above = 0, None
    for most, waves in STEPS:
        if above:
            yield line(x_of(first), y_of(above), x_of(first), y_of(waves), BLUE, 'stroke-width="2"')
        yield line(x_of(first), y_of(waves), x_of(most), y_of(waves), BLUE, 'stroke-width="2"')
        first, above = most, waves


def default_limit():
    """What blocks of 1024 threads, 4 waves a SIMD, leave to each wave."""
    yield line(x_of(128), BOTTOM, x_of(128), y_of(8), RED, 'stroke-dasharray="5 4"')
    yield text(x_of(128) + 6, y_of(7.6), "without bounds no kernel gets more:", "start", RED)
    yield text(x_of(128) + 6, y_of(7.1), "a block of 1024 must fit, 4 waves a SIMD", "start", RED)


def kernels():
    for label, vgprs, waves, spills, anchor, dx, dy in KERNELS:
        colour = RED if spills else BLUE
        yield f'<circle cx="{x_of(vgprs):.1f}" cy="{y_of(waves):.1f}" r="5" fill="{colour}"/>'
        yield text(x_of(vgprs) + dx, y_of(waves) + dy, label, anchor, colour)


def main():
    parts = [*axes(), *default_limit(), *steps(), *kernels()]
    with open(os.path.join(HERE, "occupancy.svg"), "w", encoding="utf-8") as file:
        file.write('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 730 360" font-family="sans-serif" font-size="13">\n'
                   '<rect width="730" height="360" fill="#ffffff"/>\n' + "\n".join(parts) + "\n</svg>\n")


if __name__ == "__main__":
    main()
