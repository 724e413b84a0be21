"""Inputs that the fuzzer begins with: well-formed ones of every kind that tests/fuzz/target.h names.

In: emulator/base/*.ini, build/tests/emulator/golden/*.encoding, llvm-mc-15 and ld.lld-15.
Out: files in the folder that is asked for.
"""
import glob
import os
import re
import struct
import subprocess
import sys
import tempfile
import zlib

TOGETHER = 12  # instructions of one input
ASSEMBLY = """
  .amdgcn_target "amdgcn-amd-amdhsa--gfx90a"
  .text
  .globl k
  .p2align 8
  .type k,@function
k:
  s_load_dwordx2 s[0:1], s[4:5], 0x0
  v_lshlrev_b32 v1, 2, v0
  ds_write_b32 v1, v0
  s_waitcnt lgkmcnt(0)
  s_barrier
  ds_read_b32 v2, v1
  buffer_store_dword v2, off, s[8:11], 0 offset:4
  s_cbranch_execz .Lend
  global_atomic_add v1, v2, s[0:1]
  s_endpgm
.Lend:
  s_endpgm
  .size k, .Lend-k
  .section .rodata,"a",@progbits
  .p2align 6
  .amdhsa_kernel k
    .amdhsa_kernarg_size 264
    .amdhsa_next_free_vgpr 9
    .amdhsa_next_free_sgpr 40
    .amdhsa_accum_offset 4
    .amdhsa_group_segment_fixed_size 1024
    .amdhsa_private_segment_fixed_size 16
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .end_amdhsa_kernel
  .data
  .globl value
  .type value,@object
  .size value, 8
value:
  .quad value
  .amdgpu_metadata
---
amdhsa.kernels:
  - .args:
      - {.offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}
      - {.offset: 8, .size: 4, .value_kind: hidden_block_count_x}
    .group_segment_fixed_size: 1024
    .kernarg_segment_align: 8
    .kernarg_segment_size: 264
    .max_flat_workgroup_size: 1024
    .name: k
    .private_segment_fixed_size: 16
    .sgpr_count: 46
    .symbol: k.kd
    .vgpr_count: 9
    .wavefront_size: 64
amdhsa.target: amdgcn-amd-amdhsa--gfx90a
amdhsa.version: [1, 2]
...
  .end_amdgpu_metadata
"""


def code_object():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["llvm-mc-15", "--triple=amdgcn-amd-amdhsa", "--mcpu=gfx90a", "--amdhsa-code-object-version=5",
                        "--filetype=obj", "-o", f"{folder}/k.o"], input=ASSEMBLY, text=True, check=True)
        subprocess.run(["ld.lld-15", "-shared", "-z", "max-page-size=64", f"{folder}/k.o", "-o", f"{folder}/k"], check=True)
        with open(f"{folder}/k", "rb") as file:
            return file.read()


def bundle(code):
    """clang's offload bundle: a table of offsets, sizes and names."""
    entries = ((b"host-x86_64-unknown-linux--", b""), (b"hipv4-amdgcn-amd-amdhsa--gfx90a", code))
    at = 32 + sum(24 + len(name) for name, _ in entries)
    table = b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", len(entries))
    for name, part in entries:
        table += struct.pack("<QQQ", at, len(part), len(name)) + name
        at += len(part)
    return table + code


def compressed(plain):
    packed = zlib.compress(plain)
    return b"CCOB" + struct.pack("<HHIIQ", 2, 0, 24 + len(packed), len(plain), 0) + packed


def instructions():
    """The machine code of each golden case."""
    for path in sorted(glob.glob("build/tests/emulator/golden/*.encoding")):
        with open(path, encoding="ascii") as file:
            for text in re.findall(r"encoding: \[([^]]*)\]", file.read()):
                yield bytes(int(byte, 16) for byte in text.split(","))


def seeds():
    code = code_object()
    yield "object", b"o" + code
    yield "bundle", b"o" + bundle(code)
    yield "compressed", b"o" + compressed(bundle(code))
    for path in glob.glob("emulator/base/*.ini"):
        with open(path, "rb") as file:
            yield os.path.basename(path), b"i" + file.read()
    every = list(instructions())
    for kind in "mt":
        for i in range(0, len(every), TOGETHER):
            number = i // TOGETHER
            yield f"{kind}{number}", kind.encode() + bytes([number % 64]) + b"".join(every[i:i + TOGETHER])


def main(folder):
    os.makedirs(folder, exist_ok=True)
    for name, text in seeds():
        with open(f"{folder}/{name}", "wb") as file:
            file.write(text)


if __name__ == "__main__":
    main(sys.argv[1])
