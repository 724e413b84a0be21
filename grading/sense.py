"""What the fields of expected.json say together: promises that no run can keep, points for nothing, figures left out.

In:  expected.json as a dict whose fields are what they must be (fields.py).
Out: nonsense(), a sentence for each.
"""
import itertools
import json
import math

from grading.fields import named
from grading.programs import label

LARGEST = 512**3  # points of a grid: what the emulated device runs in a minute, about a grade's patience
LEAST = {"laplacian": 3}  # points of a side, where the family counts the boundary
EVIDENCE_OF = {"emulated": ("compiled", "emulated", "modelled", "exact"), "amd": ("compiled", "measured", "exact"),
               "nvidia": ("compiled", "measured", "exact")}


def predictions_of(expected):
    return expected["predictions"]["lines"] if "predictions" in expected else []


def asked_of(expected):
    """(path, line) of the predictions and of the questions."""
    for key in ("predictions", "questions"):
        for n, line in enumerate(expected.get(key, {}).get("lines", ())):
            yield named(f"{key}.lines[{n}]", line), line


def first_three(bounds, fits):
    """Of the numbers between the bounds: of more, some would differ from any two others."""
    return list(itertools.islice(filter(fits, range(bounds[0], bounds[1] + 1)), 3))


def block_of(run):
    return [int(n) for n in run.get("block", "256x1x1").split("x")]


def tile_of(run):
    """Rows of a block: a grid has whole tiles."""
    return block_of(run)[1] * run["m"]


def sides(run):
    """For each direction what a fresh number of points must be, in words and as a function. A whole block, tile or chunk
    would hide a guard that is missing at its end."""
    block = [max(2, n) for n in block_of(run)]
    chunk = run.get("window", block[2])

    def no_multiple(of, what):
        return f"no multiple of {of}, so that a grid ends within a {what}", lambda n: n % of != 0

    def whole_tiles(of):
        return f"a multiple of {of}, the rows of one tile (m times the block in y)", lambda n: n % of == 0

    return {"nx": no_multiple(block[0], "block"),
            "ny": whole_tiles(tile_of(run)) if "m" in run else no_multiple(block[1], "block"),
            "nz": no_multiple(chunk, "window" if "window" in run else "block")}


def drawn_from(path, run):
    """On the ranges of a run whose size is drawn."""
    possible = []
    for side, (words, fits) in sides(run).items():
        possible.append(first_three(run[side], fits))
        if not possible[-1]:
            yield f"{path}.{side} is {run[side]}, and has no number that is {words}: widen it"
    if all(possible) and not any(len(set(size)) == 3 for size in itertools.product(*possible)):
        yield f"{path}: nx, ny and nz cannot be three unequal numbers: widen one of them"


def all_taken_from(path, run):
    """On the ranges of a run of all sizes (grading/launches/sizes.h): enough for all remainders, and whole tiles."""
    step = {"nx": 1, "ny": tile_of(run) if "m" in run else 1, "nz": 1}
    least = {"nx": max(64, block_of(run)[0]), "ny": 4, "nz": 4}
    if run["ny"][0] % step["ny"]:
        yield (f"{path}.ny begins with {run['ny'][0]}, which is no multiple of {step['ny']}, the rows of one tile: "
               "begin with one")
    for side, (first, last) in ((side, run[side]) for side in least):
        if (last - first) // step[side] + 1 < least[side]:
            yield (f"{path}.{side} is {run[side]}, and all_sizes takes {least[side]} numbers at least, {step[side]} apart, "
                   f"for every remainder by 4{' and by the block' if side == 'nx' else ''}: widen it")


def sizes_that_cannot_be_drawn(expected):
    runs = expected["correctness"]["runs"]
    for n, run in enumerate(runs):
        path = f"correctness.runs[{n}]"
        yield from all_taken_from(path, run) if run.get("all_sizes") else drawn_from(path, run)
        for side in ("nx", "ny", "nz"):
            if run[side][0] < LEAST.get(expected["family"], 1):
                yield f"{path}.{side} is {run[side]}, and fewer than 3 points have no interior: begin with 3"
        if math.prod(run[side][1] for side in ("nx", "ny", "nz")) > LARGEST:
            yield f"{path} may have more than {LARGEST} points: lower the ends of nx, ny, nz"
    if not any(run.get("all_sizes") for run in runs):
        yield "correctness.runs has no run with \"all_sizes\": add one, a mistake may show at one remainder alone"


def sizes_that_do_not_run(expected):
    """Of the runs whose size is given."""
    runs = [(named(f"criteria[{n}]", criterion), criterion, criterion["devices"])
            for n, criterion in enumerate(expected["criteria"])]
    for path, line in asked_of(expected):
        runs += [(f"{path}, runs[{k}]", {**line, **run}, ["emulated"]) for k, run in enumerate(line["runs"])]
    runs += [(f"ours[{n}]", row, ["emulated"]) for n, row in enumerate(expected["ours"])]
    for path, run, devices in runs:
        if "m" in run and run["size"][1] % tile_of(run):
            yield (f"{path} has ny = {run['size'][1]}, which is no multiple of {tile_of(run)}, the rows of one tile "
                   "(m times the block in y), so every run is refused: choose another size")
        if "emulated" in devices and math.prod(run["size"]) > LARGEST:
            yield f"{path} has more than {LARGEST} points, which takes the emulated device too long: choose a smaller size"


def criteria_of(expected):
    """(path, criterion) of those that give points and of those beyond."""
    for key in ("criteria", "beyond"):
        for n, criterion in enumerate(expected.get(key, ())):
            yield named(f"{key}[{n}]", criterion), criterion


def bounds_in(criterion):
    """(where, full_at and zero_at) as far as they are there."""
    if "full_at" in criterion and "zero_at" in criterion:
        yield "", criterion
    for model, bounds in criterion.get("models", {}).items():
        yield f", models, {model},", bounds


def points_given_away(expected):
    correctness = expected["correctness"]
    if correctness["full_at"] != 1 or not 0 <= correctness["zero_at"] <= 1:
        yield (f"correctness has full_at {correctness['full_at']} and zero_at {correctness['zero_at']}: they are shares of "
               "the points, full_at must be 1 and zero_at from 0 to 1")
    for path, criterion in criteria_of(expected):
        for where, bounds in bounds_in(criterion):
            if bounds["full_at"] == bounds["zero_at"]:
                yield (f"{path}{where} has {bounds['full_at']} for full_at and zero_at, so it cannot "
                       "tell whether more or less is better: give zero_at the value that gets nothing")


def bounds_that_are_not_one(expected):
    for path, criterion in criteria_of(expected):
        if "models" in criterion and ("full_at" in criterion or "zero_at" in criterion):
            yield f"{path} has bounds for all devices and for models: keep one of them"
        elif "models" in criterion and "emulated" in criterion["devices"]:
            yield f"{path} has bounds for models, and the emulated device is one: give it a criterion of its own"
        elif "models" not in criterion:
            for key in ("full_at", "zero_at"):
                if key not in criterion:
                    yield f"{path} lacks {json.dumps(key)}: add it, or bounds for \"models\""


def measured_without_provenance(expected):
    known = expected.get("measured_on", {})
    for n, row in enumerate(expected.get("measured", ())):
        if row["on"] not in known:
            yield f"measured[{n}] is of {row['on']}, and measured_on does not say when and how that was: add it"


def evidence_that_cannot_be(expected):
    for path, criterion in criteria_of(expected):
        for device in criterion["devices"]:
            if criterion["evidence"] not in EVIDENCE_OF[device]:
                yield (f"{path} is {criterion['evidence']} on the device {device}, which has "
                       f"only what is {' or '.join(EVIDENCE_OF[device])}: correct evidence or devices")


def predictions_that_cannot_be_judged(expected):
    lines = predictions_of(expected)
    for n, line in enumerate(lines):
        path = named(f"predictions.lines[{n}]", line)
        choices, count = line.get("choices"), 2 if "choices" in line else 1
        if choices and len(set(choices)) != 3:
            yield f"{path} has the choices {choices}, and must have three unequal words: for less, for the same, for more"
        if ("choices" in line) != ("same_within_percent" in line):
            yield f"{path} must have both choices and same_within_percent, or neither where a number is asked for"
        if len(line["runs"]) != count:
            yield f"{path} has {len(line['runs'])} runs, and takes {count}: two to choose a word, one for a number"


def labels_that_are_confused(expected):
    asked = list(asked_of(expected))
    for n, (path, line) in enumerate(asked):
        for _, other in asked[:n] + asked[n + 1:]:
            if other["label"].startswith(line["label"]):
                yield f"{path} begins as the label {other['label']!r} does, so their answers would be confused: reword one"


def repeated(path, names, what):
    names = list(names)
    for n, name in enumerate(names):
        if name in names[:n]:
            yield f"{path}[{n}] has the {what} of {path}[{names.index(name)}]: {name}"


def rows_twice(expected):
    yield from repeated("criteria", (criterion["name"] for criterion in expected["criteria"]), "name")
    yield from repeated("stages", (stage["name"] for stage in expected["stages"]), "name")
    yield from repeated("stages", (label(stage) for stage in expected["stages"]), "kernel and choices")
    yield from repeated("ours", (f"{label(row)} at {row['size']}" for row in expected["ours"]), "run")


def family_without_axis(expected):
    if expected["family"] != "derivative":
        return
    for key in ("axis", "radius"):
        if key not in expected:
            yield f"the file lacks \"{key}\", which derivatives need: add it"
    rows = [*expected["correctness"]["runs"], *expected["criteria"]]
    for kernel in sorted({row["kernel"] for row in rows if "kernel" in row} - set(expected.get("axis", ()))):
        yield f"axis lacks the kernel {kernel}, which is graded: say along which axis it is"


def figures_that_are_nowhere(expected):
    """Tables, order and drawing look for these."""
    size = expected["published"]["size"]
    at_size = {label(row) for row in expected["ours"] if row["size"] == size}
    for n, stage in enumerate(expected["stages"]):
        if label(stage) not in at_size:
            yield (f"{named(f'stages[{n}]', stage)} has no row in ours for {size}: add one of its kernel, choices and size, "
                   "and make record fills it in")
    if "plot" in expected:
        if not any(stage["kernel"] == expected["plot"] and "window" in stage for stage in expected["stages"]):
            yield f"plot is {expected['plot']}, and no stage of that kernel has a window: name a kernel that has"
        if "radius" not in expected["published"]:
            yield "published lacks \"radius\", which the drawing of plot needs: add it"
    for n, row in enumerate(expected.get("references", ())):
        if row["source"] not in expected.get("references_from", {}):
            yield f"references[{n}] is of {row['source']}, and references_from has no hash of it: add it"


CHECKS = (sizes_that_cannot_be_drawn, sizes_that_do_not_run, bounds_that_are_not_one, points_given_away,
          evidence_that_cannot_be, measured_without_provenance,
          predictions_that_cannot_be_judged, labels_that_are_confused, rows_twice, family_without_axis,
          figures_that_are_nowhere)


def nonsense(expected):
    return [sentence for check in CHECKS for sentence in check(expected)]
