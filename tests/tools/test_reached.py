"""make status, next, after, solution, explain, whatif, diff and watch: what they say, and what they keep to themselves until
a check has passed."""
import json
import os
import subprocess
import sys
import tempfile
import time
import unittest
from unittest import mock

from grading import state
from test_access_table import ORIGIN, PLANE, RESULT, STORE, row
from tests.grading.test_results import WHOLE
from tools import diff_runs, explain, reached, whatif

LAB = "03-reorder"


def passed(*labs):
    record = {"points": 9, "possible": 10, "passed": True, "sha256": None}
    return mock.patch.object(state, "read", lambda: {lab: record for lab in labs})


class Reached(unittest.TestCase):
    def said(self, word, *lab, labs=()):
        with passed(*labs), mock.patch.object(reached, "read", lambda: state.read()):
            return "\n".join(reached.WORDS[word](*lab))

    def test_status_has_every_lab_with_its_best_points(self):
        said = self.said("status", labs=[LAB])
        self.assertRegex(said, r"03-reorder +9 of 10 points +passed, changed since the last check")
        self.assertRegex(said, r"04-launch-bounds +- +not checked yet")

    def test_next_is_the_first_lab_that_has_not_passed(self):
        self.assertIn("make check LAB=00", self.said("next"))
        self.assertIn("make check LAB=01", self.said("next", labs=["00-the-machine"]))
        self.assertIn("make after LAB=01", self.said("next", labs=["00-the-machine", "01-baseline"]))
        self.assertIn("Next is lab 02", self.said("next", labs=["00-the-machine", "01-baseline", LAB]))
        self.assertIn("All labs have passed", self.said("next", labs=reached.files()))

    def test_what_comes_after_a_pass_is_not_shown_before(self):
        for word in ("after", "solution"):
            with self.assertRaisesRegex(reached.Stop, "once its check has passed: make check LAB=03"):
                self.said(word, LAB)
        self.assertIn("+++ solutions/03-reorder/laplacian.hip", self.said("solution", LAB, labs=[LAB]))
        results = self.said("after", LAB, labs=[LAB])
        self.assertIn("What each step is worth.", results)


class Explained(unittest.TestCase):
    def test_counters_by_their_own_table(self):
        self.assertEqual(explain.explain("sq_waves"), ("SQ_WAVES: A counter of the device: wavefronts launched.", True)
                         if "SQ_WAVES" not in explain.glossary() else explain.explain("SQ_WAVES"))
        self.assertTrue(explain.explain("TCP_TOTAL_CACHE_ACCESSES_sum")[1])

    def test_words_by_the_glossary(self):
        with mock.patch.object(explain, "GLOSSARY", os.path.join(tempfile.mkdtemp(), "glossary.md")):
            with open(explain.GLOSSARY, "w", encoding="utf-8") as file:
                file.write("# Glossary\n\n### cache line\n\n64 bytes that\nmove together.\n\n### lane\n\nOne of 64.\n")
            self.assertEqual(explain.explain("Cache Lines"), ("cache line: 64 bytes that move together.", True))

    def test_what_is_unknown_is_said_with_what_is_near(self):
        sentence, known = explain.explain("SQ_WAVE_S")
        self.assertFalse(known)
        self.assertIn("SQ_WAVES", sentence)
        done = subprocess.run(["make", "-s", "explain", "NAME=SQ_WAVE_S"], capture_output=True, text=True, check=False,
                              env={**os.environ, "MAKEFLAGS": ""})
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, sentence + "\n", ""))

    def test_words_of_reports_are_known(self):
        words = "efficiency", "achieved", "FOM", "recorded", "predicted", "ring", "L2 hit", "target", "copy"
        self.assertEqual([word for word in words if not explain.explain(word)[1]], [])

    def test_the_two_figures_of_occupancy_are_brought_together(self):
        result = {**WHOLE, "lab": "03-reorder", "compiled": {"occupancy_waves_per_simd": 5},
                  "counters": {"OccupancyPercent": 46.51}}
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file, \
                mock.patch.object(explain.glob, "glob", lambda _: [file.name]):
            self.assertEqual(explain.own_occupancy(), "")  # of a broken file
            json.dump(result, file)
            file.flush()
            self.assertRegex(explain.own_occupancy(), r"lab 03, .*, 5 waves fit on a SIMD, 62.5 % of 8; .* 46.51 % were")


class WhatIf(unittest.TestCase):
    def result(self, fetch_efficiency):
        return {"source": "x.hip", "kernel": "k", "nx": 1, "ny": 1, "nz": 1, "verified": True, "time_evidence": "modelled",
                "time_ms": {"median": 1.0},
                "memory": {"fetch_size_gb": 1.0, "fetch_efficiency_percent": fetch_efficiency, "write_size_gb": 1.0,
                           "write_efficiency_percent": 100.0, "achieved_bandwidth_gbs": 1162.4}}

    def test_what_binds_is_what_makes_it_faster(self):
        times = dict.fromkeys(whatif.PERFECT, 1.0)
        self.assertIn("No one of these binds", whatif.sentence(times, 1.02, self.result(60)))
        for name in times:
            self.assertEqual(whatif.sentence({**times, name: 0.5}, 1.0, self.result(60)),
                             f"What binds this kernel is {whatif.BINDS[name]}.")

    def test_fewer_bytes_are_no_advice_where_all_must_move(self):
        times = {**dict.fromkeys(whatif.PERFECT, 1.0), whatif.BANDWIDTH: 0.5}
        said = whatif.sentence(times, 1.0, self.result(96))
        self.assertIn("98 % of its bytes are those that must move:\nonly faster memory helps", said)
        self.assertNotIn("fewer bytes", said)
        self.assertIn("fewer bytes", whatif.sentence(times, 1.0, {**self.result(96), "memory": None}))

    def told(self, times):
        with mock.patch.object(whatif, "run", lambda *asked: {**self.result(60), "time_ms": {"median": times[asked[2]]}}):
            return list(whatif.table("program", [], self.doing.append))

    def test_says_which_device_it_runs_on_and_what_is_the_same(self):
        self.doing = []
        times = {"": 1.0, **dict.fromkeys(whatif.PERFECT.values(), 0.98)}
        said = "\n".join(self.told(times))
        self.assertIn("running on a device with no latency, 3 of 4", self.doing)
        self.assertRegex(said, r"no latency +0.9800 ms +same")
        self.assertNotIn(whatif.SLOWER, said)
        self.assertIn(whatif.SLOWER, self.told({**times, whatif.PERFECT[whatif.LATENCY]: 1.05}))

    def test_an_l2_that_keeps_what_is_read_writes_what_is_stored(self):
        """A kernel of which nearly all bytes must move gains nearly nothing."""
        program = "build/solutions/03-reorder/laplacian"
        with mock.patch.dict(os.environ, LD_LIBRARY_PATH="build/emulator"):
            plain, kept = (whatif.run(program, ["--nx", "512", "--ny", "128", "--nz", "32"], perfect)
                           for perfect in ("", whatif.PERFECT[whatif.L2]))
        needed = whatif.share_needed(plain)
        self.assertGreater(needed, 0.95)
        self.assertLess(plain["time_ms"]["median"] / kept["time_ms"]["median"], 1.05 / needed)

    def test_a_program_that_does_not_run_is_said(self):
        with self.assertRaisesRegex(whatif.Stop, "ended with status 1"):
            whatif.run("false", [], "")


class Compared(unittest.TestCase):
    def result(self, **more):
        return {**RESULT, "rows": 8, "window": 0, "verified": True, "time_ms": {"median": 2.0},
                "tables": {"rows": ["time_ms"]}, **more}

    def test_only_what_differs_is_told(self):
        before = self.result(), [row(7, away=-PLANE), row(8), STORE]
        now = self.result(time_ms={"median": 1.0}), [row(17, away=-PLANE, fetched_bytes="100000"), row(18), STORE]
        said = "\n".join(diff_runs.compare(before, now, "two runs"))
        self.assertRegex(said, r"kernel time, ms +2 +1  -50.0 %")
        self.assertRegex(said, r"load u, plane k-1 .* 0.5->0.1\n")
        self.assertNotIn("plane k ", said.split("by what is accessed")[1])
        self.assertIn("2 rows are left out: the same in both to 1 %", said)
        self.assertLessEqual(max(map(len, said.splitlines())), 80)

    def test_wrong_results_and_two_grids_do_not_compare(self):
        right, wrong, other = self.result(), self.result(verified=False), self.result(nz=7)
        for before, now, words in ((wrong, right, "the run before, .*NOT RIGHT"), (right, wrong, "the run now, .*NOT RIGHT"),
                                   (other, right, "of two grids\n  before: .* x 7\n")):
            with self.assertRaisesRegex(diff_runs.Stop, words):
                list(diff_runs.compare((before, []), (now, []), "two runs"))

    def test_of_the_same_says_so(self):
        said = "\n".join(diff_runs.compare((self.result(), [STORE]), (self.result(), [STORE]), "two runs"))
        self.assertIn("no figure differs", said)
        self.assertIn("every load and store did what it did before", said)
        self.assertTrue(ORIGIN)

    def test_a_starter_that_computes_nothing_is_told_before_the_other_run(self):
        command = ["make", "-s", "diff", "LAB=01", "WITH=starter", "DEVICE=emulated", "ARGS=--nx 9 --ny 8 --nz 7"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "MAKEFLAGS": ""})
        self.assertIn("the starter of lab 01 is not right yet", done.stderr)
        self.assertNotIn("running the file in labs", done.stderr)

    def test_without_two_runs_says_how_to_make_them(self):
        with self.assertRaisesRegex(diff_runs.Stop, "run, change something, run again"):
            diff_runs.read("/no/such/run")


class Watched(unittest.TestCase):
    def test_a_save_runs_the_command_again(self):
        with tempfile.TemporaryDirectory() as folder:
            source, log = (os.path.join(folder, name) for name in ("x.hip", "log"))

            def runs():
                return os.path.getsize(log) if os.path.exists(log) else 0

            def write(text):
                with open(source, "w", encoding="utf-8") as file:
                    file.write(text)

            write("a")
            process = subprocess.Popen([sys.executable, "-m", "tools.watch", source, "sh", "-c", f"printf x >>'{log}'"],
                                       stdout=subprocess.DEVNULL)
            try:
                for wanted, text in ((1, "a"), (2, "b")):
                    write(text)
                    for _ in range(100):
                        if runs() == wanted:
                            break
                        time.sleep(0.1)
                    self.assertEqual(runs(), wanted)
            finally:
                process.kill()
                process.wait()


if __name__ == "__main__":
    unittest.main()
