"""Runs make check's program once for each different file, side by side, and remembers every result at once.

In:  files to grade, a folder for what is remembered; whether this run or another one, on this machine or elsewhere, made a
     result does not matter: all that run at the same time on the same folder share the work.
Out: a result for each file, kept under what it depends on; "trouble" results, which say nothing about the learner and are
     tried again the next time.
"""
import contextlib
import fcntl
import glob
import hashlib
import json
import math
import os
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass, field

from grading.building import hash_of
from grading.classroom.text import shown, shown_lines, write_whole

CHECK = [sys.executable, "-m", "grading.check"]
# Linux' PR_SET_PDEATHSIG: or the checks of a grader that was killed would run on beside the next one's.
END_WITH_US = [sys.executable, "-c", "import ctypes, os, signal, sys; "
               "ctypes.CDLL(None).prctl(1, signal.SIGTERM); os.execvp(sys.argv[1], sys.argv[1:])"]
LONGEST_S = 3600  # the check has limits of its own; this is for a launcher that never comes back
PATIENCE_S = 10  # between asking a process to end and ending it
POLL_S = 1
ERROR_BYTES = 2000
# The instructor's, and what make tells those below it: no business of a check.
PRIVATE = ("SUBMISSIONS", "ROSTER", "LABS", "JOBS", "LAUNCHER", "OUT", "SEED", "MAKEFLAGS", "MFLAGS", "MAKELEVEL")
NUMBERS = (int, float)
HAS = {"lab": str, "status": str, "points": NUMBERS, "possible": NUMBERS, "criteria": list, "provenance": dict}
CRITERION_HAS = {"name": str, "points": (*NUMBERS, type(None)), "possible": NUMBERS, "verdict": str, "feedback": list}
STATUS_OF_EXIT = {0: "passed", 1: "not yet"}


def tree_hash(paths):
    """Of all files at the paths and below, by name and content."""
    found = hashlib.sha256()
    files = [path for path in paths if os.path.isfile(path)]
    for top in paths:
        for place, folders, names in os.walk(top):
            folders[:] = [name for name in folders if name != "__pycache__"]
            files += [os.path.join(place, name) for name in names]
    for path in sorted(files):
        with open(path, "rb") as file:
            found.update(f"{path}\0{hashlib.sha256(file.read()).hexdigest()}\n".encode("utf-8", "surrogateescape"))
    return found.hexdigest()


def grader_hash():
    """Of all that decides a grade besides the learner's files."""
    grading = [path for path in glob.glob("grading/*") if os.path.basename(path) not in ("classroom", "tables", "grade.py")]
    return tree_hash(["Makefile", "common", "emulator", "tools", *glob.glob("labs/*/expected.json"), *grading,
                      *glob.glob("solutions/*/*.hip")])


def commit():
    with contextlib.suppress(OSError):
        done = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=False)
        return done.stdout.strip()
    return ""


def has_all(value, wanted):
    return isinstance(value, dict) and all(isinstance(value.get(key), kind) for key, kind in wanted.items())


def whole(result, lab, status):
    """Whether a check wrote what a check writes."""
    return has_all(result, HAS) and result["lab"] == lab and result["status"] == status and \
        0 <= result["points"] <= result["possible"] < math.inf and \
        all(has_all(criterion, CRITERION_HAS) and (criterion["points"] is not None or criterion["verdict"] == "later")
            for criterion in result["criteria"])


@dataclass(frozen=True)
class Item:
    """One lab's files, whoever handed them in."""
    key: str  # of the result: all that it depends on
    lab: str
    path: str  # the .hip file, headers beside it
    files: str  # their hash: the beginning of the one in the check's result


def keep_files(out, lab, files):
    """Puts the files where a check finds them. Returns (path of the .hip file, hash)."""
    content = hash_of(files)[:16]
    folder = os.path.join(out, "files", content, lab.name)
    for name, data in files.items():
        path = os.path.join(folder, name)
        with contextlib.suppress(OSError), open(path, "rb") as file:
            if file.read() == data:
                continue
        write_whole(path, data)
    return os.path.join(folder, lab.file), content


@dataclass
class Checks:
    """All checks of a class. device, seed: as the check takes them. launcher: words before its command."""
    out: str
    device: str
    seed: int
    launcher: list
    say: callable  # (item, record) of each result that this run made; say.begin(checks, items) before the first
    jobs: int = 1
    grader: str = field(default_factory=lambda: f"{commit()} {grader_hash()} {os.environ.get('HIPCC_VERSION', '')}")

    def __post_init__(self):
        self.lock, self.claimed, self.running, self.stopped = threading.Lock(), set(), set(), False
        self.again = set()

    def item(self, lab, files):
        path, content = keep_files(self.out, lab, files)
        key = hashlib.sha256(json.dumps([content, lab.name, self.seed, self.device, self.grader]).encode()).hexdigest()
        return Item(key[:32], lab.name, path, content)

    # --- what is remembered ---

    def place(self, item):
        return os.path.join(self.out, "results", f"{item.key}.json")

    def remembered(self, item):
        """The record {"check": result, "seconds": ..., ...}, None if there is none."""
        try:
            with open(self.place(item), encoding="utf-8") as file:
                record = json.load(file)
            return record if record["check"]["lab"] == item.lab else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def is_done(self, item):
        return item.key not in self.again and self.remembered(item) is not None

    def count_done(self, items):
        """By whomever, without opening each."""
        names = os.listdir(os.path.join(self.out, "results")) if items else []
        return len({name.removesuffix(".json") for name in names} & {item.key for item in items} - self.again)

    @contextlib.contextmanager
    def claim(self, item):
        """Whether it is this thread that grades the item. A lock ends with the process that holds it, however that ends.
        Where the file system has no locks, others may do the same work again: results are whole either way."""
        with self.lock:
            ours = item.key not in self.claimed
            self.claimed.add(item.key)
        if not ours:
            yield False
            return
        try:
            path = os.path.join(self.out, "running", f"{item.key}.lock")
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    ours = False
                except OSError:
                    pass
                yield ours
        finally:
            with self.lock:
                self.claimed.discard(item.key)

    # --- one check ---

    def command(self, item):
        return [*self.launcher, *CHECK, self.device, "--seed", str(self.seed), "--lab", item.lab]

    def repeat(self, item):
        """The command for people."""
        library = os.environ.get("LD_LIBRARY_PATH")
        prefix = f"LD_LIBRARY_PATH={shlex.quote(library)} " if library else ""
        return prefix + shlex.join([*self.command(item), item.path])

    def run(self, command, errors):
        """Returns the exit status, None when it ran too long."""
        environment = {key: value for key, value in os.environ.items() if key not in PRIVATE}
        with subprocess.Popen([*END_WITH_US, *command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors,
                              env=environment, start_new_session=True) as process:
            with self.lock:
                self.running.add(process)
            if self.stopped:
                end(process)
            try:
                return process.wait(LONGEST_S)
            except subprocess.TimeoutExpired:
                end(process)
                return None
            finally:
                with self.lock:
                    self.running.discard(process)

    def grade(self, item):
        """Returns the check's result; whatever goes wrong is one with the status "trouble"."""
        written = os.path.join(self.out, "running", f"{item.key}.{socket.gethostname()}.{os.getpid()}.json")
        with contextlib.suppress(FileNotFoundError):  # of an earlier process of this number, which was killed
            os.unlink(written)
        with tempfile.TemporaryFile() as errors:
            status = self.run([*self.command(item), "--json", written, item.path], errors)
            errors.seek(max(0, errors.tell() - ERROR_BYTES))
            said = shown_lines(errors.read().decode(errors="replace")).strip()
        try:
            with open(written, encoding="utf-8") as file:
                result = json.load(file)
            os.unlink(written)
        except (OSError, ValueError):
            result = None
        if status in STATUS_OF_EXIT and whole(result, item.lab, STATUS_OF_EXIT[status]):
            return result
        sentence = result.get("trouble") if status == 2 and isinstance(result, dict) else None
        return {"lab": item.lab, "status": "trouble", "trouble": shown(sentence or why_no_result(status, said))}

    def grade_once(self, item):
        began = time.time()
        result = self.grade(item)
        if self.stopped:
            return
        record = {"check": result, "seconds": round(time.time() - began, 1), "host": socket.gethostname(),
                  "finished": time.strftime("%Y-%m-%d %H:%M:%S")}
        write_whole(self.place(item), json.dumps(record, indent=1))
        self.again.discard(item.key)
        self.say(item, record)

    # --- all of them ---

    def work(self, items):
        """One of JOBS threads: whatever has no result and is not being graded, until all have one."""
        left = list(items)
        while left and not self.stopped:
            for item in left:
                if not self.is_done(item) and not self.stopped:
                    with self.claim(item) as ours:
                        if ours and not self.is_done(item):
                            self.grade_once(item)
            left = [item for item in left if not self.is_done(item)]
            if left:
                time.sleep(POLL_S)

    def grade_all(self, items):
        """{item: record}"""
        os.makedirs(os.path.join(self.out, "results"), exist_ok=True)
        earlier = {item: self.remembered(item) for item in items}
        self.again = {item.key for item, record in earlier.items() if record and record["check"]["status"] == "trouble"}
        self.say.begin(self, items)
        with ThreadPoolExecutor(self.jobs) as pool:
            workers = [pool.submit(self.work, items) for _ in range(self.jobs)]
            try:
                wait(workers, return_when=FIRST_EXCEPTION)
            finally:
                self.stop()
            for worker in workers:
                worker.result()
        return {item: self.remembered(item) for item in items}

    def stop(self):
        self.stopped = True
        with self.lock:
            running = list(self.running)
        for process in running:
            end(process)


def end(process):
    """Asks, so that a launcher can cancel what it started elsewhere; then ends it."""
    for by in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, by)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(PATIENCE_S)


def why_no_result(status, said):
    last = said.splitlines()[-1] if said else "it said nothing"
    if status is None:
        return f"The check was ended after {LONGEST_S} s."
    if status < 0:
        return f"The check was ended by signal {-status} ({signal.strsignal(-status)}): {last}"
    if status in STATUS_OF_EXIT:
        return f"The check ended with status {status} but wrote no whole result: {last}"
    return f"The check ended with status {status}: {last}"
