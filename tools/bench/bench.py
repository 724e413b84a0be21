"""Wall time of one 512^3 baseline launch on the emulated device, as a ratio to the same stencil in plain C.

In:  build/solutions/01-baseline/laplacian and build/tools/bench/stencil; LD_LIBRARY_PATH set to the emulated device.
Out: the times, without and with the memory model, and sanitized without it, measured one after the other on the same cores,
     and their ratios.
"""
import json
import os
import subprocess
import sys
import tempfile

PROGRAM = "build/solutions/01-baseline/laplacian"


def launch_seconds(**environment):
    """Wall time of the launch that the program verifies, s."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "result.json")
        subprocess.run([PROGRAM, "--nz", "512", "--json", path], check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, **environment})
        with open(path, encoding="utf-8") as file:
            return json.load(file)["launch_wall_s"]


def main():
    plain = float(subprocess.run(["build/tools/bench/stencil"], check=True, capture_output=True, text=True).stdout)
    print("one sweep of 512 x 512 x 512 doubles, wall time on this machine's "
          f"{len(os.sched_getaffinity(0))} cores (measured)")
    print(f"  plain C with OpenMP                {plain:9.3f} s")
    bare = launch_seconds(EMULATOR_MODEL="0")
    for name, seconds in (("emulated device, EMULATOR_MODEL=0", bare),
                          ("emulated device, caches and time", launch_seconds(EMULATOR_MODEL="1"))):
        print(f"  {name:34} {seconds:9.3f} s   {seconds / plain:.1f} times as long")
    seconds = launch_seconds(EMULATOR_MODEL="0", EMULATOR_SANITIZE="1")
    print(f"  {'EMULATOR_MODEL=0, sanitized':34} {seconds:9.3f} s   {seconds / bare:.1f} times EMULATOR_MODEL=0")


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as failure:
        sys.exit(f"the benchmark could not run: {failure}\n{failure.stderr or ''}")
