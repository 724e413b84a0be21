"""Reads labs/NN-name/expected.json, and says in sentences what is wrong with one.

In:  python3 -m grading.expected [FILE...]    (from the repository root; without FILE all labs')
     fields.py: what the fields must be; sense.py: what they say together; here: what the files that they name have.
Out: load_expected() for the grader, which needs no other file. From the command line a sentence for each mistake, and
     status 1 when there was one.
"""
import glob
import json
import os
import re
import sys

from grading.fields import EXPECTED, Twice, misfits, named
from grading.predictions import find_answer
from grading.sense import asked_of, nonsense, predictions_of

COUNTERS = ("emulator/base/counter.h", "emulator/counters/counters.c")  # which name them
HINT = "is a comma, a quote or a bracket missing or one too many here or just before?"


class BadExpected(ValueError):
    """A file that nobody can grade by; says why in sentences."""


def read_bytes(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as trouble:
        raise BadExpected(f"{path} cannot be read: {trouble.strerror}") from None


def refuse_constant(word):
    raise ValueError(f"{word} is no number that JSON has")


def parse(path):
    """The file's content; of an object that has a key twice, the last, marked as fields.Twice."""
    content = read_bytes(path)
    if content.startswith(b"\xef\xbb\xbf"):
        raise BadExpected(f"{path} begins with a byte order mark: save it as UTF-8 without one")
    try:
        value = json.loads(content.decode("utf-8"), parse_constant=refuse_constant,
                           object_pairs_hook=lambda pairs: dict(pairs) if len(dict(pairs)) == len(pairs) else Twice(pairs))
        json.dumps(value, ensure_ascii=False).encode("utf-8")  # JSON may spell halves of letters, which cannot be printed
        return value
    except UnicodeDecodeError as trouble:
        line = content.count(b"\n", 0, trouble.start) + 1
        raise BadExpected(f"{path}, line {line}: a byte is no UTF-8: save the file as UTF-8") from None
    except json.JSONDecodeError as trouble:
        raise BadExpected(f"{path}, line {trouble.lineno}, column {trouble.colno}: {trouble.msg}; {HINT}") from None
    except (ValueError, RecursionError) as trouble:
        raise BadExpected(f"{path} is no JSON that can be read: {trouble}") from None


def checked(path):
    """The content of a file that is right in itself."""
    expected = parse(path)
    try:
        found = list(misfits(expected, EXPECTED)) or nonsense(expected)
    except RecursionError:  # of printing what parse() could just read
        found = ["brackets stand in brackets too deep: remove some"]
    lab = os.path.basename(os.path.dirname(os.path.abspath(path)))
    if not found and expected["lab"] != lab:
        found = [f"lab is {expected['lab']}, and the folder is {lab}: they must be the same"]
    if found:
        raise BadExpected("\n".join(f"{path}: {sentence}" for sentence in found))
    return expected


def load_expected(lab):
    """What is expected of the lab of this name. BadExpected if the file is missing or not right in itself."""
    return checked(f"labs/{lab}/expected.json")


def programs_of(expected, own):
    """(path in the file, sources, run) of each run. own: the lab's starter and its solution, which has what was recorded."""
    yield "baseline", [expected["baseline"]["source"]], expected["baseline"]
    for key in ("criteria", "beyond", "stages", "ours", "measured", "references"):
        for n, row in enumerate(expected.get(key, ())):
            path = named(f"{key}[{n}]", row)
            yield path, [row["source"]] if "source" in row else own[1:] if key in ("ours", "measured") else own, row
            for inner in ("over", "baseline"):
                if inner in row:
                    yield f"{path}, {inner}", [row[inner]["source"]] if "source" in row[inner] else own, row[inner]
    for n, run in enumerate(expected["correctness"]["runs"]):
        yield f"correctness.runs[{n}]", own, run
    for path, line in asked_of(expected):
        for k, run in enumerate(line["runs"]):
            yield f"{path}, runs[{k}]", [run["source"]] if "source" in run else own, {**line, **run}


def read_text(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def kernels_in(text):
    return re.findall(r"__global__[^;{(]*(?:\([^)]*\)[^;{(]*?)?\b(\w+)\s*\(", text)


def unknown_programs(expected, own):
    for path, sources, run in programs_of(expected, own):
        for source in sources:
            kernels = kernels_in(read_text(source)) if os.path.exists(source) else None
            if kernels is None:
                yield f"{path} is of {source}, and there is no such file"
            elif "kernel" in run and run["kernel"] not in kernels:
                yield f"{path} is of the kernel {run['kernel']}, and {source} has {' '.join(kernels) or 'none'}"


def unknown_axes(expected, own):
    """axis has the kernels that are compared to, too."""
    sources = {source for _, sources, _ in programs_of(expected, own) for source in sources if os.path.exists(source)}
    known = {kernel for source in sources for kernel in kernels_in(read_text(source))}
    for kernel in sorted(set(expected.get("axis", ())) - known):
        yield f"axis names the kernel {kernel}, and no file that is run has it; there are: {' '.join(sorted(known))}"


def unknown_counters(expected):
    names = {name for file in COUNTERS for name in re.findall(r"\w+", read_text(file))}
    for row in (*expected["criteria"], *(line for _, line in asked_of(expected))):
        for place in (row["value"], row.get("per", "")):
            if place.startswith("counters.") and place.removeprefix("counters.").removesuffix("_sum") not in names:
                yield f"{row.get('name') or row['label']}: the emulated device has no counter {place.split('.')[1]}"


def missing_predictions(expected, own):
    for line in predictions_of(expected):
        for file in filter(os.path.exists, own):
            if find_answer(read_text(file), line["label"]) is None:
                yield f"{file} has no line \"//   {line['label']}: ?\" for a prediction that is asked for: add it"


def complaints(path):
    """Sentences on the file, in itself and beside the files that it speaks of."""
    try:
        expected = checked(path)
    except BadExpected as bad:
        return str(bad).splitlines()
    starters = sorted(glob.glob(os.path.join(os.path.dirname(path), "*.hip")))
    own = [*starters, *(f"solutions/{expected['lab']}/{os.path.basename(starter)}" for starter in starters)]
    return [f"{path}: {sentence}" for sentence in [*unknown_programs(expected, own), *unknown_axes(expected, own),
                                                   *unknown_counters(expected), *missing_predictions(expected, own)]]


def main():
    paths = sys.argv[1:] or sorted(glob.glob("labs/*/expected.json"))
    found = [sentence for path in paths for sentence in complaints(path)]
    print("\n".join(found) or f"{len(paths)} files are as they should be")
    return 1 if found or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
