"""Rules on seeds, links, redirects, and answers that mislead or come slowly."""

from collections.abc import Iterator
from functools import partial

import numpy as np

from minicrawl.audit.crawled import Crawled
from minicrawl.audit.findings import Fault, Need, Severity, rule
from minicrawl.model import READ, State

_seeds, _links, _redirects, _answers = (partial(rule, each) for each in ("seeds", "links", "redirects", "answers"))

_NO_TURN = ("seed", "link", "sitemap", "alternate")
"""Reasons of pages that were not asked for yet."""


@_seeds(
    "seed-dead",
    Severity.ERROR,
    why="The crawl could not begin there, so that what lies behind it was not audited.",
    how="Correct the seed, or crawl again once it answers; 'minicrawl why URL' tells more.",
)
def seed_dead(crawled: Crawled) -> Iterator[Fault]:
    """All importance is at stake: other findings come behind."""
    reason, end, is_read = crawled.columns.reason, crawled.web.end, crawled.are(*READ)
    is_early = crawled.are(State.WAITING) & crawled.are_for(*_NO_TURN) & is_read.any()
    is_dead = ~is_read & ~is_early
    for page in np.flatnonzero(crawled.columns.is_seed & is_dead[end]).tolist():
        said = "it has had no turn yet" if reason[end[page]] in _NO_TURN else str(reason[end[page]])
        yield Fault(page, said, importance=1.0)


@_links(
    "broken-link",
    Severity.ERROR,
    why="Whoever follows the links comes to a page that is not there.",
    how="Correct the links, or let the address redirect to the page that replaces it.",
)
def broken_link(crawled: Crawled) -> Iterator[Fault]:
    for target, sources in crawled.linked(crawled.is_dead):
        yield Fault(target, str(crawled.columns.reason[target]), sources)


@_links(
    "link-no-url",
    Severity.ERROR,
    why="The link is not a URL, so it leads nowhere.",
    how="Correct the address of the link.",
)
def link_no_url(crawled: Crawled) -> Iterator[Fault]:
    for page, texts in crawled.store.link_table.malformed().items():
        if crawled.is_ours[page]:
            yield Fault(page, ", ".join(texts))


@_links(
    "file-missing",
    Severity.ERROR,
    why="A picture, a style sheet, a script or a frame is not there, so pages look or work differently than meant.",
    how="Correct its address on the page, or put the file there.",
    needs=Need.FACTS,
)
def file_missing(crawled: Crawled) -> Iterator[Fault]:
    """The page named is the first that needs the file."""
    for file in crawled.store.requisites.failed():
        if crawled.is_ours[file.page] and (file.reason == "dns" or file.status in (404, 410)):
            yield Fault(file.url, file.reason, [file.page], crawled.importance.item(file.page))


@_links(
    "link-unreachable",
    Severity.WARNING,
    why="The page could not be read, which may pass: its host was silent, failed, or refused the crawler.",
    how="Look at the page in a browser; correct the links if it stays so.",
)
def link_unreachable(crawled: Crawled) -> Iterator[Fault]:
    end = crawled.web.end
    for target, sources in crawled.linked(crawled.is_unreachable[end]):
        yield Fault(target, str(crawled.columns.reason[end[target]]), sources)


@_links(
    "link-to-redirect",
    Severity.NOTICE,
    why="Each reader waits for one request more than needed.",
    how="Let the links lead to the address at the end of the redirect.",
)
def link_to_redirect(crawled: Crawled) -> Iterator[Fault]:
    web = crawled.web
    moved = crawled.are_for("redirect-301", "redirect-308", "meta-refresh") & ~web.is_broken[web.end]
    ends = np.flatnonzero(moved)
    urls = crawled.urls(web.end[ends].tolist())
    for target, sources in crawled.linked(moved & crawled.is_ours):
        yield Fault(target, urls[int(web.end[target])], sources)


_LOOPS = ("redirect-loop", "redirect-chain")


@_redirects(
    "redirect-chain",
    Severity.WARNING,
    why="Every further redirect costs each reader a request, and search engines give up on long chains.",
    how="Let each address redirect straight to the last one.",
)
def redirect_chain(crawled: Crawled) -> Iterator[Fault]:
    web = crawled.web
    goes_on = web.is_redirect & web.is_redirect[web.next] & ~crawled.are_for(*_LOOPS)[web.end]
    for target, sources in crawled.linked(goes_on & (web.next[web.next] != web.next) & crawled.is_ours, seeds=True):
        length, page = 0, target
        while web.next[page] != page:
            length, page = length + 1, int(web.next[page])
        yield Fault(target, f"{length} redirects", sources)


@_redirects(
    "redirect-loop",
    Severity.ERROR,
    why="The redirects lead back to where they began, or on and on: nobody ever sees a page.",
    how="Let the address redirect to a page.",
)
def redirect_loop(crawled: Crawled) -> Iterator[Fault]:
    loops = crawled.are_for(*_LOOPS)[crawled.web.end]
    for target, sources in crawled.linked(loops, seeds=True):
        yield Fault(target, "", sources)


@_redirects(
    "redirect-temporary",
    Severity.NOTICE,
    why="Search engines keep the old address of a temporary redirect, and its importance stays there.",
    how="Redirect with 301 or 308 if it is for good, or let the links lead to the new address.",
)
def redirect_temporary(crawled: Crawled) -> Iterator[Fault]:
    web = crawled.web
    temporary = crawled.are_for("redirect-302", "redirect-303", "redirect-307") & ~web.is_broken[web.end]
    for target, sources in crawled.linked(temporary & crawled.is_ours, seeds=True):
        yield Fault(target, str(crawled.columns.reason[target]).removeprefix("redirect-"), sources)


@_redirects(
    "redirect-dead",
    Severity.ERROR,
    why="The address redirects to a page that is not there.",
    how="Let it redirect to the page that replaces it, and correct the links.",
)
def redirect_dead(crawled: Crawled) -> Iterator[Fault]:
    web = crawled.web
    moved = web.next != np.arange(crawled.size)
    for target, sources in crawled.linked(crawled.leads_nowhere & moved, seeds=True):
        yield Fault(target, str(crawled.columns.reason[web.end[target]]), sources)


SLOW = 2.0
"""Seconds."""
LARGE = 1_000_000
"""Bytes of HTML on the network."""


@_answers(
    "soft-404",
    Severity.ERROR,
    why="The server says 200 OK for a page that is not there, so that search engines show it.",
    how="Answer with 404 or 410 there, and correct the links.",
)
def soft_404(crawled: Crawled) -> Iterator[Fault]:
    for target, sources in crawled.linked(crawled.are_for("soft-404"), seeds=True):
        yield Fault(target, f"status {crawled.columns.status[target]}", sources)


@_answers(
    "page-slow",
    Severity.WARNING,
    why=f"Readers wait more than {SLOW:g} seconds for the page, and crawlers come less often.",
    how="Look at what the server does for it; if it is slow for all pages of a host, look at the host.",
)
def page_slow(crawled: Crawled) -> Iterator[Fault]:
    """A host that is slow for most of its pages is one target."""
    seconds, host = crawled.columns.seconds, crawled.columns.host
    slow = crawled.is_page & (seconds > SLOW)
    names = crawled.store.hosts.names()
    for at in np.unique(host[slow]).tolist():
        pages = np.flatnonzero(slow & (host == at))
        median = float(np.median(seconds[crawled.is_page & (host == at)]))
        if median > SLOW and len(pages) > 1:
            yield Fault(names[at], f"{median:.1f} s mostly", pages, float(crawled.stake[pages].sum()))
        else:
            yield from (Fault(page, f"{seconds[page]:.1f} s") for page in pages.tolist())


@_answers(
    "page-large",
    Severity.WARNING,
    why="The page's HTML is larger than a megabyte, which takes long on a phone.",
    how="Split the page, or send it compressed.",
)
def page_large(crawled: Crawled) -> Iterator[Fault]:
    size = crawled.columns.bytes
    return crawled.faults(crawled.is_page & (size > LARGE), lambda page: f"{size[page] / 1e6:.1f} MB")
