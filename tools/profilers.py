"""The profilers of real GPUs: which is installed, how it is called, and what its tables say in our columns.

In:  a device, a program with its arguments, rocprof's names of counters; ROCPROF or NCU, if the profiler is not in PATH
Out: rows, one for each launch, {name: number}; Stop with a sentence where there is no profiler or it failed.
     Called as their manuals say. ncu was tried; no version of rocprof could be, for want of an AMD GPU.
"""
import csv
import glob
import os
import shutil
import subprocess
import tempfile

# ncu's metric for what comes nearest to rocprof's counter, and what to multiply it by.
NVIDIA = {
    "FETCH_SIZE": ("dram__bytes_read.sum", 1 / 1024),
    "WRITE_SIZE": ("dram__bytes_write.sum", 1 / 1024),
    "L2CacheHit": ("lts__t_sector_hit_rate.pct", 1),
    "OccupancyPercent": ("sm__warps_active.avg.pct_of_peak_sustained_active", 1),
    "MemUnitBusy": ("l1tex__lsuin_requests.avg.pct_of_peak_sustained_elapsed", 1),
    "SQ_WAVES": ("smsp__warps_launched.sum", 1),
    "SQ_INSTS_VMEM_RD": ("smsp__inst_executed_op_global_ld.sum", 1),
    "SQ_INSTS_VMEM_WR": ("smsp__inst_executed_op_global_st.sum", 1),
}
# A program launches its kernel once for each input before it times it; figures are of the second.
SECOND_LAUNCH = ["--launch-skip", "1", "--launch-count", "1"]


class Stop(Exception):
    """Nothing was profiled: the sentence, and the exit status."""


def rows_in(path):
    with open(path, newline="", encoding="utf-8", errors="replace") as file:
        return list(csv.DictReader(file))


def launches_in(folder):
    """Of all tables in the folder: some have a column for each counter, some, of rocprofv3, a row."""
    launches = {}
    for path in sorted(glob.glob(f"{folder}/**/*.csv", recursive=True)):
        seen = []
        for row in rows_in(path):
            key = row.get("Dispatch_Id") or row.get("Dispatch_ID") or row.get("Index")
            if key is None:
                continue  # a table of something else
            if key not in seen:
                seen.append(key)
            launch = launches.setdefault(seen.index(key), {})
            if "Counter_Name" in row:
                launch[row["Counter_Name"]] = row["Counter_Value"]
            else:
                launch.update(row)
    return [launches[n] for n in sorted(launches)]


# How each is called, and how one learns what it can count.
ROCPROFS = {
    "rocprofv3": (lambda tool, request, folder: [tool, "-i", request, "-f", "csv", "-d", folder, "-o", "out", "--"],
                  "rocprofv3 --list-avail"),
    "rocprofv2": (lambda tool, request, folder: [tool, "-i", request, "--plugin", "file", "-d", folder],
                  "rocprofv2 --list-counters"),
    "rocprof": (lambda tool, request, folder: [tool, "-i", request, "-o", f"{folder}/out.csv"],
                "rocprof --list-basic' and '--list-derived"),
}


def find_rocprof():
    """(path, name) of the one that ROCPROF names, or of the first that is there."""
    path = os.environ["PATH"] + ":/opt/rocm/bin"
    names = [os.environ["ROCPROF"]] if "ROCPROF" in os.environ else list(ROCPROFS)
    for name in names:
        tool = shutil.which(name, path=path)
        if tool:
            return tool, os.path.basename(name) if os.path.basename(name) in ROCPROFS else "rocprof"
    raise Stop(f"{' or '.join(names)} was found neither in PATH nor in /opt/rocm/bin, and without it nobody reads an AMD "
               "GPU's counters: install ROCm's rocprofiler package, or use DEVICE=emulated, which needs none", 2)


def amd_launches(program, wanted, arguments):
    tool, name = find_rocprof()
    call, listing = ROCPROFS[name]
    with tempfile.TemporaryDirectory() as folder:
        request = os.path.join(folder, "counters.txt")
        with open(request, "w", encoding="utf-8") as file:
            file.writelines(f"pmc: {counter}\n" for counter in wanted)  # a pass each: not all fit into one
        done = subprocess.run([*call(tool, request, folder), program, *arguments], capture_output=True, text=True,
                              errors="replace", check=False)
        said = f"{done.stdout}{done.stderr}".rstrip()
        launches = launches_in(folder)
    if done.returncode != 0 or not launches:
        raise Stop(f"{name} failed with status {done.returncode}, or launched nothing:\n{said}", 1)
    missing = [counter for counter in wanted if counter not in launches[-1]]
    if missing:
        raise Stop(f"{name} has not counted {', '.join(missing)}; '{listing}' say what this GPU has:\n{said}", 2)
    return name, launches


def ncu_rows(text):
    """{metric: value} of each launch in what ncu --csv prints, behind its own words."""
    lines = text.splitlines()
    start = next((n for n, line in enumerate(lines) if line.startswith('"ID"')), len(lines))
    launches = {}
    for row in csv.DictReader(lines[start:]):
        try:
            launches.setdefault(row["ID"], {})[row["Metric Name"]] = float(row["Metric Value"].replace(",", ""))
        except (KeyError, ValueError, AttributeError):
            continue  # what it says after its table, or "n/a"
    return list(launches.values())


def nvidia_launches(program, wanted, arguments):
    name = os.environ.get("NCU", "ncu")
    tool = shutil.which(name, path=os.environ["PATH"] + ":/usr/local/cuda/bin")
    if not tool:
        raise Stop(f"{name} was found neither in PATH nor in /usr/local/cuda/bin, and without it nobody reads an NVIDIA "
                   "GPU's counters: install Nsight Compute, or use DEVICE=emulated, which needs none", 2)
    unknown = [counter for counter in wanted if counter not in NVIDIA]
    if unknown:
        raise Stop(f"{', '.join(unknown)}: on an NVIDIA GPU there is nothing like it; there are\n  {' '.join(NVIDIA)}", 2)
    metrics = ",".join(NVIDIA[counter][0] for counter in wanted)
    done = subprocess.run([tool, "--csv", "--print-units", "base", "--clock-control", "none", *SECOND_LAUNCH, "--metrics",
                           metrics, program, *arguments], capture_output=True, text=True, errors="replace", check=False)
    found = ncu_rows(done.stdout)
    if not found:
        why = "; reading counters needs a right that this user lacks: https://developer.nvidia.com/ERR_NVGPUCTRPERM" \
            if "ERR_NVGPUCTRPERM" in done.stdout + done.stderr else ""
        raise Stop(f"ncu has counted nothing{why}:\n{done.stdout}{done.stderr}".rstrip(), 1)
    return "ncu", [{counter: launch[NVIDIA[counter][0]] * NVIDIA[counter][1] for counter in wanted
                    if NVIDIA[counter][0] in launch} for launch in found]
