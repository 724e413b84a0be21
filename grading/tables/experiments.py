"""Runs the small experiments of a lab: two kernels each, before and after one change.

In:  experiments.py DEVICE EXPERIMENT...   (LD_LIBRARY_PATH already set; programs that print a line each, experiment.h)
Out: the table, a line as soon as it is known. Status 1 when one of them is not right.
"""
import subprocess
import sys


def main():
    device, *programs = sys.argv[1:]
    evidence = "modelled" if device == "emulated" else "measured"
    print(f"before -> after (registers to waves compiled, time {evidence}):", flush=True)
    for program in programs:
        if subprocess.run([program, *(["--heading"] if program == programs[0] else [])], check=False).returncode != 0:
            sys.exit(f"{program} failed, see above")


if __name__ == "__main__":
    main()
