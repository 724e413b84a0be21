"""The table of make profile: what is shown as one row, which array and plane an access is of, sums, spills, LDS."""
import unittest

from tools.access_table import full_table, groups, table

RESULT = {"source": "labs/02-tiling/laplacian.hip", "kernel": "laplacian", "element_bytes": 8, "nx": 10, "ny": 6, "nz": 5,
          "interior_points": 8 * 4 * 3, "layout": {"ld": 10, "radius": 1}}
ORIGIN, PLANE = 8 * (1 + 10 + 60), 60 * 8


def row(line, action="load", away=0, allocation="0x1", **more):
    return {"file": "labs/02-tiling/laplacian.hip", "line": str(line), "offset": "0x0", "instruction": "global_load_dwordx2",
            "action": action, "executions": "10", "lines": "8", "fewest_lines": "4", "requested_bytes": "1000000",
            "fetched_bytes": "500000", "l1_hit_percent": "50", "l2_hit_percent": "", "l1_lookups": "80", "l2_requests": "0",
            "allocation": allocation, "byte": str(ORIGIN + away), **more}


STORE = row(9, "store", allocation="0x2", l1_hit_percent="")


def shown(*rows, result=RESULT):
    return [(group.place, group.what, group.which, group.instructions) for group in groups([*rows, STORE], result)]


class Rows(unittest.TestCase):
    def test_are_of_one_line_and_plane_and_neighbour_along_x(self):
        rows = [row(7, away=-PLANE), row(7, away=-PLANE + 80), row(7, away=PLANE), row(8, away=8), row(8, away=160 - 8)]
        self.assertEqual(shown(*rows), [
            ("laplacian.hip:7", "load", "u, plane k-1", 2), ("laplacian.hip:7", "load", "u, plane k+1", 1),
            ("laplacian.hip:8", "load", "u, plane k, i+1", 1), ("laplacian.hip:8", "load", "u, plane k, i-1", 1),
            ("laplacian.hip:9", "store", "f, plane k", 1)])

    def test_of_wide_loads_have_all_points_that_are_not_the_threads_own(self):
        wide = row(7, away=-8, instruction="global_load_dwordx4 v[0:3], v[8:9], off offset:-8")
        self.assertIn(("laplacian.hip:7", "load", "u, plane k, i-1, i", 1), shown(wide))
        pair = {**STORE, "instruction": "global_store_dwordx4"}
        self.assertEqual([group.which for group in groups([{**wide, "byte": str(ORIGIN)}, pair], RESULT)],
                         ["u, plane k", "f, plane k"])

    def test_of_spills_are_the_kernels_whatever_line_they_have(self):
        spill = {"instruction": "buffer_store_dword", "action": "store", "allocation": "", "byte": ""}
        rows = [row(30, **{**spill, "file": "/opt/rocm/include/hip/amd_hip_runtime.h"}), row("", **spill), row(3, **spill)]
        self.assertEqual(shown(*rows)[-1], ("the kernel", "store", "spilled registers", 3))

    def test_of_lds_and_of_the_device_library_are_named_so(self):
        self.assertIn(("laplacian.hip:5", "load", "LDS", 1), shown(row(5, instruction="ds_read_b64", allocation="")))
        self.assertIn(("laplacian.hip:5", "load", "LDS or memory", 1), shown(row(5, instruction="flat_load", allocation="")))
        self.assertIn(("device library", "load", "u, plane k", 1), shown(row("", file="")))

    def test_of_one_array_for_all_have_no_planes(self):
        rows = [row(5, away=away, allocation="0x2") for away in (0, 480)]
        self.assertIn(("laplacian.hip:5", "load", "the array", 2), shown(*rows))

    def test_count_the_halo_where_it_is_not_counted_in_the_size(self):
        result = {**RESULT, "interior_points": 300, "layout": {"ld": 16, "radius": 4}}
        self.assertIn(("laplacian.hip:5", "load", "u, plane k+1", 1), shown(row(5, away=16 * 14 * 8), result=result))


class Table(unittest.TestCase):
    def test_has_sums_means_and_shares(self):
        other = row(8, executions="30", lines="12", l1_lookups="240", l1_hit_percent="100")
        lines = table([row(7, away=-PLANE), other, STORE], RESULT)
        load, store, whole = (next(line.split() for line in lines if line.startswith(f"  all  {words}"))
                              for words in ("load", "store", "both"))
        self.assertEqual(load[2:], ["2", "40", "11.00", "4.00", "2.0", "1.0", "88", "-"])
        self.assertEqual(store[2:4], ["1", "10"])
        self.assertEqual(whole[2:4], ["3", "50"])

    def test_explains_its_columns_and_has_each_instruction_on_request(self):
        self.assertIn("lines:   lines of 64 B", table([STORE], RESULT)[-2])
        self.assertEqual(sum("global_load_dwordx2" in line for line in full_table([row(7), row(7), STORE], RESULT)), 3)

    def test_says_what_stands_for_a_line_where_there_is_none(self):
        spill = row("", instruction="buffer_store_dword", action="store", allocation="", byte="")
        said = "\n".join(table([row(7), spill, row("", file=""), STORE], RESULT))
        self.assertRegex(said, r"\n  -    store spilled registers .*\n  lib. load  u, plane k ")
        self.assertIn('"-" is code without a line of its own', said)
        self.assertNotIn('"-" is code', "\n".join(table([row(7), STORE], RESULT)))

    def test_fits_into_a_terminal(self):
        wide = row(123, away=-8, instruction="global_load_dwordx4", executions="15667200", requested_bytes="16000000000",
                   fetched_bytes="12000000000", l1_hit_percent="100")
        for lines in (table([wide, STORE], RESULT), full_table([{**wide, "instruction": "v" * 72}, STORE], RESULT)):
            self.assertLessEqual(max(map(len, "\n".join(lines).splitlines())), 80)

    def test_of_nothing_says_so(self):
        self.assertEqual(table([], RESULT), ["memory by source line: no load or store was executed"])


if __name__ == "__main__":
    unittest.main()
