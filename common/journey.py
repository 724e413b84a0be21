"""Prints results beside the published figures, one block a stage.

In:  journey.py RESULT.json...            (written by lab programs; report.h has the schema)
     labs/NN-name/expected.json           (the published figures and their source; the solution's, recorded)
Out: the table, every number with its evidence level. Speedups are over lab 01, if its result is among them.
"""
import json
import sys

BASELINE = "01-baseline"

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
    ("speedup", "speedup", ("speedup",), ("time_evidence",), False),
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


def speedup(result, baseline):
    """Baseline's time over this one's; None unless both have one for the same grid."""
    if baseline is None or size_of(result) != size_of(baseline) or not result["time_ms"] or not baseline["time_ms"]:
        return None
    return baseline["time_ms"]["median"] / result["time_ms"]["median"]


def print_stage(result):
    """One stage: a head line, then row, ours, evidence, published."""
    with open(f"labs/{result['lab']}/expected.json", encoding="utf-8") as file:
        expected = json.load(file)
    published = expected["published"]
    state = "verified" if result["verified"] else "NOT VERIFIED"
    print(f"{result['lab']}  {result['source']} on {result['device']} ({result['device_name']}), "
          f"{result['nx']} x {result['ny']} x {result['nz']}: {state}, {result['points_checked']} points")
    print(f"  {'':<28}{'ours':>10}  {'evidence':<10}{'published':>10}")
    other_size = size_of(result) != published["size"]
    for row, key, path, evidence, grows in ROWS:
        ours = look_up(result, path)
        level = evidence if isinstance(evidence, str) else look_up(result, evidence)
        theirs = published.get(key)
        mark = " *" if grows and other_size and theirs is not None else ""
        print(f"  {row:<28}{show(ours):>10}  {level if ours is not None else '':<10}{show(theirs):>10}{mark}")
    if other_size:
        print("  * for " + " x ".join(map(str, published["size"])) + ": compare the rows without a mark, or run that size "
              f"with ARGS=\"--nz {published['size'][2]}\"")
        for ours in expected["ours"]:
            if ours["size"] == published["size"]:
                print(f"    recorded there for the solution: FETCH_SIZE {ours['fetch_size_gb']} GB, WRITE_SIZE "
                      f"{ours['write_size_gb']} GB, {ours['time_ms']} ms ({ours['evidence']})")
    print(f"  published: {published['source']}")


def main():
    results = []
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            results.append(json.load(file))
    baseline = next((result for result in results if result["lab"] == BASELINE), None)
    for result in results:
        result["speedup"] = speedup(result, baseline)
        print_stage(result)
    if any(result["time_ms"] is None for result in results):
        print("- : not known here; with EMULATOR_MODEL=0 the emulated device models neither caches nor time.")
    elif any(result["time_evidence"] == "modelled" for result in results):
        print("modelled: computed by the emulated device's memory model, not timed on a GPU.")


if __name__ == "__main__":
    main()
