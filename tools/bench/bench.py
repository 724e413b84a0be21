"""Wall times on the emulated device: one 512^3 baseline launch beside the same stencil in plain C, and whole programs.

In:  build/solutions/01-baseline/laplacian, build/tools/bench/stencil, .../programs and .../sanitized; LD_LIBRARY_PATH set to
     the emulated device.
Out: the times, without and with the memory model, and sanitized without it, measured one after the other on the same cores,
     their ratios, and what they should be.
"""
import json
import os
import subprocess
import sys
import tempfile

SWEEP = "build/solutions/01-baseline/laplacian"
PROGRAMS = "build/tools/bench/programs"
SANITIZED = "build/tools/bench/sanitized"
SANITIZED_GOAL = 5  # times as long
NAMES = {"shallow_water": "shallow water, 512^2, 100 steps",
         "transpose_naive": "8192^2 transposed and back",
         "transpose_tiled": "the same through LDS",
         "matrix_vector_rows": "32768^2 matrix times vector",
         "matrix_vector_columns": "the same, a block for a row"}
MODES = (("EMULATOR_MODEL=0", "0", 8, 60), ("caches and time", "1", 40, 300))  # goals: times as long, s


def output_of(*command, **environment):
    """What a command prints."""
    return subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, **environment}).stdout


def launch_seconds(**environment):
    """Wall time of the launch that the program verifies, s."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "result.json")
        output_of(SWEEP, "--nz", "512", "--json", path, **environment)
        with open(path, encoding="utf-8") as file:
            return json.load(file)["launch_wall_s"]


def compare_sweeps():
    """One sweep of the published grid, beside plain C."""
    plain = float(output_of("build/tools/bench/stencil"))
    print(f"  {'plain C with OpenMP':34} {plain:9.3f} s")
    bare = 0
    for mode, model, most, _ in MODES:
        seconds = launch_seconds(EMULATOR_MODEL=model)
        bare = bare or seconds
        print(f"  {'emulated device, ' + mode:34} {seconds:9.3f} s   {seconds / plain:.1f} times as long   goal {most}")
    seconds = launch_seconds(EMULATOR_MODEL="0", EMULATOR_SANITIZE="1")
    print(f"  {'EMULATOR_MODEL=0, sanitized':34} {seconds:9.3f} s   {seconds / bare:.1f} times EMULATOR_MODEL=0")


def kernel_seconds(**environment):
    """Processor time of each kernel, s, of launches that each run."""
    output = output_of(SANITIZED, EMULATOR_THREADS="1", EMULATOR_REUSE="0", **environment)
    rows = (line.split() for line in output.splitlines())
    return {name: float(seconds) for name, seconds in rows}


def compare_sanitized():
    """What EMULATOR_SANITIZE=1 costs kernels of several kinds."""
    for mode, model, _, _ in MODES:
        print(f"kernels with EMULATOR_SANITIZE=1, {mode}, processor time (measured), goal {SANITIZED_GOAL} times as long")
        without = kernel_seconds(EMULATOR_MODEL=model)
        for name, seconds in kernel_seconds(EMULATOR_MODEL=model, EMULATOR_SANITIZE="1").items():
            print(f"  {name:34} {seconds:9.3f} s   {seconds / without[name]:.1f} times as long", flush=True)


def main():
    cores = f"wall time on this machine's {len(os.sched_getaffinity(0))} cores (measured)"
    print(f"one sweep of 512 x 512 x 512 doubles, {cores}")
    compare_sweeps()
    compare_sanitized()
    for mode, model, _, most in MODES:
        print(f"whole programs, {mode}, {cores}, goal {most} s")
        for name, words in NAMES.items():
            print(f"  {words:34} {float(output_of(PROGRAMS, name, EMULATOR_MODEL=model)):9.3f} s", flush=True)


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as failure:
        sys.exit(f"the benchmark could not run: {failure}\n{failure.stderr or ''}")
