"""Figures that no right kernel can have. Where one comes out the work was not done where it was counted, and there are no
points for that.

In:  a run's result (results.py). Out: a sentence, None for a result that can be.
"""
from grading.results import look_up

# A value of the result, the most that it can be, or another value of it; what is said. Efficiencies: what no kernel can
# avoid, in percent of what was moved; 1 % is for lines that two neighbours share.
MOST = [
    ("memory.fetch_efficiency_percent", 101, "less was fetched from memory than the input holds"),
    ("memory.write_efficiency_percent", 101, "less was written to memory than the output holds"),
    ("effective_bandwidth_gbs", "peak_bandwidth_gbs", "the effective bandwidth is above what the device's memory can do"),
    ("memory.achieved_bandwidth_gbs", "peak_bandwidth_gbs", "the achieved bandwidth is above what the device's memory can do"),
]
STORED = "counters.EMULATOR_GLOBAL_BYTES_STORED"


def implausible(result):
    for value, most, sentence in MOST:
        got, bound = look_up(result, value), look_up(result, most) if isinstance(most, str) else most
        if got is not None and bound and got > bound:
            return f"{sentence} ({got:.4g}, where {bound:.4g} is the most): the kernels themselves must do the work"
    stored, needed = look_up(result, STORED), result["interior_points"] * result["element_bytes"]
    if stored is not None and stored < needed:
        return (f"the kernels stored {stored:.4g} bytes, and the points they compute take {needed:.4g}: the kernels themselves "
                "must do the work")
    return None
