"""The same kernel on a device of which one thing is perfect: what binds it is what makes it faster.

In:  whatif.py PROGRAM [ARGUMENT...]   a lab program; the emulated device in LD_LIBRARY_PATH
Out: modelled time for each perfect thing, and one sentence on what binds the kernel; on stderr signs of life. Status 0; 1
     where it does not run.
"""
import os
import subprocess
import sys
import tempfile

from grading.progress import Progress
from grading.results import NoResult, evidence_of, load

# What is perfect, and the parameters of the device (emulator/base/mi250x.ini) that make it so, at the ends of their ranges.
PERFECT = {
    "an L2 that holds 256 MB": "l2_bytes=268435456",
    "endless memory bandwidth": "hbm_gbs=100000 hbm_row_miss_clk=0",
    "no latency": "l1_latency_clk=1 l2_latency_clk=1 hbm_latency_clk=1 lds_latency_clk=1 scalar_latency_clk=1 "
                  "utcl1_miss_clk=0",
    "launches that take no time": "launch_ns=0 group_launch_clk=0 wave_launch_clk=0 wave_start_clk=0",
}
BINDS = {
    "an L2 that holds 256 MB": "what L2 cannot keep: bytes are fetched from memory more than once",
    "endless memory bandwidth": "the bandwidth of memory: fewer bytes to and from HBM would make it faster",
    "no latency": "latency: more waves, or more loads under way in each, would make it faster",
    "launches that take no time": "starting: the launch, its blocks and its waves; more work a thread or a larger grid "
                                  "would hide it",
}
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


def sentence(times, base):
    """times: ms by what is perfect."""
    best = min(times, key=times.get)
    if base / times[best] < LEAST_GAIN:
        return ("No one of these binds the kernel alone: what it issues, or two of them together, does. "
                "Fewer instructions would help first.")
    return f"What binds this kernel is {BINDS[best]}."


def table(program, arguments):
    result = run(program, arguments, "")
    base = result["time_ms"]["median"]
    evidence = evidence_of(result, result["time_evidence"], "time_ms")
    yield (f"{result['source']}, kernel {result['kernel']}, {result['nx']} x {result['ny']} x {result['nz']}"
           + ("" if result["verified"] else "; its result is NOT RIGHT YET"))
    yield f"  {'the device as it is':<30} {base:9.4f} ms          ({evidence})"
    times = {}
    for name, perfect in PERFECT.items():
        times[name] = run(program, arguments, perfect)["time_ms"]["median"]
        yield f"  {name:<30} {times[name]:9.4f} ms  {base / times[name]:5.2f} x"
    yield sentence(times, base)


def main():
    program, *arguments = sys.argv[1:]
    with Progress() as progress:
        progress.doing("running on devices of which one thing is perfect")
        for line in table(program, arguments):
            progress.clear()
            print(line, flush=True)


if __name__ == "__main__":
    try:
        main()
    except (Stop, OSError) as stop:
        sys.exit(f"whatif: {stop}")
