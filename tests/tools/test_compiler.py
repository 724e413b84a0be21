"""Tools from elsewhere: HIPCC=... compiles all that is run and graded, and one that is missing is named."""
import os
import unittest

from tests.tools.checkout import make_checkout, run

PLACE = "build/tests/compiler"
SMALL = "ARGS=--nx 67 --ny 64 --nz 5"


class Compiler(unittest.TestCase):
    def setUp(self):
        self.place = make_checkout(PLACE)
        self.log = os.path.abspath(f"{PLACE}/log")
        self.hipcc = os.path.abspath(f"{PLACE}/other-hipcc")
        with open(self.hipcc, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\necho "$@" >>"{self.log}"\nexec hipcc "$@"\n')
        os.chmod(self.hipcc, 0o755)

    def compiled(self):
        with open(self.log, encoding="utf-8") as file:
            return [line for line in file if " -c solutions/" in line]

    def test_that_is_named_compiles_what_is_run_and_what_is_graded(self):
        which = ("SRC=solutions", "DEVICE=emulated", f"HIPCC={self.hipcc}")
        for goal, compiled in (("check", 1), ("run", 2)):
            status, said = run(self.place, "make", goal, f"LAB=0{compiled}", SMALL, *which)
            self.assertEqual((status, len(self.compiled())), (0, compiled), said)
        self.assertNotIn("own-tmp.sh", "".join(self.compiled()))

    def test_that_is_missing_is_named(self):
        for tool in ("HIPCC=/none/hipcc", "LLVM_CONFIG=llvm-config-1"):
            status, said = run(self.place, "make", "run", "LAB=01", tool)
            self.assertEqual(status, 2)
            self.assertIn(f"{tool.split('=')[1]} is missing: run 'make setup'", said)


if __name__ == "__main__":
    unittest.main()
