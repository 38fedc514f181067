"""Lines that fit the terminal: of URLs the middle is left out, and sentences are broken between words.

Where standard output is no terminal, or with --wide, everything stands in full.
"""

import re
import shutil
import sys
import unicodedata
from collections.abc import Iterable, Iterator

import click

WIDE_KEY = "minicrawl.wide"
_LEAST = 40
_LABEL = re.compile(r" *(?:[\w./-]+ ){0,3}[\w./-]+ {2,}| +")
"""What stands before a value: its name and blanks, or blanks alone."""


def terminal_columns() -> int | None:
    """Columns of the terminal that standard output is; None where there are any number."""
    context = click.get_current_context(silent=True)
    if not sys.stdout.isatty() or (context is not None and context.meta.get(WIDE_KEY)):
        return None
    return max(shutil.get_terminal_size().columns, _LEAST)


def fitted(lines: Iterable[str], columns: int | None = None) -> Iterator[str]:
    """Lines as the terminal has room for them: what is broken goes on below its own value.

    columns: room for the lines; None: as much as the terminal has.
    """
    columns = columns or terminal_columns()
    for line in lines:
        yield from [line] if columns is None or cells(line) <= columns else _broken(line, columns)


def _broken(line: str, columns: int) -> Iterator[str]:
    label = _LABEL.match(line)
    indent = cells(label[0]) if label and cells(label[0]) < columns // 2 else 2
    row = label[0] if label and indent > 2 else ""
    rest, is_empty = line[len(row) :], True
    for word in (shortened(word, columns - indent) for word in rest.split()):
        if not is_empty and cells(row) + 1 + cells(word) > columns:
            yield row
            row, is_empty = " " * indent, True
        row += word if is_empty else f" {word}"
        is_empty = False
    yield row


def shortened(text: str, columns: int) -> str:
    """A text in so many columns: of one that is longer, such as a URL, its middle is left out, as "…"."""
    if cells(text) <= columns:
        return text
    room = max(columns - 1, 1)
    end = room // 3
    return f"{_fitting(text, room - end)}…{_fitting(text[::-1], end)[::-1]}"


def clipped(text: str, columns: int) -> str:
    """A text in so many columns: of one that is longer, such as a title, the end is left out, as "…"."""
    return text if cells(text) <= columns else f"{_fitting(text, columns - 1)}…"


def padded(text: str, columns: int) -> str:
    """A text with blanks behind it, in so many columns."""
    return text + " " * (columns - cells(text))


def cells(text: str) -> int:
    """Columns that a text takes on a terminal: East Asian wide characters two, marks above others none."""
    return len(text) if text.isascii() else sum(map(_cell, text))


def _cell(char: str) -> int:
    return 0 if unicodedata.combining(char) else 1 + (unicodedata.east_asian_width(char) in "WF")


def _fitting(text: str, columns: int) -> str:
    """The begin of a text, in so many columns at most."""
    taken = 0
    for place, char in enumerate(text):
        taken += _cell(char)
        if taken > columns:
            return text[:place]
    return text
