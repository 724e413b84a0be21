"""Each entry goes to its student and each file to its lab, or a sentence says why not."""
import os
import tempfile
import unittest
from unittest import mock

from grading.classroom.intake import person_of, take_in
from grading.classroom.labs import all_labs, chosen_labs, lab_of
from grading.classroom.roster import Student
from grading.classroom.text import Trouble
from tests.grading.classes import lay_out
from tests.grading.test_unpack import zipped

LABS = all_labs("emulated")
ROSTER = [Student("jsmith", "John Smith"), Student("1234", "Anna Maria Öz"), Student("late", "Late Comer")]


class WhichLab(unittest.TestCase):
    def lab(self, path, hint=None, chosen=LABS):
        found = lab_of(path.split("/"), hint, LABS, chosen)
        return found and found.digits

    def test_by_folder(self):
        for path in ("03/a.hip", "03-reorder/laplacian.hip", "top/Lab 3/a.hip", "lab_03/x/y.hip", "my-03-reorder/a.hip",
                     "03/smith_04.hip", "02/03/a.hip", "lab3.final/a.hip"):
            self.assertEqual(self.lab(path), "03", path)

    def test_by_file_name(self):
        for name in ("smith_03.hip", "03.hip", "lab3.hip", "LAB-03.HIP", "03-reorder.hip", "03_smith.hip", "s42_03.hip"):
            self.assertEqual(self.lab(name), "03", name)

    def test_by_being_the_only_lab_with_that_file(self):
        self.assertEqual(self.lab("lbm.hip"), "08")
        self.assertEqual(self.lab("laplacian.hip", chosen=[LABS[2]]), "03")
        self.assertEqual(self.lab("mine.hip", chosen=[LABS[2]]), "03")
        self.assertEqual(self.lab("lbm.hip", chosen=[LABS[2]]), "08")
        self.assertNotEqual(self.lab("laplacian.hip", chosen=[LABS[7]]), "08")

    def test_what_does_not_tell(self):
        for path in ("laplacian.hip", "2024-02-05.hip", "v103.hip", "33.hip", "labs/x.hip", "2003/x.hip", "a_12.hip"):
            self.assertIsNone(self.lab(path), path)

    def test_points_are_those_of_the_gpu_that_grades(self):
        with mock.patch("grading.classroom.labs.model_of", lambda _: "NVIDIA H200"):
            here = [lab.possible for lab in all_labs("nvidia")]
        with mock.patch("grading.classroom.labs.model_of", lambda _: "a GPU without bounds"):
            elsewhere = [lab.possible for lab in all_labs("nvidia")]
        self.assertTrue(all(more > less for more, less in zip(here[1:], elsewhere[1:])), (here, elsewhere))

    def test_asked_for(self):
        self.assertEqual([lab.digits for lab in chosen_labs(LABS, "03 1 08-register-pressure")], ["01", "03", "08"])
        self.assertEqual(chosen_labs(LABS, " "), LABS)
        with self.assertRaisesRegex(Trouble, "LABS=01 09: 09 is no lab; there are: 01-baseline 02-tiling"):
            chosen_labs(LABS, "01 09")


class WhoseEntry(unittest.TestCase):
    def test_of_a_learning_management_system(self):
        for name, is_file, number, person in (
                ("Anna Öz_12345_assignsubmission_file_", False, "participant12345", "Anna Öz"),
                ("Anna Öz_12345_assignsubmission_file_laplacian.hip", True, "participant12345", "Anna Öz"),
                ("smithjohn_987_6543_lab3.hip", True, "987", "smithjohn"),
                ("smithjohn_LATE_987_6543_hand_in.zip", True, "987", "smithjohn")):
            self.assertEqual(person_of(name, is_file, LABS)[:2], (number, person), name)

    def test_the_lab_is_no_part_of_the_name(self):
        for name in ("smith_03.hip", "smith-lab3.hip", "lab03_smith.hip", "smith 03-reorder.hip", "smith.lab 3.zip"):
            person, _, _, lab = person_of(name, True, LABS)
            self.assertEqual((person, lab.digits), ("smith", "03"), name)

    def test_a_number_of_a_folder_or_archive_is_the_students(self):
        for name in ("student_03", "03"):
            self.assertEqual(person_of(name, False, LABS), (name, "", name, None))
        self.assertEqual(person_of("student_03.zip", True, LABS)[0], "student_03")


class TakingIn(unittest.TestCase):
    def take(self, entries, roster=None, chosen=LABS):
        with tempfile.TemporaryDirectory() as folder:
            lay_out(folder, entries)
            return take_in(folder, roster, LABS, chosen)

    def one(self, entries, **how):
        handed, strangers = self.take(entries, **how)
        self.assertEqual((len(handed), strangers), (1, []))
        return handed[0]

    def files(self, handed, digits):
        return handed.choose(next(lab for lab in LABS if lab.digits == digits))

    def test_names_of_any_kind_are_shown_by_their_numbers(self):
        names = ["it's", 'a "b"', "$(touch x)", "new\nline", "-rf", "`id`", "a;b|c", b"\xff\xfe", "\u202eabc"]
        handed, _ = self.take({name: {"01/laplacian.hip": "x"} for name in names})
        self.assertEqual(len(handed), len(names))
        for one in handed:
            self.assertTrue(one.student.id.isprintable())
            self.assertEqual(self.files(one, "01"), ({"laplacian.hip": b"x"}, None))

    def test_headers_beside_a_file_come_along_under_plain_names_only(self):
        handed = self.one({"a": {"01/mine.hip": "k", "01/w.h": "h", "01/it's.h": "no", "02/other.h": "no"}})
        self.assertEqual(self.files(handed, "01"), ({"laplacian.hip": b"k", "w.h": b"h"}, None))
        self.assertIn("it's.h was left out: a header's name has", handed.notes[0])

    def test_a_single_top_folder_or_an_archive_in_a_folder_changes_nothing(self):
        for entries in ({"a.zip": zipped({"hand-in/01-baseline/laplacian.hip": b"x"})},
                        {"a": {"all.zip": zipped({"hand-in/01-baseline/laplacian.hip": b"x"})}},
                        {"a": {"hand-in/a/01-baseline/laplacian.hip": "x"}}):
            self.assertEqual(self.files(self.one(entries), "01"), ({"laplacian.hip": b"x"}, None))

    def test_a_checkout_of_the_course_is_read_in_labs(self):
        handed = self.one({"gpu-labs-jsmith": {
            "labs/01-baseline/laplacian.hip": "mine", "solutions/01-baseline/laplacian.hip": "theirs",
            "tests/submissions/01-baseline/wrong.hip": "wrong", "emulator/faults.hip": "?"}}, roster=ROSTER[:1])
        self.assertEqual(handed.student.id, "jsmith")
        self.assertEqual((self.files(handed, "01"), handed.problems), (({"laplacian.hip": b"mine"}, None), []))

    def test_several_files_for_a_lab_are_a_sentence(self):
        handed = self.one({"a": {"03/a.hip": "1", "03/b.hip": "2", "04/a.hip": "1", "x/04/a.hip": "1"}})
        files, why = self.files(handed, "03")
        self.assertIsNone(files)
        self.assertIn("Several files could be lab 03-reorder, and only one can be graded: 03/a.hip; 03/b.hip", why)
        self.assertIsNone(self.files(handed, "04")[1], "the same file twice is one")

    def test_the_labs_own_file_name_comes_first(self):
        handed = self.one({"a": {"03-reorder/laplacian.hip": "1", "03-reorder/old.hip": "2"}})
        self.assertEqual(self.files(handed, "03"), ({"laplacian.hip": b"1"}, None))

    def test_a_file_of_no_clear_lab_is_a_sentence_and_no_missing_work(self):
        handed = self.one({"a": {"laplacian.hip": "1"}})
        self.assertIn("laplacian.hip: its name does not tell the lab; call it 01.hip", self.files(handed, "01")[1])

    def test_a_broken_archive_is_no_missing_work(self):
        self.assertIn("a.zip cannot be unpacked", self.files(self.one({"a.zip": b"PK"}), "01")[1])

    def test_nothing_is_nothing(self):
        self.assertEqual(self.files(self.one({"a": {}}), "01"), (None, None))

    def test_entries_of_one_student_are_put_together(self):
        handed = self.one({"jsmith_03.hip": "3", "smithjohn_7_8_lab4.hip": "4", "John Smith_9_assignsubmission_file_":
                           {"01/a.hip": "1"}}, roster=ROSTER[:1])
        self.assertEqual([bool(handed.choose(lab)[0]) for lab in LABS], [True, False, True, True] + 4 * [False])

    def test_two_of_one_name_are_two(self):
        handed, _ = self.take({f"Ann Lee_{n}_assignsubmission_file_": {"01/a.hip": str(n)} for n in (1, 2)})
        self.assertEqual([(one.student.id, one.student.name) for one in handed],
                         [("participant1", "Ann Lee"), ("participant2", "Ann Lee")])

    def test_all_of_the_roster_are_there_and_strangers_are_named(self):
        entries = {"jsmith": {"01/a.hip": "1"}, "nobody": {"01/a.hip": "1"}, "notes.txt": "x"}
        handed, strangers = self.take(entries, roster=ROSTER)
        self.assertEqual([one.student for one in handed], ROSTER)
        self.assertEqual([entry for entry, _ in strangers], ["nobody", "notes.txt"])
        self.assertIn("Nobody in the roster has this id or name", strangers[0][1])
        self.assertIn("neither a folder nor a zip or tar archive nor a .hip file", strangers[1][1])

    def test_a_link_is_not_followed(self):
        with tempfile.TemporaryDirectory() as folder:
            os.symlink("/etc", f"{folder}/a")
            os.mkdir(f"{folder}/b")
            self.assertEqual(take_in(folder, None, LABS, LABS)[1][0][0], "a")

    def test_no_folder_and_no_submission_are_sentences(self):
        with self.assertRaisesRegex(Trouble, "SUBMISSIONS=/no/such cannot be read: No such file"):
            take_in("/no/such", None, LABS, LABS)
        with self.assertRaisesRegex(Trouble, "holds no submission: a folder, archive or .hip file for each student"):
            self.take({})


if __name__ == "__main__":
    unittest.main()
