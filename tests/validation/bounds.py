"""Do the bounds hold?

In:  tables of published.json, cells of compare.py, bounds of bounds.json.
Out: per bound how many cells it checks and what misses it.

A bound names a "kind" (KINDS below), a "limit" or "range", and its cells: "table" (one, several, or none for all) and
"column" (one, several, or none for all that are timed), "only": [field, value] of their rows. It checks the blind half,
unless it says "half": "both", as bounds on a shape do (an order, a ratio), which need every row.
"""
import errors
import halves


def _name(cell, bound):
    """Its row, and what else is needed to know it by."""
    others = [cell[key] for key in ("table", "column") if not isinstance(bound.get(key), str)]
    return ", ".join([cell["row"], *others])


def _relative(cell, bound):
    return cell, _name(cell, bound), f"{cell['error']:+.1%}"


def _each(checked, bound, rows):
    return [_relative(cell, bound) for cell in checked if abs(cell["error"]) > bound["limit"]]


def _difference(checked, bound, rows):
    return [(cell, _name(cell, bound), f"{cell['ours'] - cell['published']:+.4g}") for cell in checked
            if abs(cell["ours"] - cell["published"]) > bound["limit"]]


def _range(checked, bound, rows):
    """Within what was published of a noisy figure, or the limit."""
    missed = []
    for cell in checked:
        low, high = rows[cell["table"], cell["row"]]["range"]
        if not low <= cell["ours"] <= high and abs(cell["error"]) > bound["limit"]:
            missed.append(_relative(cell, bound))
    return missed


def _mean(checked, bound, rows):
    mean = sum(abs(errors.relative(cell)) for cell in checked) / len(checked)
    return [(None, "all rows", f"{mean:.1%}")] if mean > bound["limit"] else []


def _order(checked, bound, rows):
    """Of rows of several tables, too, so a bound on an order names one column."""
    return [(None, f"{_name(a, bound)} < {_name(b, bound)}", f"{a['ours']:.4g} and {b['ours']:.4g}")
            for a, b in errors.misplaced(checked, bound["limit"])[1]]


def _most(checked, bound, rows):
    return [(cell, _name(cell, bound), f"{cell['ours']:.4g}") for cell in checked
            if cell["ours"] > bound["limit"]]


def knee(points, plateau_to, fall):
    """Where a curve falls off its plateau: the first x beyond `plateau_to` at which y is more than `fall` below the mean of
    all y up to there. None if it never falls, or has no plateau."""
    plateau = [y for x, y in points if x <= plateau_to]
    if not plateau:
        return None
    least = (1 - fall) * sum(plateau) / len(plateau)
    return min((x for x, y in points if x > plateau_to and y < least), default=None)


def _knee(checked, bound, rows):
    low, high = bound["range"]
    points = [(rows[cell["table"], cell["row"]][bound["x"]], cell["ours"]) for cell in checked]
    at = knee(points, bound["plateau_to"], bound["fall"])
    if at is not None and low <= at <= high:
        return []
    return [(None, "the knee", "there is none" if at is None else f"{at:.2f}")]


def _ratio(checked, bound, rows):
    """Of the two rows named in "of", the first over the second."""
    found = {cell["row"]: cell["ours"] for cell in checked}
    first, second = bound["of"]
    ratio = found[first] / found[second]
    return [(None, f"{first} / {second}", f"{ratio:.2f}")] if ratio < bound["limit"] else []


KINDS = {"each": _each, "difference": _difference, "range": _range, "mean": _mean, "order": _order, "most": _most,
         "knee": _knee, "ratio": _ratio}


def _is_meant(cell, bound, row):
    def among(name, asked):
        return name in asked if isinstance(asked, list) else name == asked
    field, value = bound.get("only", (None, None))
    return (among(cell["table"], bound.get("table", cell["table"]))
            and (among(cell["column"], bound["column"]) if "column" in bound else errors.is_timed(cell))
            and (cell["half"] == halves.BLIND or bound.get("half") == "both")
            and (field is None or row.get(field) == value))


def misses(tables, all_cells, bounds):
    """[(bound, cells that were checked, misses)] in the order of the bounds; a miss is the cell that is beyond it, None
    where it is of many; what it is called; by how much."""
    rows = {(table["name"], row["row"]): row for table in tables for row in table["rows"]}
    found = []
    for bound in bounds:
        checked = [cell for cell in all_cells if _is_meant(cell, bound, rows[cell["table"], cell["row"]])]
        found.append((bound, checked, KINDS[bound["kind"]](checked, bound, rows) if checked else []))
    return found
