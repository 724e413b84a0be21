"""What the emulated device counts of each launch of a program.

In:  the program and its words; the environment besides.
Out: the rows of EMULATOR_COUNTERS, each {column: text}.
"""
import csv
import os
import subprocess
import tempfile


def launches(*command, **environment):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "counters.csv")
        subprocess.run(command, check=True, timeout=300, capture_output=True, env={
            **os.environ, "LD_LIBRARY_PATH": "build/emulator", "EMULATOR_COUNTERS": path, **environment})
        with open(path, encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))
