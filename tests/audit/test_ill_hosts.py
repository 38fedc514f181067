"""Servers that were ill when they were asked: told as such, apart from pages that are broken."""

from pathlib import Path

import pytest
from support.ailing import ILL, WAITING, WELL, crawl_ailing
from support.audits import found_in
from support.sites import Site, crawl, rows

from minicrawl.analysis.page_links import Asked, page_links
from minicrawl.store.reader import open_store

RULES = ("seed-dead", "broken-link", "link-unreachable", "host-ill")


@pytest.mark.parametrize("status", [503, 403, None])
def test_pages_that_wait_for_an_ill_host_are_not_called_broken(tmp_path: Path, status: int | None) -> None:
    crawl_ailing(store := tmp_path / "crawl.db", status)
    assert found_in(store, *RULES) == {"host-ill": {"ill.test": WAITING}}
    rows(store, "UPDATE pages SET state = 'error', reason = 'makes-host-ill' WHERE state = 'waiting'")
    rows(store, "UPDATE health SET state = 'back'")
    assert found_in(store, *RULES) == {"host-ill": {"ill.test": WAITING}}
    with open_store(store) as reader, reader.snapshot():
        assert list(page_links(reader, Asked(broken=True)).rows()) == []


def test_a_seed_whose_host_is_ill_is_told_before_all_others(tmp_path: Path) -> None:
    crawl_ailing(store := tmp_path / "crawl.db")
    ((seed,),) = rows(store, "SELECT url FROM pages WHERE state = 'waiting' ORDER BY id LIMIT 1")
    rows(store, "UPDATE pages SET found_on = NULL WHERE url = ?", seed)
    assert found_in(store, *RULES) == {"seed-dead": {seed: 0}, "host-ill": {"ill.test": WAITING}}


def test_pages_that_fail_on_a_well_host_are_their_own_fault(tmp_path: Path) -> None:
    store, names = tmp_path / "crawl.db", ["a", "b", "fails", "gone"]
    site: Site = {WELL: ["<p>home", *(f"/{name}" for name in names)], ILL: ["<p>all is well"]}
    site |= {f"{WELL}{name}": [f"<p>{name}"] for name in names[:2]} | {f"{WELL}fails": 503}
    crawl(site, store, [WELL, ILL])
    expected = {"broken-link": {f"{WELL}gone": 1}, "link-unreachable": {f"{WELL}fails": 1}}
    assert found_in(store, *RULES) == expected
    rows(store, "UPDATE pages SET state = 'waiting', reason = 'link' WHERE url = ?", f"{WELL}a")
    assert found_in(store, *RULES) == expected  # it waits for its turn alone
