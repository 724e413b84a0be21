"""The grades of a class as one table and as JSON.

In:  what each student handed in for each lab and the check's record of it.
Out: grades: a dict that all pages and reports are made of, written as grades.json; gradebook.csv, a row a student;
     times.csv, what differs from one run to the next and so is in neither.
"""
import csv
import io

from grading.classroom.text import score
from grading.words import points_text

NOTHING = "nothing was handed in"
UNCLEAR = "unclear files"
TROUBLE = "grader trouble"


def grade_of(lab, item, record, unclear, repeat):
    """One student's grade for one lab. points: None if it could not be graded. repeat: the command that checks the item."""
    grade = {"lab": lab.name, "possible": lab.possible, "points": None, "status": TROUBLE, "why": None,
             "files": item.files if item else None, "criteria": [], "repeat": repeat, "provenance": {}}
    if item is None and unclear is None:
        return {**grade, "points": 0, "status": NOTHING}
    if unclear is not None:
        return {**grade, "status": UNCLEAR, "why": unclear}
    if record is None:
        return {**grade, "why": "Its result is gone."}
    check = record["check"]
    if check["status"] == "trouble":
        return {**grade, "why": f"Grader trouble, which says nothing about the work. {check['trouble']}"}
    same = ("points", "possible", "status", "criteria", "repeat", "provenance")
    return {**grade, **{key: check.get(key) for key in same}, "why": check.get("stopped")}


def student_of(handed, grades):
    """One student's row of grades.json."""
    points = [grade["points"] for grade in grades]
    return {"id": handed.student.id, "name": handed.student.name, "email": handed.student.email,
            "points": None if None in points else sum(points), "possible": sum(grade["possible"] for grade in grades),
            "labs": grades, "remarks": sorted({*handed.problems, *handed.notes})}


def harmless(cell):
    """A spreadsheet computes cells that begin like this, whoever wrote them."""
    return "'" + cell if cell.startswith(("=", "+", "-", "@")) else cell


def table(rows):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([harmless(str(cell)) for cell in row] for row in rows)
    return text.getvalue()


def origin(student, key):
    """What the student's checks say about where a grade came from, mostly one thing."""
    return "; ".join(sorted({str(grade["provenance"][key]) for grade in student["labs"] if grade["provenance"].get(key)}))


def gradebook(grades):
    labs = [lab["lab"] for lab in grades["labs"]]
    rows = [["id", "name", "email", *labs, "total", "possible", "seed", "device", "compiler", "commit", "sandbox",
             *(f"files of {lab}" for lab in labs)]]
    for student in grades["students"]:
        rows.append([student["id"], student["name"], student["email"],
                     *(score(grade["points"]) for grade in student["labs"]), score(student["points"]),
                     points_text(student["possible"]), grades["seed"],
                     *(origin(student, key) for key in ("device", "compiler", "commit", "sandbox")),
                     *(grade["files"] or "" for grade in student["labs"])])
    return table(rows)


def times(records):
    """records: {item: record}"""
    return table([["lab", "files", "seconds", "host", "finished"],
                  *sorted([item.lab, item.files, record["seconds"], record["host"], record["finished"]]
                          for item, record in records.items() if record)])
