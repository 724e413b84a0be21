"""Every lab is whole: its files are there and written, its page has its sections, its starter is not its solution, the
published figures are in its tables. That starters fail, solutions pass and figures are today's, other suites find out."""
import glob
import json
import os
import re
import unittest

from grading.expected import complaints, parse
from grading.predictions import answer_in, is_answer
from tests.checkout import checkout
from tools.rows import text_of

UNWRITTEN = "TO BE WRITTEN"  # what make new-lab leaves for a person
LEAST_WORDS = 10  # of a section
MACHINE = "00-the-machine"  # has no kernel to write; tests/grading/test_machine.py looks after it

# Sections of the pages, by the number of the first lab that has them.
PAGE = {"Go": 1, "What to change": 2, "Predict first": 2, "Look at afterwards": 2}
NOTES = ("What the figures show", "Wrong answers that this lab attracts")

# tests/validation/published.json's columns and the figures of stages; its tables of the labs' kernels.
FIGURE_OF = {"time": "time_ms", "speedup": "speedup", "FETCH_SIZE": "fetch_size_gb", "WRITE_SIZE": "write_size_gb",
             "L2CacheHit": "l2_cache_hit_percent", "SGPRs": "sgprs", "VGPRs": "vgprs", "AGPRs": "agprs",
             "scratch": "scratch_bytes", "occupancy": "occupancy_waves_per_simd", "bandwidth": "effective_bandwidth_gbs",
             "HBM read/write": "read_write_ratio"}
TABLES = ("laplacian", "registers", "lbm", "seismic")


def labs():
    """Names of all labs with a kernel to write, of which any part is there."""
    return sorted({path.split("/")[-1] for room in ("labs", "solutions", "tests/submissions")
                   for path in glob.glob(f"{room}/[0-9]*")} - {MACHINE})


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def sections(text):
    """The words of each section by its heading."""
    found = re.split(r"^## (.*)$", text, flags=re.MULTILINE)
    return {heading: body.split() for heading, body in zip(found[1::2], found[2::2])}


def files_that_are_missing(lab):
    starters = [os.path.basename(path) for path in glob.glob(f"labs/{lab}/*.hip")]
    if len(starters) != 1:
        yield f"labs/{lab} has {len(starters)} .hip files, and learners edit one: {' '.join(sorted(starters)) or 'write it'}"
    wanted = [*(f"labs/{lab}/{name}" for name in ("README.md", "afterwards.md", "hints.md", "expected.json")),
              f"solutions/{lab}/NOTES.md",
              f"tests/submissions/{lab}/reasons.txt", *(f"solutions/{lab}/{name}" for name in starters)]
    for path in wanted:
        if not os.path.isfile(path) or not read(path).strip():
            yield f"{path} is missing or empty: write it"
    if not glob.glob(f"tests/submissions/{lab}/*.hip"):
        yield f"tests/submissions/{lab} has no .hip file: keep a wrong answer there that must fail"


def files_that_are_unwritten(lab):
    for path in sorted(path for room in ("labs", "solutions", "tests/submissions")
                       for path in glob.glob(f"{room}/{lab}/**", recursive=True) if os.path.isfile(path)):
        lines = [str(number) for number, line in enumerate(read(path).splitlines(), 1) if UNWRITTEN in line]
        if lines:
            yield f"{path} still says {UNWRITTEN}, in line {', '.join(lines)}: write it"


def pages_that_lack_something(lab):
    number = lab[:2]
    page, notes = read(f"labs/{lab}/README.md"), read(f"solutions/{lab}/NOTES.md")
    source = os.path.basename(next(iter(glob.glob(f"labs/{lab}/*.hip")), "none"))
    for words in (f"# Lab {number}: ", f"**You edit** `{source}`", f"**You are done** when `make check LAB={number}` passes",
                  f"    make run LAB={number}", f"    make hint LAB={number}"):
        if words not in page:
            yield f"labs/{lab}/README.md does not say \"{words}\": add it"
    for path, text, wanted in (
            (f"labs/{lab}/README.md", page, [heading for heading, first in PAGE.items() if int(number) >= first]),
            (f"solutions/{lab}/NOTES.md", notes, NOTES)):
        found = sections(text)
        yield from (f"{path} has no section \"## {heading}\": write it" for heading in wanted if heading not in found)
        yield from (f"{path}: section \"## {heading}\" has fewer than {LEAST_WORDS} words: write it"
                    for heading, words in found.items() if len(words) < LEAST_WORDS)
    if f"tests/submissions/{lab}" not in notes:
        yield f"solutions/{lab}/NOTES.md does not name `tests/submissions/{lab}`, which keeps the wrong answers: name it"
    if f"](labs/{lab}/README.md)" not in read("README.md"):
        yield f"README.md has no row for {lab} in its table of labs: add one"


def code_of(path):
    """A file without comments and white space."""
    return re.sub(r"//[^\n]*|/\*.*?\*/|\s", "", read(path), flags=re.DOTALL)


def starters_that_are_none(lab):
    for starter in glob.glob(f"labs/{lab}/*.hip"):
        solution = f"solutions/{lab}/{os.path.basename(starter)}"
        if "// TODO" not in read(starter):
            yield f"{starter} has no // TODO: say where a learner edits"
        if os.path.exists(solution):
            if "TODO" in read(solution):
                yield f"{solution} still has a TODO: solve it, or take the comment away"
            if code_of(starter) == code_of(solution):
                yield f"{starter} is {solution} but for comments: take out what learners are to write, or write the solution"


def expectations_that_lack_something(lab):
    path = f"labs/{lab}/expected.json"
    found = complaints(path)
    yield from found
    if found:
        return
    expected = parse(path)
    for n, row in enumerate(expected["ours"]):
        if "time_ms" not in row or "evidence" not in row:
            yield f"{path}: ours[{n}] has no figures: make record LAB={lab} writes them"
    graded = [row for row in expected["criteria"] if "emulated" in row["devices"]]
    if not graded:
        yield f"{path} has no criterion that can be graded without a GPU: add one for the device emulated"
    for row in graded:
        if "look_at" not in row:
            yield f"{path}: {row['name']} has no \"look_at\": say what a learner should look at when it fails"
    if int(lab[:2]) > 1 and "predictions" not in expected:
        yield f"{path} has no predictions: from lab 02 on learners predict before they run"


def questions_that_are_not_in_the_starter(lab):
    for starter in glob.glob(f"labs/{lab}/*.hip"):
        for line in parse(f"labs/{lab}/expected.json").get("questions", {"lines": ()})["lines"]:
            if f"//   {line['label']}: ?" not in read(starter):
                yield f"{starter} lacks the line \"//   {line['label']}: ?\" in its comment QUESTIONS"


def predictions_without_answer(lab):
    for solution in glob.glob(f"solutions/{lab}/*.hip"):
        for line in parse(f"labs/{lab}/expected.json").get("predictions", {"lines": ()})["lines"]:
            answer = answer_in(read(solution), line["label"])
            if not is_answer(line, answer):
                yield f"{solution} answers {answer} to \"{line['label']}\": solutions have an answer, which may be wrong"


def published_rows_without_stage():
    stages = [stage["published"] for path in glob.glob("labs/*/expected.json") for stage in parse(path)["stages"]]
    with open("tests/validation/published.json", encoding="utf-8") as file:
        rows = {table["name"]: table["rows"] for table in json.load(file)["tables"]}
    for table in TABLES:
        for row in rows[table]:
            wanted = {FIGURE_OF[column]: value for column, value in row["published"].items() if column in FIGURE_OF}
            if not any(wanted.items() <= stage.items() for stage in stages):
                yield f"published in the table {table}, and no stage of a lab has it: {row['row']}, {wanted}"


def numbers_with_gaps():
    numbers = [lab[:2] for lab in labs()]
    if numbers != [f"{n:02}" for n in range(1, len(numbers) + 1)]:
        yield f"labs are numbered {' '.join(numbers)}: number them from 01 on, each once"


OF_A_LAB = (files_that_are_unwritten, pages_that_lack_something, starters_that_are_none, expectations_that_lack_something,
            predictions_without_answer, questions_that_are_not_in_the_starter)


def complaints_on(lab):
    return list(files_that_are_missing(lab)) or [sentence for check in OF_A_LAB for sentence in check(lab)]


class Labs(unittest.TestCase):
    def test_are_numbered_from_one_on(self):
        self.assertEqual([], list(numbers_with_gaps()))

    def test_are_whole(self):
        left = [sentence for lab in labs() for sentence in complaints_on(lab)]
        if left:
            self.fail("\n".join(left))

    def test_have_every_published_row_as_a_stage(self):
        self.assertEqual([], list(published_rows_without_stage()))


PAGE_03, NOTES_03 = "labs/03-reorder/README.md", "solutions/03-reorder/NOTES.md"
STARTER_03, SOLUTION_03 = "labs/03-reorder/laplacian.hip", "solutions/03-reorder/laplacian.hip"
EXPECTED_03 = "labs/03-reorder/expected.json"
with open(EXPECTED_03, encoding="utf-8") as expected:
    RECORDED_03 = re.search(r'"time_ms": [0-9.]+, ', expected.read())[0]  # the first recorded figure

# A file of lab 03, what in it is replaced by what, None the whole of it; words that must come of it.
BREAKS = (
    (PAGE_03, None, "", f"{PAGE_03} is missing or empty: write it"),
    ("tests/submissions/03-reorder/reasons.txt", None, "", "reasons.txt is missing or empty"),
    ("labs/03-reorder/other.hip", None, "x", "has 2 .hip files, and learners edit one: laplacian.hip other.hip"),
    (PAGE_03, "Predict first", "Predict", f'{PAGE_03} has no section "## Predict first": write it'),
    (PAGE_03, "## Go\n", "## Go\n\n## Went\n", 'section "## Go" has fewer than 10 words'),
    (PAGE_03, "`make check LAB=03` passes", "`make check LAB=02` passes", "does not say \"**You are done** when"),
    (PAGE_03, "**You edit** `laplacian.hip`", "**You edit** `tile.hip`", "does not say \"**You edit** `laplacian.hip`\""),
    (PAGE_03, "## Go\n", "TO BE WRITTEN\n## Go\n", f"{PAGE_03} still says TO BE WRITTEN, in line "),
    (NOTES_03, "What the figures show", "Figures", f'{NOTES_03} has no section "## What the figures show"'),
    (NOTES_03, "tests/submissions/03-reorder", "there", f"{NOTES_03} does not name `tests/submissions/03-reorder`"),
    (STARTER_03, "mean, m = 8: ?", "m = 8: ?", f'{STARTER_03} lacks the line "//   load instructions of a wavefront, mean'),
    (STARTER_03, "TODO", "Here", f"{STARTER_03} has no // TODO: say where a learner edits"),
    (SOLUTION_03, "#pragma unroll", "#pragma unroll // TODO", f"{SOLUTION_03} still has a TODO"),
    (SOLUTION_03, "reordered against tiled, m = 8 (less, same, more): less", "reordered against tiled, m = 8 (x): ?",
     f'{SOLUTION_03} answers ? to "FETCH_SIZE, reordered against tiled, m = 8"'),
    (EXPECTED_03, '"lab": "03-reorder"', '"lab": "03"', f"{EXPECTED_03}: lab is 03, and the folder is 03-reorder"),
    (EXPECTED_03, RECORDED_03, "", "ours[0] has no figures: make record LAB=03-reorder writes them"),
    (EXPECTED_03, '"predictions": ', '"predictions_": ', 'do you mean "predictions"?'),
)


class Breaks(unittest.TestCase):
    """The checks above find what is wrong."""

    def test_are_each_named(self):
        for path, before, after, words in BREAKS:
            with self.subTest(f"{path}: {words}"), checkout():
                text = after if before is None else read(path).replace(before, after)
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
                self.assertIn(words, "\n".join(complaints_on("03-reorder")))

    def test_of_expectations_are_named(self):
        with checkout():
            expected = parse(EXPECTED_03)
            del expected["predictions"], expected["criteria"][0]["look_at"]
            with open(EXPECTED_03, "w", encoding="utf-8") as file:
                file.write(text_of(expected))
            said = "\n".join(complaints_on("03-reorder"))
            self.assertIn("03-reorder/expected.json has no predictions: from lab 02 on", said)
            self.assertIn(f'{expected["criteria"][0]["name"]} has no "look_at"', said)
            for criterion in expected["criteria"]:
                criterion.update(devices=["amd"], evidence="measured")
            with open(EXPECTED_03, "w", encoding="utf-8") as file:
                file.write(text_of(expected))
            self.assertIn("has no criterion that can be graded without a GPU", "\n".join(complaints_on("03-reorder")))

    def test_a_starter_that_is_its_solution_is_named(self):
        with checkout():
            with open(STARTER_03, "w", encoding="utf-8") as file:
                file.write("// TODO\n/* more\n * of it */\n" + read(SOLUTION_03).replace(" ", "  "))
            self.assertIn(f"{STARTER_03} is {SOLUTION_03} but for comments", "\n".join(complaints_on("03-reorder")))

    def test_in_numbers_and_published_rows_are_named(self):
        with checkout():
            os.rename("labs/03-reorder", "labs/10-reorder")
            self.assertEqual(["labs are numbered 01 02 03 04 05 06 07 08 10: number them from 01 on, each once"],
                             list(numbers_with_gaps()))
            os.remove("labs/10-reorder/expected.json")
            self.assertIn("published in the table registers, and no stage of a lab has it: 3 reordered loads m=16",
                          "\n".join(published_rows_without_stage()))


if __name__ == "__main__":
    unittest.main()
