"""The handout has every lab in its order, needs no other file, and says why when it cannot be made."""
import base64
import glob
import os
import re
import tempfile
import unittest
from unittest import mock

from tools import handout

PAGES = sorted(glob.glob("labs/*/README.md"))
ALL_PAGES = [page.replace("README", name) for page in PAGES for name in ("README", "afterwards")]


def read(path, mode="r"):
    with open(path, mode, encoding=None if "b" in mode else "utf-8") as file:
        return file.read()


class Handout(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.html = handout.handout()

    def test_has_every_lab_in_its_order_and_leads_to_each(self):
        labs = [*(os.path.basename(os.path.dirname(page)) for page in PAGES), "glossary"]
        self.assertEqual(re.findall('<section id="(.*?)">', self.html), labs)
        self.assertEqual(re.findall('href="#(.*?)"', self.html), labs)
        for page in PAGES:
            self.assertIn(f"<h1>{read(page).splitlines()[0].removeprefix('# ')}</h1>", self.html)

    def test_has_every_figure_and_needs_no_other_file(self):
        shown = [base64.b64decode(text) for text in re.findall('src="data:image/svg[+]xml;base64,(.*?)"', self.html)]
        self.assertEqual(shown, [read(os.path.join(os.path.dirname(page), figure), "rb")
                                 for page in ALL_PAGES for figure in re.findall(r"!\[.*\]\((.*)\)", read(page))])
        self.assertEqual(re.findall(r'(?:src|href)="(?!data:|#|https:)', self.html), [])

    def test_turns_tables_and_emphasis_into_html(self):
        tables = sum(len(re.findall(r"^\|--", read(page), re.MULTILINE)) for page in ALL_PAGES)
        self.assertEqual(self.html.count("<table>"), tables)
        self.assertNotIn("**", re.sub("<code>.*?</code>", "", self.html, flags=re.DOTALL))


class Page(unittest.TestCase):
    def page(self, text):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        with open(f"{folder.name}/README.md", "w", encoding="utf-8") as file:
            file.write(text)
        return handout.section(file.name)

    def test_links_to_files_are_names_and_those_to_the_web_stay(self):
        body = self.page("# A < B\n[notes](NOTES.md) and [AMD](https://amd.com)")[2]
        self.assertIn('<p>notes and <a href="https://amd.com">AMD</a></p>', body)

    def test_that_shows_what_is_not_there_is_named(self):
        with self.assertRaisesRegex(handout.Stop, "README.md shows none.svg, which cannot be read"):
            self.page("# A\n![a](none.svg)")

    def test_needs_the_converter_and_says_how_to_get_it(self):
        with mock.patch.dict(os.environ, PATH="/none"), self.assertRaisesRegex(handout.Stop, "'make setup' installs"):
            handout.convert("a")


if __name__ == "__main__":
    unittest.main()
