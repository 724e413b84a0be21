"""Sets figures beside the published ones.

In:  tables of published.json, figures of run.py.
Out: cells {table, row, column, unit, published, ours, error, evidence, half}.

An error is ours / published - 1, but a difference where that says more: for percentages (points) and for what the
compiler reports.
"""
import math

import halves


def is_difference(unit, evidence):
    return unit == "%" or evidence == "compiled"


def _error(published, ours, unit, evidence):
    error = ours - published if is_difference(unit, evidence) or published == 0 else ours / published - 1
    return float(f"{error:.4g}")


def cells(tables, figures):
    found, half = [], halves.halves(tables)
    for table in tables:
        for row in table["rows"]:
            for column, published in row["published"].items():
                unit, evidence = table["columns"][column]
                evidence = row.get("evidence", evidence)
                ours = figures[table["name"]][row["row"]][column]
                found.append({"table": table["name"], "row": row["row"], "column": column, "unit": unit,
                              "published": published, "ours": ours, "error": _error(published, ours, unit, evidence),
                              "evidence": evidence, "half": half[table["name"], row["row"]]})
    return found


def spread(of_column):
    """Mean and standard deviation of log2(ours / published) over the blind half; None if it has too few cells."""
    logs = [math.log2(cell["ours"] / cell["published"]) for cell in of_column
            if cell["half"] == halves.BLIND and cell["ours"] > 0 and cell["published"] > 0]
    if len(logs) < 2:
        return None
    mean = sum(logs) / len(logs)
    return mean, math.sqrt(sum((log - mean) ** 2 for log in logs) / len(logs))
