"""The pages of the site: those of docs/, and one for every other file of the tree that they link to.

A link such as ../LICENSE leads to the file in the repository, and here to a page: of a document as it is, of a module
with its API, of any other file as a listing. The navigation is the lists of docs/README.md, so that a page is listed
once, for readers of both.
"""

import ast
import html
import itertools
import os
import re
import textwrap
from pathlib import Path
from posixpath import dirname, relpath

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"

_LISTED = re.compile(r"^- \[([^\]]+)\]\(([^)#]+)\): (.*)$", re.MULTILINE)
"""A page in the lists of docs/README.md: its name, its file and its subject."""
_LINK = re.compile(r'(\]\(|\bsrc(?:set)?=")(?![a-z]+:|#)([^)#"\s]+)')
"""A link to a file, or a picture, in Markdown or HTML, without its anchor."""
_PICTURE = re.compile(r'<picture>\s*<source[^>]*srcset="([^"]+)"[^>]*>\s*<img src="([^"]+)"([^>]*)>\s*</picture>')
"""A picture for the dark and one for all else."""


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Take the navigation from docs/README.md, and offer versions where mike builds one."""
    config.nav = [{"Home": "README.md"}]
    for section in re.split(r"^## ", text(DOCS / "README.md"), flags=re.MULTILINE)[1:]:
        pages = [{name: place((DOCS / target).resolve())} for name, target, _ in _LISTED.findall(section)]
        config.nav.append({section.partition("\n")[0]: pages})
    if "MIKE_DOCS_VERSION" in os.environ:
        config.extra["version"] = {"provider": "mike", "default": "latest"}
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add every file that a page links to, and those to which these link; and the dashboard's icon."""
    files.append(File.generated(config, "icon.svg", abs_src_path=str(ROOT / "minicrawl/dashboard/static/icon.svg")))
    left = list(DOCS.glob("*.md"))
    while left:
        page = left.pop()
        for _, target in _LINK.findall(text(page)):
            file = linked(page.parent, target)
            if file is not None and DOCS not in file.parents and place(file) not in files.src_uris:
                files.append(added(file, config))
                left += [file] if file.suffix == ".md" else []
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Let links lead to the pages of files. A pipe in code needs no escape in a table, as it does in a repository."""
    if page.is_homepage:
        page.meta["hide"] = ["navigation"]  # it is one list of pages itself
    if page.file.abs_src_path is not None:
        here = Path(page.file.abs_src_path).parent

        def led(match: re.Match[str]) -> str:
            file = linked(here, match[2])
            return match[0] if file is None else match[1] + relpath(place(file), dirname(page.file.src_uri))

        markdown = _LINK.sub(led, markdown)
    return re.sub(r"`[^`\n]*\\\|[^`\n]*`", lambda span: span[0].replace("\\|", "|"), markdown)


def on_page_content(content: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Describe the page, and let pictures follow the colours that a reader has chosen."""
    if not page.is_homepage:  # which is described by the site
        subject = SUBJECTS.get(page.file.src_uri)
        about = f"{page.title}: {subject}." if subject else f"{page.title}."
        page.meta["description"] = html.escape(described(content, about))
    shown = r'<img src="\2#only-light"\3 loading="lazy"><img src="\1#only-dark"\3 loading="lazy">'
    return _PICTURE.sub(shown, content)


def linked(folder: Path, target: str) -> Path | None:
    """The file of the tree to which a link in a folder leads, for a folder the one that tells of it; or None."""
    there = (folder / target).resolve()
    files = [there, there / "README.md", there / "__init__.py"]
    return next((file for file in files if file.is_file() and ROOT in file.parents), None)


def place(file: Path) -> str:
    """The path of a file of the tree among the sources of the site."""
    path = file.relative_to(ROOT)
    if DOCS in file.parents:
        return file.relative_to(DOCS).as_posix()
    if path.suffix == ".py" and path.parts[0] == "minicrawl":
        return f"api/{module(file)}.md"
    return f"tree/{path.as_posix()}" + ("" if path.suffix in {".md", ".svg", ".png"} else ".md")


def module(file: Path) -> str:
    """The name of the module that a file is."""
    return ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def added(file: Path, config: MkDocsConfig) -> File:
    """A file of the tree as a file of the site."""
    uri, path = place(file), file.relative_to(ROOT).as_posix()
    if uri.startswith("api/"):
        return File.generated(config, uri, content=reference(file))
    if uri.endswith(path):
        return File.generated(config, uri, abs_src_path=str(file))
    listing = f"```{file.suffix[1:] or 'text'}\n{text(file).rstrip()}\n```"
    about = f"The file `{path}` of the repository, as it is in this version."
    return File.generated(config, uri, content=f"# {file.name}\n\n{about}\n\n{listing}\n")


def reference(file: Path) -> str:
    """The page of a module's API, in which functions are beside their package that its modules hide by their names."""
    name, shown = module(file), [f"::: {module(file)}"]
    exports = re.search(r"^__all__ = (\[.*?\])", text(file), re.DOTALL | re.MULTILINE)
    for one in ast.literal_eval(exports[1]) if exports else ():
        if (file.parent / f"{one}.py").exists():
            shown.append(f"::: {name}.{one}.{one}\n    options: {{show_root_heading: true}}")
    return "\n\n".join([f"# {name}", *shown]) + "\n"


def described(content: str, about: str) -> str:
    """What a page in HTML is about, and its first sentences, in 160 characters."""
    paragraphs = (" ".join(words(one).split()) for one in re.findall(r"<p>(.*?)</p>", content, re.DOTALL))
    sentences = [about, *(one for part in paragraphs for one in re.findall(r"\S.*?[.](?= [A-Z]|$)", part))]
    fitting = list(itertools.takewhile(lambda some: len(some) <= 160, itertools.accumulate(sentences, "{} {}".format)))
    return fitting[-1] if len(fitting) > 1 else textwrap.shorten(" ".join(sentences), 160, placeholder="…")


def words(content: str) -> str:
    """HTML as plain text."""
    return html.unescape(re.sub(r"<[^>]+>", "", content))


def text(file: Path) -> str:
    """All of a file."""
    return file.read_text("utf-8")


SUBJECTS = {
    place((DOCS / target).resolve()): re.sub(r"`|\[([^\]]*)\]\([^)]*\)", r"\1", subject)
    for _, target, subject in _LISTED.findall(text(DOCS / "README.md"))
}
"""The subjects of pages as docs/README.md has them, without marks."""
