"""EMULATOR_SANITIZE=1: what nobody can rely on is told, with both threads and lines, and what only looks so is not."""
import glob
import itertools
import os
import subprocess
import unittest

PROGRAM = "build/tests/emulator/faults/sanitizer"
SMALL = ("--nx", "97", "--ny", "24", "--nz", "19")

# What stands in the sentence about a case.
TOLD = {
    "read-race": ("kernel reads_too_early(int*), block (0, 0, 0), thread (128, 0, 0): writes LDS byte 512",
                  "which thread (127, 0, 0) reads at", "sanitizer.hip:23", "__syncthreads() is missing"),
    "write-race": ("thread (64, 0, 0): writes LDS byte 256, which thread (0, 0, 0) reads",),
    "two-writers": ("thread (64, 0, 0): writes LDS byte 0, which thread (0, 0, 0) writes",),
    "atomic-race": ("updates LDS byte 0, which thread (0, 0, 0) writes",),
    "barrier-in-branch": ("thread (0, 0, 0): the thread goes on, but was not at the barrier", "sanitizer.hip:57"),
    "two-barriers": ("wave 1 (from thread (64, 0, 0) on): waits at a barrier while wave 0 of the block waits at another",
                     "sanitizer.hip:65", "sanitizer.hip:69, instruction \"s_barrier"),
    "fresh-sum": ("thread (0, 0, 0): stores to global memory what was computed from an uninitialised value",
                  "0 bytes into the allocation of 8192 bytes"),
    "fresh-branch": ("whether the thread takes a branch depends on an uninitialised value", "into the allocation of 4096"),
    "fresh-wave-branch": ("which way the wave goes depends on an uninitialised value", "into the allocation of 4096 bytes"),
    "fresh-one-place": ("thread (1, 0, 0): whether the thread takes a branch depends on", "into the allocation of 4096"),
    "fresh-index": ("the address of a memory access depends on an uninitialised value",),
    "fresh-equal": ("whether the thread takes a branch depends on", "into the allocation of 4096 bytes"),
    "fresh-equal-double": ("whether the thread takes a branch depends on", "into the allocation of 8192 bytes"),
    "fresh-wave-equal": ("which way the wave goes depends on", "into the allocation of 4096 bytes"),
    "fresh-below": ("whether the thread takes a branch depends on", "into the allocation of 8192 bytes"),
    "fresh-below-float": ("whether the thread takes a branch depends on", "into the allocation of 4096 bytes"),
    "fresh-larger": ("stores to global memory what was computed from", "into the allocation of 8192 bytes"),
    "fresh-atomic": ("updates global memory atomically with an uninitialised value", "into the allocation of 4096 bytes"),
    "fresh-lds-atomic": ("stores to global memory what was computed from an uninitialised value. It comes from LDS byte 0",),
    "fresh-counter": ("updates atomically an uninitialised value",),
    "fresh-lds": ("LDS byte 2040, read at", "where no thread of the block has written a value"),
    "fresh-through-lds": ("whether the thread takes a branch depends on an uninitialised value. It comes from LDS byte",),
    "fresh-register": ("a register that nothing was written to",),
    "swapped": ("the address of a memory access depends on an uninitialised value", "into the allocation of 4096 bytes"),
    "swapped-back": ("the address of a memory access depends on an uninitialised value",
                     "into the allocation of 4096 bytes"),
    "upper-half": ("the address of a memory access depends on an uninitialised value", "into the allocation of 4096 bytes"),
    "carry": ("the address of a memory access depends on an uninitialised value", "into the allocation of 4096 bytes"),
    "fresh-array": ("a variable or array of the thread, read at",),
    "later-block": ("block (8, 0, 0), thread (0, 0, 0): stores to global memory what was computed from",),
    "copied-then-used": ("whether the thread takes a branch depends on an uninitialised value",),
    "vmcnt": ("reads register v20, which the global_load_dword at", "s_waitcnt vmcnt is missing"),
    "lgkmcnt": ("reads register s20, which the s_load_dword at", "s_waitcnt lgkmcnt(0) is missing"),
    "waits-too-little": ("reads register v21",),
    "lgkmcnt-mixed": ("reads register v20, which the ds_read_b32 at", "s_waitcnt lgkmcnt is missing"),
    "generic-mixed": ("reads register v20, which the flat_load_dword at", "s_waitcnt vmcnt is missing"),
    **{case: ("reads register v20, which the flat_load_dword at", "s_waitcnt lgkmcnt is missing")
       for case in ("generic-half", "generic-of-16")},
    "vcc-on-its-way": ("reads register s106, which the s_load_dwordx2 at", "s_waitcnt lgkmcnt(0) is missing"),
    "late-vmcnt": ("reads register v20, which the global_load_dword at", "s_waitcnt vmcnt is missing"),
    "one-lane": ("block (1, 0, 0), thread (40, 0, 0): writes to address",
                 "where block (0, 0, 0), thread (40, 0, 0) has written another value at"),
    "used-later": ("kernel branches_on_fresh_memory(int const*, int*), ", "whether the thread takes a branch depends on"),
    "half": ("thread (32, 0, 0): stores to global memory what was computed from", "256 bytes into the allocation of 8192"),
    "last-byte": ("thread (63, 0, 0): stores to global memory", "511 bytes into the allocation of 8192"),
    "run-of-lanes": ("thread (20, 0, 0): stores to global memory", "160 bytes into the allocation of 8192"),
    "lanes-apart": ("thread (44, 0, 0): stores to global memory", "352 bytes into the allocation of 8192"),
    "one-lane-alone": ("thread (5, 0, 0): stores to global memory", "40 bytes into the allocation of 8192"),
    "unaligned": ("thread (62, 0, 0): stores to global memory", "101 bytes into the allocation of 4096"),
    "page": ("thread (16, 0, 0): stores to global memory", "32816 bytes into the allocation of 262144"),
    "dword-of-a-wave": ("thread (164, 0, 0): writes LDS byte 656, which thread (100, 0, 0) writes",),
    "last-waves": ("thread (192, 0, 0): reads LDS byte 512, which thread (128, 0, 0) writes",),
    "counted": ("thread (192, 0, 0): reads LDS byte 0, which thread (0, 0, 0) updates",),
    "between": ("thread (7, 0, 0): stores to global memory", "56 bytes into the allocation of 8192"),
    "one-place": ("thread (192, 0, 0): reads LDS byte 48, which thread (12, 0, 0) writes",),
    "same-rows": ("thread (192, 0, 0): reads LDS byte 0, which thread (0, 0, 0) writes",),
    "sixth-block": ("block (5, 0, 0), thread (128, 0, 0): writes LDS byte 512, which thread (127, 0, 0) reads",),
    "atomic-once": ("thread (255, 0, 0): writes LDS byte 0, which thread (0, 0, 0) reads",
                    "Atomic loads and stores look like plain ones in machine code"),
    "after-flag": ("thread (0, 0, 0): reads LDS byte", "which thread (255, 0, 0) writes"),
    "behind-fences": ("thread (255, 0, 0): writes LDS byte 0, which thread (0, 0, 0) reads",),
    "zeros-over-sums": ("block (1, 0, 0), thread (0, 0, 0): writes to address",
                        "where block (0, 0, 0), thread (0, 0, 0) has updated memory atomically at"),
    "sums-over-a-store": ("block (1, 0, 0), thread (0, 0, 0): updates atomically address",
                          "where block (0, 0, 0), thread (0, 0, 0) has written another value at"),
    "fresh-into-lds": ("thread (0, 0, 0): stores to global memory what was computed from an uninitialised value",
                       "It comes from LDS byte 1020, read at"),
    "last-into-lds": ("thread (0, 0, 0): stores to global memory", "It comes from LDS byte 1023"),
    "byte-into-lds": ("thread (0, 0, 0): stores to global memory", "It comes from LDS byte 1020"),
    "read-into-lds": ("thread (128, 0, 0): writes LDS byte 512, which thread (127, 0, 0) reads",),
    "write-into-lds": ("thread (128, 0, 0): reads LDS byte 508, which thread (127, 0, 0) writes",),
    **{case: ("block (1, 0, 0), thread (0, 0, 0): writes to address",
              "where block (0, 0, 0), thread (0, 0, 0) has written another value at")
       for case in ("blocks", "blocks-that-look", "blocks-that-follow", "blocks-that-step", "blocks-with-flags",
                    "blocks-after-flags")},
}
SILENT = ("atomic-flag", "atomic-raised", "atomic-sleep", "atomic-awake", "copies", "masked", "host", "return",
          "transpose", "wave", "same", "flag", "lock", "last-block", "waits", "lanes", "bytes", "twice", "late",
          "order", "sums", "unused", "dwords", "lower-half", "generic", "generic-of-17", "exchanged", "swapped",
          "swapped-back", "into-lds", "beyond-into-lds", "byte-into-lds", "meets", "taken-back")


ENGINES = ("0", "1")  # EMULATOR_TRANSLATE: interpreted, or machine code wherever that may be


def run(*command, sanitize="1", translate="200000", model="1", threads="1"):
    environment = {**os.environ, "LD_LIBRARY_PATH": os.path.abspath("build/emulator"), "EMULATOR_SANITIZE": sanitize,
                   "EMULATOR_TRANSLATE": translate, "EMULATOR_MODEL": model, "EMULATOR_THREADS": threads,
                   "OMP_WAIT_POLICY": "passive"}
    return subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                          timeout=100)


def expect_told(test, program, told):
    """Each case ends its launch, with these words in the sentence."""
    for engine, (case, phrases) in itertools.product(ENGINES, told.items()):
        with test.subTest(case, translate=engine):
            said = run(program, case, translate=engine).stdout
            test.assertIn("hipDeviceSynchronize: hipErrorLaunchFailure", said)
            for phrase in phrases:
                test.assertIn(phrase, said)


def expect_silent(test, program, silent):
    """Each case ok-CASE says nothing."""
    for engine, case in itertools.product(ENGINES, silent):
        with test.subTest(case, translate=engine):
            test.assertEqual(run(program, f"ok-{case}", translate=engine).stdout, "hipDeviceSynchronize: hipSuccess\n")


class Told(unittest.TestCase):
    def test_each_case_ends_with_its_sentence(self):
        for engine, model, (case, phrases) in itertools.product(ENGINES, "01", TOLD.items()):
            with self.subTest(case, translate=engine, model=model):
                said = run(PROGRAM, case, translate=engine, model=model).stdout
                self.assertIn("hipDeviceSynchronize: hipErrorLaunchFailure", said)
                for phrase in phrases:
                    self.assertIn(phrase, said)

    def test_a_load_from_where_another_block_stored_is_told_and_the_launch_goes_on(self):
        for engine in ENGINES:
            said = run(PROGRAM, "in-place", translate=engine).stdout
            self.assertIn("block (1, 0, 0), thread (0, 0, 0): reads 4 bytes at address", said)
            self.assertIn("where block (0, 0, 0), thread (63, 0, 0) has written another value at", said)
            self.assertIn("hipDeviceSynchronize: hipSuccess", said)
        self.assertEqual(run(PROGRAM, "in-place", sanitize="0").stdout, "hipDeviceSynchronize: hipSuccess\n")

    def test_little_address_space_leaves_room_for_who_wrote_what(self):
        for kib in (3 << 20, 20 << 20):
            with self.subTest(kib=kib):
                said = run("bash", "-c", f"ulimit -v {kib}; exec {PROGRAM} in-place", model="0").stdout
                self.assertIn("where block (0, 0, 0), thread (63, 0, 0) has written another value at", said)

    def test_more_blocks_than_are_looked_at_are_told(self):
        said = run("bash", "-c", f"timeout 10 {PROGRAM} many-blocks", model="0").stdout
        self.assertRegex(said, "kernel nothing.*does not look for races between its blocks, which are more than 16 million")

    def test_a_gather_from_the_begin_or_end_of_the_page_where_another_block_stored_is_told(self):
        for engine, case in itertools.product(ENGINES, ("gathered-first", "gathered-last")):
            with self.subTest(case, translate=engine):
                said = run(PROGRAM, case, translate=engine).stdout
                self.assertIn("block (1, 0, 0), thread (5, 0, 0): reads 4 bytes at address", said)
                self.assertIn("where block (0, 0, 0), thread (0, 0, 0) has written another value at", said)
                self.assertIn("hipDeviceSynchronize: hipSuccess", said)

    def test_a_misaligned_access_of_lds_is_told_and_the_launch_goes_on(self):
        for engine, case in itertools.product(ENGINES, ("beside-dwords", "beside-generic")):
            with self.subTest(case, translate=engine):
                said = run(PROGRAM, case, translate=engine).stdout
                self.assertIn("block (0, 0, 0), thread (0, 0, 0): a misaligned access of 4 bytes at LDS byte 2", said)
                self.assertIn("hipDeviceSynchronize: hipSuccess", said)
                self.assertEqual(run(PROGRAM, case, sanitize="0").stdout, "hipDeviceSynchronize: hipSuccess\n")

    def test_an_overlapping_copy_is_not_made(self):
        said = run(PROGRAM, "overlap").stdout
        self.assertIn("the two overlap", said)
        self.assertIn("hipMemcpy: hipErrorInvalidValue", said)
        self.assertIn("hipMemcpy: hipSuccess", run(PROGRAM, "overlap", sanitize="0").stdout)


class Jumps(unittest.TestCase):
    def test_to_what_is_in_no_register_yet(self):
        """A fault without it, too."""
        said = run(PROGRAM, "fresh-jump").stdout
        self.assertIn("an address (where the source is right, -fno-optimize-sibling-calls may help", said)
        self.assertIn("that depends on an uninitialised value", said)
        self.assertIn("leads to no instruction", run(PROGRAM, "fresh-jump", sanitize="0").stdout)


class Silent(unittest.TestCase):
    def test_without_it(self):
        for case in TOLD:
            with self.subTest(case):
                self.assertEqual(run(PROGRAM, case, sanitize="0").stdout, "hipDeviceSynchronize: hipSuccess\n")

    def test_what_only_looks_wrong(self):
        expect_silent(self, PROGRAM, SILENT)

    def test_kernels_that_are_right(self):
        for name in ("divergence", "half", "histogram", "local_array", "print", "private_array", "reduction", "scan",
                     "spinning", "stencil", "transpose"):
            with self.subTest(name):
                ended = run(f"build/tests/emulator/kernels/{name}", translate="500")
                self.assertEqual(ended.returncode, 0, ended.stdout)
                self.assertNotIn("emulator: kernel", ended.stdout)

    def test_solutions(self):
        for program in glob.glob("build/solutions/0[1567]-*/[dl]*[a-z]"):
            if os.access(program, os.X_OK) and "." not in os.path.basename(program):
                with self.subTest(program):
                    ended = run(program, *SMALL)
                    self.assertEqual(ended.returncode, 0, ended.stdout)
                    self.assertNotIn("emulator: kernel", ended.stdout)


if __name__ == "__main__":
    unittest.main()
