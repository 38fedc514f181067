"""Patterns and digests of the trap defence, read as they were written."""

from pathlib import Path

from minicrawl.store.patterns import PatternRow
from minicrawl.store.writer import Writer


def pattern(name: str, dropped: int, trap: str | None) -> PatternRow:
    return PatternRow(name, 1, 2, 3, 4, 5, dropped, trap, '["x"]', None)


def test_patterns_come_back_and_those_that_are_shut_by_what_they_refused(tmp_path: Path) -> None:
    patterns = [pattern("a", 1, "trap-calendar"), pattern("b", 9, None), pattern("c", 5, "trap-values")]
    with Writer(tmp_path / "crawl.db") as writer:
        with writer.transaction():
            writer.put(PatternRow, patterns)
            writer.save_digests([7, -7])
        assert writer.patterns.trap_patterns() == [patterns[2], patterns[0]]
        assert writer.patterns.pattern("b") == patterns[1]
        assert writer.patterns.pattern("d") is None
        assert writer.patterns.has_digest(-7)
        assert not writer.patterns.has_digest(8)
