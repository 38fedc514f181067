"""Where the tags of a page begin: found once, for all who look for some of them.

A regular expression looks at every byte of a page; the beginnings of its tags are one in fifty.
"""

import re
from collections.abc import Iterator, Mapping

import numpy as np
import numpy.typing as npt

MOST = 100_000
"""Tags of a kind that are looked at. A page with more is an attack."""
FORMATS = b"b big code em font i nobr s small strike strong tt u".split()
"""Elements that are opened again in the next block if they were not closed (HTML 13.2.4.3). So is an a, but none is
inside another."""
FORMAT, HIDING, FRAME, SVG, MATH, IMAGE, SCRIPT, UNREAD, PRE = (1 << number for number in range(9))
UNREAD_NAMES = b"script style textarea select datalist template title noscript".split()
"""Elements whose text is not shown, or may be entered."""
_NAMES: Mapping[int, list[bytes]] = {
    FORMAT: FORMATS,
    HIDING: [b"noscript", b"template"],
    FRAME: [b"frame", b"iframe"],
    SVG: [b"svg"],
    MATH: [b"math"],
    IMAGE: [b"img"],
    SCRIPT: [b"script"],
    PRE: [b"pre"],
    UNREAD: [*UNREAD_NAMES, b"!-"],
}
_KINDS = np.zeros(1 << 16, dtype=np.uint16)
"""Kinds of tags by the first two bytes behind their "<", as one number, letters in lower case."""
for _kind, _names in _NAMES.items():
    for _name in _names:
        for _end in b">\t\n\f\r /":
            _KINDS[int.from_bytes((_name + b"%c" % _end)[:2], "little") | 0x2020] |= _kind

_SCRIPT_TYPE = re.compile(rb"""<script\b(?:[^>]{0,1000}?\stype\s*+=\s*+["']?\s*+([^"'\s>]*+))?+""", re.IGNORECASE)
_RUNS = re.compile(rb"|module|(?:text|application)/(?:x-)?(?:java|ecma)script|text/babel", re.IGNORECASE)


class Marks:
    """The "<" of a page, their `number` and their `places`, and of what kinds the tags that begin there may be: others
    begin with the same two letters."""

    def __init__(self, body: bytes) -> None:
        self.body = body
        self.places = np.flatnonzero(np.frombuffer(body, dtype=np.uint8)[:-2] == ord("<"))
        self.number = len(self.places)
        size = max(len(body) - 2, 0)
        pairs: npt.NDArray[np.uint16] = np.ndarray(size, "<u2", body, min(size, 1), (1,))  # behind every byte
        self._kinds = _KINDS.take(pairs[self.places] | 0x2020)
        self.found = int(np.bitwise_or.reduce(self._kinds))
        """All kinds that the page may have."""

    def of(self, kinds: int) -> list[int]:
        """The places of "<" where a tag of these kinds may begin, ascending, up to `MOST`."""
        if not self.found & kinds:
            return []
        places: list[int] = self.places[(self._kinds & kinds) != 0][:MOST].tolist()
        return places

    def for_body(self, body: bytes) -> "Marks":
        """These, if they are of this body; else its own."""
        return self if self.body is body else Marks(body)


def scripts_of(marks: Marks) -> Iterator[int]:
    """Where the scripts of a page begin that a browser runs."""
    for at in marks.of(SCRIPT):
        tag = _SCRIPT_TYPE.match(marks.body, at)
        if tag is not None and _RUNS.fullmatch(tag[1] or b""):
            yield at
