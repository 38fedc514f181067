"""Counts of a run beside its pages: the next run goes on with them."""

from pathlib import Path

from minicrawl.crawler.known.tally import Tally
from minicrawl.store.writer import Writer


def test_counts_of_links_come_back_and_failures_are_of_one_run(tmp_path: Path) -> None:
    with Writer(tmp_path / "crawl.db") as writer:
        assert Tally.of(writer) == Tally()
        tally = Tally(left_out=3, elsewhere=2)
        tally.failures["dns"] += 1
        with writer.transaction():
            tally.save(writer)
        assert Tally.of(writer) == Tally(left_out=3, elsewhere=2)
