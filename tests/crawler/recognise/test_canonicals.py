"""Sites that call one page canonical on pages that are not it."""

from pathlib import Path

import pytest
from support.prose import prose
from support.sites import HOME, Site, canonical, crawl, faults_in, states

from minicrawl.crawler.recognise.duplicates import DIFFERENT, Canonicals, Claim
from minicrawl.store.reader import open_store

PAGES = [f"{HOME}page/{number}" for number in range(12)]
BEHIND = [f"{HOME}behind/{number}" for number in range(12)]


def named(number: int, links: list[str], url: str = HOME) -> list[str]:
    return [canonical(url), prose(number, 400, f"Page {number}"), *links]


def crawled(store: Path, site: Site, pieces: int | None = None) -> dict[str, str]:
    """State and reason by URL, all having been crawled in so many pages a run."""
    for _ in range(len(site) // pieces + 1 if pieces else 1):
        crawl(site, store, [HOME], strategy="breadth-first", pages=pieces)
    assert faults_in(store) == []
    return states(store)


@pytest.mark.parametrize("pieces", [None, 3], ids=["in one", "in pieces"])
@pytest.mark.parametrize("home", [HOME, "http://www.a.test/"], ids=["home page", "page that is not there yet"])
def test_pages_that_all_name_one_and_differ_stand_for_themselves(store: Path, home: str, pieces: int | None) -> None:
    site: Site = {HOME: [prose(100, 400, "Home"), *PAGES]} | {url: [] for url in BEHIND}
    site |= {"http://www.a.test/": [prose(99, 400, "Away")]}
    site |= {url: named(number, [BEHIND[number]], home) for number, url in enumerate(PAGES)}
    states = crawled(store, site, pieces)
    assert {states[url] for url in PAGES} == {"fetched canonical-differs"}
    with open_store(store) as reader:
        (page,) = reader.page_table.find([PAGES[0]]).values()
        assert [reader.page_table.url(target) for target in reader.link_table.outlinks(page).tolist()] == [
            home,
            BEHIND[0],
        ]


def test_few_pages_copies_and_other_parameters_are_believed(tmp_path: Path) -> None:
    few, copies = PAGES[: DIFFERENT - 1], [f"{HOME}print/{number}" for number in range(12)]
    sorted_by = [f"{PAGES[11]}?sort={number}" for number in range(12)]
    site: Site = {HOME: [prose(100, 400, "Home"), *few, *copies, *sorted_by, PAGES[11]], PAGES[11]: [prose(50, 400)]}
    site |= {url: named(number, []) for number, url in enumerate(few)}
    site |= {url: [canonical(HOME), prose(100, 400, "Home")] for url in copies}
    site |= {url: named(number, [], PAGES[11]) for number, url in enumerate(sorted_by)}
    states = crawled(tmp_path / "crawl.db", site)
    assert {states[url] for url in [*few, *copies, *sorted_by]} == {"alias canonical"}


def test_pages_that_say_the_same_as_one_another_refute_nothing() -> None:
    canonicals = Canonicals([])
    for page in range(3 * DIFFERENT):
        assert canonicals.add_claims(HOME, [Claim(page, PAGES[page % 12], 1, 1, None)], None) == []
    assert canonicals.refuted == {}
