"""The runner of the suites adds up what Criterion and unittest say, and takes no crash for a success."""
import fnmatch
import os
import re
import stat
import subprocess
import tempfile
import textwrap
import unittest

CRITERION = 'echo "[====] Synthesis: Tested: {} | Passing: {} | Failing: 0 | Crashing: 0"; exit {}'
PYTHON = """
    import unittest
    class Suite(unittest.TestCase):
        {}
    unittest.main()
    """


class Runner(unittest.TestCase):
    def run_suites(self, *texts):
        """(status, output) of suites with these texts: shell, or Python where it imports unittest."""
        with tempfile.TemporaryDirectory() as folder:
            names = []
            for number, text in enumerate(texts):
                python = "import unittest" in text
                names.append(os.path.join(folder, f"suite{number}" + (".py" if python else "")))
                with open(names[-1], "w", encoding="utf-8") as file:
                    file.write(textwrap.dedent(text) if python else "#!/bin/sh\n" + text)
                os.chmod(names[-1], stat.S_IRWXU)
            done = subprocess.run(["tests/run-suites.sh", *names], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout

    def ends(self, status, closing, *texts):
        found, said = self.run_suites(*texts)
        self.assertEqual((found, said.splitlines()[-1]), (status, closing), said)
        return said

    def test_adds_up_both_kinds(self):
        self.ends(0, "7 passed, 0 failed", CRITERION.format(5, 5, 0),
                  PYTHON.format("def test_a(self): pass\n        def test_b(self): pass"))

    def test_shows_what_a_failing_suite_said(self):
        said = self.ends(1, "5 passed, 1 failed", "echo why; " + CRITERION.format(4, 3, 1), CRITERION.format(2, 2, 0))
        self.assertIn("why\n", said)

    def test_counts_failures_and_errors_of_python(self):
        self.ends(1, "1 passed, 2 failed", PYTHON.format(
            "def test_a(self): pass\n        def test_b(self): self.fail()\n        def test_c(self): None.x"))

    def test_takes_an_expected_failure_that_passed_for_a_failure(self):
        self.ends(1, "0 passed, 1 failed", PYTHON.format("@unittest.expectedFailure\n        def test_a(self): pass"))

    def test_takes_an_expected_failure_for_none(self):
        self.ends(0, "1 passed, 0 failed", PYTHON.format("@unittest.expectedFailure\n        def test_a(self): self.fail()"))

    def test_counts_what_was_skipped_neither_way(self):
        self.ends(0, "1 passed, 0 failed", PYTHON.format(
            "def test_a(self): pass\n        def test_b(self): self.skipTest('not here')"))

    def test_takes_a_crash_for_a_failure(self):
        self.ends(1, "0 passed, 1 failed", "kill -SEGV $$")
        self.ends(1, "0 passed, 1 failed", "import unittest\nimport no_such_module\n")

    def test_takes_a_bad_end_after_good_tests_for_a_failure(self):
        self.ends(1, "5 passed, 1 failed", CRITERION.format(5, 5, 9))

    def test_of_nothing_fails(self):
        self.ends(1, "0 passed, 0 failed")


class Choice(unittest.TestCase):
    def make_test(self, suite):
        """What make test SUITE=... would do."""
        return subprocess.run(["make", "-n", "--no-print-directory", "test", f"SUITE={suite}"], capture_output=True,
                              text=True, env={**os.environ, "MAKEFLAGS": ""}, check=False)

    def suites(self, name):
        return self.make_test(name).stdout.splitlines()[-1].split()[1:]

    def test_runs_one_suite_by_its_name_and_builds_nothing_for_it(self):
        self.assertEqual(self.suites("grading/scoring"), ["tests/grading/test_scoring.py"])
        self.assertNotIn("hipcc", self.make_test("grading/scoring").stdout)

    def test_runs_those_whose_name_contains_it(self):
        self.assertEqual(self.suites("golden"),
                         ["build/tests/emulator/test_golden", "build/tests/emulator-asan/test_golden"])

    def test_of_no_name_runs_all_and_the_readme_says_of_each_what_it_protects(self):
        with open("tests/README.md", encoding="utf-8") as file:
            described = re.findall(r"`([^`]+)`", "".join(line.split("|")[1] for line in file if line.startswith("| `")))
        found = {re.sub(r"(build/)?tests/(.*)/test_(.*?)(\.py)?$", r"\2/\3", suite) for suite in self.suites("")}
        for name in found:
            self.assertTrue(any(fnmatch.fnmatch(name.replace("-asan", ""), row) for row in described),
                            f"{name} is in no row of tests/README.md: say there what would go unnoticed without it")
        for row in described:
            self.assertTrue(fnmatch.filter(found, row), f"tests/README.md describes {row}, which is no suite")

    def test_that_is_no_suite_lists_those_there_are(self):
        done = subprocess.run(["make", "--no-print-directory", "test", "SUITE=no-such-suite"], capture_output=True,
                              text=True, env={**os.environ, "MAKEFLAGS": ""}, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("SUITE=no-such-suite is in the name of no suite; there are:", done.stderr)
        for suite in ("common/grid", "emulator/model", "emulator-asan/model", "grading/check", "grading/scoring"):
            self.assertIn(suite, done.stderr)


if __name__ == "__main__":
    unittest.main()
