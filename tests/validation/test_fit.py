"""The fit of calibrated parameters: the descent on made-up functions, what is fitted and on which cells, the kept traces.

In:  the modules beside this file, published.json, emulator/base/; the built vcopy, replay program and emulated device.
Out: unittest's verdict.
"""
import re
import tempfile
import unittest
from unittest import mock

import descent
import fit
import halves
import run
import traces
import validate
from test_compare import cell, load, table

LINE = "{} = {} ; GB/s: CALIBRATED (peak 1638)\n"
VCOPY = ("vcopy", (), "mi210")


def ini(*lines):
    begin = "; CALIBRATED marks what was fitted.\n[hbm]\nl2_ways = 16 ; ASSUMED\n"
    return begin + "".join(LINE.format(*line) for line in lines)


class Descent(unittest.TestCase):
    STEPS = {"a": descent.Step(1, 0, 10), "b": descent.Step(0.25, 0, 10)}

    def descend(self, function, **start):
        self.seen = []

        def watched(values):
            self.seen.append((values["a"], values["b"]))
            return function(values)
        return descent.descend(watched, start, self.STEPS)

    @staticmethod
    def valley(values):
        """Its lowest point on the grid is a = 7, b = 1.5; it is askew, so one turn does not find it."""
        a, b = values["a"] - 7, values["b"] - 1.5
        return a * a + b * b + 0.9 * a * b

    def test_finds_the_lowest_point(self):
        self.assertEqual(self.descend(self.valley, a=2, b=4.0), {"a": 7, "b": 1.5})
        self.assertEqual(self.descend(self.valley, a=9, b=0.5), {"a": 7, "b": 1.5})

    def test_goes_on_as_long_as_that_helps(self):
        self.descend(self.valley, a=2, b=4.0)
        self.assertEqual(self.seen[:6], [(2, 4), (3, 4), (4, 4), (5, 4), (6, 4), (7, 4)])

    def test_the_lowest_point_stays(self):
        self.descend(self.valley, a=7, b=1.5)
        self.assertEqual(self.seen, [(7, 1.5), (8, 1.5), (6, 1.5), (7, 1.75), (7, 1.25)])

    def test_no_point_twice_and_the_same_every_time(self):
        self.descend(self.valley, a=2, b=4.0)
        first = self.seen
        self.assertEqual(len(first), len(set(first)))
        self.descend(self.valley, a=2, b=4.0)
        self.assertEqual(self.seen, first)

    def test_whole_numbers_stay_whole(self):
        self.descend(self.valley, a=2, b=4.0)
        self.assertEqual({a % 1 for a, _ in self.seen}, {0})

    def test_nothing_out_of_range_is_tried(self):
        self.assertEqual(self.descend(lambda values: -min(values["a"], 20) + max(values["b"], -9), a=8, b=0.5),
                         {"a": 10, "b": 0})
        self.assertLessEqual(max(a for a, _ in self.seen), 10)
        self.assertGreaterEqual(min(b for _, b in self.seen), 0)

    def test_a_gain_that_is_none_changes_nothing(self):
        self.assertEqual(self.descend(lambda values: -values["a"] * descent.GAIN / 2, a=3, b=0), {"a": 3, "b": 0})

    def test_each_step_is_told(self):
        told = []
        descent.descend(lambda values: max(values["a"], -9), {"a": 1}, self.STEPS, lambda *step: told.append(step))
        self.assertEqual(told, [("a", 1, 2, 1, 2, False), ("a", 1, 0, 1, 0, True)])


class Calibrated(unittest.TestCase):
    def test_names_and_values_are_those_of_marked_lines(self):
        self.assertEqual(fit.calibrated(ini(("l1_outstanding", "600"), ("group_launch_clk", "3.5"))),
                         {"l1_outstanding": 600, "group_launch_clk": 3.5})

    def test_none_or_too_many_are_refused(self):
        for names in ([], list("abcdefg")):
            with self.assertRaisesRegex(run.Failure, f"marks {len(names)} parameters CALIBRATED; 1 to 6 can be fitted"):
                fit.calibrated(ini(*((name, "1") for name in names)))

    def test_one_without_a_step_is_refused(self):
        with self.assertRaisesRegex(run.Failure, "no step for l1_ways: give it a row in STEPS"):
            fit.calibrated(ini(("l1_outstanding", "1"), ("l1_ways", "2")))

    def test_the_device_can_be_fitted(self):
        with open(fit.DEVICE, encoding="utf-8") as file:
            found = fit.calibrated(file.read())
        for name, value in found.items():
            self.assertTrue(fit.STEPS[name].least <= value <= fit.STEPS[name].most, name)

    def test_steps_stay_in_the_range_of_the_device(self):
        with open("emulator/base/parameters.h", encoding="utf-8") as file:
            ranges = {name: (float(least), float(most)) for name, least, most in
                      re.findall(r"X\((\w+), ([0-9.]+), ([0-9.]+)\)", file.read())}
        for name, step in fit.STEPS.items():
            least, most = ranges[name]
            self.assertTrue(least <= step.least < step.most <= most, name)

    def test_steps_of_whole_numbers_are_whole(self):
        with open("emulator/base/parameters.c", encoding="utf-8") as file:
            demanded = set(re.findall(r"whole\(p->(\w+)\)", file.read())) | {"l2_unused_ways"}
        for name in demanded & set(fit.STEPS):
            self.assertEqual(fit.STEPS[name].size % 1, 0, name)


class Sizes(unittest.TestCase):
    ROWS = [(name, {}) for name in "abcdefg"]

    def rows(self, **how):
        return "".join(row["row"] for row in fit.cheap(table("t", self.ROWS, fit=how))["rows"])

    def test_of_n_pairs_one_is_kept(self):
        self.assertEqual([self.rows(), self.rows(every=1), self.rows(every=2), self.rows(every=3)],
                         ["abcdefg", "abcdefg", "abef", "abg"])

    def test_sizes_are_those_of_the_fit(self):
        self.assertEqual(fit.cheap(table("t", self.ROWS, sizes=[64, 128], fit={"sizes": [8, 16]}))["sizes"], [8, 16])
        self.assertEqual(fit.cheap(table("t", self.ROWS, sizes=[64, 128], fit={}))["sizes"], [64, 128])
        self.assertNotIn("sizes", fit.cheap(table("t", self.ROWS, fit={})))

    def test_what_no_memory_decides_is_left_out(self):
        rows = fit.cheap(table("t", [("a", {}), ("b", {"compute": True}), ("c", {})], fit={}))["rows"]
        self.assertEqual([row["row"] for row in rows], ["a", "c"])

    def test_rows_of_one_half(self):
        tables = [table("t", self.ROWS[:3]), table("u", self.ROWS[:2], fitted=False)]
        found = fit.with_rows(tables, halves.halves(tables), [halves.FITTED])
        self.assertEqual([(of["name"], [row["row"] for row in of["rows"]]) for of in found], [("t", ["a", "c"])])

    def test_published_tables_can_be_evaluated(self):
        published = load("published.json")["tables"]
        half = halves.halves(published)
        tables = [fit.cheap(of) for of in published if "fit" in of]
        for of in tables:
            with self.subTest(of["name"]):
                self.assertNotIn("compiled", of)
                if of.get("fitted", True):
                    self.assertEqual(half[of["name"], of["rows"][0]["row"]], halves.FITTED)  # what speedups are over
                if "sizes" in of["fit"]:
                    self.assertLess(of["sizes"][1], of["full"])


class Objective(unittest.TestCase):
    def fitted(self, *what, **more):
        return cell(*what, half=halves.FITTED, **more)

    def test_tables_weigh_the_same(self):
        cells = [self.fitted("a", 1, 2), self.fitted("b", 1, 1), self.fitted("c", 1, 1), self.fitted("a", 1, 4, table="u")]
        self.assertAlmostEqual(fit.objective(cells), (1 / 3 + 2) / 2)

    def test_too_little_counts_as_too_much(self):
        self.assertAlmostEqual(fit.objective([self.fitted("a", 1, 0.5)]), fit.objective([self.fitted("a", 1, 2)]))

    def test_only_timed_and_traffic_cells_of_the_fitted_half_count(self):
        other = [cell("b", 1, 8), self.fitted("b", 1, 8, unit="%"), self.fitted("b", 1, 8, unit=""),
                 self.fitted("b", 1, 8, unit="MB", evidence="emulated")]
        self.assertAlmostEqual(fit.objective([self.fitted("a", 1, 2), *other]), 1)
        self.assertAlmostEqual(fit.objective([self.fitted("a", 1, 2, unit="MB")]), 1)

    def test_what_has_no_logarithm_is_worst(self):
        self.assertEqual([fit.distance(cell("a", 1, ours)) for ours in (0, -1, 1e9)], [fit.WORST] * 3)


class Traces(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        kept = mock.patch.object(traces, "KEPT", folder.name)
        kept.start()
        self.addCleanup(kept.stop)

    def test_a_replay_gives_what_the_launches_gave(self):
        traces.keep(VCOPY, "us")
        launched, work = run.launches(*VCOPY)
        replayed, work_again = traces.replay(VCOPY, {})
        self.assertEqual((len(replayed), work_again), (len(launched), work))
        for then, again in zip(launched, replayed):
            for counter in validate.REPLAYED:  # HIP tells a time as a float, of 24 bits
                self.assertAlmostEqual(again[counter], then[counter], delta=2**-24 * then[counter])

    def test_work_is_kept(self):
        job = ("curves", ("latency", "4"), "mi210")
        traces.keep(job, "us")
        self.assertEqual(traces.replay(job, {})[1], run.launches(*job)[1])

    def test_parameters_reach_the_model(self):
        traces.keep(VCOPY, "us")
        slow, fast = (traces.replay(VCOPY, {"hbm_gbs": value})[0][0]["time"] for value in (100, 1600))
        self.assertGreater(slow, 2 * fast)

    def test_a_refused_parameter_is_a_sentence(self):
        traces.keep(VCOPY, "us")
        with self.assertRaisesRegex(run.Failure, "vcopy-mi210 with hbm_gbs=-1 .*hbm_gbs = -1 is out of range"):
            traces.replay(VCOPY, {"hbm_gbs": -1})

    def test_traces_of_another_emulator_are_not_kept(self):
        self.assertFalse(traces.is_kept(VCOPY, "us"))
        traces.keep(VCOPY, "us")
        self.assertTrue(traces.is_kept(VCOPY, "us"))
        self.assertFalse(traces.is_kept(VCOPY, "others"))

    def test_a_failed_program_leaves_nothing_that_is_believed(self):
        job = ("curves", ("no such curve",), "mi210")
        with self.assertRaisesRegex(run.Failure, "curves-no such curve-mi210 ended with status"):
            traces.keep(job, "us")
        self.assertFalse(traces.is_kept(job, "us"))

    def test_a_damaged_file_is_a_sentence(self):
        traces.keep(VCOPY, "us")
        with open(f"{traces.KEPT}/vcopy-mi210.zst", "wb") as file:
            file.write(b"nothing")
        with self.assertRaisesRegex(run.Failure, "Replaying vcopy-mi210 (.|\n)*unsupported format"):
            traces.replay(VCOPY, {})

    def test_what_decides_traces(self):
        read = []
        with mock.patch("builtins.open", side_effect=lambda path, *how: read.append(path) or open_really(path, *how)):
            traces.writers_hash("vcopy")
        self.assertIn("build/tests/validation/vcopy", read)
        self.assertIn("emulator/isa/vector_access.c", read)
        self.assertIn("emulator/base/trace.h", read)
        self.assertFalse([path for path in read if "model/" in path or "parameters" in path])


open_really = open

if __name__ == "__main__":
    unittest.main()
