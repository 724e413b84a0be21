"""A repository for tests that edit it: its own labs/ and tools/, the rest links to this one.

In:  make_checkout(FOLDER), FOLDER under build/tests; run(FOLDER, COMMAND...).
Out: the folder, built as far as this repository is; the status of the command and all that it said.
"""
import os
import shutil
import subprocess

ROOT = os.getcwd()
COPIED = ("labs", "tools")
LINKED = ("Makefile", "common", "emulator", "grading", "solutions", "tests", "build/common", "build/emulator")


def make_checkout(folder):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(os.path.join(folder, "build"))
    for name in COPIED:
        shutil.copytree(name, os.path.join(folder, name), ignore=shutil.ignore_patterns("__pycache__"))  # others write there
    for name in LINKED:
        os.symlink(os.path.join(ROOT, name), os.path.join(folder, name))
    return folder


def run(folder, *command):
    """As a person would in that folder, whatever make runs above."""
    environment = {key: value for key, value in os.environ.items() if key not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}
    done = subprocess.run(command, cwd=folder, env={**environment, "PWD": os.path.abspath(folder)}, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    return done.returncode, done.stdout
