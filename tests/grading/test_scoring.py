"""How many points a criterion gives, what share of a result is right, which runs a grade makes, what ends it and whose fault
that is."""
import contextlib
import functools
import os
import tempfile
import unittest
from unittest import mock

from grading import scoring
from grading.places import line_said, place_of_code
from grading.scoring import BEYOND, FAIL, LATER, OPEN, PASS, Figures, Grade, Line, begin, correctness, grade, grade_beyond, \
    grade_figure, grade_predictions, grade_questions, only_beyond_the_known, points, possible_points, score, \
    share_right
from grading.statuses import GraderTrouble, NotYet
from test_results import WHOLE

MORE_IS_BETTER = {"name": "speed", "points": 2, "full_at": 80, "zero_at": 60, "look_at": "Look there."}
LESS_IS_BETTER = {"name": "scratch", "points": 1, "full_at": 0, "zero_at": 64}
SOURCE, SOLUTION = "labs/03-reorder/laplacian.hip", "solutions/01-baseline/laplacian.hip"
SIZE = [512, 512, 32]


class Points(unittest.TestCase):
    def test_are_all_at_full_at_and_beyond(self):
        self.assertEqual([points(MORE_IS_BETTER, value) for value in (80, 81, 1e9)], [2, 2, 2])
        self.assertEqual([points(LESS_IS_BETTER, value) for value in (0, -1)], [1, 1])

    def test_are_none_at_zero_at_and_beyond(self):
        self.assertEqual([points(MORE_IS_BETTER, value) for value in (60, 59, -1e9)], [0, 0, 0])
        self.assertEqual([points(LESS_IS_BETTER, value) for value in (64, 1e9)], [0, 0])

    def test_are_linear_in_between(self):
        self.assertEqual([points(MORE_IS_BETTER, value) for value in (65, 70, 75)], [0.5, 1, 1.5])
        self.assertEqual([points(LESS_IS_BETTER, value) for value in (16, 48)], [0.75, 0.25])

    def test_of_one_threshold_are_all_or_nothing(self):
        exact = {"points": 5, "full_at": 1, "zero_at": 1}
        self.assertEqual([points(exact, value) for value in (1, 0.999999, 0)], [5, 0, 0])

    def test_in_part_are_no_pass_and_say_where_to_look_and_how_to_repeat(self):
        line = score(MORE_IS_BETTER, "modelled", 75, ("The worst access.", None, "Repeat: make run"))
        self.assertEqual((line.points, line.possible, line.verdict), (1.5, 2, FAIL))
        self.assertEqual(line.feedback, ["Look there.", "The worst access.", "Repeat: make run"])

    def test_of_all_are_a_pass_without_advice(self):
        line = score(MORE_IS_BETTER, "modelled", 80, ("Repeat: make run",))
        self.assertEqual((line.points, line.verdict, line.feedback), (2, PASS, []))

    def test_that_are_possible_are_those_of_this_device(self):
        expected = {"correctness": {"points": 5}, "predictions": {"points": 1},
                    "criteria": [{"points": 2, "devices": ["amd", "emulated"]}, {"points": 3, "devices": ["amd"]}]}
        self.assertEqual([possible_points(expected, device) for device in ("emulated", "amd")], [8, 11])
        self.assertEqual(possible_points({"correctness": {"points": 5}, "criteria": []}, "amd"), 5)


class Share(unittest.TestCase):
    RIGHT = {"points_wrong": 0, "points_checked": 100, "passed": True}

    def test_is_of_the_interior_points(self):
        self.assertEqual(share_right(self.RIGHT, 100), 1)
        self.assertEqual(share_right({**self.RIGHT, "points_wrong": 25, "passed": False}, 100), 0.75)

    def test_is_none_where_others_were_overwritten(self):
        self.assertEqual(share_right({**self.RIGHT, "passed": False}, 100), 0)

    def test_is_none_where_not_all_were_checked(self):
        self.assertEqual(share_right({**self.RIGHT, "points_checked": 99}, 100), 0)


class Later:
    """Stands in for a run: its result is made when it is asked for."""

    def __init__(self, make, *arguments):
        self.result = functools.partial(make, *arguments)


class Small(contextlib.nullcontext):
    """Stands in for the runs of a grade: of those that are made each has the next share of its points wrong."""

    def __init__(self, *shares, expected=None):
        super().__init__()
        self.shares, self.made, self.seeds, self.begun = list(shares), [], set(), []
        self.lab, self.device, self.expected = "03-reorder", "emulated", expected or {}

    def fresh(self, source, asked, size, seed):
        self.begun.append(asked)
        return Later(self.next, "fresh", size, seed)

    def all_sizes(self, source, asked, seed):
        self.begun.append(asked)
        return Later(self.next, "all sizes", [7, 6, 5], seed)

    def far(self, source, asked):
        self.begun.append(asked)
        return Later(lambda: False)

    def figures(self, source, asked, size, seed):
        self.begun.append(asked)
        return Later(lambda: WHOLE)

    def next(self, kind, size, seed):
        self.made.append(kind)
        self.seeds.add(seed)
        interior = size[0] * size[1] * size[2]
        wrong = round(self.shares[len(self.made) - 1] * interior)
        return {"interior_points": interior, "nx": size[0], "ny": size[1], "nz": size[2],
                "checks": [{"points_wrong": wrong, "points_checked": interior, "passed": wrong == 0,
                            "sentence": f"run {len(self.made)}"}]}

    @staticmethod
    def repeat(source, asked, size, seed):
        return f"make run of {size}"


class Correctness(unittest.TestCase):
    ASKED = {"nx": [10, 60], "ny": [10, 60], "nz": [10, 60], "block": "8x4x2"}
    ALL = {**ASKED, "all_sizes": True}

    def graded(self, runs, full_at, zero_at, asked=(ASKED, ASKED, ASKED), seed=1):
        wanted = {"points": 5, "full_at": full_at, "zero_at": zero_at, "runs": asked}
        return correctness("laplacian.hip", {"correctness": wanted}, runs, seed)

    def test_is_the_worst_runs_and_says_what_was_wrong_first(self):
        runs = Small(0, 0.2, 0.4)
        worst, reason, command = self.graded(runs, 1, 0)
        self.assertAlmostEqual(worst, 0.6, places=2)
        self.assertTrue(reason.endswith("run 2."), reason)
        self.assertTrue(command.startswith("make run of ["), command)
        self.assertEqual((len(runs.made), runs.seeds), (3, {1}))

    def test_of_right_runs_is_all_of_the_points(self):
        runs = Small(0, 0, 0)
        self.assertEqual((self.graded(runs, 1, 1), len(runs.made)), ((1, "", None), 3))

    def test_makes_no_run_that_cannot_change_the_points(self):
        runs = Small(0, 0.2, 0)
        self.assertLess(self.graded(runs, 1, 1)[0], 1)
        self.assertEqual(len(runs.made), 2)

    def test_meets_all_sizes_where_they_are_asked_for_and_names_the_one(self):
        runs = Small(0, 0.5)
        _, reason, command = self.graded(runs, 1, 1, (self.ASKED, self.ALL))
        self.assertEqual(runs.made, ["fresh", "all sizes"])
        self.assertEqual((reason, command), ("At 7 x 6 x 5, block 8x4x2, run 2.", "make run of [7, 6, 5]"))

    def test_is_of_the_sizes_that_the_seed_draws(self):
        def sizes(seed):
            seen = []
            runs = Small(0, 0, 0)
            runs.fresh = lambda source, asked, size, _: seen.append(size) or Small(0).fresh(source, asked, size, 0)
            self.graded(runs, 1, 1, seed=seed)
            return seen

        self.assertEqual(sizes(5), sizes(5))
        self.assertNotEqual(sizes(5), sizes(6))
        self.assertEqual(len(set(map(tuple, sizes(5)))), 3)


class Large:
    """Stands in for the runs of the figures: each has these values."""

    def __init__(self, expected=None, device="emulated", **values):
        self.result = {**WHOLE, "accesses": [], **values}
        self.expected, self.device, self.made = expected or {}, device, []

    def figures(self, source, asked, size, seed):
        self.made.append((source, tuple(size), seed))
        return Later(lambda: self.result)

    @staticmethod
    def repeat(source, asked, size, seed):
        return f"make run of {source} --seed {seed}"


class Values(unittest.TestCase):
    COUNTERS = {"loads": 14, "stores": 2, "none": 0}
    CRITERION = {**MORE_IS_BETTER, "size": SIZE, "evidence": "emulated", "devices": ["emulated"], "value": "counters.loads"}
    OVER = {**CRITERION, "over": {"source": SOLUTION, "kernel": "laplacian"}}

    def figures(self, expected=None, device="emulated", **values):
        runs = Large(expected, device, **{"counters": self.COUNTERS, **values})
        return Figures(runs, SOURCE, 9), runs

    def value(self, figures, **criterion):
        return figures.value(SOURCE, {**self.CRITERION, **criterion})

    def test_are_found_and_divided(self):
        figures, _ = self.figures()
        self.assertEqual(self.value(figures), 14)
        self.assertEqual(self.value(figures, per="counters.stores"), 7)

    def test_are_of_the_seed_of_the_grade_and_each_run_is_made_once(self):
        figures, runs = self.figures()
        for block in ("256x1x1", "64x4x1", "256x1x1"):
            self.value(figures, block=block)
        self.value(figures, value="counters.stores", block="64x4x1")
        self.assertEqual(runs.made, 2 * [(SOURCE, tuple(SIZE), 9)])

    def test_of_other_choices_are_other_runs(self):
        figures, runs = self.figures()
        for other in ({}, {"m": 8}, {"m": 4}, {"kernel": "ring"}, {"window": 2}, {"layout": "packed"},
                      {"size": [1, 2, 3]}):
            self.value(figures, **other)
        self.assertEqual(len(runs.made), 7)

    def test_that_are_unknown_are_the_graders_trouble(self):
        figures, _ = self.figures()
        for criterion in ({"value": "time_ms.median"}, {"per": "counters.lods"}):
            with self.assertRaisesRegex(GraderTrouble, "the result lacks "):
                self.value(figures, **criterion)

    def test_carry_the_models_error_where_it_is_large(self):
        figures, _ = self.figures(model_error_percent={"time": None, "memory": 15})
        modelled = {**self.CRITERION, "evidence": "modelled"}
        self.assertEqual(grade_figure(SOURCE, modelled, "emulated", figures).evidence, "modelled, +-15 %")
        self.assertEqual(grade_figure(SOURCE, self.CRITERION, "emulated", figures).evidence, "emulated")
        self.assertEqual(figures.evidence("not run", modelled, "modelled"), "modelled")

    def test_per_nothing_mean_that_the_kernel_did_nothing(self):
        with self.assertRaisesRegex(NotYet, "counters.none is 0: the kernel itself must do the work"):
            self.value(self.figures()[0], per="counters.none")

    def test_of_a_run_that_is_not_right_are_none_and_say_so_with_the_command(self):
        figures, _ = self.figures(verified=False, checks=[{"passed": True, "sentence": "right"},
                                                          {"passed": False, "sentence": "3 points wrong"}])
        with self.assertRaises(NotYet) as why:
            self.value(figures)
        self.assertEqual(str(why.exception), "At 512 x 512 x 32, 3 points wrong.")
        self.assertEqual(why.exception.command, f"make run of {SOURCE} --seed 9")

    def test_over_a_solutions_kernel_are_how_many_times_its_figure(self):
        figures, runs = self.figures()
        with mock.patch.object(scoring, "recorded", lambda *_: None):
            self.assertEqual(figures.value(SOURCE, self.OVER), 1)
        self.assertEqual([source for source, *_ in runs.made], [SOURCE, SOLUTION])

    def test_over_what_is_recorded_need_no_run(self):
        figures, runs = self.figures()
        with mock.patch.object(scoring, "recorded", lambda expected, source, asked, place: 7):
            self.assertEqual(figures.value(SOURCE, self.OVER), 2)
        self.assertEqual([source for source, *_ in runs.made], [SOURCE])

    def test_over_what_is_recorded_are_so_on_the_emulated_device_alone(self):
        figures, runs = self.figures(device="amd")
        with mock.patch.object(scoring, "recorded", lambda *_: 7):
            self.assertEqual(figures.value(SOURCE, self.OVER), 1)
        self.assertEqual([source for source, *_ in runs.made], [SOURCE, SOLUTION])

    def test_of_the_graded_file_are_never_those_recorded(self):
        figures = Figures(Large(counters=self.COUNTERS), SOLUTION, 9)
        with mock.patch.object(scoring, "recorded", lambda *_: 7):
            self.assertEqual(figures.value(SOLUTION, self.OVER), 1)

    def test_over_what_is_neither_there_nor_recorded_are_trouble(self):
        figures, _ = self.figures()
        absent = {**self.OVER, "over": {"source": "solutions/77-none/none.hip"}}
        with self.assertRaisesRegex(GraderTrouble, "solutions/77-none/none.hip is not there to be compared with"):
            figures.value(SOURCE, absent)

    def test_of_another_device_are_neither_points_nor_a_failure(self):
        figures, runs = self.figures()
        line = grade_figure(SOURCE, {**self.CRITERION, "devices": ["amd"]}, "emulated", figures)
        self.assertEqual((line.verdict, line.points, line.possible, runs.made), (LATER, 0, 0, []))
        self.assertIn("needs DEVICE=amd", line.feedback[0])

    MODELS = {"NVIDIA A": {"full_at": 0.5, "zero_at": 0}, "NVIDIA B": {"full_at": 50, "zero_at": 1}}

    def of_models(self, model):
        """The criterion's value is 1 on every model."""
        criterion = {**self.OVER, "over": {"source": SOURCE}, "devices": ["nvidia"], "models": self.MODELS}
        figures, runs = self.figures(device="nvidia")
        bare = {key: value for key, value in criterion.items() if key not in ("full_at", "zero_at")}
        return grade_figure(SOURCE, bare, "nvidia", figures, model), runs, bare

    def test_of_a_real_device_have_bounds_of_their_own(self):
        self.assertEqual([self.of_models(model)[0].verdict for model in self.MODELS], [PASS, FAIL])
        self.assertEqual(self.of_models("NVIDIA B")[0].full_at, 50)

    def test_of_a_model_without_bounds_are_neither_points_nor_a_failure(self):
        line, runs, criterion = self.of_models("NVIDIA C")
        self.assertEqual((line.verdict, line.possible, runs.made), (LATER, 0, []))
        self.assertIn("needs DEVICE=nvidia on an NVIDIA A or NVIDIA B", line.feedback[0])
        expected = {"correctness": {"points": 5}, "criteria": [criterion]}
        self.assertEqual([possible_points(expected, "nvidia", model) - 5 for model in ("NVIDIA A", "NVIDIA C")],
                         [criterion["points"], 0])

    def test_beyond_full_marks_are_reached_or_open_and_never_points(self):
        for full, verdict, told in ((1, BEYOND, []), (1.01, OPEN, ["Look there."])):
            figures, _ = self.figures(device="nvidia")
            tier = {**self.OVER, "over": {"source": SOURCE}, "full_at": full, "zero_at": 0, "look_at": "Look there."}
            line = grade_beyond(SOURCE, tier, figures)
            self.assertEqual((line.verdict, line.points, line.possible, line.feedback), (verdict, 0, 0, told))

    def test_that_miss_name_the_worst_access_where_that_is_asked_for(self):
        row = {"file": "x.hip", "line": "7", "action": "load", "lines": "64", "fewest_lines": "8", "executions": "5",
               "requested_bytes": "1e6", "fetched_bytes": ""}
        figures, _ = self.figures(accesses=[row])
        plain = grade_figure(SOURCE, self.CRITERION, "emulated", figures).feedback
        quoting = grade_figure(SOURCE, {**self.CRITERION, "quotes_access": True}, "emulated", figures).feedback
        self.assertEqual([hint for hint in quoting if hint not in plain],
                         ["x.hip:7, load: 64.0 lines a wavefront where 8.0 would hold the bytes; 1.0 MB requested"])

    def test_that_miss_say_the_command_that_repeats_the_run(self):
        line = grade_figure(SOURCE, self.CRITERION, "emulated", self.figures()[0])
        self.assertEqual(line.feedback[-1], f"Repeat: make run of {SOURCE} --seed 9")


NUMBER = {"label": "values loaded, m = 2", "evidence": "emulated", "size": [8, 8, 4], "value": "loads",
          "runs": [{"m": 2}]}
CHOICE = {"label": "time, m = 8", "evidence": "modelled", "size": [8, 8, 4], "value": "time",
          "choices": ["shorter", "same", "longer"],
          "same_within_percent": 3, "runs": [{"m": 1, "source": SOLUTION}, {"m": 8}]}


class Predictions(unittest.TestCase):
    class Known:
        asked = []

        @classmethod
        def known(cls, source, asked):
            cls.asked.append(source)
            return {"loads": 6.0, "time": {1: 2.0, 8: 1.5}.get(asked.get("m"))}[asked["value"]]

        @staticmethod
        def evidence(source, asked, word):
            return f"{word} of m={asked['m']}"

    def graded(self, text, device="emulated"):
        self.Known.asked = []
        with tempfile.TemporaryDirectory() as folder:
            source = os.path.join(folder, "laplacian.hip")
            with open(source, "w", encoding="utf-8", errors="surrogateescape") as file:
                file.write(text)
            line = grade_predictions(source, {"points": 1, "lines": [NUMBER, CHOICE]}, self.Known, device)
        self.assertEqual(line.possible, 1)
        return line, source

    def test_that_are_wrong_earn_half_and_say_what_came_out(self):
        line, source = self.graded("//   values loaded, m = 2: 99\n//   time, m = 8: longer\n")
        self.assertEqual((line.points, line.verdict), (0.5, PASS))
        self.assertEqual(line.feedback, [
            "values loaded, m = 2, at 8 x 8 x 4", "  you wrote 99, it came out 6: not as predicted  (emulated of m=2)",
            "time, m = 8, at 8 x 8 x 4", "  you wrote longer, it came out shorter: not as predicted  (modelled of m=8)",
            "  2 -> 1.5, -25.0 %; up to 3 % counts as the same"])
        self.assertEqual(self.Known.asked, [source, SOLUTION, source])

    def test_that_are_right_earn_all(self):
        line, _ = self.graded("//   values loaded, m = 2: 6\n//   time, m = 8: longer\n")
        self.assertEqual(line.points, 0.75)
        self.assertIn("it came out 6: right  (", line.feedback[1])
        self.assertEqual(self.graded("//   values loaded, m = 2: 6.5\n//   time, m = 8: shorter\n")[0].points, 1)

    def test_on_a_real_device_make_no_run(self):
        line, _ = self.graded("//   values loaded, m = 2: 99\n//   time, m = 8: longer\n", "nvidia")
        self.assertEqual((line.points, self.Known.asked), (1, []))
        self.assertIn("you wrote 99; DEVICE=emulated says what comes out there", line.feedback[1])

    def test_earn_nothing_unless_every_line_is_answered(self):
        line, _ = self.graded("//   values loaded, m = 2: 6\n//   time, m = 8: ?\n")
        self.assertEqual((line.points, line.verdict), (0, FAIL))
        self.assertIn("time, m = 8: there is no answer yet; write shorter or same or longer behind the colon", line.feedback)

    def test_are_found_among_bytes_that_are_no_text(self):
        line, _ = self.graded("// \udcff\udcfe\n//   values loaded, m = 2: 99\n//   time, m = 8: longer\n")
        self.assertEqual(line.verdict, PASS)


class Questions(unittest.TestCase):
    LINES = [{**NUMBER, "within_percent": 5}, {**NUMBER, "label": "loads, m = 8", "within_percent": 5}]

    def graded(self, text):
        with tempfile.TemporaryDirectory() as folder:
            source = os.path.join(folder, "laplacian.hip")
            with open(source, "w", encoding="utf-8") as file:
                file.write(text)
            return grade_questions(source, {"points": 1, "lines": self.LINES}, Predictions.Known)

    def test_that_are_open_are_asked_and_fail_nothing(self):
        line = self.graded("")
        self.assertEqual((line.points, line.possible, line.verdict), (0, 1, OPEN))
        self.assertEqual(line.feedback[1:], ["//   values loaded, m = 2: ?", "//   loads, m = 8: ?"])

    def test_earn_a_share_for_each_right_answer_and_do_not_tell_the_other(self):
        line = self.graded("//   values loaded, m = 2: 6.2\n//   loads, m = 8: 99\n")
        self.assertEqual((line.points, line.verdict), (0.5, OPEN))
        self.assertEqual(line.feedback, ["values loaded, m = 2: 6.2 is right",
                                         "loads, m = 8: 99 is not within 5 % of what your run gives"])

    def test_are_asked_after_a_pass_alone(self):
        expected = {"correctness": {"name": "right", "points": 5, "full_at": 1, "zero_at": 1,
                                    "runs": [Correctness.ASKED]},
                    "criteria": [{**Values.CRITERION, "name": "loads"}],
                    "questions": {"points": 1, "lines": self.LINES}}
        with mock.patch.object(Figures, "result", lambda *_: {"accesses": [], "counters": {"loads": loads}}), \
                mock.patch.object(Figures, "known", Predictions.Known.known):
            for loads, asked in ((80, True), (79, False)):
                result = grade(SOURCE, Small(0, expected=expected), 9, lambda _: None)
                self.assertEqual(any(line.name.startswith("questions") for line in result.lines), asked, result)


class Looked(unittest.TestCase):
    """Which line of the file a failure points at."""
    TEXT = ("// TODO 1\n__global__ void other(int n) { f[n] = 1; }\n\n__global__ void ring(\n  int n) {\n  f[n] = 2; }\n"
            "// <<<\n  ring<<<1, 1>>>(n);\n")

    def test_is_of_the_code_and_no_comment(self):
        self.assertEqual([place_of_code(self.TEXT, pattern, kernel) for pattern, kernel in (
            (None, None), (None, "ring"), ("<<<", None), ("nowhere", "ring"), ("TODO", None), (r"f\[", "ring"))],
            ["other", "ring", 8, "ring", "other", 6])

    def test_without_a_line_is_the_kernel_and_not_what_stands_before_its_name(self):
        text = "// __global__ no(\n__global__ void __launch_bounds__(256)\nlaplacian(double *f) {}\n"
        self.assertEqual(place_of_code(text), "laplacian")
        self.assertIsNone(place_of_code("nothing"))

    def test_is_what_the_compiler_or_a_fault_names(self):
        said = "labs/x.hip:3:1: warning: odd\nlabs/x.hip:7:2: error: wrong\n"
        self.assertEqual([line_said(words, "x.hip") for words in (said, "a fault at x.hip:12, thread 3", "none")],
                         [7, 12, None])

    def test_of_predictions_is_the_first_without_an_answer(self):
        line, _ = Predictions().graded("//   values loaded, m = 2: 6\n//   time, m = 8: ?\n")
        self.assertEqual(line.at, 2)


class Ahead(unittest.TestCase):
    SMALL = {**Correctness.ASKED, "kernel": "laplacian"}
    PREDICTED = {"label": "loads", "size": SIZE, "runs": [{"m": 16}, {"m": 4, "source": SOLUTION}]}
    EXPECTED = {"family": "laplacian",
                "correctness": {"runs": [{**SMALL, "m": 8}, {**SMALL, "m": 2, "all_sizes": True}]},
                "criteria": [{"m": 9, "devices": ["emulated"], "size": SIZE, "over": {"source": SOLUTION}},
                             {"m": 1, "devices": ["amd"], "size": SIZE},
                             {"m": 10, "devices": ["emulated"], "size": SIZE, "over": {"m": 11}}],
                "predictions": {"lines": [PREDICTED, {**PREDICTED, "label": "nothing", "runs": [{"m": 3}]}]},
                "questions": {"lines": [{**PREDICTED, "label": "stores", "runs": [{"m": 17}]}]},
                "beyond": [{"m": 12, "devices": ["emulated"], "size": SIZE}]}

    def begun(self, device="emulated"):
        runs = Small()
        runs.device = device
        with mock.patch.object(scoring, "read_text", lambda _: "// loads: 5\n// stores: 6\n// nothing: ?\n"):
            begin(SOURCE, self.EXPECTED, None, runs, 9)
        return [asked["m"] for asked in runs.begun]

    def test_all_runs_are_begun_in_their_order_and_none_for_a_line_without_an_answer(self):
        self.assertEqual(self.begun(), [8, 2, 8, 9, 10, 11, 12, 16, 17])

    def test_on_a_real_device_none_is_begun_that_the_emulated_one_alone_makes(self):
        self.assertEqual(self.begun("amd"), [8, 2, 1])

    def test_a_file_that_cannot_be_read_is_left_to_its_build(self):
        runs = Small()
        begin("no/such.hip", self.EXPECTED, None, runs, 9)
        self.assertEqual(len(runs.begun), 7)


class Pattern(unittest.TestCase):
    def test_of_inputs_says_that_the_known_one_hides_the_mistake(self):
        right, wrong = ({"input": name, "passed": name == "quadratic", "points_wrong": 7}
                        for name in ("quadratic", "random"))
        self.assertIn("only where u is not quadratic", only_beyond_the_known([right, wrong]))
        self.assertIsNone(only_beyond_the_known([wrong, wrong]))
        self.assertIsNone(only_beyond_the_known([right, {**wrong, "points_wrong": 0}]))


class Ends(unittest.TestCase):
    """Of a grade: passed, not yet with a reason, or trouble that says nothing about the learner. None raises."""
    EXPECTED = {"correctness": {"name": "right", "points": 5, "full_at": 1, "zero_at": 1}, "criteria": []}

    def graded(self, *lines, end=None):
        def made(*_):
            yield from lines
            if end:
                raise end

        told = []
        with mock.patch.object(scoring, "_lines", made):
            result = grade(SOURCE, Small(expected=self.EXPECTED), 9, told.append)
        self.assertEqual(told, result.lines)
        return result

    @staticmethod
    def line(verdict, got=1):
        return Line("name", "emulated", 1, 1, 1, got, 1, verdict, [])

    def test_is_passed_when_nothing_failed(self):
        result = self.graded(self.line(PASS), self.line(LATER, 0))
        self.assertEqual((result.status, result.points, result.possible, result.seed), ("passed", 1, 5, 9))

    def test_is_not_yet_when_something_failed_or_stopped_it(self):
        self.assertEqual(self.graded(self.line(PASS), self.line(FAIL, 0.5)).status, "not yet")
        result = self.graded(self.line(PASS), end=NotYet("does not build", "make run"))
        self.assertEqual((result.status, result.stopped, result.repeat, result.trouble, len(result.lines)),
                         ("not yet", "does not build", "make run", None, 1))

    def test_is_trouble_when_the_grader_could_not_work(self):
        for trouble in (GraderTrouble("no GPU"), OSError("disk"), ValueError("odd"), KeyError("lost")):
            result = self.graded(self.line(PASS), end=trouble)
            self.assertEqual((result.status, result.stopped, result.trouble), ("trouble", None, str(trouble)))
        self.assertEqual(self.graded(end=ValueError()).trouble, "ValueError")

    def test_stops_at_what_is_not_right_with_the_reason(self):
        expected = {"correctness": {"name": "right", "points": 5, "full_at": 1, "zero_at": 1, "runs": [Correctness.ASKED]},
                    "criteria": []}
        result = grade(SOURCE, Small(0.5, expected=expected), 9, lambda _: None)
        self.assertEqual((result.status, result.points, len(result.lines)), ("not yet", 0, 1))
        self.assertIn("run 1.\nThe other criteria are graded once every point is right.", result.stopped)
        self.assertTrue(result.repeat.startswith("make run of"))

    def test_of_nothing_has_no_points(self):
        self.assertEqual(Grade("lab", SOURCE, "emulated", 1).points, 0)


if __name__ == "__main__":
    unittest.main()
