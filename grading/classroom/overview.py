"""What an instructor wants to know about the class, as tables.

In:  grades (gradebook.py).
Out: [(title, note, heading, rows of text)]; the same as plain text.
"""
import re
from collections import Counter
from statistics import mean, median

from grading.words import points_text, shown

SHARES = (0, 0.25, 0.5, 0.75, 1)
MOST = 10  # rows of a table of what is commonest
NAMED = 8  # students of a group
WIDEST = 60  # column of the text


def in_lab(grades, lab):
    return [(student, grade) for student in grades["students"] for grade in student["labs"] if grade["lab"] == lab["lab"]]


def by_lab(grades):
    rows = []
    for lab in grades["labs"]:
        all_of_it = [grade for _, grade in in_lab(grades, lab)]
        handed_in = [grade for grade in all_of_it if grade["files"] or grade["points"] is None]
        points = [grade["points"] for grade in handed_in if grade["points"] is not None]
        shares = [grade["points"] / grade["possible"] for grade in handed_in if grade["points"] is not None]
        spread = [sum(least <= share < most for share in shares) for least, most in zip(SHARES, SHARES[1:])]
        middle = [points_text(mean(points)), points_text(median(points))] if points else ["-", "-"]
        rows.append([lab["lab"], points_text(lab["possible"]), len(handed_in), len(handed_in) - len(points), *spread,
                     sum(share >= 1 for share in shares), *middle])
    ranges = [f"{100 * least:.0f}-{100 * most:.0f} %" for least, most in zip(SHARES, SHARES[1:])]
    return ["lab", "points", "handed in", "not graded", *ranges, "all", "mean", "median"], rows


def by_criterion(grades):
    rows = []
    for lab in grades["labs"]:
        found = {}
        for _, grade in in_lab(grades, lab):
            for criterion in grade["criteria"]:
                found.setdefault(criterion["name"], []).append(criterion)
        for name, criteria in found.items():
            graded = [one for one in criteria if one["verdict"] != "later"]
            passed = sum(one["verdict"] == "pass" for one in graded)
            none = sum(one["verdict"] != "pass" and not one["points"] for one in graded)
            rows.append([lab["lab"], name, passed, len(graded) - passed - none, none, len(criteria) - len(graded)])
    return ["lab", "criterion", "all points", "some", "none", "other device"], rows


def failures_of(grade):
    """What a learner did not reach: the sentence that ended the check, else the criteria."""
    if grade["points"] is None:
        return []
    if grade["why"]:
        return [grade["why"].splitlines()[0]]
    failed = [criterion for criterion in grade["criteria"] if criterion["verdict"] == "FAIL"]
    return [": ".join(map(str, [criterion["name"], *criterion["feedback"][:1]])) for criterion in failed]


def commonest_failures(grades):
    """Sentences that differ in their numbers and in where files are only are one."""
    counted, example = Counter(), {}
    for lab in grades["labs"]:
        for student, grade in in_lab(grades, lab):
            for sentence in failures_of(grade):
                key = (lab["lab"], re.sub(r"\S*/|\d+([.,:e]\d+)*", "#", sentence))
                counted[key] += 1
                example.setdefault(key, (student["id"], sentence))
    most = sorted(counted, key=lambda key: (-counted[key], key))[:MOST]
    heading = ["students", "lab", "what they are told", "for example"]
    return heading, [[counted[key], key[0], example[key][1], example[key][0]] for key in most]


def alike(grades):
    rows = []
    for group in grades["alike"]:
        names = group["students"]
        more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
        rows.append([group["lab"], "the same file" if group["same"] else f"{100 * group['share']:.0f} %",
                     ", ".join(names[:NAMED]) + more])
    return ["lab", "shared", "students"], rows


def not_graded(grades):
    rows = [[student["id"], grade["lab"], grade["why"], grade["repeat"] or "-"]
            for student in grades["students"] for grade in student["labs"] if grade["points"] is None]
    return ["student", "lab", "why", "to repeat it"], rows


def strangers(grades):
    return ["entry", "why nobody was graded for it"], [[one["entry"], one["why"]] for one in grades["unmatched"]]


def tables(grades):
    """Those with rows."""
    made = [("Points by lab", "Students by the share of the points they got.", by_lab),
            ("Points by criterion", "Students who were graded so far.", by_criterion),
            ("Commonest failures", "", commonest_failures),
            ("Look at these side by side", "Shared: of what they added to the starter. It is no proof.", alike),
            ("Not graded", "make grade, called again, tries these again.", not_graded),
            ("Nobody's", "", strangers)]
    filled = [(title, note, *make(grades)) for title, note, make in made]
    return [(title, note, heading, [[shown(cell) for cell in row] for row in rows])
            for title, note, heading, rows in filled if rows]


def as_text(grades):
    lines = []
    for title, note, heading, rows in tables(grades):
        widths = [min(WIDEST, max(len(row[n]) for row in [heading, *rows])) for n in range(len(heading) - 1)]
        lines += ["", f"{title}. {note}".rstrip()]
        lines += ["  " + "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths)), row[-1]]).rstrip()
                  for row in [heading, *rows]]
    return "\n".join(lines[1:])
