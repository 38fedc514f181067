"""Some lines on a terminal that are drawn again and again in place, whatever becomes of its size."""

import re
from collections.abc import Callable, Sequence
from typing import TextIO

from minicrawl.cli.fitting import cells

_STYLE = re.compile(r"\x1b\[[\d;]*m")


class Frame:
    """The lines that are drawn last on a terminal, the cursor being behind the last of them.

    A terminal that is made narrower breaks lines that are too long for it, so these take more rows then. Each frame
    replaces the one before at once: in one write, so that nothing flickers. What others print stands above it.
    """

    def __init__(self, out: TextIO, size: Callable[[], tuple[int, int]]) -> None:
        """size: gives columns and rows of the terminal."""
        self._out = out
        self._size = size
        self._drawn: list[str] = []

    @property
    def room(self) -> tuple[int, int]:
        """Columns and rows that a frame may take: one less, so that no line breaks and nothing scrolls."""
        columns, rows = self._size()
        return max(columns - 1, 1), max(rows - 1, 1)

    def draw(self, lines: Sequence[str]) -> None:
        """Show these in place of those before. Each is short enough, but for the codes of its style."""
        lines = lines[: self.room[1]]
        self._out.write(self._erased() + "\n".join(lines))
        self._out.flush()
        self._drawn = list(lines)

    def clear(self) -> None:
        """Leave nothing."""
        self.draw([])

    def write(self, text: str) -> int:
        """What somebody else prints: it stays, and the next frame comes below."""
        self._out.write(self._erased() + text)
        self._drawn = []
        return len(text)

    def flush(self) -> None:
        self._out.flush()

    def isatty(self) -> bool:
        return self._out.isatty()

    def _erased(self) -> str:
        """What takes the frame away."""
        if not self._drawn:
            return ""
        columns = self._size()[0]
        rows = sum(max(1, -(-cells(_STYLE.sub("", line)) // columns)) for line in self._drawn)
        up = f"\x1b[{rows - 1}A" if rows > 1 else ""
        return f"\r{up}\x1b[J"
