"""Grades a class: takes in what was handed in, checks every different file once, writes gradebook, pages and reports.

In:  grade.py DEVICE   (from the repository root), and in the environment, so that no shell and no make reads them:
     SUBMISSIONS  folder with a folder, archive or .hip file for each student
     ROSTER LABS JOBS LAUNCHER SEED OUT SANDBOX   as docs/grading-a-class.md says, each may be empty
Out: the folder OUT; an overview on stdout, progress on stderr. Status 0: everything handed in was graded; 2: something was
     not, each with a sentence. Called again, it goes on where it was stopped, however that was.
"""
import glob
import json
import os
import shlex
import shutil
import signal
import sys
import time
from dataclasses import dataclass

from grading.classroom.checks import Checks
from grading.classroom.gradebook import grade_of, gradebook, student_of, times
from grading.classroom.intake import take_in
from grading.classroom.keeping import Kept
from grading.classroom.labs import all_labs, chosen_labs
from grading.classroom.overview import as_text
from grading.classroom.pages import feedback_page, overview_page
from grading.classroom.reports import junit, tap
from grading.classroom.roster import read_roster
from grading.classroom.similarity import find_alike
from grading.classroom.text import Trouble, file_name, score
from grading.words import shown
from grading.draw import MASK, fresh_seed
from grading.files import write_whole
from grading.sandbox import why_not

OUT = "build/grades"
PUBLISHED = "the published solution"


@dataclass(frozen=True)
class Settings:
    device: str
    submissions: str
    roster: str
    labs: str
    jobs: int
    launcher: list
    seed: int
    out: str


def whole_number(name, text, least, most):
    if not (text.isascii() and text.isdigit() and least <= int(text) <= most):
        raise Trouble(f"{name}={shown(text)} is no whole number from {least} to {most}.")
    return int(text)


def seed_of_class(out, asked):
    """All get the same sizes and inputs, in this run and in those that follow or run beside it."""
    path = os.path.join(out, "seed")
    if asked:
        write_whole(path, str(whole_number("SEED", asked, 0, MASK)))
    elif not os.path.exists(path):
        write_whole(f"{path}.{os.getpid()}", str(fresh_seed()))
        try:
            os.link(f"{path}.{os.getpid()}", path)
        except FileExistsError:
            pass  # one beside this one was faster
        os.unlink(f"{path}.{os.getpid()}")
    with open(path, encoding="utf-8", errors="replace") as file:
        return whole_number(f"The content of {shown(path)}: SEED", file.read().strip(), 0, MASK)


def settings_from(device, environment):
    def asked(name):
        return environment.get(name, "")

    if why_not() and asked("SANDBOX") != "none":
        raise Trouble(f"There is no sandbox on this machine: {why_not()}. Files of other people run as you then, with all "
                      "that you may do. SANDBOX=none grades without; the gradebook says so.")
    if not asked("SUBMISSIONS"):
        raise Trouble("SUBMISSIONS names no folder. Example: make grade SUBMISSIONS=../handed-in ROSTER=../class.csv")
    try:
        launcher = shlex.split(asked("LAUNCHER"))
    except ValueError as trouble:
        raise Trouble(f"LAUNCHER={shown(asked('LAUNCHER'))} is no command: {trouble}.") from None
    if launcher and not shutil.which(launcher[0]):
        raise Trouble(f"LAUNCHER={shown(asked('LAUNCHER'))}: there is no command {shown(launcher[0])} on this machine.")
    jobs = whole_number("JOBS", asked("JOBS") or "1", 1, 1000)
    out = asked("OUT") or OUT
    return Settings(device, asked("SUBMISSIONS"), asked("ROSTER"), asked("LABS"), jobs, launcher,
                    seed_of_class(out, asked("SEED")), out)


class Progress:
    """A line for each result, with the time that the rest takes at the pace so far, whoever helps."""

    def __init__(self, kept, owners):
        self.kept, self.owners = kept, owners  # {item: ids of those who handed it in}
        self.began, self.before = time.monotonic(), kept.count_done(owners)

    def __call__(self, item, record):
        done, everything, check = self.kept.count_done(self.owners), len(self.owners), record["check"]
        trouble = check["status"] == "trouble"
        said = f"grader trouble: {check['trouble']}" if trouble else score(check["points"], check["possible"])
        pace = (time.monotonic() - self.began) / max(1, done - self.before)
        print(f"{done} of {everything}  {item.lab}  {', '.join(self.owners[item])}: {said}  ({record['seconds']:.0f} s; "
              f"about {pace * (everything - done) / 60:.0f} min left)", file=sys.stderr, flush=True)


def read_text(*paths):
    texts = []
    for path in paths:
        with open(path, encoding="utf-8", errors="replace") as file:
            texts.append(file.read())
    return "\n".join(texts)


def find_copies(lab, owners):
    """owners: {item: ids of those who handed it in} of all labs. Returns groups for grades["alike"]."""
    starter = read_text(f"labs/{lab.name}/{lab.file}")
    people = {item.path: ids for item, ids in owners.items() if item.lab == lab.name}
    texts = {path: read_text(*sorted(glob.glob(f"{glob.escape(os.path.dirname(path))}/*"))) for path in people}
    groups = [{"lab": lab.name, "students": ids, "share": 1.0, "same": True}
              for path, ids in people.items() if len(ids) > 1 and texts[path] != starter]
    for solution in glob.glob(f"solutions/{lab.name}/*.hip"):
        texts[solution], people[solution] = read_text(solution), [PUBLISHED]
    for paths, share in find_alike(texts, starter):
        students = sorted(one for path in paths for one in people[path])
        groups.append({"lab": lab.name, "students": students, "share": round(share, 2), "same": False})
    return sorted(groups, key=lambda group: (-len(group["students"]), group["students"]))


def grade_class(settings):
    """Returns (grades, records)."""
    labs = all_labs(settings.device)
    chosen = chosen_labs(labs, settings.labs)
    roster = read_roster(settings.roster) if settings.roster else None
    handed_in, strangers = take_in(settings.submissions, roster, labs, chosen)

    owners = {}  # of each different file: the ids of those who handed it in
    kept = Kept(settings.out, settings.device, settings.seed)
    found = []  # for each student and lab: the lab, the file or None, and why that is unclear
    for handed in handed_in:
        chosen_files = [(lab, *handed.choose(lab)) for lab in chosen]
        found.append([(lab, kept.item(lab, files) if files else None, unclear) for lab, files, unclear in chosen_files])
        for item in (item for _, item, _ in found[-1] if item):
            owners.setdefault(item, []).append(handed.student.id)
    kept.retry(owners)
    run = Checks(kept, settings.device, settings.seed, settings.launcher, Progress(kept, owners))
    records = run.grade_all(list(owners), settings.jobs)

    students = [student_of(handed, [grade_of(lab, item, records.get(item), unclear, item and run.repeat(item))
                                    for lab, item, unclear in of_student]) for handed, of_student in zip(handed_in, found)]
    return {"device": settings.device, "seed": settings.seed,
            "labs": [{"lab": lab.name, "possible": lab.possible} for lab in chosen], "students": students,
            "unmatched": [{"entry": entry, "why": why} for entry, why in strangers],
            "alike": [group for lab in chosen for group in find_copies(lab, owners)]}, records


def write_all(out, grades, records):
    links = {}
    for student in grades["students"]:
        folder = f"students/{file_name(student['id'])}"
        links[student["id"]] = f"{folder}/feedback.html"
        for name, content in (("feedback.html", feedback_page(student, grades)), ("junit.xml", junit(student)),
                              ("results.tap", tap(student))):
            write_whole(os.path.join(out, folder, name), content)
    for name, content in (("gradebook.csv", gradebook(grades)), ("grades.json", json.dumps(grades, indent=1) + "\n"),
                          ("overview.html", overview_page(grades, links)), ("times.csv", times(records))):
        write_whole(os.path.join(out, name), content)


def main(device):
    settings = settings_from(device, os.environ)
    grades, records = grade_class(settings)
    write_all(settings.out, grades, records)
    print(as_text(grades))
    missing = sum(grade["points"] is None for student in grades["students"] for grade in student["labs"])
    students, out = len(grades["students"]), shown(settings.out)
    print(f"\n{students} students, seed {grades['seed']}. Look at {out}/overview.html and {out}/gradebook.csv.")
    if missing or grades["unmatched"]:
        nobodys = len(grades["unmatched"])
        print(f"Not graded: {missing} labs of students and {nobodys} entries of nobody; the tables above say why.")
        return 2
    return 0


def interrupted(*_):
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.stdout.reconfigure(errors="backslashreplace")
    sys.stderr.reconfigure(errors="backslashreplace")
    signal.signal(signal.SIGTERM, interrupted)
    try:
        sys.exit(main(sys.argv[1]))
    except Trouble as trouble:
        print(f"make grade: {trouble}", file=sys.stderr)
    except (OSError, ValueError, KeyError) as trouble:
        print(f"make grade could not go on: {shown(trouble)}. What was graded is kept; the same command goes on.",
              file=sys.stderr)
    except KeyboardInterrupt:
        print("make grade was stopped. What was graded is kept; the same command goes on.", file=sys.stderr)
    sys.exit(2)
