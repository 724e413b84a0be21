"""Reads what a learner predicted in comments of the .hip file and puts what came out beside it.

In:  the comment lines "//   LABEL (...): ANSWER" of the source, one for each line of expected.json's "predictions";
     an answer is a number, or one of the three choices "less, same, more" in the line's own words.
     Questions after a pass are lines like these, and ask for numbers.
Out: the answers, what came out in the same terms, and whether the answer is that.
"""
import re

RIGHT_WITHIN_PERCENT = 10  # of a number that was predicted
NUMBER = re.compile(r"\d+(\.\d+)?$")


def find_answer(text, label):
    """What stands behind the label, None if the line or its answer is missing."""
    found = re.search(r"^//\s*" + re.escape(label) + r"[^:\n]*:[ \t]*(\S+)[ \t]*$", text, re.MULTILINE)
    return found[1] if found else None


def answer_in(text, label):
    return find_answer(text, label) or "?"


def is_answer(line, answer):
    return answer in line["choices"] if "choices" in line else bool(NUMBER.match(answer))


def change_of(values):
    """In percent."""
    return 100 * (values[1] / values[0] - 1)


def choice_of(line, values):
    change = change_of(values)
    side = 1 if abs(change) <= line["same_within_percent"] else 0 if change < 0 else 2
    return line["choices"][side]


def outcome(line, values):
    """What came out, in the line's terms. values: of the line's runs, None where unknown."""
    if None in values:
        return "not known on this device"
    return choice_of(line, values) if "choices" in line else f"{values[0]:.4g}"


def numbers_behind(line, values):
    """Lines on the numbers that a choice follows from."""
    if "choices" not in line or None in values:
        return []
    return [f"{values[0]:.4g} -> {values[1]:.4g}, {change_of(values):+.1f} %; "
            f"up to {line['same_within_percent']:g} % counts as the same"]


def is_right(line, answer, values):
    """Whether an answer is what came out, a number to within so many percent."""
    if None in values:
        return False
    if "choices" in line:
        return answer == choice_of(line, values)
    return abs(float(answer) - values[0]) <= abs(values[0]) * line.get("within_percent", RIGHT_WITHIN_PERCENT) / 100


def wanted_of(line):
    """What an answer may be, for people."""
    return " or ".join(line["choices"]) if "choices" in line else "a number"
