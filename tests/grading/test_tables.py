"""Tables and plot: cells stand below their headings, what is unknown is a dash, what does not compare is marked."""
import contextlib
import glob
import io
import json
import os
import tempfile
import unittest
import xml.dom.minidom

from grading.tables import sweep
from grading.tables.columns import FIGURES, columns_of, rows_of
from grading.tables.one_run import is_before_the_prediction, published_figures, show
from grading.tables.plot import draw, predicted, title_for

# Heading, in two lines; width; decimals; key; path; whether it grows with the grid.
TWO = [("time", "ms", 9, 4, "time_ms", ("time_ms", "median"), True),
       ("", "VGPR", 5, 0, "vgprs", ("compiled", "vgprs"), False)]


class Cells(unittest.TestCase):
    def test_have_the_width_and_decimals_of_their_column(self):
        self.assertEqual(sweep.cells(TWO, [2.64172, 24]), "   2.6417   24")

    def test_that_are_unknown_are_a_dash(self):
        self.assertEqual(sweep.cells(TWO, [None, 24]), "        -   24")
        self.assertEqual(sweep.cells(TWO, [None, None], mark=True), "        -    -")

    def test_that_grow_with_the_grid_are_marked_where_it_is_another(self):
        self.assertEqual(sweep.cells(TWO, [2.64172, 24], mark=True), "  2.6417*   24")

    def test_are_followed_by_errors_that_are_large(self):
        result = {"time_evidence": "modelled", "memory": {"evidence": "modelled"}}
        for errors, told in (({"time": 21, "memory": None}, "(time modelled, +-21 %)"),
                             ({"time": 21, "memory": 15}, "(memory modelled, +-15 %; time modelled, +-21 %)"),
                             ({"time": None, "memory": None}, "")):
            self.assertEqual(sweep.large_errors({**result, "model_error_percent": errors}), told)
        measured = {"time_evidence": "measured", "memory": None, "model_error_percent": {"time": 21, "memory": 15}}
        self.assertEqual(sweep.large_errors(measured), "")

    def test_stand_below_their_headings(self):
        with contextlib.redirect_stdout(io.StringIO()) as said:
            sweep.Table("emulated", 0).heading(TWO)
        row = "  " + f"{'ours':<10}" + sweep.cells(TWO, [2.64172, 24])
        for line in said.getvalue().splitlines():
            self.assertEqual(len(line), len(row))

    def test_hold_what_was_published(self):
        for path in glob.glob("labs/*/expected.json"):
            with open(path, encoding="utf-8") as file:
                expected = json.load(file)
            for stage in expected["stages"]:
                columns = columns_of({"tables": {"columns": [key for key in stage["published"] if FIGURES[key].head]}})
                row = sweep.cells(columns, list(stage["published"].values()), mark=True)
                self.assertEqual(len(row.split()), len(columns), f"{path}, {stage['name']}: cells touch in {row}")


WIDE = [("", f"C{n}", 10, 1, f"c{n}", (f"c{n}",), False) for n in range(10)]


class Parts(unittest.TestCase):
    """Of a table that is wider than the terminal: one below the other."""

    def test_have_all_columns_in_their_order_and_fit(self):
        for room, counts in ((0, [10]), (112, [10]), (111, [9, 1]), (80, [6, 4]), (32, [2] * 5), (5, [1] * 10)):
            parts = sweep.parts_of(WIDE, room)
            self.assertEqual([len(part) for part in parts], counts, room)
            self.assertEqual([column for part in parts for column in part], WIDE)

    def said(self, columns, room):
        """What the table of a lab says of two stages."""
        with contextlib.redirect_stdout(io.StringIO()) as out:
            table = sweep.Table("emulated", room)
            for name in "first", "second":
                table.begin_stage(columns, f"99-wide  {name}", "a change that is told in more than one line of a terminal")
                table.row("ours", {"c0": 1, "c9": 2}, behind="(time modelled, +-21 %; memory modelled, +-15 %)")
                table.row("recorded", {"c0": 3}, mark=True)
            table.end_lab()
        return out.getvalue().splitlines()

    def test_are_whole_where_there_is_no_terminal(self):
        lines = self.said(WIDE, 0)
        self.assertEqual(len(lines), 8)
        self.assertEqual([line.split()[1] for line in lines if line.startswith("  ours")], ["1.0", "1.0"])
        self.assertTrue(lines[3].endswith("-       2.0  (time modelled, +-21 %; memory modelled, +-15 %)"), lines[3])

    def test_fit_a_terminal_of_80_columns(self):
        lines = self.said(WIDE, 80)
        self.assertLessEqual(max(map(len, lines)), 80)
        text = "\n".join(lines)
        self.assertEqual([text.count(word) for word in ("C0", "C9", "a change", "  ours", "  recorded", "+-21 %")],
                         [1, 1, 2, 4, 2, 2])  # a row that says nothing of a part is not in it
        self.assertEqual(text.count("99-wide  first"), 2)


class Notes(unittest.TestCase):
    def test_say_what_each_row_is_and_are_narrow_enough(self):
        expected = {"published": {"size": [512, 512, 256], "source": "word " * 60}}
        result = {"nx": 512, "ny": 512, "nz": 32, "device_name": "a device", "loaded_per_stored": 2, "window": 8,
                  "time_evidence": "modelled", "memory": {"evidence": "modelled"}}
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            sweep.print_notes(expected, result, 120)
        self.assertLessEqual(max(map(len, out.getvalue().splitlines())), 120)
        self.assertIn("  predicted: counted from the stencil", out.getvalue())


class Figures(unittest.TestCase):
    def test_recorded_are_those_of_the_same_stage_and_size(self):
        rows = [{"kernel": "window", "window": 4, "size": [512, 512, 512], "time_ms": 2.0},
                {"kernel": "window", "window": 8, "size": [512, 512, 512], "time_ms": 3.0},
                {"kernel": "window", "window": 8, "size": [512, 512, 16], "time_ms": 0.1}]
        stage = {"kernel": "window", "window": 8, "name": "window, n_w=8"}
        self.assertEqual(sweep.recorded({"ours": rows}, stage, [512, 512, 512])["time_ms"], 3.0)
        self.assertEqual(sweep.recorded({"ours": rows}, stage, [512, 512, 32]), {})

    def test_published_are_those_of_the_same_stage_and_radius(self):
        expected = {"published": {"radius": 4},
                    "stages": [{"kernel": "along_x", "layout": "packed", "published": {"hbm": 1}},
                               {"kernel": "along_x", "layout": "own", "published": {"hbm": 2}}]}
        result = {"kernel": "along_x", "rows": 1, "window": None, "layout": {"radius": 4, "packed": False},
                  "source": "labs/06-alignment/derivative.hip"}
        self.assertEqual(published_figures(expected, result), {"hbm": 2})
        self.assertFalse(is_before_the_prediction(expected, result))
        self.assertTrue(is_before_the_prediction({**expected, "predictions": {}}, result))
        result["layout"]["radius"] = 2
        self.assertEqual(published_figures(expected, result), {})

    def test_are_shown_with_four_digits_whole_numbers_without_a_point(self):
        self.assertEqual([show(value) for value in (24, 24.0, 2.64172, 1234567.5, None)],
                         ["24", "24", "2.642", "1.235e+06", "-"])


class Columns(unittest.TestCase):
    def test_have_room_for_their_headings(self):
        for first, second, width, *_ in columns_of({"tables": {"columns": [n for n, f in FIGURES.items() if f.head]}}):
            self.assertLess(max(len(first), len(second)), width, f"{first}{second}")

    def test_and_rows_name_each_figure_once(self):
        heads = [figure.head[:2] for figure in FIGURES.values() if figure.head]
        rows = [row[0] for row in rows_of({"tables": {"rows": [name for name, figure in FIGURES.items() if figure.row]}})]
        for names in (heads, rows):
            self.assertEqual(len(set(names)), len(names))

    def test_are_there_for_every_published_and_recorded_figure(self):
        for path in glob.glob("labs/*/expected.json"):
            with open(path, encoding="utf-8") as file:
                expected = json.load(file)
            for stage in expected["stages"]:
                self.assertLessEqual(set(stage["published"]), set(FIGURES), f"{path}, {stage['name']}")


class Plot(unittest.TestCase):
    ROWS = [{"window": window, "effective_bandwidth_gbs": 300 + window, "achieved_bandwidth_gbs": 900, "read_write_ratio": 2}
            for window in (1, 2, 4)]

    def drawn(self, rows):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "plot.svg")
            draw(path, rows, 4, title_for([512, 512, 4], "emulated device"))
            with open(path, encoding="utf-8") as file:
                return file.read()

    def test_has_a_mark_for_each_figure_and_its_title(self):
        text = self.drawn(self.ROWS)
        xml.dom.minidom.parseString(text)
        self.assertEqual(text.count("<circle"), 3 * len(self.ROWS))
        self.assertIn("512 x 512 x 4, single precision; modelled by the emulated device, not measured", text)

    def test_is_the_same_for_the_same_figures_and_another_for_others(self):
        self.assertEqual(self.drawn(self.ROWS), self.drawn([dict(row) for row in self.ROWS]))
        self.assertNotEqual(self.drawn(self.ROWS), self.drawn([*self.ROWS[:2], {**self.ROWS[2], "read_write_ratio": 3}]))

    def test_of_one_window_has_no_division_by_nothing(self):
        self.assertEqual(self.drawn(self.ROWS[:1]).count("<circle"), 3)

    def test_predicts_by_counting(self):
        self.assertEqual(predicted(4, 1), {"loaded_per_stored": 9, "read_write_ratio": 9, "speedup": 1})
        self.assertEqual(predicted(4, 8), {"loaded_per_stored": 2, "read_write_ratio": 2, "speedup": 10 / 3})


if __name__ == "__main__":
    unittest.main()
