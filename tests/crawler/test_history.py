"""The history of cash has one definition, whoever asks: the book, the view of the store, an export, a ranking."""

import csv
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from support.command_line import answer, run
from support.intakes import DAYS_LATER
from support.sites import Site, crawl, random_site

from minicrawl.crawler.books.accounts import Accounts
from minicrawl.crawler.books.stored import load_block, load_totals, stored_births
from minicrawl.opic.units import all_interpolated
from minicrawl.store.reader import Store, open_store


def of_the_book(store: Store) -> npt.NDArray[np.float64]:
    """What the book says that a crawl would go on with: shares of the pages that are no aliases, 0 of aliases."""
    accounts = Accounts()
    columns = []
    for pages in store.page_table.columns():
        load_block(accounts, pages)
        columns.append((pages["host"], pages["cited"]))
    accounts.book.rule = stored_births(store, *map(np.concatenate, zip(*columns, strict=True)))
    load_totals(accounts, store)
    book, known = accounts.book, slice(0, accounts.size)
    elapsed = book.clock - book.clock_of[known]
    now = all_interpolated(book.history[known], book.cash_of(known), elapsed, book.window)
    shares = np.where(book.alias[known], 0.0, now)
    return np.asarray(shares / shares.sum())


def test_history_is_the_same_wherever_it_is_told(tmp_path: Path) -> None:
    """Of pages that wait, were read once or often, have gone or are aliases."""
    store, file = tmp_path / "crawl.db", tmp_path / "ranks.csv"
    links, seeds = random_site(1, pages=150, hosts=20)
    site: Site = {**links}
    old = f"{seeds[0]}/old"
    site |= {seeds[0]: [*site[seeds[0]], old], old: seeds[2]}
    crawl(site, store, seeds, discovery=0.4, pages=40)
    half: Site = {url: site[url] for url in list(site)[::2]} | {old: seeds[2]}
    crawl(half, store, seeds, **DAYS_LATER)
    crawl({"http://new.test/": ["/a", "/b"]}, store, ["http://new.test/"], pages=1)
    with open_store(store) as reader:
        assert {state for state, _ in reader.page_table.counts()} >= {"waiting", "fetched", "alias", "gone"}
        expected, urls = of_the_book(reader), list(reader.page_table.urls())
        history = reader.ranks.arrays()["history"]
    assert history / history.sum() == pytest.approx(expected, rel=1e-9, abs=1e-15)
    told = answer("rank", "--by", "opic", "--n", str(len(urls)), "--store", store)
    ranked = {page["url"]: page["value"] for page in told}
    shares = dict(zip(urls, expected.tolist(), strict=True))
    assert ranked == pytest.approx({url: share for url, share in shares.items() if url in ranked}, rel=1e-9, abs=1e-15)
    assert sum(ranked.values()) == pytest.approx(1.0)
    assert run("export", file, "--store", store).exit_code == 0
    with file.open(newline="") as lines:
        written = {row["url"]: float(row["history"]) for row in csv.DictReader(lines)}
    assert written == pytest.approx(dict(zip(urls, history.tolist(), strict=True)), rel=1e-12)
