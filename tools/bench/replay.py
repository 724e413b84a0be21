"""How fast the memory model replays traces, and how much two host threads help.

In:  build/solutions, build/tests/validation/replay; LD_LIBRARY_PATH set to the emulated device.
Out: nanoseconds of the processor for each 64 B line that waves access; wall time of one launch on one host thread and on
     all, without and with the memory model, and their ratio.
"""
import json
import os
import subprocess
import sys
import tempfile

BASELINE = ["build/solutions/01-baseline/laplacian"]
REPLAYED = [("baseline", BASELINE, "32"), ("tiled, nontemporal", ["build/solutions/05-nontemporal/laplacian"], "32"),
            ("sliding window", ["build/solutions/07-sliding-window/derivative"], "16")]
REPLAY = "build/tests/validation/replay"


def run(command, **environment):
    return subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, **environment}).stdout


def print_replays(folder):
    print("replay of traces, one host thread, processor time (measured)")
    for name, program, planes in REPLAYED:
        traces = os.path.join(folder, "traces")
        run([*program, "--nz", planes], EMULATOR_MODEL="1", EMULATOR_TRACES=traces)
        with open(traces, encoding="latin-1") as file:
            rates = subprocess.run([REPLAY, "rate"], check=True, stdin=file, capture_output=True, text=True).stdout
        os.remove(traces)
        words = rates.splitlines()[-1].split()
        lines, seconds = int(words[1]), float(words[5])
        print(f"  {name:34} {1e9 * seconds / lines:9.1f} ns a line, {lines * 1e-6:.1f} million of them")


def launch_seconds(folder, threads, model):
    path = os.path.join(folder, "result.json")
    run([*BASELINE, "--nz", "128", "--json", path], EMULATOR_MODEL=model, EMULATOR_THREADS=str(threads))
    with open(path, encoding="utf-8") as file:
        return json.load(file)["launch_wall_s"]


def print_threads(folder):
    cores = len(os.sched_getaffinity(0))
    print(f"one sweep of 512 x 512 x 128 doubles on one host thread, and on {cores}, wall time (measured)")
    for name, model in (("EMULATOR_MODEL=0", "0"), ("caches and time", "1")):
        one, all_cores = (launch_seconds(folder, threads, model) for threads in (1, cores))
        print(f"  {name:34} {one:9.3f} s   {all_cores:.3f} s   {one / all_cores:.2f} times as fast")


def main():
    with tempfile.TemporaryDirectory() as folder:
        print_replays(folder)
        print_threads(folder)


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as failure:
        sys.exit(f"the benchmark could not run: {failure}\n{failure.stderr or ''}")
