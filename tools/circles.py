"""Finds files of emulator/ and common/ that need each other in a circle.

In:  the .c and .h files of both folders. NAME.c and NAME.h of one folder are one module; it needs the modules whose
     headers it includes, and nothing is declared but in headers, so a function that it calls is there, too.
Out: a sentence for each circle, status 1; nothing and status 0 if there is none.
"""
import glob
import os
import re
import sys


def module(path):
    return os.path.splitext(path)[0]


def needs(files):
    """Modules that each module includes, by name."""
    headers = {os.path.basename(path): module(path) for path in files if path.endswith(".h")}
    found = {module(path): set() for path in files}
    for path in files:
        with open(path, encoding="utf-8") as file:
            included = re.findall(r'^\s*#include "([^"]+)"', file.read(), re.MULTILINE)
        found[module(path)] |= {headers[os.path.basename(name)] for name in included
                                if os.path.basename(name) in headers} - {module(path)}
    return found


def circle_from(start, needed):
    """The shortest way from a module back to itself, [] if there is none."""
    ways, seen = [[start]], set()
    for way in ways:
        for following in sorted(needed[way[-1]]):
            if following == start:
                return [*way, start]
            if following not in seen:
                seen.add(following)
                ways.append([*way, following])
    return []


def main():
    files = [path for folder in ("emulator", "common") for ending in "ch"
             for path in glob.glob(f"{folder}/**/*.{ending}", recursive=True)]
    needed, told = needs(files), set()
    for start in sorted(needed):
        circle = circle_from(start, needed)
        if circle and frozenset(circle) not in told:
            told.add(frozenset(circle))
            print("these files need each other: " + " -> ".join(circle))
    return 1 if told else 0


if __name__ == "__main__":
    sys.exit(main())
