"""Errors, halves and bounds on cells made by hand: what follows from them is known without running anything.

In:  nothing but the modules beside this file, and published.json and bounds.json, which must fit together.
Out: unittest's verdict.
"""
import json
import math
import os
import unittest

import bounds
import compare
import document
import errors
import halves
import ranks
import kinds
import run
import validate

HERE = os.path.dirname(os.path.abspath(__file__))


def cell(row, published, ours, table="t", column="c", unit="GB/s", half=halves.BLIND, evidence="modelled"):
    error = ours - published if unit == "%" else ours / published - 1
    return {"table": table, "row": row, "column": column, "unit": unit, "published": published, "ours": ours, "error": error,
            "evidence": evidence, "half": half}


def table(name, rows, **fields):
    return dict({"name": name, "title": name, "source": "us", "columns": {"c": ["GB/s", "modelled"]},
                 "rows": [dict({"row": row, "published": {"c": 1}}, **more) for row, more in rows]}, **fields)


def load(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        return json.load(file)


class Halves(unittest.TestCase):
    def test_every_second_row_from_the_first_on_is_fitted(self):
        found = halves.halves([table("t", [("a", {}), ("b", {}), ("c", {})])])
        self.assertEqual(found, {("t", "a"): "fitted", ("t", "b"): "blind", ("t", "c"): "fitted"})

    def test_a_table_that_calibrates_nothing_is_blind(self):
        found = halves.halves([table("t", [("a", {}), ("b", {})], fitted=False)])
        self.assertEqual(set(found.values()), {"blind"})

    def test_a_repeated_row_shares_the_half_of_the_first(self):
        found = halves.halves([table("t", [("a", {}), ("b", {})]), table("u", [("c", {"half_of": ["t", "b"]})])])
        self.assertEqual(found["u", "c"], "blind")

    def test_no_published_launch_is_in_both_halves(self):
        tables = load("published.json")["tables"]
        found, by_launch = halves.halves(tables), {}
        for of in tables:
            # laplacian's NY is 512 and seismic's radius 4 where a row says nothing of them
            default = {"laplacian": "512", "seismic": "4"}.get(of["program"])
            for row in of["rows"]:
                launch = (of["program"], *(part for part in row["run"] if part != default))
                if of.get("fitted", True) and of["name"] != "vcopy_memory":  # there one launch has many counters
                    by_launch.setdefault(launch, set()).add(found[of["name"], row["row"]])
        self.assertEqual([launch for launch, of_launch in by_launch.items() if len(of_launch) > 1], [])


class Errors(unittest.TestCase):
    def test_mean_and_worst(self):
        found = errors.summary([cell("a", 100, 110), cell("b", 100, 70), cell("c", 50, 50)])
        self.assertEqual(found["cells"], 3)
        self.assertAlmostEqual(found["mean"], (0.1 + 0.3 + 0) / 3)
        self.assertAlmostEqual(found["worst"], -0.3)
        self.assertEqual(found["worst_at"], ("t", "b", "c"))

    def test_points_count_as_hundredths_and_a_missed_zero_as_all(self):
        self.assertAlmostEqual(errors.relative(cell("a", 40, 43, unit="%")), 0.03)
        self.assertEqual(errors.relative(dict(cell("a", 1, 3), published=0)), 1)
        self.assertEqual(errors.relative(dict(cell("a", 1, 0), published=0)), 0)

    def test_nrmse_is_over_the_mean_of_the_published(self):
        found = errors.summary([cell("a", 1, 2), cell("b", 3, 3), cell("c", 5, 3)])
        self.assertAlmostEqual(found["nrmse"], math.sqrt((1 + 0 + 4) / 3) / 3)

    def test_columns_of_different_units_weigh_the_same(self):
        small = [cell("a", 1, 2), cell("b", 3, 3)]
        large = [dict(one, column="d", published=one["published"] * 1000, ours=one["ours"] * 1000) for one in small]
        self.assertAlmostEqual(errors.summary(small)["nrmse"], errors.summary(small + large)["nrmse"])

    def test_correlation(self):
        self.assertAlmostEqual(errors.summary([cell("a", 1, 3), cell("b", 2, 5), cell("c", 3, 7)])["r"], 1)
        self.assertAlmostEqual(errors.summary([cell("a", 1, 1), cell("b", 2, 3), cell("c", 3, 2)])["r"], 0.5)
        self.assertIsNone(errors.summary([cell("a", 1, 1)])["r"])
        self.assertIsNone(errors.summary([cell("a", 1, 4), cell("b", 2, 4)])["r"])

    def test_order_counts_pairs_more_than_5_percent_apart_in_one_column(self):
        found = errors.summary([cell("a", 100, 100), cell("b", 104, 90), cell("c", 120, 95), cell("d", 1, 1, column="d")])
        self.assertEqual((found["pairs"], found["ordered"]), (2, 1))  # a < c is wrong, b < c right, a and b are too close

    def test_equal_figures_are_not_in_order(self):
        self.assertEqual(errors.summary([cell("a", 1, 5), cell("b", 2, 5)])["ordered"], 0)

    def test_what_is_timed(self):
        self.assertTrue(errors.is_timed(cell("a", 1, 1, unit="clk a 64-lane load")))
        self.assertFalse(errors.is_timed(cell("a", 1, 1, unit="MB")))
        self.assertFalse(errors.is_timed(cell("a", 1, 1, unit="clk", evidence="compiled")))


class Bounds(unittest.TestCase):
    def missed(self, bound, cells, rows=None):
        tables = [table("t", rows or [(one["row"], {}) for one in cells])]
        (_, checked, missed), = bounds.misses(tables, cells, [dict({"what": "", "table": "t", "column": "c"}, **bound)])
        return len(checked), [name for _, name, _ in missed]

    def test_the_fitted_half_is_checked_only_where_a_bound_says_so(self):
        cells = [cell("a", 1, 2), cell("b", 1, 2, half=halves.FITTED)]
        self.assertEqual(self.missed({"kind": "each", "limit": 0.1}, cells), (1, ["a"]))
        self.assertEqual(self.missed({"kind": "each", "limit": 0.1, "half": "both"}, cells), (2, ["a", "b"]))

    def test_mean(self):
        cells = [cell("a", 100, 110), cell("b", 100, 98)]
        self.assertEqual(self.missed({"kind": "mean", "limit": 0.061}, cells)[1], [])
        self.assertEqual(self.missed({"kind": "mean", "limit": 0.059}, cells)[1], ["all rows"])

    def test_a_bound_without_table_and_column_is_on_all_timed_cells(self):
        tables = [table("t", [("a", {})]), table("u", [("a", {})])]
        cells = [cell("a", 1, 1.1), cell("a", 1, 1.3, table="u"), cell("a", 1, 9, unit="MB")]
        for limit, count in ((0.21, 0), (0.19, 1)):
            (_, checked, missed), = bounds.misses(tables, cells, [{"what": "", "kind": "mean", "limit": limit}])
            self.assertEqual((len(checked), len(missed)), (2, count))

    def test_several_tables_and_columns(self):
        tables = [table("t", [("a", {})]), table("u", [("b", {})]), table("v", [("c", {})])]
        cells = [cell("a", 1, 2), cell("b", 1, 2, table="u", column="d"), cell("c", 1, 2, table="v")]
        bound = {"what": "", "table": ["t", "u"], "column": ["c", "d"], "kind": "each", "limit": 0.1}
        self.assertEqual([found["row"] for found, _, _ in bounds.misses(tables, cells, [bound])[0][2]], ["a", "b"])

    def test_most(self):
        cells = [cell("a", 0.92, 0.98), cell("b", 0.92, 0.97)]
        self.assertEqual(self.missed({"kind": "most", "limit": 0.97}, cells)[1], ["a"])

    def test_order(self):
        cells = [cell("a", 100, 100), cell("b", 109, 99), cell("c", 107, 90)]
        self.assertEqual(self.missed({"kind": "order", "limit": 0.08}, cells)[1], ["a < b"])

    def test_ratio(self):
        cells = [cell("a", 137, 125), cell("b", 100, 100)]
        self.assertEqual(self.missed({"kind": "ratio", "of": ["a", "b"], "limit": 1.2}, cells)[1], [])
        self.assertEqual(self.missed({"kind": "ratio", "of": ["a", "b"], "limit": 1.3}, cells)[1], ["a / b"])

    def test_where_a_curve_falls_off_its_plateau(self):
        points = [(1.0, 100), (2.0, 100), (2.4, 96), (2.5, 94), (3.0, 80)]
        self.assertEqual(bounds.knee(points, 2.2, 0.05), 2.5)
        self.assertEqual(bounds.knee(points, 2.2, 0.04), 2.5)
        self.assertEqual(bounds.knee(points, 2.2, 0.01), 2.4)
        self.assertEqual(bounds.knee([(1.5, 70), *points], 2.2, 0.05), 3.0)  # what is on the plateau is no fall
        self.assertIsNone(bounds.knee(points[:3], 2.2, 0.05))  # it does not fall
        self.assertIsNone(bounds.knee(points, 0.5, 0.05))  # there is no plateau

    def test_knee_of_published_plane_sizes(self):
        plane, = (one for one in load("published.json")["tables"] if one["name"] == "plane_size")
        points = [(row["mb"], row["published"]["effective"]) for row in plane["rows"]]
        self.assertEqual(bounds.knee(points, 2.2, 0.05), 2.490)

    def test_knee_bound(self):
        bound = {"kind": "knee", "x": "mb", "plateau_to": 2.2, "fall": 0.05, "range": [2.3, 2.8]}
        rows = [("a", {"mb": 1.0}), ("b", {"mb": 2.5}), ("c", {"mb": 3.0})]
        self.assertEqual(self.missed(bound, [cell("a", 1, 100), cell("b", 1, 90), cell("c", 1, 80)], rows)[1], [])
        self.assertEqual(self.missed(bound, [cell("a", 1, 100), cell("b", 1, 99), cell("c", 1, 80)], rows)[1], ["the knee"])
        self.assertEqual(self.missed(bound, [cell("a", 1, 100), cell("b", 1, 99), cell("c", 1, 99)], rows)[1], ["the knee"])

    def test_misses_are_called_by_what_tells_them_apart(self):
        tables = [table("t", [("a", {})]), table("u", [("a", {})])]
        cells = [cell("a", 1, 2), cell("a", 1, 2, table="u", column="d")]
        bound = {"what": "", "table": ["t", "u"], "column": ["c", "d"], "kind": "each", "limit": 0.1}
        (_, _, missed), = bounds.misses(tables, cells, [bound])
        self.assertEqual([name for _, name, _ in missed], ["a, t, c", "a, u, d"])

    def test_bounds_are_on_cells_that_there_are(self):
        tables = load("published.json")["tables"]
        figures = {of["name"]: {row["row"]: dict.fromkeys(row["published"], 1.0) for row in of["rows"]} for of in tables}
        for bound, checked, _ in bounds.misses(tables, compare.cells(tables, figures), load("bounds.json")["bounds"]):
            self.assertTrue(checked, f"{bound['what']} ({bound.get('table')}) checks nothing.")


class Measured(unittest.TestCase):
    def test_what_it_lacks_is_said(self):
        for measured in ({}, {"laplacian": {}}, {"laplacian": {"1 baseline": {"time": 1}}}):
            with self.assertRaisesRegex(run.Failure, "lacks figures of laplacian, .*: run `make validate`"):
                validate.render({"figures": measured})


class Kinds(unittest.TestCase):
    TABLES = [table("t", [("x a", {}), ("xy b", {})]),
              table("p", [("s", {"mb": 1.0}), ("m", {"mb": 2.5}), ("l", {"mb": 9})])]
    CELLS = [cell("x a", 10, 11), cell("xy b", 10, 20), cell("x a", 10, 40, column="d"), cell("s", 10, 12, table="p"),
             cell("m", 10, 15, table="p"), cell("l", 10, 15, table="p", half=halves.FITTED)]

    def rows(self, **kind):
        text = kinds.render([dict({"family": "f", "time": {}, "memory": {}}, **kind)], self.TABLES, self.CELLS)
        return text.splitlines()[-1]

    def test_errors_of_time_and_of_memory_are_means_over_their_cells(self):
        self.assertEqual(self.rows(time={"t": ["c"]}, memory={"t": ["d"]}),
                         '{"f", \'\\0\', -1, 0, 1e+09, {55.0, 300.0}},')

    def test_rows_are_chosen_by_their_name(self):
        self.assertIn("{10.0, 0.0}", self.rows(time={"t": ["c"]}, rows="x\\b", axis="x", window=True))
        self.assertIn("'x', 1, ", self.rows(time={"t": ["c"]}, rows="x\\b", axis="x", window=True))

    def test_rows_are_chosen_by_the_size_of_their_plane(self):
        self.assertIn("0, 2.2, {20.0, 0.0}", self.rows(time={"p": ["c"]}, plane_mb=[0, 2.2]))
        self.assertIn("2.2, 5, {50.0, 0.0}", self.rows(time={"p": ["c"]}, plane_mb=[2.2, 5]))

    def test_the_fitted_half_says_nothing(self):
        self.assertIn("5, 10, {0.0, 0.0}", self.rows(time={"p": ["c"]}, plane_mb=[5, 10]))

    def test_kinds_name_tables_and_columns_that_there_are(self):
        columns = {of["name"]: of["columns"] for of in load("published.json")["tables"]}
        for kind in load("kinds.json")["kinds"]:
            for figure in ("time", "memory"):
                for name, asked in kind[figure].items():
                    self.assertLessEqual(set(asked), set(columns[name]))


class Ranks(unittest.TestCase):
    def test_equal_values_share_a_rank(self):
        self.assertEqual(ranks.ranks([5, 1, 5, 7]), [1.5, 0, 1.5, 3])

    def test_a_side_that_is_all_alike_has_no_order(self):
        self.assertEqual(ranks.order([(1, 5), (2, 5)]), "none, 0 of 1")
        self.assertEqual(ranks.order([]), "none, 0 of 0")


class Document(unittest.TestCase):
    def test_it_shows_both_halves_the_blind_one_first_and_others(self):
        tables = [table("t", [("a", {}), ("b", {})])]
        figures = {"t": {row: {"c": 1.25} for row in "ab"}, "laplacian": {"1 baseline": {"time": 1}}}
        measured = {"sources": "0", "full_size": {"time": 1}, "figures": figures}
        others = [{"simulator": "S", "figure": "time", "error": "15 %", "cells": "80"}]
        rows = ((1, 100, 50, None), (2, 200, 80, 3), (4, 204, 60, 2), (8, 400, 90, 1))
        gpus = [{"lab": "02-tiling", "on": "G", "kernel": "laplacian", "m": m, "measured": gpu, "ours": ours, "mi250x": amd}
                for m, gpu, ours, amd in rows]
        text, _, _ = document.render(tables, measured, [], others, gpus)
        self.assertLess(text.index("### The blind half"), text.index("### The fitted half"))
        for expected in ("| t | 1 | 25.0 % | +25.0 %, b, c |", "| a | 1 -> 1.25 (+25.0 %) * |",
                         "| b | 1 -> 1.25 (+25.0 %) |", "| S | time | 15 % | 80 |", "### G\n",
                         "| 02 laplacian m 4 | 204 | 60 | 2 |", "| order | | 0.80, 5 of 5 | -1.00, 0 of 2 |"):
            self.assertIn(expected, text)


if __name__ == "__main__":
    unittest.main()
