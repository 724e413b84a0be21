"""The hints of every lab: numbered from 1 without a gap, and `make hint` walks through them."""
import glob
import os
import re
import subprocess
import tempfile
import unittest

LABS = sorted(os.path.basename(os.path.dirname(path)) for path in glob.glob("labs/*/README.md"))


def headings(lab):
    with open(f"labs/{lab}/hints.md", encoding="utf-8") as file:
        return [line.rstrip("\n") for line in file if line.startswith("#")][1:]  # without the title


class Hints(unittest.TestCase):
    def test_are_numbered_from_one_on(self):
        for lab in LABS:
            found = headings(lab)
            self.assertEqual(found, [f"## Hint {n}" for n in range(1, len(found) + 1)], lab)

    def test_are_at_least_three(self):
        for lab in LABS:
            self.assertGreaterEqual(len(headings(lab)), 3, lab)

    def test_hold_more_than_a_heading(self):
        for lab in LABS:
            with open(f"labs/{lab}/hints.md", encoding="utf-8") as file:
                for text in re.split(r"^## Hint .*$", file.read(), flags=re.MULTILINE)[1:]:
                    self.assertGreater(len(text.split()), 10, f"{lab}: {text}")

    def test_come_one_after_the_other(self):
        with tempfile.TemporaryDirectory() as state:
            environment = {**os.environ, "HINT_STATE": state, "MAKEFLAGS": ""}
            for lab in LABS:
                last = len(headings(lab))
                for n in range(1, last + 1):
                    command = ["make", "-s", "--no-print-directory", "hint", f"LAB={lab[:2]}"]
                    said = subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
                    self.assertTrue(said.startswith(f"## Hint {n}\n"), f"{lab}, call {n}: {said}")
                    self.assertEqual(said.count("## Hint"), 1, f"{lab}, call {n}: {said}")
                    self.assertIn(f"(hint {n} of {last}", said)


if __name__ == "__main__":
    unittest.main()
