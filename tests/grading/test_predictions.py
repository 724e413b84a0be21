"""Predictions in a learner's file: read, judged by having an answer, put beside what came out."""
import contextlib
import io
import os
import tempfile
import unittest

from grading.predictions import answer_in, grade_predictions, is_answer, outcome

NUMBER = {"label": "values loaded, m = 2", "evidence": "emulated", "value": "loads", "runs": [{"m": 2}]}
CHOICE = {"label": "time, m = 8", "evidence": "modelled", "value": "time", "choices": ["shorter", "same", "longer"],
          "same_within_percent": 3, "runs": [{"m": 1}, {"m": 8}]}
EXPECTED = {"predictions": {"points": 1, "lines": [NUMBER, CHOICE]}}


class Runs:
    """Stands in for the grade's runs."""

    @staticmethod
    def known(source, asked):
        return {"loads": 6.0, "time": {1: 2.0, 8: 1.5}.get(asked.get("m"))}[asked["value"]]


def graded(text):
    """(scores, what was printed) for a file that holds the text."""
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "laplacian.hip")
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        with contextlib.redirect_stdout(io.StringIO()) as said:
            return grade_predictions(source, EXPECTED, Runs), said.getvalue()


class Answers(unittest.TestCase):
    def test_stand_behind_the_label_and_its_explanation(self):
        text = "// PREDICTION\n//   values loaded, m = 2 (7 is the most): 6.0\n//   time, m = 8: longer\n"
        self.assertEqual([answer_in(text, line["label"]) for line in (NUMBER, CHOICE)], ["6.0", "longer"])

    def test_that_are_missing_or_elsewhere_are_none(self):
        for text in ("", "//   values loaded, m = 2: \n", "//   values loaded, m = 2\n// 6\n",
                     "int x; // values loaded, m = 2: 6"):
            self.assertEqual(answer_in(text, NUMBER["label"]), "?", text)

    def test_are_a_number_or_one_of_the_choices(self):
        self.assertTrue(is_answer(NUMBER, "6") and is_answer(NUMBER, "5.25") and is_answer(CHOICE, "same"))
        self.assertFalse(any(is_answer(NUMBER, answer) for answer in ("?", "six", "-1", "5.", "6x")))
        self.assertFalse(any(is_answer(CHOICE, answer) for answer in ("?", "more", "6")))


class Outcome(unittest.TestCase):
    def test_of_a_number_is_the_number(self):
        self.assertEqual(outcome(NUMBER, [6.25]), "6.25")

    def test_of_a_choice_is_the_side_beyond_the_tolerance(self):
        self.assertEqual([outcome(CHOICE, [100, value]).split()[0] for value in (96.9, 97.1, 100, 102.9, 103.1)],
                         ["shorter", "same", "same", "same", "longer"])

    def test_that_this_device_does_not_know_is_said_so(self):
        self.assertEqual(outcome(CHOICE, [1.0, None]), "not known on this device")


class Points(unittest.TestCase):
    def test_are_for_answers_even_wrong_ones(self):
        scores, said = graded("//   values loaded, m = 2: 99\n//   time, m = 8: longer\n")
        self.assertEqual(scores, [(1, True, 1)])
        self.assertIn("you wrote 99, it came out 6  (emulated)", said)
        self.assertIn("you wrote longer, it came out shorter (2 -> 1.5)", said)

    def test_are_none_unless_every_line_is_answered(self):
        scores, said = graded("//   values loaded, m = 2: 6\n//   time, m = 8: ?\n")
        self.assertEqual(scores, [(0, False, 1)])
        self.assertIn("time, m = 8: there is no answer yet; write shorter or same or longer behind the colon", said)

    def test_do_not_exist_in_a_lab_without_predictions(self):
        self.assertEqual(grade_predictions("none.hip", {}, Runs), [])


if __name__ == "__main__":
    unittest.main()
