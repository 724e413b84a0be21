"""Words as the grader prints them. Of others: what a compiler, a learner's program or a file's name says can neither
begin a line of its own nor move the cursor.

In:  any text. Out: the same, of characters that can be seen; on lines that fit into the terminal. And points, never rounded
     up to more than there are.
"""
import math
import os
import re
import sys
import textwrap


def shown(text):
    """On one line: what cannot be printed as Python spells it."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in str(text))


def quoted(text, most=None):
    """Each of its lines, or the first so many, behind a bar."""
    return "\n".join(f"  | {shown(line)}" for line in text.splitlines()[:most])


def points_text(points):
    return f"{math.floor(points * 100 + 1e-6) / 100:g}"


def columns():
    """Of the terminal that is written to; None where it is none."""
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or None
    except (OSError, ValueError):
        return None


def fitted(text, width, hang=0):
    """Its lines, no wider than this; what goes on below hangs. Without a width lines stay whole, and so do commands, which
    somebody may want to copy."""
    if not width or text.lstrip().startswith("Repeat: "):
        return [text]
    unbroken = re.sub(r"make [a-z]+(?: [A-Z]+=\S+)*", lambda command: command[0].replace(" ", "\0"), text)
    lines = textwrap.wrap(unbroken, max(width, 2 * hang + 20), subsequent_indent=" " * hang, break_long_words=False,
                          break_on_hyphens=False)
    return [line.replace("\0", " ") for line in lines] or [text]
