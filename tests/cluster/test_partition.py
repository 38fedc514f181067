"""Which partition has a URL; what it takes of others; and loops over several of them."""

from pathlib import Path

import pytest
from support.intakes import Web
from support.partitions import Partitions

from minicrawl.cluster.crawl import check_working
from minicrawl.cluster.exchange import home_of
from minicrawl.cluster.partition import settings_of
from minicrawl.crawler.admission.budgets import Budgets
from minicrawl.errors import SettingError
from minicrawl.reasons import MAX_HOPS
from minicrawl.settings import CrawlSettings
from minicrawl.store.folder import Folder


def by_home(partitions: int) -> list[list[str]]:
    """Some hosts, by their partition."""
    folder, urls = Folder(Path(), "", b"a secret", partitions, {}), [f"http://h{at}.test/" for at in range(40)]
    return [[url for url in urls if home_of(url, folder) == here] for here in range(partitions)]


LEFT, RIGHT = by_home(2)


def test_rows_behind_a_gap_wait_and_rows_that_were_taken_are_left_out(tmp_path: Path) -> None:
    web = {LEFT[0]: [LEFT[1], RIGHT[0]], LEFT[1]: [LEFT[2], RIGHT[0]], LEFT[2]: [RIGHT[0]]}
    with Partitions(tmp_path, web, LEFT[:1], 2) as partitions:
        for _ in range(3):
            assert partitions.turn(0)
            partitions.commit(0)
        first, second, third = partitions.outbox(0).rows(1)
        taken = [partitions.take(1, 0, some) for some in ([second], [first], [first], [third, second, third], [first])]
        assert taken == [0, 1, 1, 3, 3]
        partitions.commit(1)
        assert partitions.faults() == []
        assert partitions.pages("inlinks, depth")[RIGHT[0]] == (3, 1)


def test_shorter_way_through_another_partition_brings_what_is_behind_nearer(tmp_path: Path) -> None:
    """Read at depth 3 by a long way at home; then a link from elsewhere makes that 1."""
    web = {RIGHT[0]: [RIGHT[1]], RIGHT[1]: [RIGHT[2]], RIGHT[2]: [RIGHT[3]], LEFT[0]: [RIGHT[2]]}
    with Partitions(tmp_path, web, [RIGHT[0], LEFT[0]], 2) as partitions:
        while partitions.turn(1):
            pass
        partitions.crawl()
        partitions.settle()
        depths = {RIGHT[0]: (0,), LEFT[0]: (0,), RIGHT[1]: (1,), RIGHT[2]: (1,), RIGHT[3]: (2,)}
        assert partitions.pages("depth") == depths


@pytest.mark.parametrize("has_traps", [True, False])
def test_home_judges_what_others_link_to(has_traps: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page beyond the budget of its site stays known, as the link to it counts, and is not read."""
    monkeypatch.setattr(Budgets, "refusal", lambda self, host: ("trap-host-budget", host))
    with Partitions(tmp_path, {LEFT[0]: [RIGHT[0]]}, LEFT[:1], 2, traps=has_traps, jump="sites") as partitions:
        assert partitions.turn(0)
        partitions.exchange()
        assert partitions.pages("state, inlinks")[RIGHT[0]] == ("disallowed" if has_traps else "waiting", 1)
        assert partitions.turn(1) != has_traps


@pytest.mark.parametrize(("partitions", "length"), [(2, 2), (2, 3), (3, 3), (2, 7), (3, 9)])
def test_loop_of_redirects_over_partitions_ends(partitions: int, length: int, tmp_path: Path) -> None:
    """No partition sees the loop, and all see the end of it. The hosts have their homes by turns, 0, 1, 2 ..."""
    hosts = by_home(partitions)
    urls = [hosts[at % partitions][at // partitions] for at in range(length)]
    web: Web = {url: urls[(at + 1) % length] for at, url in enumerate(urls)}
    with Partitions(tmp_path, web, urls[:1], partitions) as crawl:
        crawl.crawl()
        assert crawl.settle(1e-6) <= 12 + MAX_HOPS
        assert crawl.faults() == []
        pages = crawl.pages("state, reason")
    assert set(pages) == set(urls)
    assert {reason for state, reason in pages.values() if state == "error"} == {"redirect-chain"}


@pytest.mark.parametrize(
    ("url", "other"),
    [
        ("http://h.test/", "https://h.test/x"),
        ("http://h.test/", "http://h.test:8080/"),
        ("http://h.test/", "http://h.test./"),
        ("http://a.example.co.uk/", "http://b.c.example.co.uk/"),
        ("http://x.me.github.io/", "http://me.github.io/"),
        ("http://[::1]/", "http://[::1]:99/x"),
    ],
)
def test_one_owner_has_one_home(url: str, other: str) -> None:
    folder = Folder(Path(), "a crawl", b"key", 64, {})
    assert home_of(url, folder) == home_of(other, folder)


def test_what_does_not_work_is_refused() -> None:
    with pytest.raises(SettingError, match="--from-archive does not work in partitions"):
        check_working(CrawlSettings.of({"from_archive": ("a.warc",)}))


def test_partitions_of_a_crawl_with_a_budget_share_its_requests_and_leave_its_end_to_the_keeper() -> None:
    settings = settings_of(1, 2, CrawlSettings(pages=5, concurrency=9, items="/items.jsonl"))
    assert (settings.pages, settings.concurrency, settings.items) == (None, 4, "/items.001.jsonl")
    assert settings.time is not None
    assert settings_of(1, 2, CrawlSettings()).time is None
