"""What is asked of a run: where its program lies, its command line, its name in tables, whether a result is of it."""
import unittest

from grading.programs import chosen, is_run_of, label, options, program_path

SOURCE = "solutions/03-reorder/laplacian.hip"


class Choices(unittest.TestCase):
    def test_at_build_time_make_a_program_of_their_own(self):
        self.assertEqual(program_path(SOURCE, {}), "build/solutions/03-reorder/laplacian")
        self.assertEqual(program_path(SOURCE, {"m": 8, "kernel": "laplacian"}), "build/m8/solutions/03-reorder/laplacian")
        paths = {program_path(SOURCE, asked) for asked in ({"m": 2}, {"r": 2}, {"step": 2}, {"m": 2, "r": 2})}
        self.assertEqual(len(paths), 4)

    def test_at_build_time_are_told_to_people(self):
        self.assertEqual([chosen(asked) for asked in ({}, {"m": 8}, {"m": 8, "r": 2}, {"kernel": "laplacian"})],
                         ["", "M=8", "M=8, R=2", ""])

    def test_at_run_time_are_options(self):
        self.assertEqual(options({"kernel": "window", "window": 4, "block": "64x4x1", "size": [7, 8, 9], "m": 2}),
                         ["--kernel", "window", "--block", "64x4x1", "--window", "4", "--nx", "7", "--ny", "8", "--nz", "9"])
        self.assertEqual(options({"layout": "packed"}), ["--layout", "packed"])

    def test_tell_rows_of_a_table_apart(self):
        asked = [{"kernel": "window"}, {"kernel": "ring"}, {"kernel": "window", "window": 4}, {"kernel": "window", "r": 2},
                 {"kernel": "window", "layout": "packed"}, {"kernel": "window", "m": 4}, {"kernel": "window", "step": 4}]
        self.assertEqual(len(set(map(label, asked))), len(asked))
        self.assertEqual(label({"kernel": "window", "size": [1, 2, 3]}), label({"kernel": "window"}))


class RunOf(unittest.TestCase):
    RESULT = {"kernel": "window", "rows": 1, "layout": {"radius": 4, "packed": False}, "window": 8}

    def test_a_row_has_all_that_the_row_names(self):
        self.assertTrue(is_run_of({"kernel": "window", "window": 8, "layout": "own"}, self.RESULT))

    def test_a_row_without_a_tile_is_of_one_row_a_thread(self):
        self.assertTrue(is_run_of({"kernel": "window"}, self.RESULT))
        self.assertFalse(is_run_of({"kernel": "window"}, {**self.RESULT, "rows": 8}))

    def test_a_row_has_nothing_else(self):
        for other in ({"kernel": "ring"}, {"window": 4}, {"layout": "packed"}, {"r": 2}, {"m": 2}):
            self.assertFalse(is_run_of({"kernel": "window", "window": 8, **other}, self.RESULT), other)


if __name__ == "__main__":
    unittest.main()
