"""Grades one lab source: correctness on sizes and inputs that nobody knows before, then the figures of expected.json, then
the predictions, then, of what passed, the questions.

In:  a .hip file, the lab, the device, a seed: the same one draws the same sizes and inputs, and gives the same grade.
Out: a Grade, its lines handed to `tell` one by one as they come out.
"""
import contextlib
import dataclasses
import os
import subprocess

from grading.accesses import line_of, worst_access
from grading.draw import Draw, fresh_size
from grading.places import line_of_answer, place_of_code, line_said
from grading.predictions import answer_in, is_answer, is_right, numbers_behind, outcome, wanted_of
from grading.programs import label
from grading.references import over, recorded
from grading.results import evidence_of, look_up
from grading.running import FAR_SIZE, where_of
from grading.statuses import GraderTrouble, NotYet

PASS, FAIL, LATER = "pass", "FAIL", "later"
BEYOND, OPEN = "above", "open"  # what nobody has to reach, as the tier above full marks: reached, or not


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
    at: int | str | None = None  # the line of the source to look at, or the kernel


@dataclasses.dataclass
class Grade:
    lab: str
    source: str
    device: str
    seed: int
    lines: list = dataclasses.field(default_factory=list)
    stopped: str | None = None  # why it was not graded further
    repeat: str | None = None   # the command that repeats the run that stopped it
    at: int | str | None = None  # the line of the source to edit next, or the kernel
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


def score(criterion, evidence, value, hints=(), at=None):
    """hints: what a learner is told where points are missing, None among them left out; at: the line to look at then."""
    got = points(criterion, value)
    passed = got == criterion["points"]
    told = [] if passed else [hint for hint in (criterion.get("look_at"), *hints) if hint]
    return Line(criterion["name"], evidence, value, criterion["full_at"], criterion["zero_at"], got, criterion["points"],
                PASS if passed else FAIL, told, None if passed else at)


def repeat_line(command):
    return f"Repeat: {command}" if command else None


def share_right(check, interior):
    """Of the interior points; 0 where all are right but others were overwritten, or not all were checked."""
    right = 1 - check["points_wrong"] / interior
    if check["points_checked"] != interior or (not check["passed"] and right == 1):
        return 0.0
    return right


def only_beyond_the_known(checks):
    """A sentence where the known input came out right and the random one did not; None otherwise."""
    known, others = checks[0], checks[1:]
    if not known["passed"] or all(check["passed"] or not check["points_wrong"] for check in others):
        return None
    return f"Wrong only where u is not {known['input']}: with the {known['input']} input every point is right."


def small_runs(source, expected, runs, seed):
    """[(what is asked for, its run)], of fresh sizes and of all small ones."""
    draw = Draw(seed)
    return [(wanted, runs.all_sizes(source, wanted, seed) if wanted.get("all_sizes") else
             runs.fresh(source, wanted, fresh_size(wanted, draw), seed)) for wanted in expected["correctness"]["runs"]]


def far_runs(source, expected, runs):
    """The same of each kernel on a part of a large grid, where that can be had."""
    if expected.get("family") != "laplacian" or runs.device != "emulated":
        return []
    kernels = {wanted.get("kernel"): wanted for wanted in expected["correctness"]["runs"][::-1]}.values()
    all_asked = [{key: value for key, value in wanted.items() if key not in ("nx", "ny", "nz", "all_sizes")}
                 for wanted in kernels]
    return [(asked, runs.far(source, asked)) for asked in all_asked]


def correctness(source, expected, runs, seed, tell=lambda sentence: None):
    """What came of the kernels on every small size that is asked for and on fresh ones, until no points are left to lose.
    Returns (share of points right in the worst run, the first thing wrong, the command that repeats it)."""
    worst, reason, command = 1.0, "", None
    for wanted, run in small_runs(source, expected, runs, seed):
        result = run.result()
        size = [result[direction] for direction in ("nx", "ny", "nz")]
        for check in result["checks"]:
            right = share_right(check, result["interior_points"])
            worst = min(worst, right)
            if right < 1 and not reason:
                more = only_beyond_the_known(result["checks"])
                reason = f"At {where_of(wanted, size)}, {check['sentence']}." + (f"\n{more}" if more else "")
                command = runs.repeat(source, wanted, size, seed)
        if points(expected["correctness"], worst) == 0:
            break
        if not reason:
            tell(f"right at {'all sizes up to ' if wanted.get('all_sizes') else ''}{where_of(wanted, size)}")
    for asked, run in far_runs(source, expected, runs) if worst == 1 else ():
        if run.result():
            tell(f"right at {where_of(asked, FAR_SIZE)}, whose elements 32 bits do not count; a part of it was run")
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
            result = self.runs.figures(source, asked, asked["size"], self.seed).result()
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
        """What a line of the predictions or questions asks for, None where this device does not know it."""
        value = self.figure(source, asked, asked["value"])
        divisor = self.figure(source, asked, asked["per"]) if "per" in asked else 1
        return value * asked.get("times", 1) / divisor if value is not None and divisor else None

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
        """The criterion's number; with "over", a kernel of the solutions or another run of this file, how many times that
        one's it is."""
        value = self._value(source, criterion, criterion)
        if "over" not in criterion:
            return value
        return value / self._value(criterion["over"].get("source", source), over(criterion), criterion)


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
    return f"needs DEVICE={' or '.join(criterion['devices'])}{models}"


def size_words(size):
    return " x ".join(map(str, size))


def read_text(source):
    with open(source, encoding="utf-8", errors="replace") as file:
        return file.read()


def place_to_look_at(source, criterion, accesses):
    """The line that its worst access is on, or that the criterion names; else the kernel."""
    own = line_of(accesses, os.path.basename(source)) if criterion.get("quotes_access") else None
    return own or place_of_code(read_text(source), criterion.get("at"), criterion.get("kernel"))


def grade_figure(source, criterion, device, figures, model=None):
    known, criterion = criterion, bounded(criterion, device, model)
    if criterion is None:
        return Line(known["name"], known["evidence"], None, known.get("full_at"), known.get("zero_at"), 0, 0, LATER,
                    [needs(known)])
    value = figures.value(source, criterion)
    accesses = figures.result(source, criterion)["accesses"]
    worst = worst_access(accesses) if criterion.get("quotes_access") else None
    evidence = figures.evidence(source, criterion, criterion["evidence"])
    return score(criterion, evidence, value, (worst, repeat_line(figures.repeat(source, criterion))),
                 place_to_look_at(source, criterion, accesses))


def grade_beyond(source, criterion, figures):
    """The tier above full marks, which nobody has to reach."""
    value = figures.value(source, criterion)
    reached = (value - criterion["full_at"]) * (criterion["full_at"] - criterion["zero_at"]) >= 0
    return Line(criterion["name"], criterion["evidence"], value, criterion["full_at"], criterion["zero_at"], 0, 0,
                BEYOND if reached else OPEN, [] if reached else [criterion["look_at"]] if "look_at" in criterion else [])


WRONG_SHARE = 0.5  # of a prediction's points, for an answer that is not right: it was thought about


def answered(source, line, answer, figures, device):
    """(share of its points, lines on what came out) of a prediction that has an answer."""
    if device != "emulated":
        return 1, [f"you wrote {answer}; DEVICE=emulated says what comes out there"]
    values = [figures.known(run.get("source", source), {**line, **run}) for run in line["runs"]]
    last = line["runs"][-1]
    evidence = figures.evidence(last.get("source", source), {**line, **last}, line["evidence"])
    right = is_right(line, answer, values)
    return 1 if right else WRONG_SHARE, [f"you wrote {answer}, it came out {outcome(line, values)}: "
                                         f"{'right' if right else 'not as predicted'}  ({evidence})",
                                         *numbers_behind(line, values)]


def grade_predictions(source, predictions, figures, device="emulated"):
    """None unless every line has an answer; then half of the points, and the other half by how many are right. On a real
    device nothing is counted, so there the emulated one is asked what came out."""
    text = read_text(source)
    told, shares, open_at = [], [], None
    for line in predictions["lines"]:
        answer = answer_in(text, line["label"])
        if is_answer(line, answer):
            share, outcomes = answered(source, line, answer, figures, device)
            shares.append(share)
            told += [f"{line['label']}, at {size_words(line['size'])}", *(f"  {words}" for words in outcomes)]
        else:
            open_at = open_at or line_of_answer(text, line["label"])
            told.append(f"{line['label']}: there is no answer yet; write {wanted_of(line)} behind the colon")
    complete = len(shares) == len(predictions["lines"])
    return Line("your predictions, written in the file", "", None, None, None,
                predictions["points"] * sum(shares) / len(shares) if complete else 0,
                predictions["points"], PASS if complete else FAIL, told, open_at)


def grade_questions(source, questions, figures):
    """On the learner's own runs, once all else passed. Each right answer earns its share; none is needed to pass."""
    text = read_text(source)
    told, right = [], 0
    for line in questions["lines"]:
        answer = answer_in(text, line["label"])
        if not is_answer(line, answer):
            told.append(f"//   {line['label']}: ?")
            continue
        values = [figures.known(run.get("source", source), {**line, **run}) for run in line["runs"]]
        correct = is_right(line, answer, values)
        right += correct
        told.append(f"{line['label']}: {answer} is "
                    + ("right" if correct else f"not within {line['within_percent']:g} % of what your run gives"))
    if any(words.startswith("//") for words in told):
        told.insert(0, "Write a number for each \"?\" into the comment QUESTIONS of your file:")
    return Line("questions on your run, which need not be answered", "", None, None, None,
                questions["points"] * right / len(questions["lines"]), questions["points"],
                PASS if right == len(questions["lines"]) else OPEN, told)


def possible_points(expected, device, model=None):
    parts = [expected["correctness"], *(c for c in expected["criteria"] if bounded(c, device, model))]
    asked = [expected.get("predictions", {}), expected.get("questions", {}) if device == "emulated" else {}]
    return sum(part["points"] for part in parts) + sum(part.get("points", 0) for part in asked)


def figure_runs(source, expected, device, model):
    """What will be asked of runs of this file once every point is right: for criteria, and for lines that have an answer."""
    for criterion in [*expected["criteria"], *expected.get("beyond", ())]:
        criterion = bounded(criterion, device, model)
        if criterion:
            yield criterion
            if "source" not in criterion.get("over", {"source": ""}):
                yield over(criterion)
    text = read_text(source)
    for part in ("predictions", "questions") if device == "emulated" else ():
        for line in expected.get(part, {}).get("lines", ()):
            if is_answer(line, answer_in(text, line["label"])):
                yield from ({**line, **run} for run in line["runs"] if "source" not in run)


def begin(source, expected, model, runs, seed):
    """Begins whatever a grade will ask for, in that order."""
    small_runs(source, expected, runs, seed)
    far_runs(source, expected, runs)
    with contextlib.suppress(OSError):  # of a file that cannot be read, which its build says
        for asked in figure_runs(source, expected, runs.device, model):
            runs.figures(source, asked, asked["size"], seed)


def _lines(source, expected, result, runs, note):
    """The grade's lines, one after the other."""
    device, seed = result.device, result.seed
    begin(source, expected, result.model, runs, seed)
    right, reason, command = correctness(source, expected, runs, seed, note)
    first = score(expected["correctness"], "emulated" if device == "emulated" else "measured", right,
                  at=place_of_code(read_text(source)))
    yield first
    if first.verdict != PASS:
        raise NotYet(f"{reason}\nThe other criteria are graded once every point is right.", command)
    figures = Figures(runs, source, seed)
    size = None
    for criterion in expected["criteria"]:
        if bounded(criterion, device, result.model) and criterion["size"] != size:
            size = criterion["size"]
            note(f"figures at {size_words(size)}:")
        yield grade_figure(source, criterion, device, figures, result.model)
    if "predictions" in expected:
        yield grade_predictions(source, expected["predictions"], figures, device)
    if "questions" in expected and device == "emulated" and result.status == "passed":
        yield grade_questions(source, expected["questions"], figures)
    for criterion in filter(None, (bounded(tier, device, result.model) for tier in expected.get("beyond", ()))):
        yield grade_beyond(source, criterion, figures)


def _stop(result, why):
    """Of a NotYet."""
    result.stopped, result.repeat = str(why), why.command
    failed = next((line.at for line in result.lines if line.verdict == FAIL), None)
    result.at = line_said(result.stopped, os.path.basename(result.source)) or failed


def grade(source, runs, seed, tell, note=lambda sentence: None):
    """Never raises: what ends a grade before its time is part of it. runs: a Runs of the lab, of which none goes on
    afterwards; tell: takes lines; note: what is known before a line is."""
    model = model_of(runs.device)
    possible = possible_points(runs.expected, runs.device, model)
    result = Grade(runs.lab, source, runs.device, seed, possible=possible, model=model)
    try:
        with runs:
            for line in _lines(source, runs.expected, result, runs, note):
                result.lines.append(line)
                tell(line)
        result.at = next((line.at for line in result.lines if line.verdict == FAIL), None)
    except NotYet as why:
        _stop(result, why)
    except (GraderTrouble, OSError, ValueError, KeyError, subprocess.SubprocessError) as trouble:
        result.trouble = str(trouble) or type(trouble).__name__
    return result
