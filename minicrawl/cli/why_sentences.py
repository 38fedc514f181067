"""Sentences on a URL's state and next steps, the first part of `minicrawl why`."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from minicrawl.cli.sites import trust_reasons
from minicrawl.errors import counted
from minicrawl.log import printable

if TYPE_CHECKING:
    from minicrawl.analysis.explain import Explanation, KnownPage, NeededFile
    from minicrawl.analysis.why_facts import PageJump


_UNREAD = frozenset({"not-html", "pdf-unread"})


def sentences(found: "Explanation", page: "KnownPage") -> Iterator[str]:
    """Sentences on a known page's outcome, its redirect, and its next request."""
    why = printable(found.meaning or found.reason)
    match found.state:
        case "waiting":
            yield from _of_waiting(found, page, why)
        case "disallowed":
            rule = f": {printable(found.rule)}" if found.rule else ""
            again = f" That is asked for again after {at(found.robots.expires)}." if found.robots.expires else ""
            by = "for a use that its site does not want" if found.reason == "usage" else "by robots.txt"
            yield f"Refused {by}{rule}.{again}"
        case "alias":
            yield f"It stands for {_target(page)}: {why}."
        case "error":
            yield f"Given up{_tries(page)}: {why}." + (
                f" It leads to {printable(page.leads_to)}." if page.leads_to else ""
            )
        case "gone":
            yield f"It was read once, and is gone: {why}."
        case _ if found.reason in _UNREAD:
            yield f"Fetched{_when(page)}: {why}. {_linked(page.ranked.inlinks).capitalize()} to it."
        case _:
            links = counted(page.ranked.outlinks or 0, "page")
            yield f"Read{_when(page)}: it leads to {links}, and {_linked(page.ranked.inlinks)} to it."


_FILES = {"style": "A style sheet", "frame": "A frame"}


def requisite_sentence(file: "NeededFile") -> str:
    """A sentence on a file that a page needs."""
    through = f" by way of {counted(file.level, 'other')}" if file.level else ""
    what = (
        f"{_FILES.get(file.kind, 'A file')} that {printable(file.needed_by)} needs{through}, the first page to need it"
    )
    why = printable(file.meaning or file.reason)
    match file.state:
        case "kept" if file.asked_at is not None and file.status is not None:
            return f"{what}: in the archive since {at(file.asked_at)} ({file.status}, {file.bytes:,} bytes)."
        case "kept":
            return f"{what}: {why}."
        case "waiting":
            return f"{what}: it waits; {why}."
    return f"{what}: given up, as {why}."


def jump_sentences(page: "KnownPage", jump: "PageJump") -> Iterator[str]:
    """Sentences on the trust of a page's site, and the sources of its importance."""
    if (site := jump.site) is not None:
        why = ", and ".join(trust_reasons(site, "a seed's"))
        because = f": it is {printable(why)}" if why else ""
        yield f"Its site, {printable(site.name)}, has {site.trust:.3g} of all trust{because}."
    first = f", first {printable(str(jump.linked_first))}" if jump.linked_by else ""
    yield f"{counted(jump.linked_by, 'other site')} link{'s' if jump.linked_by == 1 else ''} to it{first}."
    if page.ranked.importance:
        most = f", first {printable(jump.most_by)} with {jump.most_share:.0%} of that" if jump.most_by else ""
        share = jump.by_jumps / page.ranked.importance
        yield f"Walkers jump here: {share:.0%} of its importance; the rest comes by links{most}."


def _of_waiting(found: "Explanation", page: "KnownPage", why: str) -> Iterator[str]:
    yield f"It waits: {why}."
    if page.attempts:
        yield f"It was tried {counted(page.attempts, 'time')}, without an answer."
    if (queue := page.queue) is not None:
        yield f"Pages with more cash that wait, too: {queue.before:,}, {queue.before_on_host:,} of them on its host."
    if found.reason != "host-banned" and (until := page.host.dead_until or page.host.next_at):
        yield f"Its host is asked for nothing before {at(until)}."


def _target(page: "KnownPage") -> str:
    return printable(page.leads_to or (page.links_to[0] if page.links_to else "another page"))


def _tries(page: "KnownPage") -> str:
    return f" after {page.attempts:,} {'try' if page.attempts == 1 else 'tries'}" if page.attempts else ""


def _when(page: "KnownPage") -> str:
    return f" at {at(page.ranked.fetched_at)}" if page.ranked.fetched_at is not None else ""


def _linked(pages: int) -> str:
    return f"{counted(pages, 'page')} link{'s' if pages == 1 else ''}"


def at(seconds: float) -> str:
    """ "2026-11-21 12:03:10 UTC"."""
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (OSError, OverflowError, ValueError):  # out of range, from a damaged store
        return f"{seconds:g} s after 1970"
