"""Pages that name another as their canonical."""

from collections.abc import Callable, Iterator

from minicrawl.audit.crawled import Crawled
from minicrawl.audit.findings import Fault, Severity, rule
from minicrawl.crawler.urls.keys import site_of


def _named(crawled: Crawled, is_at_fault: Callable[[int], bool], detail: Callable[[int], str]) -> Iterator[Fault]:
    """The canonicals at fault, each with the pages that name it."""
    for url, sources in crawled.naming.items():
        page = crawled.named.get(url)
        if page is not None and is_at_fault(page):
            yield Fault(page, detail(page), sources)


@rule(
    "canonical-broken",
    Severity.ERROR,
    why="The pages say that they stand for one that is not there, so that search engines show neither.",
    how="Let the pages name themselves, or the page that replaces the other.",
)
def canonical_broken(crawled: Crawled) -> Iterator[Fault]:
    return _named(
        crawled,
        lambda page: bool(crawled.leads_nowhere[page]),
        lambda page: str(crawled.columns.reason[crawled.web.end[page]]),
    )


@rule(
    "canonical-redirect",
    Severity.WARNING,
    why="The canonical redirects, so that search engines may not believe it.",
    how="Name the address at the end of the redirect.",
)
def canonical_redirect(crawled: Crawled) -> Iterator[Fault]:
    web = crawled.web
    moved = web.is_redirect & ~web.is_broken[web.end]
    return _named(
        crawled, lambda page: bool(moved[page]), lambda page: crawled.urls([int(web.end[page])])[int(web.end[page])]
    )


@rule(
    "canonical-chain",
    Severity.WARNING,
    why="The canonical names a further page as its canonical; search engines follow no chains.",
    how="Let all of them name the last one.",
)
def canonical_chain(crawled: Crawled) -> Iterator[Fault]:
    is_html, canonicals = crawled.is_html & ~crawled.web.is_redirect, crawled.web.canonicals
    return _named(crawled, lambda page: bool(is_html[page]) and page in canonicals, lambda page: canonicals[page])


@rule(
    "canonical-noindex",
    Severity.ERROR,
    why="The canonical asks search engines not to show it, so that they show neither.",
    how="Take noindex off the canonical, or let the pages name themselves.",
)
def canonical_noindex(crawled: Crawled) -> Iterator[Fault]:
    hidden = crawled.is_html & crawled.is_noindex
    return _named(crawled, lambda page: bool(hidden[page]), lambda page: "")


@rule(
    "canonical-to-other-site",
    Severity.NOTICE,
    why="The pages leave their place in search engines to another site.",
    how="Let the pages name themselves, unless the other site is meant to be shown.",
)
def canonical_to_other_site(crawled: Crawled) -> Iterator[Fault]:
    pages = {page for sources in crawled.naming.values() for page in sources}
    site = {page: site_of(url) for page, url in crawled.urls(pages).items()}
    for url, sources in crawled.naming.items():
        from_others = tuple(page for page in sources if site[page] != site_of(url))
        if from_others:
            yield Fault(crawled.named.get(url, url), "", from_others, float(crawled.stake[list(from_others)].sum()))
