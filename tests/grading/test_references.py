"""Recorded figures of the solutions: which a lab compares with, and that one is taken only for what it was recorded of."""
import glob
import json
import unittest

from grading.references import hashes, over, recorded, wanted

SOLUTION = "solutions/01-baseline/laplacian.hip"
OVER = {"name": "speedup", "devices": ["emulated"], "size": [512, 512, 32], "block": "256x1x1", "m": 8, "value": "gbs",
        "over": {"source": SOLUTION, "kernel": "laplacian"}}
ROW = {"source": SOLUTION, "kernel": "laplacian", "block": "256x1x1", "size": [512, 512, 32], "value": "gbs"}
ASKED = {key: ROW[key] for key in ("kernel", "block", "size")}


class Wanted(unittest.TestCase):
    def test_is_what_criteria_are_divided_by(self):
        self.assertEqual(wanted({"criteria": [OVER]}), [ROW])
        self.assertEqual(wanted({"criteria": [{**OVER, "per": "seconds"}]}), [ROW, {**ROW, "value": "seconds"}])

    def test_is_nothing_that_the_emulated_device_does_not_grade(self):
        plain = {key: value for key, value in OVER.items() if key != "over"}
        self.assertEqual(wanted({"criteria": [{**OVER, "devices": ["amd"]}, plain]}), [])

    def test_is_what_predictions_compare_with(self):
        line = {"value": "gbs", "size": [512, 512, 32], "block": "256x1x1", "label": "time",
                "runs": [{"source": SOLUTION, "m": 8}, {"m": 8}]}
        row = {"source": SOLUTION, "m": 8, "block": "256x1x1", "size": [512, 512, 32], "value": "gbs"}
        self.assertEqual(wanted({"criteria": [], "predictions": {"lines": [line]}}), [row])

    def test_is_each_once(self):
        self.assertEqual(wanted({"criteria": [OVER, OVER]}), [ROW])

    def test_is_of_the_criterions_size_and_block_unless_it_says_otherwise(self):
        self.assertEqual(over(OVER), {"source": SOLUTION, "kernel": "laplacian", "size": [512, 512, 32], "block": "256x1x1"})
        self.assertEqual(over({**OVER, "over": {"source": SOLUTION, "block": "64x1x1"}})["block"], "64x1x1")

    def test_of_the_same_file_is_of_all_that_the_criterion_asks_for_unless_it_says_otherwise(self):
        own = {**OVER, "kernel": "laplacian", "over": {"m": 2}}
        self.assertEqual(over(own), {"kernel": "laplacian", "m": 2, "size": [512, 512, 32], "block": "256x1x1"})
        self.assertEqual(wanted({"criteria": [own]}), [])


class Recorded(unittest.TestCase):
    EXPECTED = {"references": [{**ROW, "m": 8, "is": 4.0}, {**ROW, "is": 3.0}], "references_from": hashes([ROW])}

    def figure(self, source=SOLUTION, asked=None, place="gbs", **expected):
        return recorded({**self.EXPECTED, **expected}, source, {**ASKED, **(asked or {})}, place)

    def test_is_the_figure_of_the_same_run(self):
        self.assertEqual(self.figure(), 3.0)
        self.assertEqual(self.figure(asked={"m": 8}), 4.0)

    def test_is_none_of_another_run(self):
        for asked in ({"m": 4}, {"kernel": "ring"}, {"block": "64x1x1"}, {"size": [64, 64, 64]}, {"window": 2}):
            self.assertIsNone(self.figure(asked=asked), asked)
        self.assertIsNone(self.figure(place="seconds"))

    def test_goes_by_nothing_that_decides_no_run(self):
        self.assertEqual(self.figure(asked={"label": "time", "name": "x", "points": 2}), 3.0)

    def test_is_none_of_another_solution(self):
        for known in ({SOLUTION: "0" * 64}, {}):
            self.assertIsNone(self.figure(references_from=known))

    def test_is_taken_where_the_solution_is_not_there(self):
        absent = "solutions/77-none/none.hip"
        rows = [{**ROW, "source": absent, "is": 5.0}]
        self.assertEqual(self.figure(absent, references=rows), 5.0)

    def test_is_none_where_nothing_is_recorded(self):
        self.assertIsNone(recorded({}, "solutions/77-none/none.hip", ASKED, "gbs"))


class Labs(unittest.TestCase):
    """What is recorded is all that a check needs, and of today's solutions."""

    @staticmethod
    def labs():
        for path in sorted(glob.glob("labs/*/expected.json")):
            with open(path, encoding="utf-8") as file:
                yield json.load(file)

    def test_have_a_figure_for_each_that_is_wanted_and_no_other(self):
        seen = 0
        for expected in self.labs():
            rows = [{key: value for key, value in row.items() if key != "is"} for row in expected.get("references", [])]
            self.assertCountEqual(rows, wanted(expected), expected["lab"])
            seen += len(rows)
        self.assertGreater(seen, 3)

    def test_have_them_of_the_solutions_as_they_are(self):
        for expected in self.labs():
            for row in expected.get("references", []):
                self.assertEqual(recorded(expected, row["source"], row, row["value"]), row["is"], expected["lab"])


if __name__ == "__main__":
    unittest.main()
