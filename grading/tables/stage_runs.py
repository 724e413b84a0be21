"""Runs the stages of labs, each once. On the emulated device they run side by side, since no figure there depends on what
runs beside it; on a real GPU one after another.

In:  a source and a stage of its lab's expected.json; the size to run at, if it is not the program's own
Out: the stage's result, also in build/results/stages/*.json; Stop where a stage does not build, fails or is not right
"""
import concurrent.futures
import os
import subprocess
import threading

from grading.programs import chosen, label, make, options, program_path
from grading.progress import Progress, beside_a_line
from grading.results import load

RESULTS = "build/results/stages"
RUN_BYTES = 2.5e9  # of the host's memory, by one run of 512 x 512 x 512 points: two grids of doubles and what checks them


class Stop(Exception):
    """A stage could not be run; the sentence says why."""


def free_bytes():
    """The memory that this machine can still give out; without end where nobody says."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration):
        return float("inf")


class StageRuns:
    def __init__(self, device, arguments, progress=None):
        self.device, self.arguments, self.progress = device, arguments, progress or Progress()
        cores = len(os.sched_getaffinity(0))
        beside = int(max(1, min(cores, free_bytes() // RUN_BYTES))) if device == "emulated" else 1
        self.environment = {"EMULATOR_THREADS": str(max(1, cores // beside)), **beside_a_line()}
        self.pool = concurrent.futures.ThreadPoolExecutor(beside)
        self.begun, self.running, self.stopped, self.lock = {}, set(), False, threading.Lock()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        """Ends what still runs: nobody waits for it any more."""
        self.pool.shutdown(wait=False, cancel_futures=True)
        with self.lock:
            self.stopped = True
            for program in self.running:
                program.kill()

    def begin(self, source, stage):
        """The future result of a stage, which runs as soon as those begun before leave room: the same to all who ask."""
        key = (source, label(stage), stage.get("block"))
        if key not in self.begun:
            self.begun[key] = self.pool.submit(self._run, source, stage)
        return self.begun[key]

    def result(self, source, stage):
        run = self.begin(source, stage)
        if not run.done():
            self.progress.doing(f"running {source} {label(stage)}")
        return run.result()

    def _run(self, source, stage):
        """Builds and runs one stage."""
        program = program_path(source, stage)
        worked, said = make([program], stage)
        if not worked:
            raise Stop(f"{source} does not build{f' with {chosen(stage)}' if chosen(stage) else ''}:\n{said}")
        os.makedirs(RESULTS, exist_ok=True)
        names = [*source.split("/")[-3:-1], label(stage), *([stage["block"]] if "block" in stage else [])]
        path = f"{RESULTS}/{'.'.join(names)}.json"
        command = [program, *options(stage), "--json", path, *self.arguments]
        status, said = self._execute(command)
        if status != 0:
            raise Stop(f"{' '.join(command)} ended with status {status}:\n{said.rstrip()}")
        return load(path)

    def _execute(self, command):
        with self.lock:
            if self.stopped:
                return None, "it was not begun, because another run failed"
            program = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=self.environment)
            self.running.add(program)
        with program:
            said, _ = program.communicate()
        with self.lock:
            self.running.discard(program)
        return program.returncode, said
