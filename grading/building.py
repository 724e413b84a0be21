"""Compiles a lab's source for a grade. What is compiled is a private copy of the .hip file and the headers beside it, in a
sandbox that shows the compiler these, common/ and the system, and nothing else: no solution, no other submission.

In:  a .hip file, where it is to lie for the compiler, the choices at build time (programs.py).
Out: Built: the object, the code object in it, the facts on its kernels (grading/launches/facts.h), the recorder linked with
     it. Objects are kept in build/objects by content: of the source, of every header that could be read, of the command
     and of the compiler. The object that was looked at is the object that is run.
"""
import dataclasses
import functools
import glob
import hashlib
import os
import re
import shlex
import shutil
import subprocess
import tempfile
from typing import NamedTuple

from grading import precompiled
from grading.programs import PLACE, PLATFORM, ask_make, chosen, macros
from grading.sandbox import Limits, library_path, run, searched, why_not
from grading.statuses import GraderTrouble, NotYet
from grading.words import quoted, shown

OBJECTS = "build/objects"
LAUNCHES = f"{PLACE}/grading/launches"
HEADERS = ("common", "common/families", "emulator/include",
           *(["common/nvidia/hip"] if PLATFORM == "nvidia" else []))
COMPILING = Limits(seconds=120, memory_bytes=3 << 30, file_bytes=64 << 20)
LEAST_ROOM_BYTES = 256 << 20  # on the disk, for a grade to work
HEADER_BYTES = 1 << 20        # of the files beside a source together
ROOMS = ("labs", "solutions", "beyond", "tests")
PLAIN_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*")


@dataclasses.dataclass(frozen=True)
class Built:
    object: str
    code: str
    facts: str
    recorder: str


class Compiler(NamedTuple):
    """What the Makefile says of it."""
    command: list    # without choices
    version: str     # hash of what it says of that
    section: str     # of an object, with the device's code
    libraries: list  # that a recorder is linked with


@functools.lru_cache(maxsize=1)
def _compiler():
    command, version, section, libraries = ask_make("compile-command")
    return Compiler(shlex.split(command), version, section, shlex.split(libraries))


def ask_compiler():
    """Once, before many ask at once."""
    _compiler()


def compiler_words():
    """The beginning of what it says of its version."""
    return ask_make("compiler-words")[0]


def must_have_room():
    if shutil.disk_usage("build").free < LEAST_ROOM_BYTES:
        raise GraderTrouble(f"less than {LEAST_ROOM_BYTES >> 20} MB are free on the disk of build/")


def files_of(source):
    """{name: bytes} of the .hip file, under its own name, and of the headers beside it. Links are not followed."""
    folder = os.path.dirname(source) or "."
    found, total = {}, 0
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        wanted = entry.name == os.path.basename(source) or entry.name.endswith(".h")
        if wanted and entry.is_file(follow_symlinks=False):
            with open(entry.path, "rb") as file:
                found[entry.name] = file.read(HEADER_BYTES + 1)
            total += len(found[entry.name])
    if os.path.basename(source) not in found:
        raise NotYet(f"{shown(source)} is no file that can be read")
    if total > HEADER_BYTES:
        raise NotYet(f"{shown(source)} and the headers beside it are more than {HEADER_BYTES >> 20} MB")
    return found


def hash_of(files):
    """Of {name: bytes}."""
    digest = hashlib.sha256()
    for name, content in sorted(files.items()):
        digest.update(repr((name, len(content))).encode() + content)
    return digest.hexdigest()


@functools.lru_cache(maxsize=1)
def _shared_headers():
    found = {}
    for folder in HEADERS:
        for path in glob.glob(f"{folder}/*.h"):
            with open(path, "rb") as file:
                found[path] = file.read()
    return hash_of(found)


def _lay_out(files, name, place, tree):
    """The copies, under the paths that the compiler is to have, and what they may include: all that is needed where there
    is no sandbox to put them there."""
    os.makedirs(os.path.join(tree, os.path.dirname(place)))
    for room in {path.split("/")[0] for path in (*HEADERS, precompiled.FOLDER)}:
        os.symlink(os.path.abspath(room), os.path.join(tree, room))
    for file_name, content in files.items():
        copy = place if file_name == name else os.path.join(os.path.dirname(place), file_name)
        with open(os.path.join(tree, copy), "wb") as file:
            file.write(content)


def _prepared(files, name):
    """The folder with the runtime's header, precompiled, where that is what the source begins with; else None."""
    shared = {os.path.basename(path) for folder in HEADERS for path in glob.glob(f"{folder}/*.h")}
    if not precompiled.is_first(files[name], shared, files):
        return None
    return precompiled.folder_of(tuple(_compiler().command), _compiler().version)


def _call(place, asked, tree, out, prepared):
    """The compiler. Returns Ended."""
    command = _compiler().command
    root = os.getcwd()
    own, start = os.path.dirname(place), tree if why_not() else root
    readable = {**{os.path.join(root, path): os.path.join(root, path) for path in (*HEADERS, *filter(None, [prepared]))},
                os.path.join(root, own): os.path.join(tree, own)}
    compiler = shutil.which(command[0])
    if compiler:
        readable[os.path.abspath(compiler)] = os.path.realpath(compiler)
    # Paths on the command are relative: hipcc hands them to a shell, and the root's may have any name.
    return run([*command, *(precompiled.words(prepared) if prepared else []),
                *(f"-D{macro}={value}" for macro, value in macros(asked)), "-c", place,
                "-o", os.path.relpath(f"{out}/object.o", start)], start, COMPILING,
               {**searched(), "PATH": os.environ.get("PATH", ""), "LD_LIBRARY_PATH": library_path(),
                "HCC_AMDGPU_TARGET": "gfx90a", "HIP_PLATFORM": "amd", "HOME": "/tmp"}, readable=readable, writable=[out])


def _compile(files, name, place, asked, target):
    """Writes the object to target. NotYet with what the compiler said."""
    with tempfile.TemporaryDirectory(dir=OBJECTS) as folder:
        tree, out = (os.path.join(os.getcwd(), folder, room) for room in ("tree", "out"))
        _lay_out(files, name, place, tree)
        os.mkdir(out)
        prepared = _prepared(files, name)
        ended = _call(place, asked, tree, out, prepared)
        if prepared and ended.status != 0 and not ended.timed_out:
            # So that what is said of a source never hangs on the precompiled header, which may be out of date.
            ended = _call(place, asked, tree, out, None)
            if ended.status == 0:
                precompiled.discard(prepared)
        trouble = ended.sentence(COMPILING)
        if trouble or ended.status != 0 or not os.path.exists(f"{out}/object.o"):
            must_have_room()
            choice = f" with {chosen(asked)}" if chosen(asked) else ""
            raise NotYet(f"{place} does not build{choice}; the compiler {trouble or 'says'}:\n{quoted(ended.said)}")
        os.replace(f"{out}/object.o", target)


def _defined(object_file):
    """Names that other files may see. nm tells them, too, after it has loaded the plug-ins of every LLVM."""
    done = subprocess.run(["readelf", "--syms", "--wide", object_file], capture_output=True, text=True, errors="replace",
                          check=False)
    symbols = (line.split() for line in done.stdout.splitlines())  # number: value size type binding visibility section name
    return {row[7] for row in symbols if len(row) > 7 and row[4] in ("GLOBAL", "WEAK", "UNIQUE") and row[6] != "UND"}


def _must_be_a_lab(place, object_file):
    defined = _defined(object_file)
    if "main" in defined:
        raise NotYet(f"{place} defines main, which belongs to the harness; the file ends with 'const Lab lab = {{...}};' at "
                     "its outermost level, as the lab's first version does")
    if "lab" not in defined:
        raise NotYet(f"{place} defines no 'const Lab lab'; it stands at the end of the lab's first version, outside of any "
                     "function and namespace")


def _link(object_file, target):
    """With gold, seven times as fast as the usual linker; where that fails the usual one says why, for gold stumbles over
    clang's line tables before it does."""
    for linker in (["-fuse-ld=gold"], []):
        done = subprocess.run(["gcc", *linker, object_file, f"{LAUNCHES}/record.a", *_compiler().libraries, "-lgomp",
                               "-lstdc++", "-lm", "-o", target], capture_output=True, text=True,
                              errors="replace", check=False)
        if done.returncode == 0:
            break
    return done


def _take_apart(place, object_file, folder):
    """What is needed of the object, in the folder."""
    _must_be_a_lab(place, object_file)
    built = Built(object_file, *(os.path.join(folder, name) for name in ("code", "facts", "recorder")))
    subprocess.run(["objcopy", "-O", "binary", f"--only-section={_compiler().section}", object_file, built.code], check=True)
    with open(built.facts, "wb") as out:
        facts = subprocess.run([f"{LAUNCHES}/kernel-facts", built.code], stdout=out, stderr=subprocess.PIPE, text=True,
                               errors="replace", check=False)
    if facts.returncode != 0:
        device = "this GPU" if PLATFORM == "nvidia" else "gfx90a"
        raise NotYet(f"{place} has no kernels that {device} can run: {shown(facts.stderr.strip())}")
    linked = _link(object_file, built.recorder)
    if linked.returncode != 0:
        must_have_room()
        raise NotYet(f"{place} compiles and cannot be linked; it may call HIP and the C and C++ libraries:\n"
                     f"{quoted(linked.stderr, 20)}")
    return built


def build(source, place, asked, folder):
    """place: the path of the source as the compiler and its messages are to have it. folder: for what the object is taken
    apart into; it lasts as long as Built is used."""
    files = files_of(source)
    name = os.path.basename(source)
    compiler = _compiler()
    key = hash_of({"files": hash_of(files).encode(), "name": repr((name, place)).encode(),
                   "shared": _shared_headers().encode(),
                   "command": repr((compiler.command, compiler.version, macros(asked))).encode()})
    object_file = f"{OBJECTS}/{key}.o"
    os.makedirs(OBJECTS, exist_ok=True)
    if not os.path.exists(object_file):
        _compile(files, name, place, asked, object_file)
    own = os.path.join(folder, key)
    os.makedirs(own, exist_ok=True)
    return _take_apart(place, object_file, own)


def place_of(source, lab):
    """Where the compiler is to see it, and people: where it is, if that is a folder of this repository and a name that no
    tool stumbles over; else where the lab's own file is."""
    path = os.path.relpath(source)
    if path.split(os.sep)[0] in ROOMS and all(PLAIN_NAME.fullmatch(part) for part in path.split(os.sep)):
        return path
    own = sorted(glob.glob(f"labs/{lab}/*.hip"))
    return own[0] if own else f"labs/{lab}/kernel.hip"
