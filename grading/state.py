"""What a learner has reached: the best check of each lab, kept in one file that make clean leaves where it is.

In:  LAB_PROGRESS, or .progress.json in the folder that make runs in; the grades of labs/ (scoring.Grade).
Out: the file, a record for each lab: points and possible of the best check, whether one passed, what the file was at the
     last check. A file that cannot be read counts as none, and says so.
"""
import json
import os
import sys

from grading.building import files_of, hash_of
from grading.files import write_whole
from grading.statuses import NotYet

HAS = {"points": (int, float), "possible": (int, float), "passed": bool, "sha256": (str, type(None))}


def path():
    return os.environ.get("LAB_PROGRESS", ".progress.json")


def is_record(value):
    return isinstance(value, dict) and all(isinstance(value.get(key), kind) for key, kind in HAS.items())


def read():
    """{lab: record}"""
    try:
        with open(path(), encoding="utf-8") as file:
            found = json.load(file)
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as trouble:
        print(f"what was reached so far cannot be read from {path()} ({trouble}); it counts as nothing", file=sys.stderr)
        return {}
    return {lab: record for lab, record in found.items() if is_record(record)} if isinstance(found, dict) else {}


def content_of(source):
    """A hash of the file and the headers beside it; None where there is none."""
    try:
        return hash_of(files_of(source))
    except (NotYet, OSError):
        return None


def is_a_learners(source):
    return os.path.relpath(source).split(os.sep)[0] == "labs"


def keep(grade):
    """Of a check that could work, of a learner's file."""
    if grade.trouble or not is_a_learners(grade.source):
        return
    known = read()
    old = known.get(grade.lab, {"points": 0, "possible": grade.possible, "passed": False})
    better = grade.points * old["possible"] >= old["points"] * grade.possible
    best = {"points": grade.points, "possible": grade.possible} if better else old
    known[grade.lab] = {"points": best["points"], "possible": best["possible"],
                        "passed": old["passed"] or grade.status == "passed", "sha256": content_of(grade.source)}
    try:
        write_whole(path(), json.dumps(known, indent=1) + "\n")
    except OSError as trouble:
        print(f"what was reached cannot be kept in {path()}: {trouble.strerror}", file=sys.stderr)


def has_passed(lab):
    return read().get(lab, {}).get("passed", False)
