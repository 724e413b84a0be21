"""The drawings of the labs: committed as they are drawn, shown by their page, readable."""
import contextlib
import glob
import io
import os
import re
import tempfile
import unittest
import xml.etree.ElementTree as xml

from tools.figures import svg
from tools.figures.draw import DRAWINGS, draw_all

SVG = "{http://www.w3.org/2000/svg}"
COMMITTED = sorted(glob.glob("labs/*/*.svg"))


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def words(root):
    """The words of a drawing with the box that each fills: left, right, top, bottom. A letter of DejaVu Sans, a wide
    font, takes 0.55 em on average."""
    for node in root.iter(SVG + "text"):
        size, x, y = (float(node.get(name)) for name in ("font-size", "x", "y"))
        width = 0.55 * size * len(node.text)
        left = x - width * {"start": 0, "middle": 0.5, "end": 1}[node.get("text-anchor")]
        yield node.text, (left, left + width, y - 0.75 * size, y + 0.2 * size)


def unreadable(root):
    """Sentences on words that overlap other words or leave the drawing."""
    found = list(words(root))
    _, _, right, bottom = map(float, root.get("viewBox").split())
    for n, (text, box) in enumerate(found):
        if box[0] < 0 or box[1] > right or box[2] < 0 or box[3] > bottom:
            yield f"'{text}' leaves the drawing"
        for other, its in found[:n]:
            if box[0] < its[1] and its[0] < box[1] and box[2] < its[3] and its[2] < box[3]:
                yield f"'{text}' overlaps '{other}'"


class Figures(unittest.TestCase):
    def test_committed_ones_are_those_that_make_figures_draws(self):
        self.assertEqual(COMMITTED, sorted(DRAWINGS), "an .svg that nothing draws, or one that is not committed")
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            draw_all(folder)
            for path in COMMITTED:
                self.assertTrue(read(path) == read(os.path.join(folder, path)),
                                f"{path} is not what its script draws; look at it after 'make figures' and commit it")

    def test_each_is_shown_by_a_page_of_its_lab(self):
        shown = [os.path.join(os.path.dirname(page), image) for page in glob.glob("labs/*/*.md")
                 for image in re.findall(r"!\[[^]]+\]\(([^)]+)\)", read(page))]
        self.assertEqual(COMMITTED, sorted(shown), "an .svg that no page shows, or a page that shows what is not there")

    def test_each_is_well_formed_and_readable(self):
        self.assertEqual([], [f"{path}: {sentence}" for path in COMMITTED
                              for sentence in unreadable(xml.fromstring(read(path)))])


class Readability(unittest.TestCase):
    """The check above finds what is wrong."""

    def complaints(self, *parts):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "drawing.svg")
            svg.write(path, 100, 50, parts)
            return list(unreadable(xml.parse(path).getroot()))

    def test_words_side_by_side_are_readable_whatever_letters_they_have(self):
        self.assertEqual([], self.complaints(svg.text(10, 20, "a < b", anchor="start"),
                                             svg.text(90, 20, "& c", anchor="end")))

    def test_words_upon_each_other_are_not(self):
        self.assertEqual(["'under' overlaps 'over'"], self.complaints(svg.text(40, 20, "over"), svg.text(50, 25, "under")))

    def test_words_beyond_the_edge_are_not(self):
        self.assertEqual(["'far out' leaves the drawing"], self.complaints(svg.text(90, 20, "far out")))


if __name__ == "__main__":
    unittest.main()
