"""The figures that tables show: where a run's JSON has them, and how they are headed.

In:  a result's "tables" names the figures of its lab's tables, as common/families/ has them.
Out: FIGURES by name, which also is the key of expected.json's published and recorded figures; columns_of() for sweep.py,
     rows_of() for one_run.py.
"""
from typing import NamedTuple

MEMORY, TIME = ("memory", "evidence"), ("time_evidence",)  # where a result says what the evidence is


class Figure(NamedTuple):
    """A figure in tables. evidence: a word, or the path of the result's own word."""
    path: tuple       # in the result
    evidence: object
    row: str = ""     # what a row of it is called; none where it has no row
    head: tuple = ()  # of a column: heading, in two lines; width; decimals
    grows: bool = False  # with the grid


FIGURES = {
    "sgprs": Figure(("compiled", "sgprs"), "compiled", "SGPRs", ("", "SGPR", 5, 0)),
    "vgprs": Figure(("compiled", "vgprs"), "compiled", "VGPRs", ("", "VGPR", 5, 0)),
    "agprs": Figure(("compiled", "agprs"), "compiled", "AGPRs", ("", "AGPR", 5, 0)),
    "scratch_bytes": Figure(("compiled", "scratch_bytes"), "compiled", "scratch, B a lane", ("scratch", "B/lane", 8, 0)),
    "occupancy_waves_per_simd": Figure(("compiled", "occupancy_waves_per_simd"), "compiled", "occupancy, waves a SIMD",
                                       ("waves/", "SIMD", 7, 0)),
    "wavefronts": Figure(("counters", "SQ_WAVES"), "emulated", "wavefronts, SQ_WAVES", grows=True),
    "loads": Figure(("counters", "SQ_INSTS_VMEM_RD"), "emulated", "loads, SQ_INSTS_VMEM_RD", grows=True),
    "stores": Figure(("counters", "SQ_INSTS_VMEM_WR"), "emulated", "stores, SQ_INSTS_VMEM_WR", grows=True),
    "loaded_per_stored": Figure(("loaded_per_stored",), "emulated", "loaded for each stored value",
                                ("loaded/", "stored", 8, 2)),
    "fetch_size_gb": Figure(("memory", "fetch_size_gb"), MEMORY, "FETCH_SIZE, GB", ("FETCH_", "SIZE GB", 9, 3), True),
    "fetch_efficiency_percent": Figure(("memory", "fetch_efficiency_percent"), MEMORY, "fetch efficiency, %",
                                       ("fetch", "eff. %", 7, 1)),
    "write_size_gb": Figure(("memory", "write_size_gb"), MEMORY, "WRITE_SIZE, GB", grows=True),
    "write_efficiency_percent": Figure(("memory", "write_efficiency_percent"), MEMORY, "write efficiency, %"),
    "l2_cache_hit_percent": Figure(("memory", "l2_cache_hit_percent"), MEMORY, "L2CacheHit, %", ("L2Cache", "Hit %", 8, 1)),
    "l1_cubes": Figure(("cubes", "l1"), "emulated", "look-ups in L1, cubes", ("cubes", "L1", 7, 2)),
    "l2_read_cubes": Figure(("cubes", "l2_read"), MEMORY, "read from L2, cubes", ("", "L2 rd", 7, 2)),
    "l2_write_cubes": Figure(("cubes", "l2_write"), "emulated", "written to L2, cubes", ("", "L2 wr", 7, 2)),
    "hbm_cubes": Figure(("cubes", "hbm"), MEMORY, "to and from HBM, cubes", ("", "HBM", 7, 2)),
    "read_write_ratio": Figure(("memory", "read_write_ratio"), MEMORY, "HBM read / write", ("HBM", "rd/wr", 7, 2)),
    "growth_percent": Figure(("layout", "growth_percent"), "exact", "memory beyond packed, %", ("memory", "more %", 8, 1)),
    "time_ms": Figure(("time_ms", "median"), TIME, "kernel time, ms", ("time", "ms", 9, 4), True),
    "speedup": Figure(("speedup",), TIME, head=("speed-", "up", 7, 2)),
    "effective_bandwidth_gbs": Figure(("effective_bandwidth_gbs",), TIME, "effective bandwidth, GB/s",
                                      ("effec.", "GB/s", 7, 0)),
    "achieved_bandwidth_gbs": Figure(("memory", "achieved_bandwidth_gbs"), TIME, "achieved bandwidth, GB/s",
                                     ("achiev.", "GB/s", 8, 0)),
    "copy_percent": Figure(("copy", "percent"), TIME, "% of the device's own copy", ("% of", "copy", 7, 1)),
    "percent_of_target": Figure(("percent_of_target",), TIME, "% of target 1165 GB/s", ("% of", "target", 7, 1)),
}


def columns_of(result):
    """Heading, in two lines; width; decimals; key of the published figure; path in the result; whether it grows with the
    grid: of each column of the lab's table of stages."""
    return [(*FIGURES[name].head, name, FIGURES[name].path, FIGURES[name].grows) for name in result["tables"]["columns"]]


def rows_of(result):
    """Row; key of the published figure; path in the result; evidence; whether it grows with the grid: of each row of the
    lab's table of one run."""
    return [(FIGURES[name].row, name, FIGURES[name].path, FIGURES[name].evidence, FIGURES[name].grows)
            for name in result["tables"]["rows"]]
