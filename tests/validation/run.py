"""Runs the validation programs on the emulated device and turns what they print into the columns of the tables.

In:  build/tests/validation/*, built by make; the tables of published.json.
Out: for each table, row and column one figure.

Programs run two at a time with one host thread each. A table with "sizes" is run at two reduced sizes; times and counts
grow linearly between them (what start and end of a launch cost drops out) and are carried on to the full size.
They are as small as keeps a figure within 1 % of what larger ones give: for planes of other sizes 16 and 32 (8 and 16 were
up to 5 % off), for derivatives 32 and 96 (16 and 32 were 2 % off along z; fused x and y swings by 4 % even so). Windows run
at full size: how their workgroups fill the device does not grow linearly.
"""
import concurrent.futures
import csv
import os
import re
import subprocess
import tempfile

BUILT = "build/tests/validation"
AT_ONCE = 2
DEVICES = "emulator/base"  # NAME.ini; mi250x.ini has what the others leave out


class Failure(Exception):
    """A sentence on what went wrong."""


def parameter(device, name):
    """A number of the emulated device."""
    for path in (f"{DEVICES}/{device or 'mi250x'}.ini", f"{DEVICES}/mi250x.ini"):
        with open(path, encoding="utf-8") as file:
            line = re.search(rf"^{name} = ([0-9.]+)", file.read(), re.MULTILINE)
        if line:
            return float(line[1])
    raise Failure(f"{DEVICES}/mi250x.ini has no line for {name}.")


def launches(program, arguments, device):
    """One process: its launches in order, each a dict of rocprof's counters and "time" in ms; and "work" if printed.
    device: a name, or "" for the default."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "counters.csv")
        environment = {name: value for name, value in os.environ.items() if not name.startswith("EMULATOR_")}
        environment.update(LD_LIBRARY_PATH="build/emulator", EMULATOR_COUNTERS=path, EMULATOR_THREADS="1",
                           EMULATOR_DEVICE=device)
        run = subprocess.run([f"{BUILT}/{program}", *arguments], env=environment, capture_output=True, text=True)
        command = " ".join([program, *arguments])
        if run.returncode != 0:
            raise Failure(f"{command} ended with status {run.returncode}: {(run.stderr or run.stdout).strip()}")
        printed = [line.split() for line in run.stdout.splitlines()]
        with open(path, encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
    times = [float(value) for name, value in printed if name == "time_ms"]
    if len(times) != len(rows):
        raise Failure(f"{command} printed {len(times)} times for {len(rows)} launches.")
    found = [dict({name: float(value) for name, value in row.items() if re.match("[A-Z]", name) and name[1].isupper()
                   and value}, time=time) for row, time in zip(rows, times)]
    return found, next((float(value) for name, value in printed if name == "work"), None)


def resources(program):
    """The compiler's report: {mangled name of the kernel: {column: figure}}."""
    labels = {"SGPRs": "SGPRs", "VGPRs": "VGPRs", "AGPRs": "AGPRs", "ScratchSize [bytes/lane]": "scratch",
              "Occupancy [waves/SIMD]": "occupancy", "LDS Size [bytes/block]": "LDS"}
    found, kernel = {}, None
    with open(f"{BUILT}/{program}.resources", encoding="utf-8") as file:
        for line in file:
            remark = re.search(r"remark:\s*(.*): (\S+) \[-Rpass", line)
            if remark and remark[1] == "Function Name":
                kernel = found[remark[2]] = {}
            elif remark and remark[1] in labels:
                kernel[labels[remark[1]]] = float(remark[2])
    return found


def compiled_figures(table):
    """{row: {column: figure}} of a table that the compiler's report fills. A row's "run" is the kernel's name and,
    where it is a template, its mangled arguments."""
    report, figures = resources(table["program"]), {}
    for row in table["rows"]:
        mangled = f"_Z{len(row['run'][0])}{''.join(row['run'])}"
        found = [kernel for kernel in report if kernel.startswith(mangled)]
        if len(found) != 1:
            raise Failure(f"The report on {table['program']}.hip has {len(found)} kernels that begin with {mangled}.")
        figures[row["row"]] = {column: report[found[0]][column] for column in row["published"]}
    return figures


# --- from one or more launches to a column; `raw` holds counters and "time" in ms of the full size ---

def _hit(raw):
    return 100 * raw["TCC_HIT_sum"] / (raw["TCC_HIT_sum"] + raw["TCC_MISS_sum"])


def _effective(raw, row):
    """Of a derivative: the cube with its halo in the stencil's directions read once, the cube written once. A row's run
    begins with the directions, unless it is a window along z; a radius that is not 4 stands beside it."""
    case, radius = row["run"][0], row.get("radius", 4)
    directions = 1 if case.startswith("window") else len(re.match("[xyz]+", case)[0])
    return (2 * 512**3 + directions * 2 * radius * 512**2) * 4 / raw["time"] * 1e-6


def _achieved(raw, row):
    return (raw["FETCH_SIZE"] + raw["WRITE_SIZE"]) * 1024 / raw["time"] * 1e-6


def _laplacian_effective(raw, row):
    """All but the edges of 512 x ny x 512 points read, and the inner ones written."""
    nx, ny, nz = 512, int(row["run"][1]), 512
    read = nx * ny * nz - 8 - 4 * (nx - 2) - 4 * (ny - 2) - 4 * (nz - 2)
    return (read + (nx - 2) * (ny - 2) * (nz - 2)) * 8 / raw["time"] * 1e-6


def _l1_hit(raw):
    missed = raw["TCP_TCC_READ_REQ_sum"] + raw["TCP_TCC_ATOMIC_WITHOUT_RET_REQ_sum"]
    return 100 * (1 - missed / raw["TCP_TOTAL_CACHE_ACCESSES_sum"])


def _clk(raw):
    return raw["time"] * 1e3 * raw["engine_mhz"] / raw["work"]


def _gbs(raw):
    return raw["work"] / raw["time"] * 1e-6


SIMDS = 4  # of a compute unit


def _per_clk(raw, count):
    """A count, a clk and compute unit."""
    return raw[count] / raw["GRBM_GUI_ACTIVE"] / raw["units"]


COLUMNS = {
    ("laplacian", "time"): lambda raw, row: raw["time"],
    ("laplacian", "speedup"): lambda raw, row: raw["reference"] / raw["time"],
    ("laplacian", "FETCH_SIZE"): lambda raw, row: raw["FETCH_SIZE"] * 1024e-9,
    ("laplacian", "WRITE_SIZE"): lambda raw, row: raw["WRITE_SIZE"] * 1024e-9,
    ("laplacian", "L2CacheHit"): lambda raw, row: _hit(raw),
    ("plane_size", "effective"): _laplacian_effective,
    ("vcopy", "count"): lambda raw, row: raw[row["row"]],
    ("vcopy_memory", "count"): lambda raw, row: raw[row["row"]],
    ("vcopy_time", "time"): lambda raw, row: raw["time"] * 1e3,
    ("yax_few", "time"): lambda raw, row: raw["time"],
    ("yax", "time"): lambda raw, row: raw["time"],
    ("yax", "L1 hit"): lambda raw, row: _l1_hit(raw),
    ("yax", "L2 hit"): lambda raw, row: _hit(raw),
    ("yax", "HBM read"): lambda raw, row: raw["TCC_EA_RDREQ_sum"] * 64 / raw["time"] * 1e-6,
    ("yax_waves", "count"): lambda raw, row: raw[row["counter"]] / 2048,
    ("latency", "latency"): lambda raw, row: _clk(raw),
    ("l2_bandwidth", "bandwidth"): lambda raw, row: _gbs(raw),
    ("stream", "bandwidth"): lambda raw, row: _gbs(raw),
    ("stride", "clk"): lambda raw, row: _clk(raw),
    ("roofs", "bandwidth"): lambda raw, row: _gbs(raw),
    ("roofs", "rate"): lambda raw, row: _gbs(raw) * 1e-3,
    ("matrix", "clk"): lambda raw, row: SIMDS / _per_clk(raw, "SQ_INSTS_MFMA"),
    ("rates", "time"): lambda raw, row: raw["time"] * 2**20 * 16 * 1000 / raw["work"],
    ("rates", "IPC"): lambda raw, row: _per_clk(raw, "SQ_INSTS"),
    ("rates", "VALU busy"): lambda raw, row: 100 * _per_clk(raw, "SQ_INSTS_VALU"),  # a quad-cycle on one of four SIMDs
    ("rates", "SALU busy"): lambda raw, row: 100 * _per_clk(raw, "SQ_INST_CYCLES_SALU"),
    ("rates", "MFMA busy"): lambda raw, row: 100 * _per_clk(raw, "SQ_VALU_MFMA_BUSY_CYCLES") / SIMDS,
    ("rates", "active"): lambda raw, row: raw["SQ_THREAD_CYCLES_VALU"] / raw["SQ_INSTS_VALU"],
    ("occupancy", "wavefronts"): lambda raw, row: 4 * raw["SQ_WAVE_CYCLES"] / raw["GRBM_GUI_ACTIVE"],
    ("conflicts", "accesses"): lambda raw, row: raw["SQ_LDS_IDX_ACTIVE"],
    ("conflicts", "conflicts"): lambda raw, row: raw["SQ_LDS_BANK_CONFLICT"],
    ("mix", "count"): lambda raw, row: raw[row["row"]],
}
COLUMNS.update({("yax_rows", name): COLUMNS["yax", name] for name in ("time", "L1 hit", "L2 hit", "HBM read")})
# What all derivatives have in common, by the column's name.
DERIVATIVE = {
    "effective": _effective,
    "achieved": _achieved,
    "L1": lambda raw, row: raw["TCP_TOTAL_CACHE_ACCESSES_sum"] * 64e-6,
    "L2 read": lambda raw, row: raw["TCP_TCC_READ_REQ_sum"] * 64e-6,
    "L2 write": lambda raw, row: raw["TCP_TCC_WRITE_REQ_sum"] * 64e-6,
    "HBM": lambda raw, row: (raw["FETCH_SIZE"] + raw["WRITE_SIZE"]) * 1024e-6,
    "HBM read": lambda raw, row: raw["FETCH_SIZE"] * 1024e-6,
    "HBM write": lambda raw, row: raw["WRITE_SIZE"] * 1024e-6,
    "HBM read/write": lambda raw, row: raw["FETCH_SIZE"] / raw["WRITE_SIZE"],
}
COLUMNS.update({(table, name): DERIVATIVE[name] for table in ("seismic", "window", "derivatives", "wide", "fused")
                for name in DERIVATIVE})


# --- running all of it ---

def jobs_of(table, row):
    """The processes that a row needs."""
    device = table.get("device", "")
    return [(table["program"], (*row["run"], *size), device) for size in
            ([(str(size),) for size in table["sizes"]] if "sizes" in table else [()])]


def _cost(job):
    """For the order only, longest first: the largest number among the arguments."""
    return max((int(number) for number in re.findall(r"\d+", " ".join(job[1]))), default=0)


def run_jobs(jobs, say=lambda text: None):
    """{job: (launches, work)} of all jobs, several at a time."""
    jobs = sorted(set(jobs), key=lambda job: (-_cost(job), job))
    results = {}
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        running = {pool.submit(launches, *job): job for job in jobs}
        for done in concurrent.futures.as_completed(running):
            if done.exception():
                pool.shutdown(cancel_futures=True)
            results[running[done]] = done.result()
            say(f"{len(results)} of {len(jobs)}: {running[done][0]} {' '.join(running[done][1])}")
    return results


def _carried_on(small, large, sizes, full):
    steps = (full - sizes[1]) / (sizes[1] - sizes[0])
    return {name: large[name] + (large[name] - small[name]) * steps for name in large}


def _raw(table, row, results):
    """Counters and time of the published size."""
    of_row = [results[job] for job in jobs_of(table, row)]
    found, work = of_row[0]
    if "sizes" in table:
        return _carried_on(found[0], of_row[1][0][0], table["sizes"], table["full"])
    if work is not None:
        more = {name: found[1][name] - found[0][name] for name in found[0]}
        return dict(more, work=work, engine_mhz=parameter(table.get("device"), "engine_mhz"),
                    units=parameter(table.get("device"), "compute_units"))
    return found[row.get("launch", 0)]


def figures_of(table, results):
    """{row: {column: figure}} of a table that is run."""
    name, of_table, reference = table["name"], {}, None
    for row in table["rows"]:
        raw = _raw(table, row, results)
        reference = raw["reference"] = reference or raw["time"]  # the first row is what others are compared with
        of_table[row["row"]] = {column: float(f"{COLUMNS[name, column](raw, row):.10g}") for column in row["published"]}
    return of_table


def measure(tables, say):
    """{table: {row: {column: figure}}} of all tables whose program is built."""
    jobs = [job for table in tables if not table.get("compiled") for row in table["rows"]
            for job in jobs_of(table, row)]
    results = run_jobs(jobs, say)
    figures = {}
    for table in tables:
        figures[table["name"]] = compiled_figures(table) if table.get("compiled") else figures_of(table, results)
    return figures
