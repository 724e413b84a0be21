"""Coordinate descent: one parameter at a time, one step up or down, as long as that makes things better.

In:  a function of {name: value}, where to begin, and each parameter's step.
Out: the values from which no single step makes the function smaller. The same every time: parameters take their turns in
     the order of the start, up before down, and no point is evaluated twice.
"""
from typing import NamedTuple

GAIN = 1e-4  # less is no reason to change a parameter


class Step(NamedTuple):
    size: float
    least: float
    most: float


def _stepped(value, step, direction):
    """The neighbour, on no finer a grid than a sum of decimal fractions gives; None if it is out of range."""
    changed = round(value + direction * step.size, 6)
    return changed if step.least <= changed <= step.most else None


def descend(function, start, steps, tell=lambda *step: None):
    known = {}

    def evaluated(values):
        point = tuple(values.items())
        if point not in known:
            known[point] = function(values)
        return known[point]

    def better(values, name, direction):
        """The values after as many steps as help."""
        while (changed := _stepped(values[name], steps[name], direction)) is not None:
            there = {**values, name: changed}
            if tuple(there.items()) in known:
                break
            before, after = evaluated(values), evaluated(there)
            is_better = after < before - GAIN
            tell(name, values[name], changed, before, after, is_better)
            if not is_better:
                break
            values = there
        return values

    values, before = dict(start), None
    while values != before:
        before = values
        for name in start:
            up = better(values, name, +1)
            values = up if up != values else better(values, name, -1)
    return values
