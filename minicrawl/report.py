"""The report for people: what it says of a store, and the one HTML file that it is, with document.css.

Text from the web is text of the file: never markup, script, or a character that changes the direction of text. URLs are
links where they are http or https, and not too long. Long texts are shortened. Should text from the web be taken for
markup after all, the policy of the file lets a browser run and load nothing: it names its own style by its digest.
"""

import base64
import hashlib
import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from minicrawl.analysis.status import Status, status
from minicrawl.analysis.top import lines_per_site, top_list
from minicrawl.audit.auditing import Audit, Finding, audited
from minicrawl.audit.rules import Rule, Severity
from minicrawl.crawler.outcomes.reasons import meaning
from minicrawl.crawler.urls.normalise import percent_encoded
from minicrawl.errors import counted, covered
from minicrawl.export.tables import iso, renamed_when_whole
from minicrawl.log import few_marks
from minicrawl.model import State
from minicrawl.settings import RANKINGS
from minicrawl.store.reader import Store

_LONGEST_TEXT, _LONGEST_LINK, _START, _END = 200, 600, 60, 34
_JOINERS = "\u200c\u200d"


def escaped(text: str) -> str:
    return escape("".join(char if char.isprintable() or char in _JOINERS else "\ufffd" for char in few_marks(text)))


def plain(text: str, longest: int = _LONGEST_TEXT) -> str:
    """Text on one line, shortened."""
    line = " ".join(text.split())
    return escaped(line if len(line) <= longest else f"{line[: longest - 1]}…")


def href(url: str) -> str:
    """The attribute that makes a link of an element; "" for what must not be one."""
    address = percent_encoded(url)
    if len(address) > _LONGEST_LINK or not url.startswith(("http://", "https://")):
        return ""
    return f' href="{escaped(address)}" rel="noreferrer nofollow"'


def link(url: str) -> str:
    """A URL, without "https://" and shortened, as a link; lines break at slashes."""
    name = url.removeprefix("https://")
    shown = escaped(name if len(name) <= _START + _END else f"{name[:_START]}…{name[-_END:]}").replace("/", "/<wbr>")
    return f"<a{address}>{shown}</a>" if (address := href(url)) else shown


_MOST_BYTES = 1_500_000
"""Of the tables of all issues together."""
_SHOWN_SOURCES = 3
_STYLE = Path(__file__).with_name("report.css")


class Share(NamedTuple):
    """A share of the whole, 0 to 1."""

    part: float


Cell = str | int | float | tuple[Sequence[str], int] | Share | None
"""URLs, shown as links, are the first of so many."""


@dataclass(frozen=True)
class Section:
    """A titled table. text: stands before it; empty: in its place where it has no rows."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    text: str = ""
    empty: str = ""


@dataclass(frozen=True)
class Issue:
    """The findings of a rule. findings: the most important ones of `count`; importance: sum over all."""

    rule: Rule
    findings: Sequence[Finding]
    count: int
    importance: float


@dataclass(frozen=True)
class Report:
    """A report's content. tiles: numbers at the top, by name. issues: what loses most first. not_checked: why, by rule;
    checked: number of the other rules."""

    title: str
    subtitle: str
    tiles: Mapping[str, str]
    issues: Sequence[Issue]
    not_checked: Mapping[str, str] = field(default_factory=dict)
    checked: int = 0
    sections: Sequence[Section] = ()


def write_report(report: Report, path: Path) -> int:
    """Write a report to `path` atomically; returns the number of bytes. Raises SettingError."""
    body = "\n".join(_document(report)).encode()
    with renamed_when_whole(path) as temporary:
        temporary.write_bytes(body)
    return len(body)


def percent(part: float) -> str:
    """A share for people: "12 %", "3.0 %", "under 0.001 %"."""
    if 0 < part < 1e-5:
        return "under 0.001 %"
    return f"{100 * part:.0f} %" if part >= 0.0995 or not part else f"{100 * part:#.2g} %"


def _document(report: Report) -> Iterator[str]:
    style = _STYLE.read_text("utf-8").strip()
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    yield '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    yield '<meta name="referrer" content="no-referrer">\n<meta name="robots" content="noindex">'
    yield f"<title>{plain(report.title)}</title>\n<style>{style}</style>\n</head>\n<body>\n<header>"
    yield f"<h1>{plain(report.title)}</h1>\n<p>{plain(report.subtitle, 400)}</p>\n</header>\n<main>"
    yield '<dl class="tiles">'
    yield from (f"<div><dt>{plain(name)}</dt><dd>{plain(value)}</dd></div>" for name, value in report.tiles.items())
    yield "</dl>"
    yield from _issues(report)
    for section in report.sections:
        yield f"<section>\n<h2>{plain(section.title)}</h2>"
        if section.rows:
            yield f"<p>{plain(section.text, 600)}</p>"
            yield from (*_table(section.columns, section.rows), "</tbody></table>")
        else:
            yield f'<p class="none">{plain(section.empty)}</p>'
        yield "</section>"
    yield "</main>\n</body>\n</html>\n"


def _issues(report: Report) -> Iterator[str]:
    yield "<section>\n<h2>Issues</h2>"
    if report.issues:
        found = counted(sum(issue.count for issue in report.issues), "finding")
        yield (
            f"<p>{found} by {len(report.issues)} of {counted(report.checked, 'rule')}, what loses most first: by the "
            "importance of the pages at stake, of which an error costs ten times as much as a warning, and a hundred "
            "times as much as a notice.</p>"
        )
    else:
        yield f'<p class="none">None of the {report.checked} rules that were checked has found anything.</p>'
    left = _MOST_BYTES
    for number, issue in enumerate(report.issues):
        text = "\n".join(_issue(issue, left // (len(report.issues) - number)))
        left -= len(text.encode())
        yield text
    if report.not_checked:
        yield f"<details><summary><h3>Not checked: {counted(len(report.not_checked), 'rule')}</h3></summary>\n<dl>"
        yield from (f"<dt>{plain(rule)}</dt><dd>{plain(why)}</dd>" for rule, why in report.not_checked.items())
        yield "</dl></details>"
    yield "</section>"


def _issue(issue: Issue, most: int) -> Iterator[str]:
    """An issue in about `most` bytes."""
    rule, count = issue.rule, counted(issue.count, "target")
    yield f'<details class="issue {rule.severity}" id="rule-{escaped(rule.name)}"><summary>'
    yield f'<h3><span class="badge">{rule.severity}</span> {plain(rule.name)}</h3>'
    yield f'<span class="count">{count}</span> <span>{percent(min(issue.importance, 1.0))} at stake</span></summary>'
    yield f"<p>{plain(rule.why, 500)}</p>\n<p><b>To mend it:</b> {plain(rule.how, 500)}</p>"
    rows = [
        (
            ((found.target,), 1),
            found.detail,
            found.sources or None,
            Share(found.importance),
            (found.examples[:_SHOWN_SOURCES], found.sources),
        )
        for found in issue.findings
    ]
    head, *lines = _table(("target", "what", "sources", "at stake", "found on"), rows)
    fitting = max(sum(size <= most for size in accumulate(len(line.encode()) for line in lines)), 1)
    yield from (head, *lines[:fitting], "</tbody></table>")
    if issue.count > min(fitting, len(lines)):
        yield f'<p class="more">And {issue.count - min(fitting, len(lines)):,} more, of less importance.</p>'
    yield "</details>"


def _table(columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> Iterator[str]:
    """The head of a table, and its rows, without columns that say nothing in any row."""
    texts = [[_cell(cell) for cell in row] for row in rows]
    shown = [at for at in range(len(columns)) if any(row[at] != _NOTHING for row in texts)]
    cells = "".join(f'<th scope="col">{plain(columns[at])}</th>' for at in shown)
    yield f"<table><thead><tr>{cells}</tr></thead><tbody>"
    for row in texts:
        yield f"<tr>{''.join(row[at] for at in shown)}</tr>"


_NOTHING = "<td></td>"


def _cell(cell: Cell) -> str:
    match cell:
        case Share(part):
            return f'<td class="number">{percent(part)}</td>'
        case (urls, of):
            more = [f"and {of - len(urls):,} more"] if urls and of > len(urls) else []
            return f"<td>{'<br>'.join([*map(link, urls), *more])}</td>"
        case int():
            return f'<td class="number">{cell:,}</td>'
        case float():
            return f'<td class="number">{cell:.3g}</td>'
        case str():
            return f"<td>{plain(cell)}</td>"
    return _NOTHING


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
            issues=_issues_found(audit),
            not_checked=dict(sorted(audit.not_checked.items())),
            checked=len(audit.rules) - len(audit.not_checked),
            sections=[_top(store), _errors(now)],
        )


def _issues_found(audit: Audit) -> list[Issue]:
    """The findings by rule, in the order of the audit."""
    found = defaultdict[str, list[Finding]](list)
    for finding in audit.findings:
        found[finding.rule].append(finding)
    return [
        Issue(audit.rules[rule], found[rule][:TOP], len(found[rule]), sum(each.importance for each in found[rule]))
        for rule in audit.at_stake()
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
        (((page.url,), 1), page.title, Share(page.importance), page.inlinks, page.outlinks, page.depth,
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
