"""The pages name what is there: files of the repository, links, and targets of make. A lab's page is narrow enough to read,
and links each word of the glossary where it first uses it."""
import glob
import os
import re
import subprocess
import unittest

from tools.profile import LABS_COUNTERS

FILES = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], check=True,
                       capture_output=True, text=True).stdout.split()
PAGES = [file for file in FILES if file.endswith(".md")]
BUILT = {"build"}  # folders that a page may name without their being there


def prose(text):
    """A page without its indented lines, which are commands and output."""
    return re.sub(r"^    .*$", "", text, flags=re.MULTILINE)


def is_there(path, folder):
    """Whether a file has this path from the root or from this folder. NN-name stands for any lab, a word in capitals and *
    for anything; a module may be named without .c, .h, a suite by what follows test_ in its name."""
    pattern = re.sub(r"\bNN(-name)?\b", "[0-9][0-9]*", path)
    pattern = re.sub(r"(?<![A-Z.])[A-Z]{4,}(?=[./]|$)", "*", pattern)
    room, _, suite_name = pattern.partition("/")
    return any(glob.glob(os.path.join(where, pattern + end)) for where in (".", folder) for end in ("", ".[ch]")) or \
        bool(glob.glob(f"tests/{room}/test_{suite_name}.[cp]*"))


def unknown_paths(page, text):
    """Sentences on what stands in backticks and begins like a path of the repository, but is none."""
    folder = os.path.dirname(page) or "."
    for path in re.findall(r"`([\w.*-]+/[\w./*-]*)`", prose(text)):
        top = path.split("/")[0]
        known = os.path.isdir(top) or os.path.isdir(os.path.join(folder, top))
        if known and top not in BUILT and not is_there(path, folder):
            yield f"{page} names {path}, and there is no such file"


def unknown_files(page, text):
    """The same of names without a folder; FILE.ini and the like stand for a learner's own."""
    names = {os.path.basename(file) for file in FILES}
    for name in re.findall(r"`([a-z][\w-]*\.(?:c|h|def|hip|py|sh|mk|ini|svg|md))`", text):
        if name not in names:
            yield f"{page} names {name}, and there is no such file"


def broken_links(page, text):
    for link in re.findall(r"\]\(([^)#]+)\)", text):
        if "://" not in link and not os.path.exists(os.path.join(os.path.dirname(page), link)):
            yield f"{page} links to {link}, and there is no such file"


def unknown_targets(page, text):
    """Commands are what stands indented or in backticks: make setup demo, make run LAB=01."""
    rules = "".join(read(file) for file in ["Makefile", *glob.glob("tools/*.mk"), *glob.glob("tests/*/*.mk")])
    targets = {word for names in re.findall(r"^([a-z][a-z ]*):", rules, re.MULTILINE) for word in names.split()}
    for words in re.findall(r"(?:^    |`)make((?: [a-z]+\b(?![=/.-]))+)", text, re.MULTILINE):
        for target in words.split():
            if target not in targets:
                yield f"{page} says make {target}, and make has no such target"


GLOSSARY = "docs/glossary.md"
LAB_PAGES = sorted(path for name in ("README", "afterwards", "hints") for path in glob.glob(f"labs/*/{name}.md"))
SHORT_FORMS = {"wavefront": ["[Ww]ave"]}
WIDTH = 100
NO_PROSE = r"^(?:#|    |<|\[[^]]+\]: ).*$"  # headings, commands and drawings, HTML, definitions of links
# What is no plain word: a picture or a link to elsewhere; [word] or [its form][word]; code.
TOKEN = re.compile(r"!?\[[^]]*\]\([^)]*\)|\[(?P<form>[^]]+)\](?:\[(?P<word>[^]]+)\])?|`(?P<code>[^`]*)`")


def glossary_words():
    """From the longest on, so that "effective bandwidth" is found before "bandwidth"."""
    return sorted(re.findall(r"^### (.+)$", read(GLOSSARY), re.MULTILINE), key=len, reverse=True)


def forms_of(word):
    """A pattern of a word as it may stand on a page."""
    forms = [f"[{word[0].upper()}{word[0]}]{word[1:]}" if word.islower() else word]
    pattern = rf"\b(?:{'|'.join(forms + SHORT_FORMS.get(word, []))})(?:s|es|ed)?\b"
    return pattern.replace(" ", r"\s")


def parts(text):
    """A page's prose with blanks for all that is no plain word; its links to words and its code, as places by name."""
    prose = re.sub(NO_PROSE, lambda line: " " * len(line[0]), text, flags=re.MULTILINE)
    links, code = {}, {}
    for token in TOKEN.finditer(prose):
        name = token["form"] and " ".join((token["word"] or token["form"]).split())
        links.setdefault(name, token.start())
        code.setdefault(token["code"], token.start())
    links.pop(None, None)
    return TOKEN.sub(lambda token: " " * len(token[0]), prose), links, code


def words_without_link(page, text):
    """Words of the glossary of which the first use is no link to it."""
    plain, links, code = parts(text)
    for word in glossary_words():
        uses = [use.start() for use in re.finditer(forms_of(word), plain)]
        if word in code and not word.islower():  # the name of a counter
            uses.append(code[word])
        if uses and min(uses) < links.get(word, len(text)):
            yield f"{page} uses {word} before it links it: write [{word}], or [its form][{word}], where it comes first"
        plain = re.sub(forms_of(word), lambda use: " " * len(use[0]), plain)


def broken_references(page, text):
    """Links to words that are not defined below, definitions that nothing uses, or that lead to no heading."""
    defined = dict(re.findall(r"^\[([^]]+)\]: (\S+)$", text, re.MULTILINE))
    used = set(parts(text)[1])
    anchors = {word.lower().replace(" ", "-") for word in glossary_words()}
    yield from (f"{page} links the word {word}, and defines no such link" for word in sorted(used - set(defined)))
    yield from (f"{page} defines a link [{word}] and uses it nowhere" for word in sorted(set(defined) - used))
    for word, target in defined.items():
        path, _, anchor = target.partition("#")
        if os.path.normpath(os.path.join(os.path.dirname(page), path)) != GLOSSARY or anchor not in anchors:
            yield f"{page} defines [{word}] as {target}, which is no word of {GLOSSARY}"


def wide_lines(page, text):
    """Prose beyond the width; tables, drawings and links have theirs."""
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > WIDTH and not re.match(r"\||    |<|!|\[", line):
            yield f"{page}, line {number}, has {len(line)} columns: {WIDTH} are what people read well"


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class Pages(unittest.TestCase):
    def complaints(self, check, pages=PAGES):
        return [sentence for page in pages for sentence in check(page, read(page))]

    def test_words_are_linked_where_they_come_first(self):
        self.assertEqual([], self.complaints(words_without_link, [page for page in LAB_PAGES if "README" in page]))

    def test_words_are_linked_to_the_glossary(self):
        self.assertEqual([], self.complaints(broken_references, LAB_PAGES))

    def test_of_labs_are_narrow_enough_to_read(self):
        self.assertEqual([], self.complaints(wide_lines, LAB_PAGES))

    def test_counters_that_a_learner_meets_are_in_the_glossary(self):
        graded = "".join(read(path) for path in glob.glob("labs/*/expected.json"))
        met = {*LABS_COUNTERS.split(), *re.findall(r'"counters\.(\w+)"', graded)}
        self.assertEqual(set(), met - set(glossary_words()))

    def test_words_of_the_glossary_have_one_paragraph_each(self):
        for word, body in re.findall(r"^### (.+)\n\n((?:.+\n)+)", read(GLOSSARY), re.MULTILINE):
            self.assertGreater(len(body.split()), 3, word)
        self.assertEqual(len(glossary_words()), len(re.findall(r"^### .+\n\n.+\n(?:\n|\Z)", read(GLOSSARY), re.MULTILINE)))

    def test_paths_in_backticks_are_there(self):
        self.assertEqual([], self.complaints(unknown_paths))

    def test_file_names_in_backticks_are_there(self):
        self.assertEqual([], self.complaints(unknown_files))

    def test_functions_that_are_not_served_are_counted_right(self):
        unserved = len(re.findall(r"^X\(", read("emulator/hip/unsupported.def"), re.MULTILINE))
        self.assertIn(f"one of the {unserved} functions in `emulator/hip/unsupported.def`", read("docs/your-own-program.md"))
        self.assertIn(f"{unserved} of them\n  (`hip/unsupported.def`)", read("emulator/README.md"))

    def test_links_lead_somewhere(self):
        self.assertEqual([], self.complaints(broken_links))

    def test_targets_of_make_exist(self):
        self.assertEqual([], self.complaints(unknown_targets))


class Help(unittest.TestCase):
    def test_names_every_target_for_people_and_fits_into_a_terminal(self):
        said = subprocess.run(["make", "-s"], env={**os.environ, "MAKEFLAGS": ""}, check=True, capture_output=True,
                              text=True).stdout
        self.assertLessEqual(max(map(len, said.splitlines())), 80)
        rules = read("Makefile") + read("tools/maintainer.mk")
        phony = " ".join(re.findall(r"^\.PHONY: (.*)$", rules, re.MULTILINE)).split()
        inner = "help tools criterion emulator compile-command compiler-words grader programs lab-named suite-named".split()
        self.assertEqual([], [target for target in phony if f"make {target}" not in said and target not in inner])


class Checks(unittest.TestCase):
    """The checks above find what is wrong, and only that."""

    def test_a_path_may_be_seen_from_the_root_or_from_the_page(self):
        text = "`tools/setup.sh`, `isa/decoder.c`, `labs/NN-name/hints.md`, `tests/emulator/test_*.c`, `emulator/`"
        self.assertEqual([], list(unknown_paths("emulator/README.md", text)))

    def test_a_file_that_moved_is_found(self):
        self.assertEqual(["docs/x.md names common/emulator/isa.c, and there is no such file"],
                         list(unknown_paths("docs/x.md", "see `common/emulator/isa.c`")))

    def test_a_file_that_was_renamed_is_found(self):
        self.assertEqual(["docs/x.md names vector_memory.c, and there is no such file"],
                         list(unknown_files("docs/x.md", "`vector_memory.c`, `decoder.c`, `FILE.ini`, other.c")))

    def test_what_is_no_path_of_the_repository_is_left_alone(self):
        text = ("`/dev/kfd`, `build/results/`, `hip/hip_runtime.h`, `read/write`, `make -j2 build/x`\n"
                "    cp labs/x.c elsewhere\n")
        self.assertEqual([], list(unknown_paths("docs/x.md", text)))

    def test_a_broken_link_is_found(self):
        self.assertEqual(["docs/x.md links to gone.md, and there is no such file"],
                         list(broken_links("docs/x.md", "[a](gone.md), [b](memory-model.md), [c](https://example.org/)")))

    def test_a_word_without_link_is_found(self):
        said = "x uses wavefront before it links it: write [wavefront], or [its form][wavefront], where it comes first"
        for text in ("Two waves.", "Waves, then [wavefronts][wavefront].", "| wavefronts |", "a `wavefront`, a wavefront"):
            self.assertEqual([said], list(words_without_link("x", text)), text)
        for text in ("[Waves][wavefront], then waves.", "    wavefront\n# wavefront\n`wavefront`", "[wavefront], wavefronts",
                     "[effective bandwidth]", "[`FETCH_SIZE`][FETCH_SIZE], FETCH_SIZE and `FETCH_SIZE`"):
            self.assertEqual([], list(words_without_link("x", text)), text)
        self.assertTrue(list(words_without_link("x", "`FETCH_SIZE`")))

    def test_a_broken_reference_is_found(self):
        good = "[waves][wavefront]\n\n[wavefront]: ../../docs/glossary.md#wavefront\n"
        self.assertEqual([], list(broken_references("labs/x/README.md", good)))
        for old, new, words in (("s][wavefront]", "s][wave]", "links the word wave, and defines no such link"),
                                ("[waves][wavefront]", "waves", "defines a link [wavefront] and uses it nowhere"),
                                ("#wavefront", "#wave", "glossary.md#wave, which is no word of docs/glossary.md")):
            self.assertIn(words, "\n".join(broken_references("labs/x/README.md", good.replace(old, new, 1))))

    def test_a_wide_line_is_found(self):
        self.assertEqual(["x, line 2, has 101 columns: 100 are what people read well"],
                         list(wide_lines("x", "a\n" + "b" * 101 + "\n    " + "c" * 100)))

    def test_an_unknown_target_is_found(self):
        text = "`make chek LAB=01`\n    make setup demo # x\n    make build/tests/common/test_grid\nthey make sense\n"
        self.assertEqual(["x.md says make chek, and make has no such target"], list(unknown_targets("x.md", text)))


if __name__ == "__main__":
    unittest.main()
