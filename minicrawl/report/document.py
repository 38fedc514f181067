"""A report as one HTML file: issues, tables and pictures, whole without its script, which only filters and sorts.

Should text from the web be taken for markup after all, the policy of the file lets a browser run and load nothing: it
names its own style and script by their digests.
"""

import base64
import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from pathlib import Path

from minicrawl.audit.findings import Finding, Rule, Severity
from minicrawl.errors import counted
from minicrawl.export.tables import renamed_when_whole
from minicrawl.report.markup import bar, escaped, link, plain

_MOST_BYTES = 1_500_000
"""Of the tables of all issues together."""
_SHOWN_SOURCES = 3


@dataclass(frozen=True)
class Url:
    """A URL, shown as a link."""

    url: str


@dataclass(frozen=True)
class Urls:
    """The first of `count` URLs."""

    urls: Sequence[str]
    count: int


@dataclass(frozen=True)
class Share:
    """A share of the whole, 0 to 1, with a bar. most: the share whose bar is full."""

    part: float
    most: float = 1.0


Cell = str | int | float | Url | Urls | Share | None


@dataclass(frozen=True)
class Section:
    """A titled table. has_filter: its rows can be filtered by their text."""

    title: str
    columns: Sequence[str] = ()
    rows: Sequence[Sequence[Cell]] = ()
    text: str = ""
    empty: str = ""
    has_filter: bool = False


@dataclass(frozen=True)
class Issue:
    """The findings of a rule. findings: the most important ones of `count`; importance: sum over all."""

    rule: Rule
    findings: Sequence[Finding]
    count: int
    importance: float


@dataclass(frozen=True)
class Tile:
    """A number at the top."""

    name: str
    value: str


@dataclass(frozen=True)
class Report:
    """A report's content. issues: what loses most first. not_checked: why, by rule."""

    title: str
    subtitle: str
    tiles: Sequence[Tile]
    issues: Sequence[Issue]
    not_checked: Sequence[tuple[str, str]] = ()
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
    style = _file("document.css") + _labels(report)
    policy = (
        f"default-src 'none'; style-src {_digest(style)}; script-src {_digest(_file('document.js'))}; "
        f"base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'"
    )
    yield '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    yield '<meta name="referrer" content="no-referrer">\n<meta name="robots" content="noindex">'
    yield f"<title>{plain(report.title)}</title>\n<style>{style}</style>\n</head>\n<body>\n<header>"
    yield f"<h1>{plain(report.title)}</h1>\n<p>{plain(report.subtitle, 400)}</p>\n</header>\n<main>"
    yield '<dl class="tiles">'
    for tile in report.tiles:
        yield f"<div><dt>{plain(tile.name)}</dt><dd>{plain(tile.value)}</dd></div>"
    yield '</dl>\n<nav aria-label="Sections"><ul>\n<li><a href="#issues">Issues</a></li>'
    for number, section in enumerate(report.sections):
        yield f'<li><a href="#s{number}">{plain(section.title)}</a></li>'
    yield "</ul></nav>"
    yield from _issues(report)
    for number, section in enumerate(report.sections):
        yield f'<section id="s{number}">\n<h2>{plain(section.title)}</h2>'
        yield from _section(section)
        yield "</section>"
    yield f"</main>\n<script>{_file('document.js')}</script>\n</body>\n</html>\n"


@cache
def _file(name: str) -> str:
    return Path(__file__).with_name(name).read_text("utf-8").strip()


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


_FOUND = ("target", "what", "sources", "at stake", "found on")


def _labels(report: Report) -> str:
    """Style by which cells on narrow screens, one below the other, tell their columns."""
    tables = [("#issues", _FOUND), *((f"#s{number}", each.columns) for number, each in enumerate(report.sections))]
    labels = (
        f'{place} td:nth-child({at})::before{{content:"{name}"}}'
        for place, columns in tables
        for at, name in enumerate(columns, 1)
        if at > 1
    )
    return f"@media (max-width:48rem){{{''.join(labels)}}}"


def _issues(report: Report) -> Iterator[str]:
    yield '<section id="issues">\n<h2>Issues</h2>'
    if not report.issues:
        yield f'<p class="none">None of the {report.checked} rules that were checked has found anything.</p>'
    else:
        found = counted(sum(issue.count for issue in report.issues), "finding")
        yield (
            f"<p>{found} by {len(report.issues)} of {counted(report.checked, 'rule')}, what loses most first: by the "
            "importance of the pages at stake, of which an error costs ten times as much as a warning, and a hundred "
            "times as much as a notice.</p>"
        )
        yield from _controls(report.issues)
    left = _MOST_BYTES
    for number, issue in enumerate(report.issues):
        text = "\n".join(_issue(issue, left // (len(report.issues) - number)))
        left -= len(text.encode())
        yield text
    if report.not_checked:
        yield f"<details><summary><h3>Not checked: {counted(len(report.not_checked), 'rule')}</h3></summary>\n<dl>"
        yield from (f"<dt>{plain(rule)}</dt><dd>{plain(why)}</dd>" for rule, why in report.not_checked)
        yield "</dl></details>"
    yield "</section>"


def _controls(issues: Sequence[Issue]) -> Iterator[str]:
    """Filters of issues, which the script shows."""
    by_severity = Counter(issue.rule.severity for issue in issues)
    yield '<div class="controls" id="filters" role="search" aria-label="Filter issues" hidden>'
    yield '<label>Severity <select id="severity"><option value="">all</option>'
    yield from (f'<option value="{each}">{each}s</option>' for each in Severity if by_severity[each])
    yield '</select></label>\n<label>Rule <select id="rule"><option value="">all</option>'
    yield from (
        f'<option value="{name}">{name}</option>' for name in sorted(escaped(each.rule.name) for each in issues)
    )
    yield '</select></label>\n<label>Text <input type="search" id="text" autocomplete="off"></label>'
    yield '<button type="button" id="open">Open all</button> <output></output></div>'


def _issue(issue: Issue, most: int) -> Iterator[str]:
    """An issue in about `most` bytes."""
    rule, count = issue.rule, counted(issue.count, "target")
    yield f'<details class="issue {rule.severity}" id="rule-{escaped(rule.name)}"><summary>'
    yield f'<h3><span class="badge">{rule.severity}</span> {plain(rule.name)}</h3>'
    yield f'<span class="count">{count}</span> <span>{percent(min(issue.importance, 1.0))} at stake</span></summary>'
    yield f"<p>{plain(rule.why, 500)}</p>\n<p><b>To mend it:</b> {plain(rule.how, 500)}</p>"
    rows = [
        (
            Url(found.target),
            found.detail,
            found.sources or None,
            Share(found.importance),
            Urls(found.examples[:_SHOWN_SOURCES], found.sources),
        )
        for found in issue.findings
    ]
    head, *lines = _table(_FOUND, rows)
    fitting = max(sum(size <= most for size in accumulate(len(line.encode()) for line in lines)), 1)
    yield from (head, *lines[:fitting], "</tbody></table>")
    if issue.count > min(fitting, len(lines)):
        yield f'<p class="more">And {issue.count - min(fitting, len(lines)):,} more, of less importance.</p>'
    yield "</details>"


def _table(columns: Sequence[str], rows: Sequence[Sequence[Cell]]) -> Iterator[str]:
    """The head of a table, and its rows. Columns that say nothing in any row are hidden."""
    kinds = [_kind([row[column] for row in rows]) for column in range(len(columns))]
    texts = [[_cell(cell) for cell in row] for row in rows]
    kinds = [kind + " hidden" * (not any(row[at] for row in texts)) for at, kind in enumerate(kinds)]
    cells = "".join(f'<th scope="col"{kind}>{plain(name)}</th>' for name, kind in zip(columns, kinds, strict=True))
    yield f"<table><thead><tr>{cells}</tr></thead><tbody>"
    for row in texts:
        yield f"<tr>{''.join(f'<td{kind}>{text}</td>' for text, kind in zip(row, kinds, strict=True))}</tr>"


def _section(section: Section) -> Iterable[str]:
    if section.text:
        yield f"<p>{plain(section.text, 600)}</p>"
    if not section.rows and section.empty:
        yield f'<p class="none">{plain(section.empty)}</p>'
    if not section.rows:
        return
    if section.has_filter:
        yield '<div class="controls" hidden><label>Filter <input type="search" autocomplete="off"></label> '
        yield "<output></output></div>"
    yield from (*_table(section.columns, section.rows), "</tbody></table>")


def _kind(cells: Sequence[Cell]) -> str:
    """Style of a column: numbers to the right, URLs broken anywhere."""
    some = next((cell for cell in cells if cell is not None), "")
    names = {Share: "number", Url: "url", Urls: "url", int: "number", float: "number"}
    return f' class="{names.get(type(some), "text")}"'


def _cell(cell: Cell) -> str:
    text = ""
    match cell:
        case Url(url):
            text = link(url)
        case Urls(urls, count):
            more = [f"and {count - len(urls):,} more"] if urls and count > len(urls) else []
            text = "<br>".join([*map(link, urls), *more])
        case Share(part, most):
            text = f"{percent(part)}{bar(part / most) if most < 1 else ''}"
        case int():
            text = f"{cell:,}"
        case float():
            text = f"{cell:.3g}"
        case str():
            text = plain(cell)
    return text
