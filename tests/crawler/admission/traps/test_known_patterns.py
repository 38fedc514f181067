"""What was learned of patterns: in memory, or where it was written to."""

from collections.abc import Sequence

from minicrawl.crawler.admission.traps.known_patterns import KnownPatterns
from minicrawl.store.rows import PatternRow


class Rows:
    """A store of what `take_rows` gave."""

    def __init__(self, patterns: KnownPatterns) -> None:
        rows, digests = patterns.take_rows()
        self.rows, self.digests = {row.name: row for row in rows}, set(digests)

    def pattern(self, name: str) -> PatternRow | None:
        return self.rows.get(name)

    def trap_patterns(self) -> Sequence[PatternRow]:
        return [row for row in self.rows.values() if row.trap is not None]

    def has_digest(self, digest: int) -> bool:
        return digest in self.digests


def test_what_was_shut_stays_shut_in_the_next_run() -> None:
    patterns = KnownPatterns()
    patterns.changed("open").parsed += 1
    patterns.drop("shut", "trap-calendar")
    again = KnownPatterns(Rows(patterns))
    assert (again.shut_by("shut"), again.shut_by("open"), again.shut_by("unknown")) == ("trap-calendar", None, None)
    shut, still_open = again.findings("shut"), again.findings("open")
    assert shut is not None
    assert still_open is not None
    assert (shut.dropped, still_open.parsed) == (1, 1)
    assert again.findings("unknown") is None


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


def test_digests_are_remembered_where_there_is_no_store() -> None:
    patterns = KnownPatterns()
    patterns.add_digest(7)
    patterns.take_rows()
    assert patterns.is_known(7)
    assert not patterns.is_known(8)
