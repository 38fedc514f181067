"""Contents of `minicrawl report`: issues and pages."""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from minicrawl.analysis.status import Status, status
from minicrawl.analysis.top import lines_per_site, top_list
from minicrawl.audit.auditing import Audit, audited
from minicrawl.audit.findings import Finding, Severity
from minicrawl.crawler.outcomes.reasons import meaning
from minicrawl.errors import covered
from minicrawl.export.tables import iso
from minicrawl.model import State
from minicrawl.report.document import Issue, Report, Section, Share, Urls
from minicrawl.settings import RANKINGS
from minicrawl.store.reader import Store

ROWS, TOP = 25, 100
"""Rows of the table of errors, and of those of issues and pages."""


def report_on(store: Store) -> Report:
    """The report on a crawl, as of one commit. Raises StoreError."""
    with store.snapshot():
        now, audit = status(store), audited(store)
        return Report(
            title=f"Crawl report: {_names(store.page_table.seeds()) or store.path.stem}",
            subtitle=_times(audit) + (" The crawl is still running." if now.running else ""),
            tiles=_tiles(audit, now),
            issues=_issues(audit),
            not_checked=dict(sorted(audit.not_checked.items())),
            checked=len(audit.rules) - len(audit.not_checked),
            sections=[_top(store), _errors(now)],
        )


def _issues(audit: Audit) -> list[Issue]:
    """The findings by rule, the rule that loses most first."""
    found = defaultdict[str, list[Finding]](list)
    for finding in audit.findings:
        found[finding.rule].append(finding)
    return [
        Issue(audit.rules[rule], found[rule][:TOP], len(found[rule]), sum(each.importance for each in found[rule]))
        for rule in audit.lost_by_rule()
    ]


def _names(seeds: Sequence[str]) -> str:
    hosts = list(dict.fromkeys(url.split("/")[2] for url in seeds))
    return ", ".join(hosts[:3]) + (f" and {len(hosts) - 3:,} more" if len(hosts) > 3 else "")


def _times(audit: Audit) -> str:
    """The times of the answers for people, to the minute."""
    if math.isnan(audit.judged.first):
        return "Nothing has been fetched yet."
    first, last = ((iso(at) or "?")[:16].replace("T", " ") for at in (audit.judged.first, audit.judged.last))
    return f"Fetched on {first} UTC." if first == last else f"Fetched between {first} and {last} UTC."


def _tiles(audit: Audit, now: Status) -> Mapping[str, str]:
    """The numbers at the top."""
    found = Counter(audit.rules[finding.rule].severity for finding in audit.findings)
    counts = {
        "pages read": now.read,
        "known pages": now.known,
        "failed": now.states.get(State.ERROR, 0) + now.states.get(State.GONE, 0),
        "hosts": now.hosts,
    }
    return {
        **{f"{each}s": f"{found[each]:,}" for each in Severity},
        "importance read": covered(now.run.coverage if now.run else 0.0),
        **{name: f"{count:,}" for name, count in counts.items()},
    }


def _top(store: Store) -> Section:
    found = top_list(store, RANKINGS[0], TOP, per_site=lines_per_site(store))
    facts = store.page_table.more_facts(line.number for line in found.lines)
    rows = [
        (Urls((page.url,)), page.title, Share(page.importance), page.inlinks, page.outlinks, page.depth,
         facts[number].seconds, facts[number].bytes)
        for page, number in ((line.page, line.number) for line in found.lines)
    ]  # fmt: skip
    return Section(
        "The most important pages",
        ("page", "title", "importance", "in-links", "outlinks", "depth", "seconds", "bytes"),
        rows,
        "Importance is the share of all visits that walkers along the links make. Pages that cannot be opened or say "
        "the same as one above are left out.",
        "No page was read.",
    )


def _errors(now: Status) -> Section:
    found = [(key.partition("/"), count) for key, count in now.reasons.items()]
    failed = [(reason, count) for (state, _, reason), count in found if state in (State.ERROR, State.GONE)]
    rows = [
        (reason, meaning(reason) or "", count) for reason, count in sorted(failed, key=lambda each: -each[1])[:ROWS]
    ]
    return Section("Errors by reason", ("reason", "it means", "pages"), rows, empty="No page has failed.")
