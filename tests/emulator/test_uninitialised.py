"""EMULATOR_SANITIZE=1: values that nobody has written are told where they decide or are computed with, and nowhere else."""
import os
import unittest
from unittest import mock

from tests.emulator.test_sanitizer import expect_silent, expect_told

PROGRAM = "build/tests/emulator/faults/uninitialised"
STORED = "stores to global memory what was computed from an uninitialised value"
BRANCH = "whether the thread takes a branch depends on an uninitialised value"
FRESH = "0 bytes into the allocation of 4096 bytes"

# What stands in the sentence about a case.
TOLD = {
    "scalar-sum": (STORED, FRESH), "chosen": (STORED, FRESH), "votes": (STORED, FRESH), "any": (STORED, FRESH),
    "one-lane": ("thread (5, 0, 0): " + STORED,),
    "range": (BRANCH, FRESH), "bit-of-sum": (BRANCH, FRESH), "bits": (BRANCH, FRESH), "quotient": (BRANCH, FRESH),
    "as-float": (BRANCH, FRESH), "infinite": (BRANCH, FRESH), "infinite-double": (BRANCH, FRESH),
    "negative": (BRANCH, FRESH), "negative-double": (BRANCH, FRESH), "difference": (BRANCH, FRESH), "xor": (BRANCH, FRESH),
    "byte-sum": (STORED, FRESH), "short-product": (STORED, FRESH), "larger-float": (STORED, FRESH), "pairs": (STORED, FRESH),
    "dot": (STORED, FRESH), "matrix": (STORED, "a register that nothing was written to"),
    "lock": ("thread (0, 0, 0): updates atomically an uninitialised value", FRESH),
    "brought": (BRANCH, FRESH),
    "half-counter": ("thread (0, 0, 0): updates atomically an uninitialised value", "4 bytes into the allocation"),
    "tail": ("thread (0, 0, 0): " + STORED, "It comes from LDS byte"),
    "bytes-apart": ("thread (0, 0, 0): " + STORED, "It comes from LDS byte 1"),
    "flags": (BRANCH, "where a thread of the block has stored a result of another uninitialised value"),
    **{case: (STORED, "private memory of the thread (a variable or array",
              "where it has stored a result of another uninitialised value") for case in ("array", "array-of-results")},
    "repeated": ("kernel adds_up", STORED),
    "array-element": (BRANCH, "a variable or array of the thread, read at", "that has no value"),
    "last-byte": (BRANCH, " 3 bytes into the allocation of 4096 bytes"),
    "upper-half": (BRANCH, FRESH), "lower-half": (BRANCH, FRESH),
    "half": (STORED, FRESH), "crossed": (STORED, FRESH), "above-index": (STORED, FRESH), "carry-of-index": (STORED, FRESH),
    "copied-product": (STORED, FRESH),
    "copied-lds": ("kernel branches(int const*, int*)", BRANCH, FRESH),
}
SILENT = ("scalar-copy", "chosen", "one-lane", "itself", "packed", "left", "copied-lds", "locked", "padded", "upper-half",
          "lower-half", "shuffled", "half-pair", "picked",
          "written-by-stream", "written-by-host", "mapped-twice", "mapped-elsewhere",
          "half", "crossed", "index", "copy", "part", "lost")


class Uninitialised(unittest.TestCase):
    def test_each_case_ends_with_its_sentence(self):
        expect_told(self, PROGRAM, TOLD)

    def test_a_repeat_is_not_left_out_where_its_input_has_lost_its_values(self):
        """Though the bytes are those of the launches before it."""
        with mock.patch.dict(os.environ, EMULATOR_REUSE="1"):
            expect_told(self, PROGRAM, {"repeated": TOLD["repeated"]})

    def test_what_is_moved_or_chosen_away_is_none(self):
        expect_silent(self, PROGRAM, SILENT)


if __name__ == "__main__":
    unittest.main()
