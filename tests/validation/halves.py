"""Which rows may calibrate the model, and which only judge it.

In:  the tables of published.json.
Out: for each row "fitted" or "blind".

The rule leaves no choice: of each table every second row, from the first on, may be fitted; a table that says
"fitted": false calibrates nothing. A row whose kernel or launch stands in another row already says so,
"half_of": [table, row], and shares that row's half; else a figure would be fitted in one table and be blind in the next.
"""
FITTED, BLIND = "fitted", "blind"


def halves(tables):
    """{(table, row): FITTED or BLIND}"""
    by_index = {(table["name"], row["row"]): BLIND if number % 2 or not table.get("fitted", True) else FITTED
                for table in tables for number, row in enumerate(table["rows"])}
    shared = {(table["name"], row["row"]): tuple(row["half_of"]) for table in tables for row in table["rows"]
              if "half_of" in row}
    return {place: by_index.get(shared.get(place), half) for place, half in by_index.items()}
