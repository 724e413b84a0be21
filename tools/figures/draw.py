"""Draws every drawing of the labs: `make figures`. tests/tools/test_figures.py asks whether the committed ones are these.

In:  DRAWINGS, and for lab 07 the figures that its expected.json records
Out: labs/NN-name/*.svg, the same bytes on every run
"""
import os

from grading.tables.plot import draw_recorded
from tools.figures import l2, lattice, lines, occupancy, order, reuse

DRAWINGS = {
    "labs/02-tiling/reuse.svg": reuse.draw,
    "labs/03-reorder/order.svg": order.draw,
    "labs/04-launch-bounds/occupancy.svg": occupancy.draw,
    "labs/05-nontemporal/l2.svg": l2.draw,
    "labs/06-alignment/lines.svg": lines.draw,
    "labs/07-sliding-window/window.svg": lambda path: draw_recorded("labs/07-sliding-window/expected.json", path),
    "labs/08-register-pressure/lattice.svg": lattice.draw,
}


def draw_all(folder):
    """Draws them under this folder, which is "." for the repository itself."""
    for path, draw in DRAWINGS.items():
        os.makedirs(os.path.join(folder, os.path.dirname(path)), exist_ok=True)
        draw(os.path.join(folder, path))
        print(f"drawn: {path}")


if __name__ == "__main__":
    draw_all(".")
