"""Inputs that the fuzzer begins with: well-formed ones of every kind that tests/fuzz/target.h names.

In: emulator/base/*.ini, build/tests/emulator/golden/*.encoding, llvm-mc-15, ld.lld-15 and zstd.
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

CPUS = ("gfx90a", "gfx908", "gfx940")  # as LLVM 15 calls them
TOGETHER = 12  # instructions of one input
ASSEMBLY = """
  .text
  .globl k
  .p2align 8
  .type k,@function
k:
  s_load_dwordx2 s[2:3], s[0:1], 0x0
  v_lshlrev_b32 v1, 2, v0
  v_and_b32 v1, 0x1ff, v1
  ds_write_b32 v1, v0
  s_waitcnt lgkmcnt(0)
  s_barrier
  ds_read_b32 v2, v1
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v2, s[0:1]
  global_load_dword v3, v1, s[0:1]
  s_waitcnt vmcnt(0)
  v_cmp_gt_u32 vcc, 33, v3
  s_and_saveexec_b64 s[4:5], vcc
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
    ACCUM_OFFSET
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
amdhsa.version: [1, 2]
...
  .end_amdgpu_metadata
"""


def code_object(cpu, version):
    assembly = ASSEMBLY.replace("ACCUM_OFFSET", "" if cpu == "gfx908" else ".amdhsa_accum_offset 4")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["llvm-mc-15", "--triple=amdgcn-amd-amdhsa", f"--mcpu={cpu}", "--filetype=obj", "-o", f"{folder}/k.o",
                        f"--amdhsa-code-object-version={version}"], input=assembly, text=True, check=True)
        subprocess.run(["ld.lld-15", "-shared", "-z", "max-page-size=64", f"{folder}/k.o", "-o", f"{folder}/k"], check=True)
        with open(f"{folder}/k", "rb") as file:
            return file.read()


def bundle(**codes):
    """clang's offload bundle: a table of offsets, sizes and names."""
    entries = [(b"host-x86_64-unknown-linux--", b"")]
    entries += [(f"hipv4-amdgcn-amd-amdhsa--{cpu}".encode(), code) for cpu, code in codes.items()]
    at = 32 + sum(24 + len(name) for name, _ in entries)
    table = b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", len(entries))
    for name, part in entries:
        table += struct.pack("<QQQ", at, len(part), len(name)) + name
        at += len(part)
    return table + b"".join(codes.values())


def compressed(plain):
    """In each version of the format, and by both methods."""
    by_zlib = zlib.compress(plain)
    by_zstd = subprocess.run(["zstd", "-19", "-c"], input=plain, stdout=subprocess.PIPE, check=True).stdout
    yield b"CCOB" + struct.pack("<HHIQ", 1, 0, len(plain), 0) + by_zlib
    yield b"CCOB" + struct.pack("<HHIIQ", 2, 0, 24 + len(by_zlib), len(plain), 0) + by_zlib
    yield b"CCOB" + struct.pack("<HHQQQ", 3, 1, 32 + len(by_zstd), len(plain), 0) + by_zstd


def instructions():
    """The machine code of each golden case."""
    for path in sorted(glob.glob("build/tests/emulator/golden/*.encoding")):
        with open(path, encoding="ascii") as file:
            for text in re.findall(r"encoding: \[([^]]*)\]", file.read()):
                yield bytes(int(byte, 16) for byte in text.split(","))


def seeds():
    code = {cpu: code_object(cpu, 5) for cpu in CPUS}
    for cpu in CPUS:
        yield f"object-{cpu}", b"o" + code[cpu]
    yield "object-4", b"o" + code_object("gfx90a", 4)
    plain = bundle(**code)
    yield "bundle", b"o" + plain
    for number, packed in enumerate(compressed(plain), 1):
        yield f"compressed-{number}", b"o" + packed
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
