"""The table of changes: each still fits exactly one place, and what does not begin or end a change is refused."""
import unittest

from tests.mutants.mutants import TABLE, Unusable, changed, read, read_table

LEAST = 60  # changes


class Table(unittest.TestCase):
    def test_each_change_fits_one_place(self):
        mutants = read_table(read(TABLE))
        self.assertGreaterEqual(len(mutants), LEAST)
        for mutant in mutants:
            with self.subTest(str(mutant)):
                self.assertNotEqual(changed(read(mutant.file), mutant), read(mutant.file))

    def test_no_change_is_listed_twice(self):
        mutants = read_table(read(TABLE))
        self.assertEqual(len(set(mutants)), len(mutants))

    def test_what_is_no_change_is_refused(self):
        for text in ("a.c: x\n- a", "a.c\n- a\n+ b", "a.c: x\n- a\n+ a", "a.c: x\n+ b\n- a"):
            with self.assertRaises(Unusable):
                read_table(text)

    def test_a_change_that_fits_nowhere_or_twice_is_refused(self):
        (mutant,) = read_table("a.c: x\n- one\n+ two")
        self.assertEqual(changed("one", mutant), "two")
        for text in ("three", "one one"):
            with self.assertRaises(Unusable):
                changed(text, mutant)


if __name__ == "__main__":
    unittest.main()
