"""make compare-gpus: what was measured on other GPUs, beside what the emulated device says with their caches and bandwidth.

In:  labs/*/expected.json: "measured", rows of solutions/ and beyond/ on a GPU, and "ours", the MI250X (modelled);
     the emulated device in build/emulator with the devices of GPUS.
Out: tests/validation/gpus.json (committed), which `validate.py render` turns into a section of docs/validation.md.

Grids are cut to few planes: what matters here is how many planes the caches hold. Windows longer than that are left out, and
what a row needs beyond solutions/ is built by make.
"""
import concurrent.futures
import glob
import json
import os
import subprocess
import sys
import tempfile

import run
from grading.expected import load_expected
from grading.files import write_whole
from grading.programs import BUILD, RUN, is_run_of, make_all, options, program_path

RESULT = "tests/validation/gpus.json"
GPUS = {"NVIDIA H100 80GB HBM3": "h100", "NVIDIA H200": "h200"}  # whose caches which emulated device has
PLANES, PLANES_OF_DERIVATIVES = 24, 16  # along z, with the halo; of 2048 x 2048 planes each run takes a minute
DERIVATIVES = ("06-alignment", "07-sliding-window")  # beside an H200 alone, for the same reason
FIGURE = "effective_bandwidth_gbs"
CHOICES = ("source", *BUILD, *RUN)


def planes(lab):
    return PLANES_OF_DERIVATIVES if lab in DERIVATIVES else PLANES


def asked_of(lab, row):
    """What tells runs apart, whatever the device: the row's choices, with a grid of few planes."""
    nx, ny, nz = row["size"]
    return {**{key: row[key] for key in CHOICES if key in row}, "size": [nx, ny, min(nz, planes(lab))]}


def source_of(lab, asked):
    return asked.get("source") or glob.glob(f"solutions/{lab}/*.hip")[0]


def on_mi250x(expected, asked):
    """The recorded figure of the same solution on the largest grid, or None."""
    if "source" in asked and asked["source"].startswith("beyond/"):
        return None
    wanted = {key: asked[key] for key in (*BUILD, *RUN) if key in asked}
    rows = [row for row in expected["ours"] if wanted.items() <= row.items()]
    return max(rows, key=lambda row: row["size"])[FIGURE] if rows else None


def rows_wanted():
    """[row] of gpus.json, without "ours"."""
    found = []
    for path in sorted(glob.glob("labs/*/expected.json")):
        lab = path.split("/")[1]
        expected = load_expected(lab)
        for row in expected.get("measured", ()):
            is_run = row["on"] == "NVIDIA H200" or lab not in DERIVATIVES
            if row["on"] in GPUS and is_run and row.get("window", 0) < planes(lab):
                asked = asked_of(lab, row)
                found.append({"lab": lab, "on": row["on"], **asked, "measured": row[FIGURE],
                              "mi250x": on_mi250x(expected, asked)})
    return found


def evaluate(row):
    asked = asked_of(row["lab"], row)
    program = program_path(source_of(row["lab"], asked), asked)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("EMULATOR_")}
    environment.update(LD_LIBRARY_PATH="build/emulator", EMULATOR_THREADS="1", EMULATOR_DEVICE=GPUS[row["on"]])
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "result.json")
        done = subprocess.run([program, *options(asked), "--json", path], env=environment, capture_output=True, text=True,
                              check=False)
        if done.returncode != 0:
            raise run.Failure(f"{' '.join([program, *options(asked)])} ended with status {done.returncode}: "
                              f"{(done.stderr or done.stdout).strip()}")
        with open(path, encoding="utf-8") as file:
            result = json.load(file)
    if not is_run_of({key: asked[key] for key in ("kernel", "m", "r", "window", "layout") if key in asked}, result):
        raise run.Failure(f"{program} {' '.join(options(asked))} ran something else than the row asks for.")
    print(f"{row['on']:<22} {row['lab']:<22} {' '.join(options(asked)):<60} {result[FIGURE]:6.0f} GB/s (modelled), "
          f"{row['measured']:6.0f} (measured)", flush=True)
    return {**row, "ours": float(f"{result[FIGURE]:.4g}")}


def main():
    rows = rows_wanted()
    make_all((source_of(row["lab"], row), asked_of(row["lab"], row)) for row in rows)
    with concurrent.futures.ThreadPoolExecutor(run.AT_ONCE) as pool:
        rows = list(pool.map(evaluate, rows))
    text = "[\n" + ",\n".join(f" {json.dumps(row)}" for row in rows) + "\n]\n"
    write_whole(RESULT, text)


if __name__ == "__main__":
    try:
        main()
    except run.Failure as failure:
        sys.exit(f"The comparison could not be done. {failure}")
