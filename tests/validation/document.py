"""docs/validation.md as text.

In:  tables of published.json, measured.json, bounds of bounds.json.
Out: Markdown that depends on nothing else; the cells and the misses that it shows.
"""
import compare

INTRODUCTION = """# Validation of the emulated device

Written by `make validate`; do not edit. Each cell: published -> ours (error). Published figures were measured by
others on real hardware. Ours are emulated (counted while executing), modelled (caches, memory traffic, time) or
compiled (reported by the compiler), as each column says; nothing here was measured. An error in percent is relative;
for percentages it is in points, for registers a difference. `*` marks a cell that calibrated a parameter of
`emulator/base/mi250x.ini`; **bold** an error beyond its bound. Mean and spread are the mean and the standard
deviation of log2(ours / published) over the cells that calibrated nothing.
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
    error = show_error(cell, unit)
    return (f"{number(cell['published'])} -> {number(cell['ours'])} ({f'**{error}**' if missed else error})"
            f"{' *' if cell['calibrated'] else ''}")


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


def render_bounds(checked):
    lines = ["## Bounds", "", "On cells that calibrated nothing.", "",
             "| table | bound | cells | beyond it |", "|---|---|---|---|"]
    for bound, count, missed in checked:
        lines.append(f"| {bound['table']} | {bound['what']} | {count} | {len(missed) or 'none'} |")
    lines += ["", "## Not reached", ""]
    beyond = [f"- {bound['table']}, {bound['what']}: " + "; ".join(f"{row} ({amount})" for row, amount in missed)
              for bound, _, missed in checked if missed]
    return lines + (beyond or ["Nothing: every bound holds."]) + [""]


def render_scaling(measured):
    scaled = measured["figures"]["laplacian"]["1 baseline"]
    lines = SCALING.split("\n")
    for column, full in measured["full_size"].items():
        lines.append(f"- {column}: {number(full)} at full size, {number(scaled[column])} carried on "
                     f"({(scaled[column] / full - 1) * 100:+.2f} %)")
    return lines + [""]


def render(tables, measured, bounds):
    """(text, cells, misses)"""
    all_cells = compare.cells(tables, measured["figures"])
    checked = compare.misses(tables, all_cells, bounds)
    lines = INTRODUCTION.split("\n") + render_bounds(checked)
    for table in tables:
        of_table = [cell for cell in all_cells if cell["table"] == table["name"]]
        missed = {(row, bound["column"]) for bound, _, rows in checked if bound["table"] == table["name"]
                  for row, _ in rows}
        lines += render_table(table, of_table, missed)
    lines += render_scaling(measured)
    lines += ["## Sources", "", f"SHA-256 of kernels, parameters and model: `{measured['sources']}`"]
    return "\n".join(lines) + "\n", all_cells, checked
