"""Draws how a kernel with a sliding window depends on n_w, the points along z that a thread computes.

In:  plot.py EXPECTED.json OUT.svg   (the figures that labs/NN-name/expected.json records for the published size), or
     draw() with the figures of runs that were just made
Out: an SVG: bandwidths on the left; on the right the ratio of reads to writes of HBM, and the one that counting loads
     predicts. The same bytes for the same figures.
"""
import json
import math
import sys

from tools.figures.svg import Axes, GREY, LIGHT_BLUE, ORANGE, circle, line, polyline, text, write

WIDTH, HEIGHT = 340, 240  # of a panel
MARGIN, TOP = 64, 46
LEGEND = TOP + HEIGHT + 58  # y of its first line


def predicted(radius, window):
    """What counting says of a window: values loaded for each stored, from memory if nothing stays in a cache, and the
    most that this can speed up 2R + 1 loads a point; R + 1 for a window without end."""
    loads = (2 * radius + window) / window
    return {"loaded_per_stored": loads, "read_write_ratio": loads, "speedup": (1 + 2 * radius + 1) / (1 + loads)}


def panel(left, title, highest, step, curves):
    """Curves over n_w, which doubles from tick to tick. A curve: its points (n_w, value), colour, label, and whether it is
    a prediction, which is dashed and has no marks."""
    windows = [window for window, _ in curves[0][0]]
    axes = Axes(left, TOP, WIDTH, HEIGHT, max(windows[-1], 2), highest, math.log2)
    yield text(left + WIDTH / 2, 26, title, 15)
    yield from axes.ticks(windows, range(0, highest + 1, step), "n_w, points along z a thread")
    for row, (points, colour, label, predicts) in enumerate(curves):
        at = [(axes.x(window), axes.y(value)) for window, value in points]
        yield polyline(at, colour, 2, predicts)
        for x, y in at if not predicts else []:
            yield circle(x, y, 3.5, colour)
        below = LEGEND + 18 * row
        yield line(left + 20, below - 4, left + 50, below - 4, colour, 2, predicts)
        yield text(left + 58, below, label, 12, "start")


def draw(path, rows, radius, title):
    """rows: dicts with window, effective_bandwidth_gbs, achieved_bandwidth_gbs and read_write_ratio, n_w rising."""
    def points(key):
        return [(row["window"], row[key]) for row in rows]

    counted = [(row["window"], predicted(radius, row["window"])["read_write_ratio"]) for row in rows]
    width, height = 2 * (MARGIN + WIDTH) + 24, TOP + HEIGHT + 112
    write(path, width, height, [
        *panel(MARGIN, "bandwidth, GB/s", 1400, 200, [
            (points("achieved_bandwidth_gbs"), LIGHT_BLUE, "achieved: what moved to and from HBM (modelled)", False),
            (points("effective_bandwidth_gbs"), ORANGE, "effective: one read, one write of the cube (modelled)", False)]),
        *panel(2 * MARGIN + WIDTH, "HBM read / write", 10, 1, [
            (points("read_write_ratio"), ORANGE, "modelled", False),
            (counted, GREY, "predicted: (2R + n_w) / n_w", True)]),
        text(width / 2, height - 10, title, 12, colour=GREY)])


def title_for(size, device):
    return f"{' x '.join(map(str, size))}, single precision; modelled by the {device}, not measured"


def draw_recorded(expected_path, out):
    with open(expected_path, encoding="utf-8") as file:
        expected = json.load(file)
    size = expected["published"]["size"]
    rows = [row for row in expected["ours"] if row["size"] == size and row["kernel"] == expected["plot"]]
    draw(out, rows, expected["published"]["radius"], title_for(size, "emulated MI250X GCD"))


if __name__ == "__main__":
    draw_recorded(*sys.argv[1:])
