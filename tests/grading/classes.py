"""What the tests of make grade share: folders of submissions, and make grade with the stand-in for its check.

In:  submissions as {entry: {path inside: content}}, or {entry: content} for a file; the environment that make would give.
Out: the finished process; its OUT folder.
"""
import os
import signal
import subprocess
import sys

STANDIN = os.path.abspath("tests/grading/standin_check.py")
DRIVER = """import runpy, sys
from grading.classroom import checks
checks.CHECK = [sys.executable, sys.argv.pop(1)]
{}
runpy.run_module("grading.grade", run_name="__main__", alter_sys=True)"""


def content_of(value):
    return value if isinstance(value, bytes) else value.encode()


def lay_out(folder, entries):
    for entry, content in entries.items():
        for path, data in (content.items() if isinstance(content, dict) else [("", content)]):
            place = os.path.join(os.fsencode(folder), os.fsencode(entry), os.fsencode(path)).rstrip(b"/")
            os.makedirs(os.path.dirname(place), exist_ok=True)
            with open(place, "wb") as file:
                file.write(content_of(data))
        if content == {}:
            os.makedirs(os.path.join(os.fsencode(folder), os.fsencode(entry)), exist_ok=True)


def start(settings, change="", **how):
    """make grade as a process, its check stood in for. settings: what make is told; change: a statement to begin with."""
    environment = {**os.environ, "SEED": "7", **settings}
    # Where the tests run in the background, an interrupt is ignored, and by all that they start.
    return subprocess.Popen([sys.executable, "-c", DRIVER.format(change), STANDIN, "emulated"], env=environment,
                            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **how)


def grade(settings):
    """Returns (status, stdout, stderr)."""
    with start(settings) as process:
        try:
            out, errors = process.communicate(timeout=120)
        finally:
            process.kill()
    return process.returncode, out, errors


def read(*path, mode="r"):
    with open(os.path.join(*path), mode, **({} if "b" in mode else {"encoding": "utf-8"})) as file:
        return file.read()
