"""A crawl in partitions with no network and no processes: each partition takes turns, commits, hands over, and dies."""

import itertools
import random
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from support.gathered import all_violations
from support.intakes import Web, answer, intake_of, next_page
from support.sites import rows

from minicrawl.cluster.combined import shares_of_all
from minicrawl.cluster.exchange import aliases_of_all, share_of, shared_out, site_links, take_all
from minicrawl.cluster.exchange import settle as settle_here
from minicrawl.crawler.intake import Intake
from minicrawl.crawler.sharing import Outbox
from minicrawl.settings import CrawlSettings
from minicrawl.store.folder import Folder, make_store
from minicrawl.store.transfers import OutboxRow


def plain_intake(store: Path, folder: Folder | None = None, number: int = 0, **settings: Any) -> Intake:
    """A partition, or a crawl by itself, that judges no page by others unless its settings say so."""
    plain: dict[str, Any] = {"scope": "any", "discovery": 1.0, "jump": "pages", "max_depth": None}
    plain |= dict.fromkeys(("traps", "sitemaps"), False) | settings
    return intake_of(store, share=None if folder is None else share_of(number, folder), **plain)


class Partitions:
    """Partitions of one crawl of a literal web, each with its store in a folder. `web` may change."""

    def __init__(self, folder: Path, web: Web, seeds: Sequence[str], count: int, **settings: Any) -> None:
        self.web, self.seeds, self._settings = web, seeds, settings
        self.stores = [folder / f"{number:03}.db" for number in range(count)]
        for number, store in enumerate(self.stores):
            make_store(store, "a crawl", number, count)
        self.folder = Folder(folder, "a crawl", b"a secret", count, {}).keep_settings(CrawlSettings())
        self.open: dict[int, Intake] = {}
        self._clock = itertools.count(1.0)

    def __enter__(self) -> Self:
        for number in self.numbers:
            self.start(number)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number in list(self.open):
            self.kill(number)

    @property
    def numbers(self) -> range:
        return range(len(self.stores))

    # What a partition does.

    def start(self, number: int) -> None:
        """Open a partition as its store has it."""
        intake = plain_intake(self.stores[number], self.folder, number, **self._settings)
        self.open[number] = intake
        intake.start(self.seeds, 0.0)

    def kill(self, number: int) -> None:
        """What was not committed is gone."""
        self.open.pop(number).state.writer.close()

    def turn(self, number: int) -> bool:
        """One page has its turn; False if none waits."""
        intake = self.open[number]
        page = next_page(intake.state.frontier, next(self._clock))
        if page is not None:
            intake.visits.absorb(page, *answer(self.web, intake.state.urls.url(page)), next(self._clock))
        return page is not None

    def commit(self, number: int) -> None:
        self.open[number].commit({})

    def outbox(self, number: int) -> Outbox:
        outbox = self.open[number].state.outbox
        assert outbox is not None
        return outbox

    def take(self, home: int, source: int, some: Sequence[OutboxRow]) -> int:
        return self.take_all(home, [(source, some)])[0]

    def take_all(self, home: int, parcels: Sequence[tuple[int, Sequence[OutboxRow]]]) -> list[int]:
        return take_all(self.open[home], parcels, 0.0)

    # What all of them do.

    def exchange(self) -> bool:
        """Everybody commits, and takes all that there is; whether there was anything."""
        for number in self.numbers:
            self.commit(number)
        taken = []
        for home in self.numbers:
            sources = [source for source in self.numbers if home in self.outbox(source).homes()]
            numbers = self.take_all(home, [(one, self.outbox(one).rows(home)) for one in sources])
            taken += [(one, home, number) for one, number in zip(sources, numbers, strict=True)]
        for number in self.numbers:
            self.commit(number)
        for source, home, number in taken:
            self.outbox(source).confirm(home, number)
        return bool(taken)

    def crawl(self) -> None:
        """Until nothing is left anywhere."""
        is_busy = True
        while is_busy:
            for number in self.numbers:
                while self.turn(number):
                    pass
            is_busy = self.exchange()

    def settle(self, error: float = 1e-6, most: int = 1_000) -> int:
        """Until no partition has anything to hand over; how many exchanges that took."""
        for exchanges in range(most):
            for number in self.numbers:
                settle(self.open[number], error)
            if not self.exchange():
                return exchanges
        raise AssertionError(f"not settled after {most} exchanges")

    def share_births_out(self) -> None:
        """Where walkers jump to sites: all hear of all links between sites, and how sites trust each other."""
        is_shared_out = False
        while not is_shared_out:
            for number in self.numbers:
                sites = self.open[number].state.sites
                assert sites is not None
                sites.count_voices()
            while self.exchange():
                pass
            told = [site_links(self.open[number]) for number in self.numbers]
            each = zip(self.numbers, shares_of_all([one.links for one in told]), strict=True)
            aliases = aliases_of_all(told)
            is_shared_out = False not in {shared_out(one, aliases, self.open[at], exactly=True) for at, one in each}
            for number in self.numbers:
                self.commit(number)

    # What the stores say: the last commit of each.

    def pages(self, columns: str) -> dict[str, tuple[object, ...]]:
        """By URL, of the pages that have their home where they are."""
        query = f"SELECT url, {columns} FROM pages WHERE state <> 'elsewhere'"
        found = [row for store in self.stores for row in rows(store, query)]
        by_url = {str(url): tuple(values) for url, *values in found}
        assert len(by_url) == len(found), "a URL has two homes"
        return by_url

    def faults(self) -> list[str]:
        """What is wrong with the stores, by the audit and by what neighbours note, which that does not look at."""
        return all_violations(self.stores[0].parent) + [
            f"{source} notes {units} units on the way to {home}, where {moving} are"
            for (source, home), (units, moving) in self._on_the_way().items()
            if units != moving
        ]

    def _on_the_way(self) -> dict[tuple[int, int], tuple[int, int]]:
        """Between every two partitions, what one has sent and the other not taken: as noted, and as rows have it."""
        columns = "partition, taken, credit_sent - debit_sent, credit_taken - debit_taken"
        query = f"SELECT {columns} FROM neighbours"
        notes = [{at: noted for at, *noted in rows(store, query)} for store in self.stores]
        found: dict[tuple[int, int], tuple[int, int]] = {}
        for source, store in enumerate(self.stores):
            rest = rows(store, "SELECT home, number, received FROM outbox")
            for home, (_, sent, _) in notes[source].items():
                taken, _, received = notes[home].get(source, (0, 0, 0))
                moving = sum(units for at, number, units in rest if at == home and number > taken)
                found[source, home] = sent - received, moving
        return found


def settle(intake: Intake, error: float) -> None:
    intake.commit({})
    if intake.state.mirrors is None:
        intake.ranking.settle_fully(error)
    else:
        intake.state.mirrors.hands_over_all = not settle_here(intake, error)
    intake.commit({})


COMPARED = "cash + forwarded, inlinks, depth, state"


def crawled_alone(
    store: Path, web: Web, seeds: Sequence[str], error: float = 0.0, jump: str = "pages"
) -> dict[str, tuple[object, ...]]:
    """What one process makes of a web, or of the rest of it: COMPARED of every URL, settled."""
    intake = plain_intake(store, jump=jump)
    intake.start(seeds, 0.0)
    while (page := next_page(intake.state.frontier, 1e9)) is not None:
        intake.visits.absorb(page, *answer(web, intake.state.urls.url(page)), 1e9)
    settle(intake, error)
    intake.state.writer.close()
    return {url: tuple(values) for url, *values in rows(store, f"SELECT url, {COMPARED} FROM pages")}


def random_web(
    rng: random.Random, pages: int = 40, hosts: int = 8, *, aliases: bool = True
) -> dict[str, list[str] | str]:
    """Pages on many hosts, each an owner of its own; some redirect, never in a loop."""
    urls = [f"http://h{rng.randrange(hosts)}.test/{page}" for page in range(pages)]
    web: dict[str, list[str] | str] = {}
    for number, url in enumerate(urls):
        if aliases and number and rng.random() < 0.15:
            web[url] = urls[rng.randrange(number)]  # one before it: no chain of these comes back
        else:
            web[url] = [urls[min(int(rng.paretovariate(0.7)) - 1, pages - 1)] for _ in range(rng.randrange(8))]
    return web
