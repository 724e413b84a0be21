"""Launches that repeat others tell the counters and times that they would have had: the same as those that are executed.

In:  build/tests/emulator/kernels/repeated_launches; the emulated device, with its memory model.
Out: a unittest.
"""
import os
import subprocess
import unittest

from tests.emulator.counters import launches

PROGRAM = "build/tests/emulator/kernels/repeated_launches"
OF_THE_PROCESS = ("pid", "tid", "obj")
WAITS_FOR_HOST = "turn_told"  # the kernel whose counts follow from when the host tells it


def rows(*words, **environment):
    """What the device reports of each launch."""
    return [{name: value for name, value in row.items() if name not in OF_THE_PROCESS}
            for row in launches(PROGRAM, *words, **environment) if not row["KernelName"].startswith(WAITS_FOR_HOST)]


class RepeatedCounters(unittest.TestCase):
    def test_they_are_those_of_launches_that_are_executed(self):
        executed = rows("executed", EMULATOR_REUSE="0")
        self.assertGreater(len(executed), 100)
        self.assertEqual(executed, rows())

    def test_sanitized_launches_are_repeated_too(self):
        """One that writes behind its end on purpose ends the program. Before that one of two series is too short."""
        environment = {**os.environ, "LD_LIBRARY_PATH": "build/emulator", "EMULATOR_SANITIZE": "1", "EMULATOR_MODEL": "0"}
        said = subprocess.run([PROGRAM], check=False, timeout=300, env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True).stdout
        self.assertIn("directly behind the end of the allocation", said)
        self.assertLess(said.count("launches take as long as the one before"), 2)


if __name__ == "__main__":
    unittest.main()
