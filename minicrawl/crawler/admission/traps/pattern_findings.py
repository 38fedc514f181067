"""What the pages and URLs of one pattern brought so far."""

import json
from collections.abc import Set

from minicrawl.crawler.admission.traps.numbered_pages import Counting
from minicrawl.store.rows import PatternRow

JUDGED = 12
"""Pages of a pattern that are parsed before it is judged, and how many of its last pages count."""
DUPLICATES = 10
"""Of these, pages that say what others said before."""
SAMPLES = 2
"""Pages more that are read to see whether the first ones were the only ones that repeat each other."""

_VALUES_KEPT = 1_000
_NO_VALUES: Set[str | int] = frozenset()
_LAST = (1 << JUDGED) - 1


class Findings:
    """What is known of one pattern.

    `admitted`: URLs with a date, a number or parameters that became known; `parsed`: pages that said something;
    `repeated`: those that said what a page of the host had said before; `last`: the same of the last 12, a bit each,
    newest lowest; `fruitful`: pages that made other patterns' URLs known; `combined`: URLs without a value of their own
    that were found on the pattern's pages; `dropped`: links refused; `values`: the months, or the parameters with
    values; `seen`: the same as JSON, as the store keeps them; `counting`: what its numbered URLs showed; `trap`: the
    rule that shut it.
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
            if self.values is _NO_VALUES:  # of most patterns: a set for each would take most of the memory
                self.values = set()
            self.values |= values
            start = f"{self.seen[:-1]}, " if self.seen else "["
            self.seen = start + json.dumps(new)[1:]

    def add_parameters(self, url: str, *, is_own: bool) -> None:
        """Note the values of a URL's parameters. is_own: it was found on a page of its pattern."""
        if len(self.values) < _VALUES_KEPT:
            values = set(url.partition("?")[2].split("&"))
            self.combined += is_own and values <= self.values
            self.add_values(values)

    def add_numbered(self, url: str, source: str | None) -> None:
        """Note a numbered URL. source: where it was found, if that is of the pattern, too."""
        self.counting = self.counting or Counting()
        self.counting.add_url(url, source)

    def add_page(self, wording: int | None, *, is_repeated: bool, is_fruitful: bool) -> None:
        """Note what a page said. wording: of a numbered one, what it said but for numbers."""
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
        """Whether its pages mostly say what others of the host said before."""
        return self.last.bit_count() >= DUPLICATES and 4 * self.repeated > 3 * self.parsed

    @property
    def is_sampled(self) -> bool:
        """Whether samples have shown, too, that its pages say nothing new."""
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
