"""Words of others, as the grader may print them: what a compiler, a learner's program or a file's name says can neither
begin a line of its own nor move the cursor.

In:  any text. Out: the same, of characters that can be seen.
"""


def shown(text):
    """On one line: what cannot be printed as Python spells it."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def quoted(text, most=None):
    """Each of its lines, or the first so many, behind a bar."""
    return "\n".join(f"  | {shown(line)}" for line in text.splitlines()[:most])
