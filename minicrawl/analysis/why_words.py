"""What is known of a URL, in words: the lines of `minicrawl why`."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from minicrawl.analysis.explain import Explanation, KnownPage
from minicrawl.analysis.host_words import health_lines
from minicrawl.analysis.why_facts import PageJump, PageRefresh
from minicrawl.errors import counted, held, span
from minicrawl.log import printable
from minicrawl.reasons import meaning
from minicrawl.store.hosts import HealthRow, HostRow
from minicrawl.store.requisites import RequisiteRow
from minicrawl.store.sites import TrustedSite

if TYPE_CHECKING:
    from minicrawl.analysis.sites import SiteRow

_KINDS = {"print": "one for printing", "mirror": "on another host", "template": "of one folder"}
"""Kinds of near-duplicates in words."""
_WHY_DUE = {
    "missing": "it was missing; one more try decides whether it is gone",
    "failed": "postponed, because the last fetch failed",
    "fixed": "every page is fetched again after --recrawl-after",
    "least": "no page is fetched again sooner than --refresh-min",
    "most": "every page is fetched again after 90 days",
    "lastmod": "by its importance, because its sitemap says it has changed",
    "worth": "by its importance and how often it changes",
}
"""Reasons in words, by `PageRefresh.why_due`."""


def explanation_lines(found: Explanation) -> Iterator[str]:
    """The URL, sentences on it, and a line for each fact."""
    yield printable(found.url)
    if found.asked != found.url:
        yield "  known as    this, without parts of the URL that change nothing (see --keep-parameters)"
    if found.requisite is not None:
        yield f"  {requisite_sentence(*found.requisite)}"
    if found.page is None:
        state = "unknown" if found.requisite is None else "no page"
        yield f"  {state}     {found.reason}: {printable(found.rule or found.meaning or '')}"
        if found.sitemap:
            yield f"  sitemap     waits in {printable(found.sitemap)}"
        yield f"  robots.txt  {_verdict(found)}"
        yield from _usage_lines(found)
    else:
        yield from _page_lines(found, found.page)


def _page_lines(found: Explanation, page: KnownPage) -> Iterator[str]:
    ranked = page.ranked
    if ranked.title:
        yield f"  {printable(ranked.title)}"
    yield from (f"  {sentence}" for sentence in sentences(found, page))
    if page.jump is not None:
        yield from (f"  {sentence}" for sentence in jump_sentences(page, page.jump))
    why = found.rule or found.meaning
    yield f"  state       {found.state}, because {found.reason}" + (f": {printable(why)}" if why else "")
    yield from (f"  {printable(note)}" for note in found.notes)
    yield from _duplicate_lines(page)
    yield f"  importance  {ranked.importance:.3g}, rank {ranked.rank:,} of {page.known_pages:,} by importance"
    yield f"              the pages read hold {held(page.coverage, page.coverage_about, page.coverage_shown)}"
    owed = " (owed: links that it had passed cash along are gone)" if ranked.cash < 0 else ""
    yield f"  cash        {ranked.cash:,} units{owed}; history {ranked.history:,.0f}"
    where = f"in    sitemap {found.sitemap}" if found.sitemap else f"on    {page.found_on or 'the seed list'}"
    yield f"  found {printable(where)}, {counted(ranked.depth, 'link')} from a seed"
    yield from _answer_lines(found, page)
    yield from _link_lines(page)


def _answer_lines(found: Explanation, page: KnownPage) -> Iterator[str]:
    """Lines on the host, the robots.txt and the last answer of a page."""
    ranked, robots, host = page.ranked, found.robots, page.host
    until = _not_before(host)
    when = f"no request before {at(until)}" if until else "not asked so far"
    # An illness has lines of its own, which say when the host is asked next.
    yield f"  host        {printable(host.name)}: {'ill' if page.has_ill_host else when}"
    if page.health is not None:
        story = health_lines(page.health, page.host_read, page.host_waiting, time.time())
        yield from (f"              {line}" for line in story)
    yield f"  delay       {_delay(host, page.delay, page.health)}"
    yield f"  robots.txt  {_verdict(found)}" + (f", asks for {robots.crawl_delay:g} s" if robots.crawl_delay else "")
    yield from _usage_lines(found)
    if ranked.fetched_at is not None:
        yield (
            f"  fetched     {at(ranked.fetched_at)}: {ranked.status}, {printable(page.content_type or 'no type')}, "
            f"{page.bytes:,} bytes in {page.seconds:.2f} s"
        )
    if page.refresh is not None:
        yield from _refresh_lines(page.refresh, time.time())


def _link_lines(page: KnownPage) -> Iterator[str]:
    ranked = page.ranked
    yield f"  links in    {ranked.inlinks:,}"
    yield from _some(page.linked_from)
    left_out = {"nofollow": page.nofollow, "out of scope or beyond a budget": page.refused}
    not_counted = ", ".join(f"{count} {what}" for what, count in left_out.items() if count)
    yield f"  links out   {ranked.outlinks or 0:,}" + (f"; not counted: {not_counted}" if not_counted else "")
    yield from _some(page.links_to)


def _refresh_lines(page: PageRefresh, now: float) -> Iterator[str]:
    if page.is_learned:
        learned = f"learned over {counted(page.fetches, 'answer')}, {page.changes:,} of them changed"
    else:
        learned = "like other pages, because it was fetched only once"
    yield f"  changes     about every {span(1.0 / page.rate)}, {learned}"
    if page.answers:
        yield f"  answers     {' '.join(page.answers).replace('#', '≠')}, the latest on the right"
    if page.due is not None and page.why_due in _WHY_DUE:
        late = f", overdue for {span(now - page.due)}" if page.due <= now else ""
        yield f"  due         {at(page.due)}{late}: {_WHY_DUE[page.why_due]}"


def _verdict(found: Explanation) -> str:
    robots = found.robots
    return ", ".join(filter(None, [robots.verdict, robots.rule and printable(robots.rule)]))


def _usage_lines(found: Explanation) -> Iterator[str]:
    """Lines on preferences on the use of a URL: what they are, and what says so."""
    if not any(by is not None for _, by in found.usage.values()):
        yield f"  usage       no statement on {', '.join(found.usage)}"
        return
    for use, (verdict, by) in found.usage.items():
        said = "" if by is None else f": {printable(by.said)}, {printable(by.url or by.place)}"
        yield f"  {use:<11} {verdict.word}{said}"


def _not_before(host: HostRow) -> float:
    return max(host.next_fetch, host.rests_until)


def _delay(host: HostRow, seconds: float, health: HealthRow | None) -> str:
    """A host's delay and its reason, in words."""
    if not seconds:
        return "none: politeness is off"
    delay = f"{seconds:.3g} s between two requests"
    if seconds == host.crawl_delay:
        return f"{delay}, as its robots.txt says"
    if health is not None and seconds == health.own_delay:
        return f"{delay}: with less, requests failed"
    return f"{delay}; its last answer took {host.seconds:.2f} s" if host.seconds else delay


def _duplicate_lines(page: KnownPage) -> Iterator[str]:
    if (leader := page.duplicate_of) is not None:
        kind = f", {_KINDS[leader.kind]}" if leader.kind else ""
        near = f"near-duplicate (about {leader.alike:.0%} alike{kind})"
        yield f"  duplicate   {'exact duplicate' if leader.is_exact else near} of {printable(leader.url)}"
    if page.probe is not None:
        yield f"  soft 404    it says what the host says for {printable(page.probe)}, which cannot exist"


def _some(urls: tuple[str, ...]) -> Iterator[str]:
    yield from (f"              {printable(url)}" for url in urls)


_UNREAD = frozenset({"not-html", "pdf-unread"})


def sentences(found: Explanation, page: KnownPage) -> Iterator[str]:
    """Sentences on a known page's outcome, its redirect, and its next request."""
    why = printable(found.meaning or found.reason)
    match found.state:
        case "waiting":
            yield from _of_waiting(found, page, why)
        case "disallowed":
            rule = f": {printable(found.rule)}" if found.rule else ""
            again = f" minicrawl reads it again after {at(found.robots.expires)}." if found.robots.expires else ""
            by = "for a use that its site forbids" if found.reason == "usage" else "by robots.txt"
            is_unread = found.reason in ("robots-unreachable", "parser-failed")
            yield f"{f'Not requested: {why}' if is_unread else f'Refused {by}{rule}'}.{again}"
        case "alias":
            target = page.leads_to or next(iter(page.links_to), "another page")
            yield f"It stands for {printable(target)}: {why}."
        case "error":
            tries = f" after {page.attempts:,} {'try' if page.attempts == 1 else 'tries'}" if page.attempts else ""
            leads_to = f" It leads to {printable(page.leads_to)}." if page.leads_to else ""
            yield f"Given up{tries}: {why}.{leads_to}"
        case "gone":
            yield f"It was read before and is gone: {why}."
        case _ if found.reason in _UNREAD:
            yield f"Fetched{_when(page)}: {why}. {_linked(page.ranked.inlinks).capitalize()} to it."
        case _:
            links = counted(page.ranked.outlinks or 0, "page")
            yield f"Read{_when(page)}: it leads to {links}, and {_linked(page.ranked.inlinks)} to it."


_FILES = {"style": "A style sheet", "frame": "A frame"}


def requisite_sentence(file: RequisiteRow, needed_by: str) -> str:
    """A sentence on a file that a page needs."""
    through = f" through {counted(file.level, 'other')}" if file.level else ""
    what = f"{_FILES.get(file.kind, 'A file')} that {printable(needed_by)} needs{through}, the first page to need it"
    why = printable(meaning(file.reason) or file.reason)
    match file.state:
        case "kept" if file.asked_at is not None and file.status is not None:
            return f"{what}: in the archive since {at(file.asked_at)} ({file.status}, {file.bytes:,} bytes)."
        case "kept":
            return f"{what}: {why}."
        case "waiting":
            return f"{what}: it waits; {why}."
    return f"{what}: given up, because {why}."


def trust_reasons(site: "SiteRow | TrustedSite", seed: str = "seed") -> list[str]:
    """Reasons for a site's trust: "seed", "trusted by 14 sites, first docs.python.org"."""
    who = [f"trusted by {counted(site.trusted_by, 'site')}, first {site.trusted_first}"] if site.trusted_by else []
    return [seed, *who] if site.is_seed else who


_ALL = 0.995
"""A share that would be written as 100 %."""


def jump_sentences(page: KnownPage, jump: PageJump) -> Iterator[str]:
    """Sentences on the trust of a page's site, and the sources of its importance."""
    if (site := jump.site) is not None:
        why = ", and ".join(trust_reasons(site, "a seed's"))
        because = f": it is {printable(why)}" if why else ""
        yield f"Its site, {printable(site.name)}, has {site.trust:.3g} of all trust{because}."
    if not jump.linked_by:
        yield "No other site links to this page itself."
    else:
        first = f", first {printable(str(jump.linked_first))}"
        yield f"{counted(jump.linked_by, 'other site')} link{'s' if jump.linked_by == 1 else ''} to it{first}."
        yield f"Weighed by trust, that makes {jump.voices:.3g} voice{'s' if jump.voices != 1 else ''}."
    if page.ranked.importance:
        most = f", first {printable(jump.most_by)} with {jump.most_share:.0%} of that" if jump.most_by else ""
        share = jump.by_jumps / page.ranked.importance
        how = "from jumps: walkers start at front pages, seeds and, by links in texts, any page of a site they trust"
        if share > _ALL and not jump.most_by:
            yield f"All its importance comes {how}. No page read links to it."
        else:
            much = f"{share:.0%}" if share <= _ALL else "Over 99%"
            yield f"{much} of its importance comes {how}. The rest comes from links{most}."


def _of_waiting(found: Explanation, page: KnownPage, why: str) -> Iterator[str]:
    if page.waits_for_host and page.health is not None:
        ill = printable(meaning(page.health.reason) or page.health.reason)
        yield f"It waits because its host is {page.health.kind}: {ill}. Its turn comes when its host is well."
    else:
        yield f"It waits: {why}."
    if page.attempts:
        yield f"minicrawl tried it {counted(page.attempts, 'time')}, without an answer."
    if (queue := page.queue) is not None:
        yield f"Pages ahead of it: {queue['before']:,}, {queue['before_on_host']:,} of them on its host."
    if found.reason != "host-banned" and not page.waits_for_host and (until := _not_before(page.host)):
        yield f"Its host must rest until {at(until)}."


def _when(page: KnownPage) -> str:
    return f" at {at(page.ranked.fetched_at)}" if page.ranked.fetched_at is not None else ""


def _linked(pages: int) -> str:
    return f"{counted(pages, 'page')} link{'s' if pages == 1 else ''}"


def at(seconds: float) -> str:
    """ "2026-11-21 12:03:10 UTC"."""
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    except (OSError, OverflowError, ValueError):  # out of range, from a damaged store
        return f"{seconds:g} s after 1970"
