"""URL patterns, and the evidence on each of them from its pages and URLs; the store has it between runs.

A pattern is a host, at most two folders, the form of the last segment and the names of the parameters, with numbers,
ids and dates blanked.

Numbered pages that only count are a trap. They repeat each other but for numbers, are linked from each other, and lead
to ever more of their kind. Each of these also holds for honest pages: tables of measurements, articles with a link to
the next one, lists. But those have words of their own, are linked from elsewhere, or end.
"""

import json
import math
import re
import zlib
from collections.abc import Set
from functools import lru_cache
from typing import NamedTuple

from msgspec import Struct, field

from minicrawl.store.recognised import PatternRow, Patterns, spelled

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
_LIST = re.compile("[,;|]|%(?:2C|3B|7C)")
_ONE_MORE = re.compile(r"([/+,;|]|%(?:20|2C|3B|7C))((?:(?!%(?:20|2C|3B|7C))[^/+,;|&?=])++)(/?)$")
_EXPORT = re.compile(r"\.(?:atom|csv|ics|json|pdf|rss|txt|xml)(?:\?|$)")
_SESSION_NAMES = frozenset({"sid", "phpsessid", "jsessionid", "session", "sessionid", "session_id"})


class UrlPattern(NamedTuple):
    """`name` begins with the host; `month`: that of the URL's date, counted from the year 0; `is_numbered`: the URL
    ends in a number or a date, or has one in its query."""

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


def has_list(url: str) -> bool:
    """True if a parameter of a URL has several values: ?sort=name,date."""
    return _LIST.search(url, url.find("?") + 1 or len(url)) is not None


def turned_round(source: str, url: str) -> str | None:
    """A URL that makes one more choice than its source, /red/small for /red or ?q=red+small for ?q=red, with its last
    choices in another order; None for any other."""
    stem = source.removesuffix("/")
    more = _ONE_MORE.match(url, len(stem)) if url.startswith(stem) else None
    start = max(map(stem.rfind, "/+,;|=")) + 1 if more else 0
    return f"{stem[:start]}{more[2]}{more[1]}{stem[start:]}{more[3]}" if more and start > len("https://") else None


def is_export(url: str) -> bool:
    """True if a URL names a file in a format that has no links: a list may have one for each of its views."""
    return _EXPORT.search(url) is not None


def is_id(value: str) -> bool:
    """True if a value of a parameter looks like one that was made up, long and at random."""
    return _ID.search(value) is not None


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
    if not _DIGITS.search(segment):
        return segment if keep or not segment else "*"
    if len(segment) >= 8 and _ID.search(segment):
        return "{id}"
    if segment.isdigit():
        return "{n}"
    return _DIGITS.sub("{n}", segment) if keep else "*{n}"


PAGES = 100
"""Pages judged together, the most wordings kept of them, and the least number that they must count to."""
PAGES_PER_WORDING = 4
_NUMBERS = re.compile(r"-?\d{1,18}")
_WORDING = 0xFFFF_FFFF


class Counting(Struct):
    """The wordings of a pattern's numbered pages, and the sources of links to them.

    `known`: admitted URLs, `own` of them found on pages of the pattern; `pages`: pages judged of late; `spans`: least
    and greatest of the numbers in which URLs differ from the page they were found on, by their place in the URL;
    `wordings`: digests of the texts of pages without numbers.
    """

    known: int = 0
    own: int = 0
    pages: int = 0
    spans: dict[str, tuple[int, int]] = field(default_factory=dict)
    wordings: set[int] = field(default_factory=set)

    def add_url(self, url: str, source: str | None) -> None:
        """Add a newly known URL of the pattern. source: the page with the link, if that is of the pattern too."""
        self.known += 1
        if source is None:
            return
        self.own += 1
        steps = zip(_NUMBERS.findall(source), _NUMBERS.findall(url), strict=False)
        for place, (start, end) in enumerate(steps):
            if start != end:
                low, high = self.spans.get(str(place), (int(start), int(start)))
                self.spans[str(place)] = min(low, int(start), int(end)), max(high, int(start), int(end))

    def add_page(self, wording: int) -> None:
        """Add the wording of a page. With too many wordings, counting starts anew."""
        self.pages += 1
        self.wordings.add(wording & _WORDING)
        if len(self.wordings) > PAGES:
            self.pages = 0
            self.wordings.clear()

    @property
    def is_endless(self) -> bool:
        """True if the pages only count."""
        is_monotonous = self.pages >= PAGES and PAGES_PER_WORDING * len(self.wordings) <= self.pages
        reach = math.prod(high - low + 1 for low, high in self.spans.values())
        return is_monotonous and reach >= PAGES and 4 * self.own > 3 * self.known

    def to_json(self) -> str:
        return json.dumps([self.known, self.own, self.pages, self.spans, sorted(self.wordings)])


JUDGED = 12
"""Pages of a pattern that are parsed before it is judged, and the number of its last pages that count."""
DUPLICATES = 10
"""Pages among these that repeat others, at least, to shut a pattern."""

_VALUES_KEPT = 1_000
_NO_VALUES: Set[str | int] = frozenset()
_LAST = (1 << JUDGED) - 1

FEWEST_CHOICES = 3
COMBINATIONS = 128
COMBINATIONS_PER_PAGE = 8
TURNED_ROUND = 3 * COMBINATIONS_PER_PAGE
"""Combinations that choices known in another order count for: deep among these, few pages link to many."""


class Findings(Struct):
    """The findings on one pattern.

    `parsed`: pages with content; `repeated`: those whose content another page of the host had before; `last`: the same
    for the last 12, a bit each, newest lowest; `fruitful`: pages that made URLs of other patterns known; `combined`:
    URLs on the pattern's pages, or those with fewer choices, that only combine known parameter values; `dropped`: links
    refused; `trap`: the rule that shut it; `values`: the months, or the parameters with values, or of URLs refused by
    their spelling the first and hashes of the others; `counting`: of its numbered pages.
    """

    parsed: int = 0
    repeated: int = 0
    last: int = 0
    fruitful: int = 0
    combined: int = 0
    dropped: int = 0
    trap: str | None = None
    values: Set[str | int] = _NO_VALUES  # most patterns have none: a set for each would take most of the memory
    counting: Counting | None = None

    def add_month(self, month: int) -> None:
        self.values = self.values | {month}

    def add_parameters(self, url: str, *, is_own: bool) -> None:
        """Add the values of a URL's parameters, those of a list (?sort=name,date) one by one: as it has many orders, it
        counts as all that a page may combine. is_own: it was found on a page of its pattern, or of fewer choices."""
        if len(self.values) < _VALUES_KEPT:
            parts = [part.partition("=") for part in url.partition("?")[2].split("&")]
            values = {f"{name}={value}" for name, _, listed in parts for value in _LIST.split(listed)}
            if values <= self.values:
                self.combined += is_own * (COMBINATIONS_PER_PAGE if len(values) > len(parts) else 1)
            else:
                self.values = self.values | values

    def add_page(self, wording: int | None, *, is_repeated: bool, is_fruitful: bool) -> None:
        """Add a page. wording: digest of a numbered page's text without numbers."""
        self.parsed += 1
        self.repeated += is_repeated
        self.fruitful += is_fruitful
        self.last = (self.last << 1 | is_repeated) & _LAST
        if wording is not None:
            self.counting = self.counting or Counting()
            self.counting.add_page(wording)

    def rule(self, name: str) -> str | None:
        """The rule that shuts the pattern of that name, or None."""
        if self.parsed < JUDGED or not self.leads_nowhere:
            return None
        if self.is_endless:
            return "trap-calendar"
        if self.is_repetitive:
            return "trap-session" if has_session(name) else "trap-duplicates"
        return "trap-parameters" if self.combined >= max(COMBINATIONS, COMBINATIONS_PER_PAGE * self.parsed) else None

    @property
    def leads_nowhere(self) -> bool:
        return self.parsed >= JUDGED // 2 and 4 * self.fruitful < self.parsed

    @property
    def is_repetitive(self) -> bool:
        """True if its pages mostly repeat other pages of the host."""
        return self.last.bit_count() >= DUPLICATES and 4 * self.repeated > 3 * self.parsed

    @property
    def is_endless(self) -> bool:
        return self.counting is not None and self.counting.is_endless

    def row(self, name: str) -> PatternRow:
        values = json.dumps(sorted(self.values, key=str)) if self.values else None
        counting = self.counting.to_json() if self.counting is not None else None
        counts = self.parsed, self.repeated, self.last, self.fruitful, self.combined, self.dropped
        return PatternRow(name, *counts, self.trap, values, counting)

    @classmethod
    def of(cls, row: PatternRow) -> "Findings":
        values = set(json.loads(row.seen)) if row.seen else _NO_VALUES
        counting = None
        if row.counting:
            known, own, pages, spans, wordings = json.loads(row.counting)
            counting = Counting(known, own, pages, spans, set(wordings))
        return cls(*row[1:8], values, counting)


_MOST = 100_000
"""Patterns, and digests, in memory."""


class KnownPatterns:
    """The findings by pattern name, and digests: recent ones in memory, all others in the store, if there is one."""

    def __init__(self, store: Patterns | None = None, *, is_empty: bool = False, most: int = _MOST) -> None:
        """store: has what earlier `take_rows` gave. is_empty: it has no rows yet. most: patterns, and digests, kept in
        memory before it is emptied."""
        self._store = store
        self._most = most
        # The rules of shut patterns: a verdict on a URL rarely needs the findings themselves.
        self._shut = {row.name: row.trap for row in store.trap_patterns()} if store is not None else {}
        self._findings: dict[str, Findings] = {}
        self._changed: set[str] = set()
        self._choices: set[str] = set()
        self._digests: set[int] = set()
        self._new_digests: list[int] = []
        self._has_all = is_empty or store is None

    def shut_by(self, name: str) -> str | None:
        """The rule that shut a pattern, site or host, or None."""
        return self._shut.get(name)

    def shut(self, name: str, rule: str) -> None:
        self._shut[name] = self.changed(name).trap = rule

    def drop(self, name: str, rule: str) -> None:
        """Count a refused link, and shut the pattern, site or host of that name by the rule."""
        self.changed(name).dropped += 1
        self.shut(name, rule)

    def drop_unread(self, host: str, rule: str, url: str) -> None:
        """Count a link to a URL of a host that is refused by its spelling: the pattern may have others that are
        fine."""
        name = spelled(host, rule)
        self.drop(name, rule)
        findings = self._findings[name]
        if not findings.values:
            findings.values = {url}
        elif url not in findings.values and len(findings.values) < _VALUES_KEPT:
            findings.values = findings.values | {zlib.crc32(url.encode())}

    def is_unread(self, host: str, rule: str, url: str) -> bool:
        """True if a URL of a host was refused by that rule on its spelling."""
        findings = self.findings(spelled(host, rule))
        return findings is not None and not findings.values.isdisjoint({url, zlib.crc32(url.encode())})

    def findings(self, name: str) -> Findings | None:
        found = self._findings.get(name)
        if found is None and self._store is not None and not self._has_all:
            row = self._store.pattern(name)
            if row is not None:
                found = self._findings[name] = Findings.of(row)
        return found

    def is_choice(self, name: str) -> bool:
        """True if pages of a pattern are choices from a list by three parameters or more, as a shop's goods by colour,
        size and maker: whichever parameter is left out, such pages are known; of four or more, one may be left out
        nowhere. Data by station, year and month are not there by year and month alone."""
        stem, _, query = name.partition("?")
        names = query.split("&")
        if len(names) < FEWEST_CHOICES or name in self._choices:
            return name in self._choices
        fewer = (f"{stem}?{'&'.join(names[:at] + names[at + 1 :])}" for at in range(len(names)))
        if sum(self.findings(less) is None for less in fewer) <= (len(names) > FEWEST_CHOICES):
            self._choices.add(name)
        return name in self._choices

    def changed(self, name: str) -> Findings:
        """The findings of a pattern, to be changed; the next commit writes them."""
        found = self._findings[name] = self.findings(name) or Findings()
        self._changed.add(name)
        return found

    def is_known(self, digest: int) -> bool:
        """True if a page had this content before."""
        if digest in self._digests:
            return True
        return self._store is not None and not self._has_all and self._store.has_digest(digest)

    def add_digest(self, digest: int) -> None:
        self._digests.add(digest)
        self._new_digests.append(digest)

    def take_rows(self) -> tuple[list[PatternRow], list[int]]:
        """Patterns that changed and new digests since the last call."""
        rows = [self._findings[name].row(name) for name in sorted(self._changed)]
        digests, self._new_digests, self._changed = self._new_digests, [], set()
        if self._store is not None and max(len(self._findings), len(self._digests)) > self._most:
            self._has_all = False
            self._findings.clear()
            self._digests.clear()
        return rows, digests
