"""Prints results beside the published figures, one block a stage.

In:  journey.py RESULT.json...            (written by lab programs; report.h has the schema)
     labs/NN-name/expected.json           (the published figures and their source)
Out: the table, every number with its evidence level.
"""
import json
import sys

# Row; key of the published figure; path in the result; evidence, None for the result's own time_evidence. A key or path
# that is None has no figure yet.
ROWS = [
    ("SGPRs", "sgprs", ("compiled", "sgprs"), "compiled"),
    ("VGPRs", "vgprs", ("compiled", "vgprs"), "compiled"),
    ("scratch, B a lane", "scratch_bytes", ("compiled", "scratch_bytes"), "compiled"),
    ("occupancy, waves a SIMD", "occupancy_waves_per_simd", ("compiled", "occupancy_waves_per_simd"), "compiled"),
    ("wavefronts, SQ_WAVES", None, ("counters", "SQ_WAVES"), "emulated"),
    ("loads, SQ_INSTS_VMEM_RD", None, ("counters", "SQ_INSTS_VMEM_RD"), "emulated"),
    ("stores, SQ_INSTS_VMEM_WR", None, ("counters", "SQ_INSTS_VMEM_WR"), "emulated"),
    ("kernel time, ms", "time_ms", ("time_ms", "median"), None),
    ("effective bandwidth, GB/s", "effective_bandwidth_gbs", ("effective_bandwidth_gbs",), None),
    ("% of target 1165 GB/s", "percent_of_target", ("percent_of_target",), None),
    ("FETCH_SIZE, GB", "fetch_size_gb", None, None),
    ("WRITE_SIZE, GB", "write_size_gb", None, None),
    ("L2CacheHit, %", "l2_cache_hit_percent", None, None),
]


def look_up(result, path):
    for key in path:
        result = result.get(key) if result is not None else None
    return result


def show(value):
    return "-" if value is None else f"{value:.10g}"


def print_stage(result):
    """One stage: a head line, then row, ours, evidence, published."""
    with open(f"labs/{result['lab']}/expected.json", encoding="utf-8") as file:
        published = json.load(file)["published"]
    state = "verified" if result["verified"] else "NOT VERIFIED"
    print(f"{result['lab']}  {result['source']} on {result['device']} ({result['device_name']}), "
          f"{result['nx']} x {result['ny']} x {result['nz']}: {state}, {result['points_checked']} points")
    print(f"  {'':<28}{'ours':>10}  {'evidence':<10}{'published':>10}")
    for row, key, path, evidence in ROWS:
        ours = look_up(result, path) if path else None
        level = "" if ours is None else evidence or result["time_evidence"]
        print(f"  {row:<28}{show(ours):>10}  {level:<10}{show(published.get(key)):>10}")
    print(f"  published: {published['source']}")


def main():
    results = []
    for path in sys.argv[1:]:
        with open(path, encoding="utf-8") as file:
            results.append(json.load(file))
    for result in results:
        print_stage(result)
    if any(result["time_ms"] is None for result in results):
        print("- : not known here. The emulated device executes the kernel but does not model time or caches, so no time,\n"
              "    bandwidth or cache figure of ours stands beside the published one.")


if __name__ == "__main__":
    main()
