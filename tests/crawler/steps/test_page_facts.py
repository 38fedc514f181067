"""Facts that a crawl keeps of pages for an audit: of which, and what becomes of them when pages are read again."""

from pathlib import Path
from typing import Any

from support.intakes import DAYS_LATER
from support.sites import HOME, Site, crawl, rows


def facts(store: Path, *columns: str) -> dict[str, tuple[Any, ...]]:
    values = ", ".join(f"json_extract(facts, '$.{name}')" for name in columns)
    found = rows(store, f"SELECT url, {values} FROM pages JOIN fetches ON fetches.id = fetch WHERE facts IS NOT NULL")
    return {url.removeprefix(HOME): tuple(values) for url, *values in found}


def test_facts_are_those_of_the_last_answer(store: Path) -> None:
    names = ("stays", "changes", "goes", "moves")
    site: Site = {HOME: [f"/{name}" for name in names]} | {f"{HOME}{name}": [f"<html lang={name}>"] for name in names}
    crawl(site, store, [HOME], audit=True)
    assert facts(store, "language") == {"": (None,)} | {name: (name,) for name in names}
    site |= {f"{HOME}changes": ["<html lang=other>"], f"{HOME}goes": 410, f"{HOME}moves": HOME}
    crawl(site, store, [], **DAYS_LATER)
    assert facts(store, "language") == {"": (None,), "stays": ("stays",), "changes": ("other",)}
    crawl(site, store, [], audit=False, **DAYS_LATER)
    assert facts(store, "language") == {}, "the answers of these pages are no more those that the facts were of"
