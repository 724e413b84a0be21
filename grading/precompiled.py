"""The HIP runtime's header, which most of a lab's compilation goes into, read by the compiler once for all.

In:  what the Makefile says of the compiler, a source and the headers beside it.
Out: words for the compiler's command, with which it finds hip/hip_runtime.h read, for the host and for the device, in a
     folder of build/. The object is the same to the byte. No words for a source in which something that might change what
     the header holds stands before it, and for a compiler that cannot do this.
"""
import contextlib
import functools
import glob
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile

from grading.programs import PLATFORM

FOLDER = "build/precompiled"
HEADER = "common/precompiled.h"
SIDES = ("host", "device")
COMMENTS = re.compile(rb'(?:\s|//[^\n]*\n|/\*(?:[^*]|\*(?!/))*\*/)*')
GUARD = re.compile(rb'#ifndef (\w+)\r?\n#define \1\r?\n')
INCLUDE = re.compile(rb'#include (?:"([a-z_]+\.h)"|<(hip/hip_runtime\.h)>)[ \t]*\r?\n')


def is_first(source, shared, beside):
    """Whether in the source's bytes nothing but comments and headers that all labs share stands before the header. shared:
    names of those; beside: {name: bytes} of those beside the source, which may hide shared ones."""
    at, seen = _begin(source), set()
    while found := INCLUDE.match(source, COMMENTS.match(source, at).end()):
        name = (found[1] or b"").decode()
        if found[2] or name in seen or name not in {*beside, *shared}:
            return bool(found[2])
        at = found.end()
        if name in beside:  # what it begins with comes first
            seen.add(name)
            source = beside[name]
            at = _begin(source)
    return False


def _begin(text):
    """Behind what keeps a header from being read twice."""
    at = COMMENTS.match(text).end()
    guard = GUARD.match(text, at)
    return guard.end() if guard else at


def _make(command, folder):
    """Both sides, whole or not at all: checks that run side by side may ask for them at once. Whether they are there."""
    if os.path.isdir(folder):
        return True
    os.makedirs(FOLDER, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=FOLDER) as own:
        made = [subprocess.Popen(["tools/own-tmp.sh", *command, f"--cuda-{side}-only", "-Xclang", "-emit-pch", "-emit-llvm",
                                  "-x", "hip", "-c", HEADER, "-o", f"{own}/made/{side}.h.pch"],
                                 env={**os.environ, "PWD": os.getcwd()}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)
                for side in SIDES if not os.makedirs(f"{own}/made", exist_ok=True)]
        if any([process.wait() for process in made]) or len(os.listdir(f"{own}/made")) != len(SIDES):
            os.makedirs(folder, exist_ok=True)  # empty: this compiler need not be asked again
            return False
        try:
            os.rename(f"{own}/made", folder)
        except OSError:  # another was first
            pass
    return os.path.isdir(folder)


@functools.lru_cache(maxsize=1)
def folder_of(command, version):
    """Where they are, made for this command, a tuple; None where they cannot be."""
    if PLATFORM != "amd" or not shutil.which(command[0]) or not os.path.exists(HEADER):
        return None
    key = hashlib.sha256(repr((command, version)).encode()).hexdigest()[:32]
    folder = f"{FOLDER}/{key}"
    try:
        return folder if _make(command, folder) and os.listdir(folder) else None
    except OSError:  # no room, or nowhere to write: it is no must
        return None


def words(folder):
    return [word for side in SIDES for word in (f"-Xarch_{side}", f"-include{folder}/{side}.h")]


def discard(folder):
    """One that the compiler does not take, as after an update of the headers in it. It is made anew, but once: a second one
    that it does not take is left empty."""
    old = f"{folder}.old"
    with contextlib.suppress(OSError):  # another check may have been first
        if not os.path.exists(old):
            os.rename(folder, old)
            folder = old
        for name in os.listdir(folder):
            os.unlink(os.path.join(folder, name))
    folder_of.cache_clear()


def main():
    """precompiled.py SOURCE VERSION COMMAND...: the words for make's own compilations, or nothing."""
    source, version, *command = sys.argv[1:]
    beside = {}
    for path in [source, *glob.glob(f"{glob.escape(os.path.dirname(source))}/*.h")]:
        with open(path, "rb") as file:
            beside[os.path.basename(path)] = file.read()
    shared = {os.path.basename(path) for path in glob.glob("common/*.h") + glob.glob("common/families/*.h")}
    own = [word for word in command if word not in ("tools/own-tmp.sh", "-MMD", "-MP") and not word.startswith("-D")]
    folder = folder_of(tuple(own), version) if is_first(beside[os.path.basename(source)], shared, beside) else None
    print(*(words(folder) if folder else ()))


if __name__ == "__main__":
    main()
