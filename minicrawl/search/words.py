"""The words of a text, and what a search takes for the same word.

Words are runs of letters, marks and digits, stemmed by Snowball. "c++" and "c#" are words; "std::vector" and
"mod_rewrite" are two each, side by side, and so are a name and a version ("v2.10.3"). Scripts without spaces, such as
Chinese, Thai and Khmer, have a word for each letter with its marks. A raised digit is a word of its own: "x²" is not
"x2", but "CO₂" is "CO2".
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from tantivy import Filter, TextAnalyzer, TextAnalyzerBuilder, Tokenizer

from minicrawl.web import language as tags

_STEMMERS = {
    "ar": "arabic", "da": "danish", "de": "german", "el": "greek", "en": "english", "es": "spanish", "fi": "finnish",
    "fr": "french", "hu": "hungarian", "it": "italian", "nb": "norwegian", "nl": "dutch", "no": "norwegian",
    "pt": "portuguese", "ro": "romanian", "ru": "russian", "sv": "swedish", "ta": "tamil", "tr": "turkish",
}  # fmt: skip
UNKNOWN = "en"
"""The language of pages of which none is known."""
_LONGEST_WORD = 120
"""Bytes; longer words are left out."""
_LONG, _PART = 7, 4
"""Fewest letters of a compound, and of a word in it."""
_KNOWN = 32_768
"""Words that are remembered with what they are, for each language."""

_WORD = re.compile(r"[^\W_]")
_UNSEEN = re.compile("[\xad\u200b-\u200d\u2060\ufeff]+")
"""Marks inside words that are not seen: where to break a line or not, how letters join."""
_RAISED = "²³¹\u2070-\u207f"
_SCRIPTS = (
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9d"  # kana, marks of repetition, and a zero
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Chinese characters
    "\u0e01-\u0e4e\u0e81-\u0ece\u0edc-\u0edf\u0f00\u0f40-\u0fbc"  # Thai, Lao, Tibetan
    "\u1000-\u103f\u104e-\u108f\ua9e0-\ua9ef\ua9fa-\ua9fe\uaa60-\uaa7f"  # Burmese
    "\u1780-\u17d3\u17d7\u17dc-\u17dd\u1950-\u19c9\u1a20-\u1a7c\uaa80-\uaadf"  # Khmer, Tai
    "\u1b00-\u1b4c\ua980-\ua9cf"  # Balinese, Javanese
)
"""Letters of scripts without spaces, as a class of a regular expression."""
_STACKS = "\u1039\u17d2\u1a60\u1b44\ua9c0"
"""Marks that put the next letter below the one before."""
_ASCII = re.compile(r"[A-Za-z]++(?=[0-9]+\.[0-9])|[A-Za-z0-9]+(?:[+#]+)?")


def _class(belongs: Callable[[str], bool]) -> str:
    """The characters of the basic plane that belong, as a class of a regular expression: fast where it has ranges."""
    members = (code for code in range(0x80, 0x10000) if belongs(chr(code)))
    runs = (list(run) for _, run in groupby(enumerate(members), lambda pair: pair[1] - pair[0]))
    return "".join(f"{chr(run[0][1])}-{chr(run[-1][1])}" for run in runs)


class _Patterns(NamedTuple):
    """word: of any text. joins: of letters that a word goes on with, mark: marks that a letter goes on with."""

    word: re.Pattern[str]
    joins: re.Pattern[str]
    mark: re.Pattern[str]


@lru_cache(1)
def _patterns() -> _Patterns:
    apart = re.compile(f"[{_RAISED}{_SCRIPTS}]")
    letter = f"0-9A-Za-z{_class(lambda char: char.isalnum() and not apart.match(char))}\U00010000-\U0001efff"
    mark = f"{_class(lambda char: unicodedata.category(char)[0] == 'M')}\uff9e\uff9f"
    single = f"[{_class(lambda char: char.isalnum() and apart.match(char) is not None)}\U00020000-\U0003ffff]"
    word = (
        rf"[A-Za-z]++(?=[0-9]+\.[0-9])|[{letter}]+(?:[{mark}]+[{letter}]*)*(?:[+#]+)?"
        rf"|{single}(?:[{mark}]|(?<=[{_STACKS}]){single})*|[{_RAISED}]+"
    )
    return _Patterns(re.compile(word), re.compile(f"[+#{letter}{mark}]"), re.compile(f"[{mark}]"))


def words_of(text: str) -> list[str]:
    """The words of a text, as they are written."""
    return (_ASCII if text.isascii() else _patterns().word).findall(text)


def places_of(word: str, text: str) -> Iterator[int]:
    """Where a word of a text stands in it, not inside another."""
    _, joins, mark = _patterns()
    is_run = joins.match(word) is not None
    at = text.find(word)
    while at >= 0:
        end = at + len(word)
        if not ((joins.match(text, end) or (at and joins.match(text, at - 1))) if is_run else mark.match(text, end)):
            yield at
        at = text.find(word, end)


def readable(text: str) -> str:
    """A text with composed letters and without invisible marks."""
    return text if text.isascii() else _UNSEEN.sub("", unicodedata.normalize("NFC", text))


def has_words(text: str) -> bool:
    """True if text has words that a search can find."""
    return _WORD.search(text) is not None


def is_long(word: str) -> bool:
    """True if a word may be a compound. A Korean syllable is of several letters."""
    return _letters(word) >= _LONG


def is_part(word: str) -> bool:
    """True if a word is looked for in compounds."""
    return _letters(word) >= _PART


def _letters(word: str) -> int:
    return len(word if word.isascii() else unicodedata.normalize("NFD", word))


def primary_language(tag: str | None) -> str:
    """The language of a tag, see `minicrawl.web.language`; UNKNOWN for none."""
    return tags.primary_language(tag) or UNKNOWN


def _analyser(*filters: Filter) -> TextAnalyzer:
    builder = TextAnalyzerBuilder(Tokenizer.raw())
    for each in filters:
        builder = builder.filter(each)
    return builder.build()


_SIGNS = re.compile(r"(?<=[^\W\d_])\+\+$|(?<=^[^\W\d_])#$")
_LETTERS = str.maketrans("ёکیہھς", "еكيههσ", "\u0640")
"""Letters that are typed for others; and what only makes Arabic words longer."""
_VARIANTS = str.maketrans("ىة\u0901", "يه\u0902", "\u093c")
"""Endings and Hindi vowels that are written in two ways; the dot of foreign Hindi sounds may be missing."""
_ACCENTS = re.compile("[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed]+")
"""Of Latin, Greek and Cyrillic letters; vowels of Hebrew and Arabic."""
_CYRILLIC = re.compile("[\u0400-\u052f]")
_DOTTED = re.compile("(?<=i)\u0307")
"""The dot that İ leaves where it is made lower case."""
_FOLD = _analyser(Filter.ascii_fold())


def _lower(word: str) -> str:
    """A word in lower case, without what does not tell words apart in any language."""
    if word.isascii() and word.isalnum():
        return word.lower() if len(word) <= _LONGEST_WORD else ""
    bare = word.rstrip("+#")
    sign = _SIGNS.search(word)
    if not bare.isascii() and bare[0] not in "²³¹" and not "\u2070" <= bare[0] <= "\u207f":
        bare = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", bare).lower()).replace(" ", "")
        bare = _DOTTED.sub("", bare).translate(_LETTERS)
        bare = "".join(str(unicodedata.decimal(letter)) if letter.isdecimal() else letter for letter in bare)
    return bare.lower() + (sign[0] if sign else "") if len(bare.encode()) <= _LONGEST_WORD else ""


def _fold(word: str) -> str:
    """A word in lower case, without accents and vowel marks. Of Cyrillic letters, й and others are no accented ones."""
    if word.isascii():
        return word
    if not _CYRILLIC.search(word):
        word = unicodedata.normalize("NFD", word)
    word = unicodedata.normalize("NFC", _ACCENTS.sub("", word))
    return "".join(_FOLD.analyze(word.translate(_VARIANTS).replace("न्", "\u0902")))


@lru_cache(_KNOWN)
def typed(word: str) -> str:
    """A word as people may type it; empty if it is too long."""
    return _fold(_lower(word))


@lru_cache(64)
def stemmer(language: str) -> Callable[[str], str]:
    """Makes stems of words. language: a primary language."""
    if language not in _STEMMERS:
        return typed
    analyser = _analyser(Filter.stemmer(_STEMMERS[language]))
    prepare = typed if language == UNKNOWN else _lower  # in others the ending may turn on an accent

    @lru_cache(_KNOWN)
    def stem(word: str) -> str:
        word = prepare(word)
        return word if word.endswith(("+", "#")) else _fold("".join(analyser.analyze(word)))

    return stem
