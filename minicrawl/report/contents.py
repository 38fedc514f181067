"""Contents of `minicrawl report`: issues, differences of two crawls, and pages."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from itertools import chain, islice
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from minicrawl.analysis.page_columns import iso
from minicrawl.analysis.status import Status, status
from minicrawl.analysis.thumbnails import thumbnail
from minicrawl.analysis.top.top_list import lines_per_site, top_list
from minicrawl.audit.auditing import Audit, Ignored, audited
from minicrawl.audit.findings import Finding, Severity
from minicrawl.crawler.outcomes.reasons import meaning
from minicrawl.errors import counted, covered
from minicrawl.model import READ, State
from minicrawl.report.document import Issue, Report, Section, Share, Tile, Url
from minicrawl.settings import RANKINGS
from minicrawl.store.read.audit_columns import AuditColumns
from minicrawl.store.reader import Store

ROWS, TOP, PICTURES = 25, 100, 12
"""Rows of most tables, and of those of issues and pages; thumbnails of these, at most."""
_IMPORTANCE = "Importance is the share of all visits that walkers along the links make. "


class Crawl(NamedTuple):
    """A store with all its pages by number: URLs, columns and importance."""

    store: Store
    urls: Sequence[str]
    pages: AuditColumns
    importance: npt.NDArray[np.float64]

    @classmethod
    def of(cls, store: Store) -> "Crawl":
        return cls(store, list(store.page_table.urls()), store.audit_table.columns(), store.ranks.importance())


def report_on(store: Store, against: Store | None = None, ignored: Sequence[Ignored] = ()) -> Report:
    """The report on a crawl, as of one commit; against: an older crawl to compare it with. ignored: of the audit.

    Raises StoreError.
    """
    with store.snapshot(), against.snapshot() if against else nullcontext():
        now, audit = status(store), audited(store, ignored=ignored, against=against)
        crawl, older = Crawl.of(store), Crawl.of(against) if against else None
        compared = _compared(crawl, older, audit) if older else ()
        sections = chain(compared, (_top(store), _pictures(store), _errors(now)))
        return Report(
            title=f"Crawl report: {_names(store.page_table.seeds()) or store.path.stem}",
            subtitle=_subtitle(crawl, older, now),
            tiles=_tiles(audit, crawl, older),
            issues=_issues(audit),
            not_checked=sorted(audit.not_checked.items()),
            checked=len(audit.rules) - len(audit.not_checked),
            sections=[each for each in sections if each.rows or each.figures or each.empty],
        )


def _issues(audit: Audit) -> list[Issue]:
    """The findings by rule, the rule that loses most first."""
    found, new = defaultdict[str, list[Finding]](list), defaultdict[str, set[str]](set)
    for finding in audit.for_people(audit.findings):
        found[finding.rule].append(finding)
    sizes = {(finding.rule, finding.target): finding.sources for finding in audit.for_people(audit.findings)}
    for finding in audit.for_people(audit.new or ()):
        if sizes[finding.rule, finding.target] == finding.sources:
            new[finding.rule].add(finding.target)
    return [
        Issue(audit.rules[rule], found[rule][:TOP], len(found[rule]), sum(each.importance for each in found[rule]),
              frozenset(new[rule]))
        for rule in audit.lost_by_rule()
    ]  # fmt: skip


def _names(seeds: Sequence[str]) -> str:
    hosts = list(dict.fromkeys(url.split("/")[2] for url in seeds))
    return ", ".join(hosts[:3]) + (f" and {len(hosts) - 3:,} more" if len(hosts) > 3 else "")


def _subtitle(crawl: Crawl, older: Crawl | None, now: Status) -> str:
    if np.isnan(crawl.pages.fetched_at).all():
        return "Nothing has been fetched yet."
    compared = f" Compared with a crawl {_times(older)}." if older else ""
    return f"Fetched {_times(crawl)}.{compared}{' The crawl is still running.' if now.running else ''}"


def _times(crawl: Crawl) -> str:
    """The times of a crawl's answers for people, to the minute."""
    times = crawl.pages.fetched_at[~np.isnan(crawl.pages.fetched_at)]
    first, last = ((iso(float(each)) or "?")[:16].replace("T", " ") for each in (times.min(), times.max()))
    return f"on {first} UTC" if first == last else f"between {first} and {last} UTC"


def _tiles(audit: Audit, crawl: Crawl, older: Crawl | None) -> list[Tile]:
    """The numbers at the top; beside an older crawl with their changes."""
    found, new, mended = (
        Counter(audit.rules[finding.rule].severity for finding in findings)
        for findings in (audit.findings, audit.new or (), audit.mended or ())
    )
    tiles = [Tile(f"{each}s", f"{found[each]:,}", _change(new[each] - mended[each])) for each in Severity]
    if audit.new is not None and audit.mended is not None:
        words = {"new": len(audit.new), "mended": len(audit.mended), "the same": len(audit.findings) - len(audit.new)}
        tiles += [Tile(name, f"{count:,}") for name, count in words.items()]
    now, were = _numbers(crawl), _numbers(older or crawl)
    counts = [Tile(name, f"{count:,.0f}", _change(count - were[name])) for name, count in now.items()]
    share, was = (float(each.store.meta_json("run").get("coverage", 0.0)) for each in (crawl, older or crawl))
    return [*tiles, Tile("importance read", covered(share), _change(round(100 * (share - was), 1), " %")), *counts]


def _numbers(crawl: Crawl) -> dict[str, float]:
    seconds = crawl.pages.seconds[~np.isnan(crawl.pages.seconds)]
    return {
        "pages read": int(np.isin(crawl.pages.state, list(READ)).sum()),
        "known pages": len(crawl.urls),
        "failed": int(np.isin(crawl.pages.state, [State.ERROR, State.GONE]).sum()),
        "hosts": len(np.unique(crawl.pages.host)),
        "median answer, ms": round(1000 * float(np.median(seconds))) if len(seconds) else 0,
    }


def _change(number: float, unit: str = "") -> str:
    return f"{number:+,}{unit}" if number else ""


def _compared(crawl: Crawl, older: Crawl, audit: Audit) -> Iterator[Section]:
    """Findings mended, and pages that rose, fell, came and went."""
    from minicrawl.analysis.compare import compare  # noqa: PLC0415 - SciPy is an extra, and most reports compare nothing

    mended = audit.mended or ()
    yield Section(
        "Mended",
        ("target", "rule", "at stake", "it was"),
        [(Url(each.target), each.rule, Share(each.importance), each.detail) for each in mended[:TOP]],
        f"Mended since the older crawl: {counted(len(mended), 'finding')}; the most important:",
        "No finding of the older crawl is mended.",
    )
    (were, of_older), (now, of_now) = (
        (
            dict(zip(each.urls, each.importance.tolist(), strict=True)),
            dict(zip(each.urls, each.pages.state, strict=True)),
        )
        for each in (older, crawl)
    )
    found = compare(were, now, ROWS, (of_older, of_now))
    for title, movers in (("Pages that rose", found.risen), ("Pages that fell", found.fallen)):
        yield Section(
            title,
            ("page", "importance before", "now", "change in points"),
            [
                (Url(page.url), Share(page.before), Share(page.after), 100 * (page.after - page.before))
                for page in movers
            ],
            "Those that have moved most; of the importance of the pages that both crawls know.",
        )
    assert found.gone is not None
    assert found.new is not None
    numbers = crawl.store.page_table.find([page.url for page in found.gone.best])
    answers = crawl.store.page_table.answers(numbers.values())
    yield Section(
        "New pages",
        ("page", "importance"),
        [(Url(page.url), Share(page.share)) for page in found.new.best],
        f"{counted(found.new.pages, 'page')} can be opened now, and could not be or was unknown in the older crawl.",
    )
    yield Section(
        "Pages gone",
        ("page", "importance before", "it is now"),
        [
            (Url(page.url), Share(page.share), answers[numbers[page.url]].reason if page.url in numbers else "unknown")
            for page in found.gone.best
        ],
        f"{counted(found.gone.pages, 'page')} could be opened in the older crawl, and not any more.",
    )


def _top(store: Store) -> Section:
    found = top_list(store, RANKINGS[0], TOP, per_site=lines_per_site(store))
    most = max((line.page.importance for line in found.lines), default=0.0) or 1.0
    facts = store.page_table.more_facts(line.number for line in found.lines)
    rows = [
        (Url(page.url), page.title, Share(page.importance, most), page.inlinks, page.outlinks, page.depth,
         facts[number].seconds, facts[number].bytes)
        for page, number in ((line.page, line.number) for line in found.lines)
    ]  # fmt: skip
    return Section(
        "The most important pages",
        ("page", "title", "importance", "in-links", "outlinks", "depth", "seconds", "bytes"),
        rows,
        f"{_IMPORTANCE}Pages that cannot be opened or say the same as one above are left out.",
        "No page was read.",
        has_filter=True,
    )


def _pictures(store: Store) -> Section:
    """Thumbnails of the most important pages that have one."""
    some = store.pages("importance", TOP) if store.settings.get("archive") else ()
    found = ((page.url, data) for page in some if (data := thumbnail(store, page.url)) is not None)
    return Section("Pictures", figures=list(islice(found, PICTURES)))


def _errors(now: Status) -> Section:
    found = [(key.partition("/"), count) for key, count in now.reasons.items()]
    failed = [(reason, count) for (state, _, reason), count in found if state in (State.ERROR, State.GONE)]
    rows = [
        (reason, meaning(reason) or "", count) for reason, count in sorted(failed, key=lambda each: -each[1])[:ROWS]
    ]
    return Section("Errors by reason", ("reason", "it means", "pages"), rows, empty="No page has failed.")
