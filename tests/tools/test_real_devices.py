"""Real devices where there is none: which one is chosen, nvcc's command line and words, profilers' tables, measured rows.
Stand-ins take the place of nvidia-smi, nvcc, ncu and rocprof; what they print was printed by the real ones, of rocprof as
its manual has it."""
import json
import os
import shutil
import subprocess
import tempfile
import unittest
from unittest import mock

from grading.tables.sweep import short, speedup_measured
from tests.tools.checkout import make_checkout, run
from tools import measure
from tools.profilers import Stop, amd_launches, ncu_rows, nvidia_launches

GPU = "GPU 0: NVIDIA H200 (UUID: GPU-0)"
PTXAS = """ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z1kPdd' for 'sm_90'
ptxas info    : Function properties for _Z1kPdd
    24 bytes stack frame, 0 bytes spill stores, 8 bytes spill loads
ptxas info    : Used 80 registers, used 0 barriers, 512 bytes smem
"""


class StandIns(unittest.TestCase):
    """A folder of commands that come before the system's."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def stand_in(self, name, script):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\n{script}\n")
        os.chmod(path, 0o755)
        return path

    def environment(self, **more):
        return {**os.environ, "PATH": f"{self.folder}:{os.environ['PATH']}", **more}

    def run_here(self, *command, **more):
        done = subprocess.run(command, env=self.environment(**more), capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr


class Device(StandIns):
    def choose(self, wanted, smi, nvcc):
        self.stand_in("nvidia-smi", smi)
        self.stand_in("some-nvcc", "")
        return self.run_here("tools/device.sh", wanted, NVCC=nvcc)

    def test_auto_takes_an_nvidia_gpu_where_nvcc_is(self):
        self.assertEqual(self.choose("auto", f"echo '{GPU}'", "some-nvcc")[:2], (0, "nvidia\n"))

    def test_auto_says_that_nvcc_is_missing(self):
        status, chosen, said = self.choose("auto", f"echo '{GPU}'", "no-nvcc")
        self.assertEqual((status, chosen), (0, "emulated\n"))
        self.assertIn("nvcc, which the NVIDIA GPU found here needs, is missing", said)

    def test_nvidia_needs_a_gpu_and_nvcc(self):
        for smi in ("exit 127", "echo 'NVIDIA-SMI has failed'; exit 9", "true"):
            status, chosen, said = self.choose("nvidia", smi, "some-nvcc")
            self.assertEqual((status, chosen), (1, ""))
            self.assertIn("no NVIDIA GPU was found", said)
        status, _, said = self.choose("nvidia", f"echo '{GPU}'", "no-nvcc")
        self.assertEqual(status, 1)
        self.assertIn("nvcc is missing; install the CUDA Toolkit", said)

    def test_make_ends_before_it_builds_anything(self):
        self.stand_in("nvidia-smi", "exit 9")
        status, _, said = self.run_here("make", "run", "LAB=01", "DEVICE=nvidia", CHOSEN_DEVICE="")
        self.assertEqual(status, 2)
        self.assertIn("no NVIDIA GPU was found", said)

    def test_an_amd_gpu_needs_no_emulated_device_and_no_llvm(self):
        for goal in ("run", "profile", "measure"):
            status, plan, said = self.run_here("make", "-n", goal, "LAB=01", CHOSEN_DEVICE="amd", LAB_PLATFORM="amd",
                                               MAKEFLAGS="")
            self.assertEqual(status, 0, said)
            self.assertNotIn("-C emulator", plan)
            self.assertNotIn("llvm-config", plan)

    def test_measure_is_for_real_devices(self):
        status, _, said = self.run_here("python3", "-m", "tools.measure", "emulated")
        self.assertEqual(status, 1)
        self.assertIn("nothing was kept: make measure is for real GPUs", said)


class Nvcc(StandIns):
    def remarks(self, words, status=0):
        self.stand_in("some-nvcc", f"cat >&2 <<'END'\n{words}END\necho \"$@\" >{self.folder}/asked\nexit {status}")
        status, _, said = self.run_here("tools/nvcc.sh", "some-nvcc", "-Rpass-analysis=kernel-resource-usage", "-c",
                                        "a b.hip")
        with open(f"{self.folder}/asked", encoding="utf-8") as file:
            return status, said, file.read()

    def test_is_asked_for_ptxas_words_and_they_become_remarks(self):
        status, said, asked = self.remarks(PTXAS)
        self.assertEqual((status, asked), (0, "-Xptxas -v -c a b.hip\n"))
        for line in ("Function Name: _Z1kPdd", "    VGPRs: 80", "    ScratchSize [bytes/lane]: 24",
                     "    Occupancy [waves/SIMD]: 6", "    LDS Size [bytes/block]: 512"):
            self.assertIn(f"nvcc: remark: {line} [-Rpass-analysis=kernel-resource-usage]\n", said)

    def test_a_chip_that_holds_fewer_warps(self):
        self.assertIn("Occupancy [waves/SIMD]: 12 ", self.remarks(PTXAS.replace("sm_90", "sm_86").replace("80", "24"))[1])
        self.assertIn("Occupancy [waves/SIMD]: 16 ", self.remarks(PTXAS.replace("80", "24"))[1])

    def test_a_name_that_is_not_mapped_is_said(self):
        status, said, _ = self.remarks('x.hip(3): error: identifier "hipDeviceReset" is undefined\n', 2)
        self.assertEqual(status, 2)
        self.assertIn('identifier "hipDeviceReset" is undefined\nThe undefined name is AMD\'s', said)

    def test_other_errors_stay_as_they_are(self):
        words = 'x.hip(3): error: identifier "sum" is undefined\n'
        self.assertEqual(self.remarks(words, 2)[:2], (2, words))

    def test_make_compiles_with_nothing_else(self):
        place = make_checkout("build/tests/nvidia")
        self.stand_in("nvidia-smi", "echo 9.0")
        nvcc = self.stand_in("nvcc", f"case \" $* \" in *' -c '*) echo \"$@\" >{self.folder}/asked; exit 1 ;; esac")
        with mock.patch.dict(os.environ, {"PATH": self.environment()["PATH"], "LAB_PLATFORM": "nvidia", "NVCC": nvcc}):
            status, said = run(place, "make", "build/nvidia/labs/01-baseline/laplacian.o")
        self.assertEqual(status, 2, said)
        with open(f"{self.folder}/asked", encoding="utf-8") as file:
            asked = file.read()
        self.assertRegex(asked, "-x cu -std=c[+][+]20 -arch=sm_90 .*-Icommon/nvidia .*-c labs/01-baseline/laplacian.hip")
        self.assertNotIn("gfx90a", asked)


def nvcc_compiles():
    with tempfile.TemporaryDirectory() as place:
        with open(f"{place}/x.cu", "w", encoding="utf-8") as file:
            file.write("#include <cuda.h>\n__global__ void k(void) {}\n")
        return subprocess.run(["nvcc", "-arch=sm_90", "-c", file.name, "-o", f"{place}/x.o"], capture_output=True,
                              check=False).returncode == 0


@unittest.skipUnless(shutil.which("nvcc") and nvcc_compiles(), "there is no nvcc with CUDA's headers here")
class Programs(unittest.TestCase):
    def test_are_what_nvcc_compiles_without_a_word(self):
        wanted = ["labs/01-baseline/laplacian", "solutions/05-nontemporal/laplacian", "beyond/05-nontemporal/laplacian",
                  "beyond/06-alignment/derivative", "solutions/08-register-pressure/lbm", "beyond/08-register-pressure/lbm",
                  "labs/08-register-pressure/experiments/4-no-big-argument", "grading/launches/replay",
                  "grading/launches/kernel-facts", "grading/launches/record.a"]
        with mock.patch.dict(os.environ, {"LAB_PLATFORM": "nvidia", "NVIDIA_ARCH": "sm_90", "WERROR": "-Werror"}):
            status, said = run(".", "make", "-s", *(f"build/nvidia/{name}" for name in wanted))
        self.assertEqual((status, said), (0, ""))


class Profilers(StandIns):
    def test_rocprofv3_has_a_row_for_each_counter(self):
        tool = self.stand_in("rocprofv3", """mkdir -p $6/pmc_1
echo Dispatch_Id,Kernel_Name,Counter_Name,Counter_Value >$6/pmc_1/out_counter_collection.csv
printf '1,k,FETCH_SIZE,10\\n1,k,SQ_WAVES,4\\n2,k,FETCH_SIZE,20\\n2,k,SQ_WAVES,8\\n' >>$6/pmc_1/out_counter_collection.csv
[ "$1 $3 $4 $7 $8 $9" = "-i -f csv -o out --" ]""")
        with mock.patch.dict(os.environ, {"ROCPROF": tool}):
            name, launches = amd_launches("program", ["FETCH_SIZE", "SQ_WAVES"], [])
        self.assertEqual((name, len(launches)), ("rocprofv3", 2))
        self.assertEqual((launches[1]["FETCH_SIZE"], launches[1]["SQ_WAVES"]), ("20", "8"))

    def test_rocprofv2_has_a_table_for_each_pass(self):
        tool = self.stand_in("rocprofv2", """mkdir -p $6/pmc_1 $6/pmc_2
printf 'Dispatch_ID,Kernel_Name,FETCH_SIZE\\n0,k,10\\n1,k,20\\n' >$6/pmc_1/results_1.csv
printf 'Dispatch_ID,Kernel_Name,SQ_WAVES\\n5,k,4\\n6,k,8\\n' >$6/pmc_2/results_2.csv""")
        with mock.patch.dict(os.environ, {"ROCPROF": tool}):
            name, launches = amd_launches("program", ["FETCH_SIZE", "SQ_WAVES"], [])
        self.assertEqual(name, "rocprofv2")
        self.assertEqual([(one["FETCH_SIZE"], one["SQ_WAVES"]) for one in launches], [("10", "4"), ("20", "8")])

    def test_the_newest_that_is_there_is_taken(self):
        self.stand_in("rocprof", "exit 1")
        self.stand_in("rocprofv2", "exit 1")
        with mock.patch.dict(os.environ, {"PATH": self.environment()["PATH"]}), self.assertRaises(Stop) as stop:
            amd_launches("program", ["SQ_WAVES"], [])
        self.assertIn("rocprofv2 failed with status 1", stop.exception.args[0])

    NCU = """==PROF== Connected to process 3427
"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"
"0","k","dram__bytes_read.sum","byte","4,505,166,592"
"0","k","lts__t_sector_hit_rate.pct","%","55.00"
"""

    def test_ncus_numbers_have_commas(self):
        self.assertEqual(ncu_rows(self.NCU), [{"dram__bytes_read.sum": 4505166592, "lts__t_sector_hit_rate.pct": 55}])
        self.assertEqual(ncu_rows("==ERROR== nothing\n"), [])

    def test_ncu_counts_in_rocprofs_units(self):
        tool = self.stand_in("ncu", f"cat <<'END'\n{self.NCU}END")
        with mock.patch.dict(os.environ, {"NCU": tool}):
            _, launches = nvidia_launches("program", ["FETCH_SIZE", "L2CacheHit"], [])
        self.assertEqual(launches, [{"FETCH_SIZE": 4505166592 / 1024, "L2CacheHit": 55}])

    def test_what_ncu_lacks_refuses_or_cannot_do_is_said(self):
        with mock.patch.dict(os.environ, {"NCU": "no-ncu"}), self.assertRaisesRegex(Stop, "no-ncu was found neither"):
            nvidia_launches("program", ["FETCH_SIZE"], [])
        tool = self.stand_in("ncu", "echo '==ERROR== ERR_NVGPUCTRPERM'; exit 1")
        with mock.patch.dict(os.environ, {"NCU": tool}):
            with self.assertRaisesRegex(Stop, "needs a right that this user lacks"):
                nvidia_launches("program", ["FETCH_SIZE"], [])
            with self.assertRaisesRegex(Stop, "LDSBankConflict: on an NVIDIA GPU there is nothing like it"):
                nvidia_launches("program", ["LDSBankConflict"], [])


class Measured(unittest.TestCase):
    def test_rows_of_a_device_take_the_place_of_its_old_ones(self):
        known = {"lab": "01-baseline", "measured": [{"on": "NVIDIA A", "time_ms": 1}, {"on": "NVIDIA B", "time_ms": 2}]}
        sent = {"device": "NVIDIA A", **{key: key for key in measure.PROVENANCE},
                "rows": [{"lab": "01-baseline", "kernel": "laplacian", "size": [1, 2, 3], "time_ms": 3, "pairs": 10}]}
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(sent, file)
            file.flush()
            with mock.patch.object(measure, "load_expected", lambda lab: known), \
                    mock.patch.object(measure, "write_whole") as written, \
                    mock.patch.object(measure, "text_of", lambda it: it):
                measure.take(file.name)
        path, content = written.call_args.args
        self.assertEqual(path, "labs/01-baseline/expected.json")
        self.assertEqual(content["measured"], [
            {"on": "NVIDIA B", "time_ms": 2},
            {"on": "NVIDIA A", "kernel": "laplacian", "size": [1, 2, 3], "time_ms": 3}])
        self.assertEqual(content["measured_on"], {"NVIDIA A": {key: key for key in measure.PROVENANCE}})

    def test_every_stage_is_run_once_and_what_is_beyond(self):
        wanted = list(measure.asked_of("06-alignment", measure.load_expected("06-alignment")))
        self.assertEqual(len(wanted), 9)
        self.assertEqual([file.split("/")[0] for _, file in wanted], ["solutions"] * 6 + ["beyond"] * 3)

    def test_names_of_devices_are_short_in_tables(self):
        names = ("NVIDIA H200", "NVIDIA H100 80GB HBM3", "AMD Instinct MI210", "Someone's")
        self.assertEqual([short(name) for name in names], ["H200", "H100", "MI210", "Someone's"])

    def test_speedups_are_of_one_device_and_one_size(self):
        baseline = {"source": "solutions/01-baseline/laplacian.hip", "kernel": "laplacian"}
        rows = [{"on": "A", "kernel": "laplacian", "size": [8, 8, 8], "time_ms": 3},
                {"on": "B", "kernel": "laplacian", "size": [8, 8, 8], "time_ms": 4}]
        with mock.patch("grading.tables.sweep.expected_of", lambda source: {"measured": rows}):
            self.assertEqual(speedup_measured(baseline, {"on": "B", "size": [8, 8, 8], "time_ms": 2}), 2)
            self.assertIsNone(speedup_measured(baseline, {"on": "B", "size": [9, 8, 8], "time_ms": 2}))


if __name__ == "__main__":
    unittest.main()
