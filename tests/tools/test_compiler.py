"""Tools from elsewhere: HIPCC=... compiles what is run, and one that is missing is named."""
import os
import unittest

from tests.tools.checkout import make_checkout, run

PLACE = "build/tests/compiler"


class Compiler(unittest.TestCase):
    def setUp(self):
        self.place = make_checkout(PLACE)
        self.hipcc = os.path.abspath(f"{PLACE}/other-hipcc")
        with open(self.hipcc, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n"
                       "case \" $*\" in *\" -c \"*) echo the other one compiles >&2; exit 1 ;; esac\nexec hipcc \"$@\"\n")
        os.chmod(self.hipcc, 0o755)

    def test_that_is_named_compiles_what_is_run(self):
        for goal in ("run", "sweep"):
            status, said = run(self.place, "make", goal, "LAB=01", "DEVICE=emulated", f"HIPCC={self.hipcc}")
            self.assertEqual(status, 2, said)
            self.assertIn("the other one compiles", said)

    def test_that_is_named_compiles_what_is_graded(self):
        status, said = run(self.place, "make", "check", "LAB=01", "DEVICE=emulated", f"HIPCC={self.hipcc}")
        self.assertEqual(status, 1, said)
        self.assertIn("  | the other one compiles", said)

    def test_that_is_missing_is_named(self):
        for tool in ("HIPCC=/none/hipcc", "LLVM_CONFIG=llvm-config-1"):
            status, said = run(self.place, "make", "run", "LAB=01", tool)
            self.assertEqual(status, 2)
            self.assertIn(f"{tool.split('=')[1]} is missing: run 'make setup'", said)


if __name__ == "__main__":
    unittest.main()
