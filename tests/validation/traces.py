"""Launches through the memory model again, with other parameters: a program runs once, and its traces are kept.

In:  jobs of run.py, the programs in build/tests/validation, build/tests/validation/replay, zstd.
Out: build/fit/NAME.zst, the traces, and NAME.json, written last: of which program and emulator they are, and the work that
     the program printed. The same figures as run.launches gives.

Traces depend on the program and on the emulator, but not on the memory model or on its parameters.
"""
import glob
import hashlib
import json
import os
import re
import subprocess

import run

KEPT = "build/fit"
REPLAY = f"{run.BUILT}/replay"
WRITERS = ["emulator/*/*.[ch]", "emulator/*/*.def"]
READERS = r"emulator/(model/|base/parameters\.)"  # what may change without another trace


def name_of(job):
    program, arguments, device = job
    return "-".join([program, *arguments, *([device] if device else [])])


def _path(job, end):
    return f"{KEPT}/{name_of(job)}.{end}"


def writers_hash(program):
    """Of all that decides what a program's traces hold."""
    sources = sorted(path for pattern in WRITERS for path in glob.glob(pattern) if not re.match(READERS, path))
    digest = hashlib.sha256()
    for path in [f"{run.BUILT}/{program}", *sources]:
        digest.update(path.encode() + b"\0")
        with open(path, "rb") as file:
            digest.update(file.read())
    return digest.hexdigest()


def _note(job):
    try:
        with open(_path(job, "json"), encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError):
        return {}


def is_kept(job, writers):
    return _note(job).get("writers") == writers and os.path.exists(_path(job, "zst"))


def _environment(**more):
    return dict({name: value for name, value in os.environ.items() if not name.startswith("EMULATOR_")}, **more)


def _complain(what, status, said):
    raise run.Failure(f"{what} ended with status {status}: {said.strip() or 'it said nothing'}")


def keep(job, writers):
    """Runs the program and packs its traces on the way."""
    program, arguments, device = job
    os.makedirs(KEPT, exist_ok=True)
    if os.path.exists(_path(job, "json")):
        os.remove(_path(job, "json"))
    with open(_path(job, "zst"), "wb") as packed, \
            subprocess.Popen(["zstd", "-q", "-1", "-c"], stdin=subprocess.PIPE, stdout=packed,
                             stderr=subprocess.PIPE) as zstd:
        traces = zstd.stdin.fileno()
        ran = subprocess.run([f"{run.BUILT}/{program}", *arguments], capture_output=True, text=True, pass_fds=[traces],
                             env=_environment(LD_LIBRARY_PATH="build/emulator", EMULATOR_THREADS="1",
                                              EMULATOR_DEVICE=device, EMULATOR_TRACES=f"/dev/fd/{traces}"))
        zstd.stdin.close()
        packing = zstd.stderr.read().decode(errors="replace")
    if zstd.returncode != 0:
        _complain(f"Packing the traces of {name_of(job)} with zstd", zstd.returncode, packing)
    if ran.returncode != 0 or "EMULATOR_TRACES" in ran.stderr:
        _complain(name_of(job), ran.returncode, ran.stderr or ran.stdout)
    work = re.search(r"^work (\S+)$", ran.stdout, re.MULTILINE)
    with open(_path(job, "json"), "w", encoding="utf-8") as file:
        json.dump({"writers": writers, "work": float(work[1]) if work else None}, file)


def read_replayed(text):
    """[{counter: value} of each launch], "time" in ms among them, as run.launches gives them."""
    blocks = [[line.split() for line in block.splitlines()] for block in text.split("\n\n") if block.strip()]
    return [{"time" if name == "time_ms" else name: float(value) for name, value in block} for block in blocks]


def replay(job, parameters):
    """What run.launches gives, from the kept traces, with {name: value} of the device set."""
    settings = " ".join(f"{name}={value:.10g}" for name, value in parameters.items())
    with subprocess.Popen(["zstd", "-dcq", _path(job, "zst")], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as zstd:
        ran = subprocess.run([REPLAY], stdin=zstd.stdout, capture_output=True, text=True,
                             env=_environment(EMULATOR_DEVICE=job[2], EMULATOR_SET=settings))
        zstd.stdout.close()
        unpacking = zstd.stderr.read().decode(errors="replace")
    if ran.returncode != 0:
        _complain(f"Replaying {name_of(job)} with {settings}", ran.returncode, ran.stderr + unpacking)
    if zstd.returncode != 0:
        _complain(f"zstd -d {_path(job, 'zst')}", zstd.returncode, unpacking)
    return read_replayed(ran.stdout), _note(job)["work"]


def size(job):
    """For the order only: the longest replay first."""
    return os.path.getsize(_path(job, "zst"))
