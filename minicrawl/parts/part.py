"""The contract of a part with the crawl and its commands."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, ClassVar

from minicrawl.crawler.visits.step import Step

if TYPE_CHECKING:
    from minicrawl.audit.rules import Rule
    from minicrawl.settings import CrawlSettings
    from minicrawl.store.reader import Store

CONTRACT = 1
"""The version of this contract: a part for another one may not work."""


class Part(Step):
    """An optional capability. SETTINGS: the dataclass of its own settings; TOPIC: of the help that lists them."""

    SETTINGS: ClassVar[type | None] = None
    TOPIC: ClassVar[str] = "running"

    @staticmethod
    def check(settings: "CrawlSettings") -> None:
        """Raise SettingError for settings that no crawl can be made with here, before there is a store."""

    @staticmethod
    def status(store: "Store") -> Iterable[str]:
        """Lines about the crawl for `minicrawl status`, from the store alone."""
        return ()

    @staticmethod
    def ending(failures: Mapping[str, int]) -> Iterable[str]:
        """Sentences for the end of a run. failures: numbers of pages by the reasons for which they were given up."""
        return ()

    @staticmethod
    def rules() -> "Iterable[Rule]":
        """Rules for `minicrawl audit`."""
        return ()
