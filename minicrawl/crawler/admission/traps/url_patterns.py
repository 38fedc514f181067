"""URL patterns: a host, at most two folders, the form of the last segment and the names of the parameters, with
numbers, ids and dates blanked.
"""

import re
from functools import lru_cache
from typing import NamedTuple

_FOLDERS = 2
# 16 digits of one hexadecimal case, the start of a UUID, 8 hexadecimal digits with a letter and a decimal one, or 20
# letters and digits of both cases. Conditions stand behind the text they check: before it they take four times as long.
_ID = re.compile(
    r";jsessionid=|\(S\("
    r"|[0-9A-Fa-f]{8}(?:(?<![0-9]{8})(?<![A-Fa-f]{8})|-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-"
    r"|(?<=[0-9a-f]{8})[0-9a-f]{8}|(?<=[0-9A-F]{8})[0-9A-F]{8})"
    r"|(?<![A-Za-z0-9])(?=[A-Za-z0-9]{20})(?=[^a-z]*[a-z])(?=[^A-Z]*[A-Z])"
)
_DIGITS = re.compile(r"\d+")
_ESCAPED = re.compile(r"^(?:amp;)+")  # &amp;b=1 for &b=1
# A path that ends in a date: /2026/11, /2026-11-05/, /20261105. A path that goes on behind a date is no calendar.
_DATED_PATH = re.compile(
    r"[/_.-]((?:19|2[01])\d\d)"
    r"(?:[/_.-](0?[1-9]|1[0-2])(?:[/_.-](?:0?[1-9]|[12]\d|3[01]))?|(0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]))/?$"
)
_DATED_VALUE = re.compile(r"=((?:19|2[01])\d\d)-?(0[1-9]|1[0-2])(?:-?(?:0[1-9]|[12]\d|3[01]))?(?![0-9])")
_YEAR = re.compile(r"(?:^|&)y(?:ear|r)?=(\d{4})(?![0-9])")
_MONTH = re.compile(r"(?:^|&)m(?:onth|on)?=(\d\d?)(?![0-9])")
_SESSION_NAMES = frozenset({"sid", "phpsessid", "jsessionid", "session", "sessionid", "session_id"})


class UrlPattern(NamedTuple):
    """`name` begins with the host; `month`: that of the URL's date, counted from the year 0.

    `is_numbered`: the URL ends in a number or a date, or has one in its query.
    """

    name: str
    month: int | None
    is_numbered: bool = False


def pattern_of(url: str) -> UrlPattern:
    """The pattern of a normalised URL, and its month if it ends in a date."""
    stem, _, query = url.partition("?")
    if query:
        ending = f"?{_names(query)}"
        has_number = _DIGITS.search(query) is not None
        month = _month_of_query(query) if has_number else None
        if month is not None:
            return UrlPattern(f"{stem.partition('//')[2]}{ending}", month, is_numbered=True)
        return UrlPattern(_blanked(stem, keep=True) + ending, None, is_numbered=has_number)
    if not (stem[-1].isdigit() or stem[-2].isdigit()):
        folder, _, last = stem.rpartition("/")
        if last and not _DIGITS.search(last):
            return _pattern_of_words(folder)
        return UrlPattern(_blanked(stem), None)
    dated = _DATED_PATH.search(stem, 8)
    if dated is None:
        return UrlPattern(_blanked(stem), None, is_numbered=True)
    month = 12 * int(dated[1]) + int(dated[2] or dated[3]) - 1
    return UrlPattern(f"{_folder(stem[: dated.start()])}/{{date}}", month, is_numbered=True)


@lru_cache(maxsize=10_000)
def _pattern_of_words(folder: str) -> UrlPattern:
    """The pattern of all URLs in a folder whose last segment has no digit, as most have."""
    return UrlPattern(_blanked(f"{folder}/*"), None)


def has_session(name: str) -> bool:
    """True if a pattern has ids or session parameters."""
    return "{id}" in name or ("?" in name and not _SESSION_NAMES.isdisjoint(name.lower().partition("?")[2].split("&")))


def leads_away(source: UrlPattern, target: UrlPattern) -> bool:
    """True if a link leads to another pattern, and not just to another date or session."""
    if target.name == source.name or (source.month is not None and target.month is not None):
        return False
    return not (has_session(source.name) and has_session(target.name))


def _names(query: str) -> str:
    """Names of the parameters, sorted, numbers blanked; each once, so that links that append one lead nowhere else."""
    names = "&".join(sorted({_ESCAPED.sub("", part.partition("=")[0]) for part in query.split("&")}))
    return _DIGITS.sub("{n}", names)


def _month_of_query(query: str) -> int | None:
    found = _DATED_VALUE.search(query)
    if found is not None:
        return 12 * int(found[1]) + int(found[2]) - 1
    year = _YEAR.search(query)
    month = _MONTH.search(query) if year is not None else None
    if year is None or month is None:
        return None
    return 12 * int(year[1]) + int(month[1]) - 1


def _blanked(stem: str, *, keep: bool = False) -> str:
    """Host and path with varying parts blanked. keep: leave words in the last segment as they are."""
    folder, _, last = stem.rpartition("/")
    slash = ""
    if not last and folder.count("/") > 2:
        folder, _, last = folder.rpartition("/")
        slash = "/"
    start = _folder(folder)
    return start if start[-1] == "…" else f"{start}/{_segment(last, keep=keep)}{slash}"


@lru_cache(maxsize=10_000)
def _folder(folder: str) -> str:
    host, *segments = folder.split("/")[2:]
    blanked = [_segment(segment, keep=True) for segment in segments]
    if "{id}" in blanked:
        return "/".join([host, *blanked[: blanked.index("{id}") + 1], "…"])
    if len(blanked) > _FOLDERS:
        return f"{host}/{blanked[0]}/…"
    return "/".join([host, *blanked])


def _segment(segment: str, *, keep: bool) -> str:
    """A path segment with varying parts blanked."""
    if not _DIGITS.search(segment):
        return segment if keep or not segment else "*"
    if len(segment) >= 8 and _ID.search(segment):
        return "{id}"
    if segment.isdigit():
        return "{n}"
    return _DIGITS.sub("{n}", segment) if keep else "*{n}"
