"""Remembered runs: the same program with the same arguments is run once, another one again."""
import os
import tempfile
import unittest
from unittest import mock

from grading import references
from grading.references import remembered
from test_results import WHOLE


class Remembered(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        for name in ("program", "library"):
            self.write(name, "first")
        for name, value in (("FOLDER", self.path("references")), ("LIBRARY", self.path("library"))):
            patched = mock.patch.object(references, name, value)
            patched.start()
            self.addCleanup(patched.stop)
        self.made = 0

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def ask(self, *arguments):
        def make():
            self.made += 1
            return {**WHOLE, "seed": self.made}

        return remembered(self.path("program"), list(arguments), make)["seed"]

    def test_is_run_once(self):
        self.assertEqual([self.ask("--nx", "8"), self.ask("--nx", "8")], [1, 1])

    def test_is_run_again_with_other_arguments_program_device_or_settings(self):
        self.assertEqual([self.ask("--nx", "8"), self.ask("--nx", "9")], [1, 2])
        for name in ("program", "library"):
            before = self.made
            self.write(name, "second")
            self.assertEqual(self.ask("--nx", "8"), before + 1, name)
        with mock.patch.dict(os.environ, {"EMULATOR_SET": "compute_units=104"}):
            self.assertEqual(self.ask("--nx", "8"), self.made)
        self.assertEqual(self.made, 5)

    def test_that_is_broken_is_run_again(self):
        self.ask()
        (name,) = os.listdir(self.path("references"))
        self.write(os.path.join("references", name), "{")
        self.assertEqual([self.ask(), self.ask()], [2, 2])


if __name__ == "__main__":
    unittest.main()
