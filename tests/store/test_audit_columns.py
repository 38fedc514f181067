"""Columns of all pages for an audit."""

import random
from pathlib import Path

import pytest
from support.sites import Reply, canonical, crawl

from minicrawl.store.audit_columns import NO_PAGE
from minicrawl.store.reader import open_store

HOME = "http://a.test/"


def test_columns_are_those_of_the_rows(tmp_path: Path) -> None:
    site: dict[str, Reply] = {
        HOME: [f"{HOME}a", f"{HOME}b", f"{HOME}c"],
        f"{HOME}a": f"{HOME}b",
        f"{HOME}c": [canonical(HOME)],
    }
    crawl(site, tmp_path / "crawl.db", [HOME])
    with open_store(tmp_path / "crawl.db") as store:
        found = store.audit_table.columns()
        assert found.state.tolist() == ["fetched", "alias", "error", "alias"]
        assert found.status.tolist() == [200, 301, 404, 200]
        assert found.target.tolist() == [NO_PAGE, 2, NO_PAGE, 0]
        assert found.is_seed.tolist() == [True, False, False, False]
        assert list(store.audit_table.texts("canonical")) == [(3, HOME)]


@pytest.mark.parametrize("seed", range(3))
def test_facts_of_pages_are_those_of_their_html(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    pages = [(rng.randrange(3), rng.randrange(3), rng.choice(["", "Of it"]), rng.choice(["", "de"])) for _ in range(50)]
    site: dict[str, Reply] = {f"{HOME}{page}": [html(*facts)] for page, facts in enumerate(pages)}
    crawl(site | {HOME: [*site, "/missing"]}, tmp_path / "crawl.db", [HOME], audit=True, traps=False)
    with open_store(tmp_path / "crawl.db") as store:
        found, numbers = store.audit_table.columns(), [store.page_table.find([url])[url] for url in site]
        assert found.has_facts[found.state != "alias"].sum() == (found.state == "fetched").sum() > 1
        assert found.h1s[numbers].tolist() == [h1s for h1s, *_ in pages]
        assert found.without_alt[numbers].tolist() == [images for _, images, *_ in pages]
        assert found.has_description[numbers].tolist() == [bool(text) for *_, text, _ in pages]
        assert found.has_language[numbers].tolist() == [bool(language) for *_, language in pages]
        descriptions = sorted((page, facts[2]) for page, facts in zip(numbers, pages, strict=True) if facts[2])
        assert list(store.audit_table.facts("description")) == descriptions


def html(h1s: int, images: int, description: str, language: str) -> str:
    head = f"<html{f' lang={language}' if language else ''}><meta name=description content='{description}'>"
    return f"{head}<body>{'<h1>x</h1>' * h1s}{'<img src=x>' * images}"
