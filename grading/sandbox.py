"""Runs a command that may try anything, where it can do nothing: bubblewrap shows it the system's programs and the files
named, read-only, an empty /tmp, no network and no other process, and takes all it started with it when it ends.

In:  a command, the folder it starts in, what it may read there, what it may write, limits, what may stop it before.
Out: Ended: how it ended, and the beginning of what it said. Where bubblewrap cannot work (why_not says why) the limits hold
     all the same, but the command sees and may change what its user may.
"""
import dataclasses
import functools
import os
import resource
import shutil
import signal
import struct
import subprocess
import tempfile
import threading

SYSTEM = ("/usr", "/lib", "/lib64", "/bin", "/sbin", "/opt", "/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf",
          "/etc/ld.so.conf.d")
# Where a compiler or its libraries are installed elsewhere, these name the folders (ROCm's modules, make setup PREFIX=...),
# and these tell programs.
INSTALLED = ("HIP_PATH", "ROCM_PATH")
SEARCHED = (*INSTALLED, "HIP_CLANG_PATH", "DEVICE_LIB_PATH", "CPATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "PERL5LIB")
SAID_BYTES = 64 << 10  # what is kept of a command's words: more than anybody reads
TMP_BYTES = 256 << 20
LAST_SIGNAL = 64
# Memory in huge pages, and one arena for all threads, for others have small pages: where a page fault is dear, as in virtual
# machines, a tenth of a compiler's or a replay's time.
FEWER_PAGE_FAULTS = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1:glibc.malloc.arena_max=1"}


@dataclasses.dataclass(frozen=True)
class Limits:
    seconds: int
    memory_bytes: int   # of each process; 0: no limit
    file_bytes: int     # of each file, and of what is said
    forks: bool = True  # whether it may start other processes


@dataclasses.dataclass(frozen=True)
class Ended:
    status: int      # exit status; of a signal its number, negative
    timed_out: bool
    said: str        # on stderr

    def sentence(self, limits):
        """How it ended, where that was not by itself: completes "the launcher ..."; None otherwise."""
        if self.timed_out:
            return f"was still running after {limits.seconds} s; look for a loop that does not end"
        if self.status == -signal.SIGXFSZ:
            return f"wrote more than {limits.file_bytes >> 20} MB"
        if self.status < 0:
            named = {number.value: number.name for number in signal.Signals}
            return f"was ended by {named.get(-self.status, f'signal {-self.status}')}"
        return None


def crowded():
    """What else may be why something took long, completing a sentence; "" where nothing is seen."""
    programs, cores = os.getloadavg()[0], len(os.sched_getaffinity(0))
    busy = programs > 2 * cores
    return f" (or is this computer too busy? {programs:.0f} programs share its {cores} cores)" if busy else ""


# Classic BPF for seccomp: the system calls that start a process or thread fail, all others pass.
# Numbers: Linux, arch/x86/entry/syscalls/syscall_64.tbl; constants: linux/bpf_common.h, linux/seccomp.h, linux/audit.h.
LOAD_WORD, EQUAL, AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06
ALLOW, KILL, FAIL = 0x7FFF0000, 0x80000000, 0x00050000 | 11  # EAGAIN, as where a limit on processes is met
X86_64, X32 = 0xC000003E, 0x40000000
FORKS = (56, 57, 58, 435)  # clone, fork, vfork, clone3


def no_forks():
    """The filter program, for a machine on which we know it; None elsewhere."""
    if os.uname().machine != "x86_64":
        return None
    tests = [(AT_LEAST, X32), *((EQUAL, number) for number in FORKS)]
    rows = [(LOAD_WORD, 0, 0, 4), (EQUAL, 1, 0, X86_64), (RETURN, 0, 0, KILL), (LOAD_WORD, 0, 0, 0)]
    rows += [(code, len(tests) - n, 0, value) for n, (code, value) in enumerate(tests)]
    rows += [(RETURN, 0, 0, ALLOW), (RETURN, 0, 0, FAIL)]
    return b"".join(struct.pack("<HBBI", *row) for row in rows)


def _mounts():
    words = []
    for path in SYSTEM:
        if os.path.islink(path):
            words += ["--symlink", os.readlink(path), path]
        elif os.path.exists(path):
            words += ["--ro-bind", path, path]
    for name in INSTALLED:
        folder = os.environ.get(name, "")
        if os.path.isabs(folder) and os.path.isdir(folder):
            words += ["--ro-bind", folder, folder]
    return words


def searched():
    """What of the environment a compiler needs."""
    return {name: os.environ[name] for name in SEARCHED if name in os.environ}


def library_path(*folders):
    """Ours before those of the environment."""
    return ":".join([*folders, *filter(None, [os.environ.get("LD_LIBRARY_PATH")])])


def _bubblewrap(folder, readable, writable):
    words = ["bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--clearenv", *_mounts(), "--proc", "/proc",
             "--dev", "/dev", "--size", str(TMP_BYTES), "--tmpfs", "/tmp", "--dir", folder]
    for inside, outside in readable.items():
        words += ["--ro-bind", outside, inside]
    for path in writable:
        words += ["--bind", path, path]
    return words


@functools.lru_cache(maxsize=1)
def why_not():
    """Why there is no sandbox on this machine, as a sentence; None where there is one."""
    if not shutil.which("bwrap"):
        return "bubblewrap is not installed ('make setup' installs it)"
    done = subprocess.run([*_bubblewrap("/tmp", {}, []), "true"], capture_output=True, text=True, errors="replace",
                          check=False)
    return None if done.returncode == 0 else f"bubblewrap does not work here: {done.stderr.strip()}"


def _limited(limits):
    """What a command begins with to be held to these limits, or to lower ones that hold here already. Python would set them
    in a copy of itself, and copying its pages takes a quarter of all that a check's Python does."""
    sizes = {"CORE": 0, "FSIZE": limits.file_bytes, **({"AS": limits.memory_bytes} if limits.memory_bytes else {})}
    words = ["prlimit"]
    for name, size in sizes.items():
        most = resource.getrlimit(getattr(resource, f"RLIMIT_{name}"))[1]
        words.append(f"--{name.lower()}={size if most == resource.RLIM_INFINITY else min(size, most)}")
    return words


def _kill(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


class Stop:
    """Ends commands of which nobody needs the result any more: those that run, and at once those that come."""

    def __init__(self):
        self.lock, self.running, self.asked = threading.Lock(), set(), False

    def now(self):
        with self.lock:
            self.asked = True
            for process in self.running:
                _kill(process)

    def begins(self, process):
        with self.lock:
            self.running.add(process)
            if self.asked:
                _kill(process)

    def ends(self, process):
        with self.lock:
            self.running.discard(process)


def _wait(process, seconds, stop):
    """Whether the time was up. Nothing of it lives on."""
    stop.begins(process)
    try:
        process.wait(timeout=seconds)
        return False
    except subprocess.TimeoutExpired:
        return True
    finally:
        stop.ends(process)
        _kill(process)
        process.wait()


def run(command, folder, limits, environment, readable=None, writable=(), descriptors=(), inside=True, stop=None):
    """readable: {path inside: path outside}; not inside: with limits only; stop: a Stop. Returns Ended."""
    environment = {**FEWER_PAGE_FAULTS, **environment}
    with tempfile.TemporaryFile() as words, tempfile.TemporaryFile() as rules:
        descriptors = list(descriptors)
        sandbox = []
        if inside and why_not() is None:
            sandbox = _bubblewrap(folder, readable or {}, writable)
            if not limits.forks and no_forks():
                rules.write(no_forks())
                rules.seek(0)
                descriptors.append(rules.fileno())
                sandbox += ["--seccomp", str(rules.fileno())]
            for name, value in environment.items():
                sandbox += ["--setenv", name, value]
            sandbox += ["--chdir", folder, "--"]
        process = subprocess.Popen([*_limited(limits), *sandbox, *command], cwd=None if sandbox else folder,
                                   env={"PATH": os.environ.get("PATH", "")} if sandbox else environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=words, start_new_session=True,
                                   pass_fds=descriptors)
        timed_out = _wait(process, limits.seconds, stop or Stop())
        words.seek(0)
        said = words.read(SAID_BYTES).decode(errors="replace").rstrip()
    status = process.returncode
    if sandbox and 128 < status <= 128 + LAST_SIGNAL:  # bubblewrap's way to say that a signal ended the command
        status = 128 - status
    return Ended(status, timed_out, said)
