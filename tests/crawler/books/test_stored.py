"""Accounts that were written and read again are the same, and what does not add up is found."""

from pathlib import Path

import numpy as np
import pytest
from support.intakes import crawl_all, intake_of
from support.sites import random_site

from minicrawl.crawler.books.stored import account_rows, account_totals, imbalances, stored_births
from minicrawl.crawler.intake import Intake


def crawled(store: Path) -> Intake:
    site, seeds = random_site(4)
    intake = intake_of(store)
    intake.start(seeds, 0.0)
    crawl_all(intake, site, most=90)
    intake.state.writer.close()
    return intake


def test_accounts_come_back_to_the_last_bit(tmp_path: Path) -> None:
    before = crawled(tmp_path / "crawl.db").state.accounts
    kept = list(account_rows(before, np.arange(before.size))), account_totals(before)
    again = intake_of(tmp_path / "crawl.db")
    size = again.state.accounts.size
    assert (list(account_rows(again.state.accounts, np.arange(size))), account_totals(again.state.accounts)) == kept
    assert (again.state.accounts.coverage.kind[:size] == before.coverage.kind[:size]).all()
    assert (again.state.accounts.book.alias[:size] == before.book.alias[:size]).all()
    assert list(imbalances(again.state.accounts)) == []
    again.state.writer.close()


# Birth cash by a store: the rule that the crawl had when it committed.


WEB = {
    "http://a.test/": ["http://a.test/1", "http://b.test/", "http://b.test/2"],
    "http://a.test/1": ["http://a.test/", "http://b.test/2"],
    "http://b.test/": ["http://b.test/2", "http://c.test/3"],
    "http://b.test/2": ["http://a.test/"],
    "http://c.test/3": ["http://c.test/4"],
    "http://c.test/4": [],
}


@pytest.mark.parametrize("jump", ["sites", "pages"])
@pytest.mark.parametrize("turns", [0, 3])
def test_rule_of_a_store_is_that_of_the_crawl(tmp_path: Path, jump: str, turns: int) -> None:
    """Also where pages became known after births were last shared out."""
    intake = intake_of(tmp_path / "crawl.db", jump=jump)
    intake.start(["http://a.test/"], 0.0)
    intake.commit({})
    crawl_all(intake, WEB, most=turns)
    accounts = intake.state.accounts
    known = slice(0, accounts.size)
    store = intake.state.writer
    cited = store.array("SELECT coalesce(cited, 0) FROM pages ORDER BY id", np.int64)
    rule = stored_births(store, intake.state.frontier.pages.host_of[known], cited)
    flags = accounts.book.gone[known], accounts.book.alias[known]
    assert rule.of(known, *flags).tolist() == accounts.book.birth(known).tolist()
    assert rule.alike == accounts.book.rule.alike
    if jump == "sites":
        assert len(np.unique(accounts.book.birth(known))) > 1 or accounts.size == 1
    intake.state.writer.close()
