"""What the compiler reports of each kernel, a row a kernel.

In:  compiled_table.py PROGRAM.resources   (remarks that hipcc prints while it compiles, or tools/nvcc.sh makes)
Out: the table; what is no remark as it stands there; where the compiler's own words are.
"""
import os
import re
import subprocess
import sys

from grading.words import shown

REMARK = re.compile(r"(?P<place>[^:]*(?::\d+)?)(?::\d+)?: remark: +(?P<what>[^:]+): (?P<value>.*?)(?: \[-Rpass\S*\])?$")
NAME = "Function Name"
# Heading and the compiler's word for it.
COLUMNS = {"SGPRs": "SGPRs", "VGPRs": "VGPRs", "AGPRs": "AGPRs", "scratch B/lane": "ScratchSize [bytes/lane]",
           "waves/SIMD": "Occupancy [waves/SIMD]", "SGPR spills": "SGPRs Spill", "VGPR spills": "VGPRs Spill",
           "LDS B/block": "LDS Size [bytes/block]"}


def plain(name):
    """A C++ symbol as the source has it, without its arguments."""
    try:
        done = subprocess.run(["c++filt", name], capture_output=True, text=True, check=False)
    except OSError:
        return name
    return done.stdout.strip().split("(")[0].removeprefix("void ") or name


def read(lines):
    """([{what: value} of each kernel], lines that are no remark)"""
    kernels, others = [], []
    for line in lines:
        found = REMARK.match(line)
        if not found:
            others.append(line)
        elif found["what"] == NAME:
            kernels.append({NAME: plain(found["value"]), "place": os.path.basename(found["place"])})
        elif kernels:
            kernels[-1][found["what"]] = found["value"]
    return kernels, others


def table(kernels):
    rows = [("kernel", "line", *COLUMNS)]
    rows += [(kernel[NAME], kernel["place"], *(kernel.get(word, "-") for word in COLUMNS.values())) for kernel in kernels]
    widths = [max(len(row[n]) for row in rows) for n in range(len(rows[0]))]
    for row in rows:
        cells = [f"{cell:<{width}}" if n < 2 else f"{cell:>{width}}" for n, (cell, width) in enumerate(zip(row, widths))]
        yield "  " + "  ".join(shown(cell) for cell in cells).rstrip()


def main():
    with open(sys.argv[1], encoding="utf-8", errors="replace") as file:
        kernels, others = read(file.read().splitlines())
    for line in others:
        print(shown(line))
    print("registers, scratch and occupancy (compiled):")
    for line in table(kernels):
        print(line)
    print(f"the compiler's own words: {shown(sys.argv[1])}")


if __name__ == "__main__":
    main()
