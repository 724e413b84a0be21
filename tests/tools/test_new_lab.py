"""make new-lab: what is laid out is valid, builds, runs and is graded; the gate names what is still to be written."""
import glob
import os
import subprocess
import sys
import unittest

from grading.expected import complaints
from tests.checkout import checkout

NAME = "09-something"


def make(*words, **variables):
    """(status, what was said)."""
    environment = {key: value for key, value in os.environ.items() if key not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}
    command = ["make", "--no-print-directory", "-s", *words, *(f"{key}={value}" for key, value in variables.items())]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode, done.stdout


class NewLab(unittest.TestCase):
    def setUp(self):
        self.enterContext(checkout())

    def files(self):
        """All but modules that suites beside this one have compiled."""
        return {path for room in ("labs", "solutions", "tests") for path in glob.glob(f"{room}/**", recursive=True)
                if "__pycache__" not in path}

    def assert_refused(self, words, **variables):
        before = self.files()
        status, said = make("new-lab", **variables)
        self.assertNotEqual(status, 0, said)
        self.assertIn(words, said)
        self.assertNotIn("Traceback", said)
        self.assertEqual(self.files(), before)

    def test_refuses_names_that_are_none_and_what_is_there_already(self):
        for name in ("", "9-x", "09", "09-", "09-Big", "09-a b", "09-a/../b", "../09-a", "09-a;ls", "09-'\"", "09-\n"):
            self.assert_refused("is no name of a lab: two digits and words in small letters are", NAME=name)
        self.assert_refused("NAME=08-new: there is labs/08-register-pressure already", NAME="08-new")
        os.mkdir("tests/submissions/09-old")
        self.assert_refused("there is tests/submissions/09-old already", NAME=NAME)

    def test_refuses_a_lab_to_begin_from_that_is_none(self):
        self.assert_refused("FROM=12 names no lab; there are: 01-baseline 02-tiling", NAME=NAME, FROM="12")
        os.remove("solutions/02-tiling/laplacian.hip")
        self.assert_refused("solutions/02-tiling has no .hip file to begin from", NAME=NAME, FROM="02-tiling")

    def test_begins_from_any_lab_and_is_valid(self):
        for number in range(1, 9):
            status, said = make("new-lab", NAME=f"1{number}-from", FROM=f"0{number}")
            self.assertEqual(status, 0, said)
            path = f"labs/1{number}-from/expected.json"
            self.assertEqual(complaints(path), [])
            for room in ("labs", "solutions"):
                self.assertTrue(os.path.exists(f"{room}/1{number}-from/Makefile"), "make does not work in the lab's folder")
            (starter,) = glob.glob(f"labs/1{number}-from/*.hip")
            command = ["clang-format", "--dry-run", "-Werror", starter]
            formatted = subprocess.run(command, capture_output=True, text=True, check=False)
            self.assertEqual((formatted.returncode, formatted.stderr), (0, ""))

    def test_builds_runs_and_fails_its_goal(self):
        status, said = make("new-lab", NAME=NAME, FROM="01-baseline")
        self.assertEqual(status, 0, said)
        status, said = make("run", LAB="09", DEVICE="emulated", ARGS="--nz 5")
        self.assertEqual(status, 0, said)
        self.assertIn("interior points right", said)
        status, said = make("check", LAB="09", DEVICE="emulated")
        self.assertNotEqual(status, 0)
        self.assertIn("pass  interior points right", said)
        self.assertIn("FAIL  TO BE WRITTEN: the figure that improves", said)
        self.assertIn("TO BE WRITTEN: what a learner should look at when this fails.", said)
        self.assertIn("kernel time, against lab 01: there is no answer yet; write shorter or same or longer", said)
        self.assertIn("Next: edit labs/09-something/laplacian.hip, ", said)
        status, said = make("hint", LAB="09")
        self.assertIn("(hint 1 of 3)", said)

    def test_the_gate_names_what_is_still_to_be_written(self):
        self.assertEqual(make("new-lab", NAME=NAME)[0], 0)
        gate = [sys.executable, "tests/grading/test_complete.py", "Labs"]
        done = subprocess.run(gate, env={**os.environ, "PYTHONPATH": "."}, capture_output=True, text=True, check=False)
        self.assertNotEqual(done.returncode, 0)
        for words in ("labs/09-something/README.md still says TO BE WRITTEN, in line 1, 8, 12, ",
                      "labs/09-something/hints.md still says TO BE WRITTEN",
                      "labs/09-something/expected.json still says TO BE WRITTEN",
                      "labs/09-something/lbm.hip still says TO BE WRITTEN, in line 1: write it",
                      "solutions/09-something/NOTES.md still says TO BE WRITTEN",
                      "solutions/09-something/lbm.hip still says TO BE WRITTEN",
                      "tests/submissions/09-something/reasons.txt still says TO BE WRITTEN",
                      "labs/09-something/lbm.hip is solutions/09-something/lbm.hip but for comments",
                      "ours[0] has no figures: make record LAB=09-something writes them",
                      "README.md has no row for 09-something in its table of labs: add one"):
            self.assertIn(words, done.stderr)
        self.assertNotIn("register-pressure", done.stderr)


if __name__ == "__main__":
    unittest.main()
