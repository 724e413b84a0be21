"""Is the committed validation still true? Quick enough for make test; `make validate` does the whole.

In:  docs/validation.md, tests/validation/measured.json, the built programs and the emulated device.
Out: unittest's verdict; a failure says what changed and what to do.
"""
import unittest

import run
import validate

STALE = "Run `make validate`, look at what changed, and commit what it wrote."


class Validation(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.measured = validate.load(validate.MEASURED)

    def test_sources_are_those_of_the_document(self):
        self.assertEqual(validate.sources_hash(), self.measured["sources"],
                         f"Kernels, parameters or the model have changed since docs/validation.md was written. {STALE}")

    def test_document_follows_from_the_figures(self):
        with open(validate.DOCUMENT, encoding="utf-8") as file:
            self.assertEqual(file.read(), validate.render(self.measured)[0],
                             f"docs/validation.md is not what measured.json, published.json and bounds.json give. {STALE}")

    def test_errors_in_evidence_words_follow_from_the_figures(self):
        with open(validate.MODEL_ERRORS, encoding="utf-8") as file:
            self.assertEqual(file.read(), validate.model_errors(validate.render(self.measured)[1]),
                             f"{validate.MODEL_ERRORS} is not what measured.json and kinds.json give. {STALE}")

    def test_launches_give_the_same_counters(self):
        now = validate.replay()
        self.assertEqual(now.keys(), self.measured["replay"].keys(), f"Other launches are replayed than before. {STALE}")
        for command, launches in self.measured["replay"].items():
            self.assertEqual(len(now[command]), len(launches), f"{command} makes another number of launches. {STALE}")
            for number, (then, again) in enumerate(zip(launches, now[command])):
                for counter in then:
                    self.assertEqual(again[counter], then[counter],
                                     f"{command}, launch {number}: {counter} is not what it was "
                                     f"when docs/validation.md was written. {STALE}")

    def test_registers_are_those_of_the_document(self):
        for table in validate.tables():
            if table.get("compiled"):
                now = run.compiled_figures(table)
                for row, figures in self.measured["figures"][table["name"]].items():
                    self.assertEqual(now[row], figures,
                                     f"{table['name']}, {row}: the compiler reports other figures. {STALE}")


if __name__ == "__main__":
    unittest.main()
