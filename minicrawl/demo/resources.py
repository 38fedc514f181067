"""Resources of the demo web: pages, redirects and files; and a page as HTML.

Links are written as people write them: relative, some twice, some that are none.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape
from urllib.parse import unquote

from minicrawl.demo.words import paragraphs


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to a request, after a delay."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    delay_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Link:
    """A link in a page. A link that is not counted has rel=nofollow."""

    url: str
    text: str
    is_counted: bool = True


@dataclass(slots=True)
class Page:
    """An HTML page; `links` by their target. `base`: the base of its links, if it declares one.

    `says`: seed of its text; None: its URL, so that no two texts are equal. `below`: HTML below its text.
    """

    url: str
    title: str
    links: dict[str, Link] = field(default_factory=dict)
    canonical: str | None = None
    base: str | None = None
    charset: str = "utf-8"
    delay_seconds: float = 0.0
    says: str | None = None
    below: tuple[str, ...] = ()

    def link(self, url: str, text: str, *, is_counted: bool = True) -> None:
        """Link to `url`, unless the page does so already."""
        self.links.setdefault(url, Link(url, text, is_counted))

    def outlinks(self) -> list[str]:
        """Targets that a crawler counts."""
        return [link.url for link in self.links.values() if link.is_counted and link.url != self.url]


@dataclass(frozen=True, slots=True)
class Redirect:
    """A URL that points to another one."""

    target: str
    status: int


@dataclass(frozen=True, slots=True)
class File:
    """Something that is not HTML."""

    content_type: str
    body: bytes


Resource = Page | Redirect | File


def root_of(url: str) -> str:
    """Home page of a URL's host."""
    return url[: url.index("/", len("http://")) + 1]


def relative(url: str, base: str) -> str:
    """`url` without its host, where that is the host of `base`."""
    root = root_of(base)
    return f"/{url.removeprefix(root)}" if url.startswith(root) else url


def rendered(page: Page) -> str:
    """The page as text."""
    lines = [f'<meta charset="{page.charset}">', f"<title>{escape(page.title)}</title>"]
    if page.base is not None:
        lines.append(f'<base href="{escape(page.base)}">')
    if page.canonical is not None:
        lines.append(f'<link rel="canonical" href="{escape(page.canonical)}">')
    lines.append("</head><body>")
    if page.links:
        lines.append(_navigation(page))
    lines.append(f'<h1 id="content">{escape(page.title)}</h1>')
    lines.extend(f"<p>{paragraph}</p>" for paragraph in paragraphs(page.says or page.url))
    lines.extend(page.below)
    if page.links:
        lines.append("<ul>")
        lines.extend(f"<li>{_anchor(link, page)}</li>" for link in page.links.values())
        lines.append(f'</ul><footer>{_home(page)} <a href="mailto:editor@example.test">Contact</a></footer>')
    return '<!doctype html><html lang="en"><head>' + "\n".join(lines) + "</body></html>\n"


def _navigation(page: Page) -> str:
    # Where there is a <base>, "#content" would be a link to that base.
    skip = '<a href="#content">Skip to content</a> ' if page.base is None else ""
    return f"<nav>{skip}{_home(page)}</nav>"


def _home(page: Page) -> str:
    """A link to the home page, for pages that have it among their links; a home page links to itself."""
    home = root_of(page.url)
    return '<a href="/">Home</a>' if home in page.links or home == page.url else ""


def _anchor(link: Link, page: Page) -> str:
    reference = relative(link.url, page.url)
    if page.base is not None and reference.startswith("/"):
        reference = f"../..{reference}"
    if page.charset != "utf-8":
        reference = unquote(reference)
    rel = "" if link.is_counted else ' rel="nofollow"'
    return f'<a href="{escape(reference)}"{rel}>{escape(link.text)}</a>'
