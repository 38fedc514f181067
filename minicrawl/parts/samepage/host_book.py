"""What is known of one host: its judge, its pairs, its lines, and the last pages of patterns."""

import re
import zlib
from collections import Counter
from collections.abc import Callable
from typing import TypeVar

from msgspec import Struct, field

from minicrawl.model import Fetched
from minicrawl.parts.samepage.judge import Judge
from minicrawl.parts.samepage.known_lines import KnownLines
from minicrawl.parts.samepage.pairs import Pairs
from minicrawl.web.fingerprint import alike, distance
from minicrawl.web.lines import Lines, title_parts
from minicrawl.web.urls.front import is_above

_DIGITS = re.compile(r"\d+")
_COPIES = 3
"""Times that a page may be repeated under other paths, as in versions of a manual, which count a third of a gain."""
_HALF = 1 / 2
_MOST_LASTS = 1_000
_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class HostBook(Struct):
    """What is known of one host. read: pages with parameters, which may come to stand for others. copied: how often a
    text was repeated under another path. tables: by pattern the sketch of its last table. forms: by pattern and lines
    the title of the last page. titles: by pattern the words of the last title of a view. opened: open gates."""

    judge: Judge
    pairs: Pairs
    lines: KnownLines
    read: list[int] = field(default_factory=list)
    copied: Counter[int] = field(default_factory=Counter)
    tables: dict[str, bytes] = field(default_factory=dict)
    forms: dict[tuple[str, int], str] = field(default_factory=dict)
    titles: dict[str, set[str]] = field(default_factory=dict)
    opened: set[int] = field(default_factory=set)

    def is_unlike_last(self, fetched: Fetched) -> bool:
        """True if a page shares less than half of its text with the last page of numbers of its pattern."""
        if fetched.sketch is None:
            return False
        last = _exchanged(self.tables, self.judge.pattern(fetched.url), fetched.sketch)
        return alike(distance(last, fetched.sketch)) < _HALF

    def has_other_numbers(self, url: str, title: str, lines: Lines) -> bool:
        """True if a page has the lines and the title of the last one of its pattern with these lines, but for numbers,
        of which the title has others."""
        form = self.judge.pattern(url), zlib.crc32(lines.hashes.tobytes())
        last = _exchanged(self.forms, form, title)
        return last != title and _DIGITS.sub("", last) == _DIGITS.sub("", title)

    def has_new_title(self, url: str, title: str, hashed: int, near: Callable[[], str]) -> bool:
        """True if no page of the host had this title; of a view by a word of its path, if some part of it is no line;
        and of any view, if it does not only name the page that it is a view of. near: see `_names_its_subject`."""
        is_known = self.lines.knows(hashed)
        if self.judge.keys(url).has_word:
            is_known = all(map(self.lines.knows, title_parts(title)))
        if is_known or not self.judge.is_view(url):
            return not is_known
        names_its_subject = self._names_its_subject(url, title, near)
        if names_its_subject:  # so does its headline
            self.lines.add([part for part in {*title_parts(title)} if not self.lines.knows(part)])
        return not names_its_subject

    def _names_its_subject(self, url: str, title: str, near: Callable[[], str]) -> bool:
        """True if the title of a view has words that the last title of its pattern has, and else words of the titles of
        pages `near` it: "History of the rose"."""
        words = {*title.lower().split()}
        last = _exchanged(self.titles, self.judge.pattern(url), words)
        others = words - last
        return bool(others) and others <= {*near().lower().split()}

    def is_first_copy(self, fetched: Fetched, leader: str) -> bool:
        """True if a text that a page repeats under another path was not repeated often so far. leader: the URL of the
        page that said it first. A page below that one is a view of it: /rose/3, the last version of /rose."""
        text = fetched.payload
        if text is None or "?" in fetched.url or is_above(leader, fetched.url):
            return False
        self.copied[text] += 1
        return self.copied[text] <= _COPIES


def _exchanged(lasts: dict[_Key, _Value], key: _Key, value: _Value) -> _Value:
    """Note the last value of a key; returns the one before, or this one if there was none."""
    if len(lasts) > _MOST_LASTS:
        lasts.clear()
    before = lasts.get(key, value)
    lasts[key] = value
    return before
