"""Model an origin's answers for missing pages, and find the pages like them.

The common part of the answers to probes is the origin's text for a missing page.

F     words that all answers share
V     words of an answer that the others lack, at most: suggestions, a quotation, an id
like  a page is like the answers if it has all of F, but for words of their URLs, and beyond F no more than 2 V + 4
      words, none if V is 0, and not many more numbers. Words of its own URL do not count if the answers repeat theirs.

Pages like the answers are soft 404s, unless nearly all pages of the host are: these may be an application that draws
every page in the browser. So one page must be unlike them for every eight that are like them, and two at least. Answers
with no text, or with as little as a page that surely exists, prove nothing. Where V is not 0, F must have two words
that hardly any other page has: else F is a template and common words.

verdict of a probe    the answers were
not-found             an error, a redirect but to the front page, not HTML, or a page without text
open                  a page with text; another probe is to follow
varied                pages that have nothing in common but a template
soft-404              pages that say "not found", or redirects to the front page
catch-all             the same, but so do all pages
"""

from collections import Counter
from collections.abc import Iterable

import numpy as np

from minicrawl.crawler.fingerprint import read_vocabulary, vocabulary, word_hashes, words_of_url
from minicrawl.store.recognised import Probe

MOST_PROBES = 3
"""Per origin."""
SENT_HOME = 0
"""Digest of a redirect to the front page."""
SENT_HOME_TEXT = b"\xffsent \xffhome"
"""Its text, of words that no page has: none has these bytes."""
SENT_HOME_WORDS = vocabulary(SENT_HOME_TEXT)
_SENT_HOME = word_hashes(SENT_HOME_TEXT)
_COUNTED = 4_096  # pages per probe that are known by number
_PAGES_PER_OTHER = 8
_FEWEST_OTHERS = 2
_SPARE_NUMBERS = 8
_MOST_VARIED = 4
_FEWEST_MARKS = 2  # one may be by chance: pages that have it are like the answers, so no other has it
_FEW_WORDS = 32  # fewer: may be a page drawn in the browser


class NotFound:
    """An origin's answers for missing pages of a folder.

    `matched`: pages that are like the answers; `others`: pages that are not; `is_there`: a page that surely exists is
    like them; `pages_with`: how many of the `compared` have each word of the answers.
    """

    def __init__(self, row: Probe) -> None:
        self.folder, self.url, self.asked_at, self.verdict, self.status, self.digest, self.asked = row[:7]
        self.words, self.is_long = frozenset(_numbers(row.words)), row.words is None
        self.varies, self.numbers, self.echoes, self.is_there = row[8:12]
        self.matched, self.others = set(_numbers(row.matched)), set(_numbers(row.others))
        self.compared, self.pages_with = 0, Counter[int]()

    def row(self) -> Probe:
        """The row for the store."""
        asked = self.folder, self.url, self.asked_at, self.verdict, self.status, self.digest, self.asked
        words = None if self.is_long else _blob(self.words)
        found = self.varies, self.numbers, self.echoes, self.is_there
        return Probe(*asked, words, *found, _blob(self.matched), _blob(self.others))

    def add(self, url: str, digest: int | None, answer: bytes) -> None:
        """Add an answer, its vocabulary, to a probe at `url`."""
        words, numbers = read_vocabulary(answer)
        own, name = words_of_url(url), word_hashes(_name(url).encode())
        self.is_long = self.is_long or not answer
        self.numbers = max(self.numbers, numbers)
        self.compared = 0
        self.pages_with.clear()
        self.url, self.asked = url, self.asked + 1
        if self.asked == 1:
            self.words, self.digest = words - name, digest
        else:
            shared = self.words & words
            self.varies = max(self.varies + len(self.words - shared - own), len(words - shared - own))
            self.words = shared
            self.digest = digest if digest == self.digest else None
        self.echoes = self.echoes or not name.isdisjoint(words)

    def compare(self, page: int, url: str, digest: int | None, vocabulary: bytes, *, is_there: bool) -> None:
        """Compare a page that was read. is_there: it surely exists.

        A redirect to the front page cannot tell pages from answers that are none.
        """
        words, numbers = read_vocabulary(vocabulary)
        if words == _SENT_HOME != self.words:
            return
        if self.is_long:
            is_like = digest is not None and digest == self.digest
        elif not self.words:
            is_like = bool(vocabulary) and not words
        else:
            lacks, more = self.words - words - words_of_url(self.url), words - self.words
            added = more - words_of_url(url) if self.echoes else more
            is_like = not lacks and len(added) <= (2 * self.varies + 4 if self.varies else 0)
            is_like = is_like and numbers <= 2 * self.numbers + _SPARE_NUMBERS
        if is_there:
            self.is_there = self.is_there or is_like
            return
        into, out_of = (self.matched, self.others) if is_like else (self.others, self.matched)
        out_of.discard(page)
        if len(into) < _COUNTED:
            into.add(page)
        if not is_like:
            self.compared += 1
            self.pages_with.update(self.words & words)

    def judge(self) -> None:
        """Set the verdict by the evidence so far."""
        if self.verdict in ("not-found", "open"):
            return
        differ = len(self.others) >= _FEWEST_OTHERS and _PAGES_PER_OTHER * len(self.others) >= len(self.matched)
        may_be_drawn = not self.is_long and (not self.words or (self.is_there and len(self.words) < _FEW_WORDS))
        if (self.is_long and self.digest is None) or (self.varies and not self._has_mark):
            self.verdict = "varied"
        else:
            self.verdict = "soft-404" if differ and not may_be_drawn else "catch-all"

    @property
    def varies_much(self) -> bool:
        return 4 * self.varies > len(self.words)

    @property
    def _has_mark(self) -> bool:
        """True if the answers share a word that other pages lack: else they share common words only."""
        if not self.compared:
            return self.verdict == "soft-404"
        if self.varies > _MOST_VARIED * len(self.words) or (self.varies_much and self.asked < MOST_PROBES):
            return False
        return sum(_PAGES_PER_OTHER * self.pages_with[word] <= self.compared for word in self.words) >= _FEWEST_MARKS


def _name(url: str) -> str:
    """The random part of a probe's URL."""
    return url.rstrip("/").rpartition("/")[2].partition(".")[0]


def _numbers(blob: bytes | None) -> list[int]:
    numbers: list[int] = np.frombuffer(blob or b"", np.uint32).tolist()
    return numbers


def _blob(numbers: Iterable[int]) -> bytes:
    return np.array(sorted(numbers), dtype=np.uint32).tobytes()
