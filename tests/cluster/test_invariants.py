"""However turns, commits, messages and deaths of partitions follow upon one another: no unit is lost or made."""

import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from support.partitions import COMPARED, Partitions, crawled_alone, random_web

from minicrawl.store.writer import Writer

STEPS = 30
SOME = [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 7))]


class PowerCutError(Exception):
    """The transaction breaks off."""


class Cut:
    """A part of the crawl that never gets saved."""

    def save(self, writer: Writer) -> None:
        raise PowerCutError


class Chance:
    """Steps of partitions in a random order, with a post that loses, repeats, delays and reorders messages."""

    def __init__(self, partitions: Partitions, rng: random.Random) -> None:
        self._all = partitions
        self._rng = rng
        self._answers: list[tuple[int, int, int]] = []  # source, home, number: what a home has taken, maybe uncommitted

    def step(self) -> None:
        steps: list[Callable[[int], object]] = [self._all.turn] * 6 + [self._commit] * 3 + [self._send] * 6
        steps += [self._answer] * 2 + [self._die, self._die_in_a_commit]
        self._rng.choice(steps)(self._rng.choice(self._all.numbers))

    def _commit(self, number: int) -> None:
        self._all.commit(number)
        self._answers = [
            (source, home, last) if home != number else (source, home, -abs(last))
            for source, home, last in self._answers
        ]

    def _send(self, source: int) -> None:
        """Some rows arrive, from anywhere in the outbox, and maybe not in order."""
        homes = self._all.outbox(source).homes()
        if not homes:
            return
        home = self._rng.choice(homes)
        rows = list(self._all.outbox(source).rows(home))
        if self._rng.random() < 0.5:
            rows = rows[self._rng.randrange(len(rows)) :]
        if self._rng.random() < 0.2:
            self._rng.shuffle(rows)
        if self._rng.random() < 0.2:
            rows += rows
        self._answers.append((source, home, self._all.take(home, source, rows)))

    def _answer(self, source: int) -> None:
        """What was committed is confirmed, at any time after: a negative number stands for such."""
        for answer in [found for found in self._answers if found[0] == source and found[2] < 0]:
            self._all.outbox(source).confirm(answer[1], -answer[2])
            self._answers.remove(answer)

    def _die(self, number: int) -> None:
        """What the partition has taken and not committed is gone, and so is what it would have answered."""
        self._all.kill(number)
        self._all.start(number)
        self._answers = [answer for answer in self._answers if answer[1] != number or answer[2] < 0]

    def _die_in_a_commit(self, number: int) -> None:
        self._all.open[number].savers.append(Cut().save)
        with pytest.raises(PowerCutError):
            self._all.commit(number)
        self._die(number)


@pytest.mark.parametrize("seed", SOME)
def test_nothing_is_lost_nor_counted_again_whatever_happens(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    web = random_web(rng)
    seeds = list(web)[-3:]
    with Partitions(tmp_path, web, seeds, rng.randrange(1, 6)) as partitions:
        chance = Chance(partitions, rng)
        for _ in range(STEPS):
            chance.step()
            assert partitions.faults() == []
        partitions.crawl()
        partitions.settle(0.0)
        assert partitions.faults() == []
        found = partitions.pages(COMPARED)
    assert found == crawled_alone(tmp_path / "one.db", web, seeds)


@pytest.mark.parametrize("seed", SOME)
def test_web_that_changes_while_it_is_read_again(seed: int, tmp_path: Path) -> None:
    """What was sent along links that are gone is taken back from the pages of other partitions, too."""
    rng = random.Random(seed)
    web = random_web(rng)
    urls = list(web)
    with Partitions(tmp_path, web, urls[-3:], rng.randrange(2, 5), discovery=0.5) as partitions:
        chance = Chance(partitions, rng)
        for _ in range(STEPS):
            chance.step()
            changed = rng.choice(urls)
            if rng.random() < 0.2:
                web.pop(changed, None)
            else:
                web[changed] = rng.choices(urls, k=rng.randrange(6))
            assert partitions.faults() == []
        exchanges = partitions.settle(0.0)
        assert partitions.faults() == []
        for number in partitions.numbers:
            book = partitions.open[number].state.accounts.book
            every = slice(0, book.size)
            assert not np.any(book.cash_of(every)[book.visited(every)]), f"after {exchanges} exchanges"
