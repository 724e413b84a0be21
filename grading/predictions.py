"""Reads what a learner predicted in comments of the .hip file and puts what came out beside it.

In:  the comment lines "//   LABEL (...): ANSWER" of the source, one for each line of expected.json's "predictions";
     an answer is a number, or one of the three choices "less, same, more" in the line's own words.
Out: a printed line each and the points: all when every line has an answer. A wrong guess costs nothing; none does.
"""
import re

NUMBER = re.compile(r"\d+(\.\d+)?$")


def find_answer(text, label):
    """What stands behind the label, None if the line or its answer is missing."""
    found = re.search(r"^//\s*" + re.escape(label) + r"[^:\n]*:[ \t]*(\S+)[ \t]*$", text, re.MULTILINE)
    return found[1] if found else None


def answer_in(text, label):
    return find_answer(text, label) or "?"


def is_answer(line, answer):
    return answer in line["choices"] if "choices" in line else bool(NUMBER.match(answer))


def outcome(line, values):
    """What came out, in the line's terms, with the numbers behind it. values: of the line's runs, None where unknown."""
    if None in values:
        return "not known on this device"
    if "choices" not in line:
        return f"{values[0]:.4g}"
    change = 100 * (values[1] / values[0] - 1)
    side = 1 if abs(change) <= line["same_within_percent"] else 0 if change < 0 else 2
    return f"{line['choices'][side]} ({values[0]:.4g} -> {values[1]:.4g})"


def grade_predictions(source, expected, runs):
    """Prints each prediction beside its outcome. Returns [(points, all of them, possible)], [] for a lab without any."""
    if "predictions" not in expected:
        return []
    with open(source, encoding="utf-8", errors="replace") as file:
        text = file.read()
    lines, possible = expected["predictions"]["lines"], expected["predictions"]["points"]
    answers = [answer_in(text, line["label"]) for line in lines]
    complete = all(map(is_answer, lines, answers))
    print(f"  {'pass' if complete else 'FAIL':<5} {'your predictions, written in the file':<85} "
          f"{possible if complete else 0:>6}/{possible}")
    for line, answer in zip(lines, answers):
        if is_answer(line, answer):
            values = [runs.known(run.get("source", source), {**line, **run}) for run in line["runs"]]
            print(f"        {line['label']}: you wrote {answer}, it came out {outcome(line, values)}  "
                  f"({line['evidence']})")
        else:
            wanted = " or ".join(line["choices"]) if "choices" in line else "a number"
            print(f"        {line['label']}: there is no answer yet; write {wanted} behind the colon")
    return [(possible if complete else 0, complete, possible)]
