"""Keeps what a class handed in and what was graded so far, each under what it depends on, and lets runs share the work.

In:  a folder, which runs at the same time may share, on this machine or on several; a lab's files; a check's result.
Out: Item, a file to be graded once; its record, if it has one; whether it is this run that grades it.
"""
import contextlib
import fcntl
import glob
import hashlib
import json
import os
import threading
from dataclasses import dataclass

from grading.building import hash_of
from grading.files import write_whole


def tree_hash(paths):
    """Of all files at the paths and below, by name and content, without what Python compiles as it goes."""
    found = hashlib.sha256()
    files = [path for path in paths if os.path.isfile(path)]
    for top in paths:
        for place, _, names in os.walk(top):
            if os.path.basename(place) != "__pycache__":
                files += [os.path.join(place, name) for name in names]
    for path in sorted(files):
        with open(path, "rb") as file:
            found.update(f"{path}\0{hashlib.sha256(file.read()).hexdigest()}\n".encode("utf-8", "surrogateescape"))
    return found.hexdigest()


def grader_hash():
    """Of all that decides a grade besides the learner's files."""
    grading = [path for path in glob.glob("grading/*") if os.path.basename(path) not in ("classroom", "tables", "grade.py")]
    return tree_hash(["Makefile", "common", "emulator", "tools", *glob.glob("labs/*/expected.json"), *grading,
                      *glob.glob("solutions/*/*.hip")])


@dataclass(frozen=True)
class Item:
    """One lab's files, whoever handed them in."""
    key: str  # of the result: all that it depends on
    lab: str
    path: str  # the .hip file, headers beside it
    files: str  # their hash: the beginning of the one in the check's result


def keep_files(out, lab, files):
    """Puts the files where a check finds them. Returns (path of the .hip file, hash)."""
    content = hash_of(files)[:16]
    folder = os.path.join(out, "files", content, lab.name)
    for name, data in files.items():
        path = os.path.join(folder, name)
        with contextlib.suppress(OSError), open(path, "rb") as file:
            if file.read() == data:
                continue
        write_whole(path, data)
    return os.path.join(folder, lab.file), content


class Kept:
    """device, seed: of the checks."""

    def __init__(self, out, device, seed):
        self.out = out
        self.common = [seed, device, grader_hash(), os.environ.get("COMPILER_IS")]
        self.again = set()  # keys of records that are not taken for one
        self.lock, self.claimed = threading.Lock(), set()
        os.makedirs(os.path.join(out, "results"), exist_ok=True)
        os.makedirs(os.path.join(out, "running"), exist_ok=True)

    def item(self, lab, files):
        path, content = keep_files(self.out, lab, files)
        key = hashlib.sha256(json.dumps([content, lab.name, *self.common]).encode()).hexdigest()
        return Item(key[:32], lab.name, path, content)

    def place(self, item):
        return os.path.join(self.out, "results", f"{item.key}.json")

    def remembered(self, item):
        """The record {"check": result, "seconds": ..., ...}, None if there is none."""
        try:
            with open(self.place(item), encoding="utf-8") as file:
                record = json.load(file)
            return record if record["check"]["lab"] == item.lab else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def keep(self, item, record):
        write_whole(self.place(item), json.dumps(record, indent=1))
        self.again.discard(item.key)

    def retry(self, items):
        """Records that say nothing about the learner, made before now, are none."""
        records = {item: self.remembered(item) for item in items}
        self.again = {item.key for item, record in records.items() if record and record["check"]["status"] == "trouble"}

    def is_done(self, item):
        return item.key not in self.again and self.remembered(item) is not None

    def count_done(self, items):
        """By whomever, without opening each."""
        names = os.listdir(os.path.join(self.out, "results"))
        return len({name.removesuffix(".json") for name in names} & {item.key for item in items} - self.again)

    @contextlib.contextmanager
    def claim(self, item):
        """Whether it is this thread that grades the item. A lock ends with the process that holds it, however that ends.
        Where the file system has no locks, others may do the same work again: results are whole either way."""
        with self.lock:
            ours = item.key not in self.claimed
            self.claimed.add(item.key)
        if not ours:
            yield False
            return
        try:
            with open(os.path.join(self.out, "running", f"{item.key}.lock"), "w", encoding="utf-8") as file:
                try:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    ours = False
                except OSError:
                    pass
                yield ours
        finally:
            with self.lock:
                self.claimed.discard(item.key)
