"""Pictures of a report, in SVG.

They are as wide as the page, and as high as they are here: positions across are in percent, so that texts keep their
size on a phone. Texts that would be too long there have a short form.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate

import numpy as np

from minicrawl.report.markup import escaped, href, plain
from minicrawl.report.shape import Flow, Folder

_TALL, _GAP, _LINE, _COLUMNS, _HUES = 620, 6, 17, 3, 6
"""Height of the pictures of a web, distance of bands, least height of a label; levels of folders; colours."""
_WIDE, _NARROW, _THIN = 44, 15, 0.4
"""Characters of a label, on a screen and on a phone; the thinnest band."""


def bar(share: float) -> str:
    """A bar in a table, as long as the share from 0 to 1."""
    width = max(min(share, 1.0), 0.0) * 100
    return (
        '<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect class="fill" width="{width:.1f}" height="8"/></svg>'
    )


def folders_picture(tree: Folder, urls: Sequence[str]) -> str:
    """Folders from left to right, each as high as its share of the importance; "" where none is high enough for a
    label. urls: of all pages."""
    if all(inner.importance * _TALL < _LINE * tree.importance for inner in tree.inside):
        return ""
    whole = replace(tree, inside=[tree] if tree.name else tree.inside)
    cells = "".join(_cells(whole, urls, 0, 0.0, _TALL / max(tree.importance, 1e-300)))
    return _group(cells, _TALL, "Folders by importance: a folder's height is its share; its subfolders are beside it")


def _cells(  # noqa: PLR0913 - what is drawn, and where
    folder: Folder, urls: Sequence[str], column: int, top: float, scale: float, hue: str = ""
) -> Iterator[str]:
    """Cells of the subfolders that are high enough for a label, with their own inside, and of the rest. scale: height
    of a share of 1. hue: of all; "": one each, if there are several."""
    shown = [inner for inner in folder.inside if inner.importance * scale >= _LINE]
    left, rest = 100 * column / _COLUMNS, folder.importance - sum(inner.importance for inner in shown)
    for number, inner in enumerate(shown):
        height = inner.importance * scale
        is_last = column == _COLUMNS - 1 or not inner.inside or inner.inside[0].importance * scale < _LINE
        width = (100 if is_last else 100 * (column + 1) / _COLUMNS) - left
        own = hue or (f' class="hue{number % _HUES}"' if len(shown) > 1 else "")
        words = f"{inner.name}: {inner.importance:.1%} of the importance, {inner.pages:,} pages, {inner.read:,} read"
        yield f"<a{own}{href(urls[inner.best])}>{_box(left, width, top, height)}<title>{plain(words)}</title>"
        yield '<rect class="cell" width="100%" height="100%"/>'
        yield _label("6", inner.label, "start", f" {inner.importance:.0%}") + "</svg></a>"
        yield from () if is_last else _cells(inner, urls, column + 1, top, scale, own)
        top += height
    if rest * scale >= _LINE:
        yield _box(left, 100 - left, top, rest * scale) + '<rect class="cell rest" width="100%" height="100%"/>'
        yield _label("6", "all else", "start", f" {rest:.0%}") + "</svg>"


def _box(left: float, width: float, top: float, height: float) -> str:
    """The start of a part of a picture, whose texts end at its edges. left, width: in percent."""
    return f'<svg x="{left:.2f}%" width="{width:.2f}%" y="{top:.1f}" height="{height:.1f}">'


def flow_picture(flow: Flow) -> str:
    """Bands from sections at the left to those at the right that their links lead to, as thick as what they give."""
    parts = flow.given / max(float(flow.given.sum()), 1e-300)
    names, shares = [section.name for section in flow.sections], flow.shares()
    sides = (("30%", "end", parts.sum(axis=1).tolist()), ("70%", "start", parts.sum(axis=0).tolist()))
    tops = [list(accumulate(sums, lambda top, part: top + part * _TALL + _GAP, initial=0.0)) for _, _, sums in sides]
    labels, height = [], 0.0
    for (x, anchor, sums), side in zip(sides, tops, strict=True):
        below = 0.0
        for name, top, part in zip(names, side, sums, strict=False):
            below = max(top + part * _TALL / 2 + 4, below + 13)
            labels.append(_label(x, name, anchor, f" {part:.0%}", y=below))
        height = max(height, below + 5, side[-1])
    bands = []
    starts, ends = tops
    for a, b in np.ndindex(parts.shape):
        thick, y, z = float(parts[a, b]) * _TALL, starts[a], ends[b]
        starts[a], ends[b] = y + thick, z + thick
        if thick >= _THIN:
            words = plain(f"{names[a]} to {names[b]}: {shares[a, b]:.1%} of what the links of {names[a]} give")
            kind = f"hue{a % _HUES}{' own' if a == b else ''}"
            there = f"M0 {y:.1f}C50 {y:.1f} 50 {z:.1f} 100 {z:.1f}"
            back = f"V{z + thick:.1f}C50 {z + thick:.1f} 50 {y + thick:.1f} 0 {y + thick:.1f}Z"
            bands.append(f'<path class="{kind}" d="{there}{back}"><title>{words}</title></path>')
    box = f'<svg x="31%" width="38%" height="{height:.0f}" viewBox="0 0 100 {height:.0f}" preserveAspectRatio="none">'
    return _group(f"{box}{''.join(bands)}</svg>{''.join(labels)}", height, "Flow of importance between sections")


def _label(x: str, text: str, anchor: str, more: str = "", y: float = 13) -> str:
    """A text, and its short form for narrow screens. more: behind it, on wide screens."""

    def words(kind: str, text: str) -> str:
        return f'<text{kind} x="{x}" y="{y:.1f}" text-anchor="{anchor}">{escaped(text)}</text>'

    def cut(most: int) -> str:
        return text if len(text) <= most else f"…{text[1 - most :]}" if "/" in text[:-1] else f"{text[: most - 1]}…"

    return words(' class="wide"', cut(_WIDE) + more) + words(' class="narrow"', cut(_NARROW))


def _group(parts: str, height: float, name: str) -> str:
    """A picture as wide as the page, with links in it."""
    return f'<svg class="web" role="group" aria-label="{name}" width="100%" height="{height:.0f}">{parts}</svg>'
