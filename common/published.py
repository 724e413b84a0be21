"""Prints one run's result beside the published figures.

In:  published.py RESULT.json                (written by a lab program; report.h has the schema)
     labs/NN-name/expected.json              (the published figures and their source; the solution's, recorded)
     RESULT.csv, if there                    (EMULATOR_LINES' report on the same run)
Out: the table, every number with its evidence level.
"""
import json
import os
import sys

from accesses import loaded_per_stored, read_accesses

# Row; key of the published figure, None if there is none; path in the result; evidence: a word, or the path of the
# result's own word; whether it grows with the grid.
ROWS = [
    ("SGPRs", "sgprs", ("compiled", "sgprs"), "compiled", False),
    ("VGPRs", "vgprs", ("compiled", "vgprs"), "compiled", False),
    ("scratch, B a lane", "scratch_bytes", ("compiled", "scratch_bytes"), "compiled", False),
    ("occupancy, waves a SIMD", "occupancy_waves_per_simd", ("compiled", "occupancy_waves_per_simd"), "compiled",
     False),
    ("wavefronts, SQ_WAVES", None, ("counters", "SQ_WAVES"), "emulated", True),
    ("loads, SQ_INSTS_VMEM_RD", None, ("counters", "SQ_INSTS_VMEM_RD"), "emulated", True),
    ("stores, SQ_INSTS_VMEM_WR", None, ("counters", "SQ_INSTS_VMEM_WR"), "emulated", True),
    ("loaded for each stored value", "loaded_per_stored", ("loaded_per_stored",), "emulated", False),
    ("FETCH_SIZE, GB", "fetch_size_gb", ("memory", "fetch_size_gb"), ("memory", "evidence"), True),
    ("fetch efficiency, %", "fetch_efficiency_percent", ("memory", "fetch_efficiency_percent"), ("memory", "evidence"),
     False),
    ("WRITE_SIZE, GB", "write_size_gb", ("memory", "write_size_gb"), ("memory", "evidence"), True),
    ("write efficiency, %", "write_efficiency_percent", ("memory", "write_efficiency_percent"), ("memory", "evidence"),
     False),
    ("L2CacheHit, %", "l2_cache_hit_percent", ("memory", "l2_cache_hit_percent"), ("memory", "evidence"), False),
    ("kernel time, ms", "time_ms", ("time_ms", "median"), ("time_evidence",), True),
    ("effective bandwidth, GB/s", "effective_bandwidth_gbs", ("effective_bandwidth_gbs",), ("time_evidence",), False),
    ("% of target 1165 GB/s", "percent_of_target", ("percent_of_target",), ("time_evidence",), False),
]


def look_up(result, path):
    for key in path:
        result = result.get(key) if result is not None else None
    return result


def show(value):
    if value is None:
        return "-"
    return f"{value:.0f}" if float(value).is_integer() else f"{value:.4g}"


def size_of(result):
    return [result[direction] for direction in ("nx", "ny", "nz")]


def print_recorded(expected, result):
    """What the solution was recorded with at the published size, if it was."""
    size = expected["published"]["size"]
    print("  * for " + " x ".join(map(str, size)) + ": compare the rows without a mark, or run that size with "
          f"ARGS=\"--nz {size[2]}\"")
    for ours in expected["ours"]:
        if ours["size"] == size and (ours["kernel"], ours.get("m", 1)) == (result["kernel"], result["rows"]):
            print(f"    recorded there for the solution: FETCH_SIZE {ours['fetch_size_gb']} GB, WRITE_SIZE "
                  f"{ours['write_size_gb']} GB, {ours['time_ms']} ms ({ours['evidence']})")


def print_result(result):
    """A head line, then row, ours, evidence, published."""
    with open(f"labs/{result['lab']}/expected.json", encoding="utf-8") as file:
        expected = json.load(file)
    published = next((stage["published"] for stage in expected["stages"]
                      if (stage["kernel"], stage.get("m", 1)) == (result["kernel"], result["rows"])), {})
    state = "verified" if result["verified"] else "NOT VERIFIED"
    print(f"{result['lab']}  {result['source']} on {result['device']} ({result['device_name']}), "
          f"{result['nx']} x {result['ny']} x {result['nz']}: {state}, {result['points_checked']} points")
    print(f"  {'':<28}{'ours':>10}  {'evidence':<10}{'published':>10}")
    other_size = size_of(result) != expected["published"]["size"]
    for row, key, path, evidence, grows in ROWS:
        ours = look_up(result, path)
        level = evidence if isinstance(evidence, str) else look_up(result, evidence)
        theirs = published.get(key)
        mark = " *" if grows and other_size and theirs is not None else ""
        print(f"  {row:<28}{show(ours):>10}  {level if ours is not None else '':<10}{show(theirs):>10}{mark}")
    if other_size and published:
        print_recorded(expected, result)
    print(f"  published: {expected['published']['source']}")


def main():
    path = sys.argv[1]
    with open(path, encoding="utf-8") as file:
        result = json.load(file)
    result["loaded_per_stored"] = loaded_per_stored(read_accesses(os.path.splitext(path)[0] + ".csv"))
    print_result(result)
    if result["time_ms"] is None:
        print("- : not known here; with EMULATOR_MODEL=0 the emulated device models neither caches nor time.")
    elif result["time_evidence"] == "modelled":
        print("modelled: computed by the emulated device's memory model, not timed on a GPU.")


if __name__ == "__main__":
    main()
