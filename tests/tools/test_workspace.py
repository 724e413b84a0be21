"""Learners' folders: made, renewed and reset without losing work, of a repository that cannot be written to; make in a lab's
folder."""
import glob
import os
import shutil
import unittest

from tests.tools.checkout import make_checkout, run

PLACE = "build/tests/workspace"
COURSE, MINE = f"{PLACE}/the course", f"{PLACE}/it's mine"
LAB = "labs/01-baseline"
FILE = f"{LAB}/laplacian.hip"
SMALL = "ARGS=--nx 67 --ny 9 --nz 5"


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def kept():
    return sorted(glob.glob(f"{MINE}/{FILE}.*"))


class Case(unittest.TestCase):
    def setUp(self):
        shutil.rmtree(PLACE, ignore_errors=True)
        make_checkout(COURSE)

    def ends(self, folder, status, *command):
        ended, said = run(folder, *command)
        self.assertEqual(ended, status, f"{' '.join(command)}\n{said}")
        return said

    def make_workspace(self, status=0, folder=MINE):
        return self.ends(COURSE, status, "make", "workspace", f"DIR={os.path.abspath(folder)}")

    def update(self):
        return self.ends(MINE, 0, "make", "update")

    def reset(self, *arguments):
        return self.ends(MINE, 0, "make", "reset", "LAB=01", *arguments)


class Workspace(Case):
    def read_only(self, folder, status, *command):
        """Runs a command where nothing but the learner's folder and /tmp can be written."""
        mine, repository = os.path.abspath(MINE), os.getcwd()  # which may be in /tmp itself
        bounds = ("bwrap", "--ro-bind", "/", "/", "--dev-bind", "/dev", "/dev", "--bind", "/tmp", "/tmp",
                  "--ro-bind", repository, repository, "--bind", mine, mine, "--chdir", os.path.abspath(folder))
        return self.ends(folder, status, *bounds, *command)

    def test_works_though_the_repository_cannot_be_written(self):
        os.chmod(f"{COURSE}/{FILE}", 0o444)
        os.mkdir(MINE)
        self.read_only(COURSE, 0, "make", "workspace", f"DIR={os.path.abspath(MINE)}")
        self.assertTrue(os.stat(f"{MINE}/{FILE}").st_mode & 0o200, "a learner cannot write to the own file")
        run_it = ("make", "run", "DEVICE=emulated", SMALL)
        self.assertIn("verified", self.read_only(MINE, 0, *run_it, "LAB=01", "SRC=solutions"))
        self.assertIn("NOT RIGHT YET", self.read_only(f"{MINE}/{LAB}", 2, *run_it))
        self.assertIn("verified", self.read_only(f"{MINE}/solutions/01-baseline", 0, *run_it))
        self.assertIn("PASSED", self.read_only(MINE, 0, "make", "check", "LAB=01", "SRC=solutions", "DEVICE=emulated"))
        self.assertIn("make workspace DIR=", self.read_only(COURSE, 2, *run_it, "LAB=01"))

    def test_has_nothing_of_what_others_reached(self):
        write(f"{COURSE}/.progress.json", "{}")
        self.make_workspace()
        self.assertFalse(os.path.lexists(f"{MINE}/.progress.json"))

    def test_leaves_the_emulated_device_to_whoever_owns_it(self):
        for path in ("emulator", "build/emulator"):
            os.remove(f"{COURSE}/{path}")
        shutil.copytree("emulator", f"{COURSE}/emulator")
        os.mkdir(f"{COURSE}/build/emulator")
        write(f"{COURSE}/build/emulator/libamdhip64.so.5", "")
        self.make_workspace()
        self.ends(MINE, 0, "make", "emulator")
        self.assertEqual(os.listdir(f"{COURSE}/build/emulator"), ["libamdhip64.so.5"])

    def test_takes_what_is_new_and_keeps_what_was_edited(self):
        self.make_workspace()
        write(f"{COURSE}/labs/02-tiling/laplacian.hip", "// a new starter\n")
        write(f"{COURSE}/{FILE}", "// a new starter\n")
        write(f"{MINE}/{FILE}", "// my work\n")
        write(f"{COURSE}/{LAB}/new.svg", "")
        os.remove(f"{COURSE}/{LAB}/hints.md")
        shutil.copytree(f"{COURSE}/{LAB}", f"{COURSE}/labs/09-new")
        said = self.update()
        self.assertIn("labs/02-tiling/laplacian.hip is new", said)
        self.assertIn(f"{FILE} stays as you edited it; its starter has changed. make reset LAB=01-baseline", said)
        self.assertEqual(said.count("laplacian.hip"), 2, said)
        self.assertEqual(read(f"{MINE}/labs/02-tiling/laplacian.hip"), "// a new starter\n")
        self.assertEqual(read(f"{MINE}/{FILE}"), "// my work\n")
        self.assertTrue(os.path.exists(f"{MINE}/{LAB}/new.svg"))
        self.assertTrue(os.path.exists(f"{MINE}/labs/09-new/laplacian.hip"))
        self.assertFalse(os.path.lexists(f"{MINE}/{LAB}/hints.md"))
        self.assertNotIn("laplacian.hip", self.update())

    def test_is_made_only_where_it_harms_nothing(self):
        self.assertIn("which folder?", self.ends(COURSE, 2, "make", "workspace"))
        self.assertIn("git pull", self.ends(COURSE, 2, "make", "update"))
        os.makedirs(f"{MINE}/labs")
        self.assertIn("choose an empty folder", self.make_workspace(2))
        os.rmdir(f"{MINE}/labs")
        write(f"{MINE}/common", "mine")
        self.assertIn("common is in the way", self.make_workspace(2))
        self.assertEqual(read(f"{MINE}/common"), "mine")
        self.assertIn("cannot be made", self.make_workspace(2, f"{MINE}/common/x"))
        os.remove(f"{COURSE}/build/emulator")
        self.assertIn("make emulator", self.make_workspace(2))


class Reset(Case):
    def test_gives_the_newest_starter_and_keeps_what_was_there(self):
        self.make_workspace()
        self.assertIn("as it began already", self.reset())
        for work in ("// first\n", "// second\n"):
            write(f"{MINE}/{FILE}", work)
            self.assertIn("what you had is kept as", self.reset())
        self.assertCountEqual([read(path) for path in kept()], ["// first\n", "// second\n"])
        os.remove(f"{MINE}/{FILE}")
        self.reset()
        self.assertEqual(read(f"{MINE}/{FILE}"), read(FILE))
        write(f"{MINE}/{FILE}", "// third\n")
        write(f"{COURSE}/{FILE}", "// new\n")
        self.update()
        self.reset()
        self.assertEqual(read(f"{MINE}/{FILE}"), "// new\n")
        self.assertIn("names no lab", self.ends(MINE, 2, "make", "reset", "LAB=77"))
        self.assertIn("names no lab", self.ends(MINE, 2, "make", "reset"))

    def test_in_a_clone_takes_the_starter_from_git(self):
        os.rename(COURSE, MINE)
        self.assertIn("no starter", self.ends(MINE, 2, "make", "reset", "LAB=01", "FROM=none"))
        git = ("git", "-c", "user.name=a", "-c", "user.email=a@b")
        for command in (("init", "-q"), ("add", "-f", FILE), ("commit", "-qm", "given")):
            self.ends(MINE, 0, *git, *command)
        write(f"{MINE}/{FILE}", "// my work\n")
        self.assertIn("what you had is kept as", self.reset())
        write(f"{MINE}/{FILE}", "// my work\n")
        self.ends(MINE, 0, *git, "commit", "-qam", "mine")
        self.assertIn("FROM=COMMIT takes an older one", self.reset())
        self.reset("FROM=HEAD~1")
        self.assertEqual(read(f"{MINE}/{FILE}"), read(FILE))


class LabsFolder(Case):
    def test_has_a_makefile_that_is_the_same_in_each(self):
        folders = glob.glob("labs/*/") + glob.glob("solutions/*/")
        self.assertEqual({folder: read(f"{folder}Makefile") for folder in folders},
                         {folder: "include ../../tools/lab.mk\n" for folder in folders})

    def test_is_the_lab_unless_another_is_named(self):
        for folder, arguments, lab in ((LAB, [], FILE), (LAB, ["SRC=solutions"], "solutions/01-baseline/laplacian.hip"),
                                       (LAB, ["LAB=04"], "labs/04-launch-bounds/laplacian.hip"),
                                       ("labs/04-launch-bounds", [], "labs/04-launch-bounds/laplacian.hip")):
            with self.subTest(f"{folder} {arguments}"):
                said = self.ends(f"{COURSE}/{folder}", 0, "make", "-n", "report", *arguments)
                self.assertIn(f"-c {lab} ", said)

    def test_takes_several_goals_and_names_that_are_files(self):
        write(f"{COURSE}/{LAB}/hint", "")
        said = self.ends(f"{COURSE}/{LAB}", 0, "make", "hint", "help")
        self.assertIn("hint 1 of 4", said)
        self.assertIn("make setup", said)
        self.assertIn("make setup", self.ends(f"{COURSE}/{LAB}", 0, "make"))


if __name__ == "__main__":
    unittest.main()
