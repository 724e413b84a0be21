"""Reads a folder of submissions, one entry a student, as an instructor gets it from a colleague, Moodle, Canvas or GitHub.

In:  folders, archives and .hip files, with whatever names; the roster, if there is one.
Out: for each student the files of each lab, by content and under plain names; sentences on what is missing or unclear;
     entries that belong to nobody, each with a sentence.
"""
import os
import re
from dataclasses import dataclass, field

from grading.classroom.labs import AT_THE_END, lab_of, mentioned
from grading.classroom.roster import Student, find_student
from grading.classroom.text import Trouble
from grading.words import shown
from grading.classroom.unpack import ARCHIVES, is_archive, is_litter, is_source, unpack

MOODLE = re.compile(r"(?P<name>.+?)_(?P<number>\d+)_assignsubmission_[a-z]+_?(?P<rest>.*)$", re.DOTALL)
CANVAS = re.compile(r"(?P<name>[^_]+)_(?:LATE_)?(?P<number>\d+)_\d+_(?P<rest>.+)$", re.DOTALL)
PLAIN_HEADER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*$")


@dataclass
class Candidate:
    """A file that may be the one for its lab."""
    place: str
    rank: int  # the lower the likelier
    files: dict  # name: contents; the .hip file and headers beside it


@dataclass
class Handed:
    """What one student handed in."""
    student: Student
    candidates: dict = field(default_factory=dict)  # lab: [Candidate], the likeliest
    problems: list = field(default_factory=list)
    notes: list = field(default_factory=list)

    def add(self, lab, candidate):
        likeliest = self.candidates.get(lab.name, [])
        least = min([candidate.rank, *(one.rank for one in likeliest)])
        self.candidates[lab.name] = [one for one in [*likeliest, candidate] if one.rank == least]

    def choose(self, lab):
        """Returns (files, None), (None, why it is unclear) or (None, None): nothing was handed in."""
        likeliest = self.candidates.get(lab.name)
        if not likeliest:
            return None, " ".join(self.problems) or None
        if any(one.files != likeliest[0].files for one in likeliest):
            places = "; ".join(sorted(one.place for one in likeliest))
            return None, f"Several files could be lab {lab.name}, and only one can be graded: {places}."
        return likeliest[0].files, None


def without_ending(name):
    ending = max((e for e in (*ARCHIVES, ".hip") if name.lower().endswith(e)), key=len, default="")
    return name[:len(name) - len(ending)]


def person_of(name, is_file, labs):
    """Who handed an entry in: (id, name, what the file is called, the lab that the entry names)."""
    system = MOODLE.match(name) or CANVAS.match(name)
    if system:
        # Canvas' number is the account's. Moodle's means nothing elsewhere, but tells two people of one name apart.
        number = system["number"] if system.re is CANVAS else f"participant{system['number']}"
        rest = system["rest"] or name
        return number, system["name"], rest, mentioned(without_ending(rest), labs)
    stem = without_ending(name) if is_file else name
    # smith_03.hip is lab 03 of smith, but a folder student_03 is student number 3.
    bare = (AT_THE_END,) if is_source(name) else ()
    lab = mentioned(stem, labs, *bare)
    if lab is None:
        return stem, "", name, None
    mention = rf"(?:lab[ _.-]*)?0*{int(lab.digits)}(?:{re.escape(lab.name[len(lab.digits):])})?"
    return re.sub(rf"^{mention}[ _.-]+|[ _.-]*{mention}$", "", stem, flags=re.IGNORECASE) or stem, "", name, lab


def rank(names, lab):
    """In a checkout of the course labs/NN-name/ comes before solutions/ and tests/."""
    own = names[-1] == lab.file
    if own and names[-3:-1] == ["labs", lab.name]:
        return 0
    return 1 if own and names[-2:-1] == [lab.name] else 2 if own else 3


def sort_out(unpacked, hint, labs, chosen, handed):
    """Puts what was unpacked down as candidates of the student."""
    handed.problems += unpacked.problems
    unclear = []
    for names, content in unpacked.files:
        if not names[-1].lower().endswith(".hip"):
            continue
        lab = lab_of(names, hint, labs, chosen)
        place = shown("/".join(names))
        if lab is None:
            unclear.append(f"{place}: its name does not tell the lab; call it {labs[0].digits}.hip, for example.")
            continue
        beside = {other[-1]: data for other, data in unpacked.files if other[:-1] == names[:-1] and not is_hip(other[-1])}
        for header in sorted(beside):
            if not PLAIN_HEADER.match(header):
                handed.notes.append(f"{shown(header)} was left out: a header's name has letters, digits, _, + and - only.")
                del beside[header]
        handed.add(lab, Candidate(place, rank(names, lab), {**beside, lab.file: content}))
    if not any(one.rank == 0 for found in handed.candidates.values() for one in found):  # a checkout has others, too
        handed.problems += unclear


def is_hip(name):
    return name.lower().endswith(".hip")


def entries_of(folder):
    try:
        return sorted(name for name in os.listdir(folder) if not is_litter(name))
    except OSError as trouble:
        raise Trouble(f"SUBMISSIONS={shown(folder)} cannot be read: {trouble.strerror}. "
                      "It is a folder with a folder, archive or .hip file for each student.") from None


def take_in(folder, roster, labs, chosen):
    """roster: [Student], None if there is none. Returns ([Handed] of all students, [(entry, why it belongs to nobody)])."""
    handed = {student: Handed(student) for student in roster or []}
    strangers = []
    for name in entries_of(folder):
        path = os.path.join(folder, name)
        is_file = not os.path.isdir(path)
        if os.path.islink(path) or is_file and not (is_archive(name) or is_hip(name)):
            strangers.append((shown(name), "It is neither a folder nor a zip or tar archive nor a .hip file."))
            continue
        number, person, rest, hint = person_of(name, is_file, labs)
        if roster is None:
            student, why = Student(shown(number), shown(person)), None
        else:
            student, why = find_student(roster, number, person)
        if why:
            strangers.append((shown(name), why))
            continue
        sort_out(unpack(path, rest), hint, labs, chosen, handed.setdefault(student, Handed(student)))
    if not handed:
        raise Trouble(f"SUBMISSIONS={shown(folder)} holds no submission: a folder, archive or .hip file for each student.")
    return sorted(handed.values(), key=lambda one: one.student.id) if roster is None else list(handed.values()), strangers
