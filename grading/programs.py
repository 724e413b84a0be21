"""Builds lab programs from Python, one for each source and choice at build time, and spells their options.

In:  a .hip file of a lab; what is asked of a run as expected.json spells it: m, r and the like (tools/choices) are chosen at
     build time, kernel, block, layout, window and size at run time. What is not asked for is left to the file.
Out: the program's path under build/, as the Makefile names it; its command line; what tells runs apart.
"""
import contextlib
import fcntl
import os
import subprocess

CHOICES = "tools/choices"
with open(CHOICES, encoding="utf-8") as table:
    ROWS = [row.split()[:4] for row in table if not row.startswith("#")]
BUILD = {variable.lower(): variable for variable, *_ in ROWS}  # key: make's variable
MACROS = {variable.lower(): macro for variable, macro, *_ in ROWS}
BOUNDS = {variable.lower(): (int(least), int(most)) for variable, _, least, most in ROWS}
RUN = {"kernel": "--kernel", "block": "--block", "layout": "--layout", "window": "--window"}


# What the Makefile makes programs for, and where.
PLATFORM = os.environ.get("LAB_PLATFORM", "amd")
PLACE = "build/nvidia" if PLATFORM == "nvidia" else "build"


def program_path(source, asked):
    variant = "".join(f"{key}{asked[key]}/" for key in BUILD if key in asked)
    return f"{PLACE}/{variant}{os.path.splitext(source)[0]}"


def _environment():
    """Ours, without what a make above and its choices left in it."""
    theirs = ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", *BUILD.values())
    return {key: value for key, value in os.environ.items() if key not in theirs}


def ask_make(target):
    """The lines that make prints for a target that only says something."""
    command = ["make", "-s", "--no-print-directory", target]
    return subprocess.run(command, env=_environment(), capture_output=True, text=True, check=True).stdout.splitlines()


def make(targets, asked):
    """Runs make for targets of the same choices, apart from any make above. Returns (whether it worked, what the compiler
    said). One at a time for each program: tests and people may ask for the same one at once."""
    command = ["make", "-s", "--no-print-directory", f"-j{os.cpu_count()}", *targets,
               *(f"{BUILD[key]}={asked[key]}" for key in BUILD if key in asked)]
    with contextlib.ExitStack() as locks:
        for program in sorted({target.removesuffix(".o") for target in targets}):
            os.makedirs(os.path.dirname(program), exist_ok=True)
            lock = locks.enter_context(open(program + ".making", "w", encoding="utf-8"))
            fcntl.flock(lock, fcntl.LOCK_EX)
        done = subprocess.run(command, env=_environment(), capture_output=True, text=True, check=False)
    return done.returncode == 0, done.stderr.rstrip()


def macros(asked):
    """[(macro, value)] of what is chosen at build time."""
    return [(MACROS[key], asked[key]) for key in BUILD if key in asked]


def make_all(wanted):
    """Builds the programs of (source, asked) pairs with as few runs of make as there are choices. What does not build is
    left for the one who needs it, who asks again."""
    by_choice = {}
    for source, asked in wanted:
        by_choice.setdefault(chosen(asked), (asked, set()))[1].add(program_path(source, asked))
    for asked, programs in by_choice.values():
        make(sorted(programs), asked)


def options(asked):
    """The program's command line, without the size if none is asked for."""
    words = [word for key, option in RUN.items() if key in asked for word in (option, str(asked[key]))]
    if "size" in asked:
        words += [word for option, points in zip(("--nx", "--ny", "--nz"), asked["size"]) for word in (option, str(points))]
    return words


def chosen(asked):
    """M=8 and the like, for people; "" where nothing is chosen."""
    return ", ".join(f"{name}={asked[key]}" for key, name in BUILD.items() if key in asked)


def label(asked):
    """kernel.m8 and the like: tells the rows of a lab's tables apart."""
    choices = [f"{key}{asked[key]}" for key in (*BUILD, "layout", "window") if key in asked]
    return ".".join([asked.get("kernel", ""), *choices])


def is_run_of(row, result):
    """Whether a result is of the kernel and the choices of a row of expected.json."""
    found = {"kernel": result["kernel"], "m": result["rows"], "r": result["layout"]["radius"], "window": result["window"],
             "layout": "packed" if result["layout"]["packed"] else "own"}
    wanted = {"m": 1, **row}
    return all(wanted[key] == found[key] for key in found if key in wanted)
