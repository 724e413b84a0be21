"""Runs make check's program for each file that has no result yet, several side by side.

In:  files to grade (keeping.py).
Out: the check's result of each, kept as soon as it is there; whatever went wrong is a result with the status "trouble",
     which says nothing about the learner.
"""
import contextlib
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

from grading.classroom.keeping import Kept
from grading.classroom.text import shown_lines
from grading.words import shown
from grading.work import THREADS

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


def has_all(value, wanted):
    return isinstance(value, dict) and all(isinstance(value.get(key), kind) for key, kind in wanted.items())


def whole(result, lab, status):
    """Whether a check wrote what a check writes."""
    return has_all(result, HAS) and result["lab"] == lab and result["status"] == status and \
        0 <= result["points"] <= result["possible"] < math.inf and \
        all(has_all(criterion, CRITERION_HAS) and (criterion["points"] is not None or criterion["verdict"] == "later")
            for criterion in result["criteria"])


@dataclass
class Checks:
    """All checks of a class. device, seed: as the check takes them. launcher: words before its command."""
    kept: Kept
    device: str
    seed: int
    launcher: list
    say: callable  # (item, record) of each result that this run made
    lock: threading.Lock = field(default_factory=threading.Lock)
    running: set = field(default_factory=set)
    stopped: bool = False
    jobs: int = 1

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
        if self.jobs > 1:
            environment[THREADS] = "1"
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
        written = os.path.join(self.kept.out, "running", f"{item.key}.{socket.gethostname()}.{os.getpid()}.json")
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
        self.kept.keep(item, record)
        self.say(item, record)

    def work(self, items):
        """One of JOBS threads: whatever has no result and is not being graded, until all have one."""
        left = list(items)
        while left and not self.stopped:
            for item in left:
                if not self.kept.is_done(item) and not self.stopped:
                    with self.kept.claim(item) as ours:
                        if ours and not self.kept.is_done(item):
                            self.grade_once(item)
            left = [item for item in left if not self.kept.is_done(item)]
            if left:
                time.sleep(POLL_S)

    def grade_all(self, items, jobs):
        """Returns {item: record}."""
        self.jobs = jobs
        with ThreadPoolExecutor(jobs) as pool:
            try:
                workers = [pool.submit(self.work, items) for _ in range(jobs)]
                wait(workers, return_when=FIRST_EXCEPTION)
            finally:
                self.stop()
            for worker in workers:
                worker.result()
        return {item: self.kept.remembered(item) for item in items}

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
