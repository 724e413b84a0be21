"""Workgroups that look for the flags of others count the same, however many threads the host runs them on: how often they
look does not follow from who was faster.

In:  build/tests/emulator/kernels/polling_groups; the emulated device.
Out: a unittest.
"""
import csv
import os
import subprocess
import tempfile
import unittest

PROGRAM = "build/tests/emulator/kernels/polling_groups"


def counts(threads):
    """Of each launch, the instructions by kind."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "counters.csv")
        subprocess.run([PROGRAM], check=True, timeout=300, env={
            **os.environ, "LD_LIBRARY_PATH": "build/emulator", "EMULATOR_MODEL": "0", "EMULATOR_COUNTERS": path,
            "EMULATOR_THREADS": threads})
        with open(path, encoding="utf-8", newline="") as file:
            return [{name: value for name, value in row.items() if name.startswith("SQ_INSTS")}
                    for row in csv.DictReader(file)]


class PollingCounters(unittest.TestCase):
    def test_are_the_same_on_any_number_of_threads(self):
        alone = counts("1")
        self.assertGreater(len(alone), 10)
        self.assertIn("SQ_INSTS_SALU", alone[0])
        for threads in "2", "5":
            self.assertEqual(alone, counts(threads))


if __name__ == "__main__":
    unittest.main()
