"""Sums up the assembly that hipcc --save-temps left: what kinds of instructions each kernel has.

In:  assembly.py FILE.s   (gfx90a, as LLVM prints it)
Out: a line for each kernel, and where to read on.
"""
import re
import sys

KINDS = [
    ("loads", r"(global|flat)_load"), ("stores", r"(global|flat)_store"), ("nontemporal stores", r"global_store.* slc"),
    ("scratch loads", r"(buffer|scratch)_load"), ("scratch stores", r"(buffer|scratch)_store"), ("vector ALU", r"v_"),
    ("scalar", r"s_"),
]


def main():
    path = sys.argv[1]
    with open(path, encoding="utf-8") as file:
        functions = re.findall(r"^(\w+):[^\n]*; @\1\n(.*?)s_endpgm", file.read(), re.MULTILINE | re.DOTALL)
    print("instructions in the assembly (compiled):")
    for name, code in functions:
        lines = [line.strip() for line in code.splitlines()]
        counts = (f"{sum(bool(re.match(kind, line)) for line in lines)} {label}" for label, kind in KINDS)
        print(f"  {name}: {', '.join(counts)}")
    print(f"read on in {path}; '; Kernel info:' below each kernel repeats its registers, scratch and occupancy")


if __name__ == "__main__":
    main()
