"""Snippets: up to two pieces of a page's text with as many words of the query as possible.

Candidate words are found by their first letters, then compared as the index has them.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from minicrawl.search.candidates import Word
from minicrawl.search.index.words import UNSPACED, analysed
from minicrawl.search.query import Query

_LENGTH, _BEFORE = 150, 40
"""Characters of a piece, and about how many of these come before the first word of the query."""
_PIECES = 2
LENGTHS = (4_000, 20_000, 200_000)
"""Bytes of a text to read: the second if no piece of the first has all words of the query, the third if none has
any."""
_MOST_HITS = 50
"""Hits in a text considered for the best pieces: the first."""
_MOST_LIKELY = 60
"""Words in a text with the begin of a query's word that are checked: the first."""
_RUN = re.compile(f"[{UNSPACED}]+")
_LETTER = rf"[^\W_{UNSPACED}]"
_WORD = re.compile(rf"{_LETTER}+(?:\+\+|#)?")
_IN_WORD = re.compile(_LETTER)
_OTHER_LETTER = re.compile(rf"[^\W_\x00-\x7f{UNSPACED}]")
_OTHER_LETTERS = re.compile(f"{_OTHER_LETTER.pattern}+")
_NAME = re.compile(r"\w(?=\w*(?:\+\+|#))")
GAP = " … "


class Snippet(NamedTuple):
    """Text on one line, and the words of the query in it: (start, end)."""

    text: str
    marks: tuple[tuple[int, int], ...]

    def marked(self, before: str, after: str) -> str:
        """The text with something before and behind every word of the query."""
        pieces, at = list[str](), 0
        for start, end in self.marks:
            pieces += self.text[at:start], before, self.text[start:end], after
            at = end
        return "".join((*pieces, self.text[at:]))


_Hit = tuple[int, int, int]
"""Start and end of a query's word in a text, and its number in the query."""


class Snippets:
    """Snippets for one query."""

    def __init__(self, query: Query, words: Sequence[Word], languages: Iterable[str]) -> None:
        """languages: of the index, in which texts may be."""
        self._terms = [frozenset(stem for form in word.forms for stem in form) for word in words]
        self._languages = tuple(languages)
        self._all = (1 << len(words)) - 1
        self._runs = [(run, 0) for run in _RUN.findall(query.text)]
        names = {name.lower() for name in _NAME.findall(query.text)}
        heads = names | {_head(stem) for term in self._terms for stem in term if not _RUN.search(stem)}
        self._heads = [head for head in heads if not any(head != other and head.startswith(other) for other in heads)]
        self._known: dict[str, list[int]] = {}

    def of(self, begins: Iterable[str]) -> Snippet:
        """The snippet of a text; its begin if it has no word of the query. begins: of the text, on one line, each
        longer than the one before; no more are read than needed."""
        text, hits, windows = "", list[_Hit](), list[_Window]()
        for number, text in enumerate(begins):
            hits = self._hits(text)[:_MOST_HITS]
            windows = _windows(hits)
            if (hits and number) or any(terms == self._all for _, terms in windows):
                break
        pieces = [(start, start + _LENGTH) for start in _best(windows, hits)] or [(0, _LENGTH)]
        return _joined(text, [_whole_words(text, *piece) for piece in pieces], hits)

    def _hits(self, text: str) -> list[_Hit]:
        """Words of the query in a text, in order."""
        words = list(self._likely(self._folded(text)))
        self._learn({word for _, _, word in words} - self._known.keys())
        hits = [(start, end, term) for start, end, word in words for term in self._known[word]]
        for run, term in self._runs:
            hits += ((*found.span(), term) for found in re.finditer(re.escape(run), text))
        return sorted(hits)

    def _likely(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Words of a folded text that may be in the query, by their first letters: a fifth of the time that checking
        all words takes."""
        for head in self._heads:
            yield from islice(_beginning_with(head, text), _MOST_LIKELY)

    def _folded(self, text: str) -> str:
        """A text with its letters folded as in the index, of the same length."""
        text = text.replace("\u0130", "I").lower()  # the one character that lower() makes two of
        if text.isascii() or not _OTHER_LETTER.search(text):
            return text
        for letter in set("".join(_OTHER_LETTERS.findall(text))):
            if (folded := _folded_letter(letter)) != letter:
                text = text.replace(letter, folded)
        return text

    def _learn(self, words: Collection[str]) -> None:
        """Find the terms of the query that words stand for, by number."""
        for word in words:
            stems = _stems_of(word, self._languages)
            self._known[word] = [number for number, term in enumerate(self._terms) if not term.isdisjoint(stems)]


@lru_cache(10_000)
def _folded_letter(letter: str) -> str:
    folded = analysed(letter, "")
    return folded if len(folded) == 1 else letter


@lru_cache(50_000)
def _stems_of(word: str, languages: tuple[str, ...]) -> frozenset[str]:
    """The stems of a word in each of some languages."""
    return frozenset(stem for language in languages for stem in analysed(word, language).split())


def _beginning_with(head: str, text: str) -> Iterator[tuple[int, int, str]]:
    """The words of a text that begin with `head`: (start, end, word)."""
    start = text.find(head)
    while start >= 0:
        end = start + 1
        if not (start and _IN_WORD.match(text, start - 1)) and (word := _WORD.match(text, start)):
            end = word.end()
            yield start, end, word[0]
        start = text.find(head, end)


def _head(stem: str) -> str:
    """The common begin of a stem's words: "happi" also stems "happy", "sensibl" "sensibility", "hope" "hoping"."""
    return stem if len(stem) < 3 else stem[:-1] if len(stem) < 6 else stem[:-2]


_Window = tuple[int, int]
"""The start of a piece of text, and the terms in it as bits."""


def _windows(hits: Sequence[_Hit]) -> list[_Window]:
    """The pieces that begin a little before each word of the query. hits: in order."""
    windows = []
    for first, (at, _, _) in enumerate(hits):
        start = max(0, at - _BEFORE)
        terms = 0
        for other in range(first, len(hits)):
            _, end, term = hits[other]
            if end > start + _LENGTH:
                break
            terms |= 1 << term
        windows.append((start, terms))
    return windows


def _best(windows: Sequence[_Window], hits: Iterable[_Hit]) -> list[int]:
    """Starts of the pieces with most of the query, in order. Rare words of the text count more."""
    worth = {term: 1 + 1 / count for term, count in Counter(term for _, _, term in hits).items()}
    chosen: list[int] = []
    missing = sum(1 << term for term in worth)
    while len(chosen) < _PIECES and missing:
        free = [
            (start, terms & missing)
            for start, terms in windows
            if all(abs(start - other) >= _LENGTH for other in chosen)
        ]
        kinds = {terms for _, terms in free}
        best = max(kinds, key=lambda terms: sum(worth[term] for term in worth if terms >> term & 1), default=0)
        if not best:
            break
        chosen.append(next(start for start, terms in free if terms == best))
        missing &= ~best
    return sorted(chosen)


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """A piece of text without words cut in half, if it has spaces."""
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
        for at, behind, _ in hits:
            if start <= at and behind <= end and (not marks or marks[-1][1] <= at + moved):
                marks.append((at + moved, behind + moved))
        joined += text[start:end]
    return Snippet(joined, tuple(marks))
