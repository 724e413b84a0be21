"""Lab 00's check: right and wrong numbers are told apart, what was counted is shown of right ones alone, and trouble is a
sentence. The solution and the starter are checked by `make check` itself, on the emulated device."""
import contextlib
import io
import json
import os
import stat
import subprocess
import tempfile
import unittest

from grading.machine import Trouble, check, compare, counted_by

ROWS = [{"KernelName": "shifted(float*, float const*)", "TCP_TCC_READ_REQ_sum": "5", "FETCH_SIZE": "0.3125"}]
TEXT = "//   shifted, requests: {}\n//   shifted, bytes: {}\n"


def verdicts(*answers):
    return [(counted, verdict) for _, _, counted, verdict in compare(TEXT.format(*answers), ROWS)]


class Compare(unittest.TestCase):
    def test_right_and_wrong_numbers(self):
        self.assertEqual([(5, "right"), (320, "right")], verdicts("5", "320"))
        self.assertEqual([(5, "right"), (320, "right")], verdicts("5.0", "320"))
        self.assertEqual([(None, "too few"), (None, "too many")], verdicts("4", "384"))

    def test_what_is_no_number_is_asked_for(self):
        for answer, words in (("?", "write a number"), ("", "write a number"), ("five", "no number like 12 or 4096"),
                              ("-5", "no number like 12 or 4096"), ("0x40", "no number like 12 or 4096")):
            self.assertEqual([(None, words), (320, "right")], verdicts(answer, "320"), answer)

    def test_a_line_that_is_gone_is_no_answer(self):
        self.assertEqual([None, None], [counted for _, _, counted, _ in compare("", ROWS)])


class Program(unittest.TestCase):
    def run_of(self, script):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "cache")
            with open(path, "w", encoding="utf-8") as file:
                file.write(f"#!/bin/sh\n{script}\n")
            os.chmod(path, stat.S_IRWXU)
            return counted_by(path)

    def test_is_counted(self):
        self.assertEqual([{"a": "1"}], self.run_of("printf 'a\\n1\\n' > $EMULATOR_COUNTERS"))

    def test_that_fails_or_counts_nothing_is_trouble(self):
        for script in ("echo no device >&2; exit 3", "true"):
            with self.assertRaisesRegex(Trouble, "ended with status [03] and was not counted"):
                self.run_of(script)

    def test_settings_of_the_reader_do_not_reach_it(self):
        os.environ["EMULATOR_SET"] = "l2_bytes=0"
        self.addCleanup(os.environ.pop, "EMULATOR_SET")
        self.assertEqual([{"a": "none"}], self.run_of("printf 'a\\n%s\\n' ${EMULATOR_SET-none} > $EMULATOR_COUNTERS"))


class Lab(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = place.name

    def make(self, *words):
        environment = {**os.environ, "MAKEFLAGS": "", "LAB_PROGRESS": f"{self.folder}/progress.json"}
        done = subprocess.run(["make", "-s", "--no-print-directory", *words, "LAB=00"], env=environment, capture_output=True,
                              text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def test_solution_passes_and_starter_does_not(self):
        status, said = self.make("check", "SRC=solutions")
        self.assertEqual(0, status, said)
        self.assertIn("PASSED: 12 of 12 numbers are right", said)
        status, said = self.make("check")
        self.assertEqual(1, status, said)
        self.assertIn("NOT YET: 0 of 12 numbers are right\nNext: edit labs/00-the-machine/cache.hip, line ", said)
        with open(f"{self.folder}/progress.json", encoding="utf-8") as file:
            reached = json.load(file)["00-the-machine"]
        self.assertEqual((0, 12, False), (reached["points"], reached["possible"], reached["passed"]))

    def test_has_nothing_to_sweep_or_profile(self):
        status, said = self.make("profile")
        self.assertEqual(2, status, said)
        self.assertIn("lab 00 has no kernel of yours to look into", said)

    def test_a_wrong_number_is_pointed_at(self):
        with tempfile.TemporaryDirectory() as folder, open("solutions/00-the-machine/cache.hip", encoding="utf-8") as solved:
            source = os.path.join(folder, "cache.hip")
            with open(source, "w", encoding="utf-8") as file:
                file.write(solved.read().replace("shifted, bytes: 320", "shifted, bytes: 384"))
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                self.make("run", "SRC=solutions")
                os.environ["LD_LIBRARY_PATH"] = "build/emulator"
                self.addCleanup(os.environ.pop, "LD_LIBRARY_PATH")
                self.assertFalse(check("build/solutions/00-the-machine/cache", source))
            self.assertRegex(out.getvalue(), "shifted, bytes +384 +-  too many\n")
            self.assertIn(f"Next: edit {source}, line 14. Draw the lines; make hint LAB=00 helps.", out.getvalue())


if __name__ == "__main__":
    unittest.main()
