"""Text out of strangers' hands, made fit to be shown.

In:  names and sentences that may hold anything.
Out: printable text; file names; numbers as people write them. Trouble: a sentence for the instructor.
"""
import hashlib
import os
import re

from grading.words import points_text, shown


class Trouble(Exception):
    """What keeps the class from being graded, and what to do about it."""


def shown_lines(text):
    return "\n".join(shown(line.expandtabs()) for line in str(text).splitlines())


def score(points, possible=None):
    """"6.5 of 10"; no points are not 0 points."""
    if points is None:
        return "not graded"
    return points_text(points) if possible is None else f"{points_text(points)} of {points_text(possible)}"


def file_name(text):
    """A plain file name for the text, another one for each text."""
    plain = re.sub(r"[^A-Za-z0-9_]+", "-", text).strip("-")[:40]
    return plain if plain == text else f"{plain}-{hashlib.sha256(os.fsencode(text)).hexdigest()[:8]}"
