"""Facts of pages for an audit (--audit)."""

from collections.abc import Iterable
from typing import Self

from minicrawl.crawler.html.facts import name_hash, numbers_to_bytes
from minicrawl.crawler.known.known_urls import KnownUrls
from minicrawl.crawler.urls.parameters import stripped
from minicrawl.crawler.visits.part import Opening, Part
from minicrawl.crawler.visits.turn import Turn
from minicrawl.model import PageFacts
from minicrawl.store.reader import Store
from minicrawl.store.rows import FactsRow
from minicrawl.store.writer import Writer


class Facts(Part):
    """Keeps the facts of every HTML page as of its last answer. A store that has facts goes on without stale ones."""

    def __init__(self, urls: KnownUrls, *, keep_parameters: bool) -> None:
        self._urls = urls
        self._keep_parameters = keep_parameters
        self._rows: dict[int, FactsRow] = {}
        self._gone: set[int] = set()

    @classmethod
    def of(cls, opening: Opening) -> Self | None:
        settings = opening.settings
        if not (settings.audit or opening.state.writer.facts.is_there()):
            return None
        return cls(opening.state.urls, keep_parameters=settings.keep_parameters)

    @staticmethod
    def explain(store: Store, page: int) -> Iterable[str]:
        if store.facts.is_cut(page):
            yield "audit       it has more elements, names of parts or links than are kept for an audit"

    def on_turn(self, turn: Turn) -> None:
        facts = turn.parsed.facts
        if facts is None:
            self._rows.pop(turn.page, None)
            self._gone.add(turn.page)
            return
        self._gone.discard(turn.page)
        self._rows[turn.page] = self._row(turn.page, facts)

    def save(self, writer: Writer) -> None:
        writer.save_facts(self._rows.values(), self._gone)
        self._rows.clear()
        self._gone.clear()

    def _row(self, page: int, facts: PageFacts) -> FactsRow:
        urls = list(dict.fromkeys(url for url, _ in facts.fragments))
        known_as = urls if self._keep_parameters else list(map(stripped, urls))
        page_of = dict(zip(urls, self._urls.find(known_as), strict=True))
        fragments = [(target, name) for url, name in facts.fragments if (target := page_of[url]) is not None]
        packed_row = {
            "page": page,
            "mixed": " ".join(facts.mixed) or None,
            "fragments": numbers_to_bytes(number for target, name in fragments for number in (target, name_hash(name))),
            "names": " ".join(name for _, name in fragments),
        }
        kept = {name: value for name, value in facts._asdict().items() if name in FactsRow._fields}
        return FactsRow(**(kept | packed_row))
