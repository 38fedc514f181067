"""Text as the index takes it: what SQLite's tokenizer cannot tell apart is written otherwise first.

The tokenizer (FTS5's unicode61 under porter) makes words of letters and digits, without accents, and takes English
endings off; all else is between words. So "std::vector" and "mod_rewrite" are two words each, one behind the other,
and found as such. What it would lose is put into letters: "c++" is "cplusplus", "c#" "csharp". Where words are written
without spaces, as in Chinese and Japanese, every two characters in a row are a word.
"""

import re

import numpy as np

TOKENIZER = "porter unicode61 remove_diacritics 2"
"""What FTS5 makes words with."""

# Both begin with what they look for, which a regular expression finds at once; what stands before is looked at then.
_PLUSPLUS = re.compile(r"\+\+(?![+#])")
_SHARP = re.compile(r"#(?<=[^\W\d_]#)(?<![^\W_][^\W\d_]#)(?![+#])")
_NAME_BEFORE = re.compile(r"(?<![^\W_])[^\W\d_]{1,16}\Z")
_LONGEST_NAME = 16
UNSPACED = (
    "\u3005-\u3007"  # marks of repetition, and a zero
    "\u3040-\u30ff\u31f0-\u31ff"  # Hiragana, Katakana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"  # Chinese characters
    "\U00020000-\U0003ffff"
)
_FIRST_UNSPACED = ord(UNSPACED[0])
_RUN = re.compile(f"[{UNSPACED}]+")
_WORD = re.compile(r"[^\W_]+")


def indexed(text: str) -> str:
    """Text as it is given to the index, and a query's words likewise."""
    if "++" in text:
        text = _PLUSPLUS.sub(_plusplus, text)
    if "#" in text:
        text = _SHARP.sub("sharp ", text)
    if text.isascii() or not _may_be_unspaced(text):
        return text
    return _RUN.sub(lambda run: f" {' '.join(_pairs(run[0]))} ", text)


def has_words(text: str) -> bool:
    """Whether there is anything in text that a search could find."""
    return _WORD.search(text) is not None


def words_of(text: str) -> list[str]:
    """The words of text as people write them, in lower case. What is written without spaces is in pairs."""
    return [word.lower() for word in _WORD.findall(indexed(text))]


def is_one_unspaced_character(text: str) -> bool:
    """Whether text is a single character of a script without spaces: the first of a pair, for all one knows."""
    return len(text) == 1 and _RUN.fullmatch(text) is not None


def _plusplus(found: re.Match[str]) -> str:
    start = found.start()
    name = _NAME_BEFORE.search(found.string, max(0, start - _LONGEST_NAME), start)
    return "plusplus " if name else found[0]


def _may_be_unspaced(text: str) -> bool:
    """Whether text has a character that is as high as those of such scripts; a look at all with the regular expression
    takes longer than all the rest."""
    units = np.frombuffer(text.encode("utf-16-le", "surrogatepass"), dtype=np.uint16)
    return bool((units >= _FIRST_UNSPACED).any())


def _pairs(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]
