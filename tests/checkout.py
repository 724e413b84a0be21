"""A repository of its own for tests that break or add a lab.

In:  the repository root as the working directory
Out: a folder whose labs/, solutions/ and tests/submissions/ are copies; the rest are links, of build/ what all labs share.
"""
import contextlib
import os
import shutil
import tempfile

COPIED = ("labs", "solutions", "tests/submissions")
SHARED = ("common", "emulator", "grading")  # of build/


@contextlib.contextmanager
def checkout():
    """The folder, which is the working directory meanwhile."""
    root = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        for room in COPIED:
            shutil.copytree(room, os.path.join(folder, room))
        os.mkdir(os.path.join(folder, "build"))
        inner = [*(f"tests/{name}" for name in os.listdir("tests")), *(f"build/{name}" for name in SHARED)]
        for name in [*os.listdir("."), *inner]:
            if not os.path.lexists(os.path.join(folder, name)) and not name.startswith(".git"):
                os.symlink(os.path.join(root, name), os.path.join(folder, name))
        os.chdir(folder)
        try:
            yield folder
        finally:
            os.chdir(root)
