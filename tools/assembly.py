"""Sums up an assembly: what kinds of instructions each kernel has.

In:  assembly.py FILE.s      (gfx90a, as hipcc --save-temps leaves it)
     assembly.py FILE.sass   (NVIDIA, as cuobjdump prints it)
Out: a row for each kernel, and where to read on.
"""
import os
import re
import sys

from tools.aligned import aligned
from tools.compiled_table import plain

# Headings, in two lines, and which instructions are counted.
AMD_KINDS = [
    ("", "loads", r"(global|flat)_load"), ("", "stores", r"(global|flat)_store"),
    ("nontemp.", "stores", r"global_store.* slc"), ("scratch", "loads", r"(buffer|scratch)_load"),
    ("scratch", "stores", r"(buffer|scratch)_store"), ("vector", "ALU", r"v_"), ("", "scalar", r"s_"),
]
NVIDIA_KINDS = [
    ("", "loads", r"LDG?\."), ("", "stores", r"STG?\."), ("nontemp.", "stores", r"STG?\..*\bEF\b"),
    ("local", "loads", r"LDL"), ("local", "stores", r"STL"), ("all", "instr.", r""),
]


def amd_kernels(text):
    """(name, lines) of each."""
    for name, code in re.findall(r"^(\w+):[^\n]*; @\1\n(.*?)s_endpgm", text, re.MULTILINE | re.DOTALL):
        yield name, [line.strip() for line in code.splitlines()]


def nvidia_kernels(text):
    for part in text.split("Function : ")[1:]:
        lines = re.findall(r"^\s*/\*[0-9a-f]{4,}\*/\s+(?:@!?\w+\s+)?([^;]*);", part, re.MULTILINE)
        yield part.split()[0], [line for line in lines if line != "NOP" and not line.startswith("BRA `(.L_x_")]


def table(kernels, kinds):
    patterns = [re.compile(pattern) for *_, pattern in kinds]
    rows = [("", *(upper for upper, _, _ in kinds)), ("kernel", *(lower for _, lower, _ in kinds))]
    for name, lines in kernels:
        rows.append((plain(name), *(str(sum(bool(kind.match(line)) for line in lines)) for kind in patterns)))
    return list(aligned(rows, gap=2))


def main():
    path = sys.argv[1]
    with open(path, encoding="utf-8") as file:
        text = file.read()
    nvidia = path.endswith(".sass")
    print("instructions in the assembly (compiled):")
    print("\n".join(table(nvidia_kernels(text), NVIDIA_KINDS) if nvidia else table(amd_kernels(text), AMD_KINDS)))
    print("the assembly" + ("" if nvidia else ", where '; Kernel info:' below each kernel repeats registers and scratch:"))
    print(f"  {path}", flush=True)


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:  # somebody read the first lines and left
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
