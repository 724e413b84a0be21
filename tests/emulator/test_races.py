"""EMULATOR_SANITIZE=1: races that learners write are told, and right kernels that look like them are not."""
import itertools
import unittest

from tests.emulator.test_sanitizer import ENGINES, expect_silent, expect_told, run

PROGRAM = "build/tests/emulator/faults/races"

# What stands in the sentence about a case.
TOLD = {
    "bytes-written": ("thread (64, 0, 0): writes LDS byte 0, which thread (0, 0, 0) writes",),
    "halves-written": ("thread (64, 0, 0): writes LDS byte 0, which thread (0, 0, 0) writes",),
    "byte-read": ("thread (64, 0, 0): reads LDS byte 0, which thread (0, 0, 0) writes",),
    "half-read": ("thread (64, 0, 0): reads LDS byte 0, which thread (0, 0, 0) writes",),
    "byte-overwritten": ("thread (65, 0, 0): writes LDS byte 1, which thread (1, 0, 0) reads",),
    "same-first": ("thread (64, 0, 0): writes LDS byte 0, which thread (0, 0, 0) writes, with the value that it has, at",),
    "late-slots": ("thread (64, 0, 0): reads LDS byte 0, which thread (0, 0, 0) writes",),
    "late-least": ("thread (64, 0, 0): updates LDS byte 0, which thread (0, 0, 0) writes",),
    "fresh-sum": ("block (1, 0, 0), thread (0, 0, 0): updates atomically address",
                  "where block (0, 0, 0), thread (0, 0, 0) has written another value"),
    "stored-and-sums": ("block (2, 0, 0), thread (0, 0, 0): updates atomically address",
                        "where block (0, 0, 0), thread (0, 0, 0) has written another value"),
    "generic-sum": ("thread (64, 0, 0): updates LDS byte 0, which thread (0, 0, 0) writes",),
    "generic": ("thread (128, 0, 0): writes LDS byte 512, which thread (127, 0, 0) reads",),
    "generic-beside-volatile": ("thread (64, 0, 0): reads LDS byte 0, which thread (0, 0, 0) writes",),
    "two-locks": ("thread (64, 0, 0): reads LDS byte", "which thread (0, 0, 0) writes"),
    "volatile-end": ("thread (64, 0, 0): writes LDS byte 256, which thread (32, 0, 0) reads",),
    "late-zero": ("thread (64, 0, 0): updates LDS byte 0, which thread (0, 0, 0) writes",),
    "early-zero": ("thread (64, 0, 0): writes LDS byte 0, which thread (0, 0, 0) updates",),
    "last-wave": ("thread (255, 0, 0): reads LDS byte 0, which thread (128, 0, 0) updates",),
    "compacted": ("thread (64, 0, 0): updates LDS byte", "which thread (0, 0, 0) reads"),
    "read-then-waited": ("thread (128, 0, 0): reads LDS byte", "which thread (0, 0, 0) writes"),
    "largest": ("LDS byte", "no barrier stands between"),
    "searched": ("thread (64, 0, 0): writes LDS byte 256, which thread",),
    "blocks-first-zero": ("block (1, 0, 0), thread (0, 0, 0): writes to address",
                          "where block (0, 0, 0), thread (0, 0, 0) has written the value that was there"),
    "blocks-bytes": ("block (1, 0, 0), thread (0, 0, 0): writes to address",
                     "where block (0, 0, 0), thread (0, 0, 0) has written another value"),
    "blocks-halves": ("block (1, 0, 0), thread (0, 0, 0): writes to address",
                      "where block (0, 0, 0), thread (0, 0, 0) has written another value"),
    "blocks-pixels": ("block (1, 0, 0), thread (0, 0, 0): writes to address",
                      "where block (0, 0, 0), thread (1, 0, 0) has written another value"),
    "blocks-pairs": ("block (1, 0, 0), thread (0, 0, 0): writes to address",
                     "where block (0, 0, 0), thread (0, 0, 0) has written another value"),
    "blocks-rows": ("block (1, 0, 0), thread (0, 0, 0): writes to address",
                    "where block (0, 0, 0), thread (39, 0, 0) has written another value"),
    "zero-and-sum": ("block (1, 0, 0), thread (0, 0, 0): updates atomically address",
                     "where block (0, 0, 0), thread (0, 0, 0) has written"),
    "float-largest": ("block (1, 0, 0), thread (0, 0, 0): writes to address",
                      "where block (0, 0, 0), thread (0, 0, 0) has written another value"),
    "float-sum": ("block (1, 0, 0), thread (0, 0, 0): writes to address",
                  "where block (0, 0, 0), thread (0, 0, 0) has written another value"),
    "printed": ("block (1, 0, 0), thread (0, 0, 0): writes to address",
                "where block (0, 0, 0), thread (0, 0, 0) has written another value"),
}
NOTED = {
    "sum": ("block (1, 0, 0), thread (0, 0, 0): reads 4 bytes at address",
            "where other blocks have updated memory atomically, as this one has at"),
    "table": ("block (1, 0, 0), thread (0, 0, 0): reads 4 bytes at address",
              "where block (0, 0, 0), thread (0, 0, 0) has written another value"),
    "rows": ("block (1, 0, 0), thread (0, 0, 0): reads 4 bytes at address",
             "where block (0, 0, 0), thread (16, 0, 0) has written another value"),
    "bytes": ("block (1, 0, 0), thread (0, 0, 0): reads 1 bytes at address",
              "where block (0, 0, 0), thread (63, 0, 0) has written another value"),
    "halves": ("block (1, 0, 0), thread (0, 0, 0): reads 2 bytes at address",
               "where block (0, 0, 0), thread (63, 0, 0) has written another value"),
    "row": ("block (1, 0, 0), thread (0, 0, 0): reads 4 bytes at address",
            "where block (0, 0, 0), thread (63, 0, 0) has written another value"),
    "uniform": ("block (2, 0, 0), thread (0, 0, 0): reads 4 bytes at address",
                "where block (1, 0, 0), thread (0, 0, 0) has written another value"),
    "scalar": ("block (1, 0, 0), thread (0, 0, 0): reads 4 bytes at address",
               "where block (0, 0, 0), thread (63, 0, 0) has written another value"),
}
LOST = {
    "count": "thread (0, 0, 0): reads address 0x",
    "in-lds": "thread (0, 0, 0): reads LDS byte 0, changes the value and writes it back, and so does thread (1, 0, 0)",
    "in-a-table": "writes it back, and so does thread (7, 0, 0)",
}
SILENT = ("slot", "lock", "marks", "lanes",
          "bytes", "blocks-bytes", "blocks-halves", "other-bytes", "compacted", "largest-float",
          "largest-double", "cas", "exch-volatile", "exch-cas", "exch-max", "exch-sleep", "exch-shfl",
          "volatile-sleep", "volatile-shfl", "add-volatile", "meet", "global-lock", "looks", "ring",
          "joined", "marked", "rows", "byte-again", "same-twice", "own-counts", "one-counts", "far-counts",
          "behind", "own-values")


class Races(unittest.TestCase):
    def test_each_case_ends_with_its_sentence(self):
        expect_told(self, PROGRAM, TOLD)

    def test_what_a_load_may_miss_is_noted(self):
        for engine, (case, phrases) in itertools.product(ENGINES, NOTED.items()):
            with self.subTest(case, translate=engine):
                said = run(PROGRAM, f"note-{case}", translate=engine).stdout
                for phrase in (*phrases, "what it reads is up to the order in which blocks run"):
                    self.assertIn(phrase, said)

    def test_lanes_of_one_store_are_noted(self):
        for engine in ENGINES:
            said = run(PROGRAM, "lanes", translate=engine).stdout
            self.assertIn("thread (0, 0, 0): writes to address 0x", said)
            self.assertIn("and so does thread (1, 0, 0) by the same instruction, with another value", said)
            said = run(PROGRAM, "lanes-in-lds", translate=engine).stdout
            self.assertIn("thread (0, 0, 0): writes to LDS byte 0, and so does thread (9, 0, 0) by the same", said)
            self.assertIn("hipDeviceSynchronize: hipSuccess", said)

    def test_changes_that_lanes_lose_are_noted(self):
        for engine, (case, phrase) in itertools.product(ENGINES, LOST.items()):
            with self.subTest(case, translate=engine):
                said = run(PROGRAM, f"lost-{case}", translate=engine).stdout
                self.assertIn(phrase, said)
                self.assertIn("by the same instructions: both find the same value there, and one of the two changes is "
                              "lost", said)
                self.assertIn("hipDeviceSynchronize: hipSuccess", said)

    def test_right_kernels_are_silent(self):
        expect_silent(self, PROGRAM, SILENT)

    def test_blocks_that_store_the_same_at_the_same_time(self):
        for _ in range(6):  # whether two threads of the host meet is up to luck
            said = run(PROGRAM, "ok-marked", threads="2", model="0").stdout
            self.assertEqual(said, "hipDeviceSynchronize: hipSuccess\n")


if __name__ == "__main__":
    unittest.main()
