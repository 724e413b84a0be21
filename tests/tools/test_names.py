"""Files and folders of any name: what make cannot handle is left out with a sentence, and no name ever runs."""
import os
import unittest

from tests.tools.checkout import make_checkout, run

PLACE = "build/tests/names"
SMALL = "ARGS=--nx 67 --ny 9 --nz 5"
LAB = "labs/01-baseline"
OBJECT = f"build/{LAB}/laplacian.o"
ODD = ["$(touch X)", "`touch X`", "a;touch X;", "a b", "a:b", "it's", 'a"b', "a%b", "a#b", "a$b", "a\\b", "a\nb", "-n", "é",
       "\udcff"]


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def found(folder, name):
    return [where for where, folders, files in os.walk(folder) if name in folders + files]


class Case(unittest.TestCase):
    def ends(self, folder, status, *command):
        ended, said = run(folder, *command)
        self.assertEqual(ended, status, f"{' '.join(command)}\n{said}")
        return said


class Folder(Case):
    def test_of_the_repository_has_any_name(self):
        place = make_checkout(f"{PLACE}/it's \"my\"  $(touch X) l%b #1 \\ é")
        self.ends(place, 0, "make", "setup")
        self.assertIn("verified", self.ends(place, 0, "make", "run", "LAB=01", "SRC=solutions", "DEVICE=emulated", SMALL))
        self.assertIn("PASSED", self.ends(place, 0, "make", "check", "LAB=01", "SRC=solutions", "DEVICE=emulated"))
        self.assertIn("instructions in the assembly", self.ends(place, 0, "make", "report", "LAB=04"))
        self.assertIn("memory by source line", self.ends(place, 0, "make", "profile", "LAB=02", "DEVICE=emulated",
                                                         "ARGS=--nx 67 --ny 64 --nz 5"))
        self.assertIn("of 4", self.ends(f"{place}/{LAB}", 0, "make", "hint"))
        self.assertIn(" 0 failed", self.ends(place, 0, "make", "test", "SUITE=grading/statuses"))
        self.assertEqual(found(PLACE, "X"), [])

    def test_where_the_loader_would_split_is_refused_at_once(self):
        for name in ("a:b", "a;b"):
            place = make_checkout(f"{PLACE}/{name}")
            self.assertIn("move or rename it", self.ends(place, 2, "make", "hint", "LAB=01"))


class File(Case):
    def test_of_an_odd_name_is_left_out_with_a_sentence(self):
        place = make_checkout(f"{PLACE}/files")
        for name in ODD:
            write(f"{place}/{LAB}/{name}.hip", "#error this is not compiled")
            os.mkdir(f"{place}/labs/{name}")
            write(f"{place}/labs/{name}/x.hip", "#error neither is this")
        said = self.ends(place, 0, "make", "run", "LAB=01", "SRC=solutions", "DEVICE=emulated", SMALL)
        self.assertEqual(said.count("is left out"), 2 * len(ODD) - 2, said)  # -n is a name like any other
        self.assertIn(r"labs/01-baseline/\$\(touch\ X\).hip is left out, since make cannot handle its name: rename it", said)
        self.ends(place, 2, "make", "check", "LAB=01", "DEVICE=emulated")  # two files of plain names: which?
        os.remove(f"{place}/{LAB}/-n.hip")
        self.assertIn("NOT YET", self.ends(place, 1, "make", "check", "LAB=01", "DEVICE=emulated"))
        self.assertIn("there are: -n 00-the-machine 01-baseline", self.ends(place, 2, "make", "run", "LAB=77"))
        self.assertEqual(found(place, "X"), [])

    def test_that_a_lab_includes_may_have_any_name_and_its_content_counts(self):
        for name in ("a b:c.h", "$(touch X)$b.h"):
            with self.subTest(name):
                place = make_checkout(f"{PLACE}/headers")
                source, header = f"{place}/{LAB}/laplacian.hip", f"{place}/{LAB}/{name}"
                with open(source, encoding="utf-8") as file:
                    text = file.read()
                write(source, f'#include "{name}"\n{text}')
                write(header, "// fine\n")
                self.ends(place, 0, "make", OBJECT)
                write(header, "#error seen\n")
                os.utime(header, (0, 0))
                self.assertIn("seen", self.ends(place, 2, "make", OBJECT))
                self.ends(place, 0, "make", "hint", "LAB=01")
                self.assertEqual(found(place, "X"), [])


class Value(Case):
    def test_of_a_variable_is_a_word_and_runs_nothing(self):
        place = make_checkout(f"{PLACE}/values")
        for goal, name in (("run", "LAB"), ("check", "SEED"), ("hint", "HINT"), ("profile", "COUNTERS"), ("run", "DEVICE"),
                           ("reset", "LAB"), ("reset", "FROM"), ("workspace", "DIR")):
            with self.subTest(f"{goal} {name}"):
                lab = [] if name == "LAB" else ["LAB=01"]
                self.ends(place, 2, "make", goal, *lab, f"{name}=/dev/null/it's \"`touch X`\" ; touch X")
        self.assertEqual(found(place, "X"), [])


if __name__ == "__main__":
    unittest.main()
