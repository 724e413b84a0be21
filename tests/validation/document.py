"""docs/validation.md as text.

In:  tables of published.json, measured.json, bounds of bounds.json, other simulators of others.json, GPUs of gpus.json.
Out: Markdown that depends on nothing else; the cells and the misses that it shows.
"""
import bounds as bounds_of
import compare
import errors
import halves
import ranks

INTRODUCTION = """# Validation of the emulated device

Written by `make validate`; do not edit. Each cell: published -> ours (error). Published figures were measured by
others on real hardware. Ours are emulated (counted while executing), modelled (caches, memory traffic, time) or
compiled (reported by the compiler), as each column says; nothing here was measured. An error in percent is relative;
for percentages it is in points, for registers a difference.

Of each table every second row, from the first on, may be used to calibrate parameters of `emulator/base/mi250x.ini`:
the fitted half, marked `*`. All others are called blind: they are there to judge. The search began at values chosen
with rows of both halves in view (`docs/memory-model.md`, What is calibrated). Where a kernel stands in two tables, or
under two names, both rows are in the same half. Of registers, instructions and single rows nothing is fitted, so all
are blind.
**Bold** is an error beyond its bound. Mean and spread are the mean and the standard deviation of
log2(ours / published) over the blind half.
"""

ERRORS = """## Errors

Mean is that of the absolute errors. NRMSE is the root of the mean squared error over the mean of the published figures, r is
Pearson's correlation; where a table has several columns, each is first divided by its published mean. Order counts the
pairs in a column that were published more than 5 % apart and that ours puts in the published order.
"""

OTHERS = """### What others print about their simulators

On other devices and programs, so this says what is usual, not who is better.
"""

SCALING = """## Reduced sizes

The Laplacian's baseline was also run at 512 x 512 x 512, to check what carrying on from fewer planes does:
"""


def number(value):
    return f"{value:.4g}" if abs(value) < 10000 else f"{value:.0f}"


def show_error(cell, unit):
    if compare.is_difference(unit, cell["evidence"]) or cell["published"] == 0:
        return f"{cell['error']:+.3g}{' points' if unit == '%' else ''}"
    return f"{cell['error']:+.1%}".replace("%", " %")


def show_cell(cell, unit, missed):
    mark = " *" if cell["half"] == halves.FITTED else ""
    error = show_error(cell, unit)
    return f"{number(cell['published'])} -> {number(cell['ours'])} ({f'**{error}**' if missed else error}){mark}"


def table_head(table, columns):
    lines = [f"## {table['title']}", "", f"Published: {table['source']}."]
    if "sizes" in table:
        small, large = table["sizes"]
        lines.append(f"Ours: run with {small} and {large} {table['scaled']}, carried on to {table['full']}.")
    if "device" in table:
        lines.append(f"Device: `EMULATOR_DEVICE={table['device']}`.")
    heads = []
    for column in columns:
        unit, evidence = table["columns"][column]
        heads.append(f"{column}{', ' if unit else ''}{unit} ({evidence})")
    return lines + ["", "| row | " + " | ".join(heads) + " |", "|---" * (len(columns) + 1) + "|"]


def render_table(table, of_table, missed):
    """missed: {(row, column)} beyond a bound."""
    columns = [column for column in table["columns"] if any(cell["column"] == column for cell in of_table)]
    by_place = {(cell["row"], cell["column"]): cell for cell in of_table}
    lines = table_head(table, columns)
    for row in table["rows"]:
        places = [(row["row"], column) for column in columns]
        shown = [show_cell(by_place[place], table["columns"][place[1]][0], place in missed) if place in by_place else ""
                 for place in places]
        lines.append(f"| {row['row']} | " + " | ".join(shown) + " |")
    spreads = [compare.spread([cell for cell in of_table if cell["column"] == column]) for column in columns]
    if any(spreads) and not table.get("compiled"):
        shown = [f"{spread[0]:+.3f}, {spread[1]:.3f}" if spread else "" for spread in spreads]
        lines.append("| mean and spread of log2(ours / published) | " + " | ".join(shown) + " |")
    return lines + [""]


def percent(value):
    return f"{value:+.1%}".replace("%", " %")


def errors_line(name, cells):
    of = errors.summary(cells)
    nrmse, r = ("" if of[key] is None else f"{of[key]:.3f}" for key in ("nrmse", "r"))
    table, row, column = of["worst_at"]
    at = f"{row}, {column}" if name == table else f"{table}, {row}, {column}"
    order = f"{of['ordered']} of {of['pairs']}" if of["pairs"] else ""
    return f"| {name} | {of['cells']} | {percent(of['mean'])[1:]} | {percent(of['worst'])}, {at} | {nrmse} | {r} | {order} |"


def render_errors(tables, all_cells, others):
    """The blind half first: it is what says how far to trust a figure."""
    lines = ERRORS.split("\n")
    for half in (halves.BLIND, halves.FITTED):
        of_half = [cell for cell in all_cells if cell["half"] == half]
        groups = [("**all timed cells**", [cell for cell in of_half if errors.is_timed(cell)]), ("**all cells**", of_half)]
        groups += [(table["name"], [cell for cell in of_half if cell["table"] == table["name"]]) for table in tables]
        lines += [f"### The {half} half", "", "| table | cells | mean | worst | NRMSE | r | order |", "|---" * 7 + "|"]
        lines += [errors_line(name, cells) for name, cells in groups if cells] + [""]
    lines += OTHERS.split("\n") + ["| simulator | figure | error | cells behind it |", "|---|---|---|---|"]
    lines += [f"| {other['simulator']} | {other['figure']} | {other['error']} | {other['cells']} |" for other in others]
    return lines + [""]


def render_bounds(checked):
    lines = ["## Bounds", "", "On the blind half, or on both where it says so.", "",
             "| table | bound | cells | beyond it |", "|---|---|---|---|"]
    beyond = []
    for bound, cells, missed in checked:
        table = bound.get("table", "all")
        table = ", ".join(table) if isinstance(table, list) else table
        name = bound["what"] + (" (both halves)" if bound.get("half") == "both" else "")
        lines.append(f"| {table} | {name} | {len(cells)} | {len(missed) or 'none'} |")
        if missed:
            beyond.append(f"- {table}, {name}: " + "; ".join(f"{what} ({amount})" for _, what, amount in missed))
    return lines + ["", "## Not reached", ""] + (beyond or ["Nothing: every bound holds."]) + [""]


def render_scaling(measured):
    scaled = measured["figures"]["laplacian"]["1 baseline"]
    lines = SCALING.split("\n")
    for column, full in measured["full_size"].items():
        lines.append(f"- {column}: {number(full)} at full size, {number(scaled[column])} carried on "
                     f"({(scaled[column] / full - 1) * 100:+.2f} %)")
    return lines + [""]


def render(tables, measured, bounds, others, gpus):
    """(text, cells, misses)"""
    all_cells = compare.cells(tables, measured["figures"])
    checked = bounds_of.misses(tables, all_cells, bounds)
    lines = INTRODUCTION.split("\n") + render_errors(tables, all_cells, others) + render_bounds(checked)
    for table in tables:
        of_table = [cell for cell in all_cells if cell["table"] == table["name"]]
        missed = {(cell["row"], cell["column"]) for _, _, missed in checked for cell, _, _ in missed
                  if cell and cell["table"] == table["name"]}
        lines += render_table(table, of_table, missed)
    lines += render_scaling(measured) + ranks.render(gpus)
    lines += ["## Sources", "", f"SHA-256 of kernels, parameters and model: `{measured['sources']}`"]
    return "\n".join(lines) + "\n", all_cells, checked
