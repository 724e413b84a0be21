"""Builds a lab's source for a grade and runs it: a process of its own, with a time limit, and a result that is checked.

In:  a .hip file, what is asked of the run (programs.py), a size and a seed.
Out: the result that the program wrote (results.py). NotYet: the learner's program cannot be graded further. GraderTrouble:
     the grade would say nothing about the learner. Whose fault it was is the program's exit status.
"""
import glob
import os
import signal
import subprocess
import tempfile

from grading.accesses import read_accesses
from grading.gate import refusals
from grading.programs import chosen, make, options, program_path
from grading.references import remembered
from grading.results import NoResult, load
from grading.statuses import NOT_THE_KERNELS, Status


class NotYet(Exception):
    """Why, and the command that repeats the run if one was made."""

    def __init__(self, why, command=None):
        super().__init__(why)
        self.command = command


class GraderTrouble(Exception):
    """Why nothing can be said about the learner's program."""


def build(source, asked):
    """Compiles, applies the gate, links. Returns the program."""
    program = program_path(source, asked)

    def made(target):
        worked, said = make([target], asked)
        if not worked:
            choice = f" with {chosen(asked)}" if chosen(asked) else ""
            raise NotYet(f"{source} does not build{choice}; the compiler says:\n{said}")

    made(program + ".o")
    refused = refusals(program + ".o")
    if refused:
        raise NotYet(f"{source} was refused before it ran: {refused[0]}")
    made(program)
    return program


def where_of(asked, size):
    """The run, for people: the grid, and what was chosen about the kernel."""
    choices = [f"{key} {asked[key]}" for key in ("kernel", "block", "layout", "window") if key in asked]
    return ", ".join([f"{size[0]} x {size[1]} x {size[2]}", *choices, *([chosen(asked)] if chosen(asked) else [])])


def arguments_of(asked, size, seed):
    return [*options({**asked, "size": size}), "--seed", str(seed)]


def repeat_command(device, source, asked, size, seed):
    """The one line that makes the same run again, outside the grader."""
    folder, arguments = os.path.dirname(source), " ".join(arguments_of(asked, size, seed))
    choices = chosen(asked).split(", ") if chosen(asked) else []
    room, _, lab = folder.rpartition("/")
    if room in ("labs", "solutions") and len(glob.glob(f"{folder}/*.hip")) == 1:
        named = [f"LAB={lab.split('-')[0]}", *(["SRC=solutions"] if room == "solutions" else []), f"DEVICE={device}"]
        return " ".join(["make run", *named, *choices, f'ARGS="{arguments}"'])
    program = program_path(source, asked)
    library = "LD_LIBRARY_PATH=build/emulator " if device == "emulated" else ""
    return f"{' '.join(['make -s', program, *choices])} && {library}{program} {arguments}"


def finish(process, timeout_s):
    """What the program said on stderr; None when it had to be stopped."""
    try:
        return process.communicate(timeout=timeout_s)[1].rstrip()
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return None


def run(program, arguments, where, timeout_s):
    """Runs the program in a process group of its own. Returns the result it wrote, with the emulated device's report
    on the last launch's loads and stores as "accesses"."""
    with tempfile.TemporaryDirectory() as folder:
        path, accesses = os.path.join(folder, "result.json"), os.path.join(folder, "accesses.csv")
        process = subprocess.Popen([program, *arguments, "--json", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, errors="replace", start_new_session=True,
                                   env={**os.environ, "EMULATOR_LINES": accesses})
        errors, status = finish(process, timeout_s), process.returncode
        if errors is None:
            raise NotYet(f"{where} the program was still running after {timeout_s} s; look for a loop that does not end")
        if status < 0:
            raise NotYet(f"{where} the program was ended by {signal.Signals(-status).name}\n{errors}")
        if status in NOT_THE_KERNELS:
            what = "the emulated device met something it cannot do yet" if status == Status.EMULATOR_GAP else \
                "the program could not be run"
            raise GraderTrouble(f"{where} {what}:\n{errors}")
        try:
            result = load(path)
        except NoResult:
            raise NotYet(f"{where} the program ended with status {status} and without a result\n{errors}") from None
        result["accesses"] = read_accesses(accesses)
    return result


class Runs:
    """The runs of one grade: each choice is built once, so that all runs of a choice are of one program, and each of the
    criteria's runs is made once."""

    def __init__(self, device, timeout_s):
        self.device, self.timeout_s = device, timeout_s
        self.programs, self.results = {}, {}

    def program(self, source, asked):
        key = (source, chosen(asked))
        if key not in self.programs:
            self.programs[key] = build(source, asked)
        return self.programs[key]

    def reference(self, source, asked, size, seed):
        """A result of a file that is not graded but compared to. Times on a real device are measured anew."""
        if self.device != "emulated":
            return self.fresh(source, asked, size, seed)
        return remembered(self.program(source, asked), arguments_of(asked, size, seed),
                          lambda: self.fresh(source, asked, size, seed))

    def fresh(self, source, asked, size, seed):
        """A run's result, right or wrong, that is of the grid and seed asked for."""
        where = f"at {where_of(asked, size)}"
        try:
            result = run(self.program(source, asked), arguments_of(asked, size, seed), where, self.timeout_s)
            wanted = {"nx": size[0], "ny": size[1], "nz": size[2], "seed": seed}
            if any(result[key] != value for key, value in wanted.items()):
                raise NotYet(f"{where} the result is not for the grid and seed that were asked for")
            if result["device"] == "emulated" and not result["counters"]:
                raise NotYet(f"{where} no kernel was launched: the kernel itself must do the work")
        except NotYet as why:
            why.command = self.repeat(source, asked, size, seed)
            raise
        return result

    def repeat(self, source, asked, size, seed):
        return repeat_command(self.device, source, asked, size, seed)
