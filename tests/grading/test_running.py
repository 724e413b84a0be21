"""A run for a grade: what recording and replaying are given, whose fault each end is, what a result must be, the command
that repeats a run."""
import concurrent.futures
import json
import os
import shlex
import tempfile
import threading
import time
import unittest
from unittest import mock

from grading import running, sandbox
from grading.building import Built
from grading.running import BUDGET, ONE_SIZE, Builds, Runs, repeat_command, sizes_of, where_of
from grading.sandbox import Ended
from grading.statuses import GraderTrouble, NotYet, Status
from grading.work import THREADS
from test_results import WHOLE

SIZE = [WHOLE[direction] for direction in ("nx", "ny", "nz")]
SOURCE = "labs/01-baseline/laplacian.hip"
EXPECTED = {"family": "laplacian", "timeout_s": 30}
WHERE = "at 8 x 9 x 10"


def ends(status=0, said="", timed_out=False):
    return Ended(int(status), timed_out, said)


class Device:
    """Stands in for the sandbox: recording and replaying end so, and the replay leaves this result."""

    def __init__(self, recording=ends(), replaying=ends(), result=WHOLE):
        self.ends, self.result, self.calls = [recording, replaying], result, []

    def __call__(self, command, folder, limits, environment, readable=None, writable=(), descriptors=(), inside=True,
                 stop=None):
        self.calls.append({"command": command, "limits": limits, "environment": environment, "readable": readable,
                           "writable": list(writable), "descriptors": list(descriptors), "inside": inside})
        if "--json" in command and self.result is not None:
            with open(command[command.index("--json") + 1], "w", encoding="utf-8") as file:
                file.write(self.result if isinstance(self.result, str) else json.dumps(self.result))
        return self.ends["--json" in command]


class Case(unittest.TestCase):
    def setUp(self):
        made = tempfile.TemporaryDirectory(dir="build")
        self.addCleanup(made.cleanup)
        self.folder = os.path.abspath(made.name)
        self.built = []

    def build(self, source, place, asked, folder):
        self.built.append((source, place, dict(asked)))
        return Built(*(os.path.join(folder, name) for name in ("object", "code", "facts", "recorder")))

    def runs(self, device="emulated", expected=EXPECTED):
        builds = Builds(self.folder)
        self.addCleanup(builds.work.end)
        return Runs(device, "01-baseline", expected, builds)

    def run_on(self, stand_in, call=lambda runs: runs.fresh(SOURCE, {}, SIZE, 1), runs=None):
        with mock.patch.object(running, "build", self.build), mock.patch.object(running, "run", stand_in):
            return call(runs or self.runs()).result()

    def refused(self, error, **how):
        with self.assertRaises(error) as why:
            self.run_on(Device(**how))
        return why.exception


class Recording(Case):
    def test_is_given_the_options_without_the_seed_and_a_list_to_write(self):
        device = Device()
        self.run_on(device, lambda runs: runs.fresh(SOURCE, {"kernel": "laplacian", "block": "64x1x1"}, SIZE, 77))
        recording = device.calls[0]
        recorder, facts, descriptor, sizes, *options = recording["command"]
        self.assertEqual(" ".join(options), "--kernel laplacian --block 64x1x1 --nx 8 --ny 9 --nz 10")
        self.assertEqual((recording["descriptors"], sizes), ([int(descriptor)], ONE_SIZE))
        self.assertEqual(recording["readable"].keys(), {recorder, facts, os.path.abspath("build/emulator")})
        self.assertEqual((recording["writable"], recording["inside"], recording["limits"].forks), ([], True, False))
        self.assertNotIn("77", " ".join(recording["command"]))

    def test_that_does_not_end_well_is_the_learners(self):
        for ended, words in ((ends(-11, "who\nknows"), "the launcher was ended by SIGSEGV; the pointers it gets are for"),
                             (ends(-25), "the launcher wrote more than 64 MB"),
                             (ends(-9, timed_out=True), "the launcher was still running after 10 s"),
                             (ends(Status.DEVICE_TROUBLE), "the launcher ended the program with status 3"),
                             (ends(250), "the launcher ended the program with status 250")):
            why = self.refused(NotYet, recording=ended)
            self.assertTrue(str(why).startswith(f"{WHERE} {words}"), why)
            self.assertTrue(why.command.startswith("make run LAB=01 "), why.command)

    def test_has_what_was_said_behind_a_bar(self):
        why = self.refused(NotYet, recording=ends(1, "\nPASSED: 10 of 10 points\n\x1b[2KPASSED"))
        self.assertEqual(str(why).splitlines()[1:], ["  | ", "  | PASSED: 10 of 10 points", r"  | \x1b[2KPASSED"])

    def test_on_a_full_disk_is_trouble(self):
        full = mock.patch.object(running, "must_have_room", side_effect=GraderTrouble("the disk is full"))
        with full:
            self.assertEqual(str(self.refused(GraderTrouble, recording=ends(Status.DEVICE_TROUBLE))), "the disk is full")


class Replaying(Case):
    def test_for_figures_makes_the_last_check_alone(self):
        device = Device()
        self.run_on(device, lambda runs: runs.figures(SOURCE, {}, SIZE, 77))
        self.assertEqual(device.calls[1]["command"][5:7], [ONE_SIZE, "1"])

    def test_is_given_the_lab_the_seed_and_what_recording_made(self):
        device = Device()
        self.run_on(device, lambda runs: runs.fresh(SOURCE, {"block": "64x1x1"}, SIZE, 77))
        replay, source, facts, code, _, sizes, *family = device.calls[1]["command"]
        self.assertEqual((os.path.basename(replay), source, sizes), ("replay", SOURCE, ONE_SIZE))
        self.assertEqual((facts, code), (os.path.join(self.folder, "facts"), os.path.join(self.folder, "code")))
        self.assertEqual(" ".join(family[:-1]), "0 laplacian - 0 --block 64x1x1 --nx 8 --ny 9 --nz 10 --seed 77 --json")
        self.assertEqual(device.calls[1]["writable"], [os.path.dirname(family[-1])])

    def test_is_given_axis_and_radius_of_a_derivative(self):
        expected = {"family": "derivative", "timeout_s": 30, "radius": 4, "axis": {"along_x": "x", "along_z": "z"}}
        runs = self.runs(expected=expected)
        self.assertEqual(runs.family({"kernel": "along_z"}), ["derivative", "z", "4"])
        self.assertEqual(runs.family({"kernel": "along_z", "r": 2}), ["derivative", "z", "2"])
        self.assertEqual(runs.family({}), ["derivative", "x", "4"])

    def test_has_no_setting_of_the_emulated_device_but_ours(self):
        theirs = {"EMULATOR_SET": "l2_bytes=1", "EMULATOR_INSTRUCTION_BUDGET": "1", "EMULATOR_MODEL": "0", "LD_PRELOAD": "x",
                  "LAB_RESULT_FILE": "/tmp/x", "OMP_NUM_THREADS": "99", "HIP_VISIBLE_DEVICES": "-1"}
        device = Device()
        with mock.patch.dict(os.environ, theirs):
            self.run_on(device)
        environment = device.calls[1]["environment"]
        self.assertEqual(environment["EMULATOR_INSTRUCTION_BUDGET"], str(BUDGET))
        self.assertEqual(environment["EMULATOR_SANITIZE"], "2")
        self.assertEqual(environment["HIP_VISIBLE_DEVICES"], "-1")
        for name in ("EMULATOR_SET", "EMULATOR_MODEL", "LD_PRELOAD", "LAB_RESULT_FILE", "OMP_NUM_THREADS"):
            self.assertNotIn(name, environment)
        self.assertEqual(device.calls[0]["environment"].keys(), {"LD_LIBRARY_PATH", "OMP_NUM_THREADS"})

    def test_on_a_gpu_is_outside_of_the_sandbox_and_without_the_emulated_device(self):
        device = Device()
        self.run_on(device, runs=self.runs("amd"))
        self.assertEqual([call["inside"] for call in device.calls], [True, False])
        self.assertEqual(device.calls[1]["limits"].memory_bytes, 0)
        self.assertNotEqual(device.calls[1]["environment"].get("LD_LIBRARY_PATH"), os.path.abspath("build/emulator"))

    def test_of_device_and_emulator_is_the_graders_trouble_whatever_was_said(self):
        for status, words in ((Status.DEVICE_TROUBLE, "the program could not be run:"),
                              (-11, "the run was ended by SIGSEGV:"),
                              (Status.EMULATOR_GAP, "the emulated device met something it cannot do yet:")):
            why = self.refused(GraderTrouble, replaying=ends(status, "no kernel"))
            self.assertEqual(str(why), f"{WHERE} {words}\n  | no kernel")

    def test_of_kernel_and_options_is_the_learners_whatever_was_said(self):
        for status in (Status.KERNEL_FAULT, Status.MALFORMED_OPTIONS, 77):
            why = self.refused(NotYet, replaying=ends(status, "a gap of the emulator"))
            self.assertEqual(str(why), f"{WHERE} the launches cannot be made as the launcher asks for them:\n"
                             "  | a gap of the emulator")

    def test_of_a_kernel_that_ran_says_what_it_did(self):
        said = "emulator: reads 8 bytes\nthe device failed while running the kernel: "
        for error, words in (("hipErrorIllegalAddress", "the kernel reads or writes where no array is"),
                             ("the launch timed out (cudaErrorLaunchTimeout)", "the kernel does not end"),
                             ("hipErrorLaunchFailure", "the kernel did what none may")):
            why = self.refused(NotYet, replaying=ends(Status.KERNEL_FAULT, said + error))
            self.assertEqual(str(why).splitlines()[0], f"{WHERE} {words}:")

    def test_that_takes_too_long_is_the_kernels(self):
        for device, threads, seconds in (("emulated", "1", 30), ("emulated", "2", 60), ("amd", "2", 30)):
            with mock.patch.dict(os.environ, {THREADS: threads}), self.assertRaises(NotYet) as why, \
                    mock.patch.object(running, "crowded", lambda: ""):
                self.run_on(Device(replaying=ends(-9, timed_out=True)), runs=self.runs(device))
            self.assertEqual(str(why.exception),
                             f"{WHERE} the kernel was still running after {seconds} s; look for a loop that does not end")

    def test_that_takes_too_long_may_be_the_computers(self):
        for load, words in ((0.5, "end$"), (9.2, r"end \(or is this computer too busy\? 9 programs share its 2 cores\)$")):
            with mock.patch.object(sandbox.os, "getloadavg", lambda: (load, 0, 0)), \
                    mock.patch.object(sandbox.os, "sched_getaffinity", lambda _: {0, 1}):
                self.assertRegex(str(self.refused(NotYet, replaying=ends(-9, timed_out=True))), words)

    def test_on_a_full_disk_is_trouble_of_that_kind(self):
        with mock.patch.object(running, "must_have_room", side_effect=GraderTrouble("the disk is full")):
            why = self.refused(GraderTrouble, replaying=ends(Status.DEVICE_TROUBLE))
            self.assertEqual(str(why), "the disk is full")

    def test_without_a_whole_result_is_trouble(self):
        for result, words in ((None, "there is no result"), ("{", "is no JSON"), ({"nx": 8}, "is not a whole result")):
            self.assertIn(words, str(self.refused(GraderTrouble, result=result)))


class Results(Case):
    def test_are_right_or_wrong_with_the_accesses(self):
        for status in (Status.VERIFIED, Status.NOT_RIGHT):
            result = self.run_on(Device(replaying=ends(status)))
            self.assertEqual(result, {**WHOLE, "accesses": []})

    def test_of_one_choice_are_of_one_object(self):
        runs = self.runs()
        for asked in ({}, {"block": "64x1x1"}, {"m": 8}, {"m": 8}):
            self.run_on(Device(), lambda runs, asked=asked: runs.fresh(SOURCE, asked, SIZE, 1), runs)
        self.assertEqual([asked for *_, asked in self.built], [{}, {"m": 8}])

    def test_without_a_launch_are_not_taken(self):
        why = self.refused(NotYet, result={**WHOLE, "launches": 0})
        self.assertEqual(str(why), f"{WHERE} no kernel was launched: the kernel itself must do the work")
        self.assertTrue(why.command.startswith("make run LAB=01 "), why.command)

    def test_that_no_right_kernel_can_have_are_not_taken(self):
        impossible = {**WHOLE, "peak_bandwidth_gbs": 1638.4, "effective_bandwidth_gbs": 46860}
        why = self.refused(NotYet, result=impossible)
        self.assertTrue(str(why).startswith(f"{WHERE} the effective bandwidth is above"), why)
        self.assertTrue(why.command.startswith("make run LAB=01 "), why.command)

    def test_that_are_wrong_anyway_are_told_as_wrong(self):
        impossible = {**WHOLE, "verified": False, "peak_bandwidth_gbs": 1638.4, "effective_bandwidth_gbs": 46860}
        self.assertFalse(self.run_on(Device(replaying=ends(Status.NOT_RIGHT), result=impossible))["verified"])


class SideBySide(Case):
    """When runs are made, and beside what."""

    class Held(Device):
        """Each replay waits until there are so many who wait."""

        def __init__(self, beside=1, **how):
            super().__init__(**how)
            self.barrier, self.stops = threading.Barrier(beside), []

        def __call__(self, command, *arguments, stop=None, **more):
            if "--json" in command:
                self.stops.append(stop)
                self.barrier.wait(10)
            return super().__call__(command, *arguments, **more)

    def setUp(self):
        super().setUp()
        self.enterContext(mock.patch.dict(os.environ, {THREADS: "2"}))
        self.enterContext(mock.patch.object(running, "build", self.build))

    def on(self, stand_in):
        self.enterContext(mock.patch.object(running, "run", stand_in))
        return stand_in

    def test_on_the_emulated_device_runs_are_made_together_and_before_anybody_waits(self):
        device = self.on(self.Held(beside=3))
        runs = self.runs()
        made = [runs.fresh(SOURCE, {}, SIZE, seed) for seed in (1, 2)]
        device.barrier.wait(10)
        self.assertEqual([run.result()["nx"] for run in made], 2 * [WHOLE["nx"]])

    def test_each_is_made_once_however_often_it_is_asked_for(self):
        device = self.on(Device())
        runs = self.runs()
        for _ in range(2):
            for size in (SIZE, [9, 9, 9]):
                runs.fresh(SOURCE, {}, size, 1).result()
        self.assertEqual(len(device.calls), 4)

    def test_on_a_real_device_none_is_made_before_somebody_waits(self):
        device = self.on(Device())
        runs = self.runs("amd")
        first, second = runs.fresh(SOURCE, {}, SIZE, 1), runs.fresh(SOURCE, {}, SIZE, 2)
        concurrent.futures.wait(runs.builds.begun.values())
        self.assertEqual(device.calls, [])
        second.result()
        self.assertEqual(len(device.calls), 2)
        first.result()
        first.result()
        self.assertEqual(len(device.calls), 4)

    def test_on_a_real_device_nothing_is_compiled_beside_a_timed_run(self):
        device, compiled, begun = self.on(Device()), threading.Event(), threading.Event()

        def build(source, place, asked, folder):
            if asked:
                begun.set()
                self.assertTrue(compiled.wait(10))
            return self.build(source, place, asked, folder)

        with mock.patch.object(running, "build", build):
            runs = self.runs("nvidia")
            runs.builds.begin(SOURCE, "01-baseline", {"m": 8})
            untimed, timed = runs.fresh(SOURCE, {}, SIZE, 1), runs.figures(SOURCE, {}, SIZE, 1)
            self.assertTrue(begun.wait(10))
            untimed.result()
            waits = threading.Thread(target=timed.result)
            waits.start()
            waits.join(0.1)
            self.assertEqual(len(device.calls), 2)
            compiled.set()
            waits.join(10)
            self.assertEqual(len(device.calls), 4)

    def test_what_nobody_waits_for_any_more_ends_and_the_rest_is_not_begun(self):
        device = self.on(self.Held(beside=3))
        with self.runs() as runs:
            made = [runs.fresh(SOURCE, {}, SIZE, seed) for seed in range(4)]
            while len(device.stops) < 2:
                time.sleep(0.01)
            self.assertFalse(runs.stop.asked)
        self.assertEqual((device.stops, runs.stop.asked), ([runs.stop] * 2, True))
        self.assertEqual([run.future.cancelled() for run in made], [False, False, True, True])
        device.barrier.abort()

    def test_an_object_whose_compilation_was_cancelled_is_compiled_for_the_next_who_asks(self):
        self.on(Device())
        with self.runs() as runs:
            runs.builds.begun[SOURCE, ""] = cancelled = concurrent.futures.Future()
            cancelled.cancel()
            cancelled.set_running_or_notify_cancel()
            self.assertEqual(runs.fresh(SOURCE, {}, SIZE, 1).result()["nx"], WHOLE["nx"])

    def test_what_does_not_build_is_said_of_each_run_with_its_own_command(self):
        with mock.patch.object(running, "build", mock.Mock(side_effect=NotYet("does not build"))):
            runs = self.runs()
            for seed in (1, 2):
                with self.assertRaisesRegex(NotYet, "^does not build$") as why:
                    runs.fresh(SOURCE, {}, SIZE, seed).result()
                self.assertIn(f"--seed {seed}", why.exception.command)


class AllSizes(Case):
    WANTED = {"all_sizes": True, "nx": [5, 260], "ny": [3, 6], "nz": [3, 6], "block": "256x1x1"}

    def test_are_a_row_from_the_first_on(self):
        self.assertEqual(sizes_of(self.WANTED), ("256:1:4:4", [5, 3, 3]))

    def test_step_by_whole_tiles_where_there_are_some(self):
        tiled = {**self.WANTED, "m": 4, "ny": [4, 16]}
        self.assertEqual(sizes_of(tiled), ("256:4:4:4", [5, 4, 3]))
        self.assertEqual(sizes_of({**tiled, "block": "64x2x1", "ny": [8, 32]}), ("256:8:4:4", [5, 8, 3]))

    def test_are_recorded_and_replayed_in_one_go_without_the_model(self):
        device = Device()
        self.run_on(device, lambda runs: runs.all_sizes(SOURCE, self.WANTED, 7))
        recording, replaying = device.calls
        self.assertEqual((recording["command"][3], replaying["command"][5]), ("256:1:4:4", "256:1:4:4"))
        for call in device.calls:
            self.assertIn("--nx 5 --ny 3 --nz 3", " ".join(call["command"]))
        self.assertEqual(replaying["environment"]["EMULATOR_MODEL"], "0")
        self.assertEqual(replaying["environment"]["EMULATOR_SANITIZE"], "1")
        self.assertNotIn("EMULATOR_LINES", replaying["environment"])

    def test_are_judged_by_no_figures(self):
        impossible = {**WHOLE, "peak_bandwidth_gbs": 1638.4, "effective_bandwidth_gbs": 46860}
        self.run_on(Device(result=impossible), lambda runs: runs.all_sizes(SOURCE, self.WANTED, 7))

    def test_that_take_too_long_may_launch_too_much(self):
        with self.assertRaisesRegex(NotYet, "does not end, or for a launch of many more threads than so small a grid has"):
            self.run_on(Device(replaying=ends(-9, timed_out=True)), lambda runs: runs.all_sizes(SOURCE, self.WANTED, 7))

    def test_say_where_they_began(self):
        with self.assertRaisesRegex(NotYet, "at 5 x 3 x 3, block 256x1x1 and on the launcher was ended by SIGSEGV"):
            self.run_on(Device(recording=ends(-11)), lambda runs: runs.all_sizes(SOURCE, self.WANTED, 7))


class Repeat(unittest.TestCase):
    ASKED = {"m": 8, "kernel": "laplacian", "block": "64x4x1"}
    ARGUMENTS = "--kernel laplacian --block 64x4x1 --nx 67 --ny 64 --nz 9 --seed 5"

    def test_is_make_run_for_a_lab_and_its_answer(self):
        self.assertEqual(repeat_command("emulated", "02-tiling", "labs/02-tiling/laplacian.hip", self.ASKED, [67, 64, 9], 5),
                         f'make run LAB=02 DEVICE=emulated M=8 ARGS="{self.ARGUMENTS}"')
        self.assertEqual(repeat_command("amd", "02-tiling", "solutions/02-tiling/laplacian.hip", {}, [67, 64, 9], 5),
                         'make run LAB=02 SRC=solutions DEVICE=amd ARGS="--nx 67 --ny 64 --nz 9 --seed 5"')

    def test_is_the_same_check_for_a_file_that_make_does_not_know(self):
        source = "/home/x/$(touch y) 'z'.hip"
        command = repeat_command("emulated", "02-tiling", source, self.ASKED, [67, 64, 9], 5)
        self.assertEqual(shlex.split(command), ["python3", "-m", "grading.check", "emulated", "--lab", "02-tiling",
                                                "--seed", "5", source])

    def test_stands_on_one_line(self):
        self.assertTrue(repeat_command("emulated", "02-tiling", "a\nPASSED.hip", {}, [6, 6, 6], 5).isprintable())

    def test_of_a_run_says_where_it_was(self):
        self.assertEqual(where_of({**self.ASKED, "layout": "own", "window": 4}, [67, 64, 9]),
                         "67 x 64 x 9, kernel laplacian, block 64x4x1, layout own, window 4, M=8")


if __name__ == "__main__":
    unittest.main()
