"""Steps of a crawl beside its visits: their interface, and the list of those that are on.

A step overrides the methods that it needs. The list calls only overridden methods, in order, so a step that is off, or
has nothing to do at some point, costs nothing there.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from typing import TYPE_CHECKING, ClassVar, TypeVar

from msgspec import Struct

from minicrawl.model import ArchiveRecord, Fetched, PageRequest, ParsedPage
from minicrawl.web.urls.keys import origin_of
from minicrawl.web.urls.normalise import with_outlinks

if TYPE_CHECKING:  # all parts are read at the start of every command
    from minicrawl.crawler.known.crawl_state import CrawlState
    from minicrawl.crawler.requests.request import Kind
    from minicrawl.crawler.sources.source import PageSource
    from minicrawl.crawler.visits.aliases import Aliases
    from minicrawl.crawler.visits.turn import Turn
    from minicrawl.settings import CrawlSettings
    from minicrawl.store.reader import Store
    from minicrawl.store.writer import Writer

P = TypeVar("P", bound="Step")


class Step:
    """What a crawl does beside its visits. Each method does nothing unless it is overridden."""

    def __init__(self, opening: "Opening") -> None:
        """The step, as the store left it. Raises SettingError, StoreError."""

    @classmethod
    def of(cls, opening: "Opening") -> "Step | None":
        """The step; None if it is switched off."""
        return cls(opening)

    @staticmethod
    def explain(store: "Store", page: int) -> Iterable[str]:
        """Lines about a page for `minicrawl why`, from the store alone: a reading command has no running step."""
        return ()

    @staticmethod
    def known_as(store: "Store", url: str) -> str:
        """The URL under which the page of a normalised URL is known, from the store alone."""
        return url

    # Requests.

    def request(self, page: int, asked: PageRequest) -> PageRequest:
        """Change the request for a page. A commit may be under way: nothing that it writes may change here."""
        return asked

    def plain(self, urls: Sequence[str]) -> Sequence[str]:
        """The URLs under which the pages of some normalised URLs are known."""
        return urls

    def lets_wait(self, page: int, url: str) -> bool:
        """True if a page whose turn has come waits; the step keeps it, and brings it back when its host is idle."""
        return False

    def spares(self, page: int, url: str) -> bool:
        """True if a page must not be asked ahead of its turn, to see how its host is."""
        return False

    def on_idle(self, host: int, now: float) -> None:
        """No page of a host, by number, waits for its turn."""

    def refusal(self, page: int, url: str) -> str | None:
        """The reason code why a page must not be fetched, or None."""
        return None

    def source(self, source: "PageSource") -> "PageSource":
        """Wrap the source that is about to be asked."""
        return source

    def kinds(self) -> "Iterable[Kind]":
        """The kinds of request that the step makes by itself."""
        return ()

    def on_record(self, record: ArchiveRecord, page: int | None) -> None:
        """Called when an answer is in the archive. page: None for requests that are not for a page."""

    wanted: dict[str, str]
    """By origin the URL of a probe, to be asked for once, in place of a page whose turn has come; taken out then."""
    probes_last: ClassVar[bool] = False
    """Probes are made even at origins that have no page left."""

    def on_probe(self, fetched: Fetched, title: str | None, now: float) -> None:
        """Take in the answer to a probe, and its title."""

    # The turn of a page, in this order.

    def on_answer(self, turn: "Turn") -> bool:
        """Take in any answer for a page first. True: the step has put the page back, and it has no turn now."""
        return False

    def recognise(self, turn: "Turn") -> bool:
        """Replace `turn.outcome` if other pages prove it wrong. True: ask no further step."""
        return False

    def on_links(self, turn: "Turn") -> None:
        """The links of the page are known; its cash is not spent yet."""

    def on_turn(self, turn: "Turn") -> None:
        """The page has had its turn."""

    def on_unchanged(self, turn: "Turn") -> None:
        """The page has had its turn, and is as it was."""

    # The crawl.

    def on_settings(self, settings: "CrawlSettings", changed: Set[str], now: float) -> None:
        """Some settings were changed while the crawl runs. changed: their names."""

    def save(self, writer: "Writer") -> None:
        """Write all changes since the last commit, within the transaction of the next."""

    def after_commit(self) -> None:
        """Everything so far is in the store. Called in the accounting thread."""

    def on_settled(self) -> None:
        """The ranking is settled, and is about to be committed for the last time."""

    def finish(self) -> None:
        """The run is over, and everything is committed."""

    def final(self) -> object:
        """What a partition's step hands to the whole crawl at its end; can be pickled."""
        return None


class Opening(Struct, frozen=True):
    """Arguments for opening steps. `opened`: the steps before this one in the list. `now`: Unix seconds."""

    state: "CrawlState"
    settings: "CrawlSettings"
    aliases: "Aliases"
    now: float
    opened: list[Step]

    def plain(self, urls: Sequence[str]) -> Sequence[str]:
        """The URLs under which the pages of some normalised URLs are known, as all steps see it."""
        for step in self.opened:
            urls = step.plain(urls)
        return urls

    def plain_links(self, parsed: ParsedPage) -> ParsedPage:
        """The page with plain outlinks."""
        outlinks = self.plain(parsed.outlinks)
        return parsed if outlinks is parsed.outlinks else with_outlinks(parsed, tuple(outlinks))

    def step(self, kind: type[P]) -> P:
        """The step of a kind that is always on and stands further up in the list."""
        (found,) = (step for step in self.opened if isinstance(step, kind))
        return found


class Steps:
    """The steps that are on, in order."""

    def __init__(self, kinds: Iterable[type[Step]], opening: Opening) -> None:
        self._finals: dict[str, Callable[[], object]] = {}
        for kind in kinds:
            step = kind.of(opening)
            if step is not None:
                opening.opened.append(step)
                self._finals[kind.__name__] = step.final
        self._steps = tuple(opening.opened)
        self._probes: dict[str, Step] = {}  # by URL: the step that asked for it
        self._probing = self._with("on_probe")
        self._request, self._refusal, self._source = map(self._with, ("request", "refusal", "source"))
        self._lets_wait, self._spares, self._on_idle = map(self._with, ("lets_wait", "spares", "on_idle"))
        self._on_record, self._on_answer, self._recognise = map(self._with, ("on_record", "on_answer", "recognise"))
        self.on_links = self._calling("on_links")
        self.on_turn, self.on_unchanged = self._calling("on_turn"), self._calling("on_unchanged")

    def _with(self, method: str) -> list[Step]:
        return [step for step in self._steps if getattr(type(step), method) is not getattr(Step, method)]

    def _calling(self, method: str) -> "Callable[[Turn], None]":
        """Calls a method of the steps that override it, in order."""
        calls = [getattr(step, method) for step in self._with(method)]

        def call(turn: "Turn") -> None:
            for each in calls:
                each(turn)

        return call

    def __iter__(self) -> Iterator[Step]:
        return iter(self._steps)

    def find(self, kind: type[P]) -> P | None:
        """The step of a kind, if it is on."""
        return next((step for step in self._steps if isinstance(step, kind)), None)

    def request(self, page: int, url: str) -> PageRequest:
        asked = PageRequest(url)
        for step in self._request:
            asked = step.request(page, asked)
        return asked

    def lets_wait(self, page: int, url: str) -> bool:
        return any(step.lets_wait(page, url) for step in self._lets_wait)

    def spares(self, page: int, url: str) -> bool:
        return any(step.spares(page, url) for step in self._spares)

    def on_idle(self, host: int, now: float) -> None:
        for step in self._on_idle:
            step.on_idle(host, now)

    def refusal(self, page: int, url: str) -> str | None:
        for step in self._refusal:
            if (reason := step.refusal(page, url)) is not None:
                return reason
        return None

    def source(self, source: "PageSource") -> "PageSource":
        for step in self._source:
            source = step.source(source)
        return source

    def on_record(self, record: ArchiveRecord, page: int | None) -> None:
        for step in self._on_record:
            step.on_record(record, page)

    def due(self, origin: str) -> str | None:
        """The probe to make at an origin now, if any."""
        for step in self._probing:
            url = step.wanted.pop(origin, None)
            if url is not None:
                self._probes[url] = step
                return url
        return None

    def origins_due(self) -> list[str]:
        """Origins to probe that may have no page left."""
        return [origin for step in self._probing if step.probes_last for origin in step.wanted]

    def put_back(self, url: str) -> None:
        if (step := self._probes.pop(url, None)) is not None:
            step.wanted.setdefault(origin_of(url), url)

    def absorb(self, fetched: Fetched, title: str | None, now: float) -> None:
        """Take in the answer to a probe, and its title."""
        if (step := self._probes.pop(fetched.url, None)) is not None:
            if fetched.unrendered:  # what it shows is not known
                fetched = Fetched(fetched.url, reason=fetched.unrendered)
            step.on_probe(fetched, title, now)

    def on_answer(self, turn: "Turn") -> bool:
        is_put_back = False
        for step in self._on_answer:
            is_put_back |= step.on_answer(turn)
        return is_put_back

    def recognise(self, turn: "Turn") -> None:
        for step in self._recognise:
            if step.recognise(turn):
                return

    def after_commit(self) -> None:
        for step in self._steps:
            step.after_commit()

    def finish(self) -> None:
        for step in self._steps:
            step.finish()

    def finals(self) -> dict[str, object]:
        """What each step hands to the whole crawl, by the name of the kind that has opened it."""
        return {name: value for name, final in self._finals.items() if (value := final()) is not None}
