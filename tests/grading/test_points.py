"""How many points a criterion gives, and what share of a result is right."""
import contextlib
import io
import unittest

from grading.check import correctness, points, score, share_right, value_of
from grading.running import GraderTrouble, NotYet

MORE_IS_BETTER = {"name": "speed", "points": 2, "full_at": 80, "zero_at": 60, "look_at": "Look there."}
LESS_IS_BETTER = {"name": "scratch", "points": 1, "full_at": 0, "zero_at": 64}


class Points(unittest.TestCase):
    def test_are_all_at_full_at_and_beyond(self):
        self.assertEqual([points(MORE_IS_BETTER, value) for value in (80, 81, 1e9)], [2, 2, 2])
        self.assertEqual([points(LESS_IS_BETTER, value) for value in (0, -1)], [1, 1])

    def test_are_none_at_zero_at_and_beyond(self):
        self.assertEqual([points(MORE_IS_BETTER, value) for value in (60, 59, -1e9)], [0, 0, 0])
        self.assertEqual([points(LESS_IS_BETTER, value) for value in (64, 1e9)], [0, 0])

    def test_are_linear_in_between(self):
        self.assertEqual([points(MORE_IS_BETTER, value) for value in (65, 70, 75)], [0.5, 1, 1.5])
        self.assertEqual([points(LESS_IS_BETTER, value) for value in (16, 48)], [0.75, 0.25])

    def test_of_one_threshold_are_all_or_nothing(self):
        exact = {"points": 5, "full_at": 1, "zero_at": 1}
        self.assertEqual([points(exact, value) for value in (1, 0.999999, 0)], [5, 0, 0])

    def test_a_part_is_no_pass_and_says_where_to_look_and_how_to_repeat(self):
        with contextlib.redirect_stdout(io.StringIO()) as said:
            scored = score(MORE_IS_BETTER, "modelled", 75, command="make run")
        self.assertEqual(scored, (1.5, False))
        line, look_at, repeat = said.getvalue().splitlines()
        self.assertRegex(line, r"^  FAIL  speed +modelled +75 +80 \.\. 60 +1\.5/2$")
        self.assertEqual((look_at.strip(), repeat.strip()), ("Look there.", "Repeat: make run"))

    def test_all_are_a_pass_without_advice(self):
        with contextlib.redirect_stdout(io.StringIO()) as said:
            self.assertEqual(score(MORE_IS_BETTER, "modelled", 80, command="make run"), (2, True))
        self.assertEqual(len(said.getvalue().splitlines()), 1)


class Share(unittest.TestCase):
    RIGHT = {"points_wrong": 0, "points_checked": 100, "passed": True}

    def test_is_of_the_interior_points(self):
        self.assertEqual(share_right(self.RIGHT, 100), 1)
        self.assertEqual(share_right({**self.RIGHT, "points_wrong": 25, "passed": False}, 100), 0.75)

    def test_is_none_where_others_were_overwritten(self):
        self.assertEqual(share_right({**self.RIGHT, "passed": False}, 100), 0)

    def test_is_none_where_not_all_were_checked(self):
        self.assertEqual(share_right({**self.RIGHT, "points_checked": 99}, 100), 0)


class Runs:
    """Stands in for the runs of a grade: each has the next share of its points wrong."""

    def __init__(self, *shares):
        self.shares, self.made = list(shares), 0

    def fresh(self, source, asked, size, seed):
        interior = size[0] * size[1] * size[2]
        wrong = round(self.shares[self.made] * interior)
        self.made += 1
        return {"interior_points": interior,
                "checks": [{"points_wrong": wrong, "points_checked": interior, "passed": wrong == 0,
                            "sentence": f"run {self.made}"}]}

    @staticmethod
    def repeat(*_):
        return "make run"


class Correctness(unittest.TestCase):
    ASKED = {"nx": [10, 60], "ny": [10, 60], "nz": [10, 60], "block": "8x4x2"}

    def graded(self, runs, full_at, zero_at):
        asked = {"points": 5, "full_at": full_at, "zero_at": zero_at, "runs": 3 * [self.ASKED]}
        return correctness("laplacian.hip", {"correctness": asked}, runs, 1)

    def test_is_the_worst_runs_and_says_what_was_wrong_first(self):
        runs = Runs(0, 0.2, 0.4)
        worst, reason, command = self.graded(runs, 1, 0)
        self.assertAlmostEqual(worst, 0.6, places=2)
        self.assertTrue(reason.endswith("run 2."), reason)
        self.assertEqual((command, runs.made), ("make run", 3))

    def test_of_right_runs_is_all_of_the_points(self):
        runs = Runs(0, 0, 0)
        self.assertEqual((self.graded(runs, 1, 1), runs.made), ((1, "", None), 3))

    def test_makes_no_run_that_cannot_change_the_points(self):
        runs = Runs(0, 0.2, 0)
        self.assertLess(self.graded(runs, 1, 1)[0], 1)
        self.assertEqual(runs.made, 2)


class Value(unittest.TestCase):
    RESULT = {"counters": {"loads": 14, "stores": 2, "none": 0}, "time_ms": None}

    def test_is_found_and_divided(self):
        self.assertEqual(value_of({"value": "counters.loads"}, self.RESULT), 14)
        self.assertEqual(value_of({"value": "counters.loads", "per": "counters.stores"}, self.RESULT), 7)

    def test_that_is_unknown_is_the_graders_trouble(self):
        for criterion in ({"value": "time_ms.median"}, {"value": "counters.loads", "per": "counters.lods"}):
            self.assertRaises(GraderTrouble, value_of, criterion, self.RESULT)

    def test_per_nothing_means_that_the_kernel_did_nothing(self):
        self.assertRaises(NotYet, value_of, {"value": "counters.loads", "per": "counters.none"}, self.RESULT)


if __name__ == "__main__":
    unittest.main()
