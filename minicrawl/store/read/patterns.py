"""URL patterns learned by the trap defence."""

from minicrawl.store.read.tables import Tables
from minicrawl.store.rows import PatternRow


class Patterns:
    """Reads the tables `patterns` and `digests`."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    def trap_patterns(self) -> list[PatternRow]:
        """Patterns shut by a rule, most dropped links first."""
        return self._tables.records(PatternRow, "patterns WHERE trap IS NOT NULL ORDER BY dropped DESC, name")

    def pattern(self, name: str) -> PatternRow | None:
        """The row of one pattern; None if unknown."""
        return self._tables.record(PatternRow, "patterns WHERE name = ?", name)

    def has_digest(self, digest: int) -> bool:
        """True if a parsed page had this digest."""
        return self._tables.row("SELECT 1 FROM digests WHERE digest = ?", digest) is not None
