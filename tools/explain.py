"""Says in a sentence what a word or a counter means: make explain NAME=FETCH_SIZE.

In:  explain.py NAME   (docs/glossary.md: "### word" and a paragraph; emulator/base/counter.h: a counter and a comment)
Out: the sentence. Status 1, with the nearest names, where it is unknown.
"""
import difflib
import os
import re
import sys

GLOSSARY, COUNTERS = "docs/glossary.md", "emulator/base/counter.h"


def glossary():
    """{word: paragraph}"""
    if not os.path.exists(GLOSSARY):
        return {}
    with open(GLOSSARY, encoding="utf-8") as file:
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
    return {**counters(), **glossary()}


def explain(name):
    """(sentence, whether the name is known)"""
    meanings = {word.lower(): f"{word}: {meaning}" for word, meaning in known().items()}
    asked = name.strip().lower()
    for spelled in (asked, asked.removesuffix("_sum"), asked.removesuffix("s"), asked.replace("_", " ")):
        if spelled in meanings:
            return meanings[spelled], True
    near = difflib.get_close_matches(asked, meanings, 5, 0.5)
    there = "there are " + ", ".join(meanings[word].split(":")[0] for word in near) if near else f"{GLOSSARY} has all words"
    return f"{name!r} is in no table of words or counters; {there}", False


def main():
    sentence, is_known = explain(sys.argv[1] if len(sys.argv) > 1 else "")
    print(sentence, file=sys.stdout if is_known else sys.stderr)
    return 0 if is_known else 1


if __name__ == "__main__":
    sys.exit(main())
