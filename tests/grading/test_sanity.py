"""Figures that no right kernel can have are refused with a sentence; those of the solutions are not, nor unknown ones."""
import copy
import glob
import json
import unittest

from grading.sanity import implausible

# Lab 01's solution, 512 x 512 x 32.
POINTS = 510 * 510 * 30
RIGHT = {"interior_points": POINTS, "element_bytes": 8, "peak_bandwidth_gbs": 1638.4, "effective_bandwidth_gbs": 830.1,
         "memory": {"fetch_efficiency_percent": 58.36, "write_efficiency_percent": 99.7, "achieved_bandwidth_gbs": 1138},
         "counters": {"EMULATOR_GLOBAL_BYTES_STORED": 8 * POINTS}}
BEYOND = [
    ("memory.fetch_efficiency_percent", 101, 101.1, "less was fetched from memory than the input holds (101.1, where 101"),
    ("memory.write_efficiency_percent", 101, 101.1, "less was written to memory than the output holds"),
    ("effective_bandwidth_gbs", 1638.4, 1639, "the effective bandwidth is above what the memory can do"),
    ("memory.achieved_bandwidth_gbs", 1638.4, 46860, "the achieved bandwidth is above what the memory can do (4.686e+04"),
    ("counters.EMULATOR_GLOBAL_BYTES_STORED", 8 * POINTS, 8 * POINTS - 1, "the kernels stored 6.242e+07 bytes"),
]


def changed(place, value):
    result = copy.deepcopy(RIGHT)
    *rooms, key = place.split(".")
    room = result
    for name in rooms:
        room = room[name]
    room[key] = value
    return result


class Implausible(unittest.TestCase):
    def test_is_nothing_of_a_right_kernel(self):
        self.assertIsNone(implausible(RIGHT))

    def test_is_each_figure_beyond_its_bound(self):
        for place, most, beyond, words in BEYOND:
            with self.subTest(place):
                self.assertIsNone(implausible(changed(place, most)))
                said = implausible(changed(place, beyond))
                self.assertIn(words, said)
                self.assertTrue(said.endswith("the kernels themselves must do the work"), said)

    def test_is_nothing_that_is_not_known(self):
        for place in ("memory", "counters", "peak_bandwidth_gbs", *(place for place, *_ in BEYOND)):
            self.assertIsNone(implausible(changed(place, None)), place)
        self.assertIsNone(implausible(changed("peak_bandwidth_gbs", 0)))

    def test_is_to_store_less_whatever_a_value_takes(self):
        single = {**changed("counters.EMULATOR_GLOBAL_BYTES_STORED", 4 * POINTS), "element_bytes": 4}
        self.assertIsNone(implausible(single))
        self.assertIsNotNone(implausible({**single, "element_bytes": 8}))

    def test_is_no_recorded_figure_of_a_solution(self):
        seen = 0
        for path in glob.glob("labs/*/expected.json"):
            with open(path, encoding="utf-8") as file:
                for row in json.load(file)["ours"]:
                    memory = {key: row.get(key) for key in ("fetch_efficiency_percent", "write_efficiency_percent")}
                    seen += 1
                    self.assertIsNone(implausible({**RIGHT, "effective_bandwidth_gbs": row.get("effective_bandwidth_gbs"),
                                                   "memory": memory}), (path, row))
        self.assertGreater(seen, 20)


if __name__ == "__main__":
    unittest.main()
