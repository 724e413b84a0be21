"""Finds files that need each other in a circle.

In:  circles.py FOLDER... with .c and .h files, each name once in a folder. NAME.c and NAME.h are one module; it needs
     the modules whose headers it includes, and so those whose functions it calls.
Out: a sentence for each circle, status 1; nothing and status 0 if there is none.
"""
import glob
import os
import re
import sys


def module(path):
    return os.path.splitext(path)[0]


def needs(folder):
    """Modules that each module of the folder includes."""
    files = [path for ending in "ch" for path in glob.glob(f"{folder}/**/*.{ending}", recursive=True)]
    header = {os.path.basename(path): module(path) for path in files if path.endswith(".h")}
    found = {module(path): set() for path in files}
    for path in files:
        with open(path, encoding="utf-8") as file:
            included = re.findall(r'^\s*#include "(?:.*/)?([^"/]+)"', file.read(), re.MULTILINE)
        found[module(path)] |= {header[name] for name in included if name in header} - {module(path)}
    return found


def circle_from(start, needed):
    """The shortest way from a module back to itself, [] if there is none."""
    ways, seen = [[start]], set()
    for way in ways:
        for following in sorted(needed[way[-1]] - seen):
            if following == start:
                return [*way, start]
            seen.add(following)
            ways.append([*way, following])
    return []


def main():
    told = set()
    for needed in map(needs, sys.argv[1:]):
        for start in sorted(needed):
            circle = circle_from(start, needed)
            if circle and frozenset(circle) not in told:
                told.add(frozenset(circle))
                print("these files need each other: " + " -> ".join(circle))
    return 1 if told else 0


if __name__ == "__main__":
    sys.exit(main())
