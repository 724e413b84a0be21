"""Which line of a learner's file a failure is about. Never one that is only a comment: a TODO that was left over says
nothing of what failed.

In:  the file's text, what failed.
Out: numbers of lines, from 1; None where there is none. Where no line is known to be the one, the kernel's name.
"""
import re


def _first(text, pattern, least=1):
    """The first line, from that one on, that has the pattern before a comment begins."""
    for number, line in enumerate(text.splitlines(), 1):
        if number >= least and re.search(pattern, line.split("//")[0]):
            return number
    return None


def line_of_kernel(text, kernel=None):
    """On which the kernel of this name begins, or the first one."""
    name = re.escape(kernel) if kernel else r"\w+"
    found = re.search(r"^[^/\n]*(__global__)[^;{]*?\b" + name + r"\s*\(", text, re.MULTILINE)
    return text.count("\n", 0, found.start(1)) + 1 if found else _first(text, "__global__")


def place_of_code(text, pattern=None, kernel=None):
    """The line of the pattern in the kernel or behind it, else the name of the kernel or of the first one."""
    found = _first(text, pattern, line_of_kernel(text, kernel) or 1) if pattern else None
    names = re.findall(r"^[^/\n]*__global__[^;{]*?\b(?!__)(\w+)\s*\(", text, re.MULTILINE)
    return found or kernel or (names[0] if names else None)


def line_of_answer(text, label):
    """The line that asks for a prediction, of which the answer is missing."""
    found = re.search(r"^//\s*" + re.escape(label), text, re.MULTILINE)
    return text.count("\n", 0, found.start()) + 1 if found else None


def line_said(words, name):
    """The line of the file of this name that a compiler's error or a fault names first."""
    place = re.escape(name) + r":(\d+)"
    found = re.search(place + r"(?=:\d+: (?:fatal )?error)", words) or re.search(place, words)
    return int(found[1]) if found else None
