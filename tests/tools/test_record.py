"""make record: only what is recorded changes, whatever happens during the runs; and how the file is written."""
import contextlib
import glob
import io
import json
import os
import re
import shutil
import tempfile
import unittest
from unittest import mock

from grading.expected import parse
from tools import record
from grading.files import write_whole
from tools.rows import text_of

LAB = "03-reorder"
PATH = f"labs/{LAB}/expected.json"


def read(path=PATH):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(text, path=PATH):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def edit(change):
    """The file with a change to its content, as a person at an editor makes it."""
    content = json.loads(read())
    change(content)
    write(json.dumps(content, indent=1))


class Recording(unittest.TestCase):
    """In a folder with labs/ of its own; runs are not made but answered here."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        for room in ("labs", "solutions"):
            shutil.copytree(room, os.path.join(folder.name, room))
        os.chdir(folder.name)
        self.before = read()

    def record(self, measure, *labs, references=lambda lab, expected: expected.get("references", [])):
        """(status, what was said) of make record with these runs."""
        with mock.patch.object(record, "measure", measure), \
                mock.patch.object(record, "measure_references", references), \
                mock.patch("sys.argv", ["record.py", "--record", *labs]), \
                contextlib.redirect_stdout(io.StringIO()) as said:
            return record.main(), said.getvalue()

    def test_changes_the_figures_and_nothing_else(self):
        status, said = self.record(lambda lab, row: {**row, "time_ms": 9.5}, "03")
        self.assertEqual((status, said), (0, ""))
        after, before = json.loads(read()), json.loads(self.before)
        self.assertEqual([row["time_ms"] for row in after["ours"]], [9.5] * len(before["ours"]))
        self.assertEqual({**after, "ours": before["ours"]}, before)
        self.assertEqual(read(), text_of(after))

    def test_writes_what_is_compared_with_and_of_which_solutions_it_is(self):
        write("int x;\n", "solutions/02-tiling/laplacian.hip")
        status, said = self.record(lambda lab, row: {**row, "time_ms": 9.5}, LAB, references=lambda lab, expected: [
            {**row, "is": 77} for row in expected["references"]])
        self.assertEqual((status, said), (0, ""))
        after, before = json.loads(read()), json.loads(self.before)
        self.assertEqual(after["references"], [{**row, "is": 77} for row in before["references"]])
        old = before["references_from"]
        self.assertEqual([name for name, known in after["references_from"].items() if known != old[name]],
                         ["solutions/02-tiling/laplacian.hip"])

    def test_keeps_what_is_edited_during_the_runs(self):
        def measure(lab, row):
            edit(lambda content: content.update(timeout_s=77))
            return {**row, "time_ms": 9.5}

        self.assertEqual(self.record(measure, LAB), (0, ""))
        self.assertEqual((json.loads(read())["timeout_s"], json.loads(read())["ours"][0]["time_ms"]), (77, 9.5))

    def test_refuses_when_other_rows_are_asked_for_meanwhile(self):
        def measure(lab, row):
            edit(lambda content: content["ours"][0].update(size=[512, 512, 16]))
            return row

        status, said = self.record(measure, LAB)
        self.assertEqual(status, 1)
        self.assertIn("other rows are asked for in \"ours\" than when the runs began: record once more", said)
        self.assertNotIn("time_ms", said)
        self.assertEqual(json.loads(read())["ours"][0]["size"], [512, 512, 16])

    def test_refuses_a_file_that_is_broken_meanwhile_and_leaves_it(self):
        def measure(lab, row):
            write(self.before[:-3])
            return row

        status, said = self.record(measure, LAB)
        self.assertEqual(status, 1)
        self.assertIn(f"{LAB}: {PATH}, line ", said)
        self.assertIn("nothing was recorded", said)
        self.assertEqual(read(), self.before[:-3])

    def test_a_row_that_fails_leaves_its_file_and_no_other(self):
        def measure(lab, row):
            if lab == LAB and row.get("m") == 16:
                raise record.NotRecorded("m=16 does not build")
            return {**row, "time_ms": 9.5}

        status, said = self.record(measure, LAB, "04")
        self.assertEqual((status, said), (1, f"{LAB}: m=16 does not build\n{LAB}: nothing was recorded\n"))
        self.assertEqual(read(), self.before)
        self.assertIn('"time_ms": 9.5', read("labs/04-launch-bounds/expected.json"))

    def test_of_a_lab_that_is_none_is_a_sentence(self):
        with self.assertRaisesRegex(record.NotRecorded, "LAB=77 names no lab; there are: 01-baseline 02-tiling"):
            self.record(None, "77")

    def test_draws_the_plot_of_the_new_figures(self):
        def measure(lab, row):
            old = next(ours for ours in parse("labs/07-sliding-window/expected.json")["ours"] if row.items() <= ours.items())
            return {**old, "effective_bandwidth_gbs": old["effective_bandwidth_gbs"] / 2}

        drawn = read("labs/07-sliding-window/window.svg")
        self.assertEqual(self.record(measure, "07"), (0, ""))
        self.assertNotEqual(read("labs/07-sliding-window/window.svg"), drawn)


class Stale(unittest.TestCase):
    def said_of(self, factor, some=False):
        """What is said of lab 01 when its run takes this many times as long as was recorded."""
        row = next(row for row in parse("labs/01-baseline/expected.json")["ours"] if row["size"][2] == 32)
        try:
            with mock.patch.object(record, "measure", lambda lab, _: {**row, "time_ms": factor * row["time_ms"]}):
                record.stale("01-baseline", some)
        except record.NotRecorded as why:
            return str(why)
        return ""

    def test_is_what_is_off_by_more_than_a_percent(self):
        self.assertEqual([self.said_of(factor) for factor in (1, 1.009, 0.991)], ["", "", ""])
        said = re.search("laplacian: time_ms is recorded as ([0-9.]+), a run gives ([0-9.]+)", self.said_of(2))
        self.assertEqual(float(said[2]), 2 * float(said[1]))
        self.assertIn("time_ms", self.said_of(0.98))
        self.assertIn("time_ms", self.said_of(0.98, some=True))


class Text(unittest.TestCase):
    def test_of_every_lab_is_as_it_is_written(self):
        for path in sorted(glob.glob("labs/*/expected.json")):
            self.assertEqual(read(path), text_of(parse(path)), f"{path}: python3 -m tools.rows {path} writes it")

    def test_holds_what_was_written(self):
        for path in sorted(glob.glob("labs/*/expected.json")):
            content = json.loads(read(path), object_pairs_hook=list)
            self.assertEqual(json.loads(text_of(parse(path)), object_pairs_hook=list), content)

    def test_has_a_row_of_figures_on_a_line_and_none_too_wide_elsewhere(self):
        lines = text_of({"ours": [{"m": 1, "of": "x" * 200}, {"m": 2}], "criteria": [{"a": "y" * 100, "b": "z" * 100}]})
        self.assertEqual(lines.splitlines()[1:4], ['  "ours": [', f'    {{"m": 1, "of": "{"x" * 200}"}},', '    {"m": 2}'])
        self.assertEqual(lines.splitlines()[6:8], [f'    {{"a": "{"y" * 100}",', f'     "b": "{"z" * 100}"}}'])


class Whole(unittest.TestCase):
    def test_the_file_keeps_its_rights_and_nothing_stays_beside_it(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "expected.json")
            write("old", path)
            os.chmod(path, 0o640)
            write_whole(path, "new")
            self.assertEqual((read(path), os.stat(path).st_mode & 0o777), ("new", 0o640))
            with mock.patch("os.replace", side_effect=OSError("disk")), self.assertRaises(OSError):
                write_whole(path, "newer")
            self.assertEqual((read(path), os.listdir(folder)), ("new", ["expected.json"]))

    def test_a_link_is_followed(self):
        with tempfile.TemporaryDirectory() as folder:
            path, link = os.path.join(folder, "expected.json"), os.path.join(folder, "link")
            write("old", path)
            os.symlink(path, link)
            write_whole(link, "new")
            self.assertEqual((read(path), os.path.islink(link)), ("new", True))


if __name__ == "__main__":
    unittest.main()
