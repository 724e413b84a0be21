"""Sizes drawn for correctness: what a lab promises, what makes mistakes show, the same from the same seed."""
import glob
import json
import unittest

from grading.draw import Draw, fresh_seed, fresh_size, splitmix64

SEEDS = range(300)


def all_runs():
    """(lab, run) of every run for correctness that a lab asks for."""
    for path in sorted(glob.glob("labs/*/expected.json")):
        with open(path, encoding="utf-8") as file:
            expected = json.load(file)
        yield from ((expected["lab"], run) for run in expected["correctness"]["runs"])


class Drawing(unittest.TestCase):
    def test_numbers_are_the_published_ones_of_splitmix64(self):
        # Steele, Lea, Flood 2014: state 0, the first three outputs.
        self.assertEqual([splitmix64(n) for n in (1, 2, 3)],
                         [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F])

    def test_the_same_seed_draws_the_same_everywhere(self):
        draw = Draw(2026)
        self.assertEqual([draw.whole(1, 1000) for _ in range(5)], [777, 256, 409, 55, 443])

    def test_all_of_a_range_is_drawn_and_nothing_else(self):
        draw = Draw(1)
        self.assertEqual({draw.whole(3, 9) for _ in range(500)}, set(range(3, 10)))

    def test_fresh_seeds_differ(self):
        self.assertGreater(len({fresh_seed() for _ in range(8)}), 6)


class Sizes(unittest.TestCase):
    def check_all(self, holds):
        checked = 0
        for lab, run in all_runs():
            for seed in SEEDS:
                size = fresh_size(run, Draw(seed))
                checked += 1
                self.assertTrue(holds(size, run), f"{lab}, {run}, seed {seed}: {size}")
        self.assertGreaterEqual(checked, 24 * len(SEEDS))

    def test_differ_in_all_directions(self):
        self.check_all(lambda size, run: len(set(size)) == 3)

    def test_lie_in_their_ranges(self):
        self.check_all(lambda size, run: all(run[key][0] <= n <= run[key][1] for key, n in zip(("nx", "ny", "nz"), size)))

    def test_are_no_multiples_of_the_block(self):
        def holds(size, run):
            block = [max(2, int(n)) for n in run["block"].split("x")]
            return size[0] % block[0] and ("m" in run or size[1] % block[1]) and ("window" in run or size[2] % block[2])
        self.check_all(holds)

    def test_hold_whole_tiles_where_the_kernel_computes_tiles(self):
        self.check_all(lambda size, run: "m" not in run or size[1] % (int(run["block"].split("x")[1]) * run["m"]) == 0)

    def test_leave_a_rest_of_the_window(self):
        self.check_all(lambda size, run: "window" not in run or size[2] % run["window"])

    def test_change_with_the_seed(self):
        for lab, run in all_runs():
            self.assertGreater(len({tuple(fresh_size(run, Draw(seed))) for seed in SEEDS}), len(SEEDS) // 2, lab)


if __name__ == "__main__":
    unittest.main()
