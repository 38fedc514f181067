"""A commit asks a list of parts to save themselves, all or nothing: a new part joins the list."""

from pathlib import Path

import pytest
from support.intakes import intake_of
from support.sites import rows

from minicrawl.store.writer import Writer

SEEDS = ["http://a.test/", "http://b.test/"]


class Counter:
    """A part of a crawl that is new: it counts the commits, of which one may be a bug's."""

    def __init__(self, *, breaks: bool = False) -> None:
        self.commits = 0
        self.breaks = breaks

    def save(self, writer: Writer) -> None:
        self.commits += 1
        writer.save_meta({"commits": self.commits})
        if self.breaks:
            raise ZeroDivisionError("a bug")


def test_a_new_part_is_saved_with_all_others(tmp_path: Path) -> None:
    intake = intake_of(tmp_path / "crawl.db")
    intake.savers.append(Counter())
    intake.commit({})
    intake.start(SEEDS, 0.0)
    intake.commit({})
    intake.state.writer.close()
    assert rows(tmp_path / "crawl.db", "SELECT value FROM meta WHERE key = 'commits'") == [(2,)]
    assert rows(tmp_path / "crawl.db", "SELECT url FROM pages") == [(url,) for url in SEEDS]


def test_nothing_is_saved_if_one_part_fails(tmp_path: Path) -> None:
    intake = intake_of(tmp_path / "crawl.db")
    intake.savers.append(Counter(breaks=True))
    intake.start(SEEDS, 0.0)
    with pytest.raises(ZeroDivisionError, match="a bug"):
        intake.commit({})
    intake.state.writer.close()
    assert rows(tmp_path / "crawl.db", "SELECT count(*) FROM pages") == [(0,)]
    assert rows(tmp_path / "crawl.db", "SELECT value FROM meta WHERE key = 'commits'") == []
