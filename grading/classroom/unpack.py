"""Takes the .hip and .h files out of what a student handed in: a folder, a zip or tar archive, or a single file.

In:  a path. Everything about it comes from a stranger: names, links, archives that unpack to terabytes.
Out: the contents of regular files under the path they had, nothing written anywhere; problems: sentences on what could not
     be read, so that a file that is not there may have been handed in all the same; notes: what was left out for good.
"""
import bz2
import gzip
import lzma
import os
import stat
import tarfile
import zipfile

from grading.words import shown

FILE_BYTES = 1 << 20  # of one source file; a lab's is 5 kB
FILES = 1000  # a checkout of the whole course holds 300
TAKEN_BYTES = 16 << 20  # of all of them
MEMBERS = 20_000  # files and folders to look at
ARCHIVE_BYTES = 64 << 20
TAR_BYTES = 256 << 20  # what a tar archive may unpack to: it can only be read from its beginning on
DEPTH = 16

ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.xz", ".txz", ".tar.bz2", ".tbz2")
UNKNOWN_ARCHIVES = (".7z", ".rar", ".gz", ".xz", ".bz2", ".zst")
DECOMPRESS = {b"\x1f\x8b": gzip.open, b"BZ": bz2.open, b"\xfd7": lzma.open}  # by an archive's first two bytes


class TooMuch(Exception):
    """A limit that was reached, as the end of a sentence."""


def is_source(name):
    return name.lower().endswith((".hip", ".h"))


def is_archive(name):
    return name.lower().endswith(ARCHIVES)


def is_litter(name):
    """Hidden files and what a Mac puts beside them."""
    return name.startswith(".") or name == "__MACOSX"


class Unpacked:
    """What was taken so far, out of one or more places."""

    def __init__(self):
        self.files = []  # (names of folders and file, contents)
        self.problems, self.notes = [], []
        self.members = self.taken_bytes = 0

    def count(self):
        self.members += 1
        if self.members > MEMBERS:
            raise TooMuch(f"it holds more than {MEMBERS} files and folders")

    def take(self, names, size, read):
        """One regular file; read(n) gives at most n bytes of it, whatever size it claims."""
        content = read(FILE_BYTES + 1) if size <= FILE_BYTES else None
        if content is None or len(content) > FILE_BYTES:
            self.problems.append(f"{shown('/'.join(names))} was not taken: it is larger than {FILE_BYTES >> 20} MiB.")
            return
        self.taken_bytes += len(content)
        if len(self.files) == FILES or self.taken_bytes > TAKEN_BYTES:
            raise TooMuch(f"it holds more than {FILES} source files or {TAKEN_BYTES >> 20} MiB of them")
        self.files.append((names, content))

    def member(self, outer, name, kind, size, read):
        """One member of an archive. kind: "file", "folder" or what else it is."""
        self.count()
        names = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".")]
        if kind == "folder" or not names or any(map(is_litter, (n for n in names if n != ".."))):
            return
        if is_archive(names[-1]) or names[-1].lower().endswith(UNKNOWN_ARCHIVES):
            self.problems.append(f"{shown(name)} was not opened: it is an archive inside of an archive.")
        elif is_source(names[-1]) and (name.startswith("/") or ".." in names):
            self.problems.append(f"{shown(name)} was not taken: its name leads out of the archive.")
        elif is_source(names[-1]) and kind != "file":
            self.problems.append(f"{shown(name)} was not taken: it is a {kind}, not a file.")
        elif is_source(names[-1]):
            self.take([*outer, *names], size, read)


def open_plainly(path):
    """A file that is no link, device or pipe; None otherwise."""
    file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK) if not os.path.islink(path) else None
    if file is not None and stat.S_ISREG(os.fstat(file).st_mode):
        return os.fdopen(file, "rb")
    if file is not None:
        os.close(file)
    return None


def read_zip(file, outer, unpacked):
    if file.read().count(b"PK\1\2") > MEMBERS:  # each begins a line of its directory, which zipfile reads at once
        raise TooMuch(f"it holds more than {MEMBERS} files and folders")
    with zipfile.ZipFile(file) as archive:
        for entry in archive.infolist():
            kind = "folder" if entry.is_dir() else "link" if stat.S_ISLNK(entry.external_attr >> 16) else "file"
            # zipfile bounds what it unpacks at once only for the one method that everybody uses.
            if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                kind = "file packed in an unusual way"

            def read(limit, entry=entry):
                with archive.open(entry) as content:
                    return content.read(limit)

            unpacked.member(outer, entry.filename, kind, entry.file_size, read)


class Limited:
    """A stream that ends in TooMuch."""

    def __init__(self, stream):
        self.stream, self.left = stream, TAR_BYTES

    def read(self, size):
        data = self.stream.read(size)
        self.left -= len(data)
        if self.left < 0:
            raise TooMuch(f"it unpacks to more than {TAR_BYTES >> 20} MiB")
        return data


def read_tar(file, outer, unpacked):
    decompress = DECOMPRESS.get(file.read(2))
    file.seek(0)
    stream = decompress(file) if decompress else file
    with tarfile.open(fileobj=Limited(stream), mode="r|") as archive:
        for entry in archive:
            kind = "file" if entry.isreg() else "folder" if entry.isdir() else "link or device"
            unpacked.member(outer, entry.name, kind, entry.size,
                            lambda limit, entry=entry: archive.extractfile(entry).read(limit))


def read_archive(path, outer, unpacked):
    name = shown(os.path.basename(path))
    try:
        with open_plainly(path) as file:
            if os.fstat(file.fileno()).st_size > ARCHIVE_BYTES:
                raise TooMuch(f"it is larger than {ARCHIVE_BYTES >> 20} MiB")
            read = read_zip if file.read(2) == b"PK" else read_tar
            file.seek(0)
            before = unpacked.members
            read(file, outer, unpacked)
            if unpacked.members == before:
                raise ValueError("it is empty")
    except TooMuch as limit:
        unpacked.problems.append(f"{name} was not read to its end: {limit}.")
    except Exception as trouble:  # whatever these libraries raise at malformed data: it is the archive's fault
        what = shown(trouble) or type(trouble).__name__
        unpacked.problems.append(f"{name} cannot be unpacked ({what}); a zip or tar archive without a password can.")


def read_file(path, names, unpacked):
    """One file of a folder, or one handed in by itself."""
    name = names[-1]
    if not (is_source(name) or is_archive(name) or name.lower().endswith(UNKNOWN_ARCHIVES)) or is_litter(name):
        return
    try:
        file = open_plainly(path)
        if file is None:
            unpacked.problems.append(f"{shown('/'.join(names))} was not taken: it is a link or device, not a file.")
            return
        with file:
            if is_source(name):
                unpacked.take(names, os.fstat(file.fileno()).st_size, file.read)
                return
    except OSError as trouble:
        unpacked.problems.append(f"{shown('/'.join(names))} cannot be read: {trouble.strerror}.")
        return
    if is_archive(name):
        read_archive(path, names[:-1], unpacked)
    else:
        unpacked.problems.append(f"{shown(name)} was not opened: zip and tar archives can be.")


def read_folder(folder, unpacked):
    def unreadable(trouble):
        unpacked.problems.append(f"{shown(os.path.relpath(trouble.filename, folder))} cannot be read: {trouble.strerror}.")

    try:
        for place, folders, names in os.walk(folder, onerror=unreadable):
            inside = [part for part in os.path.relpath(place, folder).split("/") if part != "."]
            if len(inside) >= DEPTH and folders:
                unpacked.problems.append(f"{shown('/'.join(inside))} was not read further: it is {DEPTH} folders deep.")
            folders[:] = sorted(f for f in folders if not is_litter(f)) if len(inside) < DEPTH else []
            for name in filter(lambda name: os.path.islink(os.path.join(place, name)), folders):
                unpacked.problems.append(f"{shown('/'.join([*inside, name]))} was not read: it is a link.")
            for name in sorted(names):
                unpacked.count()
                read_file(os.path.join(place, name), [*inside, name], unpacked)
    except TooMuch as limit:
        unpacked.problems.append(f"The folder was not read to its end: {limit}.")


def unpack(path, name):
    """All of an entry of the submissions folder. name: what it counts as if it is a file."""
    unpacked = Unpacked()
    if os.path.isdir(path) and not os.path.islink(path):
        read_folder(path, unpacked)
    else:
        try:
            read_file(path, [name], unpacked)
        except TooMuch as limit:
            unpacked.problems.append(f"{shown(name)} was not taken: {limit}.")
    return unpacked
