"""Versions of pages in other languages, as link elements and headers with hreflang name them."""

from collections import defaultdict
from collections.abc import Iterator, Mapping

from minicrawl.audit.crawled import Crawled
from minicrawl.audit.findings import Fault, Severity, rule

_WHOLE, _MOST = 9_900, 100
"""Characters and versions from which on the store may not have all of a page."""


def _read(text: str) -> list[tuple[str, str]]:
    """Language and URL of each version."""
    parts = (part.partition("=") for part in text.split(" "))
    return [(language, url) for language, _, url in parts]


def _versions(crawled: Crawled) -> Mapping[int, list[tuple[str, str]]]:
    """The versions of each page of ours that names some, itself left in."""
    return {page: _read(text) for page, text in crawled.hreflangs.items() if crawled.is_page[page]}


def _by_target(crawled: Crawled) -> dict[int, list[int]]:
    """The pages of ours that name each page as a version in another language."""
    naming = defaultdict[int, list[int]](list)
    for page, versions in _versions(crawled).items():
        for target in dict.fromkeys(crawled.named.get(url, page) for _, url in versions):
            if target != page:
                naming[target].append(page)
    return naming


@rule(
    "hreflang-broken",
    Severity.ERROR,
    why="The version in another language is a page that is not there.",
    how="Name the page that replaces it, or take it out of the list of versions.",
)
def hreflang_broken(crawled: Crawled) -> Iterator[Fault]:
    for target, sources in _by_target(crawled).items():
        if crawled.leads_nowhere[target]:
            yield Fault(target, str(crawled.columns.reason[crawled.web.end[target]]), tuple(sources))


@rule(
    "hreflang-to-noncanonical",
    Severity.WARNING,
    why="The version in another language redirects or names another canonical; search engines ignore it then.",
    how="Name the page that it leads to.",
)
def hreflang_to_noncanonical(crawled: Crawled) -> Iterator[Fault]:
    web = crawled.web
    moved = web.is_redirect & ~web.is_broken[web.end]
    for target, sources in _by_target(crawled).items():
        if moved[target] or (crawled.is_html[target] and target in crawled.web.canonicals):
            yield Fault(target, "redirects" if moved[target] else "names another page", tuple(sources))


@rule(
    "hreflang-no-return",
    Severity.WARNING,
    why="Search engines believe versions only if each of two pages names the other.",
    how="Let the page name the pages that name it.",
)
def hreflang_no_return(crawled: Crawled) -> Iterator[Fault]:
    end = crawled.web.end
    for target, sources in _by_target(crawled).items():
        text = crawled.hreflangs.get(target, "")
        versions = _read(text) if text else []
        may_be_cut = len(text) > _WHOLE or len(versions) >= _MOST
        if may_be_cut or not crawled.is_html[target] or target in crawled.web.canonicals:
            continue
        back = {int(end[crawled.named[url]]) for _, url in versions if url in crawled.named}
        lacking = [page for page in sources if page not in back and _is_version(crawled, page, target)]
        if lacking:
            yield Fault(target, "", tuple(lacking))


def _is_version(crawled: Crawled, page: int, target: int) -> bool:
    """True if the page names the target as of a language, and not only as the default, which need not name it."""
    versions = _read(crawled.hreflangs[page])
    return any(language.lower() != "x-default" for language, url in versions if crawled.named.get(url) == target)
