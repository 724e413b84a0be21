"""Symbol gate: may this learner's object file be linked with the harness and run for a grade?

In:  an object file compiled from a lab's .hip file.
Out: sentences on why not; none when it holds kernels, launchers, main and HIP's own module constructor only.

The gate keeps honest grades honest: it stops exit(0), file access, constructors and replaced library functions. It
is no sandbox: code that sets out to attack the process it runs in can still do so.
"""
import re
import subprocess

# What hipcc's own code for launches and __device__/__constant__ variables needs, what a launcher may ask for, and
# memory functions that the compiler itself puts in.
ALLOWED_IMPORTS = {
    "__hipPopCallConfiguration", "__hipPushCallConfiguration", "__hipRegisterFatBinary", "__hipRegisterFunction",
    "__hipRegisterVar", "__hipUnregisterFatBinary", "atexit", "hipLaunchKernel", "hipGetLastError",
    "hipMemcpyToSymbol", "lab_main", "memcpy", "memset", "memmove", "_GLOBAL_OFFSET_TABLE_",
}


def _lines(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def refusals(object_file):
    """Sentences on what is not allowed in the object file, [] when it passes."""
    found = []
    for line in _lines("nm", "-P", object_file):
        name, kind = line.split()[:2]
        if kind in "Uvw" and name not in ALLOWED_IMPORTS:
            found.append(f"it uses {name}, and a lab's file may use only its own kernels and launcher, and lab_main")
        elif kind in "ABCDRTVW" and name != "main" and not re.match(r"_Z(?!n[wa]|d[la])", name):
            found.append(f"it defines {name}, which could replace a function of the library or the harness")
        elif kind == "i":
            found.append(f"it defines {name}, which is resolved by code that runs before main")
    # HIP's module constructor takes one pointer; anything more is the learner's own code before or after main.
    for line in _lines("readelf", "-SW", object_file):
        section = re.search(r"\]\s+(\.(?:preinit_array|init_array|fini_array|ctors|dtors|init|fini)\S*)\s+\S+\s+\S+"
                            r"\s+\S+\s+([0-9a-f]+)", line)
        if section and (section[1] != ".init_array" or int(section[2], 16) != 8):
            found.append("it has a constructor or destructor of its own, and nothing of a lab's file may run "
                         "outside main")
    return found
