"""Partitions that fetch pages again: which are due follows from importance among the pages of all."""

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from support.cluster_runs import SETTINGS, crawled_alone, crawled_in_parts
from support.sites import rows

from minicrawl.cluster.keeper import sum_of
from minicrawl.cluster.partition import Partition
from minicrawl.crawler.admission.seeds import Seeds
from minicrawl.crawler.intake import Intake
from minicrawl.crawler.run import Run, opened
from minicrawl.crawler.sharing import Share
from minicrawl.settings import CrawlSettings
from minicrawl.store.writer import Writer

REFRESH: dict[str, Any] = {**SETTINGS, "refresh": True, "refresh_min": 0.1}


class NoPost:
    async def send(self, source: int, home: int, rows: object, *, hurries: bool = False) -> int:
        raise AssertionError


@contextmanager
def reopened(store: Path, share: Share | None = None) -> Iterator[Run]:
    """A run that is to fetch pages again, before it has begun."""
    with closing(Writer(store)) as writer:
        yield opened(CrawlSettings.of(REFRESH), Seeds([]), writer, share=share)


def worths(intake: Intake, store: Path) -> dict[str, float]:
    assert intake.state.due is not None
    pages = rows(store, "SELECT id, url FROM pages WHERE state <> 'elsewhere'")
    return {url: intake.state.due.worth(page) for page, url in pages}


@pytest.mark.slow
@pytest.mark.usefixtures("ray")
def test_pages_are_worth_what_they_are_worth_in_one_process(tmp_path: Path) -> None:
    """Once the ranking is settled, and each partition is told the sums of the others."""
    one = tmp_path / "one.db"
    crawled_alone(one)
    folder = crawled_in_parts(tmp_path / "web", 3, SETTINGS)
    homes = folder.homes

    async def compare(stores: list[Path]) -> None:
        with ExitStack() as stack:
            expected = worths(stack.enter_context(reopened(one)).intake, one)
            some = [
                Partition(number, stack.enter_context(reopened(store, homes.share(number))), NoPost())
                for number, store in enumerate(stores)
            ]
            assert sum(partition.sums.pages for partition in some) == len(expected)
            by_itself = [worths(part.run.intake, store) for part, store in zip(some, stores, strict=True)]
            for partition in some:
                partition.note_elsewhere(sum_of(other.sums for other in some if other is not partition))
            told = [worths(part.run.intake, store) for part, store in zip(some, stores, strict=True)]
        assert {**told[0], **told[1], **told[2]} == pytest.approx(expected, rel=1e-3)
        assert {**by_itself[0], **by_itself[1], **by_itself[2]} != pytest.approx(expected, rel=1e-2)

    asyncio.run(compare(folder.stores))
