"""make run: what it says of a kernel that failed, and which runs it keeps for make diff. A compiler that only copies stands
in for hipcc, so a lab's file is the program, a script, that make runs."""
import json
import os
import unittest

from tests.grading.test_results import WHOLE
from tests.tools.checkout import make_checkout, run

PLACE = "build/tests/kept-runs"
LAB = "labs/01-baseline/laplacian.hip"
RESULT = {**WHOLE, "layout": {"radius": 1, "packed": False}, "rows": 1, "window": 0, "points_checked": 336}
HIPCC = """#!/bin/bash
for word; do
  [[ $word == *.hip || $word == *.o && ! $from ]] && from=$word
  [[ $before == -o ]] && to=$word
  before=$word
done
[[ $to ]] || exit 0
cp "$from" "$to" && chmod +x "$to" && echo "$to: $from" >"${to%.o}.d"
"""


def text_of(path):
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        return file.read()


class Runs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = make_checkout(PLACE)
        cls.hipcc = os.path.abspath(f"{PLACE}/copies")
        with open(cls.hipcc, "w", encoding="utf-8") as file:
            file.write(HIPCC)
        os.chmod(cls.hipcc, 0o755)

    def setUp(self):
        run(self.place, "rm", "-rf", "build/results")

    def make_run(self, name, status=0, lines=True, result=True):
        """What make says of a program that ends so, having left a result and a report that have this name in them."""
        result = {**RESULT, "source": name, "verified": status == 0} if result else None
        with open(f"{self.place}/{LAB}", "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + (f"echo '{json.dumps(result)}' >$LAB_RESULT_FILE\n" if result else "")
                       + (f"echo {name} >$EMULATOR_LINES\n" if lines else "") + f"exit {status}\n")
        ended, said = run(self.place, "make", "run", "LAB=01", "DEVICE=emulated", f"HIPCC={self.hipcc}")
        self.assertEqual(ended, 2 if status else 0, said)
        return said

    def kept(self):
        """{"before" and "now": (name in the result, name in the report)}, None for what is not there."""
        names = {}
        for when, middle in ("before", ".before"), ("now", ""):
            path = f"{self.place}/build/results/01-baseline.labs.emulated{middle}"
            result, lines = text_of(f"{path}.json"), text_of(f"{path}.lines.csv")
            names[when] = json.loads(result)["source"] if result else None, lines.strip() if lines else None
        return names

    def test_of_a_kernel_that_fails_on_the_device_says_what_to_do_next(self):
        said = self.make_run("fault", status=4, result=False)
        self.assertIn(f"NOT RIGHT YET: the kernel failed on the device, see above. Next: edit {LAB}.", said)

    def test_of_what_is_not_the_kernels_fault_tells_nobody_to_edit(self):
        for status in (1, 2, 3, 5):
            self.assertNotIn("Next:", self.make_run("other", status=status, result=False), status)

    def test_keeps_the_last_two_with_their_reports(self):
        for name in "first", "second", "third":
            self.make_run(name)
        self.assertEqual(self.kept(), {"before": ("second", "second"), "now": ("third", "third")})

    def test_keeps_no_report_of_another_run_beside_a_result(self):
        for name, lines in ("first", True), ("second", False), ("third", False):
            self.make_run(name, lines=lines)
        self.assertEqual(self.kept(), {"before": ("second", None), "now": ("third", None)})

    def test_compares_with_none_that_was_wrong_or_failed(self):
        self.make_run("right")
        self.make_run("wrong", status=1)
        self.assertEqual(self.kept(), {"before": ("right", "right"), "now": ("wrong", "wrong")})
        self.make_run("fault", status=4, result=False, lines=False)
        self.assertEqual(self.kept(), {"before": ("right", "right"), "now": (None, None)})
        self.make_run("right again")
        self.assertEqual(self.kept(), {"before": ("right", "right"), "now": ("right again", "right again")})

    def diff(self, *command):
        return run(self.place, *command, "diff", "DEVICE=emulated", f"HIPCC={self.hipcc}")

    def test_that_are_not_two_are_no_trouble_of_makes(self):
        self.make_run("first", lines=False)
        for command in (("make", "LAB=01"), ("sh", "-c", 'cd labs/01-baseline && make "$@"', "sh")):
            status, said = self.diff(*command)
            self.assertEqual(status, 1, said)
            self.assertRegex(said, r"\Adevice: emulated, as asked\ndiff: there are no two runs to compare: [^\n]*\n\Z")

    def test_that_are_two_are_compared(self):
        self.make_run("first", lines=False)
        self.make_run("second", lines=False)
        status, said = self.diff("make", "LAB=01")
        self.assertEqual(status, 0, said)
        self.assertRegex(said, r"\Adevice: emulated, as asked\nyour last two runs that were right:\nbefore: first,")

    def test_of_no_lab_are_trouble(self):
        status, said = self.diff("make", "LAB=99")
        self.assertEqual(status, 2, said)
        self.assertIn("LAB=99 names no lab", said)


if __name__ == "__main__":
    unittest.main()
