"""A small crawl that fetches pages again, and what it knows of one of them."""

from pathlib import Path
from typing import Any

from support.intakes import PATIENT
from support.sites import Site, crawl

from minicrawl.analysis.explain import explain
from minicrawl.analysis.why_facts import PageRefresh
from minicrawl.store.reader import open_store

HOME = "http://a.test/"
PAGES = [HOME + str(number) for number in range(6)]
SITE: Site = {HOME: PAGES, **{page: [HOME] for page in PAGES}, PAGES[5]: HOME}
DAY = 86_400.0


def refreshed(store: Path, pages: int = 20, **more: Any) -> None:
    crawl(SITE, store, [HOME], **{"refresh": True, "pages": pages, "traps": False, "timing": PATIENT} | more)


def refresh_of(store: Path, url: str) -> PageRefresh:
    with open_store(store) as reader:
        found = explain(reader, url).page
    assert found is not None
    assert found.refresh is not None
    return found.refresh
