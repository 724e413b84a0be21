"""Programs that ROCm 6 and 7 built ask for libamdhip64.so.6 and .so.7, and for a device's properties in another layout."""
import ctypes
import glob
import os
import re
import subprocess
import tempfile
import unittest

FOLDER = os.path.abspath("build/emulator")
PROGRAM = "build/solutions/01-baseline/laplacian"
SMALL = ("--nx", "67", "--ny", "9", "--nz", "5")


def shell(command, **environment):
    return subprocess.run(command, shell=True, env={**os.environ, **environment}, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)


class Properties(ctypes.Structure):
    """hipDeviceProp_tR0600, in the order of ROCm 6.0's hip_runtime_api.h; what is not read here is summed up."""
    _fields_ = [
        ("name", ctypes.c_char * 256), ("uuid_and_luid", ctypes.c_char * 24), ("luid_mask", ctypes.c_uint),
        *((name, ctypes.c_size_t) for name in ("totalGlobalMem", "sharedMemPerBlock")),
        *((name, ctypes.c_int) for name in ("regsPerBlock", "warpSize")), ("memPitch", ctypes.c_size_t),
        ("maxThreadsPerBlock", ctypes.c_int), ("maxThreadsDim", ctypes.c_int * 3), ("maxGridSize", ctypes.c_int * 3),
        ("clockRate", ctypes.c_int), ("totalConstMem", ctypes.c_size_t), ("major", ctypes.c_int), ("minor", ctypes.c_int),
        ("textureAlignment", ctypes.c_size_t), ("texturePitchAlignment", ctypes.c_size_t), ("deviceOverlap", ctypes.c_int),
        ("multiProcessorCount", ctypes.c_int),
        *((name, ctypes.c_int) for name in ("timeout", "integrated", "canMapHostMemory", "computeMode")),
        ("textures_and_surfaces", ctypes.c_int * 40), ("surfaceAlignment", ctypes.c_size_t),
        *((name, ctypes.c_int) for name in ("concurrentKernels", "ECCEnabled", "pciBusID", "pciDevice", "pciDomain",
                                            "tcc", "asyncEngineCount", "unifiedAddressing", "memoryClockRate",
                                            "memoryBusWidth", "l2CacheSize", "persistingL2", "maxThreadsPerMultiProcessor",
                                            "priorities", "globalL1", "localL1")),
        ("sharedMemPerMultiprocessor", ctypes.c_size_t), ("regsPerMultiprocessor", ctypes.c_int),
        ("managedMemory", ctypes.c_int), ("board", ctypes.c_int * 4), ("pageableMemoryAccess", ctypes.c_int),
        ("concurrentManagedAccess", ctypes.c_int), ("preemption", ctypes.c_int * 2), ("cooperativeLaunch", ctypes.c_int),
        ("cooperativeMultiDeviceLaunch", ctypes.c_int), ("optin", ctypes.c_size_t), ("hostPageTables", ctypes.c_int),
        ("directManagedMemAccessFromHost", ctypes.c_int), ("blocks_and_policy", ctypes.c_int * 2),
        ("reservedSharedMemPerBlock", ctypes.c_size_t), ("supported", ctypes.c_int * 13), ("reserved", ctypes.c_int * 95),
        ("gcnArchName", ctypes.c_char * 256), ("maxSharedMemoryPerMultiProcessor", ctypes.c_size_t),
        ("clockInstructionRate", ctypes.c_int), ("arch", ctypes.c_uint), ("flush", ctypes.c_void_p * 2),
        ("unmatched", ctypes.c_int * 4), ("isLargeBar", ctypes.c_int), ("asicRevision", ctypes.c_int)]


def properties():
    """In a process of its own, what the library of that name says."""
    said = Properties()
    device = ctypes.CDLL(f"{FOLDER}/libamdhip64.so.6")
    assert [device.hipGetDevicePropertiesR0600(*asked) for asked in ((None, 0), (ctypes.byref(said), 1))] == [1, 101]
    assert device.hipGetDevicePropertiesR0600(ctypes.byref(said), 0) == 0
    return said


class Layout(unittest.TestCase):
    def test_is_that_of_rocm_6(self):
        self.assertEqual(ctypes.sizeof(Properties), 1472)
        said = properties()
        expected = {"name": b"AMD Instinct MI250X (emulated)", "totalGlobalMem": 64 << 30, "sharedMemPerBlock": 65536,
                    "regsPerBlock": 65536, "warpSize": 64, "memPitch": 2**31 - 1, "maxThreadsPerBlock": 1024,
                    "clockRate": 1700000, "major": 9, "minor": 0, "multiProcessorCount": 110, "canMapHostMemory": 1,
                    "concurrentKernels": 1, "ECCEnabled": 1, "memoryClockRate": 1600000, "memoryBusWidth": 4096,
                    "l2CacheSize": 8 << 20, "maxThreadsPerMultiProcessor": 2048, "sharedMemPerMultiprocessor": 65536,
                    "managedMemory": 1, "concurrentManagedAccess": 1, "cooperativeLaunch": 1,
                    "directManagedMemAccessFromHost": 1, "gcnArchName": b"gfx90a:sramecc+:xnack-",
                    "maxSharedMemoryPerMultiProcessor": 65536, "clockInstructionRate": 100000, "isLargeBar": 1,
                    "asicRevision": 1, "pciBusID": 0, "surfaceAlignment": 0, "integrated": 0}
        self.assertEqual({name: getattr(said, name) for name in expected}, expected)
        self.assertEqual(list(said.maxThreadsDim) + list(said.maxGridSize), [1024] * 3 + [2**31 - 1] * 3)


class Program(unittest.TestCase):
    def test_of_a_later_rocm_finds_the_emulated_device(self):
        """A lab's program, linked as there: with a library of that name, whose symbols have these versions."""
        sources = glob.glob("common/*.c") + glob.glob("common/families/*.c")
        objects = " ".join([f"{PROGRAM}.o", *(f"build/{source.removesuffix('.c')}.o" for source in sources)])
        wanted = set(re.findall(r" U (_*hip\w+)", shell(f"nm {objects}").stdout))
        self.assertIn("hipLaunchKernel", wanted)
        for version in (6, 7):
            with self.subTest(version), tempfile.TemporaryDirectory() as folder:
                with open(f"{folder}/real.c", "w", encoding="utf-8") as real:
                    real.writelines(f"void {name}(void) {{}}\n" for name in [*wanted, "hipGetDevicePropertiesR0600"])
                with open(f"{folder}/real.map", "w", encoding="utf-8") as versions:
                    versions.write("hip_4.2 { global: *; };\nhip_6.0 { global: hipGetDevicePropertiesR0600; } hip_4.2;\n")
                with open(f"{folder}/asks.c", "w", encoding="utf-8") as asks:
                    asks.write("int hipGetDevicePropertiesR0600(void);\nvoid *asks = hipGetDevicePropertiesR0600;\n")
                name = f"libamdhip64.so.{version}"
                built = shell(f"gcc -shared -fPIC -Wl,-soname,{name} -Wl,--version-script={folder}/real.map {folder}/real.c "
                              f"-o {folder}/{name} && gcc {folder}/asks.c {objects} {folder}/{name} -lgomp -lstdc++ -lm "
                              f"-o {folder}/program && readelf -d {folder}/program")
                self.assertIn(f"[{name}]", built.stdout)
                ran = shell(f"LD_BIND_NOW=1 {folder}/program {' '.join(SMALL)}", LD_LIBRARY_PATH=FOLDER)
                self.assertEqual(ran.returncode, 0, ran.stdout)
                self.assertIn("on device emulated", ran.stdout)


if __name__ == "__main__":
    unittest.main()
