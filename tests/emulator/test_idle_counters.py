"""Workgroups that do nothing are counted as if they had been executed: with the memory model, which wants to see each of
them, they are.

In:  build/tests/emulator/kernels/idle_groups; the emulated device.
Out: a unittest.
"""
import unittest

from tests.emulator.counters import launches

PROGRAM = "build/tests/emulator/kernels/idle_groups"
MODELLED = ("SQ_BUSY_CYCLES", "SQ_WAIT_ANY", "SQ_WAVE_CYCLES")


def counts(model):
    """Of each launch, what follows from the instructions alone."""
    return [{name: value for name, value in row.items()
             if name == "VALUUtilization" or name.startswith("SQ_") and name not in MODELLED}
            for row in launches(PROGRAM, EMULATOR_MODEL=model)]


class IdleCounters(unittest.TestCase):
    def test_are_those_of_workgroups_that_are_executed(self):
        executed = counts("1")
        self.assertGreater(len(executed), 10)
        self.assertIn("VALUUtilization", executed[0])
        self.assertEqual(executed, counts("0"))


if __name__ == "__main__":
    unittest.main()
