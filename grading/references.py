"""Figures of the solutions' kernels, to which a learner's are compared: expected.json records them ("references"), so a
check makes no run of a solution, and a course that keeps its solutions to itself can grade.

In:  the content of an expected.json.
Out: wanted(): which figures that file compares with; recorded(): one of them; hashes(): of which solutions they are. What is
     recorded holds on the emulated device, and for the solution whose hash stands beside it, or where there is none.
"""
import os

from grading.building import files_of, hash_of
from grading.programs import BUILD, RUN

CHOICES = ("source", *BUILD, *RUN, "size")


def _row(asked, place):
    return {**{key: asked[key] for key in CHOICES if key in asked}, "value": place}


def wanted(expected):
    """Rows as "references" has them, each once, without the figure."""
    rows = []
    for criterion in expected["criteria"]:
        if "source" in criterion.get("over", {}) and "emulated" in criterion["devices"]:
            for place in filter(None, (criterion["value"], criterion.get("per"))):
                rows.append(_row(over(criterion), place))
    for line in expected.get("predictions", {}).get("lines", []):
        rows += [_row({**line, **run}, line["value"]) for run in line["runs"] if "source" in run]
    return [row for n, row in enumerate(rows) if row not in rows[:n]]


def over(criterion):
    """What is asked of the run that a criterion's figure is divided by: of another file its size and block, of the same file
    all that it asks for, unless that says otherwise."""
    kept = ("size", "block") if "source" in criterion["over"] else (*BUILD, *RUN, "size")
    return {**{key: criterion[key] for key in kept if key in criterion}, **criterion["over"]}


def hashes(rows):
    return {source: hash_of(files_of(source)) for source in sorted({row["source"] for row in rows})}


def recorded(expected, source, asked, place):
    """The figure, None where it is not recorded or the solution is another by now."""
    row = _row({**asked, "source": source}, place)
    is_of = expected.get("references_from", {}).get(source)
    if os.path.exists(source) and hash_of(files_of(source)) != is_of:
        return None
    return next((known["is"] for known in expected.get("references", []) if {**known, "is": 0} == {**row, "is": 0}), None)
