"""Pictures of a report as SVG. Colours and letters are the document's: a class names what each part is."""

import math
from collections.abc import Sequence
from html import escape

Point = tuple[float, float]

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 380, 220, 46, 14, 12, 34


def line_chart(points: Sequence[Point], name: str, x_name: str, x_ends: tuple[str, str]) -> str:
    """A line over rising x from 0 on. name: what it shows, for whoever cannot see it; x_ends: words below both ends."""
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
    """How many pages have so many links, both on logarithmic scales. Points: degree and pages, each 1 or more."""
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
    """A bar in a table, so long as the share from 0 to 1."""
    width = max(min(share, 1.0), 0.0) * 100
    return (
        '<svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect class="fill" width="{width:.1f}" height="8"/></svg>'
    )


def short(number: float) -> str:
    """A number in few letters: 950, 1.2k, 30k, 4M."""
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
    """The next number that has one digit of note, 1, 2, 4 or 8."""
    if number <= 0:
        return 1.0
    size: float = 10.0 ** math.floor(math.log10(number))
    return next(size * digit for digit in (1, 2, 4, 8, 10) if size * digit >= number * (1 - 1e-9))


def _place(x: float, y: float) -> Point:
    """Where a point of the unit square is in a picture."""
    return _LEFT + x * (_WIDTH - _LEFT - _RIGHT), _HEIGHT - _BOTTOM - y * (_HEIGHT - _TOP - _BOTTOM)


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _picture(parts: Sequence[str], name: str) -> str:
    label = escape(name)
    return f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{label}">{"".join(parts)}</svg>'
