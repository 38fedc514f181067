"""What was learned so far: of every pattern its findings, which patterns are shut, and which digests were met."""

from collections.abc import Sequence
from typing import Protocol

from minicrawl.crawler.admission.traps.pattern_findings import Findings
from minicrawl.store.rows import PatternRow

_GENERATION = 50_000


class PatternStore(Protocol):
    """Where the rows and digests are that `take_rows` gave: a store."""

    def pattern(self, name: str) -> PatternRow | None: ...

    def trap_patterns(self) -> Sequence[PatternRow]: ...

    def has_digest(self, digest: int) -> bool: ...


class KnownPatterns:
    """The findings by name of pattern: those met lately in memory, all others in the store, if there is one."""

    def __init__(self, store: PatternStore | None = None) -> None:
        self._store = store
        # The rules of those that are shut: to judge a URL, the findings themselves are mostly not needed.
        self._shut = {row.name: row.trap for row in store.trap_patterns()} if store is not None else {}
        # The patterns met lately, in two generations as KnownUrls has them; without a store all there are.
        self._young: dict[str, Findings] = {}
        self._old: dict[str, Findings] = {}
        self._changed: set[str] = set()
        self._new_digests: dict[int, None] = {}

    def shut_by(self, name: str) -> str | None:
        """The rule that shut a pattern, domain or host, or None: it is open."""
        return self._shut.get(name)

    def shut(self, name: str, rule: str) -> None:
        self._shut[name] = self.changed(name).trap = rule

    def drop(self, name: str, rule: str) -> None:
        """Note that a link was refused, by a rule that shuts what is called so."""
        self.changed(name).dropped += 1
        self.shut(name, rule)

    def findings(self, name: str) -> Findings | None:
        found = self._young.get(name)
        if found is not None:
            return found
        found = self._old.get(name)
        if found is None and self._store is not None:
            row = self._store.pattern(name)
            found = Findings.of(row) if row is not None else None
        if found is not None:
            self._young[name] = found
        return found

    def changed(self, name: str) -> Findings:
        """The findings of a pattern, which the next commit writes."""
        found = self.findings(name) or Findings()
        self._changed.add(name)
        self._young[name] = found
        return found

    def is_known(self, digest: int) -> bool:
        """Whether a page said this before."""
        return digest in self._new_digests or (self._store is not None and self._store.has_digest(digest))

    def add_digest(self, digest: int) -> None:
        self._new_digests[digest] = None

    def take_rows(self) -> tuple[list[PatternRow], list[int]]:
        """Patterns that changed and digests that came since the last call."""
        rows = [self._young[name].row(name) for name in sorted(self._changed)]
        digests = list(self._new_digests)
        if self._store is not None:  # else there is nowhere to find them again
            self._new_digests = {}
            if len(self._young) > _GENERATION:
                self._young, self._old = {}, self._young
        self._changed = set()
        return rows, digests
