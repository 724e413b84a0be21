"""Whole programs, once by the interpreter and once by translated code: same output, counters and report by source line.

In:  the programs of kernels/ in build/tests/emulator/kernels; the emulated device. Counters of caches and time follow
     from the traces, so traces that differ show in them.
Out: a unittest. EMULATOR_TRANSLATE=1 translates whatever runs twice.
"""
import csv
import glob
import os
import re
import subprocess
import tempfile
import unittest

# A code object without a main; and what is about who waits for whom, whatever executes it.
LEFT_OUT = ("runtime", "repeated_launches", "repeated_of_host", "spinning", "waiting_streams")
PROGRAMS = sorted({os.path.basename(path)[:-len(".hip")] for path in glob.glob("tests/emulator/kernels/*.hip")} -
                  {*LEFT_OUT})
OF_THE_PROCESS = ("pid", "tid", "obj")
# What these reach lies elsewhere in each process, so times differ; or the host or another kernel updates it meanwhile, so
# counts do.
SHARED_MEMORY = ("devices", "float_atomics", "host_pointers", "shared_counters")
ADDRESS = re.compile("0x[0-9a-f]{9,}")  # which no two processes share, either
FREE = re.compile(r"\d+ MiB are free")  # of the computer's memory, at that moment
SLOW = re.compile("emulator: note: .* no workgroup has come to its end for .*\n.*\n")  # on a busy computer


def rows(path):
    """The lines of a report without what no two processes share; [] if the program writes its own."""
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8", newline="") as file:
        return [{name: value for name, value in row.items() if name not in OF_THE_PROCESS} for row in csv.DictReader(file)]


def run(program, translate):
    """What the program prints and what the device reports."""
    with tempfile.TemporaryDirectory() as folder:
        counters, lines = os.path.join(folder, "counters.csv"), os.path.join(folder, "lines.csv")
        environment = {**os.environ, "LD_LIBRARY_PATH": "build/emulator", "EMULATOR_TRANSLATE": translate,
                       "EMULATOR_THREADS": "1", "EMULATOR_COUNTERS": counters, "EMULATOR_LINES": lines,
                       "EMULATOR_PROGRESS": "0"}
        done = subprocess.run([f"build/tests/emulator/kernels/{program}"], capture_output=True, text=True, timeout=300,
                              check=False, env=environment)
        said = ADDRESS.sub("an address", FREE.sub("some MiB are free", SLOW.sub("", done.stderr)))
        return done.returncode, done.stdout, said, rows(counters), rows(lines)


class Kernels(unittest.TestCase):
    def test_translated_ones_do_the_same(self):
        self.assertTrue(PROGRAMS)
        for program in PROGRAMS:
            with self.subTest(program=program):
                interpreted, translated = run(program, "0"), run(program, "1")
                self.assertEqual(interpreted[0], 0, interpreted[2])
                compared = 3 if program in SHARED_MEMORY else None
                for before, after in zip(interpreted[:compared], translated):
                    self.assertEqual(before, after)


if __name__ == "__main__":
    unittest.main()
