"""Counts of a run beside its pages."""

from collections import Counter
from dataclasses import dataclass, field

from minicrawl.store.writer import Writer


@dataclass
class Tally:
    """`left_out`: links of visited pages that are out of scope, filtered or in a trap. `elsewhere`: links of pages
    that had their turn to URLs that this crawl does not own, repeats included; the two exclude each other.
    `failures`: turns of this run that found nothing, by reason. `refreshed`: answers of this run for pages that had
    their turn before.
    """

    left_out: int = 0
    elsewhere: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    refreshed: int = 0

    @classmethod
    def of(cls, writer: Writer) -> "Tally":
        """The tally of the last run of a store."""
        return cls(int(writer.meta("links_left_out") or 0), int(writer.meta("links_elsewhere") or 0))

    def save(self, writer: Writer) -> None:
        writer.save_meta({"links_left_out": self.left_out})
        if self.elsewhere:
            writer.save_meta({"links_elsewhere": self.elsewhere})
