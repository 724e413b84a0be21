"""Compares figures with the published ones: errors, spread, and whether the bounds hold.

In:  tables of published.json, figures of run.py, bounds of bounds.json.
Out: cells {table, row, column, published, ours, error, evidence, calibrated}; per bound what misses it.

An error is ours / published - 1, but a difference where that says more: for percentages (points) and for what the
compiler reports.
"""
import math


def is_difference(unit, evidence):
    return unit == "%" or evidence == "compiled"


def cells(tables, figures):
    found = []
    for table in tables:
        for row in table["rows"]:
            for column, published in row["published"].items():
                unit, evidence = table["columns"][column]
                evidence = row.get("evidence", evidence)
                ours = figures[table["name"]][row["row"]][column]
                difference = is_difference(unit, evidence) or published == 0
                error = ours - published if difference else ours / published - 1
                found.append({"table": table["name"], "row": row["row"], "column": column, "published": published,
                              "ours": ours, "error": float(f"{error:.4g}"), "evidence": evidence,
                              "calibrated": column in row.get("calibrated", [])})
    return found


def spread(of_column):
    """Mean and standard deviation of log2(ours / published) over the cells that did not calibrate; None if too few."""
    logs = [math.log2(cell["ours"] / cell["published"]) for cell in of_column
            if not cell["calibrated"] and cell["ours"] > 0 and cell["published"] > 0]
    if len(logs) < 2:
        return None
    mean = sum(logs) / len(logs)
    return mean, math.sqrt(sum((log - mean) ** 2 for log in logs) / len(logs))


def _each(checked, bound, rows):
    return [(cell["row"], f"{cell['error']:+.1%}") for cell in checked if abs(cell["error"]) > bound["limit"]]


def _difference(checked, bound, rows):
    return [(cell["row"], f"{cell['ours'] - cell['published']:+.4g}") for cell in checked
            if abs(cell["ours"] - cell["published"]) > bound["limit"]]


def _range(checked, bound, rows):
    missed = []
    for cell in checked:
        low, high = rows[cell["row"]]["range"]
        if not low <= cell["ours"] <= high and abs(cell["error"]) > bound["limit"]:
            missed.append((cell["row"], f"{cell['error']:+.1%}"))
    return missed


def _mean(checked, bound, rows):
    mean = sum(abs(cell["error"]) for cell in checked) / len(checked)
    return [("all rows", f"{mean:.1%}")] if mean > bound["limit"] else []


def _order(checked, bound, rows):
    missed = []
    for a in checked:
        for b in checked:
            if b["published"] > a["published"] * (1 + bound["limit"]) and b["ours"] <= a["ours"]:
                missed.append((f"{a['row']} < {b['row']}", f"{a['ours']:.4g} and {b['ours']:.4g}"))
    return missed


KINDS = {"each": _each, "difference": _difference, "range": _range, "mean": _mean, "order": _order}


def misses(tables, all_cells, bounds):
    """[(bound, how many cells were checked, [(row, by how much)])] in the order of the bounds."""
    found = []
    by_name = {table["name"]: {row["row"]: row for row in table["rows"]} for table in tables}
    for bound in bounds:
        if bound["table"] not in by_name:
            continue
        rows = by_name[bound["table"]]
        key, value = bound.get("only", (None, None))
        checked = [cell for cell in all_cells
                   if (cell["table"], cell["column"]) == (bound["table"], bound["column"]) and not cell["calibrated"]
                   and (key is None or rows[cell["row"]].get(key) == value)]
        found.append((bound, len(checked), KINDS[bound["kind"]](checked, bound, rows) if checked else []))
    return found
