"""The contract of a part with the crawl and its commands."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar  # Any: JSON

from minicrawl.crawler.visits.step import Opening, Step

if TYPE_CHECKING:
    from minicrawl.audit.rules import Rule
    from minicrawl.crawler.sources.local import Equipment, SourceSpec
    from minicrawl.settings import CrawlSettings
    from minicrawl.store.reader import Store

CONTRACT = 1
"""The version of this contract: a part for another one may not work."""


S = TypeVar("S")


def own(settings: "CrawlSettings", kind: type[S]) -> S:
    """The settings of one part, out of those of a crawl."""
    assert isinstance(settings, kind), "all settings are fields of one class"
    return settings


class Part(Step):
    """An optional capability. SETTINGS: the dataclass of its own settings; TOPIC: of the help that lists them."""

    SETTINGS: ClassVar[type | None] = None
    TOPIC: ClassVar[str] = "keep"

    @classmethod
    def of(cls, opening: Opening) -> Step | None:
        """The step of a crawl that does the part's work; None if it has none to do."""
        return None

    @staticmethod
    def check(settings: "CrawlSettings") -> None:
        """Raise SettingError for settings that do not work here. Called before there is a store."""

    @staticmethod
    def equip(spec: "SourceSpec", equipment: "Equipment") -> None:
        """Add what the part needs in a process that fetches and reads. Raises SettingError."""

    @staticmethod
    def wants(settings: "CrawlSettings") -> Collection[str]:
        """Header fields of answers that the step needs: their names in lower case, see `Fetched.fields`."""
        return ()

    @staticmethod
    def gathers(settings: "CrawlSettings") -> Collection[str]:
        """What the step needs from each page besides its links: names of `minicrawl.model.Wanted`."""
        return ()

    @staticmethod
    def starting(settings: "CrawlSettings") -> Iterable[str]:
        """Sentences for the start of a run."""
        return ()

    @staticmethod
    def conclude(settings: "CrawlSettings", finals: Sequence[Any]) -> None:
        """End a crawl in partitions. finals: those of the steps in all partitions, see `Step.final`."""

    @staticmethod
    def figures(store: "Store") -> Mapping[str, Any]:
        """Figures about the crawl for JSON, from the store alone. For partitions, numbers are added and lists joined.
        `left_out`: pages that wait, and will not be read."""
        return {}

    @staticmethod
    def status(figures: Mapping[str, Any]) -> Iterable[str]:
        """Lines about the crawl for `minicrawl status`."""
        return ()

    @staticmethod
    def ending(failures: Mapping[str, int], figures: Mapping[str, Any]) -> Iterable[str]:
        """Sentences for the end of a run. failures: numbers of pages by the reasons for which they were given up."""
        return ()

    @staticmethod
    def rules() -> "Iterable[Rule]":
        """Rules for `minicrawl audit`."""
        return ()
