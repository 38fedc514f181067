"""Expected importance as a store keeps it: what is written comes back, also to SQLite alone."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.sites import crawl, rows, wide_site

from minicrawl.store.read.expected import PAGES_A_ROW, from_digits, to_digits
from minicrawl.store.reader import open_store
from minicrawl.store.rows import ExpectedSite
from minicrawl.store.writer import Writer


@given(st.lists(st.floats(0.0, 1.0), max_size=120))
def test_shares_come_back_to_a_unit(shares: list[float]) -> None:
    found = from_digits(to_digits(np.array(shares)))
    assert found.tolist() == pytest.approx(shares, abs=1e-15)


@pytest.fixture
def store(tmp_path: Path) -> tuple[Path, np.ndarray]:
    """A crawl of more pages than stand in a row, with shares of our own for all but the last three."""
    site, seeds = wide_site(5)
    path = tmp_path / "crawl.db"
    crawl(site, path, seeds)
    size = len(rows(path, "SELECT id FROM pages"))
    assert size > 2 * PAGES_A_ROW + 3
    shares = np.random.default_rng(1).random(size - 3)
    writer = Writer(path)
    with writer.transaction():
        sites = [ExpectedSite("h0.test", 1, 2, 0.5), ExpectedSite("h1.test", 3, 4, 0.1)]
        writer.save_expected(shares, shares / 3, sites)
    writer.close()
    return path, shares


def test_shares_are_those_that_were_kept(store: tuple[Path, np.ndarray]) -> None:
    path, shares = store
    with open_store(path) as reader:
        found = reader.expected.shares()
        assert found[:-3] == pytest.approx(shares, abs=1e-15)
        assert np.isnan(found[-3:]).tolist() == [True] * 3
        for page in (0, PAGES_A_ROW - 1, PAGES_A_ROW, 2 * PAGES_A_ROW, len(shares) - 1):
            assert reader.expected.unread_part(page) == pytest.approx(shares[page] / 3, abs=1e-15)
        assert reader.expected.unread_part(len(shares)) is None
        assert reader.expected.unread_part(10 * len(shares)) is None


def test_the_view_has_them_without_us(store: tuple[Path, np.ndarray]) -> None:
    path, shares = store
    found = rows(path, "SELECT expected FROM ranks ORDER BY id")
    assert [share for (share,) in found[:-3]] == pytest.approx(shares, abs=1e-15)
    assert found[-3:] == [(None,)] * 3


def test_sites_are_asked_for_by_owner(store: tuple[Path, np.ndarray]) -> None:
    with open_store(store[0]) as reader:
        assert reader.expected.sites(["h1.test", "nobody.test"]) == [ExpectedSite("h1.test", 3, 4, 0.1)]


def test_before_it_was_worked_out_there_is_none(tmp_path: Path) -> None:
    Writer(tmp_path / "crawl.db").close()
    with open_store(tmp_path / "crawl.db") as reader:
        assert reader.expected.of() is None
        assert len(reader.expected.shares()) == 0
