"""Pages as lines of the columns that a user names."""

from collections.abc import Mapping, Sequence

from minicrawl.cli.fitting import cells, clipped, padded, shortened, terminal_columns
from minicrawl.cli.output import printable

_LEAST = 8
"""Cells that a column of text keeps on a narrow terminal."""
_GAP = 2


def column_lines(columns: Mapping[str, type], rows: Sequence[Sequence[object]]) -> list[str]:
    """A head and a line a row, as wide as the terminal where texts can be shortened to that.

    columns: each with the type of its values, of which any may also be None.
    """
    texts = [list(columns), *([_text(value) for value in row] for row in rows)]
    is_text = [kind is str for kind in columns.values()]
    widths = [max(cells(line[at]) for line in texts) for at in range(len(columns))]
    room = terminal_columns()
    if room is not None:
        widths = _within(room - _GAP * (len(columns) - 1), widths, is_text)
    return [_line(line, widths, is_text) for line in texts]


def _line(texts: Sequence[str], widths: Sequence[int], is_text: Sequence[bool]) -> str:
    parts = [
        padded(_fitting(text, width), width) if left else f"{text:>{width}}"
        for text, width, left in zip(texts, widths, is_text, strict=True)
    ]
    return (" " * _GAP).join(parts).rstrip()


def _fitting(text: str, width: int) -> str:
    return shortened(text, width) if text.startswith(("http://", "https://")) else clipped(text, width)


def _within(room: int, widths: Sequence[int], is_text: Sequence[bool]) -> list[int]:
    """Widths that sum up to `room` at most, if the widest texts can give as much."""
    left = list(widths)
    while sum(left) > room:
        widest = max((at for at, is_one in enumerate(is_text) if is_one), key=left.__getitem__, default=None)
        if widest is None or left[widest] <= _LEAST:
            break
        left[widest] -= 1
    return left


def _text(value: object) -> str:
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else printable(str(value))
