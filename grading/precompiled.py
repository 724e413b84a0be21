"""The HIP runtime's header, which most of a lab's compilation goes into, read by the compiler once for all.

In:  what the Makefile says of the compiler, a source and the headers beside it.
Out: words for the compiler's command, with which it finds hip/hip_runtime.h read, for the host and for the device, in a
     folder of build/. The object is the same to the byte. No words for a source in which something that might change what
     the header holds stands before it, and for a compiler that cannot do this.
"""
import functools
import hashlib
import os
import re
import shutil
import subprocess
import tempfile

FOLDER = "build/precompiled"
HEADER = "common/precompiled.h"
SIDES = ("host", "device")
COMMENTS = re.compile(rb'(?:\s|//[^\n]*\n|/\*(?:[^*]|\*(?!/))*\*/)*')
INCLUDE = re.compile(rb'#include (?:"([a-z_]+\.h)"|<(hip/hip_runtime\.h)>)[ \t]*\r?\n')


def is_first(source, shared, beside):
    """Whether in the source's bytes nothing but comments and headers that all labs share stands before the header. shared,
    beside: names of headers; one beside the source may hide a shared one."""
    at = 0
    while found := INCLUDE.match(source, COMMENTS.match(source, at).end()):
        if found[2]:
            return True
        name = found[1].decode()
        if name not in shared or name in beside:
            return False
        at = found.end()
    return False


def _make(command, folder):
    """Both sides, whole or not at all: checks that run side by side may ask for them at once. Whether they are there."""
    if os.path.isdir(folder):
        return True
    os.makedirs(FOLDER, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=FOLDER) as own:
        made = [subprocess.Popen(["tools/own-tmp.sh", *command, f"--cuda-{side}-only", "-Xclang", "-emit-pch", "-emit-llvm",
                                  "-x", "hip", "-c", HEADER, "-o", f"{own}/made/{side}.h.pch"],
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                for side in SIDES if not os.makedirs(f"{own}/made", exist_ok=True)]
        if any([process.wait() for process in made]) or len(os.listdir(f"{own}/made")) != len(SIDES):
            return False
        try:
            os.rename(f"{own}/made", folder)
        except OSError:  # another was first
            pass
    return os.path.isdir(folder)


@functools.lru_cache(maxsize=1)
def folder_of(command, version):
    """Where they are, made for this command, a tuple; None where they cannot be."""
    if not shutil.which(command[0]) or not os.path.exists(HEADER):
        return None
    key = hashlib.sha256(repr((command, version)).encode()).hexdigest()[:32]
    folder = f"{FOLDER}/{key}"
    return folder if _make(command, folder) else None


def words(folder):
    return [word for side in SIDES for word in (f"-Xarch_{side}", f"-include{folder}/{side}.h")]


def discard(folder):
    """One that the compiler does not take any more, as after an update of the headers in it: it is made anew."""
    shutil.rmtree(folder, ignore_errors=True)
    folder_of.cache_clear()
