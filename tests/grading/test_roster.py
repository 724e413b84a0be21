"""A roster is read however a spreadsheet wrote it; an entry finds its student, or a sentence says why not."""
import os
import tempfile
import unittest

from grading.classroom.roster import Student, find_student, read_roster
from grading.classroom.text import Trouble


class Reading(unittest.TestCase):
    def read(self, data):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "class.csv")
            with open(path, "wb") as file:
                file.write(data)
            return read_roster(path)

    def assert_refused(self, data, words):
        with self.assertRaisesRegex(Trouble, words):
            self.read(data)

    def test_any_encoding_separator_and_order_of_columns(self):
        wanted = [Student("7", "Zoë Öz", "z@x"), Student("8", "Lee, Ann", "")]
        text = 'E-mail?,Name,email, ID\r\n,Zoë Öz,z@x,7\r\n\r\n,"Lee, Ann",, 8 \r\n'
        others = ("id;name;email\n7;Zoë Öz;z@x\n8;Lee, Ann;\n", "id\tname\temail\n7\tZoë Öz\tz@x\n8\tLee, Ann")
        for data in (text.encode(), others[0].encode("utf-8-sig"), text.encode("latin-1"), *map(str.encode, others)):
            self.assertEqual(self.read(data), wanted)
        self.assertEqual(self.read(b"id\n7\n"), [Student("7", "")])

    def test_what_is_no_roster_is_a_sentence(self):
        self.assert_refused(b"", "needs a first line like id,name or id,name,email; it begins with: ")
        self.assert_refused(b"Anna,7\n", "it begins with: Anna,7")
        self.assert_refused(b"id,name\n7,Ann\n,Bob\n", "line 3: Bob has no id")
        self.assert_refused(b"id,name\nab,Ann\nAB,Bob\n", "line 3: the id AB stands there twice")
        self.assert_refused(b"id,id\n7,7\n", "needs a first line")
        self.assert_refused(b'id,name\n7,"Ann\n', "is no CSV file")
        self.assert_refused(b'id,name\n7,A\0nn\n' + b'8,' + b'x' * 200000, "is no CSV file")
        with self.assertRaisesRegex(Trouble, "ROSTER=/no/such cannot be read: No such file"):
            read_roster("/no/such")


class Finding(unittest.TestCase):
    ROSTER = [Student("jsmith", "John Smith"), Student("1234", "Anna Maria Öz"), Student("smith", "Zed Smith"),
              Student("a-smith", "Amy Smith"), Student("lee1", "Ann Lee"), Student("lee2", "Ann Lee")]

    def found(self, number, name=""):
        return find_student(self.ROSTER, number, name)[0]

    def test_by_id_alone_or_among_other_words(self):
        for number, wanted in (("jsmith", "jsmith"), ("JSmith", "jsmith"), ("gpu-labs-jsmith", "jsmith"), ("1234", "1234"),
                               ("oz_1234", "1234"), ("gpu-labs-a-smith", "a-smith"), ("smith", "smith")):
            self.assertEqual(self.found(number).id, wanted, number)
        self.assertIsNone(self.found("12345"), "an id is a whole word")

    def test_by_name_in_any_order_without_accents(self):
        for name in ("John Smith", "smithjohn", "Smith, John", "JOHN_SMITH"):
            self.assertEqual(self.found("participant9", name).id, "jsmith", name)
        for name in ("Anna Maria Oz", "ozannamaria", "mariaozanna", "Anna Maria O\u0308z"):
            self.assertEqual(self.found("999", name).id, "1234", name)
        self.assertEqual(self.found("anna-maria-öz").id, "1234")

    def test_who_could_be_several_is_a_sentence(self):
        for number, name, words in (("7", "Ann Lee", "lee1 (Ann Lee) or lee2 (Ann Lee)"),
                                    ("1234", "John Smith", "1234 (Anna Maria Öz) or jsmith (John Smith)"),
                                    ("1234-jsmith", "", "jsmith (John Smith) or 1234")):
            student, why = find_student(self.ROSTER, number, name)
            self.assertIsNone(student)
            self.assertIn(words, why)
            self.assertIn("rename it to one id", why)

    def test_nobody_is_a_sentence(self):
        self.assertIn("Nobody in the roster has this id or name", find_student(self.ROSTER, "x", "Y Z")[1])


if __name__ == "__main__":
    unittest.main()
