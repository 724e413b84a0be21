"""What the compiler reports of each kernel, a row a kernel.

In:  compiled_table.py PROGRAM.resources   (remarks that hipcc prints while it compiles, or tools/nvcc.sh makes)
Out: the table; what is no remark as it stands there; where the compiler's own words are.
"""
import re
import signal
import subprocess
import sys

from grading.words import shown
from tools.aligned import aligned

REMARK = re.compile(r"(?P<place>[^:]*(?::\d+)?)(?::\d+)?: remark: +(?P<what>[^:]+): (?P<value>.*?)(?: \[-Rpass\S*\])?$")
NAME = "Function Name"
# Heading, in two lines, and the compiler's word for it.
COLUMNS = {("", "SGPRs"): "SGPRs", ("", "VGPRs"): "VGPRs", ("", "AGPRs"): "AGPRs",
           ("scratch", "B/lane"): "ScratchSize [bytes/lane]", ("waves/", "SIMD"): "Occupancy [waves/SIMD]",
           ("SGPRs", "spilt"): "SGPRs Spill", ("VGPRs", "spilt"): "VGPRs Spill",
           ("LDS", "B/block"): "LDS Size [bytes/block]"}


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
            kernels.append({NAME: plain(found["value"]), "place": found["place"].rpartition(":")[2]})
        elif kernels:
            kernels[-1][found["what"]] = found["value"]
    return kernels, others


def table(kernels):
    rows = [("", "", *(upper for upper, _ in COLUMNS)), ("kernel", "line", *(lower for _, lower in COLUMNS))]
    rows += [(kernel[NAME], kernel["place"], *(kernel.get(word, "-") for word in COLUMNS.values())) for kernel in kernels]
    yield from aligned(rows)


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
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # a reader such as head may leave early
    main()
