"""The figures that tables show for each family of labs: where a run's JSON has them and what expected.json calls them.

In:  expected.json's "family" names the table.
Out: COLUMNS for sweep.py, ROWS for one_run.py; data only.
"""

# Heading, in two lines; width; decimals; key of the published figure; path in the result; whether it grows with the grid.
COLUMNS = {
    "laplacian": [
        ("loaded/", "stored", 8, 2, "loaded_per_stored", ("loaded_per_stored",), False),
        ("time", "ms", 9, 4, "time_ms", ("time_ms", "median"), True),
        ("% of", "target", 7, 1, "percent_of_target", ("percent_of_target",), False),
        ("speed-", "up", 7, 2, "speedup", ("speedup",), False),
        ("FETCH_", "SIZE GB", 9, 3, "fetch_size_gb", ("memory", "fetch_size_gb"), True),
        ("fetch", "eff. %", 7, 1, "fetch_efficiency_percent", ("memory", "fetch_efficiency_percent"), False),
        ("L2Cache", "Hit %", 8, 1, "l2_cache_hit_percent", ("memory", "l2_cache_hit_percent"), False),
        ("", "SGPR", 5, 0, "sgprs", ("compiled", "sgprs"), False),
        ("", "VGPR", 5, 0, "vgprs", ("compiled", "vgprs"), False),
        ("scratch", "B/lane", 8, 0, "scratch_bytes", ("compiled", "scratch_bytes"), False),
        ("waves/", "SIMD", 7, 0, "occupancy_waves_per_simd", ("compiled", "occupancy_waves_per_simd"), False),
    ],
    "derivative": [
        ("loaded/", "stored", 8, 2, "loaded_per_stored", ("loaded_per_stored",), False),
        ("time", "ms", 9, 4, "time_ms", ("time_ms", "median"), True),
        ("effec.", "GB/s", 7, 0, "effective_bandwidth_gbs", ("effective_bandwidth_gbs",), False),
        ("achiev.", "GB/s", 8, 0, "achieved_bandwidth_gbs", ("memory", "achieved_bandwidth_gbs"), False),
        ("speed-", "up", 7, 2, "speedup", ("speedup",), False),
        ("cubes", "L1", 7, 2, "l1_cubes", ("cubes", "l1"), False),
        ("", "L2 rd", 7, 2, "l2_read_cubes", ("cubes", "l2_read"), False),
        ("", "L2 wr", 7, 2, "l2_write_cubes", ("cubes", "l2_write"), False),
        ("", "HBM", 7, 2, "hbm_cubes", ("cubes", "hbm"), False),
        ("HBM", "rd/wr", 7, 2, "read_write_ratio", ("memory", "read_write_ratio"), False),
        ("memory", "more %", 8, 1, "growth_percent", ("layout", "growth_percent"), False),
        ("", "VGPR", 5, 0, "vgprs", ("compiled", "vgprs"), False),
        ("scratch", "B/lane", 8, 0, "scratch_bytes", ("compiled", "scratch_bytes"), False),
    ],
    "lbm": [
        ("", "SGPR", 5, 0, "sgprs", ("compiled", "sgprs"), False),
        ("", "VGPR", 5, 0, "vgprs", ("compiled", "vgprs"), False),
        ("", "AGPR", 5, 0, "agprs", ("compiled", "agprs"), False),
        ("scratch", "B/lane", 8, 0, "scratch_bytes", ("compiled", "scratch_bytes"), False),
        ("waves/", "SIMD", 7, 0, "occupancy_waves_per_simd", ("compiled", "occupancy_waves_per_simd"), False),
        ("loaded/", "stored", 8, 2, "loaded_per_stored", ("loaded_per_stored",), False),
        ("FETCH_", "SIZE GB", 9, 3, "fetch_size_gb", ("memory", "fetch_size_gb"), True),
        ("time", "ms", 9, 4, "time_ms", ("time_ms", "median"), True),
        ("speed-", "up", 7, 2, "speedup", ("speedup",), False),
        ("effec.", "GB/s", 7, 0, "effective_bandwidth_gbs", ("effective_bandwidth_gbs",), False),
    ],
}

# Row; key of the published figure, None if there is none; path in the result; evidence: a word, or the path of the
# result's own word; whether it grows with the grid.
ROWS = {
    "laplacian": [
        ("SGPRs", "sgprs", ("compiled", "sgprs"), "compiled", False),
        ("VGPRs", "vgprs", ("compiled", "vgprs"), "compiled", False),
        ("scratch, B a lane", "scratch_bytes", ("compiled", "scratch_bytes"), "compiled", False),
        ("occupancy, waves a SIMD", "occupancy_waves_per_simd", ("compiled", "occupancy_waves_per_simd"), "compiled",
         False),
        ("wavefronts, SQ_WAVES", None, ("counters", "SQ_WAVES"), "emulated", True),
        ("loads, SQ_INSTS_VMEM_RD", None, ("counters", "SQ_INSTS_VMEM_RD"), "emulated", True),
        ("stores, SQ_INSTS_VMEM_WR", None, ("counters", "SQ_INSTS_VMEM_WR"), "emulated", True),
        ("loaded for each stored value", "loaded_per_stored", ("loaded_per_stored",), "emulated", False),
        ("FETCH_SIZE, GB", "fetch_size_gb", ("memory", "fetch_size_gb"), ("memory", "evidence"), True),
        ("fetch efficiency, %", "fetch_efficiency_percent", ("memory", "fetch_efficiency_percent"), ("memory", "evidence"),
         False),
        ("WRITE_SIZE, GB", "write_size_gb", ("memory", "write_size_gb"), ("memory", "evidence"), True),
        ("write efficiency, %", "write_efficiency_percent", ("memory", "write_efficiency_percent"), ("memory", "evidence"),
         False),
        ("L2CacheHit, %", "l2_cache_hit_percent", ("memory", "l2_cache_hit_percent"), ("memory", "evidence"), False),
        ("kernel time, ms", "time_ms", ("time_ms", "median"), ("time_evidence",), True),
        ("effective bandwidth, GB/s", "effective_bandwidth_gbs", ("effective_bandwidth_gbs",), ("time_evidence",), False),
        ("% of target 1165 GB/s", "percent_of_target", ("percent_of_target",), ("time_evidence",), False),
    ],
    "derivative": [
        ("VGPRs", None, ("compiled", "vgprs"), "compiled", False),
        ("scratch, B a lane", None, ("compiled", "scratch_bytes"), "compiled", False),
        ("occupancy, waves a SIMD", None, ("compiled", "occupancy_waves_per_simd"), "compiled", False),
        ("loaded for each stored value", None, ("loaded_per_stored",), "emulated", False),
        ("lines in L1, cubes", "l1_cubes", ("cubes", "l1"), "emulated", False),
        ("read from L2, cubes", "l2_read_cubes", ("cubes", "l2_read"), ("memory", "evidence"), False),
        ("written to L2, cubes", "l2_write_cubes", ("cubes", "l2_write"), "emulated", False),
        ("to and from HBM, cubes", "hbm_cubes", ("cubes", "hbm"), ("memory", "evidence"), False),
        ("HBM read / write", "read_write_ratio", ("memory", "read_write_ratio"), ("memory", "evidence"), False),
        ("memory beyond packed, %", "growth_percent", ("layout", "growth_percent"), "exact", False),
        ("kernel time, ms", None, ("time_ms", "median"), ("time_evidence",), True),
        ("effective bandwidth, GB/s", "effective_bandwidth_gbs", ("effective_bandwidth_gbs",), ("time_evidence",), False),
        ("achieved bandwidth, GB/s", None, ("memory", "achieved_bandwidth_gbs"), ("time_evidence",), False),
    ],
}
