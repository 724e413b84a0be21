"""Wall time of one 512^3 baseline launch on the emulated device, as a ratio to the same stencil in plain C.

In:  build/solutions/01-baseline/laplacian and build/tools/bench/stencil; LD_LIBRARY_PATH set to the emulated device.
Out: the times, without and with the memory model, measured one after the other on the same cores, and their ratios.
"""
import json
import os
import subprocess
import sys
import tempfile

PROGRAM = "build/solutions/01-baseline/laplacian"


def launch_seconds(model):
    """Wall time of the launch that the program verifies, s."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "result.json")
        subprocess.run([PROGRAM, "--nz", "512", "--json", path], check=True, stdout=subprocess.DEVNULL,
                       env=dict(os.environ, EMULATOR_MODEL=model))
        with open(path, encoding="utf-8") as file:
            return json.load(file)["launch_wall_s"]


def main():
    plain = float(subprocess.run(["build/tools/bench/stencil"], check=True, capture_output=True, text=True).stdout)
    print("one sweep of 512 x 512 x 512 doubles, wall time on this machine's "
          f"{len(os.sched_getaffinity(0))} cores (measured)")
    print(f"  plain C with OpenMP                {plain:9.3f} s")
    for name, model in (("emulated device, EMULATOR_MODEL=0", "0"), ("emulated device, caches and time", "1")):
        seconds = launch_seconds(model)
        print(f"  {name:34} {seconds:9.3f} s   {seconds / plain:.1f} times as long")


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as failure:
        sys.exit(f"the benchmark could not run: {failure}\n{failure.stderr or ''}")
