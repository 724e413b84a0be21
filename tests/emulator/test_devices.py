"""Code of gfx942 and gfx908 under the devices that have it: programs of hipcc, which knows gfx942's first step gfx940, and
one kernel in assembly whose arguments come in registers."""
import os
import struct
import subprocess
import sys
import tempfile
import unittest

PROGRAMS = "build/tests/emulator/devices"
NAMES = {"gfx940": "mi300x", "gfx908": "mi100"}
KERNELS = ("matrix_multiply", "math_functions", "private_array", "reduction", "shapes")

# Adds its second argument to the element of the first that belongs to the work-item. The device puts both into s[2:4] and
# skips the first 256 bytes, which on another one would do that.
PRELOADING = """
  .amdgcn_target "amdgcn-amd-amdhsa--{target}"
  .text
  .globl k
  .p2align 8
  .type k,@function
k:
  s_trap 2
  .fill 63, 4, 0xbf810000
  v_lshlrev_b32 v1, 2, v0
  global_load_dword v2, v1, s[2:3]
  s_waitcnt vmcnt(0)
  v_add_u32 v2, s4, v2
  v_add_u32 v2, s5, v2 ; the workgroup's x, behind them
  global_store_dword v1, v2, s[2:3]
  s_endpgm
  .size k, .-k
  .section .rodata,"a",@progbits
  .p2align 6
  .amdhsa_kernel k
    .amdhsa_kernarg_size 12
    .amdhsa_next_free_vgpr 3
    .amdhsa_next_free_sgpr 40
    .amdhsa_accum_offset 4
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .end_amdhsa_kernel
  .amdgpu_metadata
---
amdhsa.kernels:
  - .args:
      - {{.offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}}
      - {{.offset: 8, .size: 4, .value_kind: by_value}}
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 12
    .max_flat_workgroup_size: 64
    .name: k
    .private_segment_fixed_size: 0
    .sgpr_count: 46
    .symbol: k.kd
    .vgpr_count: 3
    .wavefront_size: 64
amdhsa.target: amdgcn-amd-amdhsa--{target}
amdhsa.version: [1, 2]
...
  .end_amdgpu_metadata
"""


def run(program, device, **environment):
    return subprocess.run([program], env={**os.environ, "LD_LIBRARY_PATH": "build/emulator", "EMULATOR_DEVICE": device,
                                          **environment}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False)


class Programs(unittest.TestCase):
    def test_run_right_in_both_engines(self):
        for architecture, device in NAMES.items():
            for kernel in KERNELS:
                with self.subTest(architecture=architecture, kernel=kernel):
                    for engine in ("0", "1000"):
                        ended = run(f"{PROGRAMS}/{kernel}-{architecture}", device, EMULATOR_MODEL="0",
                                    EMULATOR_TRANSLATE=engine)
                        self.assertEqual((ended.returncode, ended.stdout), (0, ""))

    def test_run_right_under_the_sanitizer(self):
        for architecture, device in NAMES.items():
            ended = run(f"{PROGRAMS}/private_array-{architecture}", device, EMULATOR_MODEL="0", EMULATOR_SANITIZE="1")
            self.assertEqual((ended.returncode, ended.stdout), (0, ""))

    def test_update_floats_of_the_host_on_gfx942(self):
        ended = run(f"{PROGRAMS}/float_atomics-gfx940", "mi300x", EMULATOR_MODEL="0")
        self.assertEqual((ended.returncode, ended.stdout), (0, ""))

    def test_choose_levels_of_mipmaps_where_the_device_can(self):
        for engine in ("0", "1000"):
            ended = run(f"{PROGRAMS}/mipmaps-gfx908", "mi100", EMULATOR_MODEL="0", EMULATOR_TRANSLATE=engine)
            self.assertEqual((ended.returncode, ended.stdout), (0, ""))

    def test_with_ids_in_three_registers_are_clean_under_the_sanitizer(self):
        ended = run(f"{PROGRAMS}/mipmaps-gfx908", "mi100", EMULATOR_MODEL="0", EMULATOR_SANITIZE="1")
        self.assertEqual((ended.returncode, ended.stdout), (0, ""))

    def test_are_told_that_times_are_not_validated(self):
        said = run(f"{PROGRAMS}/reduction-gfx940", "mi300x").stdout
        self.assertEqual(said.count("AMD Instinct MI300X, one XCD are modelled and not validated"), 1, said)
        self.assertEqual(run(f"{PROGRAMS}/reduction-gfx940", "mi300x", EMULATOR_MODEL="0").stdout, "")

    def test_for_another_device_are_refused_with_a_sentence(self):
        for program, device, has, wants in (("build/tests/emulator/kernels/reduction", "mi300x", "gfx90a", "gfx942"),
                                            (f"{PROGRAMS}/reduction-gfx940", "mi250x", "gfx940", "gfx90a"),
                                            (f"{PROGRAMS}/reduction-gfx908", "mi300x", "gfx908", "gfx942")):
            ended = run(program, device)
            self.assertNotEqual(ended.returncode, 0)
            self.assertIn(f"holds device code for {has}, but none for {wants}, the emulated device: compile with "
                          f"--offload-arch={wants}{' (gfx940 with hipcc of ROCm 5)' if wants == 'gfx942' else ''}.",
                          ended.stdout)

    def test_that_a_newer_compiler_calls_gfx942_run(self):
        for target, flag in ((b"gfx942", 0x4C), (b"gfx941", 0x4B)):
            with tempfile.TemporaryDirectory() as folder, open(f"{PROGRAMS}/matrix_multiply-gfx940", "rb") as file:
                bytes_ = bytearray(file.read().replace(b"amdgcn-amd-amdhsa--gfx940", b"amdgcn-amd-amdhsa--" + target))
                elf = bytes_.index(b"\x7fELF\x02\x01\x01\x40")
                bytes_[elf + 48] = flag
                with open(f"{folder}/program", "wb") as changed:
                    changed.write(bytes_)
                os.chmod(f"{folder}/program", 0o755)
                ended = run(f"{folder}/program", "mi300x", EMULATOR_MODEL="0")
                self.assertEqual((ended.returncode, ended.stdout), (0, ""))


class Properties(unittest.TestCase):
    def test_name_device_and_architecture(self):
        for device, name, architecture in (
                ("mi300x", "AMD Instinct MI300X, one XCD (emulated, not validated)", "gfx942:sramecc+:xnack-"),
                ("mi100", "AMD Instinct MI100 (emulated, not validated)", "gfx908:sramecc+:xnack-"),
                ("mi210", "AMD Instinct MI210 (emulated)", "gfx90a:sramecc+:xnack-")):
            script = ("import ctypes; text = ctypes.create_string_buffer(1472);"
                      "device = ctypes.CDLL('build/emulator/libamdhip64.so.6');"
                      "assert device.hipGetDevicePropertiesR0600(text, 0) == 0;"
                      "print(text.value.decode(), text.raw[1160:1416].split(b'\\0')[0].decode(), sep='|')")
            ended = run_python(script, device)
            self.assertEqual(ended, f"{name}|{architecture}\n")


def run_python(script, device, *arguments):
    return subprocess.run([sys.executable, "-c", script, *arguments],
                          env={**os.environ, "EMULATOR_DEVICE": device, "EMULATOR_MODEL": "0"},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False).stdout


class Preloading(unittest.TestCase):
    """The descriptor's field is of LLVM 18: it is set here. 16 bits at byte 58: dwords, and from bit 7 on the first."""

    def launched(self, target, device, preload):
        with tempfile.TemporaryDirectory() as folder:
            cpu = {"gfx942": "gfx940"}.get(target, target)
            subprocess.run(["llvm-mc-15", "--triple=amdgcn-amd-amdhsa", f"--mcpu={cpu}", "--filetype=obj",
                            "-o", f"{folder}/k.o"], input=PRELOADING.format(target=cpu), text=True, check=True)
            subprocess.run(["ld.lld-15", "-shared", f"{folder}/k.o", "-o", f"{folder}/k"], check=True)
            with open(f"{folder}/k", "rb") as file:
                code = bytearray(file.read())
            at = code.index(struct.pack("<III", 0, 0, 12))  # sizes of LDS, scratch and arguments: the descriptor
            struct.pack_into("<H", code, at + 58, preload)
            with open(f"{folder}/k", "wb") as file:
                file.write(code)
            return run_python(LAUNCH, device, f"{folder}/k")

    def test_puts_arguments_into_registers_and_skips_their_loading(self):
        for target, device in (("gfx90a", "mi250x"), ("gfx942", "mi300x")):
            self.assertEqual(self.launched(target, device, 3), f"{[lane + 7 for lane in range(64)]}\n")

    def test_of_more_than_there_is_is_refused(self):
        for preload in (4, 17, 3 | 1 << 7):
            self.assertIn("wants more arguments in registers than it has", self.launched("gfx90a", "mi250x", preload))


LAUNCH = """
import ctypes, sys
device = ctypes.CDLL("build/emulator/libamdhip64.so.5")
module, kernel, data = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
host = (ctypes.c_uint * 64)(*range(64))
if device.hipModuleLoad(ctypes.byref(module), sys.argv[1].encode()) == 0:
    assert device.hipModuleGetFunction(ctypes.byref(kernel), module, b"k") == 0
    assert device.hipMalloc(ctypes.byref(data), 256) == 0 and device.hipMemcpy(data, host, 256, 1) == 0
    number = ctypes.c_uint(7)
    given = (ctypes.c_void_p * 2)(ctypes.addressof(data), ctypes.addressof(number))
    assert device.hipModuleLaunchKernel(kernel, 1, 1, 1, 64, 1, 1, 0, None, given, None) == 0
    assert device.hipMemcpy(host, data, 256, 2) == 0
    print(list(host))
"""

if __name__ == "__main__":
    unittest.main()
