"""All kernels that a learner tried for one lab, in one table.

In:  variants.py DEVICE SOURCE EACH   SOURCE: a lab's file; variants/*.hip beside it are further versions of it. Of each file
     each kernel is run. EACH: choices to run each of them with, "window=8,32 block=64x4x1,32x8x1"; "" for its own
Out: a row for each run as it comes: right or not, registers, waves, time, bandwidth, data to and from HBM, points; then the
     fastest that is right. Points are those of the lab's criteria with this kernel in the place of the lab's. A kernel says
     which one it stands for by its name: window_wide for window. Status 1, with a sentence, where nothing can be run.
"""
import glob
import itertools
import os
import re
import signal
import subprocess
import sys
import tempfile

from grading.draw import fresh_seed
from grading.expected import BadExpected, load_expected
from grading.programs import BUILD, RUN, chosen, macros, make, options, program_path
from grading.progress import Progress
from grading.results import NoResult, evidence_of, load, look_up
from grading.running import Builds, Runs
from grading.scoring import grade
from grading.words import points_text, shown

CHOICES = (*BUILD, *(key for key in RUN if key != "kernel"), "size")
ASKED = ("predictions", "questions")  # of the learner, not of a kernel


class Stop(Exception):
    """There is nothing to show; the sentence says why."""


def combinations(each):
    """[{choice: value}] of "window=8,32 block=64x4x1"."""
    choices = []
    for word in each.split():
        key, _, values = word.partition("=")
        if key not in CHOICES or not all(values.split(",")):
            raise Stop(f"EACH has {word}, and takes words like window=8,32 of these: {', '.join(CHOICES)}")
        if key == "size" and any(value.count("x") != 2 for value in values.split(",")):
            raise Stop(f"EACH has {word}, and a size is three numbers like 512x512x32")
        choices.append([(key, value.split("x") if key == "size" else value) for value in values.split(",")])
    return [dict(choice) for choice in itertools.product(*choices)]


def kernels_of(program):
    """Their names, as the program's help lists them."""
    said = subprocess.run([program, "--help"], capture_output=True, text=True, errors="replace", check=False).stdout
    listed = [line for line in said.splitlines() if line.startswith("Its kernels:")]
    return listed[0].split(":")[1].split() if listed else []


def stands_for(kernel, graded):
    """Which of the graded kernels its points are for; None if its name does not say."""
    fits = [name for name in graded if kernel == name or kernel.startswith(f"{name}_")]
    return max(fits, key=len) if fits else graded[0] if len(graded) == 1 else None


def expected_of(kernel, expected):
    """What is expected of the lab, of this kernel alone; None if it stands for none of the lab's."""
    first = expected["stages"][0]["kernel"]
    parts = {"runs": expected["correctness"]["runs"], "criteria": expected["criteria"], "beyond": expected.get("beyond", [])}
    graded = list(dict.fromkeys(row.get("kernel", first) for rows in parts.values() for row in rows))
    original = stands_for(kernel, graded)
    if original is None:
        return None
    own = {key: [{**row, "kernel": kernel} for row in rows if row.get("kernel", first) == original]
           for key, rows in parts.items()}
    axes = expected.get("axis", {})
    return {**{key: value for key, value in expected.items() if key not in ASKED},
            "correctness": {**expected["correctness"], "runs": own["runs"]}, "criteria": own["criteria"],
            "beyond": own["beyond"], "axis": {**axes, kernel: axes.get(original, "-")}}


def points_of(source, lab, kernel, device, builds, progress):
    """"8/9", and "+" behind it for each tier above full marks; "-" where they are not known."""
    expected = expected_of(kernel, load_expected(lab))
    if expected is None:
        return "-"
    result = grade(source, Runs(device, lab, expected, builds, progress.doing), fresh_seed(), lambda line: None)
    above = sum(line.verdict == "above" for line in result.lines)
    return "-" if result.trouble else f"{points_text(result.points)}/{points_text(result.possible)}" + "+" * above


def run(program, asked):
    """(result, what the program said); the result is None where there is none."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "result.json")
        done = subprocess.run([program, *options(asked)], env={**os.environ, "LAB_RESULT_FILE": path}, capture_output=True,
                              text=True, errors="replace", check=False)
        try:
            return load(path), ""
        except NoResult:
            return None, (done.stderr or done.stdout).strip()


def moved_mb(result):
    parts = [look_up(result, f"memory.{name}_size_gb") for name in ("fetch", "write")]
    return None if None in parts else 1000 * sum(parts)


# Heading in two lines, width, decimals, the figure in a result.
COLUMNS = (("", "VGPRs", 6, 0, "compiled.vgprs"), ("scratch", "B/lane", 8, 0, "compiled.scratch_bytes"),
           ("waves/", "SIMD", 7, 0, "compiled.occupancy_waves_per_simd"), ("loaded/", "stored", 8, 2, "loaded_per_stored"),
           ("HBM", "MB", 8, 1, moved_mb), ("time", "ms", 9, 4, "time_ms.median"),
           ("effec.", "GB/s", 7, 0, "effective_bandwidth_gbs"))


def name_of(source, kernel, asked):
    choices = "".join(f" {key}={'x'.join(value) if key == 'size' else value}" for key, value in asked.items())
    return f"{shown(os.path.basename(source))} {kernel}{choices}"


def row(name, result, points, width):
    cells = ""
    for _, _, width_of, decimals, figure in COLUMNS:
        value = figure(result) if callable(figure) else look_up(result, figure)
        cells += f"{'-' if value is None else f'{value:.{decimals}f}':>{width_of}}"
    return f"  {name:<{width}} {'right' if result['verified'] else 'WRONG':<6}{cells}{points:>8}"


def heading(result, width):
    size = " x ".join(str(result[direction]) for direction in ("nx", "ny", "nz"))
    evidence = evidence_of(result, result["time_evidence"], "time_ms") if result["time_evidence"] else "none"
    yield f"{result['lab']}, {size} on {result['device_name']}; time: {evidence}"
    yield f"  {'':<{width + 7}}" + "".join(f"{column[0]:>{column[2]}}" for column in COLUMNS)
    yield f"  {'':<{width + 7}}" + "".join(f"{column[1]:>{column[2]}}" for column in COLUMNS) + f"{'points':>8}"


def tried(source, each, tell):
    """(file, kernel, program, choices) of each run that is asked for."""
    for file in [source, *sorted(glob.glob(os.path.join(os.path.dirname(source), "variants", "*.hip")))]:
        with open(file, encoding="utf-8", errors="replace") as text:
            defined = re.findall(r"^#define (\w+)", text.read(), re.MULTILINE)
        for asked in each:
            unknown = [macro for macro, _ in macros(asked) if macro not in defined]
            if unknown:
                tell(f"{shown(file)} defines no {unknown[0]}, which {chosen(asked)} would choose")
                break
            program = program_path(file, asked)
            worked, said = make([program], asked)
            if not worked:
                tell(f"{shown(file)} does not build:\n{said}")
                break
            yield from ((file, kernel, program, asked) for kernel in kernels_of(program))


def variants(device, source, each, tell, progress, builds):
    """Tells each row. Returns [(effective bandwidth, name)] of what is right."""
    lab, points, right, begun = source.split("/")[-2], {}, [], False
    progress.doing("compiling")
    runs = list(tried(source, combinations(each), tell))
    width = max((len(name_of(file, kernel, asked)) for file, kernel, _, asked in runs), default=0)
    for file, kernel, program, asked in runs:
        name = name_of(file, kernel, asked)
        progress.doing(f"running {name}")
        result, said = run(program, {**asked, "kernel": kernel})
        if result is None:
            tell(f"  {name:<{width}} {said}")
            continue
        if not begun:
            tell("\n".join(heading({**result, "lab": lab}, width)))
            begun = True
        if (file, kernel) not in points:
            points[file, kernel] = points_of(file, lab, kernel, device, builds, progress) if result["verified"] else "0"
        tell(row(name, result, points[file, kernel], width))
        if result["verified"] and result["effective_bandwidth_gbs"]:
            right.append((result["effective_bandwidth_gbs"], name))
    return right


def main():
    device, source, each = sys.argv[1:]
    with tempfile.TemporaryDirectory(dir="build") as folder, Progress() as progress, \
            Builds(os.path.abspath(folder)) as builds:
        def tell(words):
            progress.clear()
            print(words, flush=True)
        right = variants(device, source, each, tell, progress, builds)
    if right:
        print(f"fastest: {max(right)[1]}, {max(right)[0]:.0f} GB/s")
    print("points: of the criteria of make check, with this kernel in the place of the lab's; + is a tier above full marks")


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # a reader such as head may leave early
    try:
        main()
    except (Stop, BadExpected, OSError) as stop:
        sys.exit(f"variants: {stop}")
