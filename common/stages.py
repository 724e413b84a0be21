"""Runs labs stage by stage and prints the published tables' columns, ours above published.

In:  stages.py DEVICE SOURCE.hip... [-- ARGUMENT...]   (run from the repository root; LD_LIBRARY_PATH already set)
     labs/NN-name/expected.json     ("stages": name, change, kernel, m, published figures; "published": their source)
Out: the table, and the result of each stage in build/results/stages/*.json. Speedups are over lab 01's solution at the
     same size, which is run first. Status 1 when a program does not build, fails or is not right.
"""
import json
import os
import subprocess
import sys

from accesses import loaded_per_stored, read_accesses
from programs import make, program_path

BASELINE = "solutions/01-baseline/laplacian.hip"
BASELINE_STAGE = {"kernel": "laplacian"}
RESULTS = "build/results/stages"

# Heading, in two lines; width; decimals; key of the published figure; path in the result; whether it grows with the grid.
COLUMNS = [
    ("loaded/", "stored", 8, 2, "loaded_per_stored", ("loaded_per_stored",), False),
    ("time", "ms", 9, 4, "time_ms", ("time_ms", "median"), True),
    ("% of", "target", 7, 1, "percent_of_target", ("percent_of_target",), False),
    ("speed-", "up", 7, 2, "speedup", ("speedup",), False),
    ("FETCH_", "SIZE GB", 9, 3, "fetch_size_gb", ("memory", "fetch_size_gb"), True),
    ("fetch", "eff. %", 7, 1, "fetch_efficiency_percent", ("memory", "fetch_efficiency_percent"), False),
    ("L2Cache", "Hit %", 8, 1, "l2_cache_hit_percent", ("memory", "l2_cache_hit_percent"), False),
    ("", "SGPR", 5, 0, "sgprs", ("compiled", "sgprs"), False),
    ("", "VGPR", 5, 0, "vgprs", ("compiled", "vgprs"), False),
    ("scratch", "B/lane", 8, 0, "scratch_bytes", ("compiled", "scratch_bytes"), False),
    ("waves/", "SIMD", 7, 0, "occupancy_waves_per_simd", ("compiled", "occupancy_waves_per_simd"), False),
]


class Stop(Exception):
    """A stage could not be run; the sentence says why."""


def look_up(result, path):
    for key in path:
        result = result.get(key) if result is not None else None
    return result


def run_stage(source, stage, arguments):
    """Builds and runs one stage. Returns its result."""
    m = stage.get("m")
    worked, said = make(program_path(source, m), m)
    if not worked:
        raise Stop(f"{source} does not build{f' with M={m}' if m else ''}:\n{said}")
    os.makedirs(RESULTS, exist_ok=True)
    name = f"{RESULTS}/{'.'.join(source.split('/')[-3:-1])}.{stage['kernel']}{f'.m{m}' if m else ''}"
    command = [program_path(source, m), "--kernel", stage["kernel"], "--json", name + ".json", *arguments]
    done = subprocess.run(command, env={**os.environ, "EMULATOR_LINES": name + ".csv"}, stdout=subprocess.PIPE, text=True,
                          check=False)
    if done.returncode != 0:
        raise Stop(f"{' '.join(command)} ended with status {done.returncode}:\n{done.stdout.rstrip()}")
    with open(name + ".json", encoding="utf-8") as file:
        result = json.load(file)
    result["loaded_per_stored"] = loaded_per_stored(read_accesses(name + ".csv"))
    return result


def cells(values, mark=False):
    """One row of the table; marked are the published figures of another size."""
    text = ""
    for (_, _, width, decimals, _, _, grows), value in zip(COLUMNS, values):
        cell = "-" if value is None else f"{value:.{decimals}f}"
        text += f"{cell + ('*' if mark and grows and value is not None else ''):>{width}}"
    return text


def load_expected(source):
    with open(f"labs/{source.split('/')[-2]}/expected.json", encoding="utf-8") as file:
        return json.load(file)


def recorded(expected, stage, size):
    """The solution's figures recorded for this stage and size, {} if there are none."""
    return next((row for row in expected["ours"] if row["size"] == size and row["kernel"] == stage["kernel"]
                 and row.get("m") == stage.get("m")), {})


def print_rows(result, figures, published, same_size):
    print(f"  {'ours':<10}" + cells([look_up(result, column[5]) for column in COLUMNS]))
    if figures and not same_size:
        print(f"  {'recorded':<10}" + cells([figures.get(column[4]) for column in COLUMNS], True))
    print(f"  {'published':<10}" + cells([published.get(column[4]) for column in COLUMNS], not same_size))


def print_notes(result, size, source):
    print("ours: " + ", ".join(filter(None, [
        "loaded/stored emulated" if result["loaded_per_stored"] else None,
        f"FETCH_SIZE to L2CacheHit {result['memory']['evidence']}" if result["memory"] else None,
        f"time {result['time_evidence']}" if result["time_evidence"] else None, "SGPR to waves compiled"])) + "; "
        f"{result['nx']} x {result['ny']} x {result['nz']} on {result['device_name']}")
    print(f"published: {source}")
    if [result[direction] for direction in ("nx", "ny", "nz")] != size:
        print("* for " + " x ".join(map(str, size)) + f": the other columns compare; ARGS=\"--nz {size[2]}\" runs that size")


def main():
    device, *rest = sys.argv[1:]
    split = rest.index("--") if "--" in rest else len(rest)
    sources, arguments = rest[:split], rest[split + 1:]
    print(f"{'':<12}" + "".join(f"{column[0]:>{column[2]}}" for column in COLUMNS))
    print(f"{device:<12}" + "".join(f"{column[1]:>{column[2]}}" for column in COLUMNS))
    baseline = run_stage(BASELINE, BASELINE_STAGE, arguments)
    for source in sources:
        expected = load_expected(source)
        size = expected["published"]["size"]
        for stage in expected["stages"]:
            result = run_stage(source, stage, arguments)
            if result["time_ms"] and baseline["time_ms"]:
                result["speedup"] = baseline["time_ms"]["median"] / result["time_ms"]["median"]
            same_size = [result[direction] for direction in ("nx", "ny", "nz")] == size
            figures, first = recorded(expected, stage, size), recorded(load_expected(BASELINE), BASELINE_STAGE, size)
            if figures and first:
                figures["speedup"] = first["time_ms"] / figures["time_ms"]
            print(f"{expected['lab']}  {stage['name']}: {stage['change']}")
            print_rows(result, figures, stage["published"], same_size)
        sys.stdout.flush()
    print_notes(result, size, expected["published"]["source"])
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Stop as stop:
        print(stop, file=sys.stderr)
        sys.exit(1)
