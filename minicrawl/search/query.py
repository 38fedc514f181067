"""Queries: words, "phrases", -words and filters. Anything else in them is text."""

import re
from dataclasses import dataclass

from minicrawl.errors import SettingError
from minicrawl.search.index.words import has_words

MOST_WORDS = 32
"""Words of a query; what comes behind them is left out."""
_LONGEST = 200
_PARTS = re.compile(r'(-?)(?:(site|title|intitle|lang|after):)?(?:"([^"]*)"?|(\S+))', re.IGNORECASE)
_QUOTES = str.maketrans("“”„«»\0", '""""" ')


@dataclass(frozen=True)
class Term:
    """A word, or words side by side. `in_title`: it must be in the title. `is_phrase`: it was quoted: required."""

    text: str
    in_title: bool = False
    is_phrase: bool = False


@dataclass(frozen=True)
class Query:
    """A parsed query. `excluded`: forbidden terms. `sites`: hosts, or domains above the page's host, one of which is
    required. `languages`: likewise, as declared by the page ("en" covers "en-GB"). `after`: a date, or a time ago."""

    terms: tuple[Term, ...]
    excluded: tuple[Term, ...] = ()
    sites: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    after: str | None = None


def parse_query(text: str, sites: tuple[str, ...] = ()) -> Query:
    """Parse a query. sites: further ones. Raises SettingError if it is no text, or has no words."""
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise SettingError(f"a search needs text, which {text[:_LONGEST]!r} is not")
    terms: list[Term] = []
    excluded: list[Term] = []
    asked: dict[str, list[str]] = {"site": [_site(site) for site in sites], "lang": [], "after": []}
    for minus, field, phrase, word in _PARTS.findall(text.translate(_QUOTES)):
        words, where = (phrase or word)[:_LONGEST], field.lower()
        if where in asked and not minus:
            asked[where].append(_site(words) if where == "site" else words.lower().replace("_", "-"))
        elif has_words(words) and len(terms) + len(excluded) < MOST_WORDS:
            # A minus excludes a word only at its begin, not inside words such as "x-y".
            (excluded if minus else terms).append(Term(words, where.endswith("title"), bool(phrase)))
    if not terms:
        raise SettingError(f"a search needs at least one word to look for, which {text[:_LONGEST]!r} has not")
    after = next(reversed(asked["after"]), None)
    sites, languages = tuple(asked["site"]), tuple(asked["lang"])
    return Query(tuple(dict.fromkeys(terms)), tuple(excluded), sites, languages, after)


def _site(text: str) -> str:
    """The host or domain in a user's text, which may be a URL."""
    return text.lower().rpartition("://")[2].partition("/")[0].lstrip("*.").rstrip(".")
