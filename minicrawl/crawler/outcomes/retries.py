"""The rule behind a reason, and whether its pages are asked for again.

When a crawl goes on, pages given up for failures of our own (no connection came about) are asked for again; with
--retry passing failures and other reasons; and a seed that is given again. Such a page waits like one that never had a
turn. The cash that it passed on then stays passed on.
"""

from collections.abc import Iterable, Sequence

from minicrawl.crawler.admission.scope import Scope
from minicrawl.reasons import EXPLAINED, OF_TARGETS, OURS, PASSES, TRANSIENT, has, meaning, parts_of
from minicrawl.store.writer import Writer
from minicrawl.web.urls.keys import origin_of


def why_so(reason: str, depth: int, leads_to: str | None, scope: Scope, site_line: str | None) -> str | None:
    """The rule behind the reason code of a known page; None if the code says it all.

    depth: the page's. leads_to: its target, if that was refused. site_line: the line of its site's files that refuses
    it, if one does.
    """
    if reason in ("robots", "usage"):
        return site_line
    if has(reason, EXPLAINED):
        return meaning(reason)
    if leads_to is None:
        return None
    cause, refusal = parts_of(reason)
    of_scope = scope.rule(leads_to, depth, is_redirect=cause == "redirect")
    rule = OF_TARGETS.get(refusal) or of_scope
    return f"{leads_to}: {rule}" if rule else leads_to


def why_not(url: str, scope: Scope, nearest: Sequence[tuple[str, int]]) -> tuple[str, str]:
    """Reason code and rule that keep a URL unknown that is in no trap. nearest: pages that link to it too far from a
    seed, with their depths."""
    source, depth = min(nearest, key=lambda page: page[1], default=(None, 0))
    reason = scope.refuses(url, 0, source=source)
    if reason is not None:
        return reason, scope.rule(url, 0, source=source) or ""
    if source is not None:
        rule = scope.rule(url, depth + 1, source=source) or "the next crawl follows it"
        return "max-depth", f"{rule}; {source} links to it"
    return "no-link", meaning("no-link") or ""


PASSING, ALL = "passing", "all"


def wants(reason: str, retry: Sequence[str]) -> bool:
    """True if pages given up for this reason are asked for again. retry: as `CrawlSettings.retry`."""
    is_passing = PASSING in retry and has(reason, TRANSIENT | PASSES)
    return has(reason, OURS) or reason in retry or ALL in retry or is_passing


def ask_again(writer: Writer, seeds: Iterable[str], retry: Sequence[str]) -> tuple[int, tuple[str, ...]]:
    """Let given-up pages of a store wait for another turn. seeds: of this run. Returns their number, and the reasons in
    `retry` for which no page was given up."""
    given = set(writer.page_table.find(list(seeds)).values())
    given_up = writer.page_table.given_up()
    pages = [page for page, reason in given_up if page in given or wants(reason, retry)]
    if pages:
        reasons = {reason for _, reason in given_up if wants(reason, retry)}
        with writer.transaction():
            writer.ask_again(pages, {origin_of(writer.page_table.url(page)) for page in pages}, reasons)
    known = {PASSING, ALL, *(reason for _, reason in given_up)}
    return len(pages), tuple(reason for reason in retry if reason not in known)
