"""The runner of the suites adds up what Criterion and unittest say, and takes no crash for a success."""
import fnmatch
import os
import re
import signal
import stat
import subprocess
import tempfile
import textwrap
import time
import unittest

AT_ONCE = len(os.sched_getaffinity(0)) + 1
CRITERION = 'echo "[====] Synthesis: Tested: {} | Passing: {} | Failing: 0 | Crashing: 0"; exit {}'
PYTHON = """
    import unittest
    class Suite(unittest.TestCase):
        {}
    unittest.main()
    """


def listen():
    """What a shell starts behind a & ignores the interrupt, and so does all that it starts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Runner(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.write("tests/alone.txt", "room/3  what it measures\n")

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, stat.S_IRWXU)

    def start(self, *texts):
        """The runner of suites with these texts: shell, or Python where it imports unittest."""
        names = []
        for number, text in enumerate(texts):
            python = "import unittest" in text
            names.append(f"tests/room/test_{number}" + (".py" if python else ""))
            self.write(names[-1], textwrap.dedent(text) if python else "#!/bin/bash\n" + text)
        runner = subprocess.Popen([os.path.abspath("tests/run-suites.sh"), *names], cwd=self.folder, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, preexec_fn=listen)
        self.addCleanup(runner.communicate)
        self.addCleanup(runner.terminate)
        return runner

    def run_suites(self, *texts):
        """(status, output)"""
        runner = self.start(*texts)
        said, _ = runner.communicate(timeout=20)
        return runner.returncode, said

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

    def test_says_at_the_end_what_failed(self):
        good, bad = CRITERION.format(2, 2, 0), "seq 100 130; " + CRITERION.format(4, 3, 1)
        said = self.ends(1, "7 passed, 2 failed", good, bad, "kill -SEGV $$", good)
        end = said.partition("\ntests/room/test_3: ")[2]
        self.assertRegex(end, r"(?s)tests/room/test_1, 1 failed:\n112\n.*130\n.*Synthesis")
        self.assertIn("tests/room/test_2, 1 failed:\n", end)
        self.assertNotIn("test_0", end)

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

    def test_loses_no_verdict_of_suites_side_by_side(self):
        good, bad = CRITERION.format(2, 2, 0), "sleep 0.1; " + CRITERION.format(4, 3, 1)
        mute, crash = "echo nothing more", "kill -SEGV $$"
        for texts, closing in (((good, bad), "5 passed, 1 failed"), ((bad, good), "5 passed, 1 failed"),
                               ((good, crash), "2 passed, 1 failed"), ((crash, good), "2 passed, 1 failed"),
                               ((good, mute), "2 passed, 1 failed"), ((mute, good), "2 passed, 1 failed"),
                               ((bad, crash, good, good, mute), "7 passed, 3 failed")):
            said = self.ends(1, closing, *texts)
            for number in range(len(texts)):
                lines = re.findall(rf"^tests/room/test_{number}: \d+ passed, \d+ failed", said, re.MULTILINE)
                self.assertEqual(len(lines), 1, said)

    def test_runs_one_more_at_a_time_than_there_are_cores(self):
        count = "mkdir -p running; touch running/$$; sleep 0.3; ls running | wc -l >>most; rm running/$$; "
        meets = "touch here{}; until [ -e here{} ]; do sleep 0.01; done; "
        self.ends(0, "2 passed, 0 failed", *(meets.format(a, b) + CRITERION.format(1, 1, 0) for a, b in ((0, 1), (1, 0))))
        suites = 2 * AT_ONCE
        self.ends(0, f"{suites} passed, 0 failed", *[count + CRITERION.format(1, 1, 0)] * suites)
        with open(os.path.join(self.folder, "most"), encoding="utf-8") as file:
            self.assertLessEqual(max(map(int, file)), AT_ONCE)

    def test_prints_each_suite_whole(self):
        talks = "for n in 1 2 3 4 5; do echo {} $n; sleep 0.02; done; " + CRITERION.format(2, 1, 1)
        said = self.ends(1, "2 passed, 2 failed", talks.format("one"), talks.format("two"))
        for name in "one", "two":
            self.assertIn("".join(f"{name} {n}\n" for n in range(1, 6)), said)

    def test_runs_what_measures_time_last_and_with_nothing_beside_it(self):
        busy = "touch busy$$; sleep 0.2; rm busy$$; " + CRITERION.format(1, 1, 0)
        alone = "ls busy* 2>/dev/null && exit 1; sleep 0.3; ls busy* 2>/dev/null && exit 1; " + CRITERION.format(1, 1, 0)
        said = self.ends(0, "5 passed, 0 failed", busy, busy, busy, alone, busy)
        self.assertTrue(said.splitlines()[-2].startswith("tests/room/test_3: 1 passed"), said)

    def test_stops_all_that_runs_when_it_is_stopped(self):
        waits = "echo $$ >pid{}; sleep 50 & echo $! >>pid{}; mv pid{} ready{}; wait; " + CRITERION.format(1, 1, 0)
        for number, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
            runner = self.start(*(waits.format(*4 * [n]) for n in range(AT_ONCE + 1)))
            ready = [os.path.join(self.folder, f"ready{n}") for n in range(AT_ONCE)]
            while not all(map(os.path.exists, ready)):
                time.sleep(0.01)
            runner.send_signal(number)
            said, _ = runner.communicate(timeout=20)
            self.assertEqual((runner.returncode, said), (status, ""))
            self.assertFalse(os.path.exists(os.path.join(self.folder, f"ready{AT_ONCE}")))
            for path in ready:
                with open(path, encoding="utf-8") as file:
                    left = file.read().split()
                ends = time.monotonic() + 5
                while any(os.path.exists(f"/proc/{process}") for process in left):
                    self.assertLess(time.monotonic(), ends, "a suite or what it started lives on")
                    time.sleep(0.01)
                os.unlink(path)

    def test_of_nothing_fails(self):
        self.ends(1, "0 passed, 0 failed")


class Choice(unittest.TestCase):
    def make_test(self, suite, full=""):
        """What make test SUITE=... FULL=... would do."""
        return subprocess.run(["make", "-n", "--no-print-directory", "test", f"SUITE={suite}", f"FULL={full}"],
                              capture_output=True, text=True, env={**os.environ, "MAKEFLAGS": ""}, check=False)

    def suites(self, name, full=""):
        return self.make_test(name, full).stdout.splitlines()[-1].split()[1:]

    def test_runs_one_suite_by_its_name_and_builds_nothing_for_it(self):
        self.assertEqual(self.suites("grading/scoring"), ["tests/grading/test_scoring.py"])
        self.assertNotIn("hipcc", self.make_test("grading/scoring").stdout)

    def test_runs_those_whose_name_contains_it(self):
        self.assertEqual(self.suites("golden"),
                         ["build/tests/emulator/test_golden", "build/tests/emulator-asan/test_golden"])

    def test_of_no_name_runs_each_in_one_build_at_least(self):
        some, whole = set(self.suites("")), set(self.suites("", full="1"))
        self.assertLess(some, whole)
        for left_out in whole - some:
            other = "/emulator/" if "-asan/" in left_out else "/emulator-asan/"
            self.assertIn(re.sub("/emulator(-asan)?/", other, left_out), some)

    def test_of_no_name_runs_all_and_the_readme_says_of_each_what_it_protects(self):
        with open("tests/README.md", encoding="utf-8") as file:
            described = re.findall(r"`([^`]+)`", "".join(line.split("|")[1] for line in file if line.startswith("| `")))
        found = {re.sub(r"(build/)?tests/(.*)/test_(.*?)(\.py)?$", r"\2/\3", suite) for suite in self.suites("", full="1")}
        for name in found:
            self.assertTrue(any(fnmatch.fnmatch(name.replace("-asan", ""), row) for row in described),
                            f"{name} is in no row of tests/README.md: say there what would go unnoticed without it")
        for row in described:
            self.assertTrue(fnmatch.filter(found, row), f"tests/README.md describes {row}, which is no suite")

    def test_what_runs_alone_are_suites(self):
        with open("tests/alone.txt", encoding="utf-8") as file:
            for name in (line.split()[0] for line in file if not line.startswith("#")):
                self.assertEqual(len(self.suites(name)), 1, name)

    def test_that_is_no_suite_lists_those_there_are(self):
        done = subprocess.run(["make", "--no-print-directory", "test", "SUITE=no-such-suite"], capture_output=True,
                              text=True, env={**os.environ, "MAKEFLAGS": ""}, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("SUITE=no-such-suite is in the name of no suite; there are:", done.stderr)
        for suite in ("common/grid", "emulator/model", "emulator-asan/model", "grading/check", "grading/scoring"):
            self.assertIn(suite, done.stderr)


if __name__ == "__main__":
    unittest.main()
