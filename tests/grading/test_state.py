"""What a learner has reached: the best check is kept, a pass is never lost, a broken file costs no check."""
import contextlib
import io
import os
import tempfile
import unittest
from unittest import mock

from grading import state
from grading.scoring import FAIL, PASS, Grade, Line

LAB, SOURCE = "02-tiling", "labs/02-tiling/laplacian.hip"


def grade(points, verdict=PASS, source=SOURCE, **more):
    return Grade(LAB, source, "emulated", 1, possible=10, lines=[Line("x", "", 1, 1, 1, points, 10, verdict, [])], **more)


class Kept(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "progress.json")
        patched = mock.patch.dict(os.environ, {"LAB_PROGRESS": self.path})
        patched.start()
        self.addCleanup(patched.stop)

    def test_is_the_best_check(self):
        for points, best in ((4, 4), (7, 7), (2, 7)):
            state.keep(grade(points, FAIL))
            self.assertEqual(state.read()[LAB]["points"], best)
        self.assertFalse(state.has_passed(LAB))

    def test_is_a_pass_for_good(self):
        state.keep(grade(9))
        state.keep(grade(0, FAIL))
        self.assertTrue(state.has_passed(LAB))
        self.assertEqual(state.read()[LAB]["sha256"], state.content_of(SOURCE))

    def test_is_nothing_of_trouble_and_of_files_that_are_not_a_learners(self):
        state.keep(grade(9, trouble="no GPU"))
        state.keep(grade(9, source="solutions/02-tiling/laplacian.hip"))
        self.assertEqual(state.read(), {})

    def test_in_a_broken_file_counts_as_nothing_and_is_said(self):
        for content in ("{", "[]", '{"02-tiling": {"points": "many"}}'):
            with open(self.path, "w", encoding="utf-8") as file:
                file.write(content)
            with contextlib.redirect_stderr(io.StringIO()) as said:
                self.assertEqual(state.read(), {}, content)
            self.assertEqual("cannot be read" in said.getvalue(), content == "{")


if __name__ == "__main__":
    unittest.main()
