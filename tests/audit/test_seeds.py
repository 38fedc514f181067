"""Seeds that could not be read, for whatever reason."""

import contextlib
from pathlib import Path

import pytest
from support.sites import Reply, Server, crawl

from minicrawl.audit.auditing import audited
from minicrawl.errors import NothingFetchedError
from minicrawl.store.reader import open_store

HOME, OTHER = "http://a.test/", "http://b.test/"


@pytest.mark.parametrize(
    ("reply", "robots", "reason"),
    [
        (404, 404, "http-404"),
        (f"{HOME}gone", 404, "http-404"),
        ([], 500, "robots-unreachable"),
        ([], "User-agent: *\nDisallow: /", "robots"),
        (f"{HOME}x", 404, None),
    ],
)
@pytest.mark.parametrize("is_alone", [True, False])
def test_seed_that_was_not_read_comes_first(
    tmp_path: Path, reply: Reply, robots: str | int, reason: str | None, is_alone: bool
) -> None:
    site = Server({HOME: reply, f"{HOME}x": ["/gone"], OTHER: ["/gone", HOME]}, robots)
    with contextlib.suppress(NothingFetchedError):
        crawl(site, tmp_path / "crawl.db", [HOME] if is_alone else [HOME, OTHER])
    with open_store(tmp_path / "crawl.db") as store, store.snapshot():
        found = audited(store).findings
    expected = [] if reason is None else [(HOME, reason)]
    if reason and not is_alone and robots != 404:
        expected.append((OTHER, reason))
    dead = [(each.target, each.detail) for each in found if each.rule == "seed-dead"]
    assert dead == expected
    at_stake = [(each.rule, each.importance) for each in found[: len(dead)]]
    assert at_stake == [("seed-dead", 1.0 if is_alone else 0.5)] * len(dead)


def test_seed_that_waits_is_dead_only_where_nothing_was_read(tmp_path: Path) -> None:
    crawl({HOME: [], OTHER: []}, tmp_path / "crawl.db", [HOME, OTHER], pages=1)
    with open_store(tmp_path / "crawl.db") as store, store.snapshot():
        assert [each.target for each in audited(store).findings if each.rule == "seed-dead"] == []
        assert audited(store).judged.pages == 1
