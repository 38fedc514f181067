"""The words of texts: runs of letters and digits, stemmed by Snowball for the language that a page declares.

"c++" and "c#" are words; "std::vector" and "mod_rewrite" are two each, side by side, and so are the characters of
scripts without spaces, such as Chinese and Japanese. `spelled` writes a text so that tantivy's tokenizer sees these
words; `shown` takes that back.
"""

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tantivy import TextAnalyzer

_STEMMERS = {
    "ar": "arabic", "da": "danish", "de": "german", "el": "greek", "en": "english", "es": "spanish", "fi": "finnish",
    "fr": "french", "hu": "hungarian", "it": "italian", "nb": "norwegian", "nl": "dutch", "no": "norwegian",
    "pt": "portuguese", "ro": "romanian", "ru": "russian", "sv": "swedish", "ta": "tamil", "tr": "turkish",
}  # fmt: skip
UNKNOWN = "en"
"""The language of pages that do not declare theirs."""
_LONGEST_WORD = 120
"""Bytes; longer words are left out."""
_WORD = re.compile(r"[^\W_]")
_SIGNS = re.compile(r"\+\+(?<=[^\W\d_]\+\+)(?![+#])|#(?<=(?<![^\W_])[^\W\d_]#)(?![+#])")
_LETTERS = str.maketrans("+#", "\u1429\u2d4c")
"""Signs of words, and letters that stand for them."""
_SHOWN = str.maketrans("\u1429\u2d4c", "+#", "\u200b")
_UNSEEN = re.compile("[\xad\u200b-\u200d\u2060\ufeff]+")
"""Marks inside words that are not seen: where to break a line or not, and how letters join."""
_UNSPACED = (
    "\u3005-\u3007"  # marks of repetition, and a zero
    "\u3040-\u30ff\u31f0-\u31ff"  # Hiragana, Katakana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Chinese characters
    "\U00020000-\U0003ffff"
)
_ANY_UNSPACED = re.compile(f"[{_UNSPACED}]")
_BETWEEN = re.compile(rf"(?<=[{_UNSPACED}])(?=\w)|(?<=\w)(?=[{_UNSPACED}])")


def spelled(text: str) -> str:
    """A text as an analyser reads it."""
    if not text.isascii():
        text = _UNSEEN.sub("", unicodedata.normalize("NFC", text))
        if _ANY_UNSPACED.search(text):
            text = _BETWEEN.sub("\u200b", text)
    return _SIGNS.sub(lambda sign: sign[0].translate(_LETTERS), text)


def shown(text: str) -> str:
    """A spelled text as people read it."""
    return text.translate(_SHOWN)


def has_words(text: str) -> bool:
    """True if text has words that a search can find."""
    return _WORD.search(text) is not None


def primary_language(tag: str | None) -> str:
    """The first part of a language tag, in lower case; UNKNOWN for none."""
    return (tag or UNKNOWN).lower().replace("_", "-").partition("-")[0].strip() or UNKNOWN


@lru_cache(64)
def analyser(language: str) -> "TextAnalyzer":
    """Makes words of spelled texts. language: a primary language."""
    from tantivy import Filter, TextAnalyzerBuilder, Tokenizer  # noqa: PLC0415 - a search alone needs it

    words = TextAnalyzerBuilder(Tokenizer.simple()).filter(Filter.remove_long(_LONGEST_WORD)).filter(Filter.lowercase())
    if language == UNKNOWN:  # in others the ending may turn on an accent
        words = words.filter(Filter.ascii_fold())
    if language in _STEMMERS:
        words = words.filter(Filter.stemmer(_STEMMERS[language]))
    return words.filter(Filter.ascii_fold()).build()
