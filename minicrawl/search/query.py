"""What somebody searches for: words, "phrases", -words, and where they are to be.

No text of a user is ever a query of FTS5: words stand in it as quoted strings, whose quotes are doubled, so that all
there is in them is taken for text.
"""

import re
from dataclasses import dataclass

from minicrawl.crawler.urls.keys import is_on
from minicrawl.errors import SettingError
from minicrawl.search.index.words import has_words, indexed, is_one_unspaced_character, words_of

MOST_WORDS = 32
"""Of a query; what comes after them is left out."""
_LONGEST = 200
_PARTS = re.compile(r'(-?)(?:(site|title|lang):)?(?:"([^"]*)"?|(\S+))', re.IGNORECASE)
_QUOTES = str.maketrans("“”„«»\0", '""""" ')


@dataclass(frozen=True)
class Term:
    """A word, or several that stand one behind the other. `in_title`: in the title and nowhere else."""

    text: str
    in_title: bool = False

    @property
    def is_word(self) -> bool:
        """Whether the term is one word alone, for the index."""
        return len(words_of(self.text)) == 1

    @property
    def expression(self) -> str:
        """The term as FTS5 is asked for it, in no column of a kind."""
        quoted = indexed(self.text).replace("\0", " ").replace('"', '""')
        return f'"{quoted}"*' if is_one_unspaced_character(self.text) else f'"{quoted}"'


@dataclass(frozen=True)
class Query:
    """`terms`: must be there. `excluded`: must not. `sites`: one of these hosts, or domains above the page's host.
    `languages`: one of these, as a page says itself ("en" is also "en-GB"). `left_out`: words beyond the most."""

    terms: tuple[Term, ...]
    excluded: tuple[Term, ...] = ()
    sites: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    left_out: int = 0

    @property
    def text(self) -> str:
        """The words that must be there."""
        return " ".join(term.text for term in self.terms)

    def is_on_site(self, host: str) -> bool:
        """Whether a host, which may have a port, is on one of the sites that are asked for."""
        return not self.sites or any(is_on(host, site) for site in self.sites)

    def is_in_language(self, language: str | None) -> bool:
        """Whether a page of that language is asked for; of a page that says none it is not known."""
        own = (language or "").lower().replace("_", "-")
        return not self.languages or any(own == wanted or own.startswith(f"{wanted}-") for wanted in self.languages)


def parse_query(text: str, sites: tuple[str, ...] = ()) -> Query:
    """A query as somebody writes it. sites: more of them. Raises SettingError where there is no word to look for."""
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
            # A word that begins with a minus, inside of words such as "x-y" it is no sign.
            (excluded if minus else terms).append(Term(words, where == "title"))
    if not terms:
        raise SettingError(f"a search needs at least one word to look for, which {text!r} has not")
    return Query(tuple(dict.fromkeys(terms)), tuple(excluded), tuple(asked["site"]), tuple(asked["lang"]), left_out)


def _site(text: str) -> str:
    """A host or domain of what somebody writes for one, be it a URL."""
    return text.lower().rpartition("://")[2].partition("/")[0].lstrip("*.").rstrip(".")
