"""Only the most important pages go into the archive, as far as that is known when they are asked for."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from support.archives import answers
from support.sites import crawl

from minicrawl.crawler.parts.archive import TopShare
from minicrawl.opic import Ledger

HOME = "http://a.test/"


def a_ledger(received: list[int]) -> Ledger:
    ledger = Ledger()
    ledger.discover(len(received))
    ledger.received[: len(received)] = received
    return ledger


@given(st.lists(st.integers(0, 2**40), min_size=1, max_size=80, unique=True), st.sampled_from([0.0, 0.2, 0.5, 1.0]))
def test_so_many_pages_are_in_it_and_they_are_the_first(received: list[int], share: float) -> None:
    top = TopShare(a_ledger(received), share)
    inside = [value for page, value in enumerate(received) if top.has(page)]
    expected = len(received) - int(len(received) * (1 - share) + 1e-9)
    assert sorted(inside) == sorted(received)[-max(expected, 1) :]


def test_hubs_are_kept_and_leaves_are_not(tmp_path: Path) -> None:
    """Six pages of 56 are linked to by all, and the share has room for no more."""
    hubs = [f"{HOME}hub{number}" for number in range(5)]
    leaves = {hub: [f"{hub}/{number}" for number in range(10)] for hub in hubs}
    site = {HOME: hubs} | {hub: [HOME, *hubs, *leaves[hub]] for hub in hubs}
    site |= {leaf: [HOME, *hubs] for some in leaves.values() for leaf in some}
    settings = {"archive": tmp_path / "kept", "archive_top": "10%", "probe": False, "traps": False}
    report, _ = crawl(site, tmp_path / "crawl.db", [HOME], **settings)
    assert report.fetched == 56
    assert {one.url for one in answers(tmp_path / "kept")} == {HOME, *hubs, f"{HOME}robots.txt"}
