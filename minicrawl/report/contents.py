"""Contents of `minicrawl report`: issues and pages."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from minicrawl.analysis.status import Status, status
from minicrawl.analysis.top.top_list import lines_per_site, top_list
from minicrawl.audit.auditing import Audit, audited
from minicrawl.audit.findings import Finding, Severity
from minicrawl.crawler.outcomes.reasons import meaning
from minicrawl.errors import covered
from minicrawl.export.tables import iso
from minicrawl.model import READ, State
from minicrawl.report.document import Issue, Report, Section, Share, Tile, Url
from minicrawl.settings import RANKINGS
from minicrawl.store.read.audit_columns import AuditColumns
from minicrawl.store.reader import Store

ROWS, TOP = 25, 100
"""Rows of most tables, and of those of issues and pages."""
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


def report_on(store: Store) -> Report:
    """The report on a crawl, as of one commit. Raises StoreError."""
    with store.snapshot():
        now, audit, crawl = status(store), audited(store), Crawl.of(store)
        sections = (_top(store), _errors(now))
        return Report(
            title=f"Crawl report: {_names(store.page_table.seeds()) or store.path.stem}",
            subtitle=_subtitle(crawl, now),
            tiles=_tiles(audit, crawl),
            issues=_issues(audit),
            not_checked=sorted(audit.not_checked.items()),
            checked=len(audit.rules) - len(audit.not_checked),
            sections=[each for each in sections if each.rows or each.empty],
        )


def _issues(audit: Audit) -> list[Issue]:
    """The findings by rule, the rule that loses most first."""
    found = defaultdict[str, list[Finding]](list)
    for finding in audit.for_people(audit.findings):
        found[finding.rule].append(finding)
    return [
        Issue(audit.rules[rule], found[rule][:TOP], len(found[rule]), sum(each.importance for each in found[rule]))
        for rule in audit.lost_by_rule()
    ]


def _names(seeds: Sequence[str]) -> str:
    hosts = list(dict.fromkeys(url.split("/")[2] for url in seeds))
    return ", ".join(hosts[:3]) + (f" and {len(hosts) - 3:,} more" if len(hosts) > 3 else "")


def _subtitle(crawl: Crawl, now: Status) -> str:
    if np.isnan(crawl.pages.fetched_at).all():
        return "Nothing has been fetched yet."
    return f"Fetched {_times(crawl)}.{' The crawl is still running.' if now.running else ''}"


def _times(crawl: Crawl) -> str:
    """The times of a crawl's answers for people, to the minute."""
    times = crawl.pages.fetched_at[~np.isnan(crawl.pages.fetched_at)]
    first, last = ((iso(float(each)) or "?")[:16].replace("T", " ") for each in (times.min(), times.max()))
    return f"on {first} UTC" if first == last else f"between {first} and {last} UTC"


def _tiles(audit: Audit, crawl: Crawl) -> list[Tile]:
    """The numbers at the top."""
    found = Counter(audit.rules[finding.rule].severity for finding in audit.findings)
    seconds = crawl.pages.seconds[~np.isnan(crawl.pages.seconds)]
    counts = {
        "pages read": int(np.isin(crawl.pages.state, list(READ)).sum()),
        "known pages": len(crawl.urls),
        "failed": int(np.isin(crawl.pages.state, [State.ERROR, State.GONE]).sum()),
        "hosts": len(np.unique(crawl.pages.host)),
        "median answer, ms": round(1000 * float(np.median(seconds))) if len(seconds) else 0,
    }
    return [
        *(Tile(f"{each}s", f"{found[each]:,}") for each in Severity),
        Tile("importance read", covered(float(crawl.store.meta_json("run").get("coverage", 0.0)))),
        *(Tile(name, f"{count:,}") for name, count in counts.items()),
    ]


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


def _errors(now: Status) -> Section:
    found = [(key.partition("/"), count) for key, count in now.reasons.items()]
    failed = [(reason, count) for (state, _, reason), count in found if state in (State.ERROR, State.GONE)]
    rows = [
        (reason, meaning(reason) or "", count) for reason, count in sorted(failed, key=lambda each: -each[1])[:ROWS]
    ]
    return Section("Errors by reason", ("reason", "it means", "pages"), rows, empty="No page has failed.")
