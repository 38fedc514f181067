"""Fit lines to the terminal: URLs are shortened in the middle, sentences are wrapped between words.

In a pipe, everything is printed in full.
"""

import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence

from rich.cells import cell_len, chop_cells

_LEAST = 40
_LABEL = re.compile(r" *(?:[\w./-]+ ){0,3}[\w./-]+ {2,}| +")
"""The name of a value and the spaces behind it, or spaces alone."""


def terminal_columns() -> int | None:
    """Width of the terminal that standard output is; None in a pipe."""
    if not sys.stdout.isatty():
        return None
    return max(shutil.get_terminal_size().columns, _LEAST)


def fitted(lines: Iterable[str], columns: int | None = None) -> Iterator[str]:
    """Wrap lines at the width of the terminal, or at `columns`; continuation lines are indented to the value."""
    columns = columns or terminal_columns()
    for line in lines:
        yield from [line] if columns is None or cell_len(line) <= columns else _broken(line, columns)


def _broken(line: str, columns: int) -> Iterator[str]:
    label = _LABEL.match(line)
    indent = cell_len(label[0]) if label and cell_len(label[0]) < columns // 2 else 2
    row = label[0] if label and indent > 2 else ""
    rest, is_empty = line[len(row) :], True
    for word in (shortened(word, columns - indent) for word in rest.split()):
        if not is_empty and cell_len(row) + 1 + cell_len(word) > columns:
            yield row
            row, is_empty = " " * indent, True
        row += word if is_empty else f" {word}"
        is_empty = False
    yield row


def shortened(text: str, columns: int) -> str:
    """Shorten a text to a width by leaving out its middle, as "…"."""
    if cell_len(text) <= columns:
        return text
    room = max(columns - 1, 1)
    end = room // 3
    return f"{_fitting(text, room - end)}…{_fitting(text[::-1], end)[::-1]}"


def told_apart(texts: Sequence[str], columns: Sequence[int]) -> list[str]:
    """Shorten each text to its width by leaving out its middle, but for the part in which it differs from others."""
    shown = list(map(shortened, texts, columns))
    alike: dict[str, list[int]] = {}
    for number, short in enumerate(shown):
        if short != texts[number]:
            alike.setdefault(short, []).append(number)
    for numbers in alike.values():
        _tell_apart(numbers, texts, columns, shown)
    return shown


def _tell_apart(numbers: Sequence[int], texts: Sequence[str], columns: Sequence[int], shown: list[str]) -> None:
    """Show these texts, which look alike, from just before the first place where they differ."""
    some = sorted({texts[number] for number in numbers})
    if len(some) < 2:
        return
    pairs = enumerate(zip(some[0], some[-1], strict=False))
    place = next((place for place, (one, other) in pairs if one != other), len(some[0]))
    alike: dict[str, list[int]] = {}
    for number in numbers:
        room = columns[number]
        begin = _fitting(texts[number], room // 3)
        behind = shortened(texts[number][max(place - room // 6, len(begin)) :], room - cell_len(begin) - 1)
        shown[number] = f"{begin}…{behind}"
        alike.setdefault(texts[number][: place + 1], []).append(number)
    for same in alike.values():
        _tell_apart(same, texts, columns, shown)


def clipped(text: str, columns: int) -> str:
    """Shorten a text to a width by leaving out its end, as "…"."""
    return text if cell_len(text) <= columns else f"{_fitting(text, columns - 1)}…"


def _fitting(text: str, columns: int) -> str:
    """The start of a text, in at most `columns` columns."""
    return chop_cells(text, columns)[0] if text and columns > 0 else ""
