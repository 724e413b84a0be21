"""Where a learner is: make status, make next, and what is shown only after a check has passed: make after, make solution.

In:  reached.py status|next; reached.py after|solution LAB-NAME   (from the root; grading/state.py has what was reached)
Out: lines for people. Status 1, with a sentence, where something is not to be shown yet or not there.
"""
import difflib
import glob
import os
import sys

from grading.state import content_of, has_passed, read
from grading.words import columns, points_text
from tools.read_page import WIDTH, in_terminal


class Stop(Exception):
    """Nothing is shown; the sentence says why."""


def files():
    """{lab: its file}"""
    return {path.split("/")[1]: path for path in sorted(glob.glob("labs/*/*.hip"))}


def state_of(record, source):
    if not record:
        return "not checked yet"
    changed = "" if record["sha256"] == content_of(source) else ", changed since the last check"
    return ("passed" if record["passed"] else "not yet") + changed


def status():
    known = read()
    yield f"  {'lab':<22} {'best so far':<18} state"
    for lab, source in files().items():
        record = known.get(lab)
        points = f"{points_text(record['points'])} of {points_text(record['possible'])} points" if record else "-"
        yield f"  {lab:<22} {points:<18} {state_of(record, source)}"


def next_step():
    known = read()
    passed = [lab for lab in files() if known.get(lab, {}).get("passed")]
    to_do = next((lab for lab in files() if lab not in passed), None)
    if passed:
        last = passed[-1][:2]
        yield f"Lab {last} has passed: make after LAB={last} says what its figures mean, make solution LAB={last} compares."
    if to_do is None:
        yield "All labs have passed. SRC=beyond has kernels that are faster yet on real devices: make run LAB=07 SRC=beyond"
        return
    number, begun = to_do[:2], to_do in known
    yield f"{'Go on with' if begun else 'Next is'} lab {number}: make read LAB={number}, edit {files()[to_do]}."
    yield f"Then: make check LAB={number}" + (f"; stuck? make hint LAB={number}" if begun else "")


def must_have_passed(lab, what):
    if not has_passed(lab):
        raise Stop(f"{what} of lab {lab[:2]} is shown once its check has passed: make check LAB={lab[:2]}; "
                   f"stuck? make hint LAB={lab[:2]}")


def after(lab):
    must_have_passed(lab, "What to look at afterwards")
    with open(f"labs/{lab}/afterwards.md", encoding="utf-8") as file:
        yield in_terminal(file.read(), min(WIDTH, columns() or WIDTH))


def solution(lab):
    must_have_passed(lab, "The solution")
    own = files()[lab]
    ours = f"solutions/{lab}/{os.path.basename(own)}"
    if not os.path.exists(ours):
        raise Stop(f"{ours} is not there: your course keeps its solutions to itself")
    texts = []
    for path in (own, ours):
        with open(path, encoding="utf-8", errors="replace") as file:
            texts.append(file.read().splitlines())
    yield from difflib.unified_diff(*texts, own, ours, lineterm="")
    yield f"Notes on it: solutions/{lab}/NOTES.md"


WORDS = {"status": status, "next": next_step, "after": after, "solution": solution}


def main():
    word, *lab = sys.argv[1:]
    for line in WORDS[word](*lab):
        print(line)


if __name__ == "__main__":
    try:
        main()
    except (Stop, OSError) as stop:
        sys.exit(str(stop))
    except BrokenPipeError:  # somebody read the first lines and left
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
