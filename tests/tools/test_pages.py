"""The pages name what is there: files of the repository, links, and targets of make."""
import glob
import os
import re
import subprocess
import unittest


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
    rules = "".join(read(file) for file in ["Makefile", *glob.glob("tools/*.mk")])
    targets = set(re.findall(r"^([a-z]+):", rules, re.MULTILINE))
    for words in re.findall(r"(?:^    |`)make((?: [a-z]+\b(?![=/.-]))+)", text, re.MULTILINE):
        for target in words.split():
            if target not in targets:
                yield f"{page} says make {target}, and make has no such target"


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class Pages(unittest.TestCase):
    def complaints(self, check):
        return [sentence for page in PAGES for sentence in check(page, read(page))]

    def test_paths_in_backticks_are_there(self):
        self.assertEqual([], self.complaints(unknown_paths))

    def test_file_names_in_backticks_are_there(self):
        self.assertEqual([], self.complaints(unknown_files))

    def test_links_lead_somewhere(self):
        self.assertEqual([], self.complaints(broken_links))

    def test_targets_of_make_exist(self):
        self.assertEqual([], self.complaints(unknown_targets))


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

    def test_an_unknown_target_is_found(self):
        text = "`make chek LAB=01`\n    make setup demo # x\n    make build/tests/common/test_grid\nthey make sense\n"
        self.assertEqual(["x.md says make chek, and make has no such target"], list(unknown_targets("x.md", text)))


if __name__ == "__main__":
    unittest.main()
