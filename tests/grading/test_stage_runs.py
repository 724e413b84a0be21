"""Tests of grading/tables/stage_runs.py: what runs side by side, what runs once, and what a failure ends."""
import os
import tempfile
import time
import unittest
from unittest import mock

from grading.tables import stage_runs
from grading.tables.stage_runs import StageRuns, Stop

# A stand-in for a lab's program: notes when it begins and ends, and writes a result where it is told to.
PROGRAM = """#!/bin/bash
echo begin >> "$LOG"
[[ $* == *--kernel\\ wrong* ]] && { echo 'point 3 is wrong'; exit 1; }
[[ $* == *--kernel\\ endless* ]] && exec sleep 60
sleep 0.3
for _ in {1..600}; do # and until so many have begun, or for a minute
  (( $(grep -c begin "$LOG") < ${MEETS:-0} )) || break
  sleep 0.1
done
while [[ $1 != --json ]]; do shift; done
echo '{}' > "$2"
echo end >> "$LOG"
"""


class Runs(unittest.TestCase):
    def setUp(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        self.log, program = f"{folder}/log", f"{folder}/program"
        with open(program, "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        os.chmod(program, 0o755)
        self.enterContext(mock.patch.dict(os.environ, {"LOG": self.log}))
        for name, value in (("program_path", lambda *_: program), ("make", lambda *_: (True, "")),
                            ("load", lambda path: path), ("RESULTS", folder)):
            self.enterContext(mock.patch.object(stage_runs, name, value))
        self.enterContext(mock.patch.object(stage_runs, "free_bytes", lambda: 64e9))  # whatever else runs on this machine
        self.enterContext(mock.patch.object(os, "sched_getaffinity", lambda _: {0, 1}))

    def lines(self):
        with open(self.log, encoding="utf-8") as file:
            return file.read().split()

    def run_two(self, device):
        with StageRuns(device, []) as runs:
            for kernel in "ab":
                runs.begin("solutions/01/x.hip", {"kernel": kernel})
            return [runs.result("solutions/01/x.hip", {"kernel": kernel}) for kernel in "ab"]

    def test_emulated_runs_are_side_by_side(self):
        with mock.patch.dict(os.environ, {"MEETS": "2"}):
            first, second = self.run_two("emulated")
        self.assertEqual(self.lines(), ["begin", "begin", "end", "end"])
        self.assertNotEqual(first, second)

    def test_a_real_gpu_has_one_run_at_a_time(self):
        self.run_two("amd")
        self.assertEqual(self.lines(), ["begin", "end", "begin", "end"])

    def test_little_memory_has_one_run_at_a_time(self):
        with mock.patch.object(stage_runs, "free_bytes", lambda: 3e9):
            self.run_two("emulated")
        self.assertEqual(self.lines(), ["begin", "end", "begin", "end"])

    def test_a_stage_runs_once_for_all_who_ask_but_each_block_is_a_run(self):
        with StageRuns("emulated", []) as runs:
            same = [runs.result("solutions/01/x.hip", {"kernel": "a"}) for _ in range(2)]
            other = runs.result("solutions/01/x.hip", {"kernel": "a", "block": "64x4x1"})
        self.assertEqual(same[0], same[1])
        self.assertNotEqual(same[0], other)
        self.assertEqual(self.lines(), ["begin", "end"] * 2)

    def test_a_run_that_fails_says_so_and_ends_the_others(self):
        began = time.monotonic()
        with self.assertRaisesRegex(Stop, "--kernel wrong .*ended with status 1:\npoint 3 is wrong"), \
                StageRuns("emulated", []) as runs:
            runs.begin("solutions/01/x.hip", {"kernel": "endless"})
            runs.result("solutions/01/x.hip", {"kernel": "wrong"})
        runs.pool.shutdown()
        self.assertLess(time.monotonic() - began, 30)

    def test_threads_are_shared_among_the_runs(self):
        with StageRuns("emulated", []) as two, mock.patch.object(stage_runs, "free_bytes", lambda: 3e9), \
                StageRuns("emulated", []) as one:
            self.assertEqual([two.environment["EMULATOR_THREADS"], one.environment["EMULATOR_THREADS"]], ["1", "2"])


if __name__ == "__main__":
    unittest.main()
