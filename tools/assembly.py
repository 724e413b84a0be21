"""Sums up an assembly: what kinds of instructions each kernel has.

In:  assembly.py FILE.s      (gfx90a, as hipcc --save-temps leaves it)
     assembly.py FILE.sass   (NVIDIA, as cuobjdump prints it)
Out: a line for each kernel, and where to read on.
"""
import re
import sys

AMD_KINDS = [
    ("loads", r"(global|flat)_load"), ("stores", r"(global|flat)_store"), ("nontemporal stores", r"global_store.* slc"),
    ("scratch loads", r"(buffer|scratch)_load"), ("scratch stores", r"(buffer|scratch)_store"), ("vector ALU", r"v_"),
    ("scalar", r"s_"),
]
NVIDIA_KINDS = [
    ("loads", r"LDG?\."), ("stores", r"STG?\."), ("nontemporal stores", r"STG?\..*\bEF\b"), ("local loads", r"LDL"),
    ("local stores", r"STL"), ("instructions in all", r""),
]


def amd_kernels(text):
    """(name, lines) of each."""
    for name, code in re.findall(r"^(\w+):[^\n]*; @\1\n(.*?)s_endpgm", text, re.MULTILINE | re.DOTALL):
        yield name, [line.strip() for line in code.splitlines()]


def nvidia_kernels(text):
    for part in text.split("Function : ")[1:]:
        lines = re.findall(r"^\s*/\*[0-9a-f]{4,}\*/\s+(?:@!?\w+\s+)?([^;]*);", part, re.MULTILINE)
        yield part.split()[0], [line for line in lines if line != "NOP" and not line.startswith("BRA `(.L_x_")]


def main():
    path = sys.argv[1]
    with open(path, encoding="utf-8") as file:
        text = file.read()
    nvidia = path.endswith(".sass")
    print("instructions in the assembly (compiled):")
    for name, lines in (nvidia_kernels if nvidia else amd_kernels)(text):
        counts = (f"{sum(bool(re.match(kind, line)) for line in lines)} {label}"
                  for label, kind in (NVIDIA_KINDS if nvidia else AMD_KINDS))
        print(f"  {name}: {', '.join(counts)}")
    repeated = "" if nvidia else "; '; Kernel info:' below each kernel repeats its registers, scratch and occupancy"
    print(f"read on in {path}{repeated}")


if __name__ == "__main__":
    main()
