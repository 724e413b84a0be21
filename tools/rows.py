"""Writes labs/NN-name/expected.json for people: a row of a list begins a line, what is long goes on in the next.

In:  rows.py [FILE...]    rewrites the files so, without FILE all labs'; or what to write, as Python has it
Out: the file, replaced as a whole: who reads it meanwhile reads the old one or the new one. The same text for the same
     content, and the content as it was.
"""
import glob
import json
import sys

from grading.expected import BadExpected, checked
from grading.files import write_whole

WIDTH = 140
TABLES = ("stages", "ours", "measured", "references")  # whose rows compare, so each is on one line


def flat(value):
    return json.dumps(value, ensure_ascii=False)


def filled(row, indent):
    """An object, its fields one after the other on lines that begin under the first."""
    lines = ["{"]
    for n, (key, value) in enumerate(row.items()):
        field = f"{flat(key)}: {flat(value)}{',' if n < len(row) - 1 else '}'}"
        if n and indent + len(lines[-1]) + 1 + len(field) > WIDTH:
            lines.append(" " * indent + " " + field)
        else:
            lines[-1] += " " * (n > 0) + field
    return "\n".join(lines) if row else "{}"


def rows_of(rows, indent, spell):
    lines = [" " * (indent + 2) + spell(row, indent + 2) for row in rows]
    return "[\n" + ",\n".join(lines) + f"\n{' ' * indent}]"


def has_rows(value):
    return isinstance(value, list) and any(isinstance(item, dict) for item in value)


def spelled(key, value):
    """A field of the file. One that has rows in it, as correctness and predictions do, ends with them."""
    if has_rows(value):
        return rows_of(value, 2, (lambda row, indent: flat(row)) if key in TABLES else filled)
    if isinstance(value, dict) and any(map(has_rows, value.values())):
        *first, (last, rows) = sorted(value.items(), key=lambda field: has_rows(field[1]))
        return f"{filled(dict(first), 2)[:-1]}, {flat(last)}: {rows_of(rows, 2, filled)}}}"
    return filled(value, 2) if isinstance(value, dict) else flat(value)


def text_of(expected):
    """The whole file: a field a line."""
    return "{\n" + ",\n".join(f"  {flat(key)}: {spelled(key, value)}" for key, value in expected.items()) + "\n}\n"


def main():
    for path in sys.argv[1:] or sorted(glob.glob("labs/*/expected.json")):
        write_whole(path, text_of(checked(path)))


if __name__ == "__main__":
    try:
        main()
    except (BadExpected, OSError) as trouble:
        sys.exit(f"nothing was written: {trouble}")
