"""Runs a lab's source for a grade: in a sandbox the launcher says what it would launch, and a process without the learner's
code launches that, verifies and counts (grading/launches/).

In:  a .hip file, what is asked of the run (programs.py), a size and a seed.
Out: the result (results.py), with the emulated device's report on loads and stores as "accesses". NotYet: the learner's
     program cannot be graded further. GraderTrouble: the grade would say nothing about the learner.
"""
import concurrent.futures
import dataclasses
import functools
import glob
import os
import re
import shlex
import signal
import tempfile

from grading.accesses import read_accesses
from grading.building import LAUNCHES, build, must_have_room, place_of
from grading.programs import chosen, options
from grading.results import NoResult, load
from grading.sandbox import Limits, Stop, crowded, library_path, run
from grading.sanity import implausible
from grading.statuses import NOT_THE_KERNELS, GraderTrouble, NotYet, Status
from grading.words import quoted, shown
from grading.work import Work

RECORDING = Limits(seconds=10, memory_bytes=4 << 30, file_bytes=64 << 20, forks=False)
REPLAY_BYTES = 16 << 30     # host memory of the emulated device and of verification
REPLAY_FILE_BYTES = 1 << 30
FAR_SECONDS = 60
# Instructions of a wavefront after which the emulated device gives up. The labs' take some thousands; one that computed all
# points of a graded run alone would take four million.
BUDGET = 10_000_000
ONE_SIZE = "1:1:1:1"        # grading/launches/sizes.h
FAR = "far"                 # grading/launches/far.h: a part of this grid, whose third plane begins at element 2^31
FAR_SIZE = [1 << 14, 1 << 16, 5]
CONTROL_SIZE = [1 << 14, 1 << 13, 5]  # the same part of a grid that 32 bits do count
FIRST_CHECK, LAST_CHECK = "0", "1"  # common/families/family.h


def sizes_of(wanted):
    """For a run of all sizes in its ranges: how many, the first, and the step of ny: of whole tiles where there are any."""
    (nx, nx_end), (ny, ny_end), (nz, nz_end) = (wanted[direction] for direction in ("nx", "ny", "nz"))
    step = int(wanted["block"].split("x")[1]) * wanted["m"] if "m" in wanted else 1
    return f"{nx_end - nx + 1}:{step}:{(ny_end - ny) // step + 1}:{nz_end - nz + 1}", [nx, ny, nz]


def where_of(asked, size):
    """The run, for people: the grid, and what was chosen about the kernel."""
    choices = [f"{key} {asked[key]}" for key in ("kernel", "block", "layout", "window") if key in asked]
    return ", ".join([f"{size[0]} x {size[1]} x {size[2]}", *choices, *([chosen(asked)] if chosen(asked) else [])])


def arguments_of(asked, size, seed):
    return [*options({**asked, "size": size}), "--seed", str(seed)]


def repeat_command(device, lab, source, asked, size, seed):
    """The one line that makes the same run again, outside the grader; of a file that make does not know, the same check."""
    folder, arguments = os.path.dirname(source), " ".join(arguments_of(asked, size, seed))
    choices = chosen(asked).split(", ") if chosen(asked) else []
    room, _, name = folder.rpartition("/")
    if room in ("labs", "solutions", "beyond") and len(glob.glob(f"{folder}/*.hip")) == 1:
        named = [f"LAB={name.split('-')[0]}", *([f"SRC={room}"] if room != "labs" else []), f"DEVICE={device}"]
        return " ".join(["make run", *named, *choices, f'ARGS="{arguments}"'])
    return f"python3 -m grading.check {device} --lab {lab} --seed {seed} {shown(shlex.quote(source))}"


def _record(built, sizes, arguments, lists, where, stop):
    """Lets the launcher write down what it would launch. lists: an open file."""
    library = os.path.abspath("build/emulator")
    recorder, facts = os.path.abspath(built.recorder), os.path.abspath(built.facts)
    ended = run([recorder, facts, str(lists.fileno()), sizes, *arguments], os.getcwd(), RECORDING,
                {"LD_LIBRARY_PATH": library_path(library), "OMP_NUM_THREADS": "1"},
                readable={path: path for path in (library, recorder, facts)}, descriptors=[lists.fileno()], stop=stop)
    trouble = ended.sentence(RECORDING)
    if trouble and ended.status == -signal.SIGSEGV:
        trouble += "; the pointers it gets are for kernels, and the host may not read or write through them"
    if trouble:
        raise NotYet(f"{where} the launcher {trouble}\n{quoted(ended.said)}".rstrip())
    if ended.status == Status.DEVICE_TROUBLE:
        must_have_room()
    if ended.status != Status.VERIFIED:
        raise NotYet(f"{where} the launcher ended the program with status {ended.status}\n{quoted(ended.said)}".rstrip())


def _environment(device, accesses):
    kept = {"PATH": os.environ.get("PATH", ""), "OMP_WAIT_POLICY": "passive"}
    kept.update((name, os.environ[name]) for name in ("HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES") if name in os.environ)
    if device != "emulated":
        return {**os.environ, **kept}
    return {**kept, "LD_LIBRARY_PATH": library_path(os.path.abspath("build/emulator")),
            "EMULATOR_INSTRUCTION_BUDGET": str(BUDGET), "EMULATOR_PROGRESS": "0", **accesses}


@dataclasses.dataclass(frozen=True)
class Replay:
    """What replay is to launch, and for what lab."""
    source: str
    built: object
    lists: str
    sizes: str
    first: str    # check to make
    family: list  # name, axis, radius


def _command(replay, arguments):
    """What runs replay, and what it reads."""
    built = replay.built
    files = [os.path.abspath(name) for name in (f"{LAUNCHES}/replay", built.facts, built.code, replay.lists)]
    return [files[0], replay.source, *files[1:], replay.sizes, replay.first, *replay.family, *arguments], \
        {name: name for name in (*files, os.path.abspath("build/emulator"))}


def _replay_far(replay, arguments, where, stop):
    """(whether the kernel is right, None where no part could be made; what was said of one that is wrong)"""
    command, readable = _command(replay, arguments)
    limits = Limits(FAR_SECONDS, REPLAY_BYTES, REPLAY_FILE_BYTES)
    ended = run(command, os.getcwd(), limits, _environment("emulated", {"EMULATOR_MODEL": "0"}), readable=readable,
                stop=stop)
    if ended.status == Status.VERIFIED:
        return "right" in ended.said.split() or None, ""
    if ended.status in (Status.NOT_RIGHT, Status.KERNEL_FAULT):
        return False, quoted(ended.said, 6)
    raise GraderTrouble(f"{where} {ended.sentence(limits) or 'the program could not be run'}:\n{quoted(ended.said)}")


# What a kernel did, by what the device's error is called behind "hipError" or "cudaError" (common/device.c says it).
FAULTS = {"IllegalAddress": "the kernel reads or writes where no array is", "LaunchTimeOut": "the kernel does not end",
          "LaunchTimeout": "the kernel does not end"}


def what_failed(ended):
    """Of a replay that blames the learner: the kernel while it ran, or how it was to be launched."""
    found = re.search(r"the device failed while running the kernel: .*?(?:hip|cuda)Error(\w+)\)?$", ended.said.rstrip())
    if ended.status == Status.KERNEL_FAULT and found:
        return FAULTS.get(found[1], "the kernel did what none may")
    return "the launches cannot be made as the launcher asks for them"


def _replay(device, replay, arguments, where, timeout_s, stop):
    """Returns the result."""
    with tempfile.TemporaryDirectory(dir="build") as folder:
        path, accesses = (os.path.join(os.path.abspath(folder), name) for name in ("result.json", "accesses.csv"))
        # Of all small sizes only what is computed counts, and whether one may rely on it; of one the figures, too.
        counting = {"EMULATOR_LINES": accesses, "EMULATOR_SANITIZE": "2"}
        if replay.sizes != ONE_SIZE:
            counting = {"EMULATOR_MODEL": "0", "EMULATOR_SANITIZE": "1", "OMP_NUM_THREADS": "1"}
        limits = Limits(timeout_s, REPLAY_BYTES if device == "emulated" else 0, REPLAY_FILE_BYTES)
        command, readable = _command(replay, arguments)
        ended = run([*command, "--json", path], os.getcwd(), limits, _environment(device, counting), readable=readable,
                    writable=[os.path.abspath(folder)], inside=device == "emulated", stop=stop)
        if ended.timed_out:
            many = "" if replay.sizes == ONE_SIZE else \
                (", or for a launch of many more threads than so small a grid has points: this run launches once for each "
                 "size")
            raise NotYet(f"{where} the kernel {ended.sentence(limits)}{many}{crowded()}")
        if ended.status < 0 or ended.status in NOT_THE_KERNELS:
            must_have_room()
            what = "the emulated device met something it cannot do yet" if ended.status == Status.EMULATOR_GAP else \
                f"the run {ended.sentence(limits)}" if ended.status < 0 else "the program could not be run"
            raise GraderTrouble(f"{where} {what}:\n{quoted(ended.said)}")
        if ended.status not in (Status.VERIFIED, Status.NOT_RIGHT):
            raise NotYet(f"{where} {what_failed(ended)}:\n{quoted(ended.said)}")
        try:
            result = load(path)
        except NoResult as why:
            raise GraderTrouble(f"{where} {why}") from None
        result["accesses"] = read_accesses(accesses, result["launches"])
    return result


class Builds:
    """Objects of a check, compiled side by side and ahead of their runs. Each choice is built once, so that all runs of a
    choice are of one object, and what does not build is compiled once. Its threads make the runs, too."""

    def __init__(self, folder):
        self.folder, self.begun, self.work = folder, {}, Work()

    def begin(self, source, lab, asked):
        key = (source, chosen(asked))
        if key not in self.begun or self.begun[key].cancelled():
            self.begun[key] = self.work.begin(build, source, place_of(source, lab), asked, self.folder)
        return self.begun[key]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.work.end()


class Run:
    """A run that was asked for: a task for the threads, once what it needs is built. compiling, running: what is being
    done, for people."""

    def __init__(self, task, work, needs, compiling, running, doing):
        self.task, self.work, self.needs = task, work, needs
        self.compiling, self.running, self.doing, self.future = compiling, running, doing, None

    def begin(self):
        self.future = self.future or self.work.begin(self.task, after=self.needs[0])

    def cancel(self):
        for future in filter(None, (self.needs[0], self.future)):
            future.cancel()

    def result(self):
        self.doing(self.compiling)
        concurrent.futures.wait(self.needs)
        self.doing(self.running)
        self.begin()
        return self.future.result()


class Runs:
    """The runs of one grade, each made once. On the emulated device they are made side by side, from when they are asked
    for on. On a real one each is made when somebody waits for its result, and nothing runs beside one that is timed. doing:
    told what is being done."""

    def __init__(self, device, lab, expected, builds, doing=lambda what: None):
        self.device, self.lab, self.expected, self.builds, self.doing = device, lab, expected, builds, doing
        self.begun, self.stop = {}, Stop()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for begun in self.begun.values():
            begun.cancel()
        self.stop.now()

    def family(self, asked):
        axes = self.expected.get("axis", {"": "-"})
        axis = axes.get(asked.get("kernel"), next(iter(axes.values())))
        return [self.expected["family"], axis, str(asked.get("r", self.expected.get("radius", 0)))]

    def all_sizes(self, source, wanted, seed):
        """The result of the first size in the ranges that is not right, else of the last one."""
        sizes, first = sizes_of(wanted)
        asked = {key: value for key, value in wanted.items() if key not in ("nx", "ny", "nz")}
        return self._run(self._launch, source, asked, first, sizes, seed, FIRST_CHECK)

    def fresh(self, source, asked, size, seed):
        """A run's result, right or wrong."""
        return self._run(self._launch, source, asked, size, ONE_SIZE, seed, FIRST_CHECK)

    def figures(self, source, asked, size, seed):
        """The same of the input alone that the figures are of."""
        return self._run(self._launch, source, asked, size, ONE_SIZE, seed, LAST_CHECK)

    def far(self, source, asked):
        """Whether a part of a grid that 32 bits do not count came out right. NotYet where an index of the kernel overflows
        there. The part is made for a lab's usual shares of blocks and threads. A kernel that shares the work out otherwise
        fails on the control grid, too, and is not judged."""
        return self._run(self._far, source, asked, FAR_SIZE)

    def _run(self, make, source, asked, size, *how):
        where = where_of(asked, size)
        key = (make.__name__, source, where, *how)
        if key not in self.begun:
            emulated, built = self.device == "emulated", self.builds.begin(source, self.lab, asked)
            needs = [built] if emulated or LAST_CHECK not in how else [built, *self.builds.begun.values()]
            compiling = f"compiling {shown(os.path.basename(source))}{' with ' + chosen(asked) if chosen(asked) else ''}"
            self.begun[key] = Run(functools.partial(make, built, source, asked, size, *how), self.builds.work, needs,
                                  compiling, f"running {where}", self.doing)
            if emulated:
                self.begun[key].begin()
        return self.begun[key]

    def _beside(self):
        """How many runs share the cores, and so how many times as long one may take."""
        return len(self.builds.work.threads) if self.device == "emulated" else 1

    def _launch(self, built, source, asked, size, sizes, seed, first):
        where = f"at {where_of(asked, size)}" + (" and on" if sizes != ONE_SIZE else "")
        try:
            with tempfile.NamedTemporaryFile(dir=self.builds.folder) as lists:
                _record(built.result(), sizes, arguments_of(asked, size, 0)[:-2], lists, where, self.stop)
                replay = Replay(place_of(source, self.lab), built.result(), lists.name, sizes, first, self.family(asked))
                result = _replay(self.device, replay, arguments_of(asked, size, seed), where,
                                 self.expected["timeout_s"] * self._beside(), self.stop)
            if not result["launches"]:
                raise NotYet(f"{where} no kernel was launched: the kernel itself must do the work")
            why = implausible(result) if result["verified"] and sizes == ONE_SIZE else None
            if why:
                raise NotYet(f"{where} {why}")
        except NotYet as why:  # which may be of an object, and so of all its runs
            raise NotYet(str(why), why.command or self.repeat(source, asked, size, seed)) from None
        return result

    def _part(self, built, source, asked, size):
        """What comes out of the part of this grid that is run, as _replay_far has it."""
        where = f"at {where_of(asked, size)}"
        with tempfile.NamedTemporaryFile(dir=self.builds.folder) as lists:
            _record(built.result(), ONE_SIZE, arguments_of(asked, size, 0)[:-2], lists, where, self.stop)
            replay = Replay(place_of(source, self.lab), built.result(), lists.name, FAR, LAST_CHECK, self.family(asked))
            return _replay_far(replay, arguments_of(asked, size, 1), where, self.stop)

    def _far(self, built, source, asked, size):
        is_right, said = self._part(built, source, asked, size)
        if is_right is False and self._part(built, source, asked, CONTROL_SIZE)[0]:
            raise NotYet(f"On a grid of {where_of(asked, size)}, of which some rows are run, an index is too small: "
                         f"from plane 2 on an offset is 2^31 or more. Compute it as size_t: (size_t)slice * k.\n{said}")
        return is_right is True

    def repeat(self, source, asked, size, seed):
        return repeat_command(self.device, self.lab, source, asked, size, seed)
