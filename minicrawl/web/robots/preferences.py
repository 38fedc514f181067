"""Preferences on the use of what a crawl reads: vocabularies, mapped to three uses, and how statements combine
(docs/usage-preferences.md).

verdict    a use is allowed, disallowed, or unknown, where nobody says anything
statement  one line of a robots.txt, a header or a meta element, as written, and its verdicts

A rule of robots.txt on use (draft-ietf-aipref-attach, August 2026) has a path, which may be left out, and a statement.
Of each vocabulary the rule with the longest matching path counts, as for access; rules with equal paths are combined,
the most restrictive verdict holds. A statement that makes no sense says nothing, but its path counts.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

from minicrawl.model import USES
from minicrawl.web.http.response_fields import LONGEST_ON_USE
from minicrawl.web.robots.matching import Pattern

USAGE = "usage"
"""The reason code of pages that are not fetched, as a use is disallowed that the crawl respects."""


class Verdict(IntEnum):
    """Of several verdicts on a use the most restrictive holds, which is the greatest (aipref-vocab, Combining
    Preferences)."""

    UNKNOWN = 0
    ALLOWED = 1
    DISALLOWED = 2

    @property
    def word(self) -> str:
        return self.name.lower()


_U, _A, _D = Verdict


class Preferences(NamedTuple):
    """The verdict on each of `USES`, in their order."""

    search: Verdict = Verdict.UNKNOWN
    ai_input: Verdict = Verdict.UNKNOWN
    ai_train: Verdict = Verdict.UNKNOWN

    def forbids(self, uses: Iterable[str]) -> bool:
        """True if one of the uses is disallowed."""
        return any(self[USES.index(use)] is Verdict.DISALLOWED for use in uses)

    @property
    def text(self) -> str | None:
        """The verdicts that are known: "search=y, ai-train=n"; None without any."""
        known = (f"{use}={'yn'[verdict - 1]}" for use, verdict in zip(USES, self, strict=True) if verdict)
        return ", ".join(known) or None


NOTHING = Preferences()


def combined(several: Iterable[Preferences]) -> Preferences:
    """The most restrictive verdict on each use."""
    return Preferences(*map(max, zip(NOTHING, *several, strict=True)))


# Each vocabulary's mapping to the uses.
_CONTENT_USAGE = {"search": "search", "train-ai": "ai_train"}
_Y_N = {"y": _A, "n": _D}
_CONTENT_SIGNAL = {"search": "search", "ai-input": "ai_input", "ai-train": "ai_train"}
_YES_NO = {"yes": _A, "no": _D}
_DIRECTIVES = {"noai": Preferences(_U, _D, _D), "noimageai": NOTHING}  # the latter is about images alone


@lru_cache(256)
def _content_usage(value: str) -> Preferences:
    from http_sf import Token, parse  # noqa: PLC0415 - few pages need it

    try:
        found = parse(value.encode(), tltype="dictionary")
    except ValueError:
        return NOTHING
    assert isinstance(found, dict)
    says = ((label, member[0]) for label, member in found.items() if isinstance(member, tuple))
    return _of_labels(_CONTENT_USAGE, _Y_N, ((label, str(item)) for label, item in says if isinstance(item, Token)))


@lru_cache(256)
def _content_signal(value: str) -> Preferences:
    says = (part.partition("=") for part in value.lower().split(","))
    return _of_labels(_CONTENT_SIGNAL, _YES_NO, ((label.strip(), word.strip()) for label, _, word in says))


def _of_labels(uses: Mapping[str, str], words: Mapping[str, Verdict], says: Iterable[tuple[str, str]]) -> Preferences:
    """The most restrictive verdicts of labels with words."""
    known = [(uses[label], words[word]) for label, word in says if label in uses and word in words]
    return combined(NOTHING._replace(**{use: verdict}) for use, verdict in known)


def _directives(value: str) -> Preferences:
    return combined(_DIRECTIVES.get(word.strip(), NOTHING) for word in value.split(","))


CONTENT_USAGE, CONTENT_SIGNAL = "Content-Usage", "Content-Signal"
_READERS: Mapping[str, Callable[[str], Preferences]] = {
    CONTENT_USAGE: _content_usage,
    CONTENT_SIGNAL: _content_signal,
    "X-Robots-Tag": _directives,
    "robots": _directives,
}


def read(name: str, value: str) -> Preferences:
    """The verdicts of a statement. name: a key of `_READERS`; of any other it has none."""
    reader = _READERS.get(name)
    return NOTHING if reader is None or len(value) > LONGEST_ON_USE else reader(value)


HEADER, META, ROBOTS_TXT = "header", "meta", "robots.txt"
"""Places of statements."""
_LINE = re.compile(f"({HEADER}|{META}) ([^:]+): (.*)", re.DOTALL)


class Statement(NamedTuple):
    """A statement as written, and its verdicts. url: of the file that it is in; None for a page's own."""

    place: str
    said: str
    preferences: Preferences
    url: str | None = None


@lru_cache(256)
def of_page(lines: str) -> tuple[Statement, ...]:
    """The statements of a page as the store keeps them, a line each: "header Content-Usage: train-ai=n"."""
    named = [match.groups() for line in lines.split("\n") if (match := _LINE.fullmatch(line)) is not None]
    return tuple(
        Statement(place, f"{name}: {value}", read(name, value)) for place, name, value in named if name in _READERS
    )


def preferences_of(statements: Iterable[Statement]) -> Preferences:
    """The verdicts on each use by all statements about a page."""
    return combined(each.preferences for each in statements)


Decision = tuple[Verdict, Statement | None]
"""The verdict on a use, and the statement that decides; None for an unknown one."""


def decisions(statements: Iterable[Statement]) -> dict[str, Decision]:
    """The decision on each use by all statements about a page."""
    every = list(statements)
    found: dict[str, Decision] = {}
    for at, use in enumerate(USES):
        by = max(every, key=lambda each: each.preferences[at], default=None)
        verdict = Verdict.UNKNOWN if by is None else by.preferences[at]
        found[use] = verdict, by if verdict else None
    return found


UsageLine = tuple[str, bytes]
"""The vocabulary, and the value of the line as written."""


def parted(value: bytes) -> tuple[bytes, bytes]:
    """The path of a rule, empty if it has none, and its statement."""
    if not value.startswith(b"/"):
        return b"", value
    path, *statement = value.split(maxsplit=1)
    return path, statement[0] if statement else b""


class UsageRules:
    """The rules of a group, to be asked for many URLs."""

    def __init__(self, lines: Iterable[UsageLine]) -> None:
        self._rules: list[tuple[str, Pattern, str, Preferences]] = []
        for name, value in lines:
            path, statement = parted(value)
            says = read(name, statement.decode("utf-8", "replace"))
            self._rules.append((name, Pattern.parse(path), f"{name}: {value.decode('utf-8', 'replace')}", says))

    def deciding(self, octets: str) -> list[tuple[str, Preferences]]:
        """The lines that count for a URL by its octets, as written, and their verdicts."""
        found = [rule for rule in self._rules if rule[1].matches(octets)]
        longest: dict[str, int] = {}
        for name, pattern, _, _ in found:
            longest[name] = max(longest.get(name, 0), pattern.length)
        return [(text, says) for name, pattern, text, says in found if pattern.length == longest[name]]
