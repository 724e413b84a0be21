"""A lab's page in the terminal: nothing of it is lost but what is folded, and no Markdown is left; a page for a browser."""
import glob
import os
import re
import subprocess
import sys
import unittest

from tools.read_page import FOLDED, WIDTH, folded, in_terminal, without_results

LABS = sorted(os.path.basename(os.path.dirname(path)) for path in glob.glob("labs/*/README.md"))


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
        for lab in LABS:
            page = read(f"labs/{lab}/README.md")
            results = folded(page)
            self.assertTrue(results, lab)
            self.assertEqual(plain_words(in_terminal(results)), plain_words(results), lab)
            rest = FOLDED.sub("", page)
            self.assertEqual(plain_words(in_terminal(rest)), plain_words(rest), lab)

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
        for lab in LABS:
            shown = in_terminal(read(f"labs/{lab}/README.md"), 80).splitlines()
            self.assertEqual([line for line in shown if len(line) > 80], [], lab)

    def test_remarks_behind_commands_move_closer_or_below(self):
        line = "    make run LAB=01          # builds, runs, verifies\n"
        self.assertEqual(in_terminal(line, 60), line[2:-1])
        self.assertEqual(in_terminal(line, 45), "  make run LAB=01  # builds, runs, verifies")
        self.assertEqual(in_terminal(line, 30), "  make run LAB=01\n      # builds, runs, verifies")

    def test_results_are_folded(self):
        text = 'a\n\n<details markdown="1">\n<summary>s</summary>\n\nresult\n\n</details>\n\nb\n'
        self.assertEqual(folded(text).strip(), "result")
        self.assertNotIn("result\n", without_results(text, "02-x"))
        self.assertIn("make after LAB=02", without_results(text, "02-x"))


class Command(unittest.TestCase):
    def test_shows_the_page_and_names_one_with_pictures(self):
        said = subprocess.run(["make", "-s", "--no-print-directory", "read", "LAB=05"], env={**os.environ, "MAKEFLAGS": ""},
                              capture_output=True, text=True, check=True).stdout
        self.assertTrue(said.startswith("Lab 05: store f without keeping it\n"), said[:200])
        path = re.search(r"in a browser: (\S+)$", said)[1]
        self.assertIn('src="data:image/svg+xml;base64,', read(path))
        self.assertRegex(read(path), '<abbr title="A function that the device runs[^"]*">kernels?</abbr>')

    def test_that_finds_no_page_says_so(self):
        done = subprocess.run([sys.executable, "-m", "tools.read_page", "77-none"], capture_output=True, text=True,
                              check=False)
        self.assertEqual((1, ""), (done.returncode, done.stdout))
        self.assertIn("read: ", done.stderr)
        self.assertNotIn("Traceback", done.stderr)


if __name__ == "__main__":
    unittest.main()
