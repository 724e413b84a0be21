"""The fields of labs/NN-name/expected.json: which must be there, which may, and what each must be.

In:  tools/choices and the figures of tables, whose names are fields, too.
Out: EXPECTED, the kind of the whole file; misfits(), a sentence for each value that is not what it must be.
"""
import difflib
import json
import math
import re
from typing import Callable, NamedTuple

from grading.programs import BOUNDS
from grading.tables.columns import FIGURES

DEVICES = ("amd", "nvidia", "emulated")
EVIDENCE = ("compiled", "emulated", "modelled", "measured", "exact")
MOST = 2**31 - 1  # the harness counts in int
NAME_LETTERS = 54  # of a line that make check prints


class Kind(NamedTuple):
    """A single value. The words end a sentence: "... must be a number"."""
    words: str
    fits: Callable


class Fields(NamedTuple):
    """An object of these keys."""
    must: dict
    may: dict = {}


class ListOf(NamedTuple):
    kind: object
    least: int = 1


class ByName(NamedTuple):
    """An object of any keys."""
    kind: object


class Twice(dict):
    """An object that had some of its keys twice."""

    def __init__(self, pairs):
        super().__init__(pairs)
        keys = [key for key, _ in pairs]
        self.keys_twice = sorted({key for key in keys if keys.count(key) > 1})


def is_whole(value):
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= MOST


def is_number(value):
    return is_whole(value) or (isinstance(value, float) and math.isfinite(value))


def is_text(value):
    return isinstance(value, str) and value.strip() != ""


def whole(least, most):
    return Kind(f"a whole number from {least} to {most}, without quotes", lambda v: is_whole(v) and least <= v <= most)


def number(words, fits):
    return Kind(f"{words}, without quotes", lambda v: is_number(v) and fits(v))


def one_of(words):
    return Kind(" or ".join(json.dumps(word) for word in words), lambda v: isinstance(v, str) and v in words)


def spelled(words, pattern):
    return Kind(words, lambda v: isinstance(v, str) and re.fullmatch(pattern, v) is not None)


def wholes(words, count, fits):
    return Kind(words, lambda v: isinstance(v, list) and len(v) == count and all(is_whole(n) and n >= 1 for n in v)
                and fits(v))


def is_block(value):
    found = re.fullmatch(r"([1-9]\d{0,3})x([1-9]\d{0,3})x([1-9]\d{0,3})", value) if isinstance(value, str) else None
    return found is not None and math.prod(map(int, found.groups())) <= 1024


PLACES = {".".join(figure.path) for figure in FIGURES.values() if figure.path != ("speedup",)} | {
    "rows", "points_per_thread", "compiled.largest_block", "memory.fetched_per_stored", "time_ms.min"}


def is_place(value):
    return isinstance(value, str) and (value in PLACES or re.fullmatch(r"counters\.\w+", value) is not None)


def is_pattern(value):
    try:
        return is_text(value) and re.compile(value) is not None
    except re.error:
        return False


TEXT = Kind("a text", is_text)
PATTERN = Kind("a regular expression, for the line of the source to look at", is_pattern)
NAME = Kind(f"a text of at most {NAME_LETTERS} letters, the width of its column",
            lambda v: is_text(v) and len(v) <= NAME_LETTERS)
NUMBER = number("a number", lambda v: True)
YES_OR_NO = Kind("true or false", lambda v: isinstance(v, bool))
POINTS = number("a number above 0", lambda v: v > 0)
KERNEL = spelled("the name of a kernel", r"[A-Za-z_]\w*")
SOURCE = spelled("the path of a lab's file like \"solutions/01-baseline/laplacian.hip\"",
                 r"(labs|solutions|beyond)/\d\d-[\w-]+/[\w-]+\.hip")
BLOCK = Kind("the threads of a block like \"256x1x1\", at most 1024 in all", is_block)
PROVENANCE = ("date", "driver", "compiler", "clocks", "command")  # of what was measured on one device
SIZE = wholes("three whole numbers from 1 on, [nx, ny, nz]", 3, lambda v: True)
RANGE = wholes("two whole numbers from 1 on, the smaller one first", 2, lambda v: v[0] <= v[1])
PLACE = Kind(f"the place of a figure in a run's result: {', '.join(sorted(PLACES))}, or counters.NAME", is_place)
HASH = spelled("a SHA-256, 64 digits from 0 to f", r"[0-9a-f]{64}")

CHOICES = {"kernel": KERNEL, **{key: whole(*bounds) for key, bounds in BOUNDS.items()}, "layout": one_of(("packed", "own")),
           "window": whole(1, MOST), "block": BLOCK}
RUN = {**CHOICES, "size": SIZE}
FIGURE = {name: NUMBER for name in FIGURES}
BOUNDS_OF = {"full_at": NUMBER, "zero_at": NUMBER}
SCORED = {"name": NAME, **BOUNDS_OF, "points": POINTS}
PROGRAM = Fields({"source": SOURCE, "kernel": KERNEL}, CHOICES)
FRESH_RUN = Fields({"nx": RANGE, "ny": RANGE, "nz": RANGE, "block": BLOCK}, {**CHOICES, "all_sizes": YES_OR_NO})
JUDGED = {"name": NAME, "evidence": one_of(EVIDENCE), "devices": ListOf(one_of(DEVICES)), "size": SIZE, "value": PLACE}
# "models", for criteria of real devices: bounds by the device's name, for what is fast on one is not on another.
JUDGED_BY = {**RUN, **BOUNDS_OF, "models": ByName(Fields(BOUNDS_OF)), "per": PLACE,
             "over": Fields({}, {**RUN, "source": SOURCE}), "look_at": TEXT, "quotes_access": YES_OR_NO, "at": PATTERN}
CRITERION = Fields({**JUDGED, "points": POINTS}, JUDGED_BY)
TIER = Fields(JUDGED, JUDGED_BY)
ASKED = {"label": spelled("a text without a colon, on one line", r"[^:\n]*[^:\s]"), "evidence": one_of(EVIDENCE),
         "size": SIZE, "value": PLACE, "runs": ListOf(Fields({}, {**RUN, "source": SOURCE}))}
# The answer is value * times / per, of the learner's own run.
QUESTION = Fields({**ASKED, "within_percent": number("a number from 0 on", lambda v: v >= 0)},
                  {**RUN, "per": PLACE, "times": POINTS})
PREDICTION = Fields(
    ASKED,
    {**RUN, "choices": ListOf(spelled("a word without blanks", r"\S+")),
     "same_within_percent": number("a number from 0 on", lambda v: v >= 0)})
STAGE = Fields({"name": TEXT, "change": TEXT, "kernel": KERNEL, "published": Fields({}, FIGURE)},
               {**CHOICES, "source": SOURCE, "baseline": PROGRAM})

EXPECTED = Fields(
    {
        "lab": TEXT,
        "family": one_of(("laplacian", "derivative", "lattice_boltzmann")),
        "baseline": PROGRAM,
        "timeout_s": whole(1, 3600),
        "correctness": Fields({**SCORED, "runs": ListOf(FRESH_RUN)}),
        "criteria": ListOf(CRITERION),
        "stages": ListOf(STAGE),
        "ours": ListOf(Fields({"kernel": KERNEL, "size": SIZE}, {**RUN, "evidence": one_of(EVIDENCE), **FIGURE})),
        "published": Fields({"source": TEXT, "size": SIZE}, {"radius": whole(*BOUNDS["r"])}),
    }, {
        "axis": ByName(one_of(("x", "y", "z"))),
        "radius": whole(*BOUNDS["r"]),
        "plot": KERNEL,
        "beyond": ListOf(TIER),
        "measured": ListOf(Fields({"on": TEXT, "kernel": KERNEL, "size": SIZE, "time_ms": NUMBER},
                                  {**RUN, "source": SOURCE, **FIGURE})),
        "measured_on": ByName(Fields({key: TEXT for key in PROVENANCE})),
        "predictions": Fields({"points": POINTS, "lines": ListOf(PREDICTION)}),
        "questions": Fields({"points": POINTS, "lines": ListOf(QUESTION)}),
        "references": ListOf(Fields({"source": SOURCE, "value": PLACE, "is": NUMBER}, RUN), 0),
        "references_from": ByName(HASH),
    })


def shown(value):
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:57] + "..."


def joined(path, key):
    return f"{path}.{key}" if path else key


def named(path, value):
    """The path, with the name of what it leads to: people count rows from 1, and few count at all."""
    name = value.get("name", value.get("label"))
    return f"{path or 'the file'} ({shown(name)})" if is_text(name) else path or "the file"


def misfits(value, kind, path=""):
    """A sentence for each value that is not of its kind."""
    if isinstance(kind, Kind):
        if not kind.fits(value):
            yield f"{path} is {shown(value)}, and must be {kind.words}"
    elif isinstance(kind, ListOf):
        if not isinstance(value, list) or len(value) < kind.least:
            yield f"{path} is {shown(value)}, and must be a list{' that is not empty' if kind.least else ''}"
        else:
            for n, item in enumerate(value):
                yield from misfits(item, kind.kind, f"{path}[{n}]")
    elif not isinstance(value, dict):
        yield f"{path or 'the file'} is {shown(value)}, and must be an object in braces"
    else:
        yield from misfits_of_keys(value, kind, path)


def misfits_of_keys(value, kind, path):
    for key in getattr(value, "keys_twice", ()):
        yield f"{named(path, value)} has {shown(key)} twice, and only the last one would count: remove one"
    if isinstance(kind, ByName):
        known = {key: kind.kind for key in value}
    else:
        known = {**kind.may, **kind.must}
        for key in kind.must:
            if key not in value:
                yield f"{named(path, value)} lacks {shown(key)}: add it"
    for key, item in value.items():
        if key in known:
            yield from misfits(item, known[key], joined(path, key))
        else:
            nearest = difflib.get_close_matches(key, known, 1)
            yield (f"{named(path, value)} has {shown(key)}, which nothing reads: "
                   + (f"do you mean {shown(nearest[0])}?" if nearest else f"it may have {', '.join(sorted(known))}"))
