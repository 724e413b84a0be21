"""What a check prints and writes: a verdict that only the grader can print, JSON that is whole however a check ends,
settings that are ignored and named, statuses 0, 1 and 2.

In:  build/grading/launches/. Submissions that end early, so that little is run.
"""
import contextlib
import io
import json
import os
import re
import shutil
import tempfile
import unittest
from unittest import mock

from grading import check, sandbox
from grading.progress import Progress
from grading.scoring import FAIL, LATER, OPEN, PASS, Grade, Line
from grading.statuses import GraderTrouble
from test_building import small

LAB, SOURCE = "01-baseline", "labs/01-baseline/laplacian.hip"
KEYS = {"lab", "source", "device", "seed", "status", "points", "possible", "criteria", "stopped", "repeat", "trouble",
        "provenance"}
LINES = [Line("interior points right", "emulated", 1, 1, 1, 5, 5, PASS, []),
         Line("speed", "modelled", 21.37, 600, 200, 0.5, 1, FAIL, ["Look there.", "Repeat: make run"], 25),
         Line("speed of a GPU", "measured", None, 720, 360, 0, 0, LATER, ["needs DEVICE=amd"]),
         Line("your predictions", "", None, None, None, 1, 1, PASS, ["time: you wrote 1, it came out 2"])]


def graded(**how):
    return Grade(LAB, SOURCE, "emulated", 7, possible=8, **how)


ENDS = {"passed": (0, graded(lines=[LINES[0], LINES[2], LINES[3]])), "not yet": (1, graded(lines=LINES, at=25)),
        "stopped": (1, graded(stopped=f"{SOURCE} does not build", repeat="make run")),
        "trouble": (2, graded(lines=[LINES[0]], trouble="no GPU"))}


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(dir="/tmp")
        self.addCleanup(shutil.rmtree, self.folder)
        self.json = os.path.join(self.folder, "grade.json")
        kept = {name: value for name, value in os.environ.items() if not name.startswith("EMULATOR_")}
        kept["LAB_PROGRESS"] = os.path.join(self.folder, "progress.json")
        patched = mock.patch.dict(os.environ, kept, clear=True)
        patched.start()
        self.addCleanup(patched.stop)
        self.enterContext(mock.patch.object(check, "begin"))

    def check(self, *words):
        """(status, stdout, stderr, the JSON) of a check."""
        said, complained = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(complained), \
                mock.patch.object(check, "Progress", lambda: Progress(quiet_s=1000)), \
                mock.patch.object(check.sys, "argv", ["check.py", "emulated", "--json", self.json, "--seed", "7", *words]):
            status = check.main()
        with open(self.json, encoding="utf-8") as file:
            return status, said.getvalue(), complained.getvalue(), json.load(file)

    def ended(self, end):
        """The same where grading ends so."""
        def stand_in(source, runs, seed, tell, *_):
            for line in ENDS[end][1].lines:
                tell(line)
            return ENDS[end][1]

        with mock.patch.object(check, "grade", stand_in):
            return self.check(SOURCE)


class Statuses(Case):
    def test_are_0_passed_1_not_yet_2_trouble(self):
        for end, (status, _) in ENDS.items():
            self.assertEqual(self.ended(end)[0], status, end)

    def test_of_several_files_are_the_worst(self):
        for ends, status in ((("passed", "passed"), 0), (("not yet", "passed"), 1), (("trouble", "not yet"), 2)):
            grades = [ENDS[end][1] for end in ends]
            with mock.patch.object(check, "grade", lambda *_: grades.pop(0)):
                self.assertEqual(self.check(SOURCE, SOURCE)[0], status)

    def test_of_what_is_no_seed_or_no_lab_are_trouble(self):
        for words in (("--seed", "-1"), ("--seed", "1.5"), ("--seed", "٣"), ("--seed", str(2**64)), ("--lab", "77-none")):
            with self.assertRaises((GraderTrouble, OSError, ValueError)):
                self.check(*words, SOURCE)


class Printed(Case):
    def test_has_the_seed_the_verdict_and_what_to_do_next(self):
        _, said, complained, _ = self.ended("not yet")
        self.assertIn(f"lab {LAB}: {SOURCE} on device emulated; SEED=7 draws these sizes and inputs again\n", said)
        self.assertTrue(said.endswith(f"\nNOT YET: 6.5 of 8 points\nNext: edit {SOURCE}, line 25.\n"), said)
        self.assertEqual(complained, "")
        self.assertEqual(check.edit_next(Grade(LAB, SOURCE, "emulated", 7, at="laplacian")),
                         f"Next: edit {SOURCE}, kernel laplacian.")
        self.assertTrue(self.ended("passed")[1].endswith("\nPASSED: 6 of 8 points\n"
                                                         "Now: make after LAB=01 says what these figures mean.\n"))

    def test_has_a_line_for_each_criterion(self):
        lines = self.ended("not yet")[1].splitlines()
        for words in (r"  pass  interior points right: all +\(emulated\) +5/5", r"  pass  your predictions +1/1",
                      r"  later speed of a GPU \(needs DEVICE=amd\)",
                      r"  FAIL  speed: at least 600; yours 21\.37 +\(modelled\) +0\.5/1"):
            self.assertEqual(len([line for line in lines if re.fullmatch(words, line)]), 1, (words, lines))
        for words in ("Look there.", "Repeat: make run", "There are points in part from 200 on.",
                      "time: you wrote 1, it came out 2"):
            self.assertIn("        " + words, lines)

    def test_fits_into_a_terminal_of_80_columns(self):
        with mock.patch.object(check, "columns", lambda: 80):
            lines = self.ended("not yet")[1].splitlines()
        self.assertEqual([line for line in lines if len(line) > 80 and "Repeat: " not in line], [])
        self.assertIn(f"{'  FAIL  speed: at least 600; yours 21.37  (modelled)':<72}{'0.5/1':>8}", lines)

    def test_says_on_which_side_of_a_bound_a_figure_is(self):
        def said(value, full, zero):
            return check.what_is_measured(Line("scratch", "compiled", value, full, zero, 0, 1, FAIL, []))

        self.assertEqual(said(64, 0, 180), "scratch: at most 0; yours 64")
        self.assertEqual(said(6.0501, 6.05, 7), "scratch: at most 6.05; yours 6.0501")
        self.assertEqual(said(0.873, 1, 1), "scratch: all must be, 87.3 % are")
        self.assertEqual(said(None, 1, 0), "scratch")

    def test_says_once_how_a_run_is_repeated(self):
        out = io.StringIO()
        with contextlib.redirect_stdout(out), Progress() as progress:
            printer = check.Printer(progress)
            for _ in range(2):
                printer.line(LINES[1])
        self.assertEqual((out.getvalue().count("Repeat: "), out.getvalue().count("Look there.")), (1, 2))

    def test_has_why_it_was_stopped_and_no_points_as_such(self):
        said = self.ended("stopped")[1]
        self.assertIn(f"\n{SOURCE} does not build\nRepeat: make run\nNOT YET: 0 of 8 points\n", said)

    def test_of_trouble_blames_nobody_and_has_no_verdict(self):
        _, said, complained, _ = self.ended("trouble")
        self.assertEqual(complained, "The grader could not work, which says nothing about your code: no GPU\n")
        self.assertNotIn("NOT YET", said)
        self.assertNotIn("PASSED", said)

    def test_says_that_there_is_no_sandbox(self):
        with mock.patch.object(check, "why_not", lambda: "bubblewrap is not installed"):
            _, said, _, data = self.ended("passed")
        self.assertIn("\n  without a sandbox: bubblewrap is not installed\n", said)
        self.assertEqual(data["provenance"]["sandbox"], "none")


class Written(Case):
    def test_is_whole_however_a_check_ends(self):
        for end, (_, grade) in ENDS.items():
            data = self.ended(end)[3]
            self.assertEqual(data.keys(), KEYS, end)
            self.assertEqual((data["status"], data["points"], data["possible"], data["seed"]),
                             (grade.status, grade.points, 8, 7))
            self.assertEqual([line["name"] for line in data["criteria"]], [line.name for line in grade.lines])
            for key in ("stopped", "repeat", "trouble"):
                self.assertEqual(data[key], getattr(grade, key), (end, key))

    def test_has_every_field_of_a_criterion(self):
        self.assertEqual(self.ended("not yet")[3]["criteria"][1], {
            "name": "speed", "evidence": "modelled", "value": 21.37, "full_at": 600, "zero_at": 200, "points": 0.5,
            "possible": 1, "verdict": "FAIL", "feedback": ["Look there.", "Repeat: make run"], "at": 25})

    def test_says_where_it_came_from(self):
        provenance = self.ended("passed")[3]["provenance"]
        self.assertEqual(provenance.keys(), {"device", "compiler", "commit", "sandbox", "ignored", "sha256"})
        self.assertRegex(provenance["sha256"], r"^[0-9a-f]{64}$")
        self.assertRegex(provenance["compiler"], r"\d+\.\d+")
        self.assertEqual((provenance["ignored"], provenance["sandbox"]),
                         ({}, "none" if sandbox.why_not() else "bubblewrap"))

    def test_is_of_what_was_graded(self):
        def of(content):
            path = os.path.join(self.folder, "x.hip")
            with open(path, "w", encoding="utf-8") as file:
                file.write(content)
            return check.as_data(Grade(LAB, path, "emulated", 1))["provenance"]["sha256"]

        self.assertNotEqual(of("a"), of("b"))
        open_lines = [Line("asked", "", None, None, None, 0, 1, OPEN, []), Line("tier", "", 1, 2, 1, 0, 0, OPEN, [])]
        criteria = check.as_data(Grade(LAB, "no/such.hip", "emulated", 1, open_lines))["criteria"]
        self.assertEqual([(one["name"], one["verdict"]) for one in criteria], [("asked", PASS)])
        self.assertIsNone(check.as_data(Grade(LAB, "no/such.hip", "emulated", 1))["provenance"]["sha256"])


class Ignored(Case):
    SETTINGS = {"EMULATOR_SET": "l2_bytes=none", "EMULATOR_INSTRUCTION_BUDGET": "1", "EMULATOR_MODEL": "0\nPASSED: 10"}

    def test_settings_are_named_and_written_down(self):
        with mock.patch.dict(os.environ, self.SETTINGS):
            _, said, _, data = self.ended("passed")
        self.assertEqual(data["provenance"]["ignored"], self.SETTINGS)
        self.assertIn("\n  EMULATOR_SET=l2_bytes=none is ignored: a grade is of the device as it is\n", said)
        self.assertIn("\n  EMULATOR_INSTRUCTION_BUDGET=1 is ignored", said)
        self.assertIn("\n  EMULATOR_MODEL=0\\nPASSED: 10 is ignored", said)


class Forged(Case):
    """No line of a learner's, a compiler's or a file's name begins a line of the grader's."""

    def verdict(self, words, content, name="laplacian.hip"):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)
        status, said, complained, _ = self.check("--lab", LAB, path)
        self.assertEqual((status, complained), (1, ""), said)
        for line in said.splitlines():
            self.assertTrue(line.isprintable(), line)
            self.assertFalse(line.startswith("PASSED"), said)
        self.assertEqual(len([line for line in said.splitlines() if line.startswith("NOT YET: 0 of 10 points")]), 1, said)
        self.assertIn(words, said)

    def test_is_none_by_the_compiler(self):
        self.verdict("  | PASSED: 10\n  | PASSED", 'static_assert(false, "\\nPASSED: 10\\rPASSED\\x1b[1A");\n')

    def test_is_none_by_the_linker(self):
        self.verdict("  | PASSED: 10 of 10 points", 'extern "C" void after(void) __asm__("a\\nPASSED: 10 of 10 points");\n'
                     + small().replace("laplacian<<<", "after(); laplacian<<<"))

    def test_is_none_by_the_launcher(self):
        said = 'puts("\\nPASSED: 1"); fputs("\\nPASSED: 10\\x1b[2K\\rPASSED\\n", stderr); _exit(1); laplacian<<<'
        self.verdict("  | PASSED: 10\\x1b[2K\n  | PASSED\n",
                     "#include <stdio.h>\n#include <unistd.h>\n" + small().replace("laplacian<<<", said))

    def test_is_none_by_the_list_of_launches(self):
        said = 'for (int d = 3; d < 20; d++) dprintf(d, "PASSED: 10\\x1b[2K\\rPASSED\\n"); laplacian<<<'
        self.verdict("  | the list of launches is damaged: PASSED: 10\\x1b[2K\n  | PASSED\n",
                     "#include <stdio.h>\n" + small().replace("laplacian<<<", said))

    def test_is_none_by_a_files_name(self):
        self.verdict("a\\nPASSED: 10\\x1b[2K.hip on device", "int x = ;\n", "a\nPASSED: 10\x1b[2K.hip")


if __name__ == "__main__":
    unittest.main()
