"""Findings: the evidence on each URL pattern, from its pages and URLs; the store has it between runs.

Numbered pages that only count are a trap: a calendar by days since some day, by weeks, by offsets, without end. Such
pages repeat each other but for numbers, are linked from each other, and lead to ever more of their kind. Each of these
also holds for honest pages: tables of measurements, articles with a link to the next one, lists. But those have words
of their own, are linked from elsewhere, or end: threads of ten pages each count to ten, however many threads there are.
"""

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Protocol

from minicrawl.store.rows import PatternRow

PAGES = 100
"""Pages judged together, the most wordings kept of them, and the least number that they must count to."""
PAGES_PER_WORDING = 4
_NUMBERS = re.compile(r"-?\d{1,18}")
_WORDING = 0xFFFF_FFFF


class Counting:
    """The wordings of a pattern's numbered pages, and the sources of links to them.

    `known`: admitted URLs, `own` of them found on pages of the pattern; `spans`: least and greatest of the numbers in
    which these differ from the page they were found on, by their place in the URL; `pages`: pages judged of late, and
    `wordings`: digests of their texts without numbers.
    """

    __slots__ = ("known", "own", "pages", "spans", "wordings")

    def __init__(
        self,
        known: int = 0,
        own: int = 0,
        pages: int = 0,
        spans: Mapping[str, tuple[int, int]] | None = None,
        wordings: Iterable[int] = (),
    ) -> None:
        self.known, self.own, self.pages = known, own, pages
        self.spans, self.wordings = dict(spans or {}), set(wordings)

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

    @classmethod
    def from_json(cls, text: str) -> "Counting":
        return cls(*json.loads(text))


JUDGED = 12
"""Pages of a pattern that are parsed before it is judged, and the number of its last pages that count."""
DUPLICATES = 10
"""Pages among these that repeat others, at least, to shut a pattern."""
SAMPLES = 2
"""More pages to read, in case only the first ones repeat each other."""

_VALUES_KEPT = 1_000
_NO_VALUES: Set[str | int] = frozenset()
_LAST = (1 << JUDGED) - 1


class Findings:
    """The findings on one pattern.

    `admitted`: URLs with a date, a number or parameters that became known; `parsed`: pages with content; `repeated`:
    those whose content another page of the host had before; `last`: the same for the last 12, a bit each, newest
    lowest; `fruitful`: pages that made URLs of other patterns known; `combined`: URLs on the pattern's pages that only
    combine known parameter values; `dropped`: links refused; `values`: the months, or the parameters with values;
    `seen`: the same as JSON, for the store; `counting`: of its numbered pages; `trap`: the rule that shut it.
    """

    __slots__ = (
        "admitted",
        "combined",
        "counting",
        "dropped",
        "fruitful",
        "last",
        "parsed",
        "repeated",
        "seen",
        "trap",
        "values",
    )

    def __init__(self) -> None:
        self.admitted = self.parsed = self.repeated = self.last = self.fruitful = self.combined = self.dropped = 0
        self.counting: Counting | None = None
        self.trap: str | None = None
        self.values: Set[str | int] = _NO_VALUES
        self.seen: str | None = None

    def add_values(self, values: Set[str | int]) -> None:
        new = sorted(values - self.values, key=str)
        if new:
            if self.values is _NO_VALUES:  # as for most patterns: a set for each would take most of the memory
                self.values = set()
            self.values |= values
            start = f"{self.seen[:-1]}, " if self.seen else "["
            self.seen = start + json.dumps(new)[1:]

    def add_parameters(self, url: str, *, is_own: bool) -> None:
        """Add the values of a URL's parameters. is_own: it was found on a page of its pattern."""
        if len(self.values) < _VALUES_KEPT:
            values = set(url.partition("?")[2].split("&"))
            self.combined += is_own and values <= self.values
            self.add_values(values)

    def add_numbered(self, url: str, source: str | None) -> None:
        """Add a numbered URL. source: the page with the link, if that is of the pattern too."""
        self.counting = self.counting or Counting()
        self.counting.add_url(url, source)

    def add_page(self, wording: int | None, *, is_repeated: bool, is_fruitful: bool) -> None:
        """Add a page. wording: digest of a numbered page's text without numbers."""
        self.parsed += 1
        self.repeated += is_repeated
        self.fruitful += is_fruitful
        self.last = (self.last << 1 | is_repeated) & _LAST
        if wording is not None:
            self.counting = self.counting or Counting()
            self.counting.add_page(wording)

    @property
    def leads_nowhere(self) -> bool:
        return self.parsed >= JUDGED // 2 and 4 * self.fruitful < self.parsed

    @property
    def is_repetitive(self) -> bool:
        """True if its pages mostly repeat other pages of the host."""
        return self.last.bit_count() >= DUPLICATES and 4 * self.repeated > 3 * self.parsed

    @property
    def is_sampled(self) -> bool:
        """True if its samples repeated other pages as well."""
        return self.parsed >= JUDGED + SAMPLES and self.last == _LAST

    @property
    def is_endless(self) -> bool:
        return self.counting is not None and self.counting.is_endless

    def row(self, name: str) -> PatternRow:
        return PatternRow(
            name=name,
            admitted=self.admitted,
            parsed=self.parsed,
            repeated=self.repeated,
            last=self.last,
            fruitful=self.fruitful,
            combined=self.combined,
            dropped=self.dropped,
            seen=self.seen,
            trap=self.trap,
            counting=self.counting.to_json() if self.counting is not None else None,
        )

    @classmethod
    def of(cls, row: PatternRow) -> "Findings":
        found = cls()
        found.admitted, found.parsed, found.repeated, found.last = row.admitted, row.parsed, row.repeated, row.last
        found.fruitful, found.combined, found.dropped = row.fruitful, row.combined, row.dropped
        found.seen = row.seen
        found.values = set(json.loads(row.seen)) if row.seen else _NO_VALUES
        found.trap = row.trap
        found.counting = Counting.from_json(row.counting) if row.counting is not None else None
        return found


_GENERATION = 50_000
"""Patterns, and digests, in one of two generations."""


class PatternStore(Protocol):
    """The store that has the rows and digests of earlier `take_rows`."""

    def pattern(self, name: str) -> PatternRow | None: ...

    def trap_patterns(self) -> Sequence[PatternRow]: ...

    def has_digest(self, digest: int) -> bool: ...


class KnownPatterns:
    """The findings by pattern name, and digests: recent ones in memory, all others in the store, if there is one."""

    def __init__(
        self, store: PatternStore | None = None, *, is_empty: bool = False, generation: int = _GENERATION
    ) -> None:
        """is_empty: the store has no rows yet. generation: number of patterns, and of digests, in one of two."""
        self._store = store
        self._generation = generation
        # The rules of shut patterns: a verdict on a URL rarely needs the findings themselves.
        self._shut = {row.name: row.trap for row in store.trap_patterns()} if store is not None else {}
        # Recent patterns in two generations, as in KnownUrls; without a store, all patterns.
        self._young: dict[str, Findings] = {}
        self._old: dict[str, Findings] = {}
        self._changed: set[str] = set()
        # Recent digests likewise. Those of pages read once are rarely met again: a hit moves none.
        self._digests: set[int] = set()
        self._old_digests: set[int] = set()
        self._new_digests: list[int] = []
        # True while memory has all patterns, and all digests: then the store knows no other.
        self._has_all_patterns = self._has_all_digests = is_empty or store is None

    def shut_by(self, name: str) -> str | None:
        """The rule that shut a pattern, domain or host, or None."""
        return self._shut.get(name)

    def shut(self, name: str, rule: str) -> None:
        self._shut[name] = self.changed(name).trap = rule

    def drop(self, name: str, rule: str) -> None:
        """Count a refused link, and shut the pattern, domain or host of that name by the rule."""
        self.changed(name).dropped += 1
        self.shut(name, rule)

    def findings(self, name: str) -> Findings | None:
        found = self._young.get(name)
        if found is not None:
            return found
        found = self._old.get(name)
        if found is None and self._store is not None and not self._has_all_patterns:
            row = self._store.pattern(name)
            found = Findings.of(row) if row is not None else None
        if found is not None:
            self._young[name] = found
        return found

    def changed(self, name: str) -> Findings:
        """The findings of a pattern, to be changed; the next commit writes them."""
        found = self.findings(name) or Findings()
        self._changed.add(name)
        self._young[name] = found
        return found

    def is_known(self, digest: int) -> bool:
        """True if a page had this content before."""
        if digest in self._digests or digest in self._old_digests:
            return True
        return self._store is not None and not self._has_all_digests and self._store.has_digest(digest)

    def add_digest(self, digest: int) -> None:
        self._digests.add(digest)
        self._new_digests.append(digest)

    def take_rows(self) -> tuple[list[PatternRow], list[int]]:
        """Patterns that changed and new digests since the last call."""
        rows = [self._young[name].row(name) for name in sorted(self._changed)]
        digests, self._new_digests, self._changed = self._new_digests, [], set()
        if self._store is not None:  # else there is nowhere to find them again
            self._age()
        return rows, digests

    def _age(self) -> None:
        """Drop the old generations once the young ones are full."""
        if len(self._young) > self._generation:
            self._has_all_patterns = self._has_all_patterns and not self._old
            self._young, self._old = {}, self._young
        if len(self._digests) > self._generation:
            self._has_all_digests = self._has_all_digests and not self._old_digests
            self._digests, self._old_digests = set(), self._digests
