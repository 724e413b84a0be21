"""make grade with the real check, on the emulated device: right work gets all points, a starter its own, wrong work none;
what the command line holds is a name and never a command; two runs give the same bytes.

In: the repository root.
"""
import csv
import glob
import os
import shutil
import subprocess
import tempfile
import unittest

from tests.grading.classes import lay_out, read
from tests.grading.test_unpack import zipped

LAB = "01-baseline"


def make_grade(**settings):
    names = [f"{name}={value}" for name, value in settings.items()]
    command = ["make", "--no-print-directory", "grade", "DEVICE=emulated", *names]
    return subprocess.run(command, capture_output=True, text=True, check=False)


class Whole(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def test_a_class_of_four(self):
        right, starter = (read(f"{room}/{LAB}/laplacian.hip") for room in ("solutions", "labs"))
        handed_in = f"{self.folder}/it's $(touch {self.folder}/X) \"in\""
        lay_out(handed_in, {"ann": {f"labs/{LAB}/laplacian.hip": right}, "bob_01.hip": starter,
                            "eve.zip": zipped({"eve's work/01/$(touch X).hip": right.replace("u[pos - 1]", "u[pos + 1]")}),
                            "dan": {"01/laplacian.hip": "this is no program"}})
        with open(f"{self.folder}/class.csv", "w", encoding="utf-8") as file:
            file.write("id,name\nann,Ann\nbob,Bob\neve,Eve\ndan,Dan\nnone,Nobody\n")
        made = []
        for jobs in "1", "2":
            out = f"build/tests/grades-{os.getpid()}"
            self.addCleanup(shutil.rmtree, out, ignore_errors=True)
            roster = f"{self.folder}/class.csv"
            done = make_grade(SUBMISSIONS=handed_in, ROSTER=roster, LABS="01", SEED=7, OUT=out, JOBS=jobs)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            made.append([read(out, name) for name in ("gradebook.csv", "grades.json", "overview.html")])
            rows = {row["id"]: row for row in csv.DictReader(read(out, "gradebook.csv").splitlines())}
            shutil.rmtree(out)
        self.assertEqual(*made)
        points = {student: row[LAB] for student, row in rows.items()}
        self.assertEqual(points, {"ann": "10", "bob": "0", "eve": "0", "dan": "0", "none": "0"})
        self.assertEqual({rows[student]["possible"] for student in rows}, {"10"})
        self.assertTrue(rows["ann"]["compiler"] and rows["ann"]["device"])
        self.assertIn("ann, eve, the published solution", done.stdout)
        self.assertIn("does not build", done.stdout)
        self.assertEqual(glob.glob(f"{self.folder}/X") + glob.glob("X"), [])

    def test_names_on_the_command_line_are_never_run(self):
        for command in ("$(shell touch {})", "$(touch {})", "`touch {}`", "'; touch {}; '", "$$(touch {})"):
            command = command.format(f"{self.folder}/X")
            done = make_grade(SUBMISSIONS=self.folder + command, OUT=f"{self.folder}/out", LABS=command, ROSTER=command)
            self.assertEqual(done.returncode, 2)
            self.assertIn("is no lab; there are", done.stderr)
            done = make_grade(SUBMISSIONS=self.folder + command, OUT=f"{self.folder}/out", SEED=command)
            self.assertIn("is no whole number", done.stderr)
            self.assertFalse(os.path.exists(f"{self.folder}/X"), command)


if __name__ == "__main__":
    unittest.main()
