"""Redirects: chains, loops, temporary ones, and those to pages that are not there."""

from collections.abc import Iterator

import numpy as np

from minicrawl.audit.crawled import Crawled
from minicrawl.audit.findings import Fault, Severity, rule

_LOOPS = ("redirect-loop", "redirect-chain")


@rule(
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


@rule(
    "redirect-loop",
    Severity.ERROR,
    why="The redirects lead back to where they began, or on and on: nobody ever sees a page.",
    how="Let the address redirect to a page.",
)
def redirect_loop(crawled: Crawled) -> Iterator[Fault]:
    loops = crawled.are_for(*_LOOPS)[crawled.web.end]
    for target, sources in crawled.linked(loops, seeds=True):
        yield Fault(target, "", sources)


@rule(
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


@rule(
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
