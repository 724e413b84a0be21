"""Profiles one lab program: rocprof's counters and, on the emulated device, the memory report by source line.

In:  profile.py DEVICE PROGRAM OUT.csv COUNTERS [ARGUMENT...]   (COUNTERS: names with blanks between; "" for the labs')
     FULL=1 in the environment: the report by source line has a row for each instruction
     tools/profilers.py has the profilers of real devices
Out: a table, each figure with its evidence, and OUT.csv in rocprof's columns, a line for each kernel launch. Status 0;
     1 when the program or its profiler failed; 2 when a counter is unknown or the profiler is missing.
"""
import csv
import os
import subprocess
import sys
import tempfile
import textwrap

from grading.accesses import read_accesses
from grading.results import NoResult, evidence_of, load
from tools.access_table import full_table, table
from tools.profilers import NVIDIA, Stop, amd_launches, nvidia_launches

LABS_COUNTERS = ("FETCH_SIZE WRITE_SIZE L2CacheHit VALUBusy MemUnitBusy OccupancyPercent LDSBankConflict SQ_WAVES "
                 "SQ_INSTS_VALU SQ_INSTS_VMEM_RD SQ_INSTS_VMEM_WR TCP_TOTAL_CACHE_ACCESSES_sum TCP_TCC_READ_REQ_sum "
                 "TCP_TCC_WRITE_REQ_sum")
UNITS = {"FETCH_SIZE": "KiB", "WRITE_SIZE": "KiB", "L2CacheHit": "%", "VALUBusy": "%", "SALUBusy": "%",
         "MemUnitBusy": "%", "OccupancyPercent": "%", "LDSBankConflict": "%", "VALUUtilization": "%",
         "BANDWIDTH_EA": "B/clk", "MeanOccupancyPerCU": "waves", "GRBM_COUNT": "clk", "GRBM_GUI_ACTIVE": "clk"}
FLUSHED, L2_LINE = "TCC_ALL_TC_OP_WB_WRITEBACK_sum", 128  # lines that the kernel's end flushes, bytes of one
ROCPROF_DIFFERS = {
    "L2CacheHit": "rocprof v1 reads 16 of the 32 L2 channels; this is the hit rate of all 32",
    "WRITE_SIZE": "rocprof v1 misses the dirty lines that the kernel's end flushes; this includes them, {tail:.1f} KiB here",
}


def known_counters(result):
    """Evidence by name of all that the emulated device counts, as the program's result lists them."""
    return {name: evidence_of(result, "modelled" if name in result["modelled_counters"] else "emulated", ("counters", name))
            for name in result["counters"]}


def refuse_unknown(wanted, known):
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise Stop(f"{', '.join(unknown)}: no such counter; there are\n  " + " ".join(known), 2)


def run(command, environment):
    """Runs the program. Returns what it said on stderr; its own report on stdout is not wanted here."""
    done = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, errors="replace",
                          check=False)
    if done.returncode not in (0, 1):  # 1: the kernel ran, but its result is not right yet
        raise Stop(f"{command[0]} ended with status {done.returncode}:\n{done.stderr.rstrip()}", 1)
    return done.stderr


def read_table(path):
    """Column names and rows of a CSV file."""
    if not os.path.exists(path):
        raise Stop("no kernel was launched, so nothing was counted", 1)
    with open(path, newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        return reader.fieldnames, list(reader)


def write_table(path, columns, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def print_counters(row, wanted, known):
    for name in wanted:
        value = float(row.get(name) or "nan")
        text = f"{value:.0f}" if value.is_integer() else f"{value:.2f}"
        print(f"  {name:<34}{text:>16} {UNITS.get(name, ''):<6} ({known[name]})")
    tail = float(row.get(FLUSHED) or "nan") * L2_LINE / 1024
    for name in wanted:
        if name in ROCPROF_DIFFERS:
            print(textwrap.fill(f"  {name}: {ROCPROF_DIFFERS[name].format(tail=tail)}", 80, subsequent_indent="    "))


def print_time(result):
    if not result["time_ms"]:
        print("  neither time nor caches of this launch were modelled: nan where they would stand")
        return
    effective = f", {result['effective_bandwidth_gbs']:.0f} GB/s effective" if result["verified"] else ""
    evidence = evidence_of(result, result["time_evidence"], "time_ms")
    print(f"  kernel time {result['time_ms']['median']:.4f} ms{effective} ({evidence})")


def profile_emulated(program, out, wanted, arguments):
    with tempfile.TemporaryDirectory() as folder:
        counters, lines, result_file = (os.path.join(folder, name) for name in ("counters.csv", "lines.csv", "result.json"))
        said = run([program, *arguments], {"EMULATOR_COUNTERS": counters, "EMULATOR_LINES": lines,
                                           "LAB_RESULT_FILE": result_file})
        columns, rows = read_table(counters)
        try:
            result = load(result_file)
        except NoResult as why:
            raise Stop(f"{program} ended without a result ({why}): does its launcher end the program?", 1) from None
        accesses = read_accesses(lines, 1)
    known = known_counters(result)
    refuse_unknown(wanted, known)
    sys.stderr.write(said)
    write_table(out, [column for column in columns if column not in known] + wanted, rows)
    print(f"{result['source']}, {result['nx']} x {result['ny']} x {result['nz']}, device emulated,\n  the last of "
          f"{len(rows)} launches" + ("" if result["verified"] else "; its result is NOT RIGHT YET"))
    print_time(result)
    print_counters(rows[-1], wanted, known)
    print("\n".join((full_table if os.environ.get("FULL") == "1" else table)(accesses, result)))
    print(f"All launches: {out}, in rocprof's columns")


def profile_real(device, program, out, wanted, arguments):
    profiler, launches = (nvidia_launches if device == "nvidia" else amd_launches)(program, wanted, arguments)
    write_table(out, wanted, launches)
    print(f"{program} on device {device}, the last of {len(launches)} launches that {profiler} counted")
    for name in wanted:
        value = launches[-1].get(name)
        text = "none" if value is None else f"{float(value):.10g}"
        print(f"  {name:<34}{text:>16} {UNITS.get(name, ''):<6} (measured)")
    print(f"All launches: {out}, in rocprof's columns")


def main():
    device, program, out, counters, *arguments = sys.argv[1:]
    usual = " ".join(NVIDIA) if device == "nvidia" else LABS_COUNTERS
    wanted = list(dict.fromkeys((counters or usual).split())) or usual.split()
    if device == "emulated":
        profile_emulated(program, out, wanted, arguments)
    else:
        profile_real(device, program, out, wanted, arguments)


if __name__ == "__main__":
    try:
        main()
    except Stop as stop:
        print(stop.args[0], file=sys.stderr)
        sys.exit(stop.args[1])
    except BrokenPipeError:  # somebody read the first lines and left
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as trouble:
        print(f"the profile could not be made: {trouble}", file=sys.stderr)
        sys.exit(1)
