"""A student's grades in the formats of other systems: JUnit XML, TAP, Gradescope, GitHub Classroom.

In:  a student of grades (gradebook.py).
     python3 -m grading.classroom.reports gradescope|github GRADES.json   (of one student)
Out: text. Gradescope's results.json; for GitHub the line result=... of a step's output, which its reporter reads. There a
     student who handed in what cannot be read or told apart sees 0 points and the sentence, and can hand in again. Status 2
     and a sentence if the grader had trouble.
"""
import base64
import json
import sys
import xml.etree.ElementTree as ET

from grading.classroom.gradebook import NOTHING, TROUBLE, UNCLEAR
from grading.classroom.text import score, shown_lines
from grading.words import shown


def cases_of(grade):
    """[(what, passed, failed or later, points, possible, sentences)] of a lab that was graded."""
    if grade["status"] in (NOTHING, UNCLEAR):
        return [("handed in", "failed", 0, grade["possible"], shown(grade["why"] or f"{NOTHING.capitalize()}."))]
    cases = []
    for one in grade["criteria"]:
        state = {"pass": "passed", "later": "later"}.get(one["verdict"], "failed")
        said = shown_lines("\n".join(map(str, one["feedback"])))
        cases.append((shown(one["name"]), state, one["points"] or 0, one["possible"], said))
    if grade["why"]:
        cases.append(("graded to the end", "failed", 0, 0, shown_lines(grade["why"])))
    return cases


def junit(student):
    suites = ET.Element("testsuites", name=shown(student["id"]))
    for grade in student["labs"]:
        suite = ET.SubElement(suites, "testsuite", name=grade["lab"])
        if grade["points"] is None:
            case = ET.SubElement(suite, "testcase", classname=grade["lab"], name="not graded")
            ET.SubElement(case, "error", message="not graded").text = shown_lines(grade["why"])
        for what, state, points, possible, said in cases_of(grade) if grade["points"] is not None else []:
            case = ET.SubElement(suite, "testcase", classname=grade["lab"], name=what)
            if state == "later":
                ET.SubElement(case, "skipped", message="needs another device")
            elif state == "failed":
                ET.SubElement(case, "failure", message=score(points, possible)).text = said
        for attribute, kind in (("tests", "testcase"), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            suite.set(attribute, str(len(list(suite.iter(kind)))))
    ET.indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(suites, encoding="unicode") + "\n"


def tap(student):
    lines = []
    for grade in student["labs"]:
        if grade["points"] is None:
            lines.append(("not ok", f"{grade['lab']}: not graded", grade["why"]))
            continue
        for what, state, points, possible, said in cases_of(grade):
            what = what.replace("\\", "\\\\").replace("#", "\\#")
            result = " # SKIP needs another device" if state == "later" else f", {score(points, possible)}"
            lines.append(("not ok" if state == "failed" else "ok", f"{grade['lab']}: {what}{result}", said))
    text = ["TAP version 13", f"1..{len(lines)}"]
    for count, (verdict, what, said) in enumerate(lines, 1):
        text += [f"{verdict} {count} - {what}", *(f"# {sentence}" for sentence in shown_lines(said).splitlines())]
    return "\n".join(text) + "\n"


def gradescope(student):
    """https://gradescope-autograders.readthedocs.io/en/latest/specs/"""
    tests = [{"name": f"{grade['lab']}: {what}", "score": points, "max_score": possible, "output": said,
              "output_format": "text", "status": state}
             for grade in student["labs"] for what, state, points, possible, said in cases_of(grade) if state != "later"]
    points = sum(test["score"] for test in tests)
    return json.dumps({"score": points, "output": "\n".join(student["remarks"]), "tests": tests}, indent=1)


def github(student):
    """One of the "runners" of https://github.com/classroom-resources/autograding-grading-reporter, which adds up scores."""
    tests = [{"name": f"{grade['lab']}: {score(grade['points'], grade['possible'])}", "score": grade["points"] or 0,
              "status": "pass" if grade["points"] == grade["possible"] else "fail",
              "message": "\n".join(f"{what}: {said}" for what, state, _, _, said in cases_of(grade) if state == "failed")}
             for grade in student["labs"]]
    status = "pass" if all(test["status"] == "pass" for test in tests) else "fail"
    result = {"version": 1, "status": status, "max_score": student["possible"], "tests": tests}
    return "result=" + base64.b64encode(json.dumps(result).encode()).decode()


def main(form, path):
    with open(path, encoding="utf-8") as file:
        students = json.load(file)["students"]
    if len(students) != 1:
        return f"{shown(path)} has {len(students)} students, and a report is of one."
    student = students[0]
    trouble = [f"{grade['lab']}: {shown(grade['why'])}" for grade in student["labs"] if grade["status"] == TROUBLE]
    if trouble:
        return " ".join(["Not graded.", *trouble])
    print({"gradescope": gradescope, "github": github}[form](student))
    return None


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] not in ("gradescope", "github"):
        sys.exit("python3 -m grading.classroom.reports gradescope|github GRADES.json is needed")
    try:
        problem = main(*sys.argv[1:])
    except (OSError, ValueError, KeyError) as unreadable:
        problem = f"{shown(sys.argv[2])} holds no grades: {unreadable}"
    if problem:
        print(problem, file=sys.stderr)
        sys.exit(2)
