"""Gradebook, pages and reports say what was graded, whatever the texts in them hold."""
import base64
import contextlib
import csv
import io
import json
import os
import re
import tempfile
import unittest
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

from grading.classroom import reports
from grading.classroom.gradebook import grade_of, gradebook, student_of
from grading.classroom.intake import Handed
from grading.classroom.labs import Lab
from grading.classroom.overview import as_text
from grading.classroom.pages import feedback_page, overview_page
from grading.classroom.reports import github, gradescope, junit, tap
from grading.classroom.roster import Student
from grading.classroom.keeping import Item

NASTY = "</pre><script>x()</script> &amp; \x00\x1b[31m\ud800 ]]> \u202e # \\ {0} %s"
LABS = [Lab("01-baseline", "laplacian.hip", 10), Lab("02-tiling", "laplacian.hip", 13),
        Lab("03-reorder", "laplacian.hip", 12)]


def criterion(name, verdict, points, feedback=()):
    return {"name": name, "evidence": "modelled", "value": None if points is None else 0.5, "full_at": 1, "zero_at": 0,
            "points": points, "possible": 5, "verdict": verdict, "feedback": list(feedback)}


def checked(points=6.5, **more):
    return {"seconds": 1, "host": "here", "finished": "now", "check": {
        "lab": "01-baseline", "status": "not yet", "points": points, "possible": 10, "stopped": None,
        "repeat": "make run LAB=01",
        "criteria": [criterion("right", "pass", 5), criterion("fast " + NASTY, "FAIL", 1.5, ["Line one " + NASTY, "line 2"]),
                     criterion("on a GPU", "later", None)],
        "provenance": {"device": "emulated MI250X", "compiler": "clang 15", "commit": "c0ffee", "sandbox": "bubblewrap"},
        **more}}


def student(name="Ann", first=None, second=None, unclear=None):
    """Lab 01 by the first record, 02 by the second, 03 not handed in or unclear."""
    items = [Item("k1", "01-baseline", "p", "abc"), Item("k2", "02-tiling", "p", "def")]
    grades = [grade_of(LABS[0], items[0] if first else None, first, None, "again"),
              grade_of(LABS[1], items[1] if second else None, second, None, "again"),
              grade_of(LABS[2], None, None, unclear, None)]
    return student_of(Handed(Student("s1", name), problems=["Remark " + NASTY]), grades)


def of_class(*students):
    return {"device": "emulated", "seed": 7, "labs": [{"lab": lab.name, "possible": lab.possible} for lab in LABS],
            "students": list(students), "unmatched": [{"entry": "x", "why": NASTY}],
            "alike": [{"lab": "01-baseline", "students": ["s1", "s2"], "share": 0.93, "same": False}]}


TROUBLE = {"seconds": 1, "host": "here", "finished": "now",
           "check": {"lab": "02-tiling", "status": "trouble", "trouble": "the disk is full " + NASTY}}


class Grades(unittest.TestCase):
    def test_nothing_handed_in_is_0_and_trouble_is_not_graded(self):
        ann = student(first=checked(), second=TROUBLE)
        self.assertEqual([grade["points"] for grade in ann["labs"]], [6.5, None, 0])
        self.assertEqual([grade["status"] for grade in ann["labs"]], ["not yet", "grader trouble", "nothing was handed in"])
        self.assertIsNone(ann["points"], "a sum without a part is no sum")
        self.assertEqual((student(first=checked())["points"], ann["possible"]), (6.5, 35))
        self.assertIn("says nothing about the work. the disk is full", ann["labs"][1]["why"])
        self.assertEqual(ann["labs"][1]["repeat"], "again")

    def test_what_is_unclear_or_lost_is_not_graded(self):
        unclear = student(unclear="Several files.")
        self.assertEqual((unclear["labs"][2]["points"], unclear["labs"][2]["status"], unclear["points"]),
                         (None, "unclear files", None))
        lost = grade_of(LABS[0], Item("k", "01-baseline", "p", "abc"), None, None, "again")
        self.assertIsNone(lost["points"])

    def test_the_gradebook_has_points_and_where_they_came_from(self):
        row, = csv.DictReader(io.StringIO(gradebook(of_class(student(first=checked(), second=TROUBLE)))))
        self.assertEqual((row["id"], row["name"], row["01-baseline"], row["02-tiling"], row["03-reorder"], row["total"]),
                         ("s1", "Ann", "6.5", "not graded", "0", "not graded"))
        origin = ("seed", "device", "compiler", "commit", "sandbox", "files of 01-baseline")
        self.assertEqual([row[column] for column in origin],
                         ["7", "emulated MI250X", "clang 15", "c0ffee", "bubblewrap", "abc"])

    def test_no_cell_is_a_formula(self):
        for name in ("=1+1", "+1", "-1", "@x", '=HYPERLINK("x")'):
            row, = csv.DictReader(io.StringIO(gradebook(of_class(student(name)))))
            self.assertEqual(row["name"], "'" + name)


class Pages(unittest.TestCase):
    class Reader(HTMLParser):
        def __init__(self):
            super().__init__()
            self.open, self.seen, self.text = [], set(), ""

        def handle_starttag(self, tag, attrs):
            self.seen.add(tag)
            self.open += [tag] if tag != "meta" else []

        def handle_endtag(self, tag):
            assert self.open.pop() == tag, tag

        def handle_data(self, data):
            self.text += data

    def read(self, page):
        reader = self.Reader()
        reader.feed(page)
        self.assertEqual(reader.open, [])
        self.assertFalse(reader.seen & {"script", "img", "link"})
        self.assertFalse(re.search("[\x00-\x09\x0b-\x1f\ud800\u202e]", page))
        page.encode()
        return reader.text

    def test_a_student_reads_points_reasons_and_remarks_as_text(self):
        text = self.read(feedback_page(student(name=NASTY, first=checked(stopped="Stopped " + NASTY)), of_class()))
        for words in ("01-baseline: 6.5 of 10", "02-tiling: 0 of 13", "nothing was handed in", "<script>x()</script>",
                      "Line one", "Stopped", "Remark", "make check LAB=01 SEED=7", "seed 7", "later", "1.5 of 5"):
            self.assertIn(words, text)

    def test_what_was_not_graded_is_called_so(self):
        text = self.read(feedback_page(student(first=checked(), second=TROUBLE), of_class()))
        self.assertIn("02-tiling: not graded", text)
        self.assertIn("the disk is full", text)

    def test_the_overview_has_all_tables_and_links(self):
        grades = of_class(student(first=checked(), second=TROUBLE, unclear=NASTY), student(first=checked(10)))
        page = overview_page(grades, {"s1": "students/s1/feedback.html"})
        for text in (self.read(page), as_text(grades)):
            for words in ("Points by lab", "Points by criterion", "Commonest failures", "Look at these side by side", "93 %",
                          "s1, s2", "Not graded", "the disk is full", "Nobody's"):
                self.assertIn(words, text)
            self.assertNotIn("\x1b", text)
        self.assertIn('href="students/s1/feedback.html"', page)

    def test_distribution_and_failures_are_counted(self):
        grades = of_class(*[student(first=checked(points)) for points in (0, 2.4, 2.5, 9.9, 10)], student(second=TROUBLE),
                          student(), student(first=checked(stopped="At 3 x 4, 5 wrong")),
                          student(first=checked(stopped="At 9 x 9, 17 wrong")))
        lines = [re.split(r"  +", line.strip()) for line in as_text(grades).splitlines()]
        self.assertIn(["01-baseline", "10", "7", "0", "2", "1", "2", "1", "1", "5.4", "6.5"], lines)
        self.assertIn(["02-tiling", "13", "1", "1", "0", "0", "0", "0", "0", "-", "-"], lines)
        self.assertIn(["01-baseline", "right", "7", "0", "0", "0"], lines)
        self.assertIn(["2", "01-baseline", "At 3 x 4, 5 wrong", "s1"], lines)


class Reports(unittest.TestCase):
    def setUp(self):
        self.student = student(first=checked(stopped="Stopped " + NASTY), second=TROUBLE)

    def test_junit_is_xml_with_a_case_for_each_criterion(self):
        root = ET.fromstring(junit(self.student).encode())
        counted = ("tests", "failures", "errors", "skipped")
        counts = {suite.get("name"): tuple(map(suite.get, counted)) for suite in root}
        self.assertEqual(counts, {"01-baseline": ("4", "2", "0", "1"), "02-tiling": ("1", "0", "1", "0"),
                                  "03-reorder": ("1", "1", "0", "0")})
        self.assertIn("<script>", root.find(".//failure").text)
        self.assertEqual(root.find(".//failure").get("message"), "1.5 of 5")

    def test_tap_has_a_line_for_each_case_and_no_stray_directive(self):
        lines = tap(self.student).splitlines()
        self.assertEqual(lines[:2], ["TAP version 13", "1..6"])
        cases = [line for line in lines[2:] if not line.startswith("# ")]
        self.assertEqual([line.split(" - ")[0] for line in cases],
                         ["ok 1", "not ok 2", "ok 3", "not ok 4", "not ok 5", "not ok 6"])
        self.assertIn("# SKIP", cases[2])
        self.assertFalse(any(re.search(r"(?<!\\)#", line) for line in cases[:2] + cases[3:]))

    def test_gradescope_adds_up_to_the_score(self):
        graded = student(first=checked())
        result = json.loads(gradescope(graded))
        self.assertEqual(result["score"], 6.5)
        self.assertEqual(sum(test["score"] for test in result["tests"]), 6.5)
        self.assertEqual({test["status"] for test in result["tests"]}, {"passed", "failed"})
        self.assertNotIn("on a GPU", json.dumps(result))

    def test_github_adds_up_to_the_score(self):
        name, _, value = github(student(first=checked())).partition("=")
        result = json.loads(base64.b64decode(value))
        self.assertEqual((name, sum(test["score"] for test in result["tests"]), result["max_score"]), ("result", 6.5, 35))
        self.assertEqual(result["status"], "fail")

    def main(self, content):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as said:
            path = os.path.join(folder, "grades.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(content, file)
            return reports.main("gradescope", path), said.getvalue()

    def test_no_report_of_what_was_not_graded(self):
        why, said = self.main(of_class(self.student))
        self.assertIn("Not graded. 02-tiling: Grader trouble", why)
        self.assertEqual(said, "")
        self.assertIn("has 0 students, and a report is of one", self.main(of_class())[0])
        self.assertEqual(json.loads(self.main(of_class(student(first=checked())))[1])["score"], 6.5)

    def test_a_student_who_can_hand_in_again_is_told_why(self):
        unclear = student(first=checked(), unclear="Several files.")
        result = json.loads(self.main(of_class(unclear))[1])
        self.assertEqual((result["score"], result["tests"][-1]["output"]), (6.5, "Several files."))


if __name__ == "__main__":
    unittest.main()
