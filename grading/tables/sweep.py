"""Runs labs stage by stage and prints the published tables' columns, ours above published.

In:  sweep.py DEVICE [--published-size] SOURCE.hip... [-- ARGUMENT...]   (run from the repository root; LD_LIBRARY_PATH
     already set)
     --published-size               at the size of the published figures, so that all columns compare
     labs/NN-name/expected.json     ("stages": name, change, kernel, choices, published figures; "published": their
                                    source; "baseline": source, kernel, choices of what speedups
                                    are over; a stage may have a baseline and a source of its own; "plot": a kernel)
Out: the table, in parts where it is wider than the terminal; stage_runs.py keeps each stage's result. Speedups are over the
     baseline's run at the same size. The stages of the kernel to plot are drawn over n_w in build/results/NN-name.svg. On
     stderr signs of life. Status 1 when a program does not build, fails or is not right.
"""
import os
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
LABEL_WIDTH = 12  # in front of the first column


def terminal_columns():
    """Of the terminal that this writes to, 0 if it is none: then lines stay whole."""
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns
    except (OSError, ValueError):
        return 0


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


def parts_of(columns, room):
    """The columns of a table in as many tables as it takes to fit into a terminal that wide; 0: into one."""
    parts = [[]]
    for column in columns:
        if room and parts[-1] and LABEL_WIDTH + sum(fitting[2] for fitting in parts[-1]) + column[2] > room:
            parts.append([])
        parts[-1].append(column)
    return parts


class Table:
    """The rows of a lab's stages. Columns beyond the terminal's edge follow when the lab ends, under their own headings."""

    def __init__(self, device, room):
        self.device, self.room, self.columns, self.parts, self.stages = device, room, None, [], []

    def heading(self, columns):
        for at, start in (0, ""), (1, self.device):
            print(f"{start:<{LABEL_WIDTH}}" + "".join(f"{column[at]:>{column[2]}}" for column in columns))

    def fill(self, text, indent):
        for line in textwrap.wrap(text, self.room, subsequent_indent=indent) if self.room else [text]:
            print(line)

    def begin_stage(self, columns, name, change):
        if columns != self.columns:
            self.columns, self.parts = columns, parts_of(columns, self.room)
            self.heading(self.parts[0])
        self.stages.append((name, []))
        self.fill(f"{name}: {change}", "    ")

    def row(self, name, values, mark=False, behind=""):
        """values: by the columns' keys; mark: they are of another size. behind: what else is to be said of them."""
        self.stages[-1][1].append((name, values, mark))
        self.print_row(self.parts[0], name, values, mark, behind)

    def print_row(self, columns, name, values, mark, behind=""):
        line = f"  {name:<{LABEL_WIDTH - 2}}" + cells(columns, [values.get(column[4]) for column in columns], mark)
        if behind and self.room and len(line) + 2 + len(behind) > self.room:
            print(line)
            self.fill(" " * LABEL_WIDTH + behind, " " * LABEL_WIDTH)
        else:
            print(line + (f"  {behind}" if behind else ""))

    def end_lab(self):
        for columns in self.parts[1:]:
            self.heading(columns)
            for name, rows in self.stages:
                print(name)
                for row, values, mark in rows:
                    if any(values.get(column[4]) is not None for column in columns):
                        self.print_row(columns, row, values, mark)
        if len(self.parts) > 1:
            self.columns = None  # the next lab's table begins with a heading
        self.stages = []


def evidence_in(result):
    """Of what the model decides: (what, the evidence word alone, the figure that stands for it)."""
    return (("memory", look_up(result, "memory.evidence"), "memory"), ("time", result["time_evidence"], "time_ms"))


def large_errors(result):
    """Behind a row: what in it is further off than the word alone would say. Stages of one table may be of several kinds."""
    told = [f"{what} {evidence_of(result, word, path)}" for what, word, path in evidence_in(result)
            if evidence_of(result, word, path) != word]
    return f"({'; '.join(told)})" if told else ""


def tell_rows(table, result, figures, published, same_size, others=()):
    """others: (name, row) of what was measured on real devices."""
    ours = {column[4]: look_up(result, column[5]) for column in table.columns}
    table.row("ours", ours, behind=large_errors(result))
    if result["window"]:
        table.row("predicted", predicted(result["layout"]["radius"], result["window"]))
    if "time_ms" in figures and not same_size:
        table.row("recorded", figures, mark=True)
    for name, row in others:
        table.row(name, row)
    if published:
        table.row("published", published, mark=not same_size)


def print_notes(expected, result, width):
    """Where the figures of a lab's stages come from."""
    def tell(text):
        print(textwrap.fill(text, width, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False))

    size = expected["published"]["size"]
    evidence = {"loads": "emulated" if result["loaded_per_stored"] else None,
                **{what: word for what, word, _ in evidence_in(result)}, "registers and waves": "compiled"}
    tell("ours: " + ", ".join(f"{what} {level}" for what, level in evidence.items() if level) +
         f"; {result['nx']} x {result['ny']} x {result['nz']} on {result['device_name']}")
    if result["window"]:
        tell("predicted: counted from the stencil alone, as if no cache kept anything: (2R + n_w) / n_w values loaded and "
             "read for each one stored, and the speedup that this allows")
    tell(f"published: {expected['published']['source']}")
    for model, how in expected.get("measured_on", {}).items():
        sizes = {" x ".join(map(str, row["size"])) for row in expected["measured"] if row["on"] == model}
        tell(f"{short(model)}: measured on an {model}, {', '.join(sorted(sizes))}, {how['date']}, driver {how['driver']}")
    if size_of(result) != size:
        tell("* is of " + " x ".join(map(str, size)) + ", and so is the row `recorded`: compare columns without *")


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
        self.runs, self.published_size = runs, published_size
        self.table = Table(runs.device, terminal_columns())

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
            figures = recorded(expected, stage, size)
            figures["speedup"] = self.speedup_recorded(over, figures, size)
            self.table.begin_stage(columns_of(result), f"{expected['lab']}  {stage['name']}", stage["change"])
            others = [(short(row["on"]), {**row, "speedup": speedup_measured(over, row)})
                      for row in measured(expected, stage)]
            tell_rows(self.table, result, figures, stage["published"], size_of(result) == size, others)
            results.append(result)
            sys.stdout.flush()
        self.table.end_lab()
        print_notes(expected, results[-1], min(self.table.room or NOTE_WIDTH, NOTE_WIDTH))
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
