"""Makes the labs' pages one file to hand out: `make handout`. A browser prints it, each lab on a page of its own.

In:  labs/NN-name/README.md and afterwards.md in their order, with the figures they show; docs/glossary.md;
     Debian's python3-markdown
Out: the HTML file that is named, which needs nothing beside it. Status 1, with a sentence, when it cannot be made.
"""
import base64
import glob
import mimetypes
import os
import re
import subprocess
import sys

TITLE = "GPU kernel optimisation labs"
STYLE = """
body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 Georgia, serif; color: #111; }
h1, h2, nav { font-family: Helvetica, Arial, sans-serif; line-height: 1.2; }
pre, code { font: 0.85rem/1.4 Menlo, Consolas, monospace; background: #f4f4f4; }
pre { padding: 0.7rem; overflow-x: auto; box-sizing: border-box; width: max-content; min-width: 100%;
      max-width: max(100%, calc(50vw + 21rem)); } /* drawings may be wider than prose, up to the edge of the window */
abbr { text-decoration: underline dotted #888; cursor: help; }
table { border-collapse: collapse; margin: 1rem 0; }
td, th { border-bottom: 1px solid #bbb; padding: 0.2rem 0.7rem; text-align: left; vertical-align: top; }
img { max-width: 100%; }
@media print {
  @page { margin: 18mm; }
  body { margin: 0; max-width: none; font-size: 10pt; }
  section { break-before: page; }
  pre { width: auto; white-space: pre-wrap; }
  pre, table, img { break-inside: avoid; }
  h1, h2 { break-after: avoid; }
}
"""


class Stop(Exception):
    """Nothing was made; the sentence says why."""


def convert(text):
    """Markdown to HTML, by the command and not the module, which another python3 than Debian's would not find."""
    command = ["markdown_py", "-x", "tables", "-x", "sane_lists", "-x", "md_in_html", "-o", "html"]
    try:
        return subprocess.run(command, input=text, capture_output=True, encoding="utf-8", check=True).stdout
    except FileNotFoundError:
        raise Stop("markdown_py is missing, which makes HTML of the pages: 'make setup' installs python3-markdown") from None
    except subprocess.CalledProcessError as trouble:
        raise Stop(f"markdown_py failed:\n{trouble.stderr}") from None


def embed(html, folder):
    """The figures stand in the file itself."""
    def data(match):
        path, kind = os.path.join(folder, match[1]), mimetypes.guess_type(match[1])[0]
        try:
            with open(path, "rb") as file:
                return f'src="data:{kind};base64,{base64.b64encode(file.read()).decode()}"'
        except OSError as trouble:
            raise Stop(f"{folder}/README.md shows {match[1]}, which cannot be read: {trouble.strerror}") from None
    return re.sub(r'src="([^":]+)"', data, html)


def keep_links(html):
    """Links to the web stay; a file of the repository is no link in a handout, but its name."""
    return re.sub(r'<a href="(?!https?:)[^"]*">(.*?)</a>', r"\1", html, flags=re.DOTALL)


def body_of(page, words=lambda html: html):
    """A page as HTML that needs nothing beside it. words: what becomes of links to the glossary, if they are not plain."""
    with open(page, encoding="utf-8") as file:
        return keep_links(words(embed(convert(file.read()), os.path.dirname(page))))


def section(*pages):
    bodies = [body_of(page) for page in pages]
    return os.path.basename(os.path.dirname(pages[0])), re.search("<h1>(.*?)</h1>|$", bodies[0])[1], "\n".join(bodies)


def document(title, body):
    return (f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>\n'
            f"<style>{STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n")


def handout():
    sections = [section(f"{lab}/README.md", f"{lab}/afterwards.md") for lab in sorted(glob.glob("labs/[0-9]*"))]
    sections.append(("glossary", "Glossary", body_of("docs/glossary.md")))
    contents = "\n".join(f'<li><a href="#{name}">{title}</a></li>' for name, title, _ in sections)
    bodies = "\n".join(f'<section id="{name}">\n{body}\n</section>' for name, _, body in sections)
    return document(TITLE, f"<h1>{TITLE}</h1>\n<nav><ul>\n{contents}\n</ul></nav>\n{bodies}")


def main():
    (out,) = sys.argv[1:]
    html = handout()
    with open(out, "w", encoding="utf-8") as file:
        file.write(html)
    print(f"handout: {out}; open it in a browser, and print it there for a PDF")


if __name__ == "__main__":
    try:
        main()
    except (Stop, OSError) as stop:
        sys.exit(f"handout: {stop}")
