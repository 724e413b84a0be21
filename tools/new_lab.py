"""Lays out the files of a new lab, which builds, runs and is graded at once; what a person must write says TO BE WRITTEN.

In:  new_lab.py NAME [FROM]    (from the repository root) the new lab's name, as 09-something; the lab whose solution its
                               starter is, by name or number, else the last; pages out of tools/lab-skeleton/
Out: labs/NAME, solutions/NAME, tests/submissions/NAME. tests/grading/test_complete.py names what is still to be written.
"""
import glob
import os
import re
import string
import sys

from grading.expected import BadExpected, kernels_in, load_expected
from grading.fields import CHOICES
from tools.rows import text_of

NAME = re.compile(r"\d\d(-[a-z0-9]+)+")
ROOMS = ("labs", "solutions", "tests/submissions")
TO_WRITE = "TO BE WRITTEN"
LOOK_AT = f"{TO_WRITE}: what a learner should look at when this fails."
ALIKE = ("family", "radius", "timeout_s", "correctness")  # in both labs


class Refused(Exception):
    """Why nothing was laid out."""


def labs():
    return sorted(path.split("/")[1] for path in glob.glob("labs/*/expected.json"))


def check_name(name):
    if not NAME.fullmatch(name):
        raise Refused(f"NAME={name} is no name of a lab: two digits and words in small letters are, for example "
                      "make new-lab NAME=09-shared-memory")
    taken = [path for room in ROOMS for path in glob.glob(f"{room}/{name[:2]}-*")]
    if taken:
        raise Refused(f"NAME={name}: there is {taken[0]} already; choose another number, or remove it")


def lab_before(asked):
    """The lab to begin from."""
    found = [lab for lab in labs() if asked in (lab, lab.split("-")[0])] if asked else labs()[-1:]
    if not found:
        raise Refused(f"FROM={asked} names no lab; there are: {' '.join(labs())}")
    return found[0]


def expected_of(name, before, source, kernels, label):
    """A skeleton that is valid, with one criterion: faster than the lab before."""
    old = load_expected(before)
    axis = {kernel: axis for kernel, axis in old.get("axis", {}).items() if kernel in kernels}
    criterion = next((row for row in reversed(old["criteria"]) if "emulated" in row["devices"]), old["criteria"][0])
    asked = {"kernel": old["stages"][0]["kernel"],
             **{key: value for key, value in criterion.items() if key in CHOICES and key not in ("block", "step")}}
    where = {key: criterion[key] for key in ("size", "block") if key in criterion}
    over = {"source": source, **asked}
    sizes = sorted({tuple(row["size"]) for row in old["ours"]})
    return {
        "lab": name,
        **{key: old[key] for key in ALIKE if key in old},
        **({"axis": axis} if axis else {}),
        "baseline": over,
        "criteria": [{"name": f"{TO_WRITE}: the figure that improves", "evidence": "modelled", "devices": ["emulated"],
                      **asked, **where, "value": "effective_bandwidth_gbs", "over": over, "full_at": 1.1, "zero_at": 1,
                      "points": 5, "look_at": LOOK_AT}],
        "predictions": {"points": 1, "lines": [
            {"label": label, "choices": ["shorter", "same", "longer"], "same_within_percent": 3, "evidence": "modelled",
             **asked, **where, "value": "time_ms.median", "runs": [{"source": source}, {}]}]},
        "stages": [{"name": f"{TO_WRITE}: a word or two", "change": f"{TO_WRITE}: the one change", **asked,
                    "published": {}}],
        "ours": [{**asked, "size": list(size)} for size in sizes],
        "published": {**old["published"], "source": f"{TO_WRITE}: who published figures, of which device and kernel"},
    }


def program_of(solution, first_line, predictions, todo):
    """The solution of the lab before with another first line, prediction and, before its first kernel, a comment."""
    text = re.sub(r"\A// .*\n", "", solution)
    text = re.sub(r"^// (PREDICTION|QUESTIONS).*\n(//   .*\n)+\n?", "", text, flags=re.MULTILINE)
    includes = list(re.finditer(r"^#include .*\n", text, re.MULTILINE))
    after = includes[-1].end() if includes else 0
    text = f"{text[:after]}\n{predictions}{text[after:]}"
    kernel = re.compile(r"^((template.*\n)?__global__)", re.MULTILINE)
    return first_line + kernel.sub(lambda found: todo + found[1], text, count=1)


def files_of(name, before):
    """The text of each file by its path."""
    number, source = name[:2], next(iter(glob.glob(f"solutions/{before}/*.hip")), None)
    if source is None:
        raise Refused(f"solutions/{before} has no .hip file to begin from; FROM=... names another lab")
    with open(source, encoding="utf-8") as file:
        solution = file.read()
    file_name, label = os.path.basename(source), f"kernel time, against lab {before[:2]}"
    words = {"number": number, "name": name, "file": file_name, "before": before[:2]}
    asks = ("// PREDICTION, to be written before the first run: replace each \"?\". make check reads these lines.\n"
            f"//   {label} (shorter, same, longer): ?\n")
    answers = ("// PREDICTION, as one may write it before the first run. make check reads these lines.\n"
               f"//   {label} (shorter, same, longer): shorter\n")
    starter = program_of(solution, f"// Lab {number}: {TO_WRITE}, what it computes and what the learner changes.\n", asks,
                         "// TODO: the one change of this lab.\n")
    solved = program_of(solution, f"// Lab {number}, solved: {TO_WRITE}, what it computes.\n", answers, "")
    pages = {}
    for path in ("labs/README.md", "labs/afterwards.md", "labs/hints.md", "labs/Makefile", "solutions/NOTES.md",
                 "solutions/Makefile"):
        room, page = path.split("/")
        with open(f"tools/lab-skeleton/{page}", encoding="utf-8") as file:
            pages[f"{room}/{name}/{page}"] = string.Template(file.read()).substitute(words)
    return {
        **pages,
        f"labs/{name}/expected.json": text_of(expected_of(name, before, source, kernels_in(solution), label)),
        f"labs/{name}/{file_name}": starter,
        f"solutions/{name}/{file_name}": solved,
        f"tests/submissions/{name}/unchanged.hip": starter,
        f"tests/submissions/{name}/reasons.txt": f"unchanged: {LOOK_AT}\n",
    }


def main():
    name, before = (*sys.argv[1:], "", "")[:2]
    check_name(name)
    files = files_of(name, lab_before(before))
    for path, text in sorted(files.items()):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "x", encoding="utf-8") as file:
            file.write(text)
        print(path)
    print(f"Next: write what says \"{TO_WRITE}\", then make record LAB={name}; make test SUITE=complete names what is left.")


if __name__ == "__main__":
    try:
        main()
    except (Refused, BadExpected, OSError) as why:
        sys.exit(str(why))
