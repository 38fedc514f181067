"""A terminal, as far as the live display uses one."""

import re

_CODES = re.compile(r"\x1b\[(\d*)A|\x1b\[2K|\x1b\[\?25[lh]|\x1b\[[\d;]*m|[\r\n]|[^\x1b\r\n]+")


class Terminal:
    """`codes`: styles that were used."""

    def __init__(self) -> None:
        self.codes: set[str] = set()
        self._lines = [""]
        self._row = 0

    def isatty(self) -> bool:
        return True

    def flush(self) -> None:
        pass

    def write(self, text: str) -> int:
        for match in _CODES.finditer(text):
            code = match[0]
            if code == "\n":
                self._row += 1
                self._lines += [""] * (self._row == len(self._lines))
            elif code == "\x1b[2K":
                self._lines[self._row] = ""
            elif code.endswith("A") and code[0] == "\x1b":
                self._row -= int(match[1] or 1)
            elif code[0] == "\x1b":
                self.codes.add(code)
            elif code != "\r":
                self._lines[self._row] += code
        assert "".join(match[0] for match in _CODES.finditer(text)) == text
        return len(text)

    @property
    def screen(self) -> list[str]:
        """What a reader sees."""
        return [line for line in self._lines if line.strip()]
