"""Runs every stage of every lab once on a real GPU, and keeps what came out in one file that its owner can send in.

In:  measure.py DEVICE [LAB...]      (amd or nvidia; run from the repository root; without LAB all labs)
     measure.py --take FILE...       writes the rows of such files into labs/*/expected.json as "measured"
Out: build/results/measured-NAME.json: the device, date, driver, compiler, clocks, command, and a row for each run: source,
     choices, size, times, bandwidth, the share of the device's own copy with its interval, registers. Whole or not at all:
     a run that fails leaves no file, and its sentence.
"""
import datetime
import glob
import json
import os
import shlex
import subprocess
import sys
import tempfile

from grading.check import commit
from grading.expected import BadExpected, load_expected
from grading.fields import PROVENANCE
from grading.files import write_whole
from grading.programs import BUILD, RUN, ask_make, chosen, label, make, make_all, options, program_path
from grading.results import NoResult, load, look_up, size_of
from grading.tables.columns import FIGURES
from tools.rows import text_of

CHOICES = ("source", *BUILD, *RUN)
SHOWN = ("time_ms", "effective_bandwidth_gbs", "copy_percent")
# What is asked of the driver, of which each word may be missing.
DRIVER = {"nvidia": "nvidia-smi --query-gpu=driver_version --format=csv,noheader",
          "amd": "cat /sys/module/amdgpu/version"}
CLOCKS = {"nvidia": ("SM {}, memory {}", "nvidia-smi --query-gpu=clocks.sm,clocks.mem --format=csv,noheader"),
          "amd": ("{}", "cat /sys/class/drm/card0/device/pp_dpm_sclk")}
OTHERS = {"nvidia": "nvidia-smi --query-compute-apps=pid,name --format=csv,noheader"}


class Stop(Exception):
    """Nothing was kept; the sentence says why."""


def first_line(command):
    try:
        done = subprocess.run(shlex.split(command), capture_output=True, text=True, errors="replace", check=False)
    except OSError:
        return "unknown"
    return (done.stdout.strip().splitlines() or ["unknown"])[0]


def clocks_of(device):
    """Just after the runs."""
    words, command = CLOCKS[device]
    found = first_line(command).split(", ")
    return words.format(*found) if words.count("{}") == len(found) else "unknown"


def warn_if_busy(device):
    """Says so where another process is on the GPU; the runs themselves say if their times scatter."""
    others = first_line(OTHERS[device]) if device in OTHERS else "unknown"
    if others != "unknown":
        print(f"another process uses this GPU ({others}): times may be those of both", file=sys.stderr)


def sources_of(lab, stage):
    """The files that are run for a stage: its own, or the solution."""
    return [stage["source"]] if "source" in stage else glob.glob(f"solutions/{lab}/*.hip")[:1]


def asked_of(lab, expected):
    """(row's choices, file) of each run of a lab."""
    for stage in expected["stages"]:
        for file in sources_of(lab, stage):
            yield {key: stage[key] for key in CHOICES if key in stage}, file
    for file in sorted(glob.glob(f"beyond/{lab}/*.hip")):
        for tier in expected.get("beyond", ()):
            yield {"source": file, **{key: tier[key] for key in CHOICES if key in tier}}, file


def run(asked, file):
    program = program_path(file, asked)
    worked, said = make([program], asked)
    if not worked:
        raise Stop(f"{file} does not build{f' with {chosen(asked)}' if chosen(asked) else ''}:\n{said}")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "result.json")
        done = subprocess.run([program, *options(asked), "--json", path], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Stop(f"{' '.join([program, *options(asked)])} ended with status {done.returncode}:\n"
                       f"{done.stdout}{done.stderr}".rstrip())
        return load(path)


def row_of(lab, asked, result):
    row = {"lab": lab, **asked, "kernel": result["kernel"], "size": size_of(result)}
    row.update((name, float(f"{look_up(result, FIGURES[name].path):.4g}")) for name in SHOWN)
    row.update({"min_ms": result["time_ms"]["min"], "max_ms": result["time_ms"]["max"], "pairs": result["time_ms"]["runs"],
                "copy": result["copy"], "compiled": result["compiled"]})
    return row


def measure(device, labs):
    warn_if_busy(device)
    wanted = [(lab, asked, file) for lab in labs for asked, file in asked_of(lab, load_expected(lab))]
    make_all((file, asked) for _, asked, file in wanted)
    rows, name = [], None
    for lab, asked, file in wanted:
        if any(row["lab"] == lab and asked.get("window", 0) > row["size"][2] for row in rows):
            continue  # a window longer than the grid is the grid's
        result = run(asked, file)
        name = result["device_name"]
        rows.append(row_of(lab, asked, result))
        row = rows[-1]
        print(f"{lab:<22} {label(asked):<28} {row['time_ms']:>9.4f} ms {row['effective_bandwidth_gbs']:>6.0f} GB/s "
              f"{row['copy_percent']:>6.1f} % of the copy  (measured)", flush=True)
    file = {"device": name, "date": datetime.date.today().isoformat(), "driver": first_line(DRIVER[device]),
            "compiler": ask_make("compiler-words")[-1], "clocks": clocks_of(device),
            "command": f"make measure DEVICE={device}", "commit": commit(), "rows": rows}
    path = f"build/results/measured-{name.replace(' ', '-')}.json"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    write_whole(path, json.dumps(file, indent=1) + "\n")
    print(f"{len(rows)} runs on {name}: {path}")


def take(path):
    """Into each lab's expected.json, in the place of what the same device had there."""
    with open(path, encoding="utf-8") as file:
        content = json.load(file)
    kept = (*CHOICES, "size", *SHOWN)
    for lab in sorted({row["lab"] for row in content["rows"]}):
        expected = load_expected(lab)
        rows = [row for row in expected.get("measured", ()) if row["on"] != content["device"]]
        rows += [{"on": content["device"], **{key: row[key] for key in kept if key in row}} for row in content["rows"]
                 if row["lab"] == lab]
        how = {**expected.get("measured_on", {}), content["device"]: {key: content[key] for key in PROVENANCE}}
        write_whole(f"labs/{lab}/expected.json", text_of({**expected, "measured": rows, "measured_on": how}))


def main():
    first, *rest = sys.argv[1:]
    if first == "--take":
        for path in rest:
            take(path)
        return
    if first not in DRIVER:
        raise Stop("make measure is for real GPUs, and the device here is the emulated one")
    known = sorted(path.split("/")[1] for path in glob.glob("labs/*/expected.json"))
    measure(first, [lab for lab in known if not rest or lab in rest])


if __name__ == "__main__":
    try:
        main()
    except (Stop, NoResult, BadExpected, OSError, ValueError, KeyError) as why:
        sys.exit(f"nothing was kept: {why}")
