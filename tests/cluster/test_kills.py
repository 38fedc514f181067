"""Every moment at which a partition can die while something passes from one to another: the end is the same."""

import random
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from support.partitions import Partitions, crawled_alone

from minicrawl.store.write.transfer_rows import OutboxRow
from minicrawl.store.writer import Writer

pytestmark = pytest.mark.slow

COMPARED = "inlinks, depth, state"
MOMENTS = [
    "before the commit",
    "in the transaction",
    "committed, not sent",
    "sent, not taken",
    "taken, not committed",
    "committed, not answered",
    "answered, not deleted",
]
VICTIMS: dict[str, Callable[[int, int], set[int]]] = {
    "source": lambda source, home: {source},
    "home": lambda source, home: {home},
    "both": lambda source, home: {source, home},
    "all": lambda source, home: {0, 1, 2},
}


class PowerCutError(Exception):
    """The transaction breaks off."""


class Cut:
    """A part of the crawl that never gets saved."""

    def save(self, writer: Writer) -> None:
        raise PowerCutError


def winding_web() -> dict[str, list[str]]:
    """A web on six hosts whose every page leads a little further, mostly to another host."""
    rng = random.Random(1)
    urls = [f"http://h{number % 6}.test/{number}" for number in range(18)]
    return {url: [*urls[at + 1 : at + 4], *rng.sample(urls[: at + 1], min(at, 2))] for at, url in enumerate(urls)}


def die(partitions: Partitions, victims: set[int]) -> None:
    for number in victims:
        partitions.kill(number)
    for number in victims:
        partitions.start(number)


def busy_pair(partitions: Partitions) -> tuple[int, int] | None:
    """Whoever would send something with its next commit, and the home that it would be for."""
    for source in partitions.numbers:
        intake = partitions.open[source]
        assert intake.state.mirrors is not None
        for page in (
            intake.state.mirrors.flags() & (intake.state.accounts.book.cash[: intake.state.accounts.size] > 0)
        ).nonzero()[0]:
            return source, partitions.homes.home_of(intake.state.urls.url(int(page)))
    return None


def crawl_until_busy(partitions: Partitions) -> tuple[int, int]:
    while (pair := busy_pair(partitions)) is None:
        had_turn = [partitions.turn(number) for number in partitions.numbers]
        assert any(had_turn), "the web is large enough"
    return pair


def pass_on(
    partitions: Partitions, pair: tuple[int, int], moment: str, victims: Callable[[int, int], set[int]]
) -> None:
    """Let something pass from one partition to another, and the victims die at that moment."""
    source, home = pair
    rows: Sequence[OutboxRow] = ()

    def is_over(now: str) -> bool:
        if now == moment:
            die(partitions, victims(source, home))
        return now == moment

    if is_over("before the commit"):
        return
    if moment == "in the transaction":
        partitions.open[source].savers.append(Cut())
        with pytest.raises(PowerCutError):
            partitions.commit(source)
        die(partitions, victims(source, home) | {source})
        return
    partitions.commit(source)
    if is_over("committed, not sent"):
        return
    rows = partitions.outbox(source).rows(home)
    assert rows, "there was something to hand over"
    is_over("sent, not taken")
    number = partitions.take(home, source, rows)
    if is_over("taken, not committed"):
        return
    partitions.commit(home)
    if is_over("committed, not answered"):
        return
    partitions.outbox(source).confirm(home, number)
    is_over("answered, not deleted")


@pytest.mark.parametrize("moment", MOMENTS)
def test_death_at_any_moment_changes_nothing(moment: str, tmp_path: Path) -> None:
    web = winding_web()
    seeds = list(web)[:1]
    alone = crawled_alone(tmp_path / "one.db", web, seeds, columns=COMPARED)
    for (victim, victims), before in zip(VICTIMS.items(), (0, 1, 2, 1), strict=True):
        folder = tmp_path / f"{victim}-{before}"
        with Partitions(folder, web, seeds, 3) as partitions:
            for _ in range(before):
                crawl_until_busy(partitions)
                partitions.exchange()
            pass_on(partitions, crawl_until_busy(partitions), moment, victims)
            assert partitions.faults() == []
            partitions.crawl()
            # That no unit is lost or there once more, the audit tells: to settle all to the last unit takes long.
            partitions.settle(1e-2)
            assert partitions.faults() == []
            assert partitions.pages(COMPARED) == alone, f"{victim} died, {before} exchanges before"
