"""Prints a run and the small experiments that belong to its lab. A run of the solution stands among all versions of its
kernel. A learner's does not: those would tell what is to be predicted.

In:  versions.py DEVICE RESULT.json [EXPERIMENT...]   (run from the repository root; LD_LIBRARY_PATH already set)
     RESULT.json        the run; its size and block are taken for all
     labs/NN-name/expected.json     "stages": the versions, which the solution has as steps; sweep.py prints them
     EXPERIMENT         programs that print a line each (experiment.h)
Out: the tables. Status 1 when something does not build or is not right.
"""
import glob
import signal
import subprocess
import sys

from grading.expected import BadExpected, load_expected
from grading.results import NoResult, evidence_of, load, look_up, size_of
from grading.tables.columns import columns_of
from grading.tables.one_run import is_before_the_prediction
from grading.tables.stage_runs import StageRuns, Stop
from grading.tables.sweep import Journey, cells, large_errors, print_heading


def arguments_of(result):
    """What makes the other versions run as this one did."""
    size = [word for option, n in zip(("--nx", "--ny", "--nz"), size_of(result)) for word in (option, str(n))]
    return [*size, "--block", "x".join(map(str, result["block"]))]


def print_own(runs, expected, result):
    over = runs.result(expected["baseline"]["source"], expected["baseline"])
    if result["time_ms"] and over["time_ms"]:
        result["speedup"] = over["time_ms"]["median"] / result["time_ms"]["median"]
    print(f"{expected['lab']}  yours: {result['source']}")
    columns = columns_of(result)
    print(f"  {'yours':<10}" + cells(columns, [look_up(result, column[5]) for column in columns]) + large_errors(result))


def run_experiments(programs, evidence):
    """The first prints the heading, too."""
    print(f"the seven techniques, before -> after (registers to waves compiled, time {evidence}):", flush=True)
    for program in programs:
        if subprocess.run([program, *(["--heading"] if program == programs[0] else [])], check=False).returncode != 0:
            raise Stop(f"{program} failed, see above")


def main():
    device, path, *experiments = sys.argv[1:]
    result = load(path)
    expected = load_expected(result["lab"])
    with StageRuns(device, arguments_of(result)) as runs:
        if is_before_the_prediction(expected, result):
            print_heading(device, columns_of(result))
            print_own(runs, expected, result)
            print(f"  when you have predicted, versions and the published: make sweep LAB={result['lab'][:2]} SRC=solutions")
        else:
            Journey(runs).lab(glob.glob(f"solutions/{result['lab']}/*.hip")[0])
            print_own(runs, expected, result)
    run_experiments(experiments, evidence_of(result, result["time_evidence"], "time_ms") or "unknown")
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # a reader such as head may leave early
    try:
        sys.exit(main())
    except (Stop, NoResult, BadExpected) as stop:
        sys.exit(str(stop))
