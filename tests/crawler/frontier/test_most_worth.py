"""The pages most worth a fetch, and a run that fetches these."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from support.sites import HOME, Server, crawl, crawled_anew, faults_in, random_site, rows
from support.skipping import run

from minicrawl.crawler.admission.seeds import Seeds
from minicrawl.crawler.frontier.due_pages import most_worth
from minicrawl.crawler.run import crawl_with
from minicrawl.model import CrawlReport
from minicrawl.store.reader import open_store

WEEK = 7 * 86_400.0


def refreshed(server: Server, store: Path, pages: int, **given: Any) -> CrawlReport:
    """One round."""
    settings = {"delay": 0.0, "concurrency": 1} | given
    return run(crawl_with(settings, Seeds([]), store, refreshed=pages, transport=server), grace=0.0)


store = crawled_anew(*random_site(3))


def test_the_value_is_that_of_the_formula(store: Path) -> None:
    """Against the formula, a page at a time."""
    rows(store, "UPDATE fetches SET fetched_at = 1000.0 + 40000.0 * (page % 7)")
    rows(store, "INSERT INTO refresh (page, fetched_at, due, rate, information, fetches, changes, blocks, answers)"
                " SELECT id, 500.0 + 1e5 * (id % 3), 0, (id % 5 + 1) * 1e-6, 1.0, 2, 1, x'', '' FROM pages"
                " WHERE id % 4 = 0 AND state = 'fetched'")  # fmt: skip
    now = 1e6
    with open_store(store) as reader:
        importance = reader.ranks.importance()
        expected = {}
        for page, state, plain, again, rate in rows(
            store,
            "SELECT pages.id, state, fetches.fetched_at, refresh.fetched_at, rate FROM pages"
            " JOIN fetches ON fetches.id = fetch LEFT JOIN refresh ON refresh.page = pages.id",
        ):
            if state in ("fetched", "alias"):
                age = now - (plain if again is None else again)
                worth = max(importance[page], reader.ranks.least_importance()) * len(importance)
                expected[page] = worth * age**2 / (age + 1 / (rate or 1 / WEEK))
        found = most_worth(reader, 1000, now)
        assert {choice.page for choice in found} == expected.keys()
        values = [choice.value for choice in found]
        assert values == pytest.approx([expected[choice.page] for choice in found])
        assert values == sorted(values, reverse=True)
        assert [choice.page for choice in most_worth(reader, 5, now)] == [choice.page for choice in found[:5]]


def test_a_round_asks_for_each_page_once_the_best_first_and_for_no_other(store: Path) -> None:
    site, _ = random_site(3)
    rows(store, "UPDATE fetches SET fetched_at = 1e9")
    more = {url: [*links, HOME + "unheard-of"] for url, links in site.items()}
    with open_store(store) as reader:
        chosen = [reader.page_table.url(choice.page) for choice in most_worth(reader, 12, 1e10)]
        known = reader.size()
    server = Server(more)
    report = refreshed(server, store, 12)
    assert (report.reason, report.fetched) == ("nothing-left", 12)
    assert server.asked[:8] == chosen[:8]  # then all are valued anew: their importance has changed
    assert set(server.asked) == set(chosen)
    assert report.known == known + 1  # its turn comes with the next crawl
    assert faults_in(store) == []
    _, later = crawl(more, store, [])
    assert later.asked == [HOME + "unheard-of"]


def test_a_page_that_fails_in_a_round_is_tried_again_and_one_that_is_missing_is_not_gone_yet(tmp_path: Path) -> None:
    path = tmp_path / "crawl.db"
    pages = [HOME + name for name in ("flaky", "missing", "moved")]
    site: dict[str, Any] = {HOME: pages, **{page: [HOME] for page in pages}}
    crawl(site, path, [HOME])

    flaky = {HOME + "flaky": lambda _, count: 503 if count == 1 else [HOME]}
    server = Server(site | flaky | {HOME + "missing": 404, HOME + "moved": HOME})
    refreshed(server, path, 100)
    assert Counter(server.asked) == {HOME: 1, HOME + "flaky": 2, HOME + "missing": 1, HOME + "moved": 1}
    again = Server(site | {HOME + "missing": 404, HOME + "moved": HOME})
    refreshed(again, path, 100)  # a page that was missing is asked for once more a day later, not at once
    assert Counter(again.asked) == {HOME: 1, HOME + "flaky": 1, HOME + "moved": 1}
    states = dict(rows(path, "SELECT url, state FROM pages"))
    assert states == {HOME: "fetched", HOME + "flaky": "fetched", HOME + "missing": "fetched", HOME + "moved": "alias"}


def test_rounds_learn_and_note_what_has_changed_also_since_a_crawl_that_fetched_nothing_again(tmp_path: Path) -> None:
    path = tmp_path / "crawl.db"
    edited, same = HOME + "edited", HOME + "same"

    def site(edition: int) -> dict[str, Any]:
        words = "<p>what this page says all the time</p>"
        return {HOME: [edited, same], edited: [HOME, words, f"<p>edition {edition}</p>"], same: [HOME, words]}

    crawl(site(0), path, [HOME])
    for edition in (1, 1, 2):
        refreshed(Server(site(edition)), path, 3)
    learned = dict(rows(path, "SELECT url, answers FROM refresh JOIN pages ON pages.id = page"))
    assert learned == {HOME: "===", edited: "#=#", same: "==="}
    with open_store(path) as reader:
        found = {(page.url, page.what, page.times, page.removed) for page in reader.changes()}
    new = {(url, "new", 1, 0) for url in (HOME, edited, same)}
    assert found == new | {(edited, "changed", 2, 1)}  # of the first one no blocks are known
    assert rows(path, "SELECT count(*) FROM refresh WHERE fetches = 4") == [(3,)]


def test_a_crawl_goes_on_after_a_round_as_before(tmp_path: Path) -> None:
    """Waiting pages still wait, and pages that were read are not read again."""
    path = tmp_path / "crawl.db"
    site, seeds = random_site(5)
    crawl(site, path, seeds, pages=10)
    refreshed(Server(site), path, 4)
    _, server = crawl(site, path, [])
    waiting = rows(path, "SELECT count(*) FROM pages WHERE state = 'waiting'")
    assert waiting == [(0,)]
    assert max(Counter(server.asked).values()) == 1
