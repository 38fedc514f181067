"""A report as one HTML file with pictures in SVG. Text from the web is escaped, so it is neither markup nor script.

URLs are links where they are http or https. Long texts are shortened, so that the file stays small.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from minicrawl.export.tables import renamed_when_whole

Point = tuple[float, float]

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 380, 220, 46, 14, 12, 34


def line_chart(points: Sequence[Point], name: str, x_name: str, x_ends: tuple[str, str]) -> str:
    """A line over rising x from 0 on. name: alternative text of the chart; x_ends: labels below both ends."""
    most_x = max((x for x, _ in points), default=0.0) or 1.0
    most_y = _round_up(max((y for _, y in points), default=0.0))
    placed = [_place(x / most_x, y / most_y) for x, y in points]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in placed)
    first, last = _place(0, 0), _place(1, 0)
    parts = [*_levels(most_y)]
    if placed:
        corners = f"{placed[0][0]:.1f},{first[1]} {path} {placed[-1][0]:.1f},{first[1]}"
        parts += [f'<polygon class="area" points="{corners}"/>', f'<polyline class="line" points="{path}"/>']
    parts += [
        _text(first[0], _HEIGHT - 18, x_ends[0], "start"),
        _text(last[0], _HEIGHT - 18, x_ends[1], "end"),
        _text((first[0] + last[0]) / 2, _HEIGHT - 4, x_name, "middle"),
    ]
    return _picture(parts, name)


def degree_chart(series: Sequence[tuple[str, Sequence[Point]]], name: str) -> str:
    """Number of pages by degree, on logarithmic scales. Points: degree and pages, each 1 or more."""
    most_x = max((x for _, points in series for x, _ in points), default=1.0)
    most_y = max((y for _, points in series for _, y in points), default=1.0)
    x_span, y_span = (math.ceil(math.log10(max(most, 2.0))) for most in (most_x, most_y))
    parts = []
    for power in range(y_span + 1):
        _, y = _place(0, power / y_span)
        parts += [f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>']
        parts += [_text(_LEFT - 5, y + 4, short(10**power), "end")]
    for power in range(x_span + 1):
        parts += [_text(_place(power / x_span, 0)[0], _HEIGHT - 18, short(10**power), "middle")]
    for number, (label, points) in enumerate(series):
        for degree, pages in points:
            x, y = _place(math.log10(degree) / x_span, math.log10(pages) / y_span)
            parts.append(f'<circle class="dots{number}" cx="{x:.1f}" cy="{y:.1f}" r="3"/>')
        x = _LEFT + 90 + 110 * number
        parts += [f'<circle class="dots{number}" cx="{x}" cy="{_HEIGHT - 8}" r="3"/>']
        parts += [_text(x + 7, _HEIGHT - 4, label, "start")]
    return _picture(parts, name)


def bar(share: float) -> str:
    """A bar in a table, as long as the share from 0 to 1."""
    width = max(min(share, 1.0), 0.0) * 100
    return (
        '<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect class="fill" width="{width:.1f}" height="8"/></svg>'
    )


def short(number: float) -> str:
    """A number in few characters: 950, 1.2k, 30k, 4M."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= size:
            return f"{number / size:.1f}".removesuffix(".0") + letter
    return f"{number:.2f}".rstrip("0").rstrip(".")


def _levels(most: float) -> list[str]:
    parts = []
    for quarter in range(5):
        _, y = _place(0, quarter / 4)
        parts.append(f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(_text(_LEFT - 5, y + 4, short(most * quarter / 4), "end"))
    return parts


def _round_up(number: float) -> float:
    """The next number with one significant digit, 1, 2, 4 or 8."""
    if number <= 0:
        return 1.0
    size: float = 10.0 ** math.floor(math.log10(number))
    return next(size * digit for digit in (1, 2, 4, 8, 10) if size * digit >= number * (1 - 1e-9))


def _place(x: float, y: float) -> Point:
    """Position in the picture of a point in the unit square."""
    return _LEFT + x * (_WIDTH - _LEFT - _RIGHT), _HEIGHT - _BOTTOM - y * (_HEIGHT - _TOP - _BOTTOM)


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _picture(parts: Sequence[str], name: str) -> str:
    label = escape(name)
    return f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{label}">{"".join(parts)}</svg>'


_LONGEST_TEXT, _LONGEST_URL, _LONGEST_LINK = 90, 110, 600


@dataclass(frozen=True)
class Url:
    """A URL, shown as a link."""

    url: str


@dataclass(frozen=True)
class Share:
    """A part of a whole, 0 to 1, shown as a bar."""

    part: float


Cell = str | int | float | Url | Share | None


@dataclass(frozen=True)
class Section:
    """A titled table. numbers: the numeric columns. note: remark on rows not shown."""

    title: str
    columns: Sequence[str] = ()
    rows: Sequence[Sequence[Cell]] = ()
    text: str = ""
    empty: str = "None."


@dataclass(frozen=True)
class Report:
    """A report's content. tiles: numbers at the top, each with its name. charts: pictures (SVG) with titles. pictures:
    URLs of pages, each with a data: URL of its thumbnail."""

    title: str
    subtitle: str
    tiles: Sequence[tuple[str, str]]
    charts: Sequence[tuple[str, str]] = ()
    sections: Sequence[Section] = field(default_factory=tuple)
    pictures: Sequence[tuple[str, str]] = ()


def write_report(report: Report, path: Path) -> int:
    """Write a report to `path` atomically; returns the number of bytes. Raises SettingError."""
    body = "\n".join(_document(report)).encode()
    with renamed_when_whole(path) as temporary:
        temporary.write_bytes(body)
    return len(body)


def _document(report: Report) -> Iterable[str]:
    yield '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    # Should web text be taken for markup after all, a browser runs and loads nothing.
    images = "; img-src data:" if report.pictures else ""
    policy = f"default-src 'none'; style-src 'unsafe-inline'{images}"
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    yield '<meta name="referrer" content="no-referrer">\n<meta name="robots" content="noindex">'
    yield f"<title>{_plain(report.title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<header>"
    yield f"<h1>{_plain(report.title)}</h1>\n<p>{_plain(report.subtitle, 400)}</p>\n</header>\n<main>"
    yield '<dl class="tiles">'
    yield from (f"<div><dt>{_plain(name)}</dt><dd>{_plain(value)}</dd></div>" for name, value in report.tiles)
    yield '</dl>\n<nav aria-label="Sections"><ul>'
    for number, section in enumerate(report.sections):
        yield f'<li><a href="#s{number}">{_plain(section.title)}</a></li>'
    yield '</ul></nav>\n<div class="charts">'
    yield from (f"<figure><figcaption>{_plain(name)}</figcaption>{svg}</figure>" for name, svg in report.charts)
    yield "</div>"
    if report.pictures:
        yield '<div class="pictures">'
        for url, data in report.pictures:
            image = f'<img src="{_escaped(data)}" alt="" width="320" height="180">'
            yield f"<figure>{image}<figcaption>{_link(url)}</figcaption></figure>"
        yield "</div>"
    for number, section in enumerate(report.sections):
        yield f'<section id="s{number}">\n<h2>{_plain(section.title)}</h2>'
        yield from _section(section)
        yield "</section>"
    yield "</main>\n</body>\n</html>\n"


def _section(section: Section) -> Iterable[str]:
    if section.text:
        yield f"<p>{_plain(section.text, 500)}</p>"
    if not section.rows:
        yield f'<p class="none">{_plain(section.empty)}</p>'
        return
    kinds = [_kind([row[column] for row in section.rows]) for column in range(len(section.columns))]
    yield '<div class="scroll" tabindex="0"><table>\n<thead><tr>'
    yield "".join(
        f'<th scope="col" class="{kind}">{_plain(name)}</th>' for name, kind in zip(section.columns, kinds, strict=True)
    )
    yield "</tr></thead>\n<tbody>"
    for row in section.rows:
        cells = (f'<td class="{kind}">{_cell(cell)}</td>' for cell, kind in zip(row, kinds, strict=True))
        yield f"<tr>{''.join(cells)}</tr>"
    yield "</tbody>\n</table></div>"


def _kind(cells: Sequence[Cell]) -> str:
    """Style of a column: numbers to the right, bars at a fixed width, URLs broken anywhere."""
    some = next((cell for cell in cells if cell is not None), "")
    names = {Share: "share", Url: "url", int: "number", float: "number"}
    return names.get(type(some), "text")


def _cell(cell: Cell) -> str:
    match cell:
        case None:
            return ""
        case Url(url):
            return _link(url)
        case Share(part):
            return bar(part)
        case int():
            return f"{cell:,}"
        case float():
            return f"{cell:.3g}"
        case str():
            return _plain(cell, _LONGEST_TEXT)


def _link(url: str) -> str:
    shown = _plain(url if len(url) <= _LONGEST_URL else f"{url[:75]}…{url[-34:]}", _LONGEST_URL)
    if len(url) > _LONGEST_LINK or not url.startswith(("http://", "https://")):
        return shown
    return f'<a href="{_escaped(url)}" rel="noreferrer nofollow">{shown}</a>'


def _plain(text: str, longest: int = 200) -> str:
    """Web text as text of the document: one line, shortened, without characters that change the text direction."""
    line = " ".join(text.split())
    return _escaped(line if len(line) <= longest else f"{line[: longest - 1]}…")


def _escaped(text: str) -> str:
    return escape("".join(char if char.isprintable() else "\ufffd" for char in text))


_STYLE = """
:root{color-scheme:light dark;--paper:#fff;--card:#f5f6f8;--ink:#1b1f24;--soft:#59636e;--edge:#d5dae0;
--blue:#0b5cad;--orange:#b3541e}
@media (prefers-color-scheme:dark){:root{--paper:#14171a;--card:#1e2328;--ink:#e6e9ec;--soft:#a0a9b2;--edge:#363d45;
--blue:#6cb2f5;--orange:#f0a35e}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:75rem;padding:1.5rem 1rem 4rem;background:var(--paper);color:var(--ink);
font:15px/1.5 system-ui,sans-serif}
h1{font-size:1.6rem;line-height:1.25;margin:0;overflow-wrap:anywhere;text-wrap:balance}
h2{font-size:1.2rem;margin:0 0 .25rem}
header p,section>p{margin:.25rem 0 .75rem;color:var(--soft);max-width:50rem}
a{color:var(--blue);text-decoration:none}
a:hover,a:focus{text-decoration:underline}
.tiles{display:grid;grid-template-columns:repeat(auto-fill,minmax(9rem,1fr));gap:.75rem;margin:1.25rem 0}
.tiles div{background:var(--card);border-radius:.5rem;padding:.6rem .8rem}
dt{color:var(--soft);font-size:.85rem}
dd{margin:0;font-size:1.35rem;font-weight:600;font-variant-numeric:tabular-nums}
nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1rem;padding:0;margin:0 0 1.25rem;list-style:none}
.charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(20rem,100%),1fr));gap:1rem}
.pictures{display:grid;grid-template-columns:repeat(auto-fill,minmax(12rem,1fr));gap:1rem;margin-top:1rem}
.pictures img{width:100%;height:auto}
.pictures figcaption{font-weight:400;font-size:.85rem;overflow-wrap:anywhere}
figure{margin:0;padding:.75rem;background:var(--card);border-radius:.5rem}
figcaption{font-weight:600;margin-bottom:.25rem}
svg{display:block;width:100%;height:auto}
svg text{font-size:11px;fill:var(--soft)}
.grid{stroke:var(--edge);stroke-width:1}
.line{fill:none;stroke:var(--blue);stroke-width:2;stroke-linejoin:round}
.area{fill:var(--blue);opacity:.15}
.dots0{fill:var(--blue)}
.dots1{fill:var(--orange)}
section{margin-top:2.25rem;scroll-margin-top:1rem}
.scroll{overflow-x:auto;border:1px solid var(--edge);border-radius:.5rem}
table{border-collapse:collapse;width:100%;font-size:.9rem}
th,td{padding:.35rem .6rem;text-align:left;vertical-align:top}
th{background:var(--card);font-weight:600;white-space:nowrap}
tbody tr+tr td{border-top:1px solid var(--edge)}
.number{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
.url{min-width:15rem;overflow-wrap:anywhere}
.text{max-width:26rem;overflow-wrap:break-word}
td.text{min-width:9rem}
.share{width:8rem;min-width:5rem}
@media (max-width:60rem){.share{width:5rem;min-width:4rem}}
@media (max-width:40rem){.url{min-width:13rem}h1{font-size:1.35rem}}
.bar{height:.6rem;margin-top:.4rem;background:var(--edge);border-radius:.2rem}
.bar .fill{fill:var(--blue)}
.none{font-style:italic}
@media print{nav{display:none}.scroll{overflow:visible;border:0}}
""".strip()
