"""Builds lab programs from Python, one for each source and tiling factor.

In:  a .hip file of a lab, m or None for the file's own choice.
Out: the program's path under build/, as the Makefile names it.
"""
import os
import subprocess


def program_path(source, m=None):
    return "build/" + (f"m{m}/" if m else "") + os.path.splitext(source)[0]


def make(target, m=None):
    """Runs make for one target, apart from any make above. Returns (whether it worked, what the compiler said)."""
    environment = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "M")}
    command = ["make", "-s", "--no-print-directory", target] + ([f"M={m}"] if m else [])
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    return done.returncode == 0, done.stderr.rstrip()
