"""Prints one run's result beside the published figures.

In:  one_run.py RESULT.json                (written by a lab program; report.h has the schema)
     labs/NN-name/expected.json              (the published figures and their source; the solution's, recorded)
Out: the table, every number with its evidence level. Where the published figures would tell what is to be predicted, a
     sentence in its place: the program itself has printed ours.
"""
import signal
import sys

from grading.expected import BadExpected, load_expected
from grading.programs import is_run_of
from grading.results import NoResult, evidence_of, load, look_up, size_of
from grading.tables.columns import rows_of
from grading.words import columns, fitted


def print_fitted(text):
    print("\n".join(fitted(text, columns(), 4)))


def show(value):
    if value is None:
        return "-"
    return f"{value:.0f}" if float(value).is_integer() else f"{value:.4g}"


def print_recorded(expected, result):
    """What the solution was recorded with at the published size, if it was."""
    size = expected["published"]["size"]
    print("  * is of " + " x ".join(map(str, size)) + ": compare the rows without *, or run that size with "
          f"ARGS=\"--nz {size[2]}\"")
    for ours in expected["ours"]:
        if "time_ms" in ours and "step" not in ours and ours["size"] == size and is_run_of(ours, result):
            print_fitted(f"    recorded there for the solution: FETCH_SIZE {ours['fetch_size_gb']} GB, WRITE_SIZE "
                         f"{ours['write_size_gb']} GB, {ours['time_ms']} ms "
                         f"({evidence_of(result, ours['evidence'], 'time_ms')})")


def is_before_the_prediction(expected, result):
    """Whether the published figures would tell a learner what is to be predicted."""
    return "predictions" in expected and result["source"].startswith("labs/")


def published_figures(expected, result):
    """Those of the stage that the result is a run of, {} if none was published."""
    radius = result["layout"]["radius"]
    if expected["published"].get("radius", radius) != radius:
        return {}
    return next((stage["published"] for stage in expected["stages"] if is_run_of(stage, result)), {})


def print_result(result):
    """A head line, then row, ours, evidence, published."""
    expected = load_expected(result["lab"])
    if is_before_the_prediction(expected, result):
        steps = " SRC=solutions" if any("step" in stage for stage in expected["stages"]) else ""
        print(f"published figures, once you have predicted: make sweep LAB={result['lab'][:2]}{steps}")
        return
    published = published_figures(expected, result)
    state = "verified" if result["verified"] else "NOT VERIFIED"
    print_fitted(f"{result['lab']}  {result['source']} on {result['device']} ({result['device_name']}), "
                 f"{result['nx']} x {result['ny']} x {result['nz']}: {state}, {result['points_checked']} points")
    print(f"  {'':<28}{'ours':>10}  {'evidence':<18}{'published':>10}")
    other_size = size_of(result) != expected["published"]["size"]
    for row, key, path, evidence, grows in rows_of(result):
        ours = look_up(result, path)
        level = evidence_of(result, evidence if isinstance(evidence, str) else look_up(result, evidence), path)
        theirs = published.get(key)
        if key == "percent_of_target" and result["time_ms"] and ours is None:
            continue  # the target is another device's
        mark = " *" if grows and other_size and theirs is not None else ""
        print(f"  {row:<28}{show(ours):>10}  {level if ours is not None else '':<18}{show(theirs):>10}{mark}")
    if other_size and published:
        print_recorded(expected, result)
    print_fitted(f"  published: {expected['published']['source']}")


def main():
    path = sys.argv[1]
    result = load(path)
    print_result(result)
    if result["time_ms"] is None:
        print("- : not known here; with EMULATOR_MODEL=0 the emulated device models neither caches nor time.")
    elif result["time_evidence"] == "modelled":
        print("modelled: computed by the emulated device's memory model, not timed on a GPU.")
        if any((look_up(result, "model_error_percent") or {}).values()):
            print("+-: its mean error in runs like this one against published figures; docs/validation.md has each.")


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # a reader such as head may leave early
    try:
        main()
    except (NoResult, BadExpected) as why:
        sys.exit(str(why))
