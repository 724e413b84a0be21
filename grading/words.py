"""Words as the grader prints them. Of others: what a compiler, a learner's program or a file's name says can neither
begin a line of its own nor move the cursor.

In:  any text. Out: the same, of characters that can be seen. And points, never rounded up to more than there are.
"""
import math


def shown(text):
    """On one line: what cannot be printed as Python spells it."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in str(text))


def quoted(text, most=None):
    """Each of its lines, or the first so many, behind a bar."""
    return "\n".join(f"  | {shown(line)}" for line in text.splitlines()[:most])


def points_text(points):
    return f"{math.floor(points * 100 + 1e-6) / 100:g}"
