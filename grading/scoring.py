"""Grades one lab source: correctness on sizes and inputs that nobody knows before, then the figures of expected.json, then
the predictions.

In:  a .hip file, the lab, the device, a seed: the same one draws the same sizes and inputs, and gives the same grade.
Out: a Grade, its lines handed to `tell` one by one as they come out.
"""
import dataclasses
import os
import subprocess
import tempfile

from grading.accesses import worst_access
from grading.draw import Draw, fresh_size
from grading.predictions import answer_in, is_answer, outcome, wanted_of
from grading.programs import label
from grading.references import over, recorded
from grading.results import evidence_of, look_up
from grading.running import Runs, where_of
from grading.statuses import GraderTrouble, NotYet

PASS, FAIL, LATER = "pass", "FAIL", "later"
BEYOND, OPEN = "above", "open"  # the tier above full marks: reached, or not


@dataclasses.dataclass
class Line:
    """A criterion and what came of it."""
    name: str
    evidence: str
    value: float | None
    full_at: float | None
    zero_at: float | None
    points: float
    possible: float
    verdict: str
    feedback: list


@dataclasses.dataclass
class Grade:
    lab: str
    source: str
    device: str
    seed: int
    lines: list = dataclasses.field(default_factory=list)
    stopped: str | None = None  # why it was not graded further
    repeat: str | None = None   # the command that repeats the run that stopped it
    trouble: str | None = None  # why it says nothing about the learner
    possible: float = 0         # of all criteria that this device can grade
    model: str | None = None    # of a real device

    @property
    def points(self):
        return sum(line.points for line in self.lines)

    @property
    def status(self):
        if self.trouble:
            return "trouble"
        passed = not self.stopped and all(line.verdict != FAIL for line in self.lines)
        return "passed" if passed else "not yet"


def points(criterion, value):
    """Full points at full_at or better, none at zero_at or worse, linear in between."""
    full, zero = criterion["full_at"], criterion["zero_at"]
    if full == zero:
        return float(criterion["points"]) if value >= full else 0.0
    return criterion["points"] * min(1.0, max(0.0, (value - zero) / (full - zero)))


def score(criterion, evidence, value, hints=()):
    """hints: what a learner is told where points are missing, None among them left out."""
    got = points(criterion, value)
    passed = got == criterion["points"]
    told = [] if passed else [hint for hint in (criterion.get("look_at"), *hints) if hint]
    return Line(criterion["name"], evidence, value, criterion["full_at"], criterion["zero_at"], got, criterion["points"],
                PASS if passed else FAIL, told)


def repeat_line(command):
    return f"Repeat: {command}" if command else None


def share_right(check, interior):
    """Of the interior points; 0 where all are right but others were overwritten, or not all were checked."""
    right = 1 - check["points_wrong"] / interior
    if check["points_checked"] != interior or (not check["passed"] and right == 1):
        return 0.0
    return right


def correctness(source, expected, runs, seed):
    """Runs the kernels on every small size that is asked for and on fresh large ones, until no points are left to lose.
    Returns (share of points right in the worst run, the first thing wrong, the command that repeats it)."""
    worst, reason, command = 1.0, "", None
    draw = Draw(seed)
    for wanted in expected["correctness"]["runs"]:
        if wanted.get("all_sizes"):
            result = runs.all_sizes(source, wanted, seed)
        else:
            result = runs.fresh(source, wanted, fresh_size(wanted, draw), seed)
        size = [result[direction] for direction in ("nx", "ny", "nz")]
        for check in result["checks"]:
            right = share_right(check, result["interior_points"])
            worst = min(worst, right)
            if right < 1 and not reason:
                reason = f"At {where_of(wanted, size)}, {check['sentence']}."
                command = runs.repeat(source, wanted, size, seed)
        if points(expected["correctness"], worst) == 0:
            break
    return worst, reason, command


class Figures:
    """The criteria's runs, each made once, and the numbers out of them."""

    def __init__(self, runs, graded, seed):
        self.runs, self.graded, self.seed, self.results = runs, graded, seed, {}

    @staticmethod
    def key(source, asked):
        return source, label(asked), tuple(asked["size"]), asked.get("block")

    def result(self, source, asked):
        key = self.key(source, asked)
        if key not in self.results:
            if not os.path.exists(source):
                raise GraderTrouble(f"{source} is not there to be compared with, and expected.json has no figure of it")
            result = self.runs.figures(source, asked, asked["size"], self.seed)
            if not result["verified"]:
                wrong = next(check["sentence"] for check in result["checks"] if not check["passed"])
                raise NotYet(f"At {where_of(asked, asked['size'])}, {wrong}.", self.repeat(source, asked))
            self.results[key] = result
        return self.results[key]

    def repeat(self, source, asked):
        return self.runs.repeat(source, asked, asked["size"], self.seed)

    def figure(self, source, asked, place):
        """A number, None where this device does not know it; of what is not graded the one that is recorded."""
        known = None
        if source != self.graded and self.runs.device == "emulated":
            known = recorded(self.runs.expected, source, asked, place)
        return look_up(self.result(source, asked), place) if known is None else known

    def known(self, source, asked):
        """What a line of the predictions asks for, None where this device does not know it."""
        return self.figure(source, asked, asked["value"])

    def evidence(self, source, asked, word):
        """The word for a run that was made, with its error; the word alone of one that was not."""
        result = self.results.get(self.key(source, asked))
        return evidence_of(result, word, asked["value"]) if result else word

    def _value(self, source, asked, criterion):
        value = self.figure(source, asked, criterion["value"])
        divisor = self.figure(source, asked, criterion["per"]) if "per" in criterion else 1
        if value is None or divisor is None:
            raise GraderTrouble(f"the result lacks {criterion['value']} or what it is divided by")
        if divisor == 0:
            raise NotYet(f"{criterion['per']} is 0: the kernel itself must do the work")
        return value / divisor

    def value(self, source, criterion):
        """The criterion's number; with "over", a kernel of the solutions, how many times that one's it is."""
        value = self._value(source, criterion, criterion)
        if "over" not in criterion:
            return value
        return value / self._value(criterion["over"]["source"], over(criterion), criterion)


def model_of(device):
    """The name of the GPU; None where criteria do not ask for it."""
    if device != "nvidia":
        return None
    done = subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"], capture_output=True, text=True,
                          check=False)
    return (done.stdout.splitlines() or ["unknown"])[0].strip()


def bounded(criterion, device, model):
    """The criterion with the bounds that hold on this device, None if there are none."""
    if device not in criterion["devices"]:
        return None
    if "models" not in criterion:
        return criterion
    return {**criterion, **criterion["models"][model]} if model in criterion["models"] else None


def needs(criterion):
    models = f" on an {' or '.join(criterion['models'])}" if "models" in criterion else ""
    return f"(needs DEVICE={' or '.join(criterion['devices'])}{models}: neither points nor a failure here)"


def grade_figure(source, criterion, device, figures, model=None):
    known, criterion = criterion, bounded(criterion, device, model)
    if criterion is None:
        return Line(known["name"], known["evidence"], None, known.get("full_at"), known.get("zero_at"), 0, 0, LATER,
                    [needs(known)])
    value = figures.value(source, criterion)
    worst = worst_access(figures.result(source, criterion)["accesses"]) if criterion.get("quotes_access") else None
    evidence = figures.evidence(source, criterion, criterion["evidence"])
    return score(criterion, evidence, value, (worst, repeat_line(figures.repeat(source, criterion))))


def grade_beyond(source, criterion, figures):
    """The tier above full marks, which nobody has to reach."""
    value = figures.value(source, criterion)
    reached = (value - criterion["full_at"]) * (criterion["full_at"] - criterion["zero_at"]) >= 0
    return Line(criterion["name"], criterion["evidence"], value, criterion["full_at"], criterion["zero_at"], 0, 0,
                BEYOND if reached else OPEN, [] if reached else [criterion["look_at"]] if "look_at" in criterion else [])


def grade_predictions(source, predictions, figures, device="emulated"):
    """All points when every line has an answer. A wrong guess costs nothing; none does. On a real device nothing is counted,
    so there the emulated one is asked what came out."""
    with open(source, encoding="utf-8", errors="replace") as file:
        text = file.read()
    told, complete = [], True
    for line in predictions["lines"]:
        answer = answer_in(text, line["label"])
        if is_answer(line, answer) and device != "emulated":
            told.append(f"{line['label']}: you wrote {answer}; DEVICE=emulated says what comes out there")
        elif is_answer(line, answer):
            values = [figures.known(run.get("source", source), {**line, **run}) for run in line["runs"]]
            last = line["runs"][-1]
            evidence = figures.evidence(last.get("source", source), {**line, **last}, line["evidence"])
            told.append(f"{line['label']}: you wrote {answer}, it came out {outcome(line, values)}  ({evidence})")
        else:
            complete = False
            told.append(f"{line['label']}: there is no answer yet; write {wanted_of(line)} behind the colon")
    return Line("your predictions, written in the file", "", None, None, None, predictions["points"] if complete else 0,
                predictions["points"], PASS if complete else FAIL, told)


def possible_points(expected, device, model=None):
    parts = [expected["correctness"], *(c for c in expected["criteria"] if bounded(c, device, model))]
    return sum(part["points"] for part in parts) + expected.get("predictions", {}).get("points", 0)


def _lines(source, expected, result, runs):
    """The grade's lines, one after the other."""
    device, seed = result.device, result.seed
    right, reason, command = correctness(source, expected, runs, seed)
    first = score(expected["correctness"], "emulated" if device == "emulated" else "measured", right)
    yield first
    if first.verdict != PASS:
        raise NotYet(f"{reason}\nThe other criteria are graded once every point is right.", command)
    figures = Figures(runs, source, seed)
    for criterion in expected["criteria"]:
        yield grade_figure(source, criterion, device, figures, result.model)
    if "predictions" in expected:
        yield grade_predictions(source, expected["predictions"], figures, device)
    for criterion in filter(None, (bounded(tier, device, result.model) for tier in expected.get("beyond", ()))):
        yield grade_beyond(source, criterion, figures)


def grade(source, lab, expected, device, seed, tell):
    """Never raises: what ends a grade before its time is part of it."""
    model = model_of(device)
    result = Grade(lab, source, device, seed, possible=possible_points(expected, device, model), model=model)
    try:
        with tempfile.TemporaryDirectory(dir="build") as folder:
            for line in _lines(source, expected, result, Runs(device, lab, expected, os.path.abspath(folder))):
                result.lines.append(line)
                tell(line)
    except NotYet as why:
        result.stopped, result.repeat = str(why), why.command
    except (GraderTrouble, OSError, ValueError, KeyError, subprocess.SubprocessError) as trouble:
        result.trouble = str(trouble) or type(trouble).__name__
    return result
