"""The same kernel on a device of which one thing is perfect: what binds it is what makes it faster.

In:  whatif.py PROGRAM [ARGUMENT...]   a lab program; the emulated device in LD_LIBRARY_PATH
Out: modelled time for each perfect thing, and one sentence on what binds the kernel; on stderr signs of life. Status 0; 1
     where it does not run.
"""
import os
import signal
import subprocess
import sys
import tempfile

from grading.progress import Progress
from grading.results import NoResult, evidence_of, load, look_up

# What is perfect, and the parameters of the device (emulator/base/mi250x.ini) that make it so. A larger L2 would also keep
# what is stored until the timed part is over, which is no gain: with this l2_clean_age about as many lines are left to be
# written then as on the device as it is.
L2, BANDWIDTH, LATENCY, START = ("an L2 that keeps what is read", "endless memory bandwidth", "no latency",
                                 "launches that take no time")
PERFECT = {
    L2: "l2_bytes=134217728 l2_ways=32 l2_unused_ways=0 l2_clean_age=1",
    BANDWIDTH: "hbm_gbs=100000 hbm_row_miss_clk=0",
    LATENCY: "l1_latency_clk=1 l2_latency_clk=1 hbm_latency_clk=1 lds_latency_clk=1 scalar_latency_clk=1 utcl1_miss_clk=0",
    START: "launch_ns=0 group_launch_clk=0 wave_launch_clk=0 wave_start_clk=0",
}
BINDS = {
    L2: "what L2 cannot keep: bytes are fetched from memory more than once",
    BANDWIDTH: "the bandwidth of memory: fewer bytes to and from HBM would make it faster",
    LATENCY: "latency: more waves, or more loads under way in each, would make it faster",
    START: "starting: the launch, its blocks and its waves; more work a thread or a larger grid would hide it",
}
NOTHING_TO_SAVE = ("the bandwidth of memory, and {percent:.0f} % of its bytes are those that must move:\n"
                   "only faster memory helps, or one with fewer pauses (it moved {achieved:.0f} GB/s on average)")
SLOWER = ("Less than 1 x: with other times the waves run on in another order, in which L2 keeps less.\n"
          "So this is nothing that the kernel waits for.")
SAME = 0.03        # up to which two times are told as the same
LEAST_GAIN = 1.05  # below that nothing of these binds alone


class Stop(Exception):
    """Nothing can be said; the sentence says why."""


def run(program, arguments, perfect):
    """The result on such a device."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "result.json")
        done = subprocess.run([program, *arguments], env={**os.environ, "EMULATOR_SET": perfect, "LAB_RESULT_FILE": path},
                              capture_output=True, text=True, errors="replace", check=False)
        try:
            result = load(path)
        except NoResult:
            raise Stop(f"{program} ended with status {done.returncode}:\n{done.stdout}{done.stderr}".rstrip()) from None
    if not result["time_ms"]:
        raise Stop("no time of this launch was modelled (EMULATOR_MODEL=0?), so nothing can be compared")
    return result


def share_needed(result):
    """How much of what moves to and from HBM must move; None where that is not known."""
    parts = [[look_up(result, f"memory.{name}_{figure}") for figure in ("size_gb", "efficiency_percent")]
             for name in ("fetch", "write")]
    if any(None in part for part in parts) or not sum(size for size, _ in parts):
        return None
    return sum(size * percent / 100 for size, percent in parts) / sum(size for size, _ in parts)


def sentence(times, base, result):
    """times: ms by what is perfect; base, result: of the device as it is."""
    best, needed = min(times, key=times.get), share_needed(result)
    if base / times[best] < LEAST_GAIN:
        return ("No one of these binds the kernel alone: what it issues, or two of them together, does. "
                "Fewer instructions would help first.")
    binds = BINDS[best]
    if best == BANDWIDTH and needed and 1 / needed < LEAST_GAIN:
        binds = NOTHING_TO_SAVE.format(percent=100 * needed, achieved=result["memory"]["achieved_bandwidth_gbs"])
    return f"What binds this kernel is {binds}."


def gain(base, time):
    return "same" if abs(base / time - 1) < SAME else f"{base / time:.2f} x"


def table(program, arguments, doing):
    doing("running on the device as it is")
    result = run(program, arguments, "")
    base = result["time_ms"]["median"]
    evidence = evidence_of(result, result["time_evidence"], "time_ms")
    yield (f"{result['source']}, kernel {result['kernel']}, {result['nx']} x {result['ny']} x {result['nz']}"
           + ("" if result["verified"] else "; its result is NOT RIGHT YET"))
    yield f"  {'the device as it is':<30} {base:9.4f} ms          ({evidence})"
    times = {}
    for number, (name, perfect) in enumerate(PERFECT.items(), 1):
        doing(f"running on a device with {name}, {number} of {len(PERFECT)}")
        times[name] = run(program, arguments, perfect)["time_ms"]["median"]
        yield f"  {name:<30} {times[name]:9.4f} ms  {gain(base, times[name]):>6}"
    if any(time > base * (1 + SAME) for time in times.values()):
        yield SLOWER
    yield sentence(times, base, result)


def main():
    program, *arguments = sys.argv[1:]
    with Progress() as progress:
        for line in table(program, arguments, progress.doing):
            progress.clear()
            print(line, flush=True)


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # a reader such as head may leave early
    try:
        main()
    except (Stop, OSError) as stop:
        sys.exit(f"whatif: {stop}")
