"""Which URLs are one page, and which need not be requested (docs/same-page.md).

judge          what pages of a host have said, by what their URLs share: what is read now, later, or in samples
pairs          parameters and spellings that change nothing
plainer_first  pages that wait for a plainer one
known_lines    the lines of text that pages of a host have
host_book      what is known of one host
tables         all that in the store; stored: read from there, and written
step           all that in a crawl
words          all that for people
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from logging import INFO
from typing import TYPE_CHECKING, Any  # Any: JSON

from minicrawl import log
from minicrawl.parts.part import Part, own
from minicrawl.parts.samepage import tables  # noqa: F401 - declares them
from minicrawl.setting import LIVE, PATTERNS, setting

if TYPE_CHECKING:
    from minicrawl.crawler.visits.step import Opening, Step
    from minicrawl.store.reader import Store

log.declare("parameter-judged", "on {host} {parameter} {verdict}", INFO)


@dataclass(frozen=True)
class SamePageSettings:
    ask: tuple[str, ...] = setting(
        (), PATTERNS, "Read URLs that match, even when pages like them say nothing new. Repeatable.", LIVE
    )


class SamePages(Part):
    """Judges URLs by what pages like them have said."""

    SETTINGS, TOPIC = SamePageSettings, "traps"

    @classmethod
    def of(cls, opening: "Opening") -> "Step | None":
        if not opening.settings.traps:
            return None
        from minicrawl.parts.samepage.step import SamePage  # noqa: PLC0415

        return SamePage(opening, own(opening.settings, SamePageSettings).ask)

    @staticmethod
    def figures(store: "Store") -> Mapping[str, Any]:
        from minicrawl.parts.samepage import words  # noqa: PLC0415

        return words.figures(store)

    @staticmethod
    def status(figures: Mapping[str, Any]) -> Iterable[str]:
        from minicrawl.parts.samepage import words  # noqa: PLC0415

        return words.status_lines(figures)

    @staticmethod
    def ending(failures: Mapping[str, int], figures: Mapping[str, Any]) -> Iterable[str]:
        from minicrawl.parts.samepage import words  # noqa: PLC0415

        return words.sentences(figures)

    @staticmethod
    def explain(store: "Store", page: int) -> Iterable[str]:
        from minicrawl.parts.samepage import words  # noqa: PLC0415

        return words.explain(store, page)

    @staticmethod
    def known_as(store: "Store", url: str) -> str:
        from minicrawl.parts.samepage import words  # noqa: PLC0415

        return words.known_as(store, url)
