"""Keeps the figures of our own that labs/*/expected.json records ("ours") what the programs really give.

In:  ours.py           LD_LIBRARY_PATH set to the emulated device, run from the repository root
     ours.py --record [LAB...]
Out: without --record, runs each row of the thin grid and names every figure that is off by more than 1 %, with status 1.
     With it, runs all rows (512 x 512 x 512 takes up to a minute each) and rewrites the figures.
"""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, "common")
from programs import make, program_path  # noqa: E402: common/ is no package

FIGURES = {
    "fetch_size_gb": ("memory", "fetch_size_gb"), "write_size_gb": ("memory", "write_size_gb"),
    "fetch_efficiency_percent": ("memory", "fetch_efficiency_percent"),
    "l2_cache_hit_percent": ("memory", "l2_cache_hit_percent"), "time_ms": ("time_ms", "median"),
    "effective_bandwidth_gbs": ("effective_bandwidth_gbs",), "percent_of_target": ("percent_of_target",),
}
TOLERANCE = 0.01  # recorded figures have four digits; what matters to a reader is more than this


def measure(lab, row):
    """The row with the figures of a solution's run, and their evidence. A row has kernel, size and, with tiles, m."""
    source = glob.glob(f"solutions/{lab}/*.hip")[0]
    m = row.get("m")
    program = program_path(source, m)
    worked, said = make(program, m)
    if not worked:
        sys.exit(f"{source} does not build:\n{said}")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "result.json")
        options = [word for option, n in zip(("--nx", "--ny", "--nz"), row["size"]) for word in (option, str(n))]
        subprocess.run([program, "--kernel", row["kernel"], *options, "--json", path], check=True,
                       stdout=subprocess.DEVNULL)
        with open(path, encoding="utf-8") as file:
            result = json.load(file)
    figures = {key: row[key] for key in ("kernel", "m", "size") if key in row}
    figures["evidence"] = result["time_evidence"]
    for name, keys in FIGURES.items():
        value = result
        for key in keys:
            value = value[key]
        figures[name] = float(f"{value:.4g}")
    return figures


def record(path, lab, rows):
    lines = ",\n".join("    " + json.dumps(measure(lab, row)) for row in rows)
    with open(path, encoding="utf-8") as file:
        text = file.read()  # only now: it may have been edited during the minutes of the runs
    with open(path, "w", encoding="utf-8") as file:
        file.write(re.sub(r'"ours": \[.*?\n  \]', lambda _: f'"ours": [\n{lines}\n  ]', text, flags=re.DOTALL))


def stale(lab, recorded):
    """Sentences on the figures that a run does not confirm."""
    fresh = measure(lab, recorded)
    return [f"{lab} {recorded['kernel']} m={recorded.get('m', 1)}: {name} is recorded as {recorded.get(name)}, a run gives "
            f"{fresh[name]}; 'make record' writes it anew"
            for name in FIGURES if abs(recorded.get(name, 0) - fresh[name]) > TOLERANCE * abs(fresh[name])]


def main():
    wrong, recording = [], sys.argv[1:2] == ["--record"]
    for path in sorted(glob.glob("labs/*/expected.json")):
        lab = os.path.basename(os.path.dirname(path))
        if recording and sys.argv[2:] and lab not in sys.argv[2:]:
            continue
        with open(path, encoding="utf-8") as file:
            rows = json.load(file)["ours"]
        if recording:
            record(path, lab, rows)
        else:
            thin = min(row["size"] for row in rows)
            for row in rows:
                wrong += stale(lab, row) if row["size"] == thin else []
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
