"""Workgroups that look for the flags of others count the same, however many threads the host runs them on: how often they
look does not follow from who was faster.

In:  build/tests/emulator/kernels/polling_groups; the emulated device.
Out: a unittest.
"""
import unittest

from tests.emulator.counters import launches

PROGRAM = "build/tests/emulator/kernels/polling_groups"


def counts(threads):
    """Of each launch, the instructions by kind."""
    return [{name: value for name, value in row.items() if name.startswith("SQ_INSTS")}
            for row in launches(PROGRAM, EMULATOR_MODEL="0", EMULATOR_THREADS=threads)]


class PollingCounters(unittest.TestCase):
    def test_are_the_same_on_any_number_of_threads(self):
        alone = counts("1")
        self.assertGreater(len(alone), 10)
        self.assertIn("SQ_INSTS_SALU", alone[0])
        for threads in "2", "5":
            self.assertEqual(alone, counts(threads))


if __name__ == "__main__":
    unittest.main()
