"""A lab's page in the terminal: nothing of it is lost, and no Markdown is left; a page for a browser, where results are
folded."""
import glob
import os
import re
import subprocess
import sys
import unittest

from tools.read_page import WIDTH, in_terminal

PAGES = sorted(glob.glob("labs/*/README.md") + glob.glob("labs/*/afterwards.md"))


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def plain_words(text):
    """The words of a page or of what is shown of it, without marks."""
    text = re.sub(r"^\[[^]]+\]: \S+$|!\[[^]]*\]\([^)]*\)|\(picture [^)]*\)|^\|[-|]+$", "", text, flags=re.MULTILINE)
    text = re.sub(r"\]\([^)]*\)|\]\[[A-Za-z][\w -]*\]", "", text)
    return sorted(re.sub(r"[][|*`#]", "", text).split())  # of a cell on two lines the second stands behind the next cell


class Terminal(unittest.TestCase):
    def test_every_page_keeps_its_words(self):
        for page in PAGES:
            self.assertEqual(plain_words(in_terminal(read(page))), plain_words(read(page)), page)

    def test_marks_are_gone_and_code_is_whole(self):
        shown = in_terminal("A **bold**, *slanted* [wave] of [waves][wave], `a *b* [c]` and [`X_Y`][X_Y].\n\n[wave]: x#w\n")
        self.assertEqual(shown, "A bold, slanted wave of waves, `a *b* [c]` and `X_Y`.")

    def test_lines_are_filled_and_items_hang(self):
        shown = in_terminal("- " + "word " * 40 + "\n  `never broken`\n- b\n").splitlines()
        self.assertLessEqual(max(map(len, shown)), WIDTH)
        self.assertEqual([line[:2] for line in shown], ["- ", "  ", "  ", "- "])
        self.assertIn("`never broken`", shown[2])

    def test_tables_are_aligned(self):
        self.assertEqual(in_terminal("| a | `b` |\n|---|---|\n| long | 2 |\n"), "  a     `b`\n  long  2")

    def test_tables_are_narrow_enough(self):
        rows = in_terminal("| a | b |\n|---|---|\n| " + "word " * 40 + "| " + "more " * 9 + "|\n| c | d |\n").splitlines()
        self.assertLessEqual(max(map(len, rows)), WIDTH)
        self.assertEqual((rows[0].split(), rows[-1].split()), (["a", "b"], ["c", "d"]))

    def test_pages_fit_into_a_terminal_of_80_columns(self):
        for page in PAGES:
            shown = in_terminal(read(page), 80).splitlines()
            self.assertEqual([line for line in shown if len(line) > 80], [], page)

    def test_remarks_behind_commands_move_closer_or_below(self):
        line = "    make run LAB=01          # builds, runs, verifies\n"
        self.assertEqual(in_terminal(line, 60), line[2:-1])
        self.assertEqual(in_terminal(line, 45), "  make run LAB=01  # builds, runs, verifies")
        self.assertEqual(in_terminal(line, 30), "  make run LAB=01\n      # builds, runs, verifies")


class Command(unittest.TestCase):
    def test_shows_the_page_and_names_one_with_pictures(self):
        said = subprocess.run(["make", "-s", "--no-print-directory", "read", "LAB=05"], env={**os.environ, "MAKEFLAGS": ""},
                              capture_output=True, text=True, check=True).stdout
        self.assertTrue(said.startswith("Lab 05: store f without keeping it\n"), said[:200])
        path = re.search(r"in a browser: (\S+)$", said)[1]
        self.assertIn('src="data:image/svg+xml;base64,', read(path))
        results = re.search("<details>.*</details>", read(path), re.DOTALL)[0]
        self.assertIn("One line against a rewrite.", results)
        self.assertNotIn("One line against a rewrite.", said + read(path).replace(results, ""))
        self.assertRegex(read(path), '<abbr title="A function that the device runs[^"]*">kernels?</abbr>')

    def test_that_finds_no_page_says_so(self):
        done = subprocess.run([sys.executable, "-m", "tools.read_page", "77-none"], capture_output=True, text=True,
                              check=False)
        self.assertEqual((1, ""), (done.returncode, done.stdout))
        self.assertIn("read: ", done.stderr)
        self.assertNotIn("Traceback", done.stderr)


if __name__ == "__main__":
    unittest.main()
