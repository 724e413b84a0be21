#!/usr/bin/env python3
"""Writes the golden case files from the reference models in this folder.

In: nothing, or --check. Out: *.txt beside this script; with --check nothing is written, and files that differ from what
would be written are named with exit status 1. The models share no code with the emulator.
"""

import sys
from pathlib import Path

import compare
import formats
import gfx908
import gfx942
import image
import lds
import matrix
import memory
import packed
import rounding
import scalar
import vector_cases
import vector_special
from casefile import CaseFile


def vector(file):
    for index, row in enumerate(vector_cases.ROWS):
        for cases in (vector_cases.plain_cases, vector_cases.modifier_case, vector_cases.scalar_case, vector_cases.sdwa_case,
                      vector_cases.row_dpp_case):
            cases(file, index, *row)
    vector_cases.dpp_cases(file)
    vector_cases.output_cases(file)
    vector_cases.half_cases(file)
    vector_cases.constant_cases(file)
    vector_special.all_cases(file)


FILES = {
    "scalar": ("Scalar unit: SALU, branches, scalar loads.", scalar.all_cases),
    "vector": ("Vector ALU: arithmetic, moves, conversions.", vector),
    "compare": ("Vector compares.", compare.all_cases),
    "lds": ("LDS, and data that crosses lanes.", lds.all_cases),
    "packed": ("VOP3P: packed arithmetic, mixed precision, dot products.", packed.all_cases),
    "rounding": ("Rounding that is not to nearest.", rounding.all_cases),
    "matrix": ("Matrix instructions (MFMA).", matrix.all_cases),
    "memory": ("Vector memory: GLOBAL, FLAT, BUFFER.", memory.all_cases),
    "formats": ("Typed loads and stores of buffers.", formats.all_cases),
    "gfx942": ("What gfx942 has and gfx90a has not.", gfx942.all_cases),
    "gfx908": ("What gfx908 has and gfx90a has not.", gfx908.all_cases),
    "image": ("Images, and buffers with a format.", image.all_cases),
}


def main():
    stale = []
    for name, (about, cases) in FILES.items():
        file = CaseFile(name, about)
        cases(file)
        path, text = Path(__file__).parent / (name + ".txt"), file.render()
        if "--check" not in sys.argv[1:]:
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            stale.append(str(path))
    for path in stale:
        print("%s is not what generate.py writes: run tests/emulator/golden/generate.py" % path)
    return bool(stale)


if __name__ == "__main__":
    sys.exit(main())
