"""make variants: which runs are made of a learner's kernels, which of a lab's kernels each stands for, and what the table
says; make diff WITH=starter, of a small run."""
import os
import subprocess
import tempfile
import unittest
from unittest import mock

from grading.expected import load_expected
from tools import variants

WINDOW, DIRECTIONS = "07-sliding-window", "06-alignment"
RESULT = {"nx": 512, "ny": 512, "nz": 32, "device_name": "a device", "time_evidence": "modelled", "verified": True,
          "time_ms": {"median": 0.064}, "effective_bandwidth_gbs": 1177.4,
          "memory": {"fetch_size_gb": 0.04, "write_size_gb": 0.0355}}


class Asked(unittest.TestCase):
    def test_each_choice_is_run_with_each_other(self):
        self.assertEqual(variants.combinations("window=8,32 block=64x4x1"),
                         [{"window": "8", "block": "64x4x1"}, {"window": "32", "block": "64x4x1"}])
        self.assertEqual(variants.combinations("m=8 size=64x8x4"), [{"m": "8", "size": ["64", "8", "4"]}])
        self.assertEqual(variants.combinations(""), [{}])

    def test_what_a_file_does_not_define_is_not_chosen(self):
        told = []
        self.assertEqual(list(variants.tried("labs/07-sliding-window/derivative.hip", [{"m": "8"}], told.append)), [])
        self.assertEqual(told, ["labs/07-sliding-window/derivative.hip defines no TILE, which M=8 would choose"])

    def test_what_is_no_choice_is_said(self):
        for each in ("windows=8", "window=", "window", "window=8,,9", "kernel=ring"):
            with self.assertRaisesRegex(variants.Stop, "takes words like window=8,32 of these: m, "):
                variants.combinations(each)
        with self.assertRaisesRegex(variants.Stop, "three numbers like 512x512x32"):
            variants.combinations("size=64x8")


class Points(unittest.TestCase):
    def test_are_of_the_kernel_that_a_name_begins_with(self):
        self.assertEqual(variants.stands_for("along_z_wide", ["along_x", "along_z"]), "along_z")
        self.assertEqual(variants.stands_for("mine", ["window"]), "window")
        self.assertIsNone(variants.stands_for("mine", ["along_x", "along_z"]))
        self.assertIsNone(variants.expected_of("mine", load_expected(DIRECTIONS)))

    def test_are_of_its_own_criteria_without_the_learners_answers(self):
        own = variants.expected_of("along_z_wide", load_expected(DIRECTIONS))
        rows = [*own["correctness"]["runs"], *own["criteria"], *own["beyond"]]
        self.assertEqual({row["kernel"] for row in rows}, {"along_z_wide"})
        self.assertEqual({row["name"] for row in own["criteria"] if "along y" in row["name"]}, set())
        self.assertEqual(own["axis"]["along_z_wide"], "z")
        self.assertFalse({"predictions", "questions"} & set(own))

    def test_of_a_lab_with_one_kernel_are_of_all_criteria(self):
        expected = load_expected(WINDOW)
        self.assertEqual(len(variants.expected_of("two_columns", expected)["criteria"]), len(expected["criteria"]))


class Table(unittest.TestCase):
    def told(self, results):
        """What is told of kernels, {name: result}, and what is right."""
        told, runs = [], [("labs/07-x/derivative.hip", name, "program", {}) for name in results]
        with mock.patch.object(variants, "tried", lambda *_: runs), \
                mock.patch.object(variants, "run", lambda _, asked: (results[asked["kernel"]], "it was refused")), \
                mock.patch.object(variants, "points_of", lambda *_: "8/9+"):
            right = variants.variants("emulated", "labs/07-x/derivative.hip", "", told.append, mock.Mock(), None)
        return "\n".join(told), right

    def test_has_a_row_for_each_kernel(self):
        said, right = self.told({"window": RESULT, "wrong": {**RESULT, "verified": False}, "refused": None})
        self.assertRegex(said, r"derivative.hip window  right +- +- +- +- +75.5 +0.0640 +1177 +8/9\+\n")
        self.assertRegex(said, r"derivative.hip wrong   WRONG .* 0\n")
        self.assertIn("derivative.hip refused it was refused", said)
        self.assertEqual(said.count("512 x 512 x 32 on a device; time: modelled"), 1)
        self.assertEqual(right, [(1177.4, "derivative.hip window")])

    def test_tells_a_kernel_from_a_choice_of_the_same_name(self):
        self.assertEqual(variants.name_of("labs/07-x/derivative.hip", "window", {"window": "8", "size": ["64", "8", "4"]}),
                         "derivative.hip window window=8 size=64x8x4")

    def test_has_the_files_beside_a_labs_own(self):
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(f"{folder}/variants")
            files = [f"{folder}/own.hip", f"{folder}/variants/a.hip", f"{folder}/variants/b.hip"]
            for file in files:
                open(file, "w", encoding="utf-8").close()
            told = []
            with mock.patch.object(variants, "make", lambda programs, _: ("b" not in programs[0][-1], "error: x")), \
                    mock.patch.object(variants, "kernels_of", lambda _: ["one", "two"]):
                tried = list(variants.tried(files[0], [{}], told.append))
        self.assertEqual([(file, kernel) for file, kernel, *_ in tried],
                         [(file, kernel) for file in files[:2] for kernel in ("one", "two")])
        self.assertEqual(told, [f"{files[2]} does not build:\nerror: x"])


class Starter(unittest.TestCase):
    def test_is_compared_with_what_there_is_now(self):
        done = subprocess.run(["make", "diff", "LAB=06", "SRC=solutions", "WITH=starter", "DEVICE=emulated",
                               "ARGS=--kernel along_z --nx 64 --ny 4 --nz 4"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("the lab's first version and your file:", done.stdout)
        self.assertIn("before: build/starters/06-alignment/derivative.hip, kernel along_z", " ".join(done.stdout.split()))
        self.assertRegex(done.stdout, r"look-ups in L1, cubes +20 +10 +-50.0 %")


if __name__ == "__main__":
    unittest.main()
