"""Running a program for a grade: whose fault its end is, what its result must be, the command that repeats it."""
import json
import os
import stat
import tempfile
import unittest
from unittest import mock

from grading import running
from grading.running import GraderTrouble, NotYet, Runs, repeat_command, run
from grading.statuses import Status
from test_results import WHOLE

SIZE = [WHOLE[direction] for direction in ("nx", "ny", "nz")]


def ends(commands, result=WHOLE, timeout_s=30, call=run):
    """Runs a shell script in a program's place; $result is what it can write to the file that --json names."""
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "program")
        with open(program, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/bash\nresult='{json.dumps(result)}'\nwhile [ $1 != --json ]; do shift; done\n{commands}")
        os.chmod(program, stat.S_IRWXU)
        return call(program, [], "at 8 x 9 x 10", timeout_s)


class Ends(unittest.TestCase):
    def refused(self, error, commands, **how):
        with self.assertRaises(error) as why:
            ends(commands, **how)
        return str(why.exception)

    def test_with_a_result(self):
        for status in (Status.VERIFIED, Status.NOT_RIGHT):
            result = ends(f"echo $result >$2; exit {status}")
            self.assertEqual((result["seed"], result["accesses"]), (1, []))

    def test_of_device_and_emulator_are_the_graders_trouble_whatever_was_said(self):
        for status, words in ((Status.DEVICE_TROUBLE, "the program could not be run:"),
                              (Status.EMULATOR_GAP, "the emulated device met something it cannot do yet:")):
            said = self.refused(GraderTrouble, f"echo no kernel >&2; exit {status}")
            self.assertEqual(said, f"at 8 x 9 x 10 {words}\nno kernel")

    def test_of_kernel_and_options_are_the_learners_whatever_was_said(self):
        for status in (Status.KERNEL_FAULT, Status.MALFORMED_OPTIONS, 77):
            said = self.refused(NotYet, f"echo a gap of the emulator >&2; exit {status}")
            self.assertEqual(said, f"at 8 x 9 x 10 the program ended with status {status} and without a result\n"
                             "a gap of the emulator")

    def test_without_a_whole_result_are_said_so(self):
        self.assertIn("without a result", self.refused(NotYet, "exit 0"))
        self.assertIn("without a result", self.refused(NotYet, "echo '{' >$2"))

    def test_by_a_signal_name_it(self):
        self.assertIn("was ended by SIGSEGV", self.refused(NotYet, "kill -SEGV $$"))

    def test_come_after_the_time_limit(self):
        self.assertIn("was still running after 0.2 s", self.refused(NotYet, "sleep 60", timeout_s=0.2))


class Results(unittest.TestCase):
    """Of the grid and seed asked for, by a kernel; each choice is built once."""

    def fresh(self, *results):
        """Makes a run of lab 01 for each result. Returns how often it was built."""
        built, waiting = [], list(results)
        with mock.patch.object(running, "build", lambda source, asked: built.append(source) or "program"), \
                mock.patch.object(running, "run", lambda *_: waiting.pop(0)):
            runs = Runs("emulated", 30)
            for result in results:
                self.assertIs(runs.fresh("labs/01-baseline/laplacian.hip", {}, SIZE, WHOLE["seed"]), result)
        return len(built)

    def refused(self, result):
        with self.assertRaises(NotYet) as why:
            self.fresh(result)
        self.assertTrue(why.exception.command.startswith("make run LAB=01 "), why.exception.command)
        return str(why.exception)

    def test_of_one_choice_are_of_one_program(self):
        self.assertEqual(self.fresh(WHOLE, WHOLE), 1)

    def test_of_another_grid_or_seed_are_not_taken(self):
        for key in ("nx", "ny", "nz", "seed"):
            self.assertIn("not for the grid and seed", self.refused({**WHOLE, key: 77}))

    def test_without_a_launch_are_not_taken(self):
        self.assertIn("no kernel was launched", self.refused({**WHOLE, "counters": {}}))


class Repeat(unittest.TestCase):
    ASKED = {"m": 8, "kernel": "laplacian", "block": "64x4x1"}
    ARGUMENTS = "--kernel laplacian --block 64x4x1 --nx 67 --ny 64 --nz 9 --seed 5"

    def test_is_make_run_for_a_lab_and_its_answer(self):
        self.assertEqual(repeat_command("emulated", "labs/02-tiling/laplacian.hip", self.ASKED, [67, 64, 9], 5),
                         f'make run LAB=02 DEVICE=emulated M=8 ARGS="{self.ARGUMENTS}"')
        self.assertEqual(repeat_command("amd", "solutions/02-tiling/laplacian.hip", {}, [67, 64, 9], 5),
                         'make run LAB=02 SRC=solutions DEVICE=amd ARGS="--nx 67 --ny 64 --nz 9 --seed 5"')

    def test_is_the_program_for_another_file(self):
        source = "tests/submissions/02-tiling/skipped-rows.hip"
        self.assertEqual(repeat_command("emulated", source, self.ASKED, [67, 64, 9], 5),
                         "make -s build/m8/tests/submissions/02-tiling/skipped-rows M=8 && LD_LIBRARY_PATH=build/emulator "
                         f"build/m8/tests/submissions/02-tiling/skipped-rows {self.ARGUMENTS}")


if __name__ == "__main__":
    unittest.main()
