"""Shows a lab's page in the terminal: `make read LAB=02`. Beside it the same page with its pictures, for a browser.

In:  read_page.py LAB-NAME   (labs/LAB-NAME/README.md and afterwards.md, their pictures)
Out: the page, as wide as the terminal and a screenful at a time; lines filled, tables aligned, links to the glossary as
     plain words. build/pages/LAB-NAME.html, if Debian's python3-markdown is there: in it the glossary's words explain
     themselves, and the results, which make after shows, are folded. Status 1, with a sentence, if there is no such page.
"""
import itertools
import os
import pydoc
import re
import sys
import textwrap
from html import escape

from grading.words import columns
from tools import handout
from tools.explain import glossary

WIDTH = 96  # that people read well
BOLD, PLAIN = ("\033[1m", "\033[0m") if sys.stdout.isatty() else ("", "")
ITEM = r"(?:\d+\.|-) "


def words(text):
    """Text without Markdown: a link is its words, a picture what it shows, emphasis is bold. Code keeps its marks."""
    text = re.sub(r"!\[([^]]*)\]\(([^)]*)\)", r"(picture \2: \1)", text)
    parts = re.split(r"(`[^`]*`)", re.sub(r"\[(`[^`]+`)\]\[[^]]*\]", r"\1", text))
    for n in range(0, len(parts), 2):  # what is no code
        parts[n] = re.sub(r"\[([^]]+)\](?:\[[^]]*\]|\([^)]*\))?", r"\1", parts[n])
        parts[n] = re.sub(r"(?<!\w)\*(\w[^*]*)\*(?!\*)", rf"{BOLD}\1{PLAIN}", parts[n])
    return re.sub(r"\*\*(.+?)\*\*", rf"{BOLD}\1{PLAIN}", "".join(parts), flags=re.DOTALL)


def filled(paragraph, width=WIDTH):
    """Prose or a list, its lines filled; code is not broken."""
    for part in re.split(rf"\n(?={ITEM})", paragraph):
        item = re.match(ITEM, part)
        unbroken = re.sub(r"`[^`]*`", lambda code: code[0].replace(" ", "\0"), " ".join(words(part).split()))
        lines = textwrap.wrap(unbroken, width, subsequent_indent=" " * len(item[0]) if item else "",
                              break_long_words=False, break_on_hyphens=False)
        yield "\n".join(lines).replace("\0", " ")


def narrowed(columns_of_cells, width):
    """Widths of columns: the widest give way until the table fits, but none is narrower than its longest word."""
    widths = [max(map(len, column)) for column in columns_of_cells]
    least = [max((len(word) for cell in column for word in cell.split()), default=0) for column in columns_of_cells]
    while 2 * len(widths) + sum(widths) > width and widths != least:
        widest = max((n for n, _ in enumerate(widths) if widths[n] > least[n]), key=lambda n: widths[n])
        widths[widest] -= 1
    return widths


def table(paragraph, width=WIDTH):
    """Rows of a Markdown table, their columns aligned; a cell that is wider than its column goes on below."""
    lines = [line.strip().strip("|") for line in paragraph.splitlines() if "|--" not in line]
    rows = [[words(cell.strip()) for cell in line.split("|")] for line in lines]
    widths = narrowed([[row[n] for row in rows if n < len(row)] for n in range(len(rows[0]))], width)
    for row in rows:
        cells = [textwrap.wrap(cell, space, break_long_words=False, break_on_hyphens=False) if space else []
                 for cell, space in zip(row, widths)]
        for parts in itertools.zip_longest(*cells, fillvalue=""):
            yield "  " + "  ".join(part.ljust(space) for part, space in zip(parts, widths)).rstrip()


def code(paragraph, width=WIDTH):
    """Commands and drawings. A remark behind a command moves closer where that is needed, and below it where that is not
    enough."""
    for line in paragraph.splitlines():
        line = line[2:]
        command, *remark = re.split(r" {2,}(?=# |// )", line)
        if len(line) <= width or not remark:
            yield line
        elif len(f"{command}  {remark[0]}") <= width:
            yield f"{command}  {remark[0]}"
        else:
            yield from (command, *textwrap.wrap(remark[0], width, initial_indent=" " * 6, subsequent_indent=" " * 8))


def in_terminal(text, width=WIDTH):
    """A page's text as it is shown in a terminal."""
    shown = []
    for paragraph in re.split(r"\n\n+", re.sub(r"^\[[^]]+\]: \S+\n", "", text, flags=re.MULTILINE).strip("\n")):
        if paragraph.startswith("    "):
            shown.append("\n".join(code(paragraph, width)))
        elif paragraph.startswith("#"):
            shown.append(f"{BOLD}{paragraph.strip('# ')}{PLAIN}")
        else:
            shown.append("\n".join((table if paragraph.startswith("|") else filled)(paragraph, width)))
    return "\n\n".join(shown)


def explained(html):
    """Words that lead to the glossary say what they mean where the mouse rests on them."""
    meanings = {word.lower().replace(" ", "-"): meaning for word, meaning in glossary().items()}

    def word(match):
        return f'<abbr title="{escape(meanings.get(match[1], ""))}">{match[2]}</abbr>'
    return re.sub(r'<a href="[^"]*glossary\.md#([^"]*)">(.*?)</a>', word, html, flags=re.DOTALL)


def write_html(lab):
    """The page with its pictures, as a file for a browser. Returns its path."""
    path = f"build/pages/{lab}.html"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    page, results = (handout.body_of(f"labs/{lab}/{name}.md", explained) for name in ("README", "afterwards"))
    folded = f"<details>\n<summary>When the check has passed, open this.</summary>\n{results}\n</details>"
    with open(path, "w", encoding="utf-8") as file:
        file.write(handout.document(lab, f"{page}\n{folded}"))
    return path


def show(text):
    """A screenful at a time where somebody sits before a terminal. LESS: a short text ends by itself, and stays there."""
    os.environ.setdefault("LESS", "FRX")
    if columns() and sys.stdin.isatty():
        pydoc.pager(text + "\n")
    else:
        print(text, flush=True)


def main():
    (lab,) = sys.argv[1:]
    with open(f"labs/{lab}/README.md", encoding="utf-8") as file:
        page = in_terminal(file.read(), min(WIDTH, columns() or WIDTH))
    try:
        browser = f"With pictures, in a browser: {write_html(lab)}"
    except handout.Stop as stop:
        browser = f"No page for a browser: {stop}"
    show(f"{page}\n\n{browser}")


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:  # somebody read the first lines and left
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as trouble:
        sys.exit(f"read: {trouble}")
