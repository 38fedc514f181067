"""What became of a URL and what comes next, in sentences: the begin of what 'minicrawl why' prints."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from minicrawl.cli.output import counted, printable

if TYPE_CHECKING:
    from minicrawl.analysis.explain import Explanation, KnownPage


def sentences(found: "Explanation", page: "KnownPage") -> Iterator[str]:
    """What became of a known page, where that leads, and when something comes next."""
    why = printable(found.meaning or found.reason)
    match found.state:
        case "waiting":
            yield from _of_waiting(found, page, why)
        case "disallowed":
            rule = f": {printable(found.rule)}" if found.rule else ""
            again = f" That is asked for again after {at(found.robots.expires)}." if found.robots.expires else ""
            yield f"Refused by robots.txt{rule}.{again}"
        case "alias":
            yield f"It stands for {_target(page)}: {why}."
        case "error":
            yield f"Given up{_tries(page)}: {why}." + (
                f" It leads to {printable(page.leads_to)}." if page.leads_to else ""
            )
        case "gone":
            yield f"It was read once, and is gone: {why}."
        case _:
            links = counted(page.ranked.outlinks or 0, "page")
            yield f"Read{_when(page)}: it leads to {links}, and {_linked(page.ranked.inlinks)} to it."


def _of_waiting(found: "Explanation", page: "KnownPage", why: str) -> Iterator[str]:
    yield f"It waits: {why}."
    if page.attempts:
        yield f"It was tried {counted(page.attempts, 'time')}, without an answer."
    if (queue := page.queue) is not None:
        yield f"Pages with more cash that wait, too: {queue.before:,}, {queue.before_on_host:,} of them on its host."
    if found.reason != "host-banned":
        yield f"Its host is asked for nothing before {at(page.host.dead_until or page.host.next_at)}."


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
    except (OSError, OverflowError, ValueError):  # of a damaged store: no calendar has it
        return f"{seconds:g} s after 1970"
