#!/usr/bin/env python3
"""Is the committed validation still true? Quick enough for make test; `make validate` does the whole.

In:  docs/validation.md, tests/validation/measured.json, the built programs and the emulated device.
Out: a sentence for each test that fails, and a synthesis line as Criterion's suites print it.
"""
import sys

import run
import validate

STALE = "Run `make validate`, look at what changed, and commit docs/validation.md and tests/validation/measured.json."


def sources_are_those_of_the_document(measured):
    if validate.sources_hash() != measured["sources"]:
        return f"Kernels, parameters or the model have changed since docs/validation.md was written. {STALE}"
    return None


def document_follows_from_the_figures(measured):
    with open(validate.DOCUMENT, encoding="utf-8") as file:
        if file.read() != validate.render(measured)[0]:
            return f"docs/validation.md is not what measured.json, published.json and bounds.json give. {STALE}"
    return None


def launches_give_the_same_counters(measured):
    now = validate.replay()
    for command, launches in measured["replay"].items():
        for number, (then, again) in enumerate(zip(launches, now.get(command, []))):
            for counter in then:
                if then[counter] != again[counter]:
                    return (f"{command}, launch {number}: {counter} is {again[counter]:.10g} and was "
                            f"{then[counter]:.10g} when docs/validation.md was written. {STALE}")
    return None if measured["replay"].keys() == now.keys() else f"Other launches are replayed than before. {STALE}"


def registers_are_those_of_the_document(measured):
    for table in validate.tables():
        if not table.get("compiled"):
            continue
        now = run.compiled_figures(table)
        for row, figures in measured["figures"][table["name"]].items():
            if now[row] != figures:
                return f"{table['name']}, {row}: the compiler now reports {now[row]}, and did report {figures}. {STALE}"
    return None


TESTS = [sources_are_those_of_the_document, document_follows_from_the_figures, launches_give_the_same_counters,
         registers_are_those_of_the_document]


def main():
    measured = validate.load(validate.MEASURED)
    failed = 0
    for test in TESTS:
        try:
            complaint = test(measured)
        except (run.Failure, KeyError, OSError) as trouble:
            complaint = f"{type(trouble).__name__}: {trouble}. {STALE}"
        if complaint:
            failed += 1
            print(f"{test.__name__}: {complaint}")
    print(f"[====] Synthesis: Tested: {len(TESTS)} | Passing: {len(TESTS) - failed} | Failing: {failed} | Crashing: 0")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
