"""Names and passwords out of a netrc file, as curl reads one.

Python's own module takes some comments for machines, and its errors repeat words that may be passwords.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

# A comment, the end of a line, or a word, which may stand in quotes.
_PIECE = re.compile(r'(#[^\n]*)|(\n)|"((?:[^"\\]|\\.)*)"|([^\s"][^\s]*)|"', re.DOTALL)
_KEYS = frozenset({"login", "password", "account"})


class Entry(NamedTuple):
    """`machine`: whose name and password they are; None: everybody's (`default`)."""

    machine: str | None
    login: str
    password: str


class NetrcError(ValueError):
    """Something in a line is not as it should be; says which line, and nothing that stands there."""


def read_netrc(text: str) -> list[Entry]:
    """The entries of a netrc file, in their order. Raises NetrcError."""
    entries: list[Entry] = []
    machine: str | None = None
    found: dict[str, str] | None = None
    words = _words(_without_macros(text))
    for number, word in words:
        if word in ("machine", "default"):
            if found is not None:
                entries.append(_entry(machine, found))
            machine, found = (_next(words, number, word) if word == "machine" else None), {}
        elif word in _KEYS and found is not None:
            found[word] = _next(words, number, word)
        else:
            raise NetrcError(f"line {number}: a word that is neither machine, default, login, password nor account")
    if found is not None:
        entries.append(_entry(machine, found))
    return entries


def _entry(machine: str | None, found: dict[str, str]) -> Entry:
    return Entry(machine, found.get("login", ""), found.get("password", ""))


def _next(words: Iterator[tuple[int, str]], number: int, after: str) -> str:
    try:
        return next(words)[1]
    except StopIteration:
        raise NetrcError(f"line {number}: nothing stands behind the word {after}") from None


def _without_macros(text: str) -> str:
    """The text with empty lines in place of macros, which end with an empty line."""
    return re.sub(r"^[ \t]*macdef\b.*?(?=\n\n|\Z)", lambda macro: "\n" * macro[0].count("\n"), text, flags=re.M | re.S)


def _words(text: str) -> Iterator[tuple[int, str]]:
    """The words, each with the number of its line. A comment begins a line, or follows the value of a key."""
    number = 1
    is_value = False
    at = 0
    while (piece := _PIECE.search(text, at)) is not None:
        comment, line_end, quoted, plain = piece.groups()
        at = piece.end()
        if line_end is not None:
            number += 1
        elif comment is not None and not is_value:
            continue
        elif comment is not None:  # a password may begin so
            word = comment.split()[0]
            at = piece.start() + len(word)
            is_value = False
            yield number, word
        elif quoted is not None or plain is not None:
            word = re.sub(r"\\(.)", r"\1", quoted) if quoted is not None else plain
            is_value = quoted is None and not is_value and (word in _KEYS or word == "machine")
            yield number, word
            number += (quoted or "").count("\n")
        else:
            raise NetrcError(f"line {number}: a quotation mark without its end")
