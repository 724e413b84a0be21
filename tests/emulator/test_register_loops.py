"""Loops that stay in the host's registers do what the interpreter does: results, instructions, and where a launch ends.

In:  build/tests/emulator/kernels/register_loops; the emulated device without its memory model: where nobody wants to know
     what loads cost there are such loops.
Out: a unittest.
"""
import os
import subprocess
import unittest

PROGRAM = "build/tests/emulator/kernels/register_loops"
ENGINES = ("0", "1")  # interpreted, translated at once


def run(translate, *arguments, **settings):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=300, check=False, env={
        **os.environ, "LD_LIBRARY_PATH": "build/emulator", "EMULATOR_MODEL": "0", "EMULATOR_THREADS": "1",
        "EMULATOR_TRANSLATE": translate, "EMULATOR_PROGRESS": "0", **settings})


class RegisterLoops(unittest.TestCase):
    def test_results_and_instructions(self):
        interpreted, translated = (run(engine) for engine in ENGINES)
        self.assertEqual(interpreted.returncode, 0, interpreted.stderr)
        self.assertIn("SQ_INSTS_VALU: ", interpreted.stdout)
        self.assertEqual(interpreted.stdout.splitlines(), translated.stdout.splitlines())
        self.assertEqual(interpreted.stderr, translated.stderr)

    def test_where_loads_go_too_far(self):
        for how in ("near", "far"):
            with self.subTest(how=how):
                interpreted, translated = (run(engine, how) for engine in ENGINES)
                self.assertIn("reads 4 bytes at address", interpreted.stderr)
                self.assertEqual(interpreted.stdout, translated.stdout)
                self.assertEqual(interpreted.stderr, translated.stderr)

    def test_instructions_that_one_wave_may_issue(self):
        """The longest loop of the program ends the launch in the same round."""
        interpreted, translated = (run(engine, EMULATOR_INSTRUCTION_BUDGET="2000") for engine in ENGINES)
        self.assertIn("has issued 2000 instructions", interpreted.stderr)
        self.assertEqual(interpreted.stderr, translated.stderr)


if __name__ == "__main__":
    unittest.main()
