"""Compiling for a grade: content decides and nothing else, the compiler sees the submission and what it may include and
nothing else, no name or size of a file leads anywhere, and what stops it is the learner's only where it is theirs.

In:  build/grading/launches/. Small sources that compile in a second; objects that say nothing new are kept in build/objects.
"""
import collections
import contextlib
import glob
import os
import shutil
import subprocess
import tempfile
import unittest
from unittest import mock

from grading import building, precompiled, sandbox
from grading.building import HEADER_BYTES, build, files_of, hash_of, must_have_room, place_of
from grading.statuses import GraderTrouble, NotYet

LAB = "01-baseline"
OWN = "labs/01-baseline/laplacian.hip"
SMALL = """#include "lab.h"
#include <hip/hip_runtime.h>
__global__ void laplacian(double *f) { f[0] = VALUE; }
static void launch(const Grid *, dim3 block, double *f, const double *) { laplacian<<<1, block>>>(f); }
const Lab lab = {.file = __FILE__, .family = LAPLACIAN,
                 .kernels = {{.name = "laplacian", .function = (const void *)laplacian, .launch = {.laplacian = launch}}}};
"""


def small(value="1"):
    return SMALL.replace("VALUE", value)


class Case(unittest.TestCase):
    def setUp(self):
        self.submission, self.own = (self.made(tempfile.mkdtemp(dir=place)) for place in ("/tmp", "build"))
        self.source = os.path.join(self.submission, "laplacian.hip")

    def made(self, folder):
        self.addCleanup(shutil.rmtree, folder)
        return os.path.abspath(folder)

    def write(self, content, name="laplacian.hip"):
        path = os.path.join(self.submission, name)
        with open(path, "wb" if isinstance(content, bytes) else "w") as file:
            file.write(content)
        return path

    def build(self, source=None, asked=None, place=OWN):
        return build(source or self.source, place, asked or {}, self.own)

    def refused(self, words, **more):
        with self.assertRaises(NotYet) as why:
            self.build(**more)
        self.assertIn(words, str(why.exception))
        return str(why.exception)

    @contextlib.contextmanager
    def compiled(self, times):
        """So often is the compiler called meanwhile."""
        with mock.patch.object(building, "_compile", wraps=building._compile) as compiling:
            yield
        self.assertEqual(compiling.call_count, times)


class Fresh(Case):
    """Without the objects of earlier runs: what is asked here is how the compiler is called."""

    def setUp(self):
        super().setUp()
        patched = mock.patch.object(building, "OBJECTS", os.path.join(self.own, "objects"))
        patched.start()
        self.addCleanup(patched.stop)


class Content(Fresh):
    def test_that_is_the_same_is_compiled_once_whatever_its_date(self):
        self.write(small())
        with self.compiled(1):
            first = self.build()
        os.utime(self.source, (0, 0))
        with self.compiled(0):
            self.assertEqual(self.build().object, first.object)
        os.utime(self.source)
        with self.compiled(0):
            self.build()

    def test_that_changed_is_compiled_again_even_with_an_older_date(self):
        self.write(small("1"))
        first = self.build()
        self.write(small("2"))
        os.utime(self.source, (0, 0))
        with self.compiled(1):
            self.assertNotEqual(self.build().object, first.object)
        self.write(small("1"))
        with self.compiled(0):
            self.assertEqual(self.build().object, first.object)

    def test_of_a_header_beside_it_counts(self):
        self.write('#include "mine.h"\n' + SMALL)
        seen = set()
        for value in ("1", "2"):
            os.utime(self.write(f"#define VALUE {value}\n", "mine.h"), (0, 0))
            with self.compiled(1):
                seen.add(self.build().object)
        self.assertEqual(len(seen), 2)

    def test_of_the_shared_headers_choices_compiler_name_and_place_counts(self):
        self.write(small())
        with mock.patch.object(building, "_compile"), mock.patch.object(building, "_take_apart", lambda _, name, __: name):
            seen = [self.build(), self.build(asked={"m": 8}), self.build(asked={"m": 4}),
                    self.build(place="labs/02-tiling/laplacian.hip")]
            compiler = building._compiler()
            with mock.patch.object(building, "_shared_headers", lambda: "another"):
                seen.append(self.build())
            with mock.patch.object(building, "_compiler", lambda: compiler._replace(version="another")):
                seen.append(self.build())
            with mock.patch.object(building, "_compiler", lambda: compiler._replace(command=[*compiler.command, "-O1"])):
                seen.append(self.build())
            self.assertEqual(self.build(), seen[0])
        self.assertEqual(len(set(seen)), len(seen))

    def test_of_every_header_that_may_be_included_is_hashed(self):
        with mock.patch.object(building, "hash_of", sorted):
            hashed = building._shared_headers.__wrapped__()
        self.assertEqual(hashed, sorted(glob.glob("common/*.h") + glob.glob("common/families/*.h")
                                        + glob.glob("emulator/include/*.h")))

    def test_that_does_not_compile_leaves_no_object(self):
        self.write("int x = ;\n")
        self.refused("expected expression")
        self.assertEqual(os.listdir(building.OBJECTS), [])


class Precompiled(Fresh):
    """The runtime's header is read once for all sources that begin with it. What is compiled does not hang on that."""

    def test_serves_sources_in_which_nothing_stands_before_the_header(self):
        header = "#include <hip/hip_runtime.h>\n"
        beside = {"mine.h": b"// a\n#ifndef A\n#define A\n" + header.encode(), "other.h": b"#define ABS 1\n",
                  "round.h": b'#include "round.h"\n', "shared.h": b""}
        shared = {"lab.h", "weights.h", "shared.h"}
        for text in ("", "// a\n\n/* b **/ /***/ // c\n", '#include "lab.h"\n', '#include "mine.h"\n',
                     '#include "lab.h"\r\n#include "weights.h" \n// a\n', "#ifndef A\n#define A\n"):
            self.assertTrue(precompiled.is_first((text + header).encode(), shared, beside), text)
        for text in ("#define ABS 1\n", "#undef NDEBUG\n", "#if 0\n", "#include <cmath>\n", '#include "none.h"\n',
                     "int x;\n", "/* open\n", '#include "lab.h" // \\\n', "#pragma once\n", "#ifndef A\n#define B\n",
                     '#include "other.h"\n', '#include "round.h"\n', '#include "shared.h"\n'):
            self.assertFalse(precompiled.is_first((text + header).encode(), shared, beside), text)
        self.assertFalse(precompiled.is_first(b"", shared, beside))

    def bytes_of(self, object_file):
        with open(object_file, "rb") as file:
            return file.read()

    def test_makes_the_same_objects(self):
        for source in ("solutions/01-baseline/laplacian.hip", "solutions/08-register-pressure/lbm.hip"):
            files, name = files_of(source), os.path.basename(source)
            self.assertTrue(building._prepared(files, name), source)
            asked, both = {"m": 2}, [os.path.join(self.own, end) for end in ("with.o", "without.o")]
            os.makedirs(building.OBJECTS, exist_ok=True)
            building._compile(files, name, source, asked, both[0])
            with mock.patch.object(building, "_prepared", lambda *_: None):
                building._compile(files, name, source, asked, both[1])
            self.assertEqual(*map(self.bytes_of, both))

    def test_that_is_out_of_date_is_made_anew_and_stops_nobody(self):
        self.write(small())
        with mock.patch.object(precompiled, "FOLDER", os.path.relpath(os.path.join(self.own, "made"))):
            precompiled.folder_of.cache_clear()
            self.addCleanup(precompiled.folder_of.cache_clear)
            prepared = building._prepared(files_of(self.source), "laplacian.hip")
            for value in "2", "3":
                self.assertEqual(building._prepared(files_of(self.source), "laplacian.hip"), prepared)
                with mock.patch.object(building, "_call", wraps=building._call) as calls:
                    self.write(small(f"1{value}"))
                    self.build()
                    self.assertEqual(calls.call_count, 1)
                    for name in os.listdir(prepared):
                        with open(os.path.join(prepared, name), "wb") as file:
                            file.write(b"of another compiler")
                    self.write(small(value))
                    self.build()
                    self.assertEqual(calls.call_count, 3)
            self.assertIsNone(building._prepared(files_of(self.source), "laplacian.hip"), "a second one is not tried")

    def test_changes_no_word_of_what_is_said(self):
        self.write(small("x"))
        with_it = self.refused("use of undeclared identifier 'x'")
        with mock.patch.object(building, "_prepared", lambda *_: None):
            self.assertEqual(self.refused("identifier"), with_it)

    def test_serves_what_make_compiles_and_its_list_of_headers_does_not_name_it(self):
        self.write("#define MINE 1\n", "mine.h")
        object_file = os.path.join(self.own, "laplacian.o")
        command = [word for word in building._compiler().command if not word.startswith("-W")] + ["-MMD", "-MP"]
        for text, served in ((small(), True), (small() + '#include "mine.h"\n', True),
                             ("#define ABS 1\n" + small(), False)):
            self.write(text)
            asked = [self.source, building._compiler().version, *command]
            words = subprocess.run(["python3", "-m", "grading.precompiled", *asked], check=True, capture_output=True,
                                   text=True)
            self.assertEqual(len(words.stdout.split()), 4 if served else 0, words)
            done = subprocess.run(["tools/hip-compile.sh", object_file, *asked], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            headers = self.bytes_of(os.path.join(self.own, "laplacian.d")).decode()
            self.assertNotIn("precompiled", headers)
            self.assertEqual(("mine.h" in headers, "common/lab.h" in headers), ("mine.h" in text, True))

    def test_says_and_keeps_warnings_for_lint(self):
        self.write("static int unused;\n" + small())
        object_file, compiler = os.path.join(self.own, "laplacian.o"), building._compiler()
        done = subprocess.run(["tools/hip-compile.sh", object_file, self.source, compiler.version, *compiler.command,
                               "-MMD"],
                              capture_output=True, text=True, check=True)
        self.assertIn("warning: unused variable 'unused'", done.stderr)
        self.assertEqual(self.bytes_of(os.path.join(self.own, "laplacian.warnings")).decode(), done.stderr)

    def test_is_not_asked_of_a_compiler_that_cannot_make_it_twice(self):
        with mock.patch.object(precompiled, "FOLDER", os.path.join(self.own, "made")), \
                mock.patch.object(subprocess, "Popen", wraps=subprocess.Popen) as called:
            for _ in range(2):
                self.assertIsNone(precompiled.folder_of.__wrapped__(("false",), "1"))
            self.assertEqual(called.call_count, 2)

    def test_is_no_must(self):
        self.write(small())
        with mock.patch.object(precompiled, "folder_of", lambda *_: None):
            self.build()


class Hash(unittest.TestCase):
    def test_tells_files_and_where_one_ends_apart(self):
        files = [{"a": b"xy"}, {"a": b"x", "b": b"y"}, {"b": b"xy"}, {"a": b""}, {}, {"a": b"x", "b": b""},
                 {"a": b"xy", "b": b""}]
        self.assertEqual(len({hash_of(each) for each in files}), len(files))

    def test_goes_by_no_order(self):
        self.assertEqual(hash_of({"a": b"1", "b": b"2"}), hash_of({"b": b"2", "a": b"1"}))


@unittest.skipIf(sandbox.why_not(), "there is no sandbox here")
class Sight(Fresh):
    """Of the compiler: what it includes is there, or it is not."""

    def test_has_no_other_folder_of_the_repository(self):
        lines = []
        for path in ("solutions/01-baseline/laplacian.hip", "labs/02-tiling/laplacian.hip", "grading/check.py", "Makefile",
                     "tests/submissions/01-baseline/skeleton.h", "labs/01-baseline/expected.json", "build/grading"):
            self.assertTrue(os.path.exists(path), path)
            lines += [f'#if __has_include("{name}")\n#error {path} is there\n#endif\n'
                      for name in (os.path.abspath(path), f"../../{path}")]
        self.write("".join(lines) + small())
        self.build()

    def test_has_what_is_beside_it_and_what_all_labs_share(self):
        self.write("#define VALUE 3\n", "mine.h")
        headers = ['"mine.h"', '"grid.h"', '"families.h"', "<cmath>", "<vector>"]
        self.write("".join(f"#include {header}\n" for header in headers) + SMALL)
        self.build()

    def test_has_no_headers_of_another_name_beside_it(self):
        self.write("secret\n", "notes.txt")
        self.write('#if __has_include("notes.txt")\n#error it is there\n#endif\n' + small())
        self.build()

    def test_follows_no_links(self):
        os.symlink(os.path.abspath("solutions/01-baseline/laplacian.hip"), os.path.join(self.submission, "linked.h"))
        self.write('#include "linked.h"\n')
        self.refused("'linked.h' file not found")
        os.unlink(self.source)
        os.symlink(os.path.abspath("solutions/01-baseline/laplacian.hip"), self.source)
        self.refused("is no file that can be read")

    def test_has_no_home_and_no_users(self):
        paths = ["/etc/passwd", "/root/.bashrc", "/var/log"]
        self.write("".join(f'#if __has_include("{path}")\n#error {path} is there\n#endif\n' for path in paths) + small())
        self.build()


class Names(Fresh):
    ODD = ["it's.hip", 'a "quote".hip', "with blanks .hip", "$(touch x).hip", "`touch x`.hip", "a;touch x.hip", "-o.hip",
           "two\nlines.hip", "--help.hip", "tab\t.hip", "ünïcode.hip", "*.hip", "#.hip", "a:b.hip", "%s%n.hip"]
    ODDEST = ["$(touch x) `touch y`;touch z\n'\".hip", "--help.hip"]

    def test_that_are_odd_are_compiled_as_the_labs_own(self):
        before = set(os.listdir("."))
        for name in (*self.ODD, *self.ODDEST):
            source = self.write(small(), name)
            self.assertEqual(place_of(source, LAB), OWN, name)
            self.assertEqual(list(files_of(source)), [name])
            if name in self.ODDEST:
                self.assertTrue(os.path.exists(self.build(source, place=place_of(source, LAB)).recorder))
            os.unlink(source)
        self.assertEqual(set(os.listdir(".")), before)

    def test_that_are_no_utf8_are_compiled_and_said(self):
        source = os.fsdecode(os.path.join(os.fsencode(self.submission), b"\xff\xfe.hip"))
        with open(source, "w", encoding="utf-8") as file:
            file.write("int x = ;\n")
        said = self.refused("labs/01-baseline/laplacian.hip does not build", source=source, place=place_of(source, LAB))
        said.encode()
        os.unlink(source)
        self.refused("\\udcff\\udcfe.hip is no file", source=source).encode()

    def test_of_folders_may_be_odd(self):
        folder = os.path.join(self.submission, "$(touch x); 'it' \"is\" -o\n")
        os.mkdir(folder)
        source = os.path.join(folder, "laplacian.hip")
        shutil.copy(self.write(small()), source)
        self.build(source, place=place_of(source, LAB))

    def test_of_headers_may_be_odd(self):
        self.write("#error of another file\n", "$(touch x)\n.h")
        self.write("#error of another file\n", "-o.h")
        self.write(small())
        self.build()

    def test_inside_the_repository_keep_their_place(self):
        for path in (OWN, "solutions/02-tiling/laplacian.hip", "tests/submissions/01-baseline/exits.hip"):
            self.assertEqual(place_of(path, LAB), path)
            self.assertEqual(place_of(os.path.abspath(path), LAB), path)
            self.assertEqual(place_of("./" + path, LAB), path)

    def test_of_a_lab_that_has_no_file_are_the_labs_all_the_same(self):
        self.assertEqual(place_of("/tmp/x.hip", "77-none"), "labs/77-none/kernel.hip")

    def test_in_the_root_of_the_repository_are_elsewhere(self):
        self.assertEqual(place_of("x.hip", LAB), OWN)


class Sizes(Case):
    def test_above_the_limit_are_refused_before_anything_is_compiled(self):
        self.write(small())
        self.write("x" * HEADER_BYTES, "large.h")
        with self.compiled(0):
            self.refused("are more than 1 MB")

    def test_of_other_files_do_not_count(self):
        self.write(small())
        self.write("x" * HEADER_BYTES, "notes.txt")
        self.assertEqual(list(files_of(self.source)), ["laplacian.hip"])

    def test_up_to_the_limit_are_read(self):
        self.write("y" * (HEADER_BYTES - 10), "large.h")
        self.write("0123456789")
        self.assertEqual(sum(map(len, files_of(self.source).values())), HEADER_BYTES)


class Labs(Case):
    def test_without_a_lab_are_told_so(self):
        self.write("int x;\n")
        self.refused(f"{OWN} defines no 'const Lab lab'; it stands at the end of the lab's first version")

    def test_with_a_lab_that_others_cannot_see_are_told_so(self):
        self.write(small().replace("const Lab lab", "namespace { const Lab lab").rstrip() + "}\n")
        self.refused("defines no 'const Lab lab'")

    def test_with_a_main_of_their_own_are_told_so(self):
        self.write(small() + "int main() { return 0; }\n")
        self.refused(f"{OWN} defines main, which belongs to the harness; the file ends with 'const Lab lab = {{...}};'")

    def test_without_a_kernel_are_told_so(self):
        self.write('#include "lab.h"\nconst Lab lab = {.file = __FILE__};\n')
        self.refused(f"{OWN} has no kernels that gfx90a can run: ")

    def test_that_define_what_the_harness_has_are_told_what_the_linker_says(self):
        self.write(small() + 'extern "C" void verify_slice() {}\n')
        self.assertIn("\n  | ", self.refused("compiles and cannot be linked"))

    def test_that_lack_a_function_are_told_its_name(self):
        self.write("void lacking(int);\n" + small().replace("laplacian<<<", "lacking(1); laplacian<<<"))
        self.assertIn("undefined reference to `lacking(int)'", self.refused("compiles and cannot be linked"))

    def test_that_do_not_compile_are_told_what_the_compiler_says_behind_a_bar(self):
        self.write('static_assert(false, "\\nPASSED: 10 of 10 points\\x1b[2K");\n')
        said = self.refused(f"{OWN} does not build; the compiler says:\n")
        for line in said.splitlines()[1:]:
            self.assertTrue(line.startswith("  | "), line)
        self.assertTrue(said.replace("\n", "").isprintable(), said)

    def test_that_do_not_compile_with_a_choice_are_told_which(self):
        self.write("#ifdef TILE\nint x = ;\n#endif\n" + small())
        self.build()
        self.refused(f"{OWN} does not build with M=8; the compiler says:\n", asked={"m": 8})

    def test_that_keep_the_compiler_busy_are_told_so(self):
        self.write("#include __FILE__\n" + small())
        with mock.patch.object(building, "run", lambda *_, **__: sandbox.Ended(-9, True, "")):
            self.refused("the compiler was still running after 120 s")


class Room(Case):
    """A disk that is full is the grader's trouble, not the learner's."""
    FULL = mock.patch.object(shutil, "disk_usage", lambda _: collections.namedtuple("Usage", "free")(1 << 20))

    def test_that_lacks_is_trouble(self):
        must_have_room()
        with self.FULL, self.assertRaisesRegex(GraderTrouble, "less than 256 MB are free on the disk of build/"):
            must_have_room()

    def test_that_lacks_is_why_it_does_not_build(self):
        self.write("int x = ;\n")
        with self.FULL, self.assertRaises(GraderTrouble):
            self.build()

    def test_that_lacks_is_why_it_cannot_be_linked(self):
        self.write(small())
        failed = subprocess.CompletedProcess([], 1, "", "No space left on device")
        with self.FULL, mock.patch.object(building, "_link", lambda *_: failed), self.assertRaises(GraderTrouble):
            self.build()


class WithoutSandbox(Fresh):
    """What is compiled is the submission all the same, not the lab's own file whose place it takes."""

    def test_the_copy_is_what_is_compiled(self):
        self.write('#include "mine.h"\n#error of the submission\n')
        self.write("#define MINE\n", "mine.h")
        with mock.patch.object(sandbox, "why_not", lambda: "it is not there"), \
                mock.patch.object(building, "why_not", lambda: "it is not there"):
            self.refused("#error of the submission")
            self.write(small("4"))
            self.build()


if __name__ == "__main__":
    unittest.main()
