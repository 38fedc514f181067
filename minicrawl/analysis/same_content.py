"""Pages whose main content others have, too, in another frame or with a few other words.

words     of the content, a menu's and a frame's left out: print views and syndicated texts have the same
J         Jaccard similarity of two contents: the runs of three words in both, divided by those in either. If 2 % of
          the words are others, J is .88
keys      the least hashes of a content's runs: two contents have the least one in common with probability J (Broder,
          "On the resemblance and containment of documents", 1997)

Alike are also pages of one template, and versions of a manual. So if one has a word that the other has not, they are
the same only for printing and on mirrors, by the URLs, or under one title; and not if the pages are of one folder, or
nothing but numbers differs in their URLs or in their words.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from minicrawl.crawler.recognise.duplicates import SAME_PAGE, kind_of
from minicrawl.web.fingerprint import FEWEST_SHINGLES, shingles_of, words_of
from minicrawl.web.kept_text import KeptText, words_in

ALIKE = 0.85
"""The least J of contents with a few other words."""
_KEYS, _SAMPLE = 4, 24
"""Alike contents have none of four keys in common once in 2,000 times; and hashes by which J is estimated."""
_TARGET = re.compile(r"\]\([^()\s]*\)")
"""Where a link leads, in Markdown."""
_DIGITS = re.compile(r"\d+")


class _Content(NamedTuple):
    words: list[str]
    runs: frozenset[int]


class Contents:
    """Pages by their contents, in the order in which they came: about 700 bytes each. text: reads that of a page."""

    def __init__(self, text: Callable[[int], KeptText]) -> None:
        self._text = text
        self._first: dict[int, int] = {}  # the first page with each key
        self._samples: dict[int, bytes] = {}

    def first(self, page: int, kept: KeptText) -> int:
        """The first page that has the content of this one; the page itself if none has, or it has few words."""
        content = _content(kept)
        if len(content.runs) < FEWEST_SHINGLES:
            return page
        sample = sorted(content.runs)[:_SAMPLE]
        for other in sorted({self._first[key] for key in sample[:_KEYS] if key in self._first}):
            if not _may_be_alike(sample, memoryview(self._samples[other]).cast("I").tolist()):
                continue
            if _are_same(kept, content, (there := self._text(other)), _content(there)):
                return other
        for key in sample[:_KEYS]:
            self._first.setdefault(key, page)
        self._samples[page] = np.array(sample, dtype=np.uint32).tobytes()
        return page


def _may_be_alike(one: list[int], other: list[int]) -> bool:
    """False if J is far below ALIKE, as estimated from the least hashes of both."""
    least = sorted({*one, *other})[:_SAMPLE]
    return 2 * len({*least} & {*one} & {*other}) > len(least)


def _content(kept: KeptText) -> _Content:
    words = words_in(_TARGET.sub("]", kept.content))
    runs = shingles_of(words_of(f" {' '.join(words)} ".encode()))
    return _Content(words, frozenset(runs.tolist()))


def _are_same(one: KeptText, content: _Content, other: KeptText, there: _Content) -> bool:
    if content.words == there.words:
        return True
    if len(content.runs & there.runs) < ALIKE * len(content.runs | there.runs):
        return False
    kind = kind_of(one.url, other.url)
    if kind in SAME_PAGE or _without_numbers(one.url) == _without_numbers(other.url):
        return kind in SAME_PAGE
    if {*content.words} == {*there.words}:
        return True
    differs = _without_numbers(" ".join(content.words)) != _without_numbers(" ".join(there.words))
    return kind is None and differs and (_has_title_of(one, other) or _has_title_of(other, one))


def _without_numbers(text: str) -> str:
    return _DIGITS.sub("", text)


def _has_title_of(one: KeptText, other: KeptText) -> bool:
    """True if a page has the words of another one's title, which may name the site as well."""
    title = words_in(other.h1 or other.title or "")
    return {*title} <= {*words_in(f"{one.h1 or ''} {one.title or ''}")}
