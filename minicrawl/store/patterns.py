"""URL patterns learned by the trap defence."""

from typing import Annotated, NamedTuple

from minicrawl.store.declaration import table
from minicrawl.store.tables import Subject


class PatternRow(NamedTuple):
    """What the trap defence has learned of URLs with this pattern: a host and a path with what varies blanked.

    A mere site has the links dropped beyond its budget; a host and a rule the links that this rule dropped.
    """

    name: str
    parsed: Annotated[int, "pages that were parsed and have text"]
    repeated: Annotated[int, "of these, what another page of the host had said before"]
    last: Annotated[int, "the same of the last 12: a bit each"]
    fruitful: Annotated[int, "of these, pages that made URLs of other patterns known"]
    combined: Annotated[int, "URLs found on its pages that only combine parameters known before"]
    dropped: Annotated[int, "links that were not counted because of the pattern"]
    trap: Annotated[str | None, "the rule that shut it"]
    seen: Annotated[str | None, "JSON: months or parameters"]
    counting: Annotated[str | None, "JSON: what its numbered URLs showed"]


table("patterns", "what the trap defence has learned, see crawler/admission/trap_findings.py", PatternRow, keys="name")
table("digests", "64-bit digests of what the pages of a host said, the host in the digest", keys="digest", digest=int)


class Patterns(Subject):
    """Reads the tables `patterns` and `digests`."""

    def trap_patterns(self) -> list[PatternRow]:
        """Patterns shut by a rule, most dropped links first."""
        return self._tables.records(PatternRow, "patterns WHERE trap IS NOT NULL ORDER BY dropped DESC, name")

    def pattern(self, name: str) -> PatternRow | None:
        """The row of one pattern; None if unknown."""
        return self._tables.record(PatternRow, "patterns WHERE name = ?", name)

    def has_digest(self, digest: int) -> bool:
        """True if a parsed page had this digest."""
        return self._tables.row("SELECT 1 FROM digests WHERE digest = ?", digest) is not None
