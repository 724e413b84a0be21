"""Out of folders and archives come plain files only, within limits; what is left out is a sentence."""
import bz2
import gzip
import io
import lzma
import os
import tarfile
import tempfile
import unittest
import zipfile
from unittest import mock

from grading.classroom import unpack as module
from grading.classroom.unpack import unpack


def zipped(members, **how):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", **{"compression": zipfile.ZIP_DEFLATED, **how}) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return data.getvalue()


def tarred(members, compress=bytes):
    """members: {name: content, or a TarInfo's fields for what is no file}"""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        for name, content in members.items():
            entry = tarfile.TarInfo(name)
            if isinstance(content, dict):
                for key, value in content.items():
                    setattr(entry, key, value)
                archive.addfile(entry)
            else:
                entry.size = len(content)
                archive.addfile(entry, io.BytesIO(content))
    return compress(data.getvalue())


class Unpacking(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def put(self, name, content):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content)
        return path

    def unpacked(self, name, content):
        return unpack(self.put(name, content), name)

    def assert_took(self, unpacked, **files):
        self.assertEqual(unpacked.problems, [])
        self.assertEqual({"/".join(names): content for names, content in unpacked.files}, files["files"])

    def assert_refused(self, unpacked, *words):
        """Nothing but a sentence."""
        self.assertEqual(unpacked.files, [])
        self.assertEqual(len(unpacked.problems), 1, unpacked.problems)
        for word in words:
            self.assertIn(word, unpacked.problems[0])

    def test_takes_sources_out_of_every_kind_of_archive(self):
        members = {"top/01/a.hip": b"kernel", "top/01/a.h": b"header", "top/notes.txt": b"no", "top/.git/x.hip": b"no",
                   "__MACOSX/top/01/._a.hip": b"no"}
        wanted = {"top/01/a.hip": b"kernel", "top/01/a.h": b"header"}
        self.assert_took(self.unpacked("a.zip", zipped(members)), files=wanted)
        for name, compress in (("a.tar", bytes), ("a.tar.gz", gzip.compress), ("a.tar.bz2", bz2.compress),
                               ("a.tgz", gzip.compress), ("a.tar.xz", lzma.compress), ("wrong-ending.zip", lzma.compress)):
            self.assert_took(self.unpacked(name, tarred(members, compress)), files=wanted)

    def test_takes_sources_and_archives_out_of_a_folder(self):
        self.put("smith/03/a.hip", b"three")
        self.put("smith/hand-in/b.zip", zipped({"01/b.hip": b"one"}))
        self.assert_took(unpack(f"{self.folder}/smith", "smith"),
                         files={"03/a.hip": b"three", "hand-in/01/b.hip": b"one"})

    def test_names_that_are_no_utf8_are_taken_as_they_are(self):
        os.makedirs(os.fsencode(self.folder) + b"/\xff 01")
        with open(os.fsencode(self.folder) + b"/\xff 01/-a.hip", "wb") as file:
            file.write(b"x")
        self.assert_took(unpack(self.folder, "x"), files={"\udcff 01/-a.hip": b"x"})

    def test_a_name_that_leads_out_is_refused(self):
        for name in ("../a.hip", "x/../../a.hip", "/etc/a.hip", "..\\a.hip"):
            self.assert_refused(self.unpacked("a.tar", tarred({name: b"x"})), "leads out of the archive")
            self.assert_refused(self.unpacked("a.zip", zipped({name: b"x"})), "leads out of the archive")

    def test_links_devices_and_pipes_are_refused(self):
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE):
            self.assert_refused(self.unpacked("a.tar", tarred({"a.hip": {"type": kind, "linkname": "/etc/passwd"}})),
                                "it is a link or device")
        link = zipfile.ZipInfo("a.hip")
        link.external_attr = 0o120777 << 16
        self.assert_refused(self.unpacked("a.zip", zipped({link: "/etc/passwd"})), "it is a link")
        os.mkdir(f"{self.folder}/links")
        os.symlink("/etc/passwd", f"{self.folder}/links/a.hip")
        self.assert_refused(unpack(f"{self.folder}/links", "links"), "a.hip was not taken: it is a link or device")
        os.unlink(f"{self.folder}/links/a.hip")
        os.mkfifo(f"{self.folder}/links/b.hip")
        self.assert_refused(unpack(f"{self.folder}/links", "links"), "b.hip was not taken: it is a link or device")
        os.unlink(f"{self.folder}/links/b.hip")
        os.symlink("/etc", f"{self.folder}/links/03-reorder")
        self.assert_refused(unpack(f"{self.folder}/links", "links"), "03-reorder was not read: it is a link")

    def test_a_bomb_is_a_sentence(self):
        zeros = bytes(50 << 20)
        self.assert_refused(self.unpacked("a.zip", zipped({"a.hip": zeros})), "a.hip was not taken: it is larger than 1 MiB")
        self.assert_refused(self.unpacked("a.zip", zipped({"a.hip": b"x"}, compression=zipfile.ZIP_BZIP2)), "unusual way")
        with mock.patch.object(module, "TAR_BYTES", 10 << 20):
            for compress in (gzip.compress, bz2.compress, lzma.compress):
                bomb = self.unpacked("a.tar.gz", tarred({"big.bin": zeros, "a.hip": b"x"}, compress))
                self.assert_refused(bomb, "not read to its end: it unpacks to more than 10 MiB")

    def test_a_size_that_lies_is_not_believed(self):
        data = bytearray(zipped({"a.hip": bytes(3 << 20)}))
        for begins, at in ((b"PK\1\2", 24), (b"PK\3\4", 22)):
            place = data.index(begins) + at
            data[place:place + 4] = (10).to_bytes(4, "little")
        found = self.unpacked("a.zip", bytes(data))
        self.assertEqual(len(found.problems), 1)
        self.assertEqual(found.files, [])

    def test_too_many_members_or_files_are_a_sentence(self):
        many = {f"{n}.hip": b"" for n in range(20)}
        with mock.patch.object(module, "MEMBERS", 10):
            for name, content in (("a.zip", zipped(many)), ("a.tar", tarred(many))):
                self.assertIn("it holds more than 10 files and folders", self.unpacked(name, content).problems[0])
            for name, content in many.items():
                self.put(f"folder/{name}", content)
            self.assertIn("it holds more than 10 files", unpack(f"{self.folder}/folder", "folder").problems[0])
        with mock.patch.object(module, "FILES", 10):
            self.assertIn("more than 10 source files", self.unpacked("a.zip", zipped(many)).problems[0])
        with mock.patch.object(module, "ARCHIVE_BYTES", 10):
            self.assertIn("it is larger than 0 MiB", self.unpacked("a.zip", zipped(many)).problems[0])

    def test_what_is_no_archive_is_a_sentence(self):
        whole = zipped({"a.hip": b"x" * 1000})
        for content in (b"", b"PK", b"\x1f\x8b", b"BZh9", b"\xfd7zXZ", b"\0" * 5000, whole[:60], whole[-40:], b"text"):
            self.assert_refused(self.unpacked("a.zip", content), "a.zip cannot be unpacked")

    def test_other_archives_are_a_sentence(self):
        self.assert_refused(self.unpacked("a.rar", b"Rar!"), "a.rar was not opened: zip and tar archives can be")
        self.assert_refused(self.unpacked("a.zip", zipped({"b.zip": b"x"})), "an archive inside of an archive")

    def test_folders_without_end_are_a_sentence(self):
        self.put("/".join(["deep", *"d" * 40, "a.hip"]), b"x")
        self.assert_refused(unpack(f"{self.folder}/deep", "deep"), "it is 16 folders deep")


if __name__ == "__main__":
    unittest.main()
