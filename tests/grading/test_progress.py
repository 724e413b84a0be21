"""Signs of life of a check: said after some silence, on a terminal and elsewhere, and gone before something else is
printed."""
import io
import os
import subprocess
import sys
import time
import unittest

from grading.progress import Progress

QUIET_S = 0.1


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Said(unittest.TestCase):
    def said(self, out, seconds, speaks=False):
        with Progress(out, QUIET_S) as progress:
            progress.doing("compiling")
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                time.sleep(0.02)
                if speaks:
                    progress.clear()
        return out.getvalue()

    def test_after_silence_what_is_done_and_for_how_long(self):
        self.assertRegex(self.said(io.StringIO(), 5 * QUIET_S), r"^(  \.\.\. compiling, [01] s\n){2,6}$")

    def test_is_nothing_where_other_words_come(self):
        self.assertEqual(self.said(io.StringIO(), 5 * QUIET_S, speaks=True), "")

    def test_on_a_terminal_is_one_line_that_goes(self):
        said = self.said(Terminal(), 1.2)
        self.assertIn("\r\x1b[K  ... compiling, 1 s", said)
        self.assertNotIn("\n", said)
        self.assertTrue(said.endswith("\r\x1b[K"), said)

    def test_of_a_command_is_said_meanwhile(self):
        done = subprocess.run([sys.executable, "-m", "grading.progress", "sleeping", "sh", "-c", "sleep 4; exit 7"],
                              capture_output=True, text=True, check=False)
        self.assertRegex(done.stderr, r"^  \.\.\. sleeping, [34] s\n")
        self.assertEqual(done.returncode, 7)

    def test_is_not_said_by_the_device_too_unless_somebody_wants_it(self):
        asks = [sys.executable, "-m", "grading.progress", "asking", "sh", "-c", "echo $EMULATOR_PROGRESS"]
        for environment, told in (({}, "0\n"), ({"EMULATOR_PROGRESS": "9"}, "9\n")):
            with self.subTest(told=told):
                plain = {name: value for name, value in os.environ.items() if name != "EMULATOR_PROGRESS"}
                self.assertEqual(subprocess.run(asks, env={**plain, **environment}, capture_output=True, text=True,
                                                check=True).stdout, told)


if __name__ == "__main__":
    unittest.main()
