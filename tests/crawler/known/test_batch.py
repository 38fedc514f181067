"""Rows of the next commit: a page's last turn replaces those before."""

from minicrawl.crawler.known.batch import Batch
from minicrawl.store.rows import Links, Restated, Retry, Turn


def turn(page: int, reason: str = "ok") -> Turn:
    return Turn(page, "fetched", reason, 0, None, None)


def test_turn_outdoes_what_was_noted_before() -> None:
    batch = Batch()
    batch.retries[1], batch.restated[1] = Retry(1, 2, "dns"), Restated(1, "error", "soft-404")
    batch.add_unchanged(1, "[]")
    batch.add_turn(turn(1), Links(1, b"", 0, 0))
    assert (batch.retries, batch.restated, batch.measures) == ({}, {}, {})
    assert (batch.turns, batch.turns_taken) == ({1: turn(1)}, 2)


def test_unchanged_page_keeps_the_turn_that_is_not_written_yet() -> None:
    batch = Batch()
    batch.add_turn(turn(1, "canonical-differs"), Links(1, b"", 0, 0))
    batch.add_unchanged(1, "[1]")
    batch.add_unchanged(2, "[2]")
    assert batch.turns[1] == turn(1, "canonical-differs")._replace(measures="[1]")
    assert batch.measures == {2: "[2]"}
    assert batch.retries[2] == Retry(2, 0, "")  # failures before are over
