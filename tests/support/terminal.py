"""A terminal of so many columns, as far as the live display uses one: it breaks long lines, and again when resized."""

import re

from rich.cells import cell_len

_CODES = re.compile(r"\x1b\[(\d*)([AJ])|\x1b\[[\d;]*m|([\r\n])|([^\x1b\r\n]+)")


class Terminal:
    """`lines`: what stands there, unbroken. The cursor is on a row of one of them, at its begin or behind its end."""

    def __init__(self, columns: int, rows: int = 24) -> None:
        self.columns, self.rows = columns, rows
        self.lines = [""]
        self.codes: set[str] = set()
        self._row = 0  # counted from the end: rows below the cursor

    def size(self) -> tuple[int, int]:
        return self.columns, self.rows

    def isatty(self) -> bool:
        return True

    def flush(self) -> None:
        pass

    def write(self, text: str) -> int:
        for match in _CODES.finditer(text):
            number, code, control, shown = match.groups()
            if code == "A":
                self._row += int(number or 1)
            elif code == "J":
                self._erase()
            elif control == "\n":
                assert self._row == 0
                self.lines.append("")
            elif shown:
                assert self._row == 0
                self.lines[-1] += shown
            elif match[0].endswith("m"):
                self.codes.add(match[0])
        assert "".join(match[0] for match in _CODES.finditer(text)) == text
        return len(text)

    @property
    def screen(self) -> list[str]:
        """What a reader sees."""
        return [line for line in self.lines if line]

    def height(self, line: str) -> int:
        return max(1, -(-cell_len(line) // self.columns))

    def _erase(self) -> None:
        """From the row of the cursor on, which is at its begin."""
        rows = self._row + 1
        while rows:
            height = self.height(self.lines[-1])
            if height > rows:  # part of what stood there before is left
                width = (height - rows) * self.columns
                self.lines[-1] = self.lines[-1][:width]
                rows = 0
            else:
                self.lines.pop()
                rows -= height
                if not self.lines:
                    assert rows == 0
        self.lines.append("")
        self._row = 0
