"""The rule behind a reason, and whether its pages are requested again.

When a crawl continues, pages that were given up for a passing reason are requested again, such as a 503, a time-out or
no connection; those that may have been given up because their host was ill; with --retry those of other reasons; and
a seed that is given again. Such a page waits like one that never had a turn. The cash that it passed on then stays
passed on.
"""

from collections.abc import Iterable, Sequence

from minicrawl.crawler.admission.scope import Scope
from minicrawl.reasons import EXPLAINED, NEXT_RUN, OF_TARGETS, TRANSIENT, has, meaning, parts_of
from minicrawl.settings.options import ALL
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


def wants(reason: str, retry: Sequence[str] = ()) -> bool:
    """True if the next run asks again for pages given up for this reason. retry: as `CrawlSettings.retry`."""
    return has(reason, TRANSIENT | NEXT_RUN) or reason in retry or ALL in retry


def ask_again(writer: Writer, seeds: Iterable[str], retry: Sequence[str]) -> tuple[int, tuple[str, ...]]:
    """Let given-up pages of a store wait for another turn, and failed sitemaps. seeds: of this run. Returns the number
    of pages, and the reasons in `retry` for which none was given up."""
    given = set(writer.page_table.find(list(seeds)).values())
    given_up = writer.page_table.given_up()
    given |= writer.page_table.given_up_at_ill_hosts().keys()
    pages = [page for page, reason in given_up if page in given or wants(reason, retry)]
    failed = {row.reason for row in writer.sitemaps.all()} | {reason for _, reason in given_up}
    reasons = {reason for reason in failed if wants(reason, retry)}
    if pages or reasons:
        with writer.transaction():
            writer.ask_again(pages, {origin_of(writer.page_table.url(page)) for page in pages}, reasons)
    known = {ALL, *(reason for _, reason in given_up)}
    return len(pages), tuple(reason for reason in retry if reason not in known)
