"""expected.json: each lab's is right, and each mistake in one is a sentence that names its place and says what to do."""
import copy
import glob
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import unittest

from grading.draw import Draw, fresh_size
from grading.expected import BadExpected, complaints, load_expected, parse
from grading.fields import EXPECTED, misfits
from grading.sense import drawn_from, nonsense
from tools.rows import text_of

GONE = object()
RUN = ("correctness", "runs", 0)
ALL = ("correctness", "runs", 3)
FIRST = ("criteria", 0)
LINE = ("predictions", "lines", 0)
OTHER = {"source": "solutions/02-tiling/laplacian.hip"}

# Lab 03 with one value changed, and the words that must come of it.
MISTAKES = (
    # Bounds and rows of real devices.
    (("criteria", 5, "models", "NVIDIA H200", "zero_at"), 1.08, "models, NVIDIA H200, has 1.08 for full_at and zero_at"),
    (("criteria", 5, "full_at"), 1, "has bounds for all devices and for models: keep one of them"),
    (("criteria", 5, "models"), GONE, 'lacks "full_at": add it, or bounds for "models"'),
    (("criteria", 5, "devices"), ["nvidia", "emulated"], "has bounds for models, and the emulated device is one"),
    (("measured_on",), GONE, "measured_on does not say when and how that was: add it"),
    # What is missing, of another kind, or unknown.
    (("published",), GONE, 'the file lacks "published": add it'),
    ((*FIRST, "points"), GONE, 'criteria[0] ("fetch efficiency, theoretical / FETCH_SIZE, %, m=1") lacks "points": add it'),
    ((*LINE, "runs"), GONE, 'lacks "runs": add it'),
    ((*FIRST, "full_at"), "72", 'criteria[0].full_at is "72", and must be a number, without quotes'),
    ((*FIRST, "full_at"), True, "criteria[0].full_at is true, and must be a number"),
    ((*FIRST, "points"), 0, "criteria[0].points is 0, and must be a number above 0"),
    ((*FIRST, "pionts"), 1, 'has "pionts", which nothing reads: do you mean "points"?'),
    ((*FIRST, "zzz"), 1, 'has "zzz", which nothing reads: it may have at, block, '),
    ((*FIRST, "devices"), ["emulatd"], 'criteria[0].devices[0] is "emulatd", and must be "amd" or "nvidia" or "emulated"'),
    ((*FIRST, "devices"), [], "criteria[0].devices is [], and must be a list that is not empty"),
    ((*FIRST, "devices"), "amd", 'criteria[0].devices is "amd", and must be a list'),
    ((*FIRST, "evidence"), "guessed", 'criteria[0].evidence is "guessed", and must be "compiled" or'),
    ((*FIRST, "name"), "x" * 55, "and must be a text of at most 54 letters"),
    ((*FIRST, "size"), [512, 512], "criteria[0].size is [512, 512], and must be three whole numbers"),
    ((*FIRST, "block"), "1024x2x1", 'criteria[0].block is "1024x2x1", and must be the threads of a block'),
    ((*FIRST, "m"), 65, "criteria[0].m is 65, and must be a whole number from 1 to 64"),
    ((*FIRST, "layout"), "own ", 'criteria[0].layout is "own ", and must be "packed" or "own"'),
    ((*FIRST, "value"), "memory.fetch", 'criteria[0].value is "memory.fetch", and must be the place of a figure'),
    ((*FIRST, "over"), {"widnow": 8}, 'criteria[0].over has "widnow", which nothing reads: do you mean "window"?'),
    (("stages", 0, "published", "time"), 1, 'has "time", which nothing reads'),
    (("timeout_s",), "60", 'timeout_s is "60", and must be a whole number from 1 to 3600'),
    (("criteria",), {}, "criteria is {}, and must be a list"),
    (("correctness",), 5, "correctness is 5, and must be an object in braces"),
    (("family",), GONE, 'the file lacks "family": add it'),
    (("family",), "derivative", 'the file lacks "radius", which derivatives need: add it'),
    (("axis",), {"laplace": "x"}, "axis names the kernel laplace, and no file that is run has it; there are: laplacian"),
    (("family",), "poisson", 'family is "poisson", and must be "laplacian" or'),
    (("axis",), {"laplacian": "w"}, 'axis.laplacian is "w", and must be "x" or "y" or "z"'),
    (("references_from",), {"a": "12"}, 'references_from.a is "12", and must be a SHA-256'),
    ((*LINE, "label"), "loaded: m = 8", "and must be a text without a colon"),
    # Sizes that cannot be drawn: some of these looped for ever.
    ((*RUN, "nx"), [400, 257], "runs[0].nx is [400, 257], and must be two whole numbers from 1 on, the smaller one first"),
    ((*RUN, "nx"), [256, 256], "correctness.runs[0].nx is [256, 256], and has no number that is no multiple of 256"),
    ((*ALL, "nx"), [5, 259], "runs[3].nx is [5, 259], and all_sizes takes 256 numbers at least, 1 apart, for every"),
    ((*ALL, "ny"), [4, 12], "runs[3].ny is [4, 12], and all_sizes takes 4 numbers at least, 4 apart, for every"),
    ((*ALL, "ny"), [5, 20], "runs[3].ny begins with 5, which is no multiple of 4, the rows of one tile: begin with one"),
    ((*ALL, "all_sizes"), False, "correctness.runs has no run with \"all_sizes\": add one"),
    ((*ALL, "nz"), [2, 6], "runs[3].nz is [2, 6], and fewer than 3 points have no interior: begin with 3"),
    ((*RUN, "ny"), [9, 15], "correctness.runs[0].ny is [9, 15], and has no number that is a multiple of 8, the rows of one"),
    ((*RUN, "nz"), [4, 4], "correctness.runs[0].nz is [4, 4], and has no number that is no multiple of 2"),
    (RUN, {"nx": [9, 12], "ny": [9, 9], "nz": [9, 9], "block": "64x1x1"}, "cannot be three unequal numbers"),
    ((*RUN, "window"), 1, "and has no number that is no multiple of 1, so that a grid ends within a window"),
    ((*RUN, "nz"), [4, 40000], "correctness.runs[0] may have more than 134217728 points"),
    # What would be refused, give points for nothing, or could not be judged.
    ((*FIRST, "size"), [512, 12, 32], "GOOD"),
    (("criteria", 1, "size"), [512, 12, 32], "has ny = 12, which is no multiple of 8, the rows of one tile"),
    ((*LINE, "size"), [512, 12, 32], "has ny = 12, which is no multiple of 8"),
    ((*FIRST, "size"), [1024, 512, 512], "has more than 134217728 points, which takes the emulated device too long"),
    ((*FIRST, "zero_at"), 72, "has 72 for full_at and zero_at, so it cannot tell whether more or less is better"),
    (("correctness", "full_at"), 0.9, "correctness has full_at 0.9 and zero_at 1: they are shares"),
    ((*FIRST, "devices"), ["amd", "emulated"], "is modelled on the device amd, which has only what is compiled or measured"),
    ((*LINE, "choices"), ["less", "more"], "must have three unequal words"),
    ((*LINE, "choices"), ["less", "the same", "more"], 'choices[1] is "the same", and must be a word without blanks'),
    ((*LINE, "choices"), GONE, "must have both choices and same_within_percent, or neither"),
    ((*LINE, "runs"), [{"m": 8}], "has 1 runs, and takes 2: two to choose a word, one for a number"),
    ((*LINE, "label"), "kernel time", "begins as the label 'kernel time, m = 16 against m = 8' does"),
    (("criteria", 1, "name"), "speedup over lab 01, m=8", "criteria[2] has the name of criteria[1]: speedup"),
    (("stages", 1, "m"), 1, "stages[1] has the kernel and choices of stages[0]: laplacian.m1"),
    (("stages", 0, "name"), "reordered, m=2", "stages[1] has the name of stages[0]"),
    (("ours", 1, "m"), 1, "ours[1] has the run of ours[0]: laplacian.m1 at [512, 512, 32]"),
    (("published", "size"), [512, 512, 64], "has no row in ours for [512, 512, 64]: add one of its kernel"),
    (("plot",), "laplacian", "plot is laplacian, and no stage of that kernel has a window"),
    (("references_from", OTHER["source"]), GONE, "references[1] is of solutions/02-tiling/laplacian.hip, and"),
    (("lab",), "03-tiling", "lab is 03-tiling, and the folder is 03-reorder: they must be the same"),
    # What the files that it names do not have.
    ((*FIRST, "kernel"), "laplace", "is of the kernel laplace, and labs/03-reorder/laplacian.hip has laplacian"),
    (("baseline", "source"), "solutions/00-none/x.hip", "baseline is of solutions/00-none/x.hip, and there is no such file"),
    ((*FIRST, "value"), "counters.SQ_WAVE", "the emulated device has no counter SQ_WAVE"),
    ((*LINE, "label"), "lines of code", 'labs/03-reorder/laplacian.hip has no line "//   lines of code: ?" for a'),
    # What is right.
    (("axis",), {"laplacian": "z"}, "GOOD"),
    (("radius",), 4, "GOOD"),
    (("references",), [], "GOOD"),
    ((*FIRST, "value"), "counters.TCC_HIT_sum", "GOOD"),
)

# Texts that are no JSON, or none that can be used.
TEXTS = (
    (b'{\n  "lab": "03-reorder",\n  "points": 1,\n}', "line 4, column 1: "),
    (b'\xef\xbb\xbf{}', "begins with a byte order mark"),
    (b'{\n"lab": "\xe9"}', "line 2: a byte is no UTF-8"),
    (b'{"lab": NaN}', "NaN is no number that JSON has"),
    (b'[' * 100000, "is no JSON that can be read"),
    (b'{"timeout_s": ' + b'9' * 5000 + b'}', "is no JSON that can be read"),
    (b'{"lab": "\\ud800"}', "is no JSON that can be read"),
    (b'', "line 1, column 1: "),
    (b'[]', "the file is [], and must be an object in braces"),
)


def changed(content, path, value):
    content = copy.deepcopy(content)
    place = content
    for key in path[:-1]:
        place = place[key]
    if value is GONE:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return content


class Mistakes(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        lab = os.path.join(self.folder.name, "03-reorder")
        os.mkdir(lab)
        os.symlink(os.path.abspath("labs/03-reorder/laplacian.hip"), os.path.join(lab, "laplacian.hip"))
        self.path = os.path.join(lab, "expected.json")

    def complaints_on(self, content):
        with open(self.path, "wb") as file:
            file.write(content)
        return [sentence.replace(self.folder.name, "labs") for sentence in complaints(self.path)]

    def test_are_told_with_their_place_and_what_to_do(self):
        right = parse("labs/03-reorder/expected.json")
        for path, value, words in MISTAKES:
            found = self.complaints_on(json.dumps(changed(right, path, value)).encode())
            with self.subTest(f"{path}: {found}"):
                if words == "GOOD":
                    self.assertEqual(found, [])
                else:
                    self.assertIn(words, "\n".join(found))
                    self.assertTrue(all(sentence.startswith("labs/03-reorder/") for sentence in found))

    def test_are_told_one_by_one_and_all(self):
        content = parse("labs/03-reorder/expected.json")
        for path in ((*FIRST, "points"), ("criteria", 2, "points"), (*LINE, "value")):
            content = changed(content, path, GONE)
        self.assertEqual(len(self.complaints_on(json.dumps(content).encode())), 3)

    def test_a_kernel_without_its_axis_is_told(self):
        content = changed(parse("labs/06-alignment/expected.json"), ("axis", "along_y"), GONE)
        self.assertIn("axis lacks the kernel along_y, which is graded", "\n".join(nonsense(content)))

    def test_a_key_twice_is_told(self):
        with open("labs/03-reorder/expected.json", encoding="utf-8") as file:
            text = file.read().replace('"zero_at": 62,', '"zero_at": 62, "zero_at": 59,')
        self.assertEqual(self.complaints_on(text.encode()), [
            'labs/03-reorder/expected.json: criteria[0] ("fetch efficiency, theoretical / FETCH_SIZE, %, m=1") has '
            '"zero_at" twice, and only the last one would count: remove one'])

    def test_what_is_no_json_is_told_with_line_and_column(self):
        for text, words in TEXTS:
            found = self.complaints_on(text)
            with self.subTest(words):
                self.assertEqual(len(found), 1, found)
                self.assertIn(words, found[0])

    def test_brackets_of_any_depth_are_told(self):
        for depth in range(900, 1000):
            self.assertNotEqual(self.complaints_on(b'{"lab": ' + b'[' * depth + b']' * depth + b'}'), [], depth)

    def test_a_plot_needs_the_radius_of_its_prediction(self):
        content = changed(parse("labs/07-sliding-window/expected.json"), ("published", "radius"), GONE)
        self.assertIn('published lacks "radius", which the drawing of plot needs', "\n".join(self.complaints_on(
            json.dumps(content).encode())))


# Any of these in the place of any value.
ANYTHING = (None, [], {}, "", "x", "a: b", "counters.", -1, 0, 1.5, 1e308, 2**40, True,
            [1], [[1]], {"a": 1}, [None], [1, 1, 1])


def places(value, path=()):
    """The paths of all values in it."""
    yield path
    for key, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield from places(item, (*path, key))


class Anything(unittest.TestCase):
    def test_in_any_place_is_answered_with_sentences(self):
        right = parse("labs/01-baseline/expected.json")
        right["predictions"] = parse("labs/03-reorder/expected.json")["predictions"]
        for path in list(places(right))[1:]:
            for value in ANYTHING:
                content = changed(right, path, value)
                with self.subTest(path=path, value=value):
                    found = list(misfits(content, EXPECTED)) or nonsense(content)
                    self.assertTrue(all(isinstance(sentence, str) for sentence in found))
                    if not found:
                        self.assertEqual(json.loads(text_of(content)), content)

    def test_that_is_a_range_without_complaint_can_be_drawn_from(self):
        chance, drawn = random.Random(1), 0
        signal.alarm(60)  # ends the suite if a size is searched for ever
        for n in range(4000):
            run = {side: sorted(chance.choices(range(3, chance.choice((6, 20, 200))), k=2))
                   for side in ("nx", "ny", "nz")}
            run["block"] = chance.choice(("1x1x1", "2x3x1", "16x4x1", "8x2x2", "64x1x1"))
            run.update(chance.choice(({}, {}, {"m": chance.choice((1, 2, 8))}, {"window": chance.choice((1, 2, 7))})))
            if not list(drawn_from("run", run)):
                fresh_size(run, Draw(n))
                drawn += 1
        signal.alarm(0)
        self.assertGreater(drawn, 400)


class Loading(unittest.TestCase):
    def test_gives_what_the_file_holds(self):
        for path in glob.glob("labs/*/expected.json"):
            with open(path, encoding="utf-8") as file:
                self.assertEqual(load_expected(path.split("/")[1]), json.load(file))

    def test_of_a_lab_that_is_none_is_a_sentence(self):
        with self.assertRaisesRegex(BadExpected, "labs/99-none/expected.json cannot be read: No such file"):
            load_expected("99-none")


class CommandLine(unittest.TestCase):
    def run_it(self, *paths):
        command = [sys.executable, "-m", "grading.expected", *paths]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def test_every_lab_is_as_it_should_be(self):
        done = self.run_it()
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)

    def test_mistakes_are_printed_with_status_1(self):
        done = self.run_it("labs/01-baseline/README.md", "labs/none.json")
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        self.assertIn("labs/01-baseline/README.md, line 1, column 1: ", done.stdout)
        self.assertIn("labs/none.json cannot be read", done.stdout)


if __name__ == "__main__":
    unittest.main()
