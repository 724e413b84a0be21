"""Who is in the class, and which of them an entry of the submissions folder belongs to.

In:  a CSV file with a first line that names its columns: id, and name and email if wanted, in any order, separated by
     commas, semicolons or tabs, in UTF-8 or Latin-1; ids and names that a learning management system put into file names.
Out: the students in the file's order; for an entry the student, or a sentence on why nobody can be named.
"""
import csv
import re
import unicodedata
from dataclasses import dataclass

from grading.classroom.text import Trouble
from grading.words import shown


@dataclass(frozen=True)
class Student:
    id: str
    name: str
    email: str = ""


def read_roster(path):
    where = f"ROSTER={shown(path)}"
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as trouble:
        raise Trouble(f"{where} cannot be read: {trouble.strerror}.") from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    lines = text.splitlines()
    first = lines[0] if lines else ""
    separator = max(",;\t", key=first.count)
    try:
        rows = list(csv.reader(lines, delimiter=separator, strict=True))
    except csv.Error as trouble:
        raise Trouble(f"{where} is no CSV file: {trouble}.") from None
    columns = [column.strip().lower() for column in rows[0]] if rows else []
    if columns.count("id") != 1 or max(map(columns.count, ("name", "email"))) > 1:
        raise Trouble(f"{where} needs a first line like id,name or id,name,email; it begins with: {shown(first[:80])}")
    students = {}
    for number, row in enumerate(rows[1:], 2):
        cells = {column: cell.strip() for column, cell in zip(columns, row)}
        if not any(cells.values()):
            continue
        student = Student(*(shown(cells.get(column, "")) for column in ("id", "name", "email")))
        if not student.id:
            raise Trouble(f"{where}, line {number}: {student.name or 'this student'} has no id.")
        if student.id.casefold() in students:
            raise Trouble(f"{where}, line {number}: the id {student.id} stands there twice.")
        students[student.id.casefold()] = student
    return list(students.values())


def squeezed(name):
    """Letters and digits only, without accents and case."""
    return "".join(letter for letter in unicodedata.normalize("NFKD", name).casefold() if letter.isalnum())


def spellings(name):
    """Anna Maria Smith, Smith Anna Maria, ...: file names have either, mostly without what is between."""
    words = [squeezed(word) for word in re.split(r"[\s,;]+", name) if squeezed(word)]
    return {"".join(words[n:] + words[:n]) for n in range(len(words))}


def is_part(word, text):
    return re.search(rf"(?<![^\W_]){re.escape(word)}(?![^\W_])", text) is not None


def find_student(roster, number, name):
    """number: what may be an id, by itself or within other words. Returns (student, None) or (None, why not)."""
    by_id = [student for student in roster if student.id.casefold() == number.casefold()]
    by_name = [student for student in roster if squeezed(name or number) in spellings(student.name)]
    within = [student for student in roster if is_part(student.id.casefold(), f"{number} {name}".casefold())]
    longest = [student for student in within if all(other.id.casefold() in student.id.casefold() for other in within)]
    found = by_id or by_name or longest or within
    if by_id and by_name and by_id[0] not in by_name:
        found = by_id + by_name
    if len(found) > 1:
        return None, f"It could be of {' or '.join(f'{one.id} ({one.name})' for one in found)}: rename it to one id."
    if not found:
        return None, "Nobody in the roster has this id or name: rename it to an id, or add a line to the roster."
    return found[0], None
