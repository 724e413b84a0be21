"""What a learner has reached: the best check is kept, a pass is never lost, a broken file costs no check."""
import contextlib
import io
import os
import tempfile
import unittest
from unittest import mock

from grading import state

LAB, SOURCE = "02-tiling", "labs/02-tiling/laplacian.hip"


def keep(points, passed=True, source=SOURCE):
    state.keep(LAB, source, points, 10, passed)


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
            keep(points, False)
            self.assertEqual(state.read()[LAB]["points"], best)
        self.assertFalse(state.has_passed(LAB))

    def test_is_a_pass_for_good(self):
        keep(9)
        keep(0, False)
        self.assertTrue(state.has_passed(LAB))
        self.assertEqual(state.read()[LAB]["sha256"], state.content_of(SOURCE))

    def test_is_nothing_of_files_that_are_not_a_learners(self):
        keep(9, source="solutions/02-tiling/laplacian.hip")
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
