"""Which URLs are traps: pages that a server makes up without end.

Static rules look at a URL alone. Learned rules look at what the pages of one *pattern* brought so far: a pattern is
a host, at most two folders and the shape of the last segment, numbers and ids blanked, with the names of the
parameters. Only URLs not known yet are judged, and pages whose first turn has come. No clock, no chance: the same
pages in the same order lead to the same verdicts, and `rows` and `Traps` take the state to the store and back.

rule                  a URL is dropped when
trap-long-path        it has more than 1,024 characters before the query      (BUbiNG: 2,048 in all)
trap-deep-path        it has more than 20 segments                            (Heritrix: 20)
trap-repeated-path    a run of segments comes three times in a row            (Heritrix: 3; BUbiNG: 3)
trap-long-query       its query has more than 1,024 characters
trap-many-parameters  it has more than 32 parameters
trap-duplicates       of the last 12 pages of its pattern 10 said what a page of the host had said before, as did more
                      than three quarters of all, and these pages lead nowhere else
trap-session          the same, and there are session ids in the pattern
trap-parameters       of 3 parameters or more, at least 128 URLs and 8 per page read were found on its own pages that
                      only combine known values, and these pages lead nowhere else
trap-calendar         its month is not among the 40 its pattern has, it was found on another date of the host, and
                      these pages lead nowhere else; or the pages of its pattern only count, from page to page
                      (counting.py), and lead nowhere else
trap-host-budget, -many-hosts, -address-budget
                      its domain, or all domains at its IP address, have more than others vouch for (budgets.py)

A pattern leads nowhere else when less than a quarter of its pages made URLs of other patterns known, which in turn say
something new: /a/1?id=x and /b/1?id=y do not save each other. Whole sites that are there twice or three times (http and
https, en/ and not) stay below three quarters of duplicates. Numbered articles that only have a link to the next one
are no calendar, for their words differ.
"""

import json
import re
from collections.abc import Iterable, Sequence, Set
from functools import lru_cache
from typing import NamedTuple, Protocol

from minicrawl.crawler.admission.budgets import Budgets
from minicrawl.crawler.admission.calendars import Counting
from minicrawl.crawler.urls.keys import hostname, owner_of, politeness_key
from minicrawl.store.rows import PatternRow
from minicrawl.store.writer import Writer

MAX_PATH = 1024
MAX_SEGMENTS = 20
MAX_REPEATS = 2
MAX_QUERY = 1024
MAX_PARAMETERS = 32

JUDGED = 12
"""Pages read of a pattern before it is judged, and how many of its last pages count."""
DUPLICATES = 10
COMBINATIONS = 128
COMBINATIONS_PER_PAGE = 8
MONTHS = 40

_VALUES_KEPT = 1_000
_NO_VALUES: Set[str | int] = frozenset()
_GENERATION = 50_000
_LAST = (1 << JUDGED) - 1
_FOLDERS = 2
_ID = re.compile(
    r";jsessionid=|\(S\(|[0-9a-f]{16}|[0-9A-F]{16}|[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-"
    r"|(?=[0-9]*[A-Fa-f])(?=[A-Fa-f]*[0-9])[0-9A-Fa-f]{8}"
    r"|(?<![A-Za-z0-9])(?=[^a-z]*[a-z])(?=[^A-Z]*[A-Z])[A-Za-z0-9]{20}"
)
_DIGITS = re.compile(r"\d+")
# A path that ends in a date, and only in one: /2026/11, /2026-11-05/, /20261105. What comes behind it is no calendar.
_DATED_PATH = re.compile(
    r"[/_.-]((?:19|2[01])\d\d)"
    r"(?:[/_.-](0?[1-9]|1[0-2])(?:[/_.-](?:0?[1-9]|[12]\d|3[01]))?|(0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]))/?$"
)
_DATED_VALUE = re.compile(r"=((?:19|2[01])\d\d)-?(0[1-9]|1[0-2])(?:-?(?:0[1-9]|[12]\d|3[01]))?(?![0-9])")
_YEAR = re.compile(r"(?:^|&)y(?:ear|r)?=(\d{4})(?![0-9])")
_MONTH = re.compile(r"(?:^|&)m(?:onth|on)?=(\d\d?)(?![0-9])")
_SESSION_NAMES = frozenset({"sid", "phpsessid", "jsessionid", "session", "sessionid", "session_id"})


def static_rule(url: str) -> str | None:
    """The rule by which a normalised URL is a trap whatever its host has shown, or None."""
    stem, _, query = url.partition("?")
    if len(stem) > MAX_PATH:
        return "trap-long-path"
    depth = stem.count("/") - 2
    if depth > MAX_SEGMENTS:
        return "trap-deep-path"
    if depth > MAX_REPEATS:
        segments = stem.split("/")[3:]
        if len(segments) - len(set(segments)) >= MAX_REPEATS and _repeats(segments):
            return "trap-repeated-path"
    if query:
        if len(query) > MAX_QUERY:
            return "trap-long-query"
        if query.count("&") >= MAX_PARAMETERS:
            return "trap-many-parameters"
    return None


class Said(NamedTuple):
    """What a page says, in digests (digest.py); None: it was read before, says nothing, or has no number.

    `is_not_found`: its host says the same of pages that do not exist. Then it says nothing about others of its pattern,
    unless it leads on.
    """

    digest: int | None
    wording: int | None = None
    is_not_found: bool = False


NOTHING = Said(None)


class Novelty(NamedTuple):
    """`is_news`: no page of the host said before what a page says. Of the others of its pattern, as far as they were
    read, `is_little`: they mostly say nothing new, `says_one_thing`: all of them the same.
    """

    is_news: bool
    is_little: bool
    says_one_thing: bool


class Shape(NamedTuple):
    """What kind of URL one is. `pattern` begins with its host; `month`: the one it shows, counted from the year 0.

    `is_numbered`: it ends in a number, or has one in its query, which is no date.
    """

    pattern: str
    month: int | None
    is_numbered: bool = False


def shape_of(url: str) -> Shape:
    """The pattern of a normalised URL, and its month if it is a date and nothing more."""
    stem, _, query = url.partition("?")
    if query:
        ending = f"?{_names(query)}"
        has_number = _DIGITS.search(query) is not None
        month = _month_of_query(query) if has_number else None
        if month is not None:
            return Shape(f"{stem.partition('//')[2]}{ending}", month)
        return Shape(_blanked(stem, keep=True) + ending, None, is_numbered=has_number)
    if not (stem[-1].isdigit() or stem[-2].isdigit()):
        return Shape(_blanked(stem), None)
    dated = _DATED_PATH.search(stem, 8)
    if dated is None:
        return Shape(_blanked(stem), None, is_numbered=True)
    month = 12 * int(dated[1]) + int(dated[2] or dated[3]) - 1
    return Shape(f"{_folder(stem[: dated.start()])}/{{date}}", month)


class Pattern:
    """What is known of one pattern.

    `known`: URLs with a date, a number or parameters that were let in; `read`: pages that said something; `repeated`:
    those that said what a page of the host had said before; `last`: the same of the last 12, a bit each, newest lowest;
    `fruitful`: pages that made other patterns' URLs known; `combined`: URLs without a value of their own that were
    found on the pattern's pages; `dropped`: links refused; `values`: the months, or the parameters with values; `seen`:
    the same as JSON, as the store keeps them; `counting`: what its numbered URLs showed; `trap`: the rule that
    shut it.
    """

    __slots__ = (
        "combined",
        "counting",
        "dropped",
        "fruitful",
        "known",
        "last",
        "read",
        "repeated",
        "seen",
        "trap",
        "values",
    )

    def __init__(self) -> None:
        self.known = self.read = self.repeated = self.last = self.fruitful = self.combined = self.dropped = 0
        self.counting: Counting | None = None
        self.trap: str | None = None
        self.values: Set[str | int] = _NO_VALUES
        self.seen: str | None = None

    def add_values(self, values: Set[str | int]) -> None:
        new = sorted(values - self.values, key=str)
        if new:
            if self.values is _NO_VALUES:  # of most patterns: a set for each would take most of the memory
                self.values = set()
            self.values |= values
            start = f"{self.seen[:-1]}, " if self.seen else "["
            self.seen = start + json.dumps(new)[1:]

    @property
    def leads_nowhere(self) -> bool:
        return self.read >= JUDGED // 2 and 4 * self.fruitful < self.read

    @property
    def repeats(self) -> bool:
        """Whether its pages mostly say what others of the host said before."""
        return self.last.bit_count() >= DUPLICATES and 4 * self.repeated > 3 * self.read

    @property
    def is_endless(self) -> bool:
        return self.counting is not None and self.counting.is_endless


class Learned(Protocol):
    """Where the rows and digests are that `take_rows` gave: a store."""

    def pattern(self, name: str) -> PatternRow | None: ...

    def trap_patterns(self) -> Sequence[PatternRow]: ...

    def has_digest(self, digest: int) -> bool: ...


class Traps:
    """The defence: what every pattern brought, and the verdicts that follow.

    `budgets`: what domains may have.

    Invariant: verdicts depend on the rows, the digests, the seeds and the numbers of pages alone, so who takes them
    over judges alike.
    """

    def __init__(
        self, learned: Learned | None = None, seeds: Iterable[str] = (), budgets: Budgets | None = None
    ) -> None:
        self._learned = learned
        self.budgets = budgets or Budgets()
        # The rules of those that are shut: to judge a URL, the pattern itself is mostly not needed.
        self._shut = {row.name: row.trap for row in learned.trap_patterns()} if learned is not None else {}
        # The patterns met lately, in two generations as KnownUrls has them; without a store all there are.
        self._young: dict[str, Pattern] = {}
        self._old: dict[str, Pattern] = {}
        self._touched: set[str] = set()
        self._new_digests: dict[int, None] = {}
        self.protect(seeds)

    def protect(self, seeds: Iterable[str]) -> None:
        """The domains of these URLs have no budget."""
        self.budgets.protect(map(politeness_key, seeds))

    def verdict(self, url: str) -> tuple[str, str] | None:
        """The rule by which a URL is a trap, known or not, and its pattern; or None."""
        shape = shape_of(url)
        rule = static_rule(url)
        if rule is not None:
            return rule, shape.pattern
        rule = self._shut.get(shape.pattern)
        if rule is None or (shape.month is not None and shape.month in self._values(shape.pattern)):
            return None
        return rule, shape.pattern

    def verdict_on_new(self, url: str, *, is_host_known: bool) -> tuple[str, str] | None:
        """The same for a URL that is not known: its domain must have had room the last time that this was asked."""
        found = self.verdict(url)
        if found is not None:
            return found
        domain = owner_of(hostname(url))
        for name in [domain] if is_host_known else [domain, f"*.{domain}"]:
            rule = self._shut.get(name)
            if rule is not None:
                return rule, name
        return None

    def take_in(self, source: str, said: Said, found: Sequence[str]) -> list[str | None]:
        """Learn from a page, and judge the distinct URLs it links to that are not known.

        Returns per URL the rule against it, or None: it is known from now on.
        """
        if (said.digest is None or said.is_not_found) and not found:
            return []
        shape, host = shape_of(source), politeness_key(source)
        rules: list[str | None] = []
        leads_away = False
        for url in found:
            other = shape_of(url)
            rule = self._judge(url, other, source, shape, host)
            rules.append(rule)
            leads_away = leads_away or (rule is None and _leads_away(shape, other) and not self._is_barren(other))
        if said.digest is not None:
            self._learn(shape, said.digest, said.wording, leads_away)
        return rules

    def novelty(self, url: str, digest: int) -> Novelty:
        """How new it is what a page says that was not taken in yet."""
        pattern = self._pattern(shape_of(url).pattern)
        if pattern is None:
            return Novelty(not self._is_repeated(digest), is_little=False, says_one_thing=True)
        return Novelty(not self._is_repeated(digest), pattern.repeats, pattern.read - pattern.repeated <= 1)

    def take_rows(self) -> tuple[list[PatternRow], list[int]]:
        """Patterns that changed and digests that came since the last call."""
        rows = [_row(name, self._young[name]) for name in sorted(self._touched)]
        digests = list(self._new_digests)
        if self._learned is not None:  # else there is nowhere to find them again
            self._new_digests = {}
            if len(self._young) > _GENERATION:
                self._young, self._old = {}, self._young
        self._touched = set()
        return rows, digests

    def save(self, writer: Writer) -> None:
        patterns, digests = self.take_rows()
        writer.save_patterns(patterns)
        writer.save_digests(digests)
        self.budgets.save(writer)

    def _judge(self, url: str, shape: Shape, source: str, found_on: Shape, source_host: str) -> str | None:
        rule = static_rule(url)
        host = politeness_key(url)
        if rule is not None:
            # Noted by the host: the pattern may have other URLs that are fine.
            self._drop(f"{host} {rule}", rule)
            return rule
        rule = self._rule_of(url, shape, found_on)
        if rule is not None:
            self._drop(shape.pattern, rule)
            return rule
        if host != source_host:
            self.budgets.linked(source_host, [host])
        refusal = self.budgets.refusal(host)
        if refusal is not None:
            rule, name = refusal
            self._drop(name, rule)
            return rule
        self.budgets.add(host)
        has_combinations = shape.month is None and shape.pattern.count("&") >= 2
        if shape.month is None and not shape.is_numbered and not has_combinations:
            return None
        is_own = found_on.pattern == shape.pattern
        pattern = self._touch(shape.pattern)
        pattern.known += 1
        if shape.is_numbered:
            pattern.counting = pattern.counting or Counting()
            pattern.counting.add_url(url, source if is_own else None)
        if shape.month is not None:
            pattern.add_values({shape.month})
        elif has_combinations:
            self._combine(pattern, url, is_own=is_own)
        return None

    def _combine(self, pattern: Pattern, url: str, *, is_own: bool) -> None:
        """Take in the values of a URL's parameters. is_own: it was found on a page of its pattern."""
        if len(pattern.values) < _VALUES_KEPT:
            values = set(url.partition("?")[2].split("&"))
            pattern.combined += is_own and values <= pattern.values
            pattern.add_values(values)

    def _rule_of(self, url: str, shape: Shape, found_on: Shape) -> str | None:
        """The rule that shuts its pattern to a URL, which may be the one that shuts it for good."""
        rule = self._shut.get(shape.pattern)
        if shape.month is None:
            return rule
        pattern = self._pattern(shape.pattern)
        if pattern is None or shape.month in pattern.values:
            return None
        is_endless = len(pattern.values) >= MONTHS and found_on.month is not None and pattern.leads_nowhere
        return "trap-calendar" if rule is None and is_endless and not self._is_numbering(url, pattern) else rule

    def _is_numbering(self, url: str, dated: Pattern) -> bool:
        """Whether what looks like dates are numbers that happen to, /thread/1999/3 beside /thread/4711/3."""
        name = _blanked(url.partition("?")[0])
        numbered = self._pattern(name)
        return numbered is not None and not name.endswith("…") and 10 * numbered.known > dated.known

    def _is_barren(self, shape: Shape) -> bool:
        """Whether the pages of a URL's pattern are known to say nothing new."""
        pattern = self._pattern(shape.pattern)
        return pattern is not None and (pattern.repeats or pattern.is_endless)

    def _learn(self, shape: Shape, digest: int, wording: int | None, leads_away: bool) -> None:
        name = shape.pattern
        pattern = self._touch(name)
        pattern.read += 1
        is_repeated = self._is_repeated(digest)
        if is_repeated:
            pattern.repeated += 1
        else:
            self._new_digests[digest] = None
        pattern.fruitful += leads_away
        pattern.last = (pattern.last << 1 | is_repeated) & _LAST
        if wording is not None and shape.is_numbered:
            pattern.counting = pattern.counting or Counting()
            pattern.counting.add_page(wording)
        if name not in self._shut and pattern.read >= JUDGED:
            rule = _judged(name, pattern)
            if rule is not None:
                self._shut[name] = pattern.trap = rule

    def _is_repeated(self, digest: int) -> bool:
        return digest in self._new_digests or (self._learned is not None and self._learned.has_digest(digest))

    def _drop(self, name: str, rule: str) -> None:
        pattern = self._touch(name)
        pattern.dropped += 1
        self._shut[name] = pattern.trap = rule

    def _values(self, name: str) -> Set[str | int]:
        pattern = self._pattern(name)
        return pattern.values if pattern is not None else _NO_VALUES

    def _touch(self, name: str) -> Pattern:
        pattern = self._pattern(name) or Pattern()
        self._touched.add(name)
        self._young[name] = pattern
        return pattern

    def _pattern(self, name: str) -> Pattern | None:
        pattern = self._young.get(name)
        if pattern is not None:
            return pattern
        pattern = self._old.get(name)
        if pattern is None and self._learned is not None:
            row = self._learned.pattern(name)
            pattern = _pattern(row) if row is not None else None
        if pattern is not None:
            self._young[name] = pattern
        return pattern


def _judged(name: str, pattern: Pattern) -> str | None:
    """The rule that shuts a pattern for what its pages said, or None."""
    if not pattern.leads_nowhere:
        return None
    if pattern.is_endless:
        return "trap-calendar"
    if pattern.repeats:
        return "trap-session" if _has_session(name) else "trap-duplicates"
    enough = max(COMBINATIONS, COMBINATIONS_PER_PAGE * pattern.read)
    return "trap-parameters" if pattern.combined >= enough else None


def _has_session(name: str) -> bool:
    """Whether ids or the parameters of sessions are in a pattern."""
    return "{id}" in name or ("?" in name and not _SESSION_NAMES.isdisjoint(name.lower().partition("?")[2].split("&")))


def _leads_away(shape: Shape, other: Shape) -> bool:
    """Whether a link leads to something that is not of the same make: another date, or another session."""
    if other.pattern == shape.pattern or (shape.month is not None and other.month is not None):
        return False
    return not (_has_session(shape.pattern) and _has_session(other.pattern))


def _repeats(segments: Sequence[str]) -> bool:
    """Whether a run of segments, not of numbers only, comes more than twice in a row."""
    for period in range(1, len(segments) // (MAX_REPEATS + 1) + 1):
        in_a_row = 0
        for place in range(period, len(segments)):
            in_a_row = in_a_row + 1 if segments[place] == segments[place - period] else 0
            if in_a_row >= MAX_REPEATS * period:
                run = segments[place - period + 1 : place + 1]
                if not all(segment.isdigit() for segment in run):
                    return True
    return False


def _names(query: str) -> str:
    """Names of the parameters, sorted, numbers blanked."""
    names = "&".join(sorted([part.partition("=")[0] for part in query.split("&")]))
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
    """Host and path with what varies blanked. keep: leave words in the last segment as they are."""
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
    """A path segment without what varies."""
    if not _DIGITS.search(segment):
        return segment if keep or not segment else "*"
    if len(segment) >= 8 and _ID.search(segment):
        return "{id}"
    if segment.isdigit():
        return "{n}"
    return _DIGITS.sub("{n}", segment) if keep else "*{n}"


def _row(name: str, pattern: Pattern) -> PatternRow:
    return PatternRow(
        name,
        pattern.known,
        pattern.read,
        pattern.repeated,
        pattern.last,
        pattern.fruitful,
        pattern.combined,
        pattern.dropped,
        pattern.seen,
        pattern.trap,
        pattern.counting.to_json() if pattern.counting is not None else None,
    )


def _pattern(row: PatternRow) -> Pattern:
    pattern = Pattern()
    _, pattern.known, pattern.read, pattern.repeated, pattern.last = row[:5]
    pattern.fruitful, pattern.combined, pattern.dropped = row[5:8]
    pattern.seen = row.seen
    pattern.values = set(json.loads(row.seen)) if row.seen else _NO_VALUES
    pattern.trap = row.trap
    pattern.counting = Counting.from_json(row.counting) if row.counting is not None else None
    return pattern
