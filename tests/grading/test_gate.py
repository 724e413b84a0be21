"""What the symbol gate lets through and what it refuses, on made-up listings of nm and readelf."""
import unittest
from unittest import mock

from grading.gate import refusals

# What hipcc's objects of a lab hold: kernel, launcher, main, HIP's module constructor.
LAB = ["main T 10 20", "_Z9laplacianPdPKdiii T 0 10", "_ZL16launch_laplacianPK4Griddim3PdPKd t 30 10", "lab_main U",
       "hipLaunchKernel U", "__hipRegisterFatBinary U", "_GLOBAL_OFFSET_TABLE_ U"]
SECTIONS = ["  [ 1] .text        PROGBITS    0000000000000000 000040 000100 00  AX  0   0 16",
            "  [ 2] .init_array  INIT_ARRAY  0000000000000000 000140 000008 00  WA  0   0  8"]


def refused(symbols=(), sections=()):
    listings = {"nm": [*LAB, *symbols], "readelf": [*SECTIONS, *sections]}
    with mock.patch("grading.gate._lines", lambda tool, *_: listings[tool]):
        return refusals("some.o")


class Gate(unittest.TestCase):
    def test_lets_a_lab_through(self):
        self.assertEqual(refused(), [])

    def test_lets_kernels_launchers_and_their_data_through(self):
        self.assertEqual(refused(["_Z6helperd T 40 10", "_ZL7weights D 0 40", "_Z10other_kernelPd V 0 8", "memcpy U",
                                  "hipMemcpyToSymbol U", "lab_main U"]), [])

    def refuses(self, symbol, words):
        found = refused([symbol])
        self.assertEqual(len(found), 1, symbol)
        self.assertIn(words, found[0])

    def test_refuses_what_a_lab_has_no_business_with(self):
        for name in ("exit", "fopen", "_exit", "system", "getenv", "clock_gettime", "dlsym", "hipMemcpy",
                     "hipEventElapsedTime", "_ZNSolsEi", "__cxa_atexit"):
            self.refuses(f"{name} U", f"it uses {name},")

    def test_refuses_it_when_it_is_weak_too(self):
        self.refuses("exit w", "it uses exit,")
        self.refuses("environ v", "it uses environ,")

    def test_refuses_replacements_of_functions(self):
        for kind in "ABCDRTVW":
            self.refuses(f"clock_gettime {kind} 0 10", "it defines clock_gettime, which could replace")

    def test_refuses_another_new_and_delete(self):
        for name in ("_Znwm", "_Znam", "_ZdlPv", "_ZdaPv"):
            self.refuses(f"{name} T 0 10", f"it defines {name}, which could replace")

    def test_refuses_what_is_resolved_before_main(self):
        self.refuses("_Z4pickv i 0 10", "resolved by code that runs before main")

    def test_refuses_code_of_its_own_outside_main(self):
        row = "  [ 3] {}  INIT_ARRAY  0000000000000000 000140 {:06x} 00  WA  0   0  8"
        for section, size in ((".init_array", 16), (".init_array.101", 8), (".preinit_array", 8), (".fini_array", 8),
                              (".ctors", 8), (".dtors", 8), (".init", 4), (".fini", 4)):
            found = refused(sections=[row.format(section, size)])
            self.assertEqual(len(found), 1, section)
            self.assertIn("constructor or destructor", found[0])


if __name__ == "__main__":
    unittest.main()
