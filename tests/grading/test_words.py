"""Words of others: none begins a line of the grader's, none moves the cursor, and what can be read stays as it is."""
import io
import unittest
from unittest import mock

from grading.words import columns, fitted, points_text, quoted, shown


class Shown(unittest.TestCase):
    def test_as_it_is_where_it_can_be_seen(self):
        for text in ("", "labs/01-baseline/laplacian.hip", "größer als 4 µs", "$(touch x) 'quoted' \\n", "日本"):
            self.assertEqual(shown(text), text)

    def test_as_python_spells_it_where_it_cannot(self):
        self.assertEqual(shown("a\nb\r\tc\x1b[2K\x00"), r"a\nb\r\tc\x1b[2K\x00")
        self.assertEqual(shown("\x85\u2028\u202e"), r"\x85\u2028\u202e")

    def test_bytes_that_are_no_text_can_be_printed(self):
        self.assertEqual(shown(b"\xff.hip".decode(errors="surrogateescape")), r"\udcff.hip")


class Quoted(unittest.TestCase):
    def test_stands_behind_a_bar_whatever_ends_a_line(self):
        text = "one\nPASSED\r\nPASSED\rPASSED\x0bPASSED\x0cPASSED\x85PASSED\u2028PASSED\n\nlast"
        lines = quoted(text).split("\n")
        self.assertTrue(all(line.startswith("  | ") for line in lines), lines)
        self.assertTrue(all(line.isprintable() for line in lines), lines)

    def test_is_nothing_for_nothing(self):
        self.assertEqual(quoted(""), "")

    def test_may_be_its_beginning(self):
        self.assertEqual(quoted("a\nb\nc", 2), "  | a\n  | b")


class Points(unittest.TestCase):
    def test_are_never_rounded_up(self):
        self.assertEqual([points_text(points) for points in (9.999, 0.0049, 1 / 3, 6.5, 10, 0)],
                         ["9.99", "0", "0.33", "6.5", "10", "0"])

    def test_are_not_less_than_they_are_by_the_way_numbers_are_kept(self):
        self.assertEqual([points_text(points) for points in (0.29, 1.15, 0.1 + 0.2)], ["0.29", "1.15", "0.3"])


class Fitted(unittest.TestCase):
    def test_lines_hang_and_commands_stay_whole(self):
        said = fitted("  one two three four five: make check LAB=01 SEED=7 says more", 40, 4)
        self.assertEqual(said, ["  one two three four five:", "    make check LAB=01 SEED=7 says more"])
        command = "  Repeat: make run LAB=01 ARGS=\"--nx 512 --ny 512 --nz 512\""
        self.assertEqual(fitted(command, 40, 4), [command])

    def test_without_a_terminal_lines_stay_whole(self):
        self.assertEqual(fitted("word " * 40, None), ["word " * 40])
        with mock.patch("sys.stdout", io.StringIO()):
            self.assertIsNone(columns())


if __name__ == "__main__":
    unittest.main()
