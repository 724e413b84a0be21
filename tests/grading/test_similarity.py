"""A copy is found under other names, comments and layout; two answers of one's own are not copies."""
import glob
import re
import time
import unittest

from grading.classroom.similarity import ALIKE, find_alike, fingerprints, share, words_of


def read(pattern):
    path, = glob.glob(pattern)
    with open(path, encoding="utf-8") as file:
        return file.read()


STARTER = read("labs/02-tiling/*.hip")
SOLUTION = read("solutions/02-tiling/*.hip")


def disguised(text):
    """Other names, no comments, other layout, other headers."""
    text = re.sub(r"//.*", "", text)
    text = re.sub(r"\b(sum|here|pos|slice|launch_\w+|n|k|j|i)\b", r"my_\1_2", text)
    text = re.sub(r"\n\s*", "\n", text).replace(" = ", "=").replace("{", "\n{ /* mine */\n")
    return '  #include "other.h"\n' + text


class Copies(unittest.TestCase):
    def alike(self, **texts):
        return find_alike(texts, STARTER)

    def test_a_disguised_copy_is_found(self):
        self.assertNotIn(" sum[", disguised(SOLUTION))
        (names, how_much), = self.alike(a=SOLUTION, b=disguised(SOLUTION), c=STARTER)
        self.assertEqual(names, ["a", "b"])
        self.assertGreater(how_much, 0.95)

    def test_a_copy_within_more_text_is_found(self):
        (names, how_much), = self.alike(a=SOLUTION, b=SOLUTION + read("labs/08-register-pressure/*.hip"))
        self.assertEqual((names, how_much), (["a", "b"], 1))

    def test_a_half_changed_copy_is_less_of_one(self):
        half = SOLUTION.replace("sum[n", "total.at(n).value + 0.5 * old[n").replace("u[", "*(u + 7 * m)[")
        both = [fingerprints(text) - fingerprints(STARTER) for text in (SOLUTION, half)]
        self.assertTrue(0.05 < share(*both) < ALIKE, share(*both))

    def test_what_everybody_was_given_is_nothing_shared(self):
        self.assertEqual(self.alike(a=STARTER, b=disguised(STARTER), c=STARTER.replace("TODO", "done")), [])

    def test_a_small_change_is_too_small_to_compare(self):
        starter, solution = read("labs/04-launch-bounds/*.hip"), read("solutions/04-launch-bounds/*.hip")
        self.assertEqual(find_alike({"a": solution, "b": disguised(solution)}, starter), [])

    def test_answers_of_ones_own_are_not_alike(self):
        copied = ("narrow-loads", "stores-between")  # of atomic-loads and of last-launch, by their author
        texts = {path: read(path) for path in glob.glob("tests/submissions/02-tiling/*.hip")
                 if not any(name in path for name in copied)}
        self.assertGreater(len(texts), 10)
        self.assertEqual(self.alike(solution=SOLUTION, **texts), [])

    def test_copies_of_copies_are_one_group(self):
        other = read("solutions/07-sliding-window/*.hip")
        groups = self.alike(a=SOLUTION, b=disguised(SOLUTION), c=SOLUTION + "int x;", d=other, e=disguised(other))
        self.assertEqual([names for names, _ in groups], [["a", "b", "c"], ["d", "e"]])


class Words(unittest.TestCase):
    def test_names_comments_and_strings(self):
        self.assertEqual(words_of('#include <x.h>\nint a1 = b /* x\n */ + 0x1F; // c\n"a // b\\"" + \'c'),
                         ["int", "name", "=", "name", "+", "0x1F", ";", '"a // b\\""', "+", "'", "name"])

    def test_no_text_takes_long(self):
        for text in ("/* " * 300_000, '"\\' * 500_000, '\\"' * 500_000, "#" * 1_000_000, "\n#include" * 100_000):
            began = time.monotonic()
            fingerprints(text)
            self.assertLess(time.monotonic() - began, 30, text[:8])


if __name__ == "__main__":
    unittest.main()
