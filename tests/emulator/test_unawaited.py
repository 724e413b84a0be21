"""Programs that read managed memory without having waited for the kernel that writes it are told so, once; others are not.

In:  build/tests/emulator/faults/unawaited and unawaited_variable; the emulated device.
Out: a unittest.
"""
import os
import subprocess
import unittest

PROGRAM = "build/tests/emulator/faults/unawaited"
WITH_VARIABLE = "build/tests/emulator/faults/unawaited_variable"
ALL_WAYS = ("device", "stream", "event", "copy", "query-event", "query-stream", "callback")


def said(*words, program=PROGRAM):
    """What the device says of the program; it must end well."""
    environment = {**os.environ, "LD_LIBRARY_PATH": "build/emulator", "EMULATOR_MODEL": "0"}
    done = subprocess.run([program, *words], check=True, timeout=60, env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    return done.stdout


class Unawaited(unittest.TestCase):
    def test_it_is_told_where_the_program_gives_the_memory_up(self):
        for then, call in (("free", "hipFree"), ("reset", "hipDeviceReset"), ("end", "its end")):
            for kind, kernel in (("managed", "count_up(int*, int)"), ("inside", "count_inside(Values)")):
                with self.subTest(then=then, kind=kind):
                    self.assertIn(f"note: before {call} the program has not waited for kernel {kernel}, which may use "
                                  "managed memory", said(kind, "no", then))

    def test_variables_in_managed_memory_count(self):
        self.assertIn("before its end the program has not waited for kernel set_number()", said(program=WITH_VARIABLE))

    def test_it_is_told_once(self):
        self.assertEqual(said("managed", "no", "twice").count("has not waited"), 1)

    def test_whoever_waited_or_asked_is_told_nothing(self):
        for how in ALL_WAYS:
            for then in ("free", "reset", "end"):
                with self.subTest(how=how, then=then):
                    self.assertEqual(said("managed", how, then), "")

    def test_a_kernel_that_fails_is_told_alone(self):
        text = said("far", "no", "free")
        self.assertIn("count_far(int*)", text)
        self.assertNotIn("has not waited", text)

    def test_copies_and_pinned_memory_have_ways_of_their_own(self):
        for kind in ("device", "pinned"):
            for then in ("free", "reset", "end"):
                with self.subTest(kind=kind, then=then):
                    self.assertEqual(said(kind, "no", then), "")


if __name__ == "__main__":
    unittest.main()
