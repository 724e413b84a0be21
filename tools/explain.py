"""Says in a sentence what a word or a counter means: make explain NAME=FETCH_SIZE.

In:  explain.py NAME   (docs/glossary.md, docs/report-words.md: "### word" and a paragraph; emulator/base/counter.h: a
     counter and a comment)
     build/results/*.json: for OccupancyPercent the reader's own last run
Out: the sentence; of an unknown word one that says so, with the nearest names. Status 0.
"""
import difflib
import glob
import os
import re
import signal
import sys

from grading.results import NoResult, load, look_up, size_of
from grading.words import shown

GLOSSARY, REPORTS, COUNTERS = "docs/glossary.md", "docs/report-words.md", "emulator/base/counter.h"
WAVES_PER_SIMD = 8  # that fit at once on an MI250X (emulator/base/mi250x.ini)


def glossary(path=None):
    """{word: paragraph}"""
    path = path or GLOSSARY
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        found = re.findall(r"^### (.+)\n+((?:(?!#).+\n?)+)", file.read(), re.MULTILINE)
    return {word.strip(): " ".join(paragraph.split()) for word, paragraph in found}


def counters():
    """{name: sentence}, of those that the emulated device counts."""
    with open(COUNTERS, encoding="utf-8") as file:
        found = re.findall(r"^  X\((\w+)\)[ ]*(?:/\* (.*?) \*/)?", file.read(), re.MULTILINE)
    return {name: f"A counter of the device: {comment}." if comment else
            "A counter of the device, counted as rocprof names it; its name is all that is known here."
            for name, comment in found}


def known():
    return {**counters(), **glossary(REPORTS), **glossary()}


def explain(name):
    """(sentence, whether the name is known)"""
    meanings = {word.lower(): f"{word}: {meaning}" for word, meaning in known().items()}
    asked = name.strip().lower()
    for spelled in (asked, asked.removesuffix("_sum"), asked.removesuffix("s"), asked.replace("_", " "),
                    f"{asked} bandwidth"):
        if spelled in meanings:
            return meanings[spelled], True
    near = difflib.get_close_matches(asked, meanings, 5, 0.5)
    there = "there are " + ", ".join(meanings[word].split(":")[0] for word in near) if near else f"{GLOSSARY} has all words"
    return f"{name!r} is in no table of words or counters; {there}", False


def own_occupancy():
    """How the two figures of occupancy in the last run of a lab go together; "" where there is no such run."""
    runs = glob.glob("build/results/*.labs.emulated.json")
    try:
        result = load(max(runs, key=os.path.getmtime))
    except (ValueError, OSError, NoResult):  # none there, or gone or broken meanwhile
        return ""
    waves, percent = look_up(result, "compiled.occupancy_waves_per_simd"), look_up(result, "counters.OccupancyPercent")
    if not result["verified"] or not waves or percent is None:
        return ""
    return (f" In your last run of lab {shown(result['lab'])[:2]}, {' x '.join(map(str, size_of(result)))}, {waves} waves "
            f"fit on a SIMD, {100 * waves / WAVES_PER_SIMD:.4g} % of {WAVES_PER_SIMD}; on average over its time "
            f"{percent:.4g} % were there (modelled).")


def main():
    asked = sys.argv[1] if len(sys.argv) > 1 else ""
    sentence, is_known = explain(asked)
    print(sentence + (own_occupancy() if is_known and sentence.startswith("OccupancyPercent:") else ""))


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # a reader such as head may leave early
    main()
