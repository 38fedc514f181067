"""Queries: words, "phrases", -words and filters; and words that may have been meant.

User text is never a query of FTS5: words are passed as quoted strings with doubled quotes, so that every character in
them is taken as text.
"""

import re
import sqlite3
import string
import unicodedata
from dataclasses import dataclass

from minicrawl.crawler.urls.keys import is_on
from minicrawl.errors import SettingError
from minicrawl.search.index.words import has_words, indexed, is_one_unspaced_character, words_of

MOST_WORDS = 32
"""Words of a query; further ones are left out."""
_LONGEST = 200
_PARTS = re.compile(r'(-?)(?:(site|title|lang):)?(?:"([^"]*)"?|(\S+))', re.IGNORECASE)
_QUOTES = str.maketrans("“”„«»\0", '""""" ')


@dataclass(frozen=True)
class Term:
    """A word, or a phrase. `in_title`: it must be in the title."""

    text: str
    in_title: bool = False

    @property
    def is_word(self) -> bool:
        """True if the term is a single word for the index."""
        return len(words_of(self.text)) == 1

    @property
    def expression(self) -> str:
        """The term as an expression of FTS5, for any column."""
        quoted = indexed(self.text).replace("\0", " ").replace('"', '""')
        return f'"{quoted}"*' if is_one_unspaced_character(self.text) else f'"{quoted}"'


@dataclass(frozen=True)
class Query:
    """A parsed query. `terms`: required. `excluded`: forbidden. `sites`: hosts, or domains above the page's host, one
    of which is required. `languages`: likewise, as declared by the page ("en" covers "en-GB"). `left_out`: number of
    words beyond the most."""

    terms: tuple[Term, ...]
    excluded: tuple[Term, ...] = ()
    sites: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    left_out: int = 0

    @property
    def text(self) -> str:
        """The required words."""
        return " ".join(term.text for term in self.terms)

    def is_on_site(self, host: str) -> bool:
        """True if a host, maybe with a port, is on one of the sites."""
        return not self.sites or any(is_on(host, site) for site in self.sites)

    def is_in_language(self, language: str | None) -> bool:
        """True if a page declared in this language matches; a page without one does not."""
        own = (language or "").lower().replace("_", "-")
        return not self.languages or any(own == wanted or own.startswith(f"{wanted}-") for wanted in self.languages)


def parse_query(text: str, sites: tuple[str, ...] = ()) -> Query:
    """Parse a query. sites: further ones. Raises SettingError if it has no words."""
    terms: list[Term] = []
    excluded: list[Term] = []
    asked: dict[str, list[str]] = {"site": [_site(site) for site in sites], "lang": []}
    left_out = 0
    for minus, field, phrase, word in _PARTS.findall(text.translate(_QUOTES)):
        words, where = (phrase or word)[:_LONGEST], field.lower()
        if where in asked and not minus:
            asked[where].append(_site(words) if where == "site" else words.lower())
        elif not has_words(words):
            continue
        elif len(terms) + len(excluded) == MOST_WORDS:
            left_out += 1
        else:
            # A minus excludes a word only at its begin, not inside words such as "x-y".
            (excluded if minus else terms).append(Term(words, where == "title"))
    if not terms:
        raise SettingError(f"a search needs at least one word to look for, which {text!r} has not")
    return Query(tuple(dict.fromkeys(terms)), tuple(excluded), tuple(asked["site"]), tuple(asked["lang"]), left_out)


def _site(text: str) -> str:
    """The host or domain in a user's text, which may be a URL."""
    return text.lower().rpartition("://")[2].partition("/")[0].lstrip("*.").rstrip(".")


_LEAST, _MOST = 4, 24
"""Lengths of words that are corrected."""
_LETTERS = string.ascii_lowercase
_FAR = 7
"""Letters of a word from which on two of them may differ."""


def nearest_word(db: sqlite3.Connection, word: str) -> str | None:
    """The most frequent word of the index within the least edit distance of a word; None if none is near.

    Missing, extra, wrong and swapped letters count one each: one is allowed, or two in a long word with the same first
    letter.
    """
    word = unicodedata.normalize("NFC", word.lower())
    if not _LEAST <= len(word) <= _MOST or not word.isalpha():
        return None
    near = _edits(word)
    marks = ",".join("?" * len(near))
    query = f"SELECT word, pages FROM spellings WHERE word IN ({marks}) ORDER BY pages DESC, word LIMIT 1"
    row = db.execute(query, list(near)).fetchone()
    if row is None and len(word) >= _FAR:
        candidates = db.execute(
            "SELECT word, pages FROM spellings WHERE word >= ? AND word < ? AND length(word) BETWEEN ? AND ?",
            (word[0], chr(ord(word[0]) + 1), len(word) - 2, len(word) + 2),
        )
        row = max(
            ((other, pages) for other, pages in candidates if distance(word, other, 2) <= 2),
            key=lambda found: (found[1], found[0]),
            default=None,
        )
    return None if row is None else str(row[0])


def distance(a: str, b: str, most: int) -> int:
    """Edit distance of two words, with swapped neighbours as one edit; most + 1 if it is larger than `most`."""
    if abs(len(a) - len(b)) > most:
        return most + 1
    before: list[int] = []
    last = list(range(len(b) + 1))
    for i, of_a in enumerate(a, 1):
        row = [i]
        for j, of_b in enumerate(b, 1):
            cost = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (of_a != of_b))
            if i > 1 and j > 1 and of_a == b[j - 2] and a[i - 2] == of_b:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
        before, last = last, row
    return min(last[-1], most + 1)


def _edits(word: str) -> set[str]:
    """Words at an edit distance of one."""
    letters = sorted({*_LETTERS, *word})
    parts = [(word[:i], word[i:]) for i in range(len(word) + 1)]
    left_out = {a + b[1:] for a, b in parts if b}
    exchanged = {a + b[1] + b[0] + b[2:] for a, b in parts if len(b) > 1}
    other = {a + letter + b[1:] for a, b in parts if b for letter in letters}
    more = {a + letter + b for a, b in parts for letter in letters}
    return (left_out | exchanged | other | more) - {word}
