"""A page of the demo web as HTML. Links are written as people write them: relative, some twice, some that are none."""

from html import escape
from urllib.parse import unquote

from minicrawl.demo.resources import Link, Page, relative, root_of
from minicrawl.demo.words import paragraphs


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
