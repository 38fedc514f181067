"""Findings on one pattern: told from honest numbered pages, saved and loaded whole; and the rules that look at them."""

import pytest

from minicrawl.crawler.admission.trap_findings import JUDGED, PAGES, Counting, Findings, KnownPatterns
from minicrawl.store.recognised import PatternRow, Patterns


def url(number: int) -> str:
    return f"http://a.test/day/{number}"


def counted(pages: int, *, wordings: int = 1, own: bool = True) -> Counting:
    counting = Counting()
    for number in range(pages):
        counting.add_url(url(number + 1), url(number) if own else None)
        counting.add_page(number % wordings)
    return counting


def test_too_many_wordings_are_counted_anew() -> None:
    counting = counted(PAGES + 1, wordings=PAGES + 1)
    assert (counting.pages, counting.wordings) == (0, set())


def parsed(*, repeated: int, fruitful: int, pages: int = JUDGED) -> Findings:
    findings = Findings()
    for number in range(pages):
        findings.add_page(None, is_repeated=number >= pages - repeated, is_fruitful=number < fruitful)
    return findings


@pytest.mark.parametrize(
    ("name", "findings", "rule"),
    [
        ("a.test/shop/*", parsed(repeated=JUDGED, fruitful=0), "trap-duplicates"),
        ("a.test/shop/{id}", parsed(repeated=JUDGED, fruitful=0), "trap-session"),
        ("a.test/shop?sid", parsed(repeated=JUDGED, fruitful=0), "trap-session"),
        ("a.test/shop/*", parsed(repeated=JUDGED - 1, fruitful=0, pages=JUDGED - 1), None),
        ("a.test/shop/*", parsed(repeated=JUDGED, fruitful=JUDGED // 4), None),
        ("a.test/shop/*", Findings(), None),
    ],
)
def test_learned_rules_look_at_what_the_pages_of_a_pattern_said(
    name: str, findings: Findings, rule: str | None
) -> None:
    assert findings.rule(name) == rule


def test_known_values_in_a_new_order_are_a_combination() -> None:
    findings = Findings()
    findings.add_parameters("http://a.test/?a=1&b=2", is_own=False)
    findings.add_parameters("http://a.test/?b=2&a=1", is_own=True)
    findings.add_parameters("http://a.test/?a=1&b=3,4", is_own=True)
    findings.add_parameters("http://a.test/?a=1&b=4%2C2%7C3", is_own=True)
    assert findings.combined == 9, "a list counts for many"
    assert findings.values == {"a=1", "b=2", "b=3", "b=4"}


def test_findings_come_back_from_their_row() -> None:
    findings = parsed(repeated=3, fruitful=2)
    for month in (24_000, 24_001, 24_000):
        findings.add_month(month)
    findings.counting = counted(PAGES)
    findings.dropped, findings.trap = 4, "trap-values"
    row = findings.row("p")
    again = Findings.of(row)
    assert again.row("p") == row
    assert again.values == {24_000, 24_001}
    assert again.is_endless
    assert Findings.of(Findings().row("q")).row("q") == Findings().row("q")


class Rows(Patterns):
    """A store of what `take_rows` gave."""

    def __init__(self, patterns: KnownPatterns) -> None:
        rows, digests = patterns.take_rows()
        self.rows, self.digests = {row.name: row for row in rows}, set(digests)

    def pattern(self, name: str) -> PatternRow | None:
        return self.rows.get(name)

    def trap_patterns(self) -> list[PatternRow]:
        return [row for row in self.rows.values() if row.trap is not None]

    def has_digest(self, digest: int) -> bool:
        return digest in self.digests


def test_only_what_changed_is_written() -> None:
    patterns = KnownPatterns()
    patterns.changed("a").parsed += 1
    patterns.add_digest(7)
    patterns = KnownPatterns(Rows(patterns))
    assert patterns.is_known(7)
    assert patterns.findings("a") is not None
    assert patterns.take_rows() == ([], [])
    patterns.changed("a").parsed += 1
    patterns.add_digest(8)
    rows, digests = patterns.take_rows()
    assert [(row.name, row.parsed) for row in rows] == [("a", 2)]
    assert digests == [8]


class Emptied(Rows):
    """A store that is written to, and that nobody need read while memory has all."""

    def __init__(self, patterns: KnownPatterns) -> None:
        super().__init__(patterns)
        self.reads = 0

    def write(self, patterns: KnownPatterns) -> None:
        rows, digests = patterns.take_rows()
        self.rows |= {row.name: row for row in rows}
        self.digests |= set(digests)

    def pattern(self, name: str) -> PatternRow | None:
        self.reads += 1
        return super().pattern(name)

    def has_digest(self, digest: int) -> bool:
        self.reads += 1
        return super().has_digest(digest)


def test_the_store_is_read_only_for_what_memory_has_dropped() -> None:
    store = Emptied(KnownPatterns())
    patterns = KnownPatterns(store, is_empty=True, most=5)
    for number in range(5):
        patterns.changed(f"pattern {number}").parsed += 1
        patterns.add_digest(number)
        assert not patterns.is_known(number + 1)
        assert patterns.findings("unknown") is None
    store.write(patterns)
    assert patterns.is_known(0)
    assert store.reads == 0
    patterns.add_digest(5)
    store.write(patterns)
    assert patterns.is_known(0)
    first = patterns.findings("pattern 0")
    assert first is not None
    assert first.parsed == 1
    assert patterns.findings("pattern 0") is first
    assert store.reads == 2
    assert not patterns.is_known(9)
    assert patterns.findings("unknown") is None
    assert store.reads == 4


def test_digests_are_remembered_where_there_is_no_store() -> None:
    patterns = KnownPatterns()
    patterns.add_digest(7)
    patterns.take_rows()
    assert patterns.is_known(7)
    assert not patterns.is_known(8)
