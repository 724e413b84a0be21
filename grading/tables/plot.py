"""Draws how a kernel with a sliding window depends on n_w, the points along z that a thread computes.

In:  plot.py EXPECTED.json OUT.svg   (the figures that labs/NN-name/expected.json records for the published size), or
     draw() with the figures of runs that were just made
Out: an SVG: bandwidths on the left; on the right the ratio of reads to writes of HBM, and the one that counting loads
     predicts. The same bytes for the same figures.
"""
import json
import math
import sys

WIDTH, HEIGHT = 340, 240  # of a panel
MARGIN, TOP = 64, 46
ACHIEVED, EFFECTIVE, PREDICTED = "#8aa4c4", "#c8501e", "#555555"


def predicted(radius, window):
    """What counting says of a window: values loaded for each stored, from memory if nothing stays in a cache, and the
    most that this can speed up 2R + 1 loads a point; R + 1 for a window without end."""
    loads = (2 * radius + window) / window
    return {"loaded_per_stored": loads, "read_write_ratio": loads, "speedup": (1 + 2 * radius + 1) / (1 + loads)}


def text(x, y, words, size=13, anchor="middle", colour="#000000"):
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" fill="{colour}">{words}</text>'


class Panel:
    """Axes over n_w, which doubles from tick to tick; values from 0 to top."""

    def __init__(self, left, title, windows, top, step):
        self.left, self.top, self.last = left, top, max(math.log2(windows[-1]), 1)
        self.parts = [text(left + WIDTH / 2, 26, title, 15)]
        for window in windows:
            self.parts.append(text(self.x(window), TOP + HEIGHT + 18, window, 11))
        for tick in range(0, int(top / step) + 1):
            y = self.y(tick * step)
            self.parts += [f'<line x1="{left}" y1="{y:.1f}" x2="{left + WIDTH}" y2="{y:.1f}" stroke="#dddddd"/>',
                           text(left - 6, y + 4, tick * step, 11, "end")]
        self.parts.append(text(left + WIDTH / 2, TOP + HEIGHT + 36, "n_w, points along z a thread", 12))

    def x(self, window):
        return self.left + WIDTH * math.log2(window) / self.last

    def y(self, value):
        return TOP + HEIGHT * (1 - value / self.top)

    def curve(self, points, colour, label, dashed=False):
        """points: (n_w, value). The label goes to the legend, below those that are there."""
        at = " ".join(f"{self.x(window):.1f},{self.y(value):.1f}" for window, value in points)
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        self.parts.append(f'<polyline points="{at}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>')
        if not dashed:
            self.parts += [f'<circle cx="{self.x(w):.1f}" cy="{self.y(v):.1f}" r="3.5" fill="{colour}"/>' for w, v in points]
        line = TOP + HEIGHT + 58 + 18 * sum("legend" in part for part in self.parts)
        self.parts += [f'<line class="legend" x1="{self.left + 40}" y1="{line - 4}" x2="{self.left + 70}" y2="{line - 4}" '
                       f'stroke="{colour}" stroke-width="2"{dash}/>', text(self.left + 78, line, label, 12, "start")]


def draw(path, rows, radius, title):
    """rows: dicts with window, effective_bandwidth_gbs, achieved_bandwidth_gbs and read_write_ratio, n_w rising."""
    windows = [row["window"] for row in rows]

    def points(key):
        return [(row["window"], row[key]) for row in rows]

    left = Panel(MARGIN, "bandwidth, GB/s", windows, 1400, 200)
    left.curve(points("achieved_bandwidth_gbs"), ACHIEVED, "achieved: what moved to and from HBM (modelled)")
    left.curve(points("effective_bandwidth_gbs"), EFFECTIVE, "effective: one read, one write of the cube (modelled)")
    right = Panel(2 * MARGIN + WIDTH, "HBM read / write", windows, 10, 1)
    right.curve(points("read_write_ratio"), EFFECTIVE, "modelled")
    right.curve([(window, predicted(radius, window)["read_write_ratio"]) for window in windows], PREDICTED,
                "predicted: (2R + n_w) / n_w", dashed=True)
    width, height = 2 * (MARGIN + WIDTH) + 24, TOP + HEIGHT + 112
    note = text(width / 2, height - 10, title, 12, colour=PREDICTED)
    with open(path, "w", encoding="utf-8") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif">\n'
                   f'<rect width="{width}" height="{height}" fill="#ffffff"/>\n'
                   + "\n".join([*left.parts, *right.parts, note]) + "\n</svg>\n")


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
