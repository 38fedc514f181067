"""The part of a page's text that shows why it was found: up to two pieces with as many words of the query as can be.

What may be a word of the query is found by its first letters; whether it is one say the stems that the index has.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from minicrawl.search.index.words import UNSPACED
from minicrawl.search.query import Query
from minicrawl.search.stems import Stems

_LENGTH, _BEFORE = 150, 40
"""Characters of a piece, and of these so many stand before the first word of the query, more or less."""
_PIECES = 2
_BEGIN = 2
"""First letters of a word that are those of its stem, where it has accents."""
_ENDING = 2
"""Last letters of a stem that are not those of its words: "sensibl" of "sensibility", "happi" of "happy"."""
LENGTHS = (4_000, 20_000, 200_000)
"""Characters of a text that are looked at: the second where no piece of the first has all words of the query, the third
where none has any."""
_MOST_HITS = 100
"""Words of the query in a text that are looked at for the best pieces: the first."""
_RUN = re.compile(f"[{UNSPACED}]+")
_SPACED = re.compile(rf"[^\W_{UNSPACED}]+(?:\+\+|#)?")
_ACCENTED = r"[^\W\x00-\x7f]|\w[^\W\x00-\x7f]"
_OTHER_LETTER = re.compile(r"[^\W\x00-\x7f]")
_NAME = re.compile(r"\w(?=\w*(?:\+\+|#))")
_NEVER = r"(?!)"
_REST = r"[^\W_]*(?:\+\+|#)?"
GAP = " … "


class Snippet(NamedTuple):
    """Text on a line, and where in it words of the query are: (start, end)."""

    text: str
    marks: tuple[tuple[int, int], ...]

    def marked(self, before: str, after: str) -> str:
        """The text with something before and behind every word of the query."""
        pieces, at = list[str](), 0
        for start, end in self.marks:
            pieces += self.text[at:start], before, self.text[start:end], after
            at = end
        return "".join((*pieces, self.text[at:]))


class _Hit(NamedTuple):
    """Where in a text a word of the query is, and its number."""

    start: int
    end: int
    term: int


class Snippets:
    """Snippets for one query."""

    def __init__(self, query: Query, stems: Stems) -> None:
        self._stems = stems
        texts = [term.text for term in query.terms]
        found = stems.of(texts)
        self._terms = [frozenset(found[text]) for text in texts]
        self._runs = [(run, number) for number, text in enumerate(texts) for run in _RUN.findall(text)]
        stems_of_letters = {stem.lower() for term in self._terms for stem in term if not _RUN.search(stem)}
        names = {name.lower() for text in texts for name in _NAME.findall(text)}
        self._begins = tuple({stem[:_BEGIN] for stem in stems_of_letters} | names)
        self._known: dict[str, list[int]] = {}
        long = {stem[: max(_BEGIN, len(stem) - _ENDING)] for stem in stems_of_letters} | names
        self._may_be_in_ascii = re.compile(_ascii_pattern(long) + _REST, re.DOTALL)

    @cached_property
    def _may_be(self) -> re.Pattern[str]:
        # Letters with accents may be those of the query without: what has one among its first two is looked at, too.
        return re.compile(rf"(?<![^\W_])(?:{_any_of(self._begins)}|{_ACCENTED}){_REST}", re.IGNORECASE)

    def has_any(self, text: str) -> bool:
        """Whether a word of the query is in text."""
        return next(self._hits(text), None) is not None

    def of(self, begins: Iterable[str]) -> Snippet:
        """The snippet of a text; its begin where it has no word of the query. begins: of the text, on a line, each
        longer than the one before; as many are looked at as it takes."""
        text, hits = "", list[_Hit]()
        for number, text in enumerate(begins):
            hits = sorted(islice(self._hits(text), _MOST_HITS))
            if (hits and number) or any(len(_window(hits, i)[2]) == len(self._terms) for i in range(len(hits))):
                break
        windows = _best(hits) or [(0, _LENGTH)]
        return _joined(text, [_whole_words(text, *window) for window in windows], hits)

    def _hits(self, text: str) -> Iterator[_Hit]:
        is_plain = text.isascii() or not _OTHER_LETTER.search(text)
        for word in self._may_be_in_ascii.finditer(text.lower()) if is_plain else self._may_be.finditer(text):
            # What is written without spaces may stand right beside other words.
            spaced = (word,) if word[0].isascii() or not _RUN.search(word[0]) else _SPACED.finditer(text, *word.span())
            for found in spaced:
                for term in self._terms_of(found[0].lower()):
                    yield _Hit(*found.span(), term)
        for run, term in self._runs:
            yield from (_Hit(*found.span(), term) for found in re.finditer(re.escape(run), text))

    def _terms_of(self, word: str) -> Sequence[int]:
        """The terms that a word of a text is one of, by their numbers."""
        found = self._known.get(word)
        if found is None:
            # Of scripts with other letters every word is looked at: most can be told without asking for stems.
            begin = word[: 2 * _BEGIN]
            may_be = word.isascii() or begin.startswith(self._begins) or _bare(begin).startswith(self._begins)
            stems = self._stems.of([word])[word] if may_be else ()
            found = [number for number, term in enumerate(self._terms) if not term.isdisjoint(stems)]
            self._known[word] = found
        return found


def _bare(text: str) -> str:
    """Text without accents."""
    bare = "".join(char for char in unicodedata.normalize("NFD", text) if not unicodedata.combining(char))
    return unicodedata.normalize("NFC", bare)


def _any_of(begins: Iterable[str]) -> str:
    return "|".join(map(re.escape, sorted(begins))) or _NEVER


def _ascii_pattern(begins: set[str]) -> str:
    """A fifth of the time: letters first, which a regular expression can search for, and behind them whether a word
    begins there."""
    of_length = [(n, {begin for begin in begins if len(begin) == n}) for n in sorted(set(map(len, begins)))]
    heads = (rf"(?:{_any_of(some)})(?<![^\W_].{{{n}}})" for n, some in of_length)
    return f"(?:{'|'.join(heads) or _NEVER})"


def _best(hits: Sequence[_Hit]) -> list[tuple[int, int]]:
    """The pieces of the text with most of the query, in order. A word counts the more the rarer it is in the text."""
    counts = Counter(hit.term for hit in hits)
    worth = {term: 1 + 1 / count for term, count in counts.items()}
    windows = [_window(hits, i) for i in range(len(hits))]
    chosen: list[tuple[int, int]] = []
    shown: frozenset[int] = frozenset()
    while len(chosen) < _PIECES and len(shown) < len(counts):
        free = [
            (sum(worth[term] for term in terms - shown), -start, end, terms)
            for start, end, terms in windows
            if all(end <= other or start >= other_end for other, other_end in chosen)
        ]
        value, start, end, terms = max(free, key=lambda window: window[:2], default=(0.0, 0, 0, frozenset[int]()))
        if not value:
            break
        chosen.append((-start, end))
        shown |= terms
    return sorted(chosen)


def _window(hits: Sequence[_Hit], first: int) -> tuple[int, int, frozenset[int]]:
    """The piece that begins a little before a word of the query, and the terms in it."""
    start = max(0, hits[first].start - _BEFORE)
    terms = set()
    for hit in hits[first:]:
        if hit.end > start + _LENGTH:
            break
        terms.add(hit.term)
    return start, start + _LENGTH, frozenset(terms)


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """A piece of text without the words that it cuts, where there are spaces."""
    if start and (space := text.find(" ", start, start + _BEFORE // 2)) >= 0:
        start = space + 1
    if end < len(text) and (space := text.rfind(" ", end - _BEFORE, end)) >= 0:
        end = space
    return start, min(end, len(text))


def _joined(text: str, windows: Iterable[tuple[int, int]], hits: Iterable[_Hit]) -> Snippet:
    joined, marks = "", list[tuple[int, int]]()
    for start, end in windows:
        joined += GAP if joined else GAP.lstrip() if start else ""
        moved = len(joined) - start
        for hit in hits:
            if start <= hit.start and hit.end <= end and (not marks or marks[-1][1] <= hit.start + moved):
                marks.append((hit.start + moved, hit.end + moved))
        joined += text[start:end]
    return Snippet(joined, tuple(marks))
