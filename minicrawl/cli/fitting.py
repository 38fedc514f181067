"""Fit lines to the terminal: URLs are shortened in the middle, sentences are wrapped between words.

In a pipe, everything is printed in full.
"""

import re
import shutil
import sys
from collections.abc import Iterable, Iterator

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


def clipped(text: str, columns: int) -> str:
    """Shorten a text to a width by leaving out its end, as "…"."""
    return text if cell_len(text) <= columns else f"{_fitting(text, columns - 1)}…"


def _fitting(text: str, columns: int) -> str:
    """The start of a text, in at most `columns` columns."""
    return chop_cells(text, columns)[0] if text and columns > 0 else ""
