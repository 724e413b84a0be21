"""Predictions in a learner's file: read, judged by having an answer, put beside what came out; test_scoring.py has their
points."""
import unittest

from grading.predictions import answer_in, is_answer, numbers_behind, outcome, wanted_of

NUMBER = {"label": "values loaded, m = 2", "evidence": "emulated", "value": "loads", "runs": [{"m": 2}]}
CHOICE = {"label": "time, m = 8", "evidence": "modelled", "value": "time", "choices": ["shorter", "same", "longer"],
          "same_within_percent": 3, "runs": [{"m": 1}, {"m": 8}]}


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

    def test_that_may_be_given_are_told(self):
        self.assertEqual([wanted_of(line) for line in (NUMBER, CHOICE)], ["a number", "shorter or same or longer"])


class Outcome(unittest.TestCase):
    def test_of_a_number_is_the_number(self):
        self.assertEqual(outcome(NUMBER, [6.25]), "6.25")

    def test_of_a_choice_is_the_side_beyond_the_tolerance(self):
        self.assertEqual([outcome(CHOICE, [100, value]) for value in (96.9, 97.1, 100, 102.9, 103.1)],
                         ["shorter", "same", "same", "same", "longer"])

    def test_that_this_device_does_not_know_is_said_so(self):
        self.assertEqual(outcome(CHOICE, [1.0, None]), "not known on this device")
        self.assertEqual(numbers_behind(CHOICE, [1.0, None]), [])

    def test_of_a_choice_has_its_numbers_and_tolerance_below(self):
        self.assertEqual(numbers_behind(CHOICE, [2, 1.5]), ["2 -> 1.5, -25.0 %; up to 3 % counts as the same"])
        self.assertEqual(numbers_behind(NUMBER, [6.25]), [])


if __name__ == "__main__":
    unittest.main()
