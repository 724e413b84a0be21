"""Changes one line at a time and asks whether a suite notices: a change of meaning that no test sees is a missing test.

In:  mutants.txt beside this file: for each change the file, the suite that must fail, the line before and after
     mutants.py [WORD...]    only the changes whose file or suite contains a WORD; run from the repository root
Out: a line for each change; at the end those that survived, and "N killed, N survived". Status 1 when one survived,
     2 when a change could not be judged: its line is not in the file, or the changed tree does not build.

Each worker has a copy of the tree with its build products in build/mutants/N, so the working tree stays as it is.
"""
import concurrent.futures
import dataclasses
import os
import queue
import re
import shutil
import subprocess
import sys
import time

TABLE = "tests/mutants/mutants.txt"
COPIES = "build/mutants"
TIMEOUT_S = 600  # of one suite; a change may make a program run for ever
HEAD = re.compile(r"(?P<file>\S+): (?P<suite>\S+)$")
SUMMARY = re.compile(r"^(\d+) passed, (\d+) failed$", re.MULTILINE)


class Unusable(Exception):
    """A change that says nothing about the tests; the sentence says why."""


@dataclasses.dataclass(frozen=True)
class Mutant:
    file: str
    suite: str
    before: str
    after: str

    def __str__(self):
        return f"{self.file}: {self.before.strip()}  ->  {self.after.strip()}"


def read_table(text):
    """The changes, in order: three lines each, a blank line between them, # begins a comment."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    if len(lines) % 3:
        raise Unusable(f"{TABLE} is not made of three lines for each change: FILE: SUITE, - BEFORE, + AFTER")
    found = []
    for head, before, after in zip(lines[::3], lines[1::3], lines[2::3]):
        named = HEAD.match(head)
        if not named or not before.startswith("- ") or not after.startswith("+ ") or before[2:] == after[2:]:
            raise Unusable(f"{TABLE}: '{head}' does not begin a change: FILE: SUITE, then - BEFORE, then + AFTER")
        found.append(Mutant(named["file"], named["suite"], before[2:], after[2:]))
    return found


def changed(text, mutant):
    """The file's text with the change, which must fit exactly one place."""
    places = text.count(mutant.before)
    if places != 1:
        raise Unusable(f"{mutant.file} has '{mutant.before}' {places} times; {TABLE} must name one place")
    return text.replace(mutant.before, mutant.after)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def copy_tree(folder):
    """The tracked files and the build products, with their dates, so that little is built again."""
    names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], check=True,
                           capture_output=True, text=True).stdout.split("\0")
    shutil.rmtree(folder, ignore_errors=True)
    for name in filter(os.path.isfile, names):
        os.makedirs(os.path.join(folder, os.path.dirname(name)), exist_ok=True)
        shutil.copy2(name, os.path.join(folder, name))
    shutil.copytree("build", os.path.join(folder, "build"), symlinks=True,
                    ignore=lambda path, _: ["mutants"] if path == "build" else [])
    return folder


def run_suite(folder, suite):
    """(passed, failed) of a suite in a copy."""
    try:
        done = subprocess.run(["make", "-s", "--no-print-directory", "-j1", "test", f"SUITE={suite}"], cwd=folder,
                              timeout=TIMEOUT_S,
                              env={**os.environ, "EMULATOR_THREADS": "1", "OMP_NUM_THREADS": "1", "MAKEFLAGS": ""},
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    except subprocess.TimeoutExpired:
        return 0, 1
    summary = SUMMARY.findall(done.stdout)
    if not summary:
        raise Unusable(f"suite {suite} did not run:\n{done.stdout[-2000:]}")
    return tuple(map(int, summary[-1]))


def judge(folder, mutant):
    """Whether the suite notices the change. The file is put back as it was, with a new date."""
    path = os.path.join(folder, mutant.file)
    original = read(path)
    write(path, changed(original, mutant))
    try:
        return run_suite(folder, mutant.suite)[1] > 0
    finally:
        write(path, original)


def check_suites(folders, mutants):
    """Without a change every suite passes; else a failure would say nothing."""
    for suite in sorted({mutant.suite for mutant in mutants}):
        for folder in folders:  # builds what the changes will need, in every copy
            passed, failed = run_suite(folder, suite)
            if failed or not passed:
                raise Unusable(f"suite {suite} fails without any change: {passed} passed, {failed} failed")


def main():
    words = sys.argv[1:]
    mutants = [mutant for mutant in read_table(read(TABLE))
               if not words or any(word in mutant.file or word in mutant.suite for word in words)]
    if not mutants:
        raise Unusable(f"no change of {TABLE} has {' or '.join(words)} in its file or suite")
    for mutant in mutants:
        changed(read(mutant.file), mutant)
    begin = time.monotonic()
    free = queue.Queue()
    folders = [copy_tree(f"{COPIES}/{n}") for n in range(min(len(mutants), len(os.sched_getaffinity(0))))]
    with concurrent.futures.ThreadPoolExecutor(len(folders)) as pool:
        list(pool.map(lambda folder: check_suites([folder], mutants), folders))
        for folder in folders:
            free.put(folder)

        def judged(mutant):
            folder = free.get()
            try:
                return mutant, judge(folder, mutant), None
            except Unusable as why:
                return mutant, False, why
            finally:
                free.put(folder)

        killed, survived, unusable = 0, [], []
        for mutant, noticed, why in pool.map(judged, mutants):
            print(f"{'killed' if noticed else 'UNUSABLE' if why else 'SURVIVED':<9} {mutant.suite:<34} {mutant}", flush=True)
            killed += noticed
            (unusable if why else survived if not noticed else []).append((mutant, why))
    for mutant, why in unusable:
        print(f"\nnot judged: {mutant}\n{why}", file=sys.stderr)
    for mutant, _ in survived:
        print(f"survived: {mutant} ({mutant.suite} passes all the same: a test is missing)", file=sys.stderr)
    minutes = (time.monotonic() - begin) / 60
    print(f"{killed} killed, {len(survived)} survived, {len(unusable)} not judged in {minutes:.1f} min")
    return 2 if unusable else 1 if survived else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Unusable as why:
        print(why, file=sys.stderr)
        sys.exit(2)
