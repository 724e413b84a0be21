"""Programs that ROCm 6 and 7 built ask for libamdhip64.so.6 and .so.7, and for a device's properties in another layout."""
import ctypes
import glob
import os
import re
import struct
import subprocess
import tempfile
import unittest
import zlib

FOLDER = os.path.abspath("build/emulator")
PROGRAM = "build/solutions/01-baseline/laplacian"
OBJECT = os.path.abspath("build/tests/emulator/runtime.hsaco")
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


class Opened(unittest.TestCase):
    """By a program that opens the library by its name, as hashcat and bindings of other languages do."""
    def release(self, name, **environment):
        asked = ("import ctypes; version = ctypes.c_int(); "
                 f"ctypes.CDLL('{FOLDER}/{name}').hipRuntimeGetVersion(ctypes.byref(version)); "
                 "print(version.value // 10**7)")
        return shell(f'python3 -c "{asked}"', **environment).stdout.strip()

    def test_the_name_says_the_release(self):
        told = [self.release(f"libamdhip64.so{number}") for number in ("", ".5", ".6", ".7")]
        self.assertEqual(told, ["5", "5", "6", "7"])

    def test_the_environment_says_it_where_the_name_does_not(self):
        self.assertEqual(self.release("libamdhip64.so", EMULATOR_ROCM="6"), "6")
        self.assertEqual(self.release("libamdhip64.so.7", EMULATOR_ROCM="5"), "5")

    def test_a_call_that_came_with_a_release_says_it_where_the_name_does_not(self):
        """As of bindings that were generated from ROCm 6's headers."""
        asked = ("import ctypes, sys; version = ctypes.c_int(); room = ctypes.create_string_buffer(4096); "
                 f"device = ctypes.CDLL('{FOLDER}/libamdhip64.so'); "
                 "device.hipGetDevicePropertiesR0600(room, 0); device.hipChooseDeviceR0600(ctypes.byref(version), room); "
                 "device.hipRuntimeGetVersion(ctypes.byref(version)); print(version.value // 10**7)")
        told = shell(f'python3 -c "{asked}"').stdout
        self.assertRegex(told, "^emulator: note: the program calls hipGetDevicePropertiesR0600, which is of ROCm 6, .*\n6\n")
        self.assertEqual(shell(f'python3 -c "{asked}"', EMULATOR_ROCM="5").stdout, "5\n")
        self.assertEqual(shell(f'python3 -c "{asked}"', EMULATOR_ROCM="7").stdout, "7\n")

    def test_devices_are_chosen_by_number_or_uuid(self):
        asked = ("import ctypes; count = ctypes.c_int(); uuid = ctypes.create_string_buffer(16); "
                 f"device = ctypes.CDLL('{FOLDER}/libamdhip64.so'); device.hipGetDeviceCount(ctypes.byref(count)); "
                 "print(*[uuid.raw.decode() for d in range(count.value) if device.hipDeviceGetUuid(uuid, d) == 0])")

        def uuids(**environment):
            return shell(f'python3 -c "{asked}"', EMULATOR_DEVICES="3", **environment).stdout.splitlines()[-1].split()

        everything = uuids()
        self.assertEqual([len(set(everything)), *map(len, everything)], [3, 16, 16, 16])
        for wanted, count in ((f"GPU-{everything[2]}", 1), (f"0,GPU-{everything[1]}", 2), (f"GPU-{everything[1]},1", 1),
                              (f"1,GPU-{everything[1][:-1]}", 1), (f"0,{everything[1]}", 1)):
            self.assertEqual(len(uuids(HIP_VISIBLE_DEVICES=wanted)), count, wanted)
            self.assertEqual(len(uuids(ROCR_VISIBLE_DEVICES=wanted)), count, wanted)

    def test_it_stays_when_the_last_who_opened_it_closes_it(self):
        """Its threads run on, as those of a plugin's library that is loaded, unloaded and loaded again."""
        asked = ("import _ctypes, ctypes, os; memory = ctypes.c_void_p(); "
                 f"device = ctypes.CDLL('{FOLDER}/libamdhip64.so.5'); "
                 "print(device.hipMalloc(ctypes.byref(memory), 8), device.hipFree(memory)); "
                 "_ctypes.dlclose(device._handle); "
                 f"print(ctypes.CDLL('{FOLDER}/libamdhip64.so.5', mode=os.RTLD_NOLOAD).hipMalloc(ctypes.byref(memory), 8))")
        self.assertEqual(shell(f'python3 -c "{asked}"').stdout, "0 0\n0\n")

    def library_with_kernels(self, folder):
        """As hipcc's constructor begins it; the linker writes down the library's own name, of ROCm 5."""
        source, library = f"{folder}/new.c", f"{folder}/new.so"
        with open(source, "w", encoding="utf-8") as file:
            file.write("extern void **__hipRegisterFatBinary(const void *);\n"
                       "__attribute__((constructor)) static void begin(void) { __hipRegisterFatBinary(0); }\n")
        shell(f"gcc -shared -fPIC {source} -o {library} -L{FOLDER} -l:libamdhip64.so.5")
        with open(library, "rb") as file:
            code = file.read()
        with open(library, "wb") as file:
            file.write(code.replace(b"libamdhip64.so.5\0", b"libamdhip64.so.6\0"))
        return library

    def test_a_library_of_a_later_release_that_comes_later_is_told(self):
        with tempfile.TemporaryDirectory() as folder:
            library = self.library_with_kernels(folder)
            first = f"import ctypes; ctypes.CDLL('{FOLDER}/libamdhip64.so.5').hipSetDevice(0); "
            later = f"ctypes.CDLL('{library}'); "
            told = [shell(f'python3 -c "{asked}"', LD_LIBRARY_PATH=FOLDER, **environment).stdout
                    for asked, environment in ((first + later + later, {}), ("import ctypes; " + later, {}),
                                               (first + later, {"EMULATOR_ROCM": "6"}))]
            says = "now loads what was built for libamdhip64.so.6: all its calls are served as those of ROCm 5"
            self.assertEqual([text.count(says) for text in told], [1, 0, 0], told)


class Names(unittest.TestCase):
    def test_of_cxx_in_rocm_5_are_of_c_in_rocm_6_too(self):
        """Under these versions the libraries of ROCm 6.4 ask for them: rocBLAS did not start without the first."""
        library = ctypes.CDLL(f"{FOLDER}/libamdhip64.so.6")
        find = ctypes.CDLL(None).dlvsym
        find.restype, find.argtypes = ctypes.c_void_p, (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p)
        names = {b"hip_4.2": (b"hipExtModuleLaunchKernel", b"hipHccModuleLaunchKernel", b"hipCreateSurfaceObject",
                              b"hipDestroySurfaceObject", b"hiprtcLinkCreate", b"hiprtcLinkAddFile", b"hiprtcLinkAddData",
                              b"hiprtcLinkComplete", b"hiprtcLinkDestroy"),
                 b"hip_5.2": (b"hipEventRecord_spt",), b"hip_5.3": (b"hiprtcLinkCreate",)}
        missing = [name for version, group in names.items() for name in group
                   if not find(library._handle, name, version)]
        self.assertEqual(missing, [])


class RunTimeCompiler(unittest.TestCase):
    def test_is_found_under_the_name_of_its_own_library(self):
        major, minor = ctypes.c_int(), ctypes.c_int()
        compiler = ctypes.CDLL(f"{FOLDER}/libhiprtc.so.6")
        self.assertEqual(compiler.hiprtcVersion(ctypes.byref(major), ctypes.byref(minor)), 0)
        self.assertEqual((major.value, minor.value), (9, 0))


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
                    "cooperativeMultiDeviceLaunch": 1,
                    "directManagedMemAccessFromHost": 1, "gcnArchName": b"gfx90a:sramecc+:xnack-",
                    "maxSharedMemoryPerMultiProcessor": 65536, "clockInstructionRate": 100000, "isLargeBar": 1,
                    "asicRevision": 1, "pciBusID": 0, "surfaceAlignment": 256, "integrated": 0, "deviceOverlap": 1,
                    "asyncEngineCount": 8, "unifiedAddressing": 1, "persistingL2": 8 << 20, "priorities": 1,
                    "regsPerMultiprocessor": 65536, "optin": 65536}
        self.assertEqual({name: getattr(said, name) for name in expected}, expected)
        self.assertEqual(list(said.unmatched), [1, 1, 1, 1])
        self.assertEqual(list(said.blocks_and_policy), [32, 0])
        texture, most, none = [16384, 16384], 2**31 - 1, [0] * 9
        self.assertEqual(list(said.textures_and_surfaces)[:26], [16384, most, most, *texture, 0, 0, *texture, most, 0, 0,
                                                                 *texture, 8192, 0, 0, 0, *none[:8]])
        self.assertEqual(list(said.textures_and_surfaces)[26:32], [16384, *texture, *texture, 8192])
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


NODES = r"""
#include <stdio.h>
int hipGraphCreate(void **, unsigned), hipGraphAddEmptyNode(void **, void *, void **, size_t),
    hipGraphAddMemcpyNode1D(void **, void *, void **, size_t, void *, void *, size_t, int),
    hipGraphNodeGetType(void *, int *);
int main(void) {
  void *graph, *empty, *copy;
  int types[2], a = 1, b;
  hipGraphCreate(&graph, 0);
  hipGraphAddEmptyNode(&empty, graph, NULL, 0);
  hipGraphAddMemcpyNode1D(&copy, graph, NULL, 0, &b, &a, sizeof a, 4);
  hipGraphNodeGetType(empty, types);
  hipGraphNodeGetType(copy, types + 1);
  printf("%d %d", types[0], types[1]);
}
"""


# Codes: nothing to bind, no reference, a pointer that is no memory, rows without elements, no mipmap.
TEXTURES = r"""
#include <stdio.h>
#include <string.h>
#include <stddef.h>
int hipMalloc(void **, size_t), hipCreateTextureObject(void **, void *, void *, void *),
    hipBindTexture2D(size_t *, void *, void *, void *, size_t, size_t, size_t),
    hipGetTextureAlignmentOffset(size_t *, void *), hipGetMipmappedArrayLevel(void **, void *, int);
struct resource { int type; void *memory; int channels[5]; size_t extent[3]; };
int main(void) {
  size_t offset;
  void *memory, *object;
  char texture[256] = {0};
  hipMalloc(&memory, 1024);
  struct resource line = {2, texture, {32, 0, 0, 0, 2}, {1024, 0, 0}}, rows = {3, memory, {32, 0, 0, 0, 2}, {0, 4, 256}};
  printf("%d ", hipBindTexture2D(&offset, texture, NULL, line.channels, 4, 4, 256));
  printf("%d ", hipGetTextureAlignmentOffset(&offset, NULL));
  printf("%d ", hipCreateTextureObject(&object, &line, texture, NULL));
  printf("%d ", hipCreateTextureObject(&object, &rows, texture, NULL));
  printf("%d", hipGetMipmappedArrayLevel(&object, NULL, 0));
}
"""


# A wrong call, then right ones, then one that is not ready, then what is remembered, twice.
ERRORS = r"""
#include <stdio.h>
int hipMalloc(void **, unsigned long), hipHostMalloc(void **, unsigned long, unsigned), hipStreamQuery(void *),
    hipStreamWaitValue32(void *, void *, unsigned, unsigned, unsigned), hipPeekAtLastError(void),
    hipGetLastError(void), hipExtGetLastError(void);
int main(void) {
  void *memory;
  hipMalloc(NULL, 1);
  hipHostMalloc(&memory, 64, 0);
  printf("%d ", hipPeekAtLastError());
  hipStreamWaitValue32(NULL, memory, 1, 0, ~0u);
  printf("%d ", hipStreamQuery(NULL));
  printf("%d ", hipExtGetLastError());
  printf("%d ", hipGetLastError());
  printf("%d %d", hipGetLastError(), hipExtGetLastError());
  *(volatile int *)memory = 1;
}
"""


NOTHING = r"""
#include <stdio.h>
int hipMalloc(void **, size_t), hipMemPtrGetInfo(void *, size_t *);
int main(void) {
  void *nothing;
  size_t size = 5;
  hipMalloc(&nothing, 0);
  printf("%d ", hipMemPtrGetInfo(nothing, &size));
  printf("%zu %d", size, hipMemPtrGetInfo(nothing, NULL));
}
"""


# How much memory is free, or there is, alone; and a range that is none.
MEMORY = r"""
#include <stdio.h>
int hipMemGetInfo(size_t *, size_t *), hipMemGetAddressRange(void **, size_t *, void *);
int main(void) {
  size_t of = 5, all = 5;
  int codes[3] = {hipMemGetInfo(&of, NULL), hipMemGetInfo(NULL, &all), hipMemGetInfo(NULL, NULL)};
  printf("%d %d %d, %d %d, %d", codes[0], codes[1], codes[2], of > 5, all > 5, hipMemGetAddressRange(NULL, NULL, NULL));
}
"""


# Memory that HIP does not know, none, and memory of the host that cannot be shared.
UNKNOWN = r"""
#include <stdio.h>
struct { int type, device; void *there, *here; int managed; unsigned flags; } told = {9, 9, &told, &told, 9, 9};
int hipPointerGetAttributes(void *, const void *), hipFreeAsync(void *, void *), hipIpcGetMemHandle(void *, void *),
    hipHostMalloc(void **, size_t, unsigned);
int main(void) {
  void *memory;
  char handle[64];
  hipHostMalloc(&memory, 64, 0);
  printf("%d ", hipPointerGetAttributes(&told, &told));
  printf("%d %d %d, ", told.type, told.device, told.there || told.here);
  printf("%d %d, ", hipPointerGetAttributes(&told, NULL), hipPointerGetAttributes(NULL, memory));
  printf("%d, %d", hipFreeAsync(NULL, NULL), hipIpcGetMemHandle(handle, memory));
}
"""


# A fill of rows gets another width: by another graph, and by the call for nodes of any type.
SHAPES = r"""
#include <stdio.h>
#include <string.h>
typedef struct { void *memory; unsigned element; size_t height, pitch; unsigned value; size_t width; } Fill;
typedef struct { int type, r0[3]; union { Fill set; long long r1[29]; }; long long r2; } Parameters;
int hipMalloc(void **, size_t), hipGraphCreate(void **, unsigned),
    hipGraphInstantiate(void **, void *, void *, void *, size_t),
    hipGraphAddMemsetNode(void **, void *, void *, size_t, Fill *), hipGraphExecUpdate(void *, void *, void **, int *),
    hipGraphExecNodeSetParams(void *, void *, Parameters *);
int main(void) {
  void *graph[2], *node[2], *exec, *different;
  Fill fill = {.element = 1, .height = 4, .pitch = 256, .value = 7, .width = 128};
  Parameters any;
  int result = -1;
  hipMalloc(&fill.memory, 1024);
  for (int i = 0; i < 2; i++, fill.width = 64) {
    hipGraphCreate(&graph[i], 0);
    hipGraphAddMemsetNode(&node[i], graph[i], NULL, 0, &fill);
  }
  hipGraphInstantiate(&exec, graph[0], NULL, NULL, 0);
  memset(&any, 0, sizeof any);
  any.type = 2;
  any.set = fill;
  printf("%d ", hipGraphExecNodeSetParams(exec, node[0], &any));
  hipGraphInstantiate(&exec, graph[0], NULL, NULL, 0);
  printf("%d ", hipGraphExecUpdate(exec, graph[1], &different, &result));
  printf("%d", result);
}
"""


TEXTS = r"""
#include <stdio.h>
const char *hipGetErrorString(int);
int main(void) { printf("%s, %s", hipGetErrorString(1), hipGetErrorString(-1)); }
"""


# A box copied in the driver's words, at once and as a node, and what is told of the node.
BOXES = r"""
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#if VERSION >= 6
typedef size_t Number;
enum { HOST = 1, DEVICE = 2 };
#else
typedef unsigned Number;
enum { HOST = 0, DEVICE = 1 };
#endif
typedef struct {
  Number from_at[4];
  int from_type;
  void *from_host, *from_device, *from_array;
  Number from_pitch, from_height, to_at[4];
  int to_type;
  void *to_host, *to_device, *to_array;
  Number to_pitch, to_height, width, height, depth;
} Box;
int hipMalloc(void **, size_t), hipMemcpy(void *, void *, size_t, int), hipMemset(void *, int, size_t),
    hipDrvMemcpy3D(Box *),
    hipGraphCreate(void **, unsigned), hipDrvGraphAddMemcpyNode(void **, void *, void **, size_t, Box *, void *),
    hipDrvGraphMemcpyNodeGetParams(void *, Box *), hipGraphInstantiate(void **, void *, void **, char *, size_t),
    hipGraphLaunch(void *, void *);
int main(void) {
  char in[64], out[64] = "", *device;
  void *graph, *node, *exec;
  struct { Box box; char behind[8]; } told;
  for (int i = 0; i < 64; i++)
    in[i] = (char)i;
  hipMalloc((void **)&device, 64);
  hipMemset(device, 0, 64);
  Box box = {.from_at = {4, 1, 1}, .from_type = HOST, .from_host = in, .from_pitch = 16, .from_height = 2, .to_type = DEVICE,
             .to_device = device, .to_pitch = 8, .to_height = 1, .width = 8, .height = 1, .depth = 1};
  printf("%d ", hipDrvMemcpy3D(&box));
  hipMemcpy(out, device, 64, 2);
  printf("%d %d, ", out[0], out[7]);
  box.from_at[0] = 5;
  hipGraphCreate(&graph, 0);
  printf("%d ", hipDrvGraphAddMemcpyNode(&node, graph, NULL, 0, &box, NULL));
  memset(&told, 0x55, sizeof told);
  printf("%d ", hipDrvGraphMemcpyNodeGetParams(node, &told.box));
  printf("%d %d %d %d %d, ", (int)told.box.from_at[0], (int)told.box.from_at[2], (int)told.box.to_pitch, (int)told.box.width,
         told.behind[0] == 0x55);
  hipGraphInstantiate(&exec, graph, NULL, NULL, 0);
  printf("%d ", hipGraphLaunch(exec, NULL));
  hipMemcpy(out, device, 64, 2);
  printf("%d %d", out[0], out[7]);
}
"""


# A fill as a node: made, told, changed in the driver's words, for which ROCm 6 has a struct of its own.
FILLS = r"""
#include <stddef.h>
#include <stdio.h>
#include <string.h>
typedef struct {
  void *to;
  unsigned size;
  size_t height, pitch;
  unsigned value;
  size_t width;
} Old;
typedef struct {
  void *to;
  size_t pitch;
  unsigned value, size;
  size_t width, height;
} New;
typedef Old Fill;
#if VERSION == 6
typedef New DriverFill;
#else
typedef Old DriverFill;
#endif
int hipMalloc(void **, size_t), hipMemcpy(void *, void *, size_t, int), hipMemset(void *, int, size_t),
    hipGraphCreate(void **, unsigned), hipGraphAddMemsetNode(void **, void *, void **, size_t, Fill *),
    hipGraphMemsetNodeGetParams(void *, Fill *), hipGraphInstantiate(void **, void *, void **, char *, size_t),
    hipDrvGraphExecMemsetNodeSetParams(void *, void *, DriverFill *, void *), hipGraphLaunch(void *, void *);
int main(void) {
  char out[64], *device;
  void *graph, *node, *exec;
  struct { Fill fill; char behind[8]; } told;
  hipMalloc((void **)&device, 64);
  hipMemset(device, 0, 64);
  Fill fill = {.to = device, .size = 1, .height = 1, .pitch = 64, .value = 7, .width = 32};
  hipGraphCreate(&graph, 0);
  printf("%d ", hipGraphAddMemsetNode(&node, graph, NULL, 0, &fill));
  memset(&told, 0x55, sizeof told);
  printf("%d ", hipGraphMemsetNodeGetParams(node, &told.fill));
  printf("%d %u %u %zu %zu %d, ", told.fill.to == device, told.fill.size, told.fill.value, told.fill.width, told.fill.height,
         told.behind[0] == 0x55);
  hipGraphInstantiate(&exec, graph, NULL, NULL, 0);
  hipGraphLaunch(exec, NULL);
  hipMemcpy(out, device, 64, 2);
  printf("%d %d, ", out[31], out[32]);
  DriverFill other = {.to = device, .size = 1, .height = 1, .pitch = 64, .value = 9, .width = 32};
  printf("%d ", hipDrvGraphExecMemsetNodeSetParams(exec, node, &other, NULL));
  hipGraphLaunch(exec, NULL);
  hipMemcpy(out, device, 64, 2);
  printf("%d %d", out[31], out[32]);
}
"""


# Codes of calls while a stream is recorded, and of the end of the recording.
RECORDED = r"""
#include <stddef.h>
#include <stdio.h>
int hipMalloc(void **, size_t), hipFree(void *), hipMallocManaged(void **, size_t, unsigned),
    hipMemAdvise(void *, size_t, int, int),
    hipEventCreate(void **), hipEventRecord(void *, void *), hipEventQuery(void *), hipDeviceSynchronize(void),
    hipDeviceGetDefaultMemPool(void **, int), hipDeviceSetMemPool(int, void *), hipDeviceSetCacheConfig(int),
    hipStreamCreate(void **), hipStreamBeginCapture(void *, int), hipStreamEndCapture(void *, void **),
    hipDeviceSetSharedMemConfig(int), hipStreamAddCallback(void *, void (*)(void *, int, void *), void *, unsigned);
static void *device, *managed, *event, *pool;
static void nothing(void *stream, int code, void *data) { (void)stream, (void)code, (void)data; }
static int call(int number) {
  switch (number) {
  case 0: return hipMemAdvise(managed, 4096, 1, 0);
  case 1: return hipEventQuery(event);
  case 2: return hipStreamAddCallback(NULL, nothing, NULL, 0);
  case 3: return hipDeviceSetMemPool(0, pool);
  case 4: return hipDeviceSetCacheConfig(0);
  case 5: return hipDeviceSetSharedMemConfig(0);
  default: return hipFree(device);
  }
}
int main(void) {
  hipMalloc(&device, 64), hipMallocManaged(&managed, 4096, 1), hipEventCreate(&event), hipEventRecord(event, NULL);
  hipDeviceGetDefaultMemPool(&pool, 0), hipDeviceSynchronize();
  for (int number = 0; number < 7; number++) {
    void *stream, *graph;
    hipStreamCreate(&stream), hipStreamBeginCapture(stream, 0);
    printf("%d ", call(number));
    printf("%d, ", hipStreamEndCapture(stream, &graph));
  }
}
"""


# What a kernel's dynamic LDS may be, after a wish; two ways to wait at once.
WISHES = r"""
#include <stdio.h>
int hipSetDeviceFlags(unsigned), hipModuleLoad(void **, const char *), hipModuleGetFunction(void **, void *, const char *),
    hipFuncGetAttribute(int *, int, void *), hipKernelSetAttribute(int, int, void *, int);
int main(void) {
  enum { MOST_DYNAMIC_LDS = 8 };
  void *module, *kernel;
  int told[3];
  if (hipModuleLoad(&module, OBJECT) || hipModuleGetFunction(&kernel, module, "count_common"))
    return 1;
  hipFuncGetAttribute(&told[0], MOST_DYNAMIC_LDS, kernel);
  hipKernelSetAttribute(MOST_DYNAMIC_LDS, 1024, kernel, 0);
  hipFuncGetAttribute(&told[1], MOST_DYNAMIC_LDS, kernel);
  hipKernelSetAttribute(MOST_DYNAMIC_LDS, 0, kernel, 0);
  hipFuncGetAttribute(&told[2], MOST_DYNAMIC_LDS, kernel);
  printf("%d %d %d, %d", told[0], told[1], told[2], hipSetDeviceFlags(3));
}
"""


# A limit between those there are, one behind them, and a negative one: to get, and to set.
LIMITS = r"""
#include <stddef.h>
#include <stdio.h>
int hipDeviceGetLimit(size_t *, int), hipDeviceSetLimit(int, size_t);
int main(void) {
  size_t value;
  for (int i = 0, limit[] = {3, 0x1003, -1}; i < 3; i++) {
    printf("%d ", hipDeviceGetLimit(&value, limit[i]));
    printf("%d, ", hipDeviceSetLimit(limit[i], 1));
  }
}
"""


# A kernel stores where nothing is; then calls that need no healthy device, hipDeviceReset the last one, and what comes then.
FAULTY = r"""
#include <stddef.h>
#include <stdio.h>
int hipModuleLoad(void **, const char *), hipModuleGetFunction(void **, void *, const char *),
    hipModuleLaunchKernel(void *, int, int, int, int, int, int, unsigned, void *, void **, void **),
    hipDeviceSynchronize(void), hipSetDevice(int), hipGetDevice(int *), hipGetDeviceCount(int *),
    hipRuntimeGetVersion(int *), hipDeviceGetLimit(size_t *, int), hipDeviceReset(void), hipGetLastError(void);
int main(void) {
  void *module, *kernel, *nowhere = (void *)4096, *arguments[] = {&nowhere};
  size_t limit;
  int number;
  if (hipModuleLoad(&module, OBJECT) || hipModuleGetFunction(&kernel, module, "stray"))
    return 1;
  hipModuleLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL);
  printf("%d, ", hipDeviceSynchronize());
  printf("%d %d %d ", hipSetDevice(0), hipGetDevice(&number), hipGetDeviceCount(&number));
  printf("%d %d %d, ", hipRuntimeGetVersion(&number), hipDeviceGetLimit(&limit, 2), hipDeviceReset());
  printf("%d ", hipGetLastError());
  printf("%d", hipDeviceSynchronize());
}
"""


class Values(unittest.TestCase):
    def run_program(self, version, text):
        """A C program that asks for the library of that release."""
        with tempfile.TemporaryDirectory() as folder:
            with open(f"{folder}/program.c", "w", encoding="utf-8") as source:
                source.write(text)
            name = f"libamdhip64.so.{version}"
            ran = shell(f"cd {folder} && grep -o 'hip[A-Z][A-Za-z0-9]*' program.c | sort -u | "
                        "sed 's/.*/void &(void) {}/' >real.c && "
                        f"gcc -shared -fPIC -Wl,-soname,{name} real.c -o {name} && "
                        f"gcc -w -DVERSION={version} -DOBJECT='\"{OBJECT}\"' program.c {name} -o program && "
                        f"LD_LIBRARY_PATH={FOLDER} ./program 2>errors")
            return ran.stdout

    def test_boxes_have_numbers_of_64_bits_from_rocm_6_on(self):
        for version in (5, 6, 7):
            with self.subTest(version):
                self.assertEqual(self.run_program(version, BOXES), "0 52 59, 0 0 5 1 8 8 1, 0 53 60")

    def test_fills_in_the_drivers_words_have_a_struct_of_their_own_in_rocm_6(self):
        for version in (5, 6, 7):
            with self.subTest(version):
                self.assertEqual(self.run_program(version, FILLS), "0 0 1 1 7 32 1 1, 7 0, 0 9 0")

    def test_more_calls_are_refused_beside_a_recording_from_rocm_7_on(self):
        for version, expected in ((6, "0 0, " * 7), (7, "900 901, 900 901, 906 901, 900 0, 900 0, 900 0, 900 901, ")):
            with self.subTest(version):
                self.assertEqual(self.run_program(version, RECORDED), expected)

    def test_limits_that_there_are_not_are_invalid_from_rocm_6_on(self):
        for version, expected in ((5, "215 215, 215 215, 215 215, "), (6, "215 215, 1 1, 1 1, ")):
            with self.subTest(version):
                self.assertEqual(self.run_program(version, LIMITS), expected)

    def test_a_kernels_fault_is_what_all_calls_return_from_rocm_7_on(self):
        for version, expected in ((6, "700, 0 0 0 0 0 0, 0 0"), (7, "700, 700 700 700 700 700 700, 700 700")):
            with self.subTest(version):
                self.assertEqual(self.run_program(version, FAULTY), expected)

    def test_wishes_are_told_and_several_ways_to_wait_refused_from_rocm_6_on(self):
        for version, expected in ((5, "65536 65536 65536, 0"), (6, "65536 1024 0, 1")):
            with self.subTest(version):
                self.assertEqual(self.run_program(version, WISHES), expected)

    def test_nodes_have_the_numbers_that_the_program_knows(self):
        for version, expected in ((5, "6 9"), (6, "5 1"), (7, "5 1")):
            with self.subTest(version):
                self.assertEqual(self.run_program(version, NODES), expected)

    def test_an_error_is_remembered_until_it_is_asked_for_from_rocm_7_on(self):
        for version, expected in ((6, "0 600 600 600 0 0"), (7, "1 600 600 1 0 0")):
            with self.subTest(version):
                self.assertEqual(self.run_program(version, ERRORS), expected)

    def test_free_memory_is_told_alone_from_rocm_6_on(self):
        for version, expected in ((5, "1 1 1, 0 0, 17"), (6, "0 0 0, 1 1, 500"), (7, "0 0 0, 1 1, 500")):
            with self.subTest(version):
                self.assertEqual(self.run_program(version, MEMORY), expected)

    def test_memory_that_nobody_allocated_is_told_as_such_from_rocm_7_on(self):
        for version, expected in ((5, "1 0 -2 0, 1 1, 1, 17"), (6, "1 0 -2 0, 1 1, 1, 1"), (7, "0 0 -2 0, 0 1, 0, 1")):
            with self.subTest(version):
                self.assertEqual(self.run_program(version, UNKNOWN), expected)

    def test_fills_of_executable_graphs_keep_the_shape_of_their_rows_from_rocm_7_on(self):
        for version, expected in ((6, "0 0 0"), (7, "1 910 5")):
            with self.subTest(version):
                self.assertEqual(self.run_program(version, SHAPES), expected)

    def test_errors_have_texts_from_rocm_6_on(self):
        for version, expected in ((5, "hipErrorInvalidValue, hipErrorUnknown"), (6, "invalid argument, unknown error")):
            with self.subTest(version):
                self.assertEqual(self.run_program(version, TEXTS), expected)

    def test_an_allocation_of_nothing_has_a_size_from_rocm_7_on(self):
        for version, expected in ((6, "1 5 1"), (7, "0 0 1")):
            with self.subTest(version):
                self.assertEqual(self.run_program(version, NOTHING), expected)

    def test_textures_have_the_codes_that_the_program_knows(self):
        for version, expected in ((5, "1 1 1 1 1"), (6, "1 1 1 1 400"), (7, "500 912 911 0 400")):
            with self.subTest(version):
                self.assertEqual(self.run_program(version, TEXTURES), expected)


class FailedAssertion(unittest.TestCase):
    def test_ends_the_process_up_to_rocm_6_and_is_an_error_from_7_on(self):
        for version, ended in ((6, True), (7, False)):
            with self.subTest(version), tempfile.TemporaryDirectory() as folder:
                shell(f"cd {folder} && echo 'int hipInit(unsigned flags) {{ return (int)flags; }}' >real.c && "
                      f"gcc -shared -fPIC -Wl,-soname,libamdhip64.so.{version} real.c -o libreal.so && "
                      f"gcc -shared -fPIC -Wl,--no-as-needed -x c /dev/null -x none libreal.so -o libasks.so")
                ran = shell("build/tests/emulator/faults/faults assert", LD_PRELOAD=f"{folder}/libasks.so",
                            LD_LIBRARY_PATH=FOLDER)
                self.assertIn("Device-side assertion", ran.stdout)
                self.assertEqual("hipDeviceSynchronize: hipErrorLaunchFailure" not in ran.stdout, ended, ran.stdout)


KERNEL = r"""
#include <hip/hip_runtime.h>
extern "C" __global__ void ask(unsigned *out) {
  extern __shared__ unsigned tile[];
  tile[threadIdx.x] = blockDim.x * 100 + gridDim.x;
  __syncthreads();
  unsigned *block = (unsigned *)malloc(4 * (threadIdx.x + 1)), sum = 0;
  for (unsigned i = 0; i <= threadIdx.x; i++)
    block[i] = i;
  for (unsigned i = 0; i <= threadIdx.x; i++)
    sum += block[i];
  free(block);
  out[blockIdx.x * blockDim.x + threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x] * 1000 + sum;
}
"""
GROUPS, ITEMS = 3, 64
SHARED_SIZE_BYTES = 1  # HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES
EXPECTED = [(ITEMS * 100 + GROUPS) * 1000 + item * (item + 1) // 2 for item in range(ITEMS)] * GROUPS


def answers(device, image, name=b"ask"):
    """What the kernel writes; the code of hipModuleLoadData where the image is refused."""
    module, kernel, out = (ctypes.c_void_p() for _ in range(3))
    code = device.hipModuleLoadData(ctypes.byref(module), image)
    if code:
        return code
    size = 4 * GROUPS * ITEMS
    assert device.hipModuleGetFunction(ctypes.byref(kernel), module, name) == 0
    assert device.hipMalloc(ctypes.byref(out), size) == 0
    arguments = (ctypes.c_void_p * 1)(ctypes.addressof(out))
    assert device.hipModuleLaunchKernel(kernel, GROUPS, 1, 1, ITEMS, 1, 1, 4 * ITEMS, None, arguments, None) == 0
    got = (ctypes.c_uint * (GROUPS * ITEMS))()
    assert device.hipMemcpy(got, out, ctypes.c_size_t(size), 2) == 0, "the kernel failed"
    assert device.hipModuleUnload(module) == 0
    return list(got)


# A number goes through LDS, behind what the metadata tell of it.
ASSEMBLY = """
.amdgcn_target "amdgcn-amd-amdhsa--gfx90a"
.text
.globl {name}
.p2align 8
.type {name},@function
{name}:
  s_load_dwordx2 s[0:1], s[0:1], 0x0
  v_mov_b32 v0, 0
  v_mov_b32 v1, {number}
  v_mov_b32 v2, 28
  ds_write_b32 v2, v1
  s_waitcnt lgkmcnt(0)
  ds_read_b32 v1, v2
  s_waitcnt lgkmcnt(0)
  global_store_dword v0, v1, s[0:1]
  s_endpgm
.Lend:
.size {name}, .Lend-{name}
.rodata
.p2align 6
.amdhsa_kernel {name}
  .amdhsa_group_segment_fixed_size 32
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 4
  .amdhsa_accum_offset 4
  .amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [1, 1]
amdhsa.kernels:
  - .name: {name}
    .symbol: {name}.kd
    .kernarg_segment_size: 8
    .group_segment_fixed_size: 16
    .private_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .wavefront_size: 64
    .sgpr_count: 8
    .vgpr_count: 4
    .max_flat_workgroup_size: 256
    .args:
      - {{.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}}
...
.end_amdgpu_metadata
"""

# What hidden_printf_buffer points to: bytes that are used and that there are; and the workgroup info.
PRINTS = """
.amdgcn_target "amdgcn-amd-amdhsa--gfx90a"
.text
.globl prints
.p2align 8
.type prints,@function
prints:
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  s_load_dwordx2 s[8:9], s[6:7], 0x0
  v_mov_b32 v0, 0
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v2, s8
  v_mov_b32 v3, s9
  global_store_dwordx2 v0, v[2:3], s[4:5]
  v_mov_b32 v1, s3
  global_store_dword v0, v1, s[4:5] offset:8
  s_endpgm
.Lend:
.size prints, .Lend-prints
.rodata
.p2align 6
.amdhsa_kernel prints
  .amdhsa_system_sgpr_workgroup_info 1
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 4
  .amdhsa_accum_offset 4
  .amdhsa_next_free_sgpr 12
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [1, 1]
amdhsa.printf: ["1:1:4:%d"]
amdhsa.kernels:
  - .name: prints
    .symbol: prints.kd
    .kernarg_segment_size: 16
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 4
    .max_flat_workgroup_size: 256
    .args:
      - {.size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global}
      - {.size: 8, .offset: 8, .value_kind: hidden_printf_buffer, .address_space: global}
...
.end_amdgpu_metadata
"""
PRINTER = """
import sys
sys.path.insert(0, "tests/emulator")
from test_rocm6 import answers, ctypes, FOLDER
device = ctypes.CDLL(FOLDER + "/libamdhip64.so.6")
image = open(sys.argv[1], "rb").read()
print(answers(device, image, b"prints")[:3], answers(device, image, b"prints")[:3])
"""


class CodeObjects(unittest.TestCase):
    """Of the versions that clang makes from 17 (5) and 21 (6) on; LLVM 15's llc writes version 5, too."""
    @classmethod
    def setUpClass(cls):
        cls.device = ctypes.CDLL(f"{FOLDER}/libamdhip64.so.6")
        with tempfile.TemporaryDirectory() as folder:
            with open(f"{folder}/kernel.hip", "w", encoding="utf-8") as kernel:
                kernel.write(KERNEL)
            built = shell(f"cd {folder} && export TMPDIR=$PWD && "
                          "hipcc --offload-arch=gfx90a -O3 --cuda-device-only -emit-llvm -c -mcode-object-version=5 "
                          "kernel.hip -o kernel.bc && "
                          "llc-15 -mcpu=gfx90a --amdhsa-code-object-version=5 -filetype=obj kernel.bc "
                          "-o kernel.o && ld.lld-15 -shared kernel.o -o kernel && "
                          "hipcc --offload-arch=gfx906 --offload-arch=gfx90a --offload-arch=gfx1030 -O3 --genco kernel.hip "
                          "-o bundle")
            assert built.returncode == 0, built.stdout
            cls.elf, cls.bundle = (open(f"{folder}/{name}", "rb").read() for name in ("kernel", "bundle"))

    def test_of_version_5_and_6_run(self):
        for version, abi in ((5, 3), (6, 4)):
            with self.subTest(version):
                self.assertEqual(answers(self.device, self.elf[:8] + bytes([abi]) + self.elf[9:]), EXPECTED)

    def test_of_several_targets_run(self):
        self.assertEqual(answers(self.device, self.bundle), EXPECTED)

    def test_that_were_linked_of_several_objects_run(self):
        """As kernels in assembly of rocBLAS and hipBLASLt: a note of metadata each; LDS is what descriptors say."""
        with tempfile.TemporaryDirectory() as folder:
            for name, number in ("one", 1), ("two", 2):
                with open(f"{folder}/{name}.s", "w", encoding="utf-8") as assembly:
                    assembly.write(ASSEMBLY.format(name=name, number=number))
            built = shell(f"cd {folder} && for k in one two; do "
                          "clang-15 -target amdgcn-amd-amdhsa -mcpu=gfx90a -c $k.s -o $k.o || exit 1; done; "
                          "ld.lld-15 -shared one.o two.o -o both && llvm-readelf-15 --notes both")
            self.assertEqual(built.stdout.count("NT_AMDGPU_METADATA"), 2, built.stdout)
            with open(f"{folder}/both", "rb") as both:
                image = both.read()
        for name, number in (b"one", 1), (b"two", 2):
            with self.subTest(name):
                self.assertEqual(answers(self.device, image, name)[:1], [number])
                self.assertEqual(self.lds_of(image, name), 32)

    def test_whose_printf_is_buffered_say_that_they_print_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in ("prints.s", PRINTS), ("printer.py", PRINTER):
                with open(f"{folder}/{name}", "w", encoding="utf-8") as file:
                    file.write(text)
            ran = shell(f"clang-15 -target amdgcn-amd-amdhsa -mcpu=gfx90a {folder}/prints.s -o {folder}/prints && "
                        f"python3 {folder}/printer.py {folder}/prints")
        self.assertEqual(ran.stdout.count("kernel prints: its printf prints nothing here"), 1, ran.stdout)
        self.assertIn(f"[0, 0, {1 << 31 | 1}] [0, 0, {1 << 31 | 1}]", ran.stdout)

    def lds_of(self, image, name):
        module, kernel, size = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_int()
        self.assertEqual(self.device.hipModuleLoadData(ctypes.byref(module), image), 0)
        self.assertEqual(self.device.hipModuleGetFunction(ctypes.byref(kernel), module, name), 0)
        self.assertEqual(self.device.hipFuncGetAttribute(ctypes.byref(size), SHARED_SIZE_BYTES, kernel), 0)
        self.device.hipModuleUnload(module)
        return size.value

    def compressed(self, version, method, whole=None, unpacked=None, data=None):
        if data is None:
            data = zlib.compress(self.bundle) if method == 0 else self.zstd(self.bundle)
        unpacked = len(self.bundle) if unpacked is None else unpacked
        sizes = {1: "<I", 2: "<II", 3: "<QQ"}.get(version, "<II")
        header = 16 + struct.calcsize(sizes)
        whole = header + len(data) if whole is None else whole
        fields = (unpacked,) if version == 1 else (whole, unpacked)
        return b"CCOB" + struct.pack("<HH", version, method) + struct.pack(sizes, *fields) + bytes(8) + data

    @staticmethod
    def zstd(data):
        library = ctypes.CDLL("libzstd.so.1")
        library.ZSTD_compress.restype = library.ZSTD_compressBound.restype = ctypes.c_size_t
        room = library.ZSTD_compressBound(ctypes.c_size_t(len(data)))
        packed = ctypes.create_string_buffer(room)
        used = library.ZSTD_compress(packed, ctypes.c_size_t(room), data, ctypes.c_size_t(len(data)), 3)
        return packed.raw[:used]

    def test_that_are_compressed_run(self):
        for version in (1, 2, 3):
            for method in (0, 1):
                with self.subTest(version=version, method=method):
                    image = self.compressed(version, method)
                    self.assertEqual(answers(self.device, image), EXPECTED)
                    with tempfile.NamedTemporaryFile() as file:  # nothing lies behind the end of a file
                        file.write(image)
                        file.flush()
                        module = ctypes.c_void_p()
                        self.assertEqual(self.device.hipModuleLoad(ctypes.byref(module), file.name.encode()), 0)

    def test_that_are_damaged_are_refused(self):
        for method, data in enumerate((zlib.compress(self.bundle), self.zstd(self.bundle))):
            damaged = data[:len(data) // 2] + bytes(len(data) - len(data) // 2)
            for name, image, code in (
                    ("no such version", self.compressed(4, method), 209),
                    ("no such method", self.compressed(2, method + 2, data=data), 209),
                    ("data", self.compressed(2, method, data=damaged), 200),
                    ("too short", self.compressed(2, method, unpacked=len(self.bundle) - 1), 200),
                    ("too long", self.compressed(2, method, unpacked=len(self.bundle) + 1), 200),
                    ("no bundle of this size", self.compressed(3, method, unpacked=1 << 60), 200),
                    ("a whole that is less than its header", self.compressed(2, method, whole=3), 200)):
                with self.subTest(name, method=method):
                    self.assertEqual(answers(self.device, image), code)


CALLS = r"""
#define __HIP_PLATFORM_AMD__
#include <hip/hip_runtime_api.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
hipError_t hipGetProcAddress(const char *, void **, int, unsigned long, int *);
hipError_t hipDrvGetErrorName(hipError_t, const char **);
hipError_t hipEventRecordWithFlags(hipEvent_t, hipStream_t, unsigned);
hipError_t hipMemGetHandleForAddressRange(void);
static pthread_t caller;
static void call(void *data) { *(int *)data = pthread_equal(caller, pthread_self()) ? 1 : 2; }
static int type(void *address) {
  hipPointerAttribute_t attributes;
  return hipPointerGetAttributes(&attributes, address) == hipSuccess ? (int)attributes.memoryType : -1;
}
int main(void) {
  void *device, *host, *managed, *function = NULL;
  int called = 0, status = 7;
  const char *name = "";
  hipEvent_t event;
  hipStream_t stream;
  caller = pthread_self();
  if (hipMalloc(&device, 64) || hipHostMalloc(&host, 64, 0) || hipMallocManaged(&managed, 64, 1) ||
      hipStreamCreate(&stream) || hipEventCreate(&event))
    return 1;
  printf("types %d %d %d\n", type(device), type(host), type(managed));
  hipLaunchHostFunc(stream, call, &called);
  hipEventRecordWithFlags(event, stream, 0);
  hipEventSynchronize(event);
  printf("called %d\n", called);
  hipDrvGetErrorName(hipErrorNotFound, &name);
  printf("%s\n", name);
  printf("found %d", hipGetProcAddress("hipMalloc", &function, 0, 0, &status));
  printf(" %d %d\n", status, function == (void *)hipMalloc);
  printf("missing %d", hipGetProcAddress("hipNothing", &function, 0, 0, &status));
  printf(" %d\n", status);
  printf("unserved %d\n", hipMemGetHandleForAddressRange());
  char text[4] = "abc", back[4] = "";
  const int of_host = VERSION < 6 ? 0 : 1, of_device = VERSION < 6 ? 1 : 2;
  hip_Memcpy2D copy = {.srcMemoryType = of_host, .srcHost = text, .srcPitch = 4, .dstMemoryType = of_device,
                       .dstDevice = device, .dstPitch = 4, .WidthInBytes = 4, .Height = 1};
  printf("copied %d", hipMemcpyParam2D(&copy));
  printf(" %d %s\n", hipMemcpy(back, device, 4, hipMemcpyDeviceToHost), back);
  return 0;
}
"""


class Calls(unittest.TestCase):
    """A program linked against a library of that name whose symbols have the versions of ROCm 7."""
    def test_of_later_releases(self):
        for version, types in ((5, "1 0 0"), (6, "2 1 3"), (7, "2 1 3")):
            with self.subTest(version), tempfile.TemporaryDirectory() as folder:
                with open(f"{folder}/calls.c", "w", encoding="utf-8") as calls:
                    calls.write(CALLS)
                with open("emulator/hip/hip.map", encoding="utf-8") as exported:
                    nodes = [(node, re.findall(r"(\w+);", names))
                             for node, names in re.findall(r"(hip_\d\.\d) \{\s*global:(.*?)\}", exported.read(), re.S)]
                with open(f"{folder}/real.map", "w", encoding="utf-8") as versions:
                    versions.writelines(f"{node} {{ global: {'; '.join(names)}; }};\n" for node, names in nodes)
                with open(f"{folder}/real.c", "w", encoding="utf-8") as real:
                    real.writelines(f"void {name}(void) {{}}\n" for _, names in nodes for name in names)
                name = f"libamdhip64.so.{version}"
                built = shell(f"cd {folder} && gcc -shared -fPIC -w -Wl,-soname,{name} -Wl,--version-script=real.map real.c "
                              f"-o {name} && gcc -DVERSION={version} calls.c {name} -o calls && readelf -V calls")
                self.assertIn("hip_6.4", built.stdout)
                ran = shell(f"LD_BIND_NOW=1 {folder}/calls", LD_LIBRARY_PATH=FOLDER)
                self.assertEqual(ran.stdout.splitlines()[-7:],
                                 [f"types {types}", "called 2", "hipErrorNotFound", "found 0 0 1", "missing 1 1",
                                  "unserved 801", "copied 0 0 abc"], ran.stdout)


if __name__ == "__main__":
    unittest.main()
