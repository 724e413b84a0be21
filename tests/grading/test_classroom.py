"""make grade from its environment to its files, with a stand-in for the check: whatever one submission does, all others are
graded; whatever ends a run, the next one goes on; the same grades come out in whatever way they were made.

In: the repository root.
"""
import contextlib
import csv
import fcntl
import glob
import json
import os
import random
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
from unittest import mock

from grading.classroom.checks import Checks
from grading.classroom.keeping import grader_hash
from grading.classroom.text import file_name
from tests.grading.classes import grade, lay_out, read, start

CLASS = {"ann": {"01/a.hip": "points 10", "03/a.hip": "points 6.5", "lbm.hip": "points 1 stopped"},
         "bob_01.hip": "points 10", "it's $(x)\n": {"02-tiling/a.hip": "points 3"}, b"\xff": {"05/a.hip": "points 4"}}


class Grading(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.out = f"{self.folder}/out"
        self.settings = {"SUBMISSIONS": f"{self.folder}/handed in", "OUT": self.out, "STANDIN_LOG": f"{self.folder}/log"}

    def hand_in(self, entries):
        shutil.rmtree(self.settings["SUBMISSIONS"], ignore_errors=True)
        os.mkdir(self.settings["SUBMISSIONS"])
        lay_out(self.settings["SUBMISSIONS"], entries)

    def grade(self, expected=0, **more):
        status, said, errors = grade({**self.settings, **more})
        self.assertNotIn("Traceback", errors)
        self.assertEqual(status, expected, errors + said)
        return said, errors

    def points(self, student, lab="01-baseline", out=None):
        rows = {row["id"]: row for row in csv.DictReader(read(out or self.out, "gradebook.csv").splitlines())}
        return rows[student][lab]

    def checks_run(self):
        return len(read(self.folder, "log").splitlines()) if os.path.exists(f"{self.folder}/log") else 0

    def made(self, out):
        """What must be the same in all runs."""
        names = ["gradebook.csv", "grades.json", "overview.html", *glob.glob("students/*/*", root_dir=out)]
        return {name: read(out, name, mode="rb") for name in names}


class Results(Grading):
    def test_every_student_gets_points_a_page_and_reports(self):
        self.hand_in(CLASS)
        said, errors = self.grade()
        self.assertEqual([self.points("ann", lab) for lab in ("01-baseline", "03-reorder", "04-launch-bounds", "total")],
                         ["10", "6.5", "0", "17.5"])
        self.assertEqual(self.points(r"it's $(x)\n", "02-tiling"), "3")
        self.assertEqual(self.points(r"\udcff", "05-nontemporal"), "4")
        for student in ("ann", "bob", r"it's $(x)\n", r"\udcff"):
            self.assertEqual(set(os.listdir(f"{self.out}/students/{file_name(student)}")),
                             {"feedback.html", "junit.xml", "results.tap"})
        self.assertIn("ann", errors)
        self.assertRegex(errors, r"5 of 5 .*min left")
        self.assertIn("Points by lab", said)
        self.assertIn("01-baseline", read(self.out, "times.csv"))

    def test_the_same_files_are_checked_once(self):
        self.hand_in({name: {"01/a.hip": "points 4"} for name in "abcdef"} | {"g": {"02/a.hip": "points 4"}})
        said, _ = self.grade()
        self.assertEqual(self.checks_run(), 2)
        self.assertEqual([self.points(name) for name in "adfg"], ["4", "4", "4", "0"])
        self.assertIn("the same file  a, b, c, d, e, f", said)
        self.grade()
        self.assertEqual(self.checks_run(), 2)

    def test_a_header_makes_another_file_of_it(self):
        self.hand_in({"a": {"01/a.hip": "points 4"}, "b": {"01/a.hip": "points 4", "01/x.h": "points 9"}})
        self.grade()
        self.assertEqual(self.checks_run(), 2)

    def test_the_roster_decides_who_is_in_the_class(self):
        self.hand_in({**CLASS, "zed_01.hip": "points 4"})
        with open(f"{self.folder}/class.csv", "w", encoding="latin-1") as file:
            file.write("name;id;email\nÖz, Ann;ann;a@x\nBob;bob;\nCarl;carl;\n")
        said, _ = self.grade(2, ROSTER=f"{self.folder}/class.csv")
        self.assertEqual([self.points(name) for name in ("ann", "bob", "carl")], ["10", "10", "0"])
        self.assertEqual(self.points("ann", "name"), "Öz, Ann")
        self.assertRegex(said, r"zed_01.hip +Nobody in the roster")
        self.assertIn("3 students", said)

    def test_labs_chooses(self):
        self.hand_in(CLASS)
        self.grade(LABS="3")
        self.assertEqual(self.points("ann", "total"), "6.5")
        self.assertEqual(self.checks_run(), 1)

    def test_one_seed_for_the_class_is_drawn_once_and_kept(self):
        self.hand_in(CLASS)
        seeds = []
        for asked in ("", "", "12", ""):
            self.grade(SEED=asked)
            seeds.append(self.points("ann", "seed"))
        self.assertEqual(seeds, [seeds[0], seeds[0], "12", "12"])
        self.assertNotEqual(seeds[0], "7")
        self.assertEqual(self.checks_run(), 10)


class Grader(Grading):
    def test_only_what_decides_a_grade_makes_another_grader(self):
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        hashes = [grader_hash()]
        for path in ("grading/check.py", "grading/__pycache__/check.pyc", "tools/bench/__pycache__/a.pyc",
                     "grading/grade.py", "solutions/01/NOTES.md", "tools/bench/a.c", "labs/01/expected.json",
                     "grading/launches/run.py"):
            lay_out(self.folder, {path: "x"})
            hashes.append(grader_hash())
        changed = [hashes[at] != hashes[at + 1] for at in range(len(hashes) - 1)]
        self.assertEqual(changed, [True, False, False, False, False, True, True, True])


class Trouble(Grading):
    BAD = {"a": "crash", "b": "trouble", "c": "mute", "d": "broken"}

    def test_it_stops_nobody_and_is_no_0(self):
        self.hand_in({f"{name}_01.hip": text for name, text in self.BAD.items()} | {"z_01.hip": "points 10"})
        said, _ = self.grade(2)
        self.assertEqual([self.points(name) for name in "abcdz"], 4 * ["not graded"] + ["10"])
        for words in ("ended by signal 11", "the device is on fire", "status 0 but wrote no whole result",
                      "Not graded: 4 labs of students and 0 entries", "check.py emulated --seed 7 --lab 01-baseline"):
            self.assertIn(words, said)

    def test_it_is_tried_again_the_next_time_and_nothing_else_is(self):
        self.hand_in({"a_01.hip": "trouble", "b_01.hip": "points 10"})
        self.grade(2)
        self.grade(2)
        self.assertEqual(self.checks_run(), 3)

    def test_a_check_that_never_ends_is_ended(self):
        self.hand_in({"a_01.hip": "endless", "b_01.hip": "points 10"})
        process = start(self.settings, "checks.LONGEST_S = 2")
        said, _ = process.communicate(timeout=60)
        self.assertIn("The check was ended after 2 s.", said)
        self.assertEqual((process.returncode, self.points("a"), self.points("b")), (2, "not graded", "10"))

    def test_what_cannot_be_unpacked_is_not_graded(self):
        self.hand_in({"a.zip": b"PK", "b_01.hip": "points 10"})
        said, _ = self.grade(2)
        self.assertEqual((self.points("a"), self.points("b")), ("not graded", "10"))
        self.assertIn("a.zip cannot be unpacked", said)

    def test_wrong_settings_are_sentences(self):
        self.hand_in(CLASS)
        for settings, words in (({"SUBMISSIONS": ""}, "SUBMISSIONS names no folder. Example:"),
                                ({"JOBS": "x"}, "JOBS=x is no whole number from 1 to 1000"),
                                ({"JOBS": "0"}, "JOBS=0 is no whole number"), ({"SEED": "-1"}, "SEED=-1 is no whole number"),
                                ({"LABS": "99"}, "LABS=99: 99 is no lab; there are: 01-baseline"),
                                ({"LAUNCHER": "'x"}, "LAUNCHER='x is no command: No closing quotation"),
                                ({"LAUNCHER": "no-such -n1"}, "there is no command no-such on this machine"),
                                ({"ROSTER": "/no/such"}, "ROSTER=/no/such cannot be read"),
                                ({"OUT": "/proc/x"}, "make grade could not go on")):
            self.assertIn(words, self.grade(2, **settings)[1])
        os.makedirs(self.out, exist_ok=True)
        with open(f"{self.out}/seed", "w", encoding="utf-8") as file:
            file.write("")
        self.assertIn("SEED= is no whole number", self.grade(2, SEED="")[1])


class Repeatable(Grading):
    def test_the_same_bytes_whatever_the_jobs(self):
        self.hand_in({**CLASS, **{f"s{n}_01.hip": f"points {n % 11} sleep 0.{n % 3}" for n in range(12)}})
        made = []
        for jobs in "1", "7":
            shutil.rmtree(self.out, ignore_errors=True)
            self.grade(JOBS=jobs)
            made.append(self.made(self.out))
        self.assertEqual(made[0], made[1])
        self.grade(JOBS="2")
        self.assertEqual(made[0], self.made(self.out))

    def test_needs_a_sandbox_or_is_told_that_there_is_none(self):
        self.hand_in(CLASS)
        os.mkdir(f"{self.folder}/bin")
        for name in ("python3", "git", "make", "bash", "sh", "hipcc"):
            os.symlink(shutil.which(name), f"{self.folder}/bin/{name}")
        _, errors = self.grade(2, PATH=f"{self.folder}/bin")
        self.assertIn("There is no sandbox on this machine: bubblewrap is not installed", errors)
        self.assertEqual(self.checks_run(), 0)
        self.grade(PATH=f"{self.folder}/bin", SANDBOX="none")
        self.assertEqual(self.checks_run(), 5)

    def test_jobs_run_side_by_side(self):
        self.hand_in({f"s{n}_01.hip": f"points {n} sleep 3.0" for n in range(8)})
        began = time.monotonic()
        self.grade(JOBS="8")
        self.assertLess(time.monotonic() - began, 20)  # one after the other they sleep for 24 s

    def test_of_several_side_by_side_each_does_one_thing_at_a_time(self):
        self.hand_in(CLASS)
        for jobs, threads in ("1", ""), ("2", "1"):
            shutil.rmtree(self.out, ignore_errors=True)
            says = f"echo \"$CHECK_THREADS\" >>\"{self.folder}/threads {jobs}\""
            self.grade(JOBS=jobs, LAUNCHER=f"sh -c '{says}; exec \"$@\"' -", CHECK_THREADS="")
            self.assertEqual(set(read(self.folder, f"threads {jobs}").splitlines()), {threads})

    def test_the_launcher_comes_before_each_check(self):
        self.hand_in(CLASS)
        self.grade(LAUNCHER="env 'STANDIN_LOG=" + self.folder + "/other log'")
        self.assertEqual(self.checks_run(), 0)
        self.assertEqual(len(read(self.folder, "other log").splitlines()), 5)


class Killed(Grading):
    def results(self):
        return len(glob.glob(f"{self.out}/results/*.json"))

    def test_kill_9_at_random_moments_loses_nothing(self):
        self.hand_in({f"s{n}": {"01/a.hip": f"points {n % 11} sleep 0.1{n:02}"} for n in range(24)})
        seed = random.randrange(1 << 32)
        draw = random.Random(seed)
        kills = 0
        # While there is so much left that no machine is through with it before it is killed.
        while kills < 6 and self.results() < 14:
            process = start({**self.settings, "JOBS": "3"}, start_new_session=True)
            wanted = self.results() + draw.randrange(5)
            while self.results() < wanted and process.poll() is None:
                time.sleep(draw.uniform(0, 0.1))
            time.sleep(draw.uniform(0, 0.2))
            self.assertIsNone(process.poll(), f"seed {seed}")
            process.kill()
            process.communicate()
            kills += 1
            for path in glob.glob(f"{self.out}/results/*.json"):
                json.loads(read(path))
        self.grade(JOBS="3")
        # What was running when the process ended is run again, three at a time.
        self.assertLessEqual(self.checks_run(), 24 + 3 * kills, f"seed {seed}")
        interrupted = self.made(self.out)
        shutil.rmtree(self.out)
        self.grade()
        self.assertEqual(interrupted, self.made(self.out), f"seed {seed}")

    def test_checks_end_with_a_grader_that_is_killed(self):
        for by in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT):
            self.hand_in({"a_01.hip": f"endless {by}"})
            process = start(self.settings)
            while self.checks_run() == 0:
                time.sleep(0.05)
            process.send_signal(by)
            _, errors = process.communicate(timeout=30)
            check = int(read(self.folder, "log").split()[1])
            os.unlink(f"{self.folder}/log")
            for _ in range(100):
                if not os.path.exists(f"/proc/{check}"):
                    break
                time.sleep(0.05)
            self.assertFalse(os.path.exists(f"/proc/{check}"), by)
            if by != signal.SIGKILL:
                self.assertEqual(process.returncode, 2)
                self.assertIn("make grade was stopped. What was graded is kept; the same command goes on.", errors)
                self.assertEqual(glob.glob(f"{self.out}/results/*.json"), [], "what was stopped is no result")


class Together(Grading):
    def test_runs_on_one_folder_share_the_work(self):
        self.hand_in({f"s{n}_01.hip": f"points {n % 10}.{n} sleep 0.2" for n in range(16)})
        runs = [start({**self.settings, "SEED": ""}) for _ in range(4)]
        for run in runs:
            _, errors = run.communicate(timeout=120)
            self.assertEqual(run.returncode, 0, errors)
        self.assertEqual(self.checks_run(), 16)
        made = self.made(self.out)
        self.grade(SEED="")
        self.assertEqual(made, self.made(self.out))

    def test_what_another_run_holds_is_waited_for(self):
        self.hand_in({"a_01.hip": "points 4"})
        self.grade()
        result, = glob.glob(f"{self.out}/results/*.json")
        os.unlink(result)
        with open(glob.glob(f"{self.out}/running/*.lock")[0], "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            waiting = start(self.settings)
            with self.assertRaises(subprocess.TimeoutExpired):
                waiting.communicate(timeout=2)
        waiting.communicate(timeout=30)
        self.assertEqual((waiting.returncode, self.checks_run()), (0, 2))


class Claims(unittest.TestCase):
    def test_what_another_run_finished_before_the_claim_is_not_done_again(self):
        kept = mock.Mock()
        kept.is_done.side_effect = [False, True, True]
        kept.claim = lambda item: contextlib.nullcontext(True)
        run = Checks(kept, "emulated", 7, [], None)
        run.grade_once = self.fail
        run.work(["item"])


if __name__ == "__main__":
    unittest.main()
