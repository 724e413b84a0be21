"""Keeps the figures of our own that labs/*/expected.json records ("ours") what the programs really give.

In:  ours.py           build/solutions/*/* and LD_LIBRARY_PATH set to the emulated device
     ours.py --record
Out: without --record, runs each solution at the first recorded size and names every figure that is off by more than
     1 %, with status 1. With it, runs all recorded sizes (512 x 512 x 512 takes up to a minute) and rewrites the figures.
"""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

FIGURES = {
    "fetch_size_gb": ("memory", "fetch_size_gb"), "write_size_gb": ("memory", "write_size_gb"),
    "fetch_efficiency_percent": ("memory", "fetch_efficiency_percent"),
    "l2_cache_hit_percent": ("memory", "l2_cache_hit_percent"), "time_ms": ("time_ms", "median"),
    "effective_bandwidth_gbs": ("effective_bandwidth_gbs",),
}
TOLERANCE = 0.01  # recorded figures have four digits; what matters to a reader is more than this


def measure(lab, size):
    """The figures of a solution's run, with their evidence."""
    program = next(p for p in glob.glob(f"build/solutions/{lab}/*") if "." not in os.path.basename(p))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "result.json")
        options = [word for option, n in zip(("--nx", "--ny", "--nz"), size) for word in (option, str(n))]
        subprocess.run([program, *options, "--json", path], check=True, stdout=subprocess.DEVNULL)
        with open(path, encoding="utf-8") as file:
            result = json.load(file)
    figures = {"size": size, "evidence": result["time_evidence"]}
    for name, keys in FIGURES.items():
        value = result
        for key in keys:
            value = value[key]
        figures[name] = float(f"{value:.4g}")
    return figures


def record(path, text, lab, recorded):
    lines = ",\n".join("    " + json.dumps(measure(lab, row["size"])) for row in recorded)
    with open(path, "w", encoding="utf-8") as file:
        file.write(re.sub(r'"ours": \[.*?\n  \]', lambda _: f'"ours": [\n{lines}\n  ]', text, flags=re.DOTALL))


def stale(lab, recorded):
    """Sentences on the figures that a run does not confirm."""
    fresh = measure(lab, recorded["size"])
    return [f"{lab}: {name} is recorded as {recorded.get(name)}, a run gives {fresh[name]}; 'make record' writes it anew"
            for name in FIGURES if abs(recorded.get(name, 0) - fresh[name]) > TOLERANCE * abs(fresh[name])]


def main():
    wrong = []
    for path in sorted(glob.glob("labs/*/expected.json")):
        lab = os.path.basename(os.path.dirname(path))
        with open(path, encoding="utf-8") as file:
            text = file.read()
        recorded = json.loads(text)["ours"]
        if sys.argv[1:] == ["--record"]:
            record(path, text, lab, recorded)
        else:
            wrong += stale(lab, recorded[0])
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
