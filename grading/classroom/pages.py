"""HTML pages that need nothing else: feedback for a student, the overview for the instructor.

In:  grades (gradebook.py), of which any text may be a stranger's.
Out: HTML, every text escaped.
"""
from html import escape

from grading.classroom.gradebook import NOTHING
from grading.classroom.overview import tables
from grading.classroom.text import score, shown_lines
from grading.words import shown

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>
body {{ font: 16px/1.5 sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; }}
table {{ border-collapse: collapse; margin: 1em 0; }}
th, td {{ border-bottom: 1px solid #ccc; padding: 0.2em 0.8em; text-align: left; vertical-align: top; }}
pre {{ background: #f4f4f4; padding: 0.6em; white-space: pre-wrap; overflow-wrap: anywhere; margin: 0.2em 0; }}
</style>
</head>
<body>
<h1>{title}</h1>
{body}
</body>
</html>
"""


def page(title, *parts):
    return PAGE.format(title=escape(shown(title)), body="\n".join(parts))


def paragraph(text):
    return f"<p>{escape(shown(text))}</p>"


def block(text):
    return f"<pre>{escape(shown_lines(text))}</pre>"


def html_table(heading, rows):
    """rows: cells as HTML."""
    lines = ["<tr>" + "".join(f"<th>{escape(cell)}</th>" for cell in heading) + "</tr>"]
    lines += ["<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows]
    return "<table>\n" + "\n".join(lines) + "\n</table>"


def cell(value):
    return "-" if value is None else escape(f"{value:.4g}" if isinstance(value, float) else shown(value))


def criterion_row(criterion):
    feedback = block("\n".join(map(str, criterion["feedback"]))) if criterion["feedback"] else ""
    evidence, value, full, zero = (cell(criterion.get(key)) for key in ("evidence", "value", "full_at", "zero_at"))
    points = "later" if criterion["verdict"] == "later" else score(criterion["points"], criterion["possible"])
    return [cell(criterion["name"]) + feedback, evidence, value, f"{full} .. {zero}", points]


def lab_section(grade, seed):
    parts = [f"<h2>{escape(shown(grade['lab']))}: {score(grade['points'], grade['possible'])}</h2>"]
    if grade["status"] == NOTHING:
        parts.append(paragraph(f"For this lab {NOTHING}."))
    if grade["why"]:
        parts.append(block(grade["why"]))
    if grade["criteria"]:
        heading = ["what", "evidence", "value", "full .. zero", "points"]
        parts.append(html_table(heading, map(criterion_row, grade["criteria"])))
        command = f"make check LAB={grade['lab'].split('-')[0]} SEED={seed}"
        parts.append(paragraph(f"{command} draws the same sizes and inputs again."))
    return "\n".join(parts)


def feedback_page(student, grades):
    who = f"{student['id']} {student['name']}".strip()
    remarks = ["<h2>About the files</h2>", *map(paragraph, student["remarks"])] if student["remarks"] else []
    return page(f"Feedback for {who}",
                paragraph(f"Points: {score(student['points'], student['possible'])}. Device {grades['device']}, "
                          f"seed {grades['seed']}, the same for the whole class. A criterion that is \"later\" needs "
                          "another device and counts neither way. \"Not graded\" is no grade: your instructor sees why."),
                *(lab_section(grade, grades["seed"]) for grade in student["labs"]), *remarks)


def overview_page(grades, links):
    """links: {student's id: the feedback page}"""
    parts = [paragraph(f"{len(grades['students'])} students, device {grades['device']}, seed {grades['seed']}.")]
    for title, note, heading, rows in tables(grades):
        parts += [f"<h2>{escape(title)}</h2>", paragraph(note), html_table(heading, [map(escape, row) for row in rows])]
    rows = [[f'<a href="{escape(links[student["id"]])}">{escape(shown(student["id"]))}</a>', escape(shown(student["name"])),
             *(score(grade["points"], grade["possible"]) for grade in student["labs"]),
             score(student["points"], student["possible"])] for student in grades["students"]]
    labs = [lab["lab"] for lab in grades["labs"]]
    return page("The class", *parts, "<h2>Students</h2>", html_table(["id", "name", *labs, "total"], rows))
