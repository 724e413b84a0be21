"""Runs labs stage by stage and prints the published tables' columns, ours above published.

In:  sweep.py DEVICE [--published-size] SOURCE.hip... [-- ARGUMENT...]   (run from the repository root; LD_LIBRARY_PATH
     already set)
     --published-size               at the size of the published figures, so that all columns compare
     labs/NN-name/expected.json     ("stages": name, change, kernel, choices, published figures; "published": their
                                    source; "baseline": source, kernel, choices of what speedups
                                    are over; a stage may have a baseline and a source of its own; "plot": a kernel)
Out: the table; stage_runs.py keeps each stage's result. Speedups are over the baseline's run at the
     same size. The stages of the kernel to plot are drawn over n_w in build/results/NN-name.svg. On stderr signs of life.
     Status 1 when a program does not build, fails or is not right.
"""
import signal
import sys
import textwrap

from grading.expected import BadExpected, load_expected
from grading.programs import label, make_all
from grading.progress import Progress
from grading.results import NoResult, evidence_of, look_up, size_of
from grading.tables.columns import columns_of
from grading.tables.plot import draw, predicted, title_for
from grading.tables.stage_runs import StageRuns, Stop

NOTE_WIDTH = 120


def has_steps(source):
    with open(source, encoding="utf-8", errors="replace") as file:
        return any(line.startswith("#define STEP") for line in file)


def cells(columns, values, mark=False):
    """One row of the table; marked are the published figures of another size."""
    text = ""
    for (_, _, width, decimals, _, _, grows), value in zip(columns, values):
        cell = "-" if value is None else f"{value:.{decimals}f}"
        text += f"{cell + ('*' if mark and grows and value is not None else ''):>{width}}"
    return text


def expected_of(source):
    return load_expected(source.split("/")[-2])


def recorded(expected, stage, size):
    """The solution's figures recorded for this stage and size, {} if there are none yet."""
    return next((row for row in expected["ours"] if "time_ms" in row and row["size"] == size and label(row) == label(stage)),
                {})


def measured(expected, stage):
    """The rows that were measured for this stage, one for each device and size."""
    return [row for row in expected.get("measured", ()) if label(row) == label(stage)
            and row.get("source") == stage.get("source")]


def speedup_measured(baseline, row):
    """Over the baseline that was measured on the same device at the same size; None if none was."""
    own = {key: value for key, value in baseline.items() if key != "source"}
    for first in measured(expected_of(baseline["source"]), own):
        if (first["on"], first["size"]) == (row["on"], row["size"]):
            return first["time_ms"] / row["time_ms"]
    return None


def short(model):
    """H200 of "NVIDIA H200", H100 of "NVIDIA H100 80GB HBM3", MI210 of "AMD Instinct MI210"."""
    return next((word for word in model.split() if any(letter.isdigit() for letter in word)), model)[:10]


def print_heading(device, columns):
    print(f"{'':<12}" + "".join(f"{column[0]:>{column[2]}}" for column in columns))
    print(f"{device:<12}" + "".join(f"{column[1]:>{column[2]}}" for column in columns))


def evidence_in(result):
    """Of what the model decides: (what, the evidence word alone, the figure that stands for it)."""
    return (("memory", look_up(result, "memory.evidence"), "memory"), ("time", result["time_evidence"], "time_ms"))


def large_errors(result):
    """Behind a row: what in it is further off than the word alone would say. Stages of one table may be of several kinds."""
    told = [f"{what} {evidence_of(result, word, path)}" for what, word, path in evidence_in(result)
            if evidence_of(result, word, path) != word]
    return f"  ({'; '.join(told)})" if told else ""


def print_rows(columns, result, figures, published, same_size, others=()):
    """others: (name, row) of what was measured on real devices."""
    print(f"  {'ours':<10}" + cells(columns, [look_up(result, column[5]) for column in columns]) + large_errors(result))
    if result["window"]:
        expectation = predicted(result["layout"]["radius"], result["window"])
        print(f"  {'predicted':<10}" + cells(columns, [expectation.get(column[4]) for column in columns]))
    if "time_ms" in figures and not same_size:
        print(f"  {'recorded':<10}" + cells(columns, [figures.get(column[4]) for column in columns], True))
    for name, row in others:
        print(f"  {name:<10}" + cells(columns, [row.get(column[4]) for column in columns]))
    if published:
        print(f"  {'published':<10}" + cells(columns, [published.get(column[4]) for column in columns], not same_size))


def note(text):
    print(textwrap.fill(text, NOTE_WIDTH, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False))


def print_notes(expected, result):
    """Where the figures of a lab's stages come from."""
    size = expected["published"]["size"]
    evidence = {"loads": "emulated" if result["loaded_per_stored"] else None,
                **{what: word for what, word, _ in evidence_in(result)}, "registers and waves": "compiled"}
    note("ours: " + ", ".join(f"{what} {level}" for what, level in evidence.items() if level) +
         f"; {result['nx']} x {result['ny']} x {result['nz']} on {result['device_name']}")
    if result["window"]:
        note("predicted: counted from the stencil alone, as if no cache kept anything: (2R + n_w) / n_w values loaded and "
             "read for each one stored, and the speedup that this allows")
    note(f"published: {expected['published']['source']}")
    for model, how in expected.get("measured_on", {}).items():
        sizes = {" x ".join(map(str, row["size"])) for row in expected["measured"] if row["on"] == model}
        note(f"{short(model)}: measured on an {model}, {', '.join(sorted(sizes))}, {how['date']}, driver {how['driver']}")
    if size_of(result) != size:
        note("* is of " + " x ".join(map(str, size)) + ", and so is the row `recorded`: compare columns without *")


def plot_windows(expected, results):
    """Draws the runs over n_w, if the lab has any and their time was modelled."""
    rows = [{"window": result["window"], "effective_bandwidth_gbs": result["effective_bandwidth_gbs"],
             "achieved_bandwidth_gbs": look_up(result, ("memory", "achieved_bandwidth_gbs")),
             "read_write_ratio": look_up(result, ("memory", "read_write_ratio"))}
            for result in results if result["kernel"] == expected.get("plot")]
    if rows and all(None not in row.values() for row in rows):
        path = f"build/results/{expected['lab']}.svg"
        first = results[0]
        draw(path, rows, first["layout"]["radius"], title_for(size_of(first), first["device_name"]))
        print(f"  plot: {path}")


class Journey:
    """Shows the stages of one lab after another. The run that speedups are over may be a stage, too."""

    def __init__(self, runs, published_size=False):
        self.runs, self.published_size, self.columns = runs, published_size, None

    def stages(self, source):
        """(stage, its source and how it runs, the same of what its speedup is over) for each stage of the lab."""
        expected = expected_of(source)
        size = {"size": expected["published"]["size"]} if self.published_size else {}
        for stage in expected["stages"]:
            over = stage.get("baseline", expected["baseline"])
            yield stage, (stage.get("source", source), {**stage, **size}), (over["source"], {**over, **size})

    def begin(self, source):
        """Lets a lab's runs begin as soon as there is room; those of windows wait, for which the grid may be too short."""
        if any("step" in stage for stage in expected_of(source)["stages"]) and not has_steps(source):
            raise Stop(f"{source} has no steps to choose, its solution has: SRC=solutions")
        for stage, own, over in self.stages(source):
            self.runs.begin(*over)
            if "window" not in stage:
                self.runs.begin(*own)

    @staticmethod
    def speedup_recorded(baseline, figures, size):
        """Over the recorded baseline of the same size; None unless both were recorded."""
        first = recorded(expected_of(baseline["source"]), baseline, size)
        return first["time_ms"] / figures["time_ms"] if first and "time_ms" in figures else None

    def lab(self, source):
        self.begin(source)
        expected = expected_of(source)
        size = expected["published"]["size"]
        fitting = [row for row in self.stages(source) if row[0].get("window", 1) <= self.runs.result(*row[2])["nz"]]
        for _, own, _ in fitting:
            self.runs.begin(*own)
        results = []
        for stage, own, (first, over) in fitting:
            baseline, result = self.runs.result(first, over), self.runs.result(*own)
            if result["time_ms"] and baseline["time_ms"]:
                result["speedup"] = baseline["time_ms"]["median"] / result["time_ms"]["median"]
            self.runs.progress.clear()
            if columns_of(result) != self.columns:
                self.columns = columns_of(result)
                print_heading(self.runs.device, self.columns)
            figures = recorded(expected, stage, size)
            figures["speedup"] = self.speedup_recorded(over, figures, size)
            print(f"{expected['lab']}  {stage['name']}: {stage['change']}")
            others = [(short(row["on"]), {**row, "speedup": speedup_measured(over, row)})
                      for row in measured(expected, stage)]
            print_rows(self.columns, result, figures, stage["published"], size_of(result) == size, others)
            results.append(result)
            sys.stdout.flush()
        print_notes(expected, results[-1])
        plot_windows(expected, results)
        sys.stdout.flush()


def main():
    device, *rest = sys.argv[1:]
    published_size = "--published-size" in rest[:1]
    split = rest.index("--") if "--" in rest else len(rest)
    sources = rest[published_size:split]
    with Progress() as progress, StageRuns(device, rest[split + 1:], progress) as runs:
        progress.doing("compiling")
        make_all((stage.get("source", source), stage) for source in sources for stage in expected_of(source)["stages"])
        journey = Journey(runs, published_size)
        for source in sources:
            journey.begin(source)
        for source in sources:
            journey.lab(source)
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # a reader such as head may leave early
    try:
        sys.exit(main())
    except (Stop, NoResult, BadExpected) as stop:
        sys.exit(str(stop))
