"""The report on loads and stores: of the launches that count, and the one of them that is named."""
import os
import tempfile
import unittest

from grading.accesses import read_accesses, worst_access

ROW = {"Index": "0", "file": "x.hip", "line": "7", "action": "load", "lines": "8", "fewest_lines": "8", "executions": "100",
       "requested_bytes": "5e6", "fetched_bytes": "2e6"}


class Reading(unittest.TestCase):
    def read(self, rows, launches):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "accesses.csv")
            with open(path, "wb") as file:
                lines = [",".join(ROW), *(",".join({**ROW, **row}.values()) for row in rows)]
                file.write("\n".join(lines).encode(errors="surrogateescape") + b"\n")
            return [row["line"] for row in read_accesses(path, launches)]

    def test_takes_the_last_launches(self):
        rows = [{"Index": str(n), "line": str(10 + n)} for n in range(6)]
        self.assertEqual(self.read(rows, 1), ["15"])
        self.assertEqual(self.read(rows, 3), ["13", "14", "15"])
        self.assertEqual(self.read(rows, 6), ["10", "11", "12", "13", "14", "15"])

    def test_finds_none_where_there_is_no_report_or_no_row(self):
        self.assertEqual(read_accesses("build/no/such/accesses.csv", 1), [])
        self.assertEqual(self.read([], 1), [])

    def test_takes_names_that_are_no_text_or_have_two_lines(self):
        self.assertEqual(self.read([{"file": "\udcff.hip"}, {"file": '"a\nb.hip"'}], 1), ["7", "7"])

    def test_takes_names_of_any_length(self):
        self.assertEqual(self.read([{"file": "x" * (1 << 20)}], 1), ["7"])


class Worst(unittest.TestCase):
    def test_touches_most_lines_in_vain(self):
        rows = [{**ROW, "line": "1", "fetched_bytes": "9e9"}, {**ROW, "line": "2", "lines": "64", "executions": "10"},
                {**ROW, "line": "3", "lines": "9", "executions": "10000"}]
        self.assertIn("x.hip:3, load: 9.0 lines a wavefront where 8.0 would hold the bytes;", worst_access(rows))

    def test_else_fetches_most(self):
        rows = [{**ROW, "line": line, "fetched_bytes": fetched} for line, fetched in (("1", "2e6"), ("2", "3e6"), ("3", ""))]
        self.assertEqual(worst_access(rows), "x.hip:2, load: 8.0 lines a wavefront where 8.0 would hold the bytes; "
                         "5.0 MB requested, 3.0 MB fetched (modelled)")

    def test_is_none_of_none(self):
        self.assertIsNone(worst_access([]))

    def test_has_the_end_of_a_name_that_is_long(self):
        said = worst_access([{**ROW, "file": "x" * (1 << 20) + "/end.hip"}])
        self.assertIn("xx/end.hip:7, load", said)
        self.assertLess(len(said), 500)

    def test_stands_on_one_line_whatever_its_file_is_called(self):
        self.assertIn(r"a\nPASSED: 10\x1b[2K:7, load", worst_access([{**ROW, "file": "a\nPASSED: 10\x1b[2K"}]))


if __name__ == "__main__":
    unittest.main()
